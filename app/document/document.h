#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/stage.h"
#include "document/token_names.h"
#include "document/trained_model.h"

namespace attnscope {

// Everything that a user sets: what is saved, undone, and put into exported pictures. Names and numbers are shared
// between copies.
struct Document {
  TokenNames tokens;        // one per row of the inputs, or per key
  TokenNames query_tokens;  // one per query, where queries have other names than keys; else none
  AttentionConfig config;
  std::shared_ptr<const TrainedModel> model = {};  // whose layer the configuration is; mostly none
  std::string text = {};                           // that the model reads; empty where tokens were given by number
  bool is_whole_model = false;                     // the document names no layer
  std::shared_ptr<const Document> compared = {};   // A, where this one is B; it is compared with none itself
  std::shared_ptr<const std::vector<std::string>> arrays_from = {};  // paths of files whose arrays it has; null: none

  bool operator==(const Document& other) const;  // whatever files its numbers come from
};

// The notebook's six tokens in multi-head attention with two heads: what JSON without any key stands for.
Document default_document();

// "x1" to "xT": names for inputs that came without any.
std::vector<std::string> numbered_tokens(Index count);

// Makes these what attention begins with: (T,d) and (H,T,d) become (B,H,T,d), of one batch entry and one head. Throws
// Error where they have other axes.
void set_heads(AttentionConfig& config, HeadTensors heads);
// Returns a document that begins with these and has the usual settings. Throws Error.
Document document_of(HeadTensors heads);

// The tokens of a trained model as a person reads them.
std::vector<std::string> names_of(const TrainedModel& model, const std::vector<Index>& tokens);

// Returns a document in which a model reads a first text.
Document document_of(std::shared_ptr<const TrainedModel> model);

// Names as shown: a token that occurs more than once carries its position, "the (3)". An empty one shows as "(1)".
std::vector<std::string> token_labels(const std::vector<std::string>& tokens);

// Throws Error: the inputs of a trained model's layer cannot be set.
[[noreturn]] void refuse_as_computed();

// Throws Error like check(AttentionConfig), and when tokens and inputs disagree in number.
void check(const Document& document);

}  // namespace attnscope
