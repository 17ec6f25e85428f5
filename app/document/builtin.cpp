#include "document/builtin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <vector>

#include "assets/assets.h"
#include "core/error.h"
#include "core/text.h"
#include "document/json.h"

namespace attnscope {
namespace {

struct Entry {
  std::string_view id;
  std::string_view title;
  std::string_view summary;
};

constexpr auto entries = std::to_array<Entry>({
    {"who_is_it", "Who is “it”?", "Numbers that can be read: one head finds what “it” is, the other who acts."},
    {"notebook", "The notebooks' six words", "Two heads of two dimensions, their weights drawn from the seed."},
    {"simple_self_attention", "Simple self-attention",
     "Softmax turns dot products of the embeddings into attention weights."},
    {"simple_normalized_by_sum", "Normalized by the sum",
     "The same scores divided by their sum: why softmax is the better choice."},
    {"self_attention_v1", "Trainable weights: SelfAttention_v1",
     "Queries, keys and values from three matrices drawn by torch.rand."},
    {"self_attention_v1_key_first", "SelfAttention_v1, key declared first",
     "The same seed, but another order of declaration, so the weights differ."},
    {"self_attention_v2", "Linear layers: SelfAttention_v2",
     "nn.Linear draws weights in its own way: smaller ones with both signs."},
    {"self_attention_v2_from_v1", "SelfAttention_v2 with the weights of v1",
     "The matrices of v1, copied and transposed, give the same results."},
    {"causal_after_softmax", "Masking after softmax", "Weights on later tokens become zero: rows no longer sum to 1."},
    {"causal_renormalized", "Masked and renormalized",
     "Each masked row is divided by its sum, so that it sums to 1 again."},
    {"causal_minus_infinity", "Masking with minus infinity",
     "Masked before softmax: one step, and the same weights as renormalizing."},
    {"causal_dropout", "Dropout on the weights", "Half are dropped, the others doubled: rows sum to 1 on average."},
    {"causal_attention_batch", "CausalAttention on a batch",
     "Two copies of the text at once: without dropout, two equal results."},
    {"multi_head_attention_wrapper", "Two heads side by side: the wrapper",
     "Independent causal heads, their contexts put side by side."},
    {"multi_head_attention", "MultiHeadAttention", "One projection is split into two heads; out_proj mixes them."},
    {"gpt2_sized", "The size of GPT-2",
     "1024 random tokens, 768 dimensions, 12 heads: one layer of the smallest GPT-2."},
});

std::vector<BuiltinDocument> with_text() {
  std::vector<BuiltinDocument> documents;
  for (const Entry& entry : entries) {
    const std::string file = "documents/" + std::string(entry.id) + ".json";
    documents.push_back({entry.id, entry.title, entry.summary, asset(file)});
  }
  return documents;
}

std::vector<BuiltinDocument> with_model() {
  constexpr std::ptrdiff_t place = 2;  // before those that climb the ladder
  std::vector<BuiltinDocument> documents = with_text();
  documents.insert(documents.begin() + place,
                   {"stories", "A trained model",
                    "Four layers of four heads that tell short stories: which find out where the ball is?",
                    asset("models/stories/document.json")});
  return documents;
}

}  // namespace

Document opening_document() {
  static const Document document = parse_document(builtin_documents().front().json);
  return document;
}

Document notebook_document() {
  Document document = default_document();
  document.config.d_out = 4;
  return document;
}

std::span<const BuiltinDocument> builtin_documents() {
  static const std::vector<BuiltinDocument> documents = with_text();
  return documents;
}

std::span<const BuiltinDocument> example_documents() {
  static const std::vector<BuiltinDocument> documents = with_model();
  return documents;
}

std::optional<BuiltinDocument> example_named(std::string_view name) {
  if (!name.starts_with(example_prefix)) return std::nullopt;
  std::vector<std::string_view> ids;
  for (const BuiltinDocument& example : example_documents()) {
    if (example.id == name.substr(example_prefix.size())) return example;
    ids.push_back(example.id);
  }
  const std::string_view id = name.substr(example_prefix.size());
  throw Error(fmt::format("{} is not an example{}", in_quotes(id), known_names(id, ids, ": there are ")));
}

}  // namespace attnscope
