#include <fmt/format.h>

#include "core/evaluate.h"
#include "core/visibility.h"
#include "interchange/code_pytorch_class.h"
#include "interchange/code_writers.h"

// A script for queries, keys and values from elsewhere: they stand as data, and each stage is a line.
namespace attnscope {
namespace {

// How the two libraries differ in this.
struct Library {
  std::string_view name;
  std::string_view imports;
  std::string_view array;    // opens one
  std::string_view closing;  // closes it
  std::string_view zeros;    // a mask that hides nothing, a format of its sizes
  std::string_view later;    // a causal mask, a format of its sizes and its diagonal
  std::string_view arange;
};

constexpr Library pytorch = {
    "PyTorch",
    "import torch\n\ntorch.set_printoptions(precision=4, threshold=1000, linewidth=120, sci_mode=False)\n",
    "torch.tensor(",
    ")",
    "torch.zeros({}, {}, dtype=torch.bool)",
    "torch.triu(torch.ones({}, {}), diagonal={}).bool()",
    "torch.arange"};
constexpr Library numpy = {"NumPy",
                           "import numpy as np\n\nnp.set_printoptions(precision=4, floatmode=\"fixed\", suppress=True, "
                           "threshold=1000, linewidth=120)\n",
                           "np.array(",
                           ", dtype=np.float32)",
                           "np.zeros(({}, {}), dtype=bool)",
                           "np.triu(np.ones(({}, {}), dtype=bool), k={})",
                           "np.arange"};

void append_tensor(std::string& code, const Library& library, std::string_view name, const SharedTensor& tensor,
                   std::string_view shape) {
  code += fmt::format("{} = {}", name, library.array);
  append_list(code, tensor.copy(), "");
  code += fmt::format("{}  # {}\n", library.closing, shape);
}

void append_kept_weights(std::string& code, const AttentionConfig& config, const Library& library) {
  if (!draws_dropout(config)) return;
  code += fmt::format("\n# The weights that dropout keeps, as data.\nkept = {}", library.array);
  append_kept(code, drawn_dropout_factors(config), "");
  code += fmt::format("{}\ndropout_factors = kept / (1 - {})\n", library.closing, python_number(config.dropout));
}

}  // namespace

std::string heads_code(const Document& document, CodeDialect dialect, bool is_numpy) {
  const AttentionConfig& config = document.config;
  const Library& library = is_numpy ? numpy : pytorch;
  const Index weights = config.batch_size * head_count(config) * query_count(config) * key_count(config);
  check_code_numbers(config.heads.queries.size() + config.heads.keys.size() + config.heads.values.size() +
                         config.bias.size() + (draws_dropout(config) ? weights : 0),
                     fmt::format("{} code", library.name), "queries, keys, values, a bias and a dropout mask");
  const std::string made = config.mask == MaskRoute::custom
                               ? std::string()
                               : fmt::format(fmt::runtime(library.later), query_count(config), key_count(config),
                                             1 + mask_size(config).own_key(0));
  dialect.mask = "mask";
  dialect.bias = "bias";
  dialect.mask_is_made = made;
  const bool drops_all = dropout_is_active(config) && config.dropout == 1;
  const std::string ones = fmt::format("{}.{}_like({{}})", is_numpy ? "np" : "torch", drops_all ? "zeros" : "ones");
  dialect.ones_like = ones;
  std::string code = opening_comment(document, library.name) + std::string(library.imports);
  if (has_heads_off(config)) append_switch_off(code, config);
  if (is_numpy) append_softmax(code, config);
  code += is_numpy ? "\n\n" : "\n";
  append_tensor(code, library, "queries", config.heads.queries, "(B, H, T_query, head_dim)");
  append_tensor(code, library, "keys", config.heads.keys, "(B, H_kv, T_key, head_dim)");
  append_tensor(code, library, "values", config.heads.values, "(B, H_kv, T_key, width)");
  append_mask(code, config, library.zeros);
  append_bias(code, config, is_numpy ? "np.array" : "torch.tensor", true);
  append_kept_weights(code, config, library);
  code += "\nB, H, T, head_dim = queries.shape\n";
  if (key_value_heads(config) != head_count(config)) {
    code +=
        fmt::format("shared = {}(H) * keys.shape[1] // H  # the key/value head of each query head\n", library.arange);
  }
  const std::vector<CodeStep> steps = attention_steps(config, dialect, true);
  append_steps(code, steps, "");
  code += '\n';
  append_call(code, "stages = dict(", stage_words(config, steps), ")", "");
  append_printing(code);
  return code;
}

}  // namespace attnscope
