#include "transcript_documents.h"

#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "files/checkpoint.h"
#include "tests/support/hard_documents.h"
#include "tests/support/letters_model.h"

namespace attnscope::test {

namespace {

// The same letters read by a model of another shape: its norms are of another kind, and heads share keys.
std::shared_ptr<const TrainedModel> other_letters() {
  auto made = std::make_shared<TrainedModel>(*letters());
  made->weights = small_model(small_shape(NormKind::rms), 5);
  made->path = "/models/other";
  made->name = "other";
  return made;
}

}  // namespace

Document document_of_model(const std::string& path, const std::string& layer) {
  set_model_reader([](const std::string& asked) { return asked == "/models/other" ? other_letters() : letters(); });
  Document document = parse_document(R"({"text": "dbcae", "model": ")" + path + "\"" + layer + "}");
  set_model_reader(read_model_as_documents_do);  // as it is without tests
  return document;
}

Document heads_that_share_keys() {
  Document document = hard_document();
  document.config.num_heads = 4;
  document.config.num_kv_heads = 2;
  document.config.d_out = 8;
  document.config.bias = {};
  document.config.heads_off = {1};
  check(document);
  return document;
}

Document rotated_and_normalized() {
  Document document = default_document();
  document.config.d_out = 12;
  document.config.rope = Rope{.base = 100, .layout = RopeLayout::interleaved, .dims = 4, .offset = 5};
  document.config.qk_norm = QkNorm::rms;
  document.config.softcap = 0.5;
  document.config.sliding_window = 3;
  document.config.weight_overrides["k_norm.weight"] = Tensor({6}, {1, 1.5F, -2, 3, 0.5F, -1});
  check(document);
  return document;
}

Document of_mechanism(Mechanism mechanism, MaskRoute mask) {
  Document document = default_document();
  document.config.mechanism = mechanism;
  document.config.mask = mask;
  document.config.dropout = 0.5;
  if (mechanism == Mechanism::simple_self_attention) document.config.normalization = Normalization::sum;
  check(document);
  return document;
}

Document compared() {
  Document document = hard_document();
  document.compared = std::make_shared<const Document>(document);
  document.config.seed = 7;
  return document;
}

Document compared_with_other_tokens() {
  Document document = compared();
  Document kept = *document.compared;
  for (std::size_t token = 0; token < kept.tokens.size(); ++token)
    rename_token(kept, static_cast<Index>(token), std::string(1, static_cast<char>('p' + token)));
  document.compared = std::make_shared<const Document>(std::move(kept));
  return document;
}

Document typed_by_hand() {
  Document document = hard_document();
  set_weight(document, Stage::key_weight, 0, 3, 1, 0.75F);
  set_dropout_edit(document, {1, 2, 4, 3, false});
  set_head_off(document, 1, true);
  return document;
}

}  // namespace attnscope::test
