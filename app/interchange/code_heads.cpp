#include <fmt/format.h>

#include "core/evaluate.h"
#include "core/visibility.h"
#include "interchange/code_text.h"

// A script for queries, keys and values from elsewhere: they stand as data, and each stage is a line.
namespace attnscope {
std::string heads_code(const Document& document, CodeDialect dialect, bool is_numpy) {
  const AttentionConfig& config = document.config;
  const Index weights = config.batch_size * head_count(config) * query_count(config) * key_count(config);
  check_code_numbers(config.heads.queries.size() + config.heads.keys.size() + config.heads.values.size() +
                         config.bias.size() + (draws_dropout(config) ? weights : 0),
                     fmt::format("{} code", dialect.library), "queries, keys, values, a bias and a dropout mask");
  const std::string made = config.mask == MaskRoute::custom
                               ? std::string()
                               : fmt::format(fmt::runtime(dialect.later), query_count(config), key_count(config),
                                             1 + mask_size(config).own_key(0));
  dialect.mask = "mask";
  dialect.bias = "bias";
  dialect.mask_is_made = made;
  const bool drops_all = dropout_is_active(config) && config.dropout == 1;
  const std::string ones = fmt::format("{}.{}_like({{}})", is_numpy ? "np" : "torch", drops_all ? "zeros" : "ones");
  dialect.ones_like = ones;
  std::string code = opening_comment(document, dialect) + std::string(dialect.imports);
  if (has_heads_off(config)) append_switch_off(code, config);
  if (is_numpy) append_softmax(code, config);
  code += is_numpy ? "\n\n" : "\n";
  append_array(code, dialect, "queries", config.heads.queries.copy(), {}, "(B, H, T_query, head_dim)");
  append_array(code, dialect, "keys", config.heads.keys.copy(), {}, "(B, H_kv, T_key, head_dim)");
  append_array(code, dialect, "values", config.heads.values.copy(), {}, "(B, H_kv, T_key, width)");
  append_mask(code, config, dialect);
  append_bias(code, config, dialect, true);
  if (draws_dropout(config)) {
    code += "\n# The weights that dropout keeps, as data.\n";
    append_kept(code, config, dialect);
  }
  code += "\nB, H, T, head_dim = queries.shape\n";
  if (key_value_heads(config) != head_count(config)) {
    code +=
        fmt::format("shared = {}(H) * keys.shape[1] // H  # the key/value head of each query head\n", dialect.arange);
  }
  const std::vector<CodeStep> steps = attention_steps(config, dialect, true);
  append_steps(code, steps, "");
  code += '\n';
  append_call(code, "stages = dict(", stage_words(config, steps), ")", "");
  append_printing(code);
  return code;
}

}  // namespace attnscope
