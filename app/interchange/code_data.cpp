#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/bias.h"
#include "core/evaluate.h"
#include "core/visibility.h"
#include "interchange/code_text.h"

// Data in code, and code that they need: edited masks and biases.
namespace attnscope {

void append_mask(std::string& code, const AttentionConfig& config, std::string_view zeros) {
  if (config.mask != MaskRoute::custom) return;
  code += "hidden = [  # for each query: half-open ranges of the keys that are hidden from it\n";
  std::string line;
  for (Index query = 0; query < config.hidden.queries(); ++query) {
    std::vector<std::string> ranges;
    for (const KeyRange& range : config.hidden.of(query))
      ranges.push_back(fmt::format("({}, {})", range.first, range.last));
    const std::string item = fmt::format("[{}],", fmt::join(ranges, ", "));
    if (line.size() + item.size() + 5 > code_width && !line.empty()) code += "    " + std::exchange(line, "") + '\n';
    line += (line.empty() ? "" : " ") + item;
  }
  code += fmt::format(
      "    {}\n]\n"
      "mask = {}  # True where a query may not look\n"
      "for query, ranges in enumerate(hidden):\n"
      "    for first, last in ranges:\n"
      "        mask[query, first:last] = True\n",
      line, fmt::format(fmt::runtime(zeros), query_count(config), key_count(config)));
}

bool has_empty_rows(const AttentionConfig& config) {
  const Index matrices = has_bias(config) ? config.batch_size * head_count(config) : 1;
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    for (Index query = 0; query < query_count(config); ++query) {
      if (sees_nothing(config, Stage::weights, matrix, query)) return true;
    }
  }
  return false;
}

void append_softmax(std::string& code, const AttentionConfig& config) {
  if (!normalizes_by_sum(config)) {
    code += has_empty_rows(config)
                ? "\n\ndef softmax(x):  # zeros in rows that are -inf everywhere, where PyTorch gives NaN\n"
                  "    largest = np.maximum(x.max(axis=-1, keepdims=True), np.finfo(np.float32).min)\n"
                  "    powers = np.exp(x - largest)\n"
                  "    total = powers.sum(axis=-1, keepdims=True)\n"
                  "    return powers / np.where(total == 0, 1, total)\n"
                : "\n\ndef softmax(x):\n"
                  "    powers = np.exp(x - x.max(axis=-1, keepdims=True))\n"
                  "    return powers / powers.sum(axis=-1, keepdims=True)\n";
  }
}

bool differs_by_head(const AttentionConfig& config) {
  const std::vector<Index>& shape = config.bias.shape();
  return shape.size() > 2 && shape[shape.size() - 3] > 1;
}

void append_bias(std::string& code, const AttentionConfig& config, std::string_view array, bool has_head_axis) {
  if (!has_bias(config)) return;
  Tensor bias = config.bias.copy();
  while (bias.shape.size() < 2) bias.shape.insert(bias.shape.begin(), 1);
  if (bias.shape.size() > 2 && !has_head_axis) bias.shape.erase(bias.shape.end() - 3);
  while (bias.shape.size() > 2 && bias.shape.front() == 1) bias.shape.erase(bias.shape.begin());
  code += fmt::format("bias = {}(", array);
  append_list(code, bias, "");
  code +=
      fmt::format("{})  # added to the scores before softmax\n", array.starts_with("np") ? ", dtype=np.float32" : "");
}

bool has_heads_off(const AttentionConfig& config) {
  return info(config.mechanism).has_heads && !config.heads_off.empty();
}

void append_switch_off(std::string& code, const AttentionConfig& config) {
  code += fmt::format(
      "\n\ndef switch_off(head_context, heads=[{}]):  # (B, H, T, head_dim)\n"
      "    head_context[:, heads] = 0\n"
      "    return head_context\n",
      fmt::join(config.heads_off, ", "));
}

}  // namespace attnscope
