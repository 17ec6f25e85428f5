#include "look/diagram_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "look/number_text.h"
#include "look/stage_look.h"

namespace attnscope {
namespace {

std::string title_of(const AttentionConfig& config, const DiagramMatrix& matrix) {
  const StageInfo& stage = info(matrix.stage);
  const std::string turned = matrix.is_transposed ? "ᵀ" : "";
  if (is_parameter(stage.axes)) return std::string(stage.title) + turned;
  if (!is_operand(matrix)) return std::string(stage.title);
  if (matrix.stage == Stage::mask) return "mask: 1 hides";
  if (matrix.stage == Stage::dropout_factors) {
    const double kept = 1 / (1 - std::min(config.dropout, 0.999999));
    return fmt::format("dropout: kept × {}", format_fixed(kept, kept == std::round(kept) ? 0 : 2));
  }
  return std::string(stage.symbol) + turned;
}

std::string shape_of(const AttentionConfig& config, const DiagramMatrix& matrix, Index heads) {
  const std::vector<Index> shape = stage_shape(config, matrix.stage);
  Index rows = shape[shape.size() - 2];
  Index cols = shape.back();
  if (matrix.is_transposed) std::swap(rows, cols);
  return fmt::format("({}, {})", rows, cols * heads);
}

}  // namespace

bool is_operand(const DiagramMatrix& matrix) {
  return matrix.role == DiagramRole::above || matrix.role == DiagramRole::bias;
}

DiagramHeader diagram_header(const Result& result, const DiagramMatrix& matrix, Index head) {
  const Index heads = head_count(result.config);
  DiagramHeader header;
  header.title = title_of(result.config, matrix);
  header.shape = shape_of(result.config, matrix, matrix.shows_all_heads ? heads : 1);
  if (matrix.role == DiagramRole::left) {
    header.line = heads > 1 ? fmt::format("head {} {}", head + 1, header.shape) : header.shape;
  } else if (matrix.shows_all_heads && heads > 1) {
    header.line = fmt::format("{} → head {}", header.shape, head + 1);
  } else if (matrix.stage == Stage::head_context && is_off(result.config, head)) {
    header.line = fmt::format("head {} is off: 0  {}", head + 1, header.shape);
  } else if (matrix.stage == Stage::inputs) {
    header.line = fmt::format("X {}", header.shape);
  } else {
    header.line = fmt::format("{}  {}", wording(result, matrix.stage).formula, header.shape);
  }
  if (is_query_by_key(info(matrix.stage).axes)) {
    const AxisTitles titles = axis_titles(result.config, matrix.stage);
    header.axes = fmt::format("{} ↓  {} →", titles.rows, titles.columns);
  }
  return header;
}

std::vector<std::string> fitted_lines(const DiagramHeader& header, HeaderSize size, float room,
                                      const std::function<float(std::string_view)>& width_of) {
  const auto fits = [&](const std::string& line) { return width_of(line) <= room; };
  const bool is_small = size == HeaderSize::small;
  if (size == HeaderSize::roomy && !header.axes.empty())
    return {fits(header.line) ? header.line : header.shape, header.axes};
  const std::string axes = header.axes.empty() ? "" : "   " + header.axes;
  if (!is_small && fits(header.line + axes)) return {header.line + axes};
  if (fits(header.shape + axes)) return {header.shape + axes};
  if (header.axes.empty() || !fits(header.axes)) return {is_small ? "" : header.shape};
  return {header.axes};
}

std::string_view id_of(Band band) {
  if (band == Band::project) return "project";
  return band == Band::compare ? "compare" : "mix";
}

std::string_view title_of(Band band) {
  if (band == Band::project) return "1  Project";
  return band == Band::compare ? "2  Compare" : "3  Mix";
}

std::string_view about(Band band) {
  if (band == Band::project) return "every token asks, offers and carries: a row is a token, all the way through";
  if (band == Band::compare) return "each query with every key that it may see; softmax runs along the row";
  return "each query takes its share of every value; the heads stand side by side";
}

}  // namespace attnscope
