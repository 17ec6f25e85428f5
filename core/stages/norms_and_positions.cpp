// Queries and keys on their way to the scores: normalized, or turned by the positions of their tokens.

#include "core/attention.h"
#include "core/config.h"
#include "core/evaluate.h"
#include "core/rope.h"
#include "core/stages/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace attnscope {

namespace {

using namespace stage_rules;
using Config = AttentionConfig;

// A root mean square norm of each row.

std::vector<SourceLine> norm_operands(const Config&, const Source& cell, const StageList& from) {
  return {cell_line(cell, from[0], cell.row, cell.col), number_line(cell, from[0], SourceKind::row_rms),
          cell_line(cell, from[1], 0, cell.col)};
}

std::string sentence_of_norm(const CellWords& of) {
  return fmt::format(
      "Dimension {0} of the {1} of {2}, divided by the root mean square of the {1}: the length of the {1} no longer "
      "matters, only its direction. Then it is multiplied by the gain of the dimension.",
      of.dimension(), of.kind(), of.query_or_key());
}

void write_norm(CellWords& of) {
  of.arithmetic(of.text(0), of.from(0));
  of.arithmetic(fmt::format("÷ {} (RMS)", of.text(1)), of.from(1));
  of.arithmetic(fmt::format("× {} (gain)", of.text(2)), of.from(2));
  of.equals();
}

constexpr Operation divided_by_rms = {.sentence = sentence_of_norm, .arithmetic = write_norm};

constexpr CellRule rms_norm = {
    .make = make_of_two<normalize_heads>,
    .operation = does<divided_by_rms>,
    .operands = norm_operands,
    .dependents = rows_or_columns,  // a number goes into its whole row, a gain into its dimension of every row
    .code = [](const StageCode& code, Stage,
               const Names& from) { return fmt::format(fmt::runtime(code.dialect.norm), from[0], from[1]); },
    .latex = "\\frac{{{0}}}{{\\operatorname{{rms}}({0})}} \\odot {1} \\text{{, row by row}}",
    .sign = "÷ RMS",
    .note = "of the row"};

// Rotary positions: a dimension and its partner in the row, turned by the position of their token.

std::vector<SourceLine> rotation_operands(const Config& config, const Source& cell, const StageList& from) {
  const SourceLine own = cell_line(cell, from[0], cell.row, cell.col);
  const std::optional<RopePair> pair = rope_pair(config, cell.col);
  if (!pair) return {own};
  return {own, cell_line(cell, from[0], cell.row, pair->partner(cell.col))};
}

// The first operand goes into the same dimensions, the second into their partners.
CellRect rotated_from(const Config& config, const Reached&, std::size_t place, const Reached& of) {
  if (place == 0) return of.rect;
  CellRect partners = {of.rect.row, 0, of.rect.rows, 0};
  for (Index col = of.rect.col; col < of.rect.col + of.rect.cols; ++col) {
    const std::optional<RopePair> pair = rope_pair(config, col);
    if (!pair) continue;
    const Index partner = pair->partner(col);
    const Index end = partners.cols == 0 ? partner + 1 : std::max(partners.col + partners.cols, partner + 1);
    partners.col = partners.cols == 0 ? partner : std::min(partners.col, partner);
    partners.cols = end - partners.col;
  }
  return partners;
}

std::string sentence_of_turned(const CellWords& of) {
  const Config& config = of.config();
  const RopePair pair = *rope_pair(config, of.source.col);
  const double slowing = rope_slowing(config, pair.number);
  return fmt::format(
      "Position {0} turns dimensions {1} and {2} of the {3} of {4} together, by {0} × {5}^(−{6}/{7}){9} = {8} "
      "radians.",
      config.rope->offset + of.source.row, pair.first + 1, pair.second + 1, of.kind(), of.query_or_key(),
      config.rope->base, 2 * pair.number, rope_dims(config), of.number(rope_angle(config, of.source.row, pair.number)),
      slowing == 1 ? "" : fmt::format(" × {}, which slows pairs that turn slowly,", of.number(slowing)));
}

// Returns the factor of a scaled angle.
std::string latex_of_scaling(const Config& config) {
  const std::optional<RopeScaling>& scaling = config.rope->scaling;
  if (!scaling) return {};
  if (scaling->kind == RopeScalingKind::linear) return fmt::format(" / {}", scaling->factor);
  return fmt::format(" \\cdot s_i \\text{{, slow pairs with }} s_i = 1/{}", scaling->factor);
}

void write_turned(CellWords& of) {
  const RopePair pair = *rope_pair(of.config(), of.source.col);
  const double angle = rope_angle(of.config(), of.source.row, pair.number);
  const std::string_view sign = of.source.col == pair.first ? "−" : "+";
  of.arithmetic(fmt::format("{} × {} (cos)", of.text(0), of.number(std::cos(angle))), of.from(0));
  of.arithmetic(fmt::format("{} {} × {} (sin)", sign, of.text(1), of.number(std::sin(angle))), of.from(1));
  of.equals();
}

constexpr Operation turned = {.sentence = sentence_of_turned, .arithmetic = write_turned};
constexpr Operation not_turned = {.sentence =
                                      [](const CellWords& of) {
                                        return fmt::format("Only the first {} dimensions of a head turn.",
                                                           rope_dims(of.config()));
                                      },
                                  .arithmetic = write_copied,
                                  .is_copy = true};

constexpr CellRule rotation = {
    .make = [](Tensor& out, const Run& run, Stage,
               const StageList& from) { rotate_heads(out, run[from[0]], run.config, run.execution); },
    .operation = [](const Result& result, const Source& cell, bool) -> const Operation& {
      return rope_pair(result.config, cell.col) ? turned : not_turned;
    },
    .operands = rotation_operands,
    .dependents = rotated_from,
    .code = "rotate({})",
    .latex =
        [](const Config& config, Stage, const Names& from) {
          return fmt::format(
              "\\operatorname{{rotate}}({}) \\text{{: pair $i$ at position $p$ turned by }} p \\cdot {}^{{-2i/{}}}{}",
              from[0], config.rope->base, rope_dims(config), latex_of_scaling(config));
        },
    .sign = "turn",
    .note = "by position"};

// Rows.

// A norm's gain stands beside what it multiplies.
template <Stage from, Stage gain>
StageList with_gain(const Config&, Stage) {
  return {from, gain};
}

// A dimension and its partner stand in one row of the same stage.
template <Stage from, Stage normalized>
StageList pairs_of(const Config& config, Stage) {
  return has_qk_norm(config) ? StageList{normalized, normalized} : StageList{from, from};
}

// The gains of a norm, one for each dimension of a head.
constexpr StageInfo gain(Stage stage, std::string_view id, std::string_view latex, OperandSide side) {
  return {.stage = stage,
          .id = id,
          .symbol = id,
          .latex = latex,
          .formula = "one factor for each dimension of a head",
          .pytorch = "torch.nn.RMSNorm(head_dim).weight",
          .axes = StageAxes::bias,
          .rule = always<started>,
          .exists = has_qk_norm,
          .side = side};
}

// Queries or keys on their way to the scores.
constexpr StageInfo prepared(Stage stage, std::string_view id, std::string_view title, std::string_view symbol,
                             std::string_view latex, std::string_view pytorch,
                             StageList (*follows_from)(const Config&, Stage), const char* about, OperandSide side) {
  return {.stage = stage,
          .id = id,
          .title = title,
          .symbol = symbol,
          .latex = latex,
          .formula = "each row ÷ its root mean square, × gain",
          .pytorch = pytorch,
          .axes = StageAxes::head_token_feature,
          .place = {Band::compare},
          .rule = always<rms_norm>,
          .exists = has_qk_norm,
          .follows_from = follows_from,
          .about = about,
          .scene = {.title = "The length no longer counts, only the direction"},
          .side = side};
}

constexpr StageInfo turning(StageInfo row) {
  row.formula = "each pair of dimensions turned by position · base^(−2i ÷ dims)";
  row.rule = always<rotation>;
  row.exists = has_rope;
  row.reads = &part_of<&AttentionConfig::rope>;
  row.scene.title = "Positions turn queries and keys";
  return row;
}

constexpr std::array rows_of_norms_and_positions = {
    gain(Stage::query_gain, "q_norm", "g_Q", OperandSide::query),
    gain(Stage::key_gain, "k_norm", "g_K", OperandSide::key),
    prepared(Stage::normalized_queries, "normalized_queries", "normalized queries", "N(Q)", "Q_N",
             "normalized_queries = self.q_norm(queries)", with_gain<Stage::queries, Stage::query_gain>,
             "each query divided by its root mean square, so that its length does not count", OperandSide::query),
    prepared(Stage::normalized_keys, "normalized_keys", "normalized keys", "N(K)", "K_N",
             "normalized_keys = self.k_norm(keys)", with_gain<Stage::keys, Stage::key_gain>,
             "each key divided by its root mean square, so that its length does not count", OperandSide::key),
    turning(prepared(Stage::rotated_queries, "rotated_queries", "rotated queries", "R(Q)", "Q_R",
                     "rotated_queries = rotate(queries)", pairs_of<Stage::queries, Stage::normalized_queries>,
                     "each pair of dimensions of a query, turned by an angle that grows with its position",
                     OperandSide::query)),
    turning(prepared(Stage::rotated_keys, "rotated_keys", "rotated keys", "R(K)", "K_R", "rotated_keys = rotate(keys)",
                     pairs_of<Stage::keys, Stage::normalized_keys>,
                     "each pair of dimensions of a key, turned by an angle that grows with its position",
                     OperandSide::key)),
};

}  // namespace

constinit const std::span<const StageInfo> stage_rules::norm_and_position_rows = rows_of_norms_and_positions;

// Rotary positions, as core/rope.h declares them.

namespace {

// Returns the radians from one token to the next, without scaling.
double unscaled_step(const AttentionConfig& config, Index pair) {
  return std::pow(config.rope->base, -2 * static_cast<double>(pair) / static_cast<double>(rope_dims(config)));
}

double step_of(const AttentionConfig& config, Index pair) {
  return unscaled_step(config, pair) * rope_slowing(config, pair);
}

}  // namespace

bool has_rope(const AttentionConfig& config) {
  return config.rope.has_value() && config.mechanism == Mechanism::multi_head_attention;
}

Index rope_dims(const AttentionConfig& config) { return config.rope->dims.value_or(head_features(config)) / 2 * 2; }

std::optional<RopePair> rope_pair(const AttentionConfig& config, Index col) {
  const Index pairs = rope_dims(config) / 2;
  if (col >= 2 * pairs) return {};
  if (config.rope->layout == RopeLayout::interleaved) return RopePair{col / 2 * 2, col / 2 * 2 + 1, col / 2};
  return RopePair{col % pairs, col % pairs + pairs, col % pairs};
}

double rope_slowing(const AttentionConfig& config, Index pair) {
  const std::optional<RopeScaling>& scaling = config.rope->scaling;
  if (!scaling) return 1;
  if (scaling->kind == RopeScalingKind::linear) return 1 / scaling->factor;
  const double turns =
      static_cast<double>(scaling->original_length) * unscaled_step(config, pair) / (2 * std::numbers::pi);
  const double kept = std::clamp((turns - scaling->low) / (scaling->high - scaling->low), 0.0, 1.0);
  return kept + (1 - kept) / scaling->factor;
}

double rope_angle(const AttentionConfig& config, Index token, Index pair) {
  return static_cast<double>(config.rope->offset + token) * step_of(config, pair);
}

RopeTable rope_table(const AttentionConfig& config, Index tokens) {
  const Index pairs = rope_dims(config) / 2;
  RopeTable table;
  table.cosines.reserve(static_cast<std::size_t>(tokens * pairs));
  table.sines.reserve(static_cast<std::size_t>(tokens * pairs));
  std::vector<double> steps;
  for (Index pair = 0; pair < pairs; ++pair) steps.push_back(step_of(config, pair));
  for (Index token = 0; token < tokens; ++token) {
    for (const double step : steps) {
      const double angle = static_cast<double>(config.rope->offset + token) * step;
      table.cosines.push_back(static_cast<float>(std::cos(angle)));
      table.sines.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  return table;
}

void rotate_row(std::span<float> rotated, std::span<const float> row, const AttentionConfig& config,
                const RopeTable& table, Index token) {
  const Index pairs = rope_dims(config) / 2;
  const bool is_interleaved = config.rope->layout == RopeLayout::interleaved;
  const float* const cosines = table.cosines.data() + token * pairs;
  const float* const sines = table.sines.data() + token * pairs;
  for (Index pair = 0; pair < pairs; ++pair) {
    const auto first = static_cast<std::size_t>(is_interleaved ? 2 * pair : pair);
    const auto second = static_cast<std::size_t>(is_interleaved ? 2 * pair + 1 : pair + pairs);
    rotated[first] = row[first] * cosines[pair] - row[second] * sines[pair];
    rotated[second] = row[second] * cosines[pair] + row[first] * sines[pair];
  }
  std::ranges::copy(row.subspan(static_cast<std::size_t>(2 * pairs)), rotated.begin() + 2 * pairs);
}

bool has_qk_norm(const AttentionConfig& config) {
  return config.qk_norm == QkNorm::rms && config.mechanism == Mechanism::multi_head_attention;
}

double root_mean_square(std::span<const float> row, double epsilon) {
  double squares = 0;
  for (const float number : row) squares += static_cast<double>(number) * static_cast<double>(number);
  return std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
}

void normalize_row(std::span<float> normalized, std::span<const float> row, std::span<const float> gain) {
  const double factor = 1 / root_mean_square(row, qk_norm_epsilon);
  for (std::size_t i = 0; i < row.size(); ++i)
    normalized[i] = static_cast<float>(static_cast<double>(row[i]) * factor) * gain[i];
}

}  // namespace attnscope
