#include "interchange/latex_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "core/evaluate.h"

namespace attnscope {
namespace {

constexpr std::string_view head = "(h)";

// Letters of Western Europe, which TeX's first fonts compose: two bytes of UTF-8, U+00C0 to U+00FF without Eth, Thorn
// and the signs of multiplication and division.
bool is_western(unsigned char first, unsigned char second) {
  if (first != 0xC3 || second < 0x80 || second > 0xBF) return false;
  constexpr std::array<unsigned char, 6> missing = {0x90, 0x97, 0x9E, 0xB0, 0xB7, 0xBE};
  for (const unsigned char c : missing) {
    if (second == c) return false;
  }
  return true;
}

// Nothing where the name has a character that pdflatex would stop at.
std::optional<std::string> latex_text(std::string_view name) {
  constexpr std::size_t longest = 24;
  std::string text;
  std::size_t length = 0;
  for (std::size_t i = 0; i < name.size(); ++i, ++length) {
    const auto byte = static_cast<unsigned char>(name[i]);
    const bool is_cut = length >= longest;
    if (byte >= 0x20 && byte < 0x7F) {
      if (!is_cut) text += latex_character(name[i]);
    } else if (i + 1 < name.size() && is_western(byte, static_cast<unsigned char>(name[i + 1]))) {
      if (!is_cut) text += name.substr(i, 2);
      ++i;
    } else {
      return std::nullopt;
    }
  }
  return length > longest ? text + "\\dots" : text;
}

std::string plain_symbol(Stage stage) { return std::string(info(stage).latex); }

std::string of_head(const AttentionConfig& config, Stage stage) { return latex_symbol(config, stage, head); }

// X W_Q^T, with what the mechanism adds to it.
std::string projection(const AttentionConfig& config, Stage stage) {
  const MechanismInfo& mechanism = info(config.mechanism);
  const std::string letter = plain_symbol(stage);
  const bool has_own_weights = mechanism.has_heads && !mechanism.splits_heads;
  std::string weight = fmt::format("W_{}", letter);
  std::string bias = fmt::format("b_{}", letter);
  if (has_own_weights) {
    weight += "^{(h)}";
    bias += "^{(h)}";
  }
  const bool is_linear = mechanism.weight_style == WeightStyle::linear;
  if (is_linear) weight = has_own_weights ? fmt::format("({})^{{\\top}}", weight) : weight + "^{\\top}";
  std::string product = "X " + weight;
  if (is_linear && config.qkv_bias) product += " + " + bias;
  return mechanism.splits_heads ? fmt::format("\\bigl[ {} \\bigr]_h", product) : product;
}

std::string context_formula(const AttentionConfig& config) {
  const Index heads = head_count(config);
  if (heads == 1) return plain_symbol(Stage::head_context);
  constexpr Index listed = 4;
  std::string joined;
  for (Index h = 0; h < heads && heads <= listed; ++h)
    joined += fmt::format("{}C^{{({})}}", h > 0 ? " \\;\\; " : "", h + 1);
  if (heads > listed) joined = fmt::format("C^{{(1)}} \\;\\; C^{{(2)}} \\;\\; \\dots \\;\\; C^{{({})}}", heads);
  return "\\bigl[ " + joined + " \\bigr]";
}

std::string right_side(const AttentionConfig& config, Stage stage) {
  const auto symbol = [&](Stage other) { return of_head(config, other); };
  switch (stage) {
    case Stage::inputs:
      return "";
    case Stage::queries:
    case Stage::keys:
    case Stage::values:
      return projection(config, stage);
    case Stage::scores: {
      const std::string keys = symbol(keys_stage(config));
      const bool has_superscript = keys.find('^') != std::string::npos;
      return symbol(queries_stage(config)) + " " + (has_superscript ? "(" + keys + ")" : keys) + "^{\\top}";
    }
    case Stage::mask:
      return "\\begin{cases} 1 & \\text{where the key comes after the query} \\\\ 0 & \\text{else} \\end{cases}";
    case Stage::masked_scores:
      return "\\begin{cases} -\\infty & \\text{where } M = 1 \\\\ " + symbol(Stage::scores) +
             " & \\text{else} \\end{cases}";
    case Stage::scaled_scores: {
      const Stage from = config.mask == MaskRoute::causal ? Stage::masked_scores : Stage::scores;
      return symbol(from) + (config.scale ? fmt::format(" / \\sqrt{{{}}}", head_features(config)) : "");
    }
    case Stage::weights: {
      const std::string from = symbol(normalized_from_stage(config));
      return normalizes_by_sum(config) ? from + " / \\text{(sum of its row)}"
                                       : "\\operatorname{softmax}\\bigl( " + from + " \\bigr) \\text{, row by row}";
    }
    case Stage::masked_weights:
      return symbol(Stage::weights) + " \\odot (1 - M)";
    case Stage::renormalized_weights:
      return symbol(Stage::masked_weights) + " / \\text{(sum of its row)}";
    case Stage::dropout_factors:
      return dropout_is_active(config)
                 ? fmt::format(
                       "\\begin{{cases}} 0 & \\text{{where dropped}} \\\\ 1 / (1 - {}) & \\text{{where kept}} "
                       "\\end{{cases}}",
                       config.dropout)
                 : std::string("1 \\text{, because nothing is dropped}");
    case Stage::dropped_weights:
      return symbol(normalized_weights_stage(config)) + " \\odot " + symbol(Stage::dropout_factors);
    case Stage::head_context:
      return symbol(final_weights_stage(config)) + " " + symbol(values_stage(config));
    case Stage::context:
      return context_formula(config);
    case Stage::output:
      return "Z W_O^{\\top} + b_O";
  }
  return "";
}

}  // namespace

std::string latex_character(char c) {
  switch (c) {
    case '\\':
      return "\\textbackslash{}";
    case '~':
      return "\\textasciitilde{}";
    case '^':
      return "\\textasciicircum{}";
    case '<':
      return "\\textless{}";
    case '>':
      return "\\textgreater{}";
    case '|':
      return "\\textbar{}";
    case '"':
      return "''";  // the straight one is in no first font
    case '$':
      return "$\\mathdollar$";  // the one of text is in another font
    case '-':
    case '`':
    case '\'':
    case '!':
    case '?':
    case ',':
      return std::string(1, c) + "{}";  // two of them would become one other sign
    case '{':
    case '}':
    case '&':
    case '#':
    case '_':
    case '%':
      return std::string("\\") + c;
    default:
      return {c};
  }
}

std::string latex_label(std::string_view name, std::size_t index) {
  if (const std::optional<std::string> text = latex_text(name)) return fmt::format("\\text{{{}}}", *text);
  return fmt::format("x_{{{}}}", index + 1);
}

std::string latex_number(float value, bool leaves_room_for_sign) {
  if (std::isnan(value)) return "\\text{NaN}";
  if (std::isinf(value)) return value < 0 ? "-\\infty" : "\\infty";
  constexpr float widest = 1e6F;
  std::string text = fmt::format("{:.4f}", std::abs(value));
  if (std::abs(value) >= widest) {
    const std::string scientific = fmt::format("{:.4e}", std::abs(value));
    const std::size_t e = scientific.find('e');
    text = fmt::format("{} \\cdot 10^{{{}}}", scientific.substr(0, e), std::stoi(scientific.substr(e + 1)));
  }
  const bool is_negative = value < 0 && text != "0.0000";
  if (is_negative) return "-" + text;
  return leaves_room_for_sign ? "\\phantom{-}" + text : text;
}

std::string latex_symbol(const AttentionConfig& config, Stage stage, std::string_view superscript) {
  const StageAxes axes = info(stage).axes;
  const bool has_heads = axes == StageAxes::head_token_feature || axes == StageAxes::head_query_key;
  const bool is_bare = superscript.empty() || (superscript == head && (!has_heads || head_count(config) == 1));
  return is_bare ? plain_symbol(stage) : fmt::format("{}^{{{}}}", plain_symbol(stage), superscript);
}

std::string latex_formula(const AttentionConfig& config, Stage stage) {
  const std::string right = right_side(config, stage);
  return right.empty() ? of_head(config, stage) : of_head(config, stage) + " = " + right;
}

}  // namespace attnscope
