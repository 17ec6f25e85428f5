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

std::string about(const AttentionConfig& config, Stage stage) {
  const bool has_queries = has_stage(config, Stage::queries);
  switch (stage) {
    case Stage::inputs:
      return "an embedding for each token: the row of numbers that stands for it";
    case Stage::queries:
      return "what each token looks for";
    case Stage::keys:
      return "what each token can be found by";
    case Stage::values:
      return "what each token hands on";
    case Stage::scores:
      return has_queries ? "how well each query matches each key: a dot product each"
                         : "how much two embeddings are alike: a dot product each";
    case Stage::mask:
      return "1 hides a key from a query";
    case Stage::masked_scores:
      return "a hidden key's score is −∞, which softmax turns into 0";
    case Stage::scaled_scores:
      if (config.scale_factor) return "each score times a number of your own";
      return fmt::format("divided by √{} = {}, so that scores stay alike for any head_dim", head_features(config),
                         format_fixed(std::sqrt(static_cast<double>(head_features(config))), 3));
    case Stage::capped_scores:
      return "squeezed, so that no score is further from 0 than the cap";
    case Stage::biased_scores:
      return "each score with the number that the bias adds to it";
    case Stage::weights:
      return "each query's scores as shares of one whole: a row sums to 1";
    case Stage::masked_weights:
      return "hidden keys lose their weight after softmax, and rows no longer sum to 1";
    case Stage::renormalized_weights:
      return "each row divided by what is left of it: it sums to 1 again";
    case Stage::dropout_factors:
      return "0 drops a weight; the others grow to make up for it";
    case Stage::dropped_weights:
      return "in training some weights are dropped, drawn anew each time";
    case Stage::head_context:
      return has_queries ? "each query's mix of the values, by its weights"
                         : "each token's mix of all embeddings, by its weights";
    case Stage::context:
      return "the heads side by side again";
    case Stage::output:
      return "out_proj mixes what the heads have found";
    default:
      return std::string(info(stage).formula);
  }
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
