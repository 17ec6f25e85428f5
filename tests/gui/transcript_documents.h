#pragma once

#include <string>

#include "document/document.h"
#include "tests/support/hard_documents.h"

// Documents of which transcripts are read, beside hard_document().
namespace attnscope::test {

Document typed_by_hand();  // that one with a weight, a dropout factor and a head changed by hand
Document heads_that_share_keys();
Document rotated_and_normalized();
Document of_mechanism(Mechanism mechanism, MaskRoute mask = MaskRoute::causal);
Document compared();  // with itself of another seed
Document compared_with_other_tokens();
// "/models/letters" or "/models/other", as a whole or one layer of it.
Document document_of_model(const std::string& path, const std::string& layer = "");

}  // namespace attnscope::test
