#include "tests/support/hard_documents.h"

#include "core/random.h"

namespace attnscope::test {
namespace {

Tensor numbers(std::vector<Index> shape, std::uint64_t seed) {
  Tensor tensor(std::move(shape));
  Generator generator(seed);
  fill_uniform(tensor.values, generator, -1, 1);
  return tensor;
}

void make_hard(AttentionConfig& config, Index queries, Index keys) {
  config.dropout = 0.5;
  config.dropout_kernel = DropoutKernel::standard;
  config.bias = numbers({hard_entries, hard_heads, queries, keys}, 7);
}

}  // namespace

Document hard_document() {
  Document document = default_document();
  AttentionConfig& config = document.config;
  config.batch_size = hard_entries;
  config.num_heads = hard_heads;
  config.d_out = 2 * hard_heads;
  config.qkv_bias = true;
  config.mask = MaskRoute::custom;
  config.hidden = HiddenKeys({{{1, 6}}, {{2, 6}}, {{3, 6}}, {{1, 2}, {4, 6}}, {{1, 2}, {5, 6}}, {{1, 2}}});
  make_hard(config, 6, 6);
  check(document);
  return document;
}

Document hard_given(Index queries, Index keys) {
  Document document =
      document_of({numbers({hard_entries, hard_heads, queries, 2}, 3), numbers({hard_entries, hard_heads, keys, 2}, 4),
                   numbers({hard_entries, hard_heads, keys, 5}, 5), "given.npz"});
  document.config.mask = MaskRoute::causal;
  make_hard(document.config, queries, keys);
  std::vector<std::string> names;
  for (Index query = 1; query <= queries; ++query) names.push_back("q" + std::to_string(query));
  document.query_tokens = std::move(names);
  check(document);
  return document;
}

}  // namespace attnscope::test
