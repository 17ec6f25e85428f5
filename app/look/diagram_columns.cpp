#include "look/diagram_columns.h"

#include <algorithm>
#include <string_view>

#include "core/visibility.h"

namespace attnscope {
namespace {

constexpr Index fewest_inputs = 3;
constexpr Index fewest_features = 4;  // columns of another mechanism have room in their place, too
constexpr Index most_features = 8;

float cells_across(const DiagramSizes& sizes, Stage stage) {
  if (is_query_by_key(info(stage).axes)) return sizes.tokens;
  return stage == Stage::inputs ? sizes.inputs : sizes.features;
}

// The words that may ever stand before a column, so that its place is the same whether they do or not.
float widest_operator(const DiagramText& text, CellRule rule) {
  static constexpr std::array scaling = {std::string_view("÷ √768"), std::string_view("= 27.71")};
  static constexpr std::array normalizing = {std::string_view("softmax"), std::string_view("÷ Σ")};
  static constexpr std::array heads = {std::string_view("concat")};
  const auto widest = [&](const auto& words) {
    float width = 0;
    for (const std::string_view word : words) width = std::max(width, text.width_of(word));
    return width;
  };
  if (rule == CellRule::step) return widest(scaling);
  if (rule == CellRule::normalize) return widest(normalizing);
  if (rule == CellRule::side_by_side) return widest(heads);
  return text.width_of("×");
}

// Of one stage: the rows of what hangs above it, or its own.
float rows_above(const DiagramSizes& sizes, const StageInfo& row) {
  if (row.place.is_above) return sizes.tokens;
  switch (row.rule) {
    case CellRule::projection:
      return row.place.band == Band::project ? sizes.inputs : sizes.features + 1;  // with the bias
    case CellRule::query_times_key:
      return sizes.features;
    case CellRule::hide:
    case CellRule::keep_seen:
    case CellRule::product:
    case CellRule::weighted_sum:
      return sizes.tokens;
    default:
      return 0;
  }
}

bool is_in(const StageInfo& row, Band band, const StageSet& left_out) {
  return has_place(row.stage) && row.place.band == band && !left_out.contains(row.stage);
}

}  // namespace

DiagramSizes sizes_of(const AttentionConfig& config) {
  const auto cells = [](Index count, Index fewest, Index most) {
    return static_cast<float>(std::clamp(count, fewest, most));
  };
  const Index heads_features = std::max(head_features(config), value_features(config));
  const Index features = begins_with_heads(config) ? heads_features : config.d_out;
  return {.tokens = cells(std::max(query_count(config), key_count(config)), 1, most_diagram_tokens),
          .inputs = cells(input_features(config), fewest_inputs, most_features),
          .features = cells(features, fewest_features, most_features)};
}

DiagramColumns columns_of(const DiagramSizes& sizes, const DiagramText& text, const StageSet& left_out) {
  DiagramColumns columns;
  for (const StageInfo& row : stages()) {
    if (!has_place(row.stage)) continue;
    std::vector<DiagramColumn>& band = columns[static_cast<std::size_t>(row.place.band)];
    const auto place = static_cast<std::size_t>(row.place.column);
    if (band.size() <= place) band.resize(place + 1);
    if (left_out.contains(row.stage) || (row.place.is_above && band[place].cells > 0)) continue;
    const bool shows_sums = row.range == StageRange::probability;
    band[place] = {.cells = cells_across(sizes, row.stage),
                   .before = widest_operator(text, row.rule) + 2.5F * text.gap,
                   .after = shows_sums ? text.row_sums : 0,
                   .has_signs = !shows_sums};
    if (row.rule == CellRule::query_times_key) band[place - 1].cells = sizes.features;
  }
  for (std::vector<DiagramColumn>& band : columns) {
    const std::size_t first = first_column(band);
    if (first < band.size()) band[first].before = text.row_labels;
  }
  return columns;
}

std::size_t first_column(const std::vector<DiagramColumn>& band) {
  const auto first = std::ranges::find_if(band, [](const DiagramColumn& column) { return column.cells > 0; });
  return static_cast<std::size_t>(first - band.begin());
}

float fixed_width(const std::vector<DiagramColumn>& band) {
  float width = 0;
  for (const DiagramColumn& column : band) width += column.before + column.after;
  return width;
}

float cell_count(const std::vector<DiagramColumn>& band) {
  float cells = 0;
  for (const DiagramColumn& column : band) cells += column.cells;
  return cells;
}

float cells_without_sign(const std::vector<DiagramColumn>& band) {
  float cells = 0;
  for (const DiagramColumn& column : band) cells += column.has_signs ? 0 : column.cells;
  return cells;
}

RowsAbove above_results(const DiagramSizes& sizes, Band band, const StageSet& left_out) {
  RowsAbove above;
  for (const StageInfo& row : stages()) {
    if (!is_in(row, band, left_out)) continue;
    above.rows = std::max(above.rows, rows_above(sizes, row));
    above.has_bias = above.has_bias || (band == Band::project && row.rule == CellRule::projection);
  }
  return above;
}

bool is_shown(Band band, const StageSet& left_out) {
  return std::ranges::any_of(stages(), [&](const StageInfo& row) { return is_in(row, band, left_out); });
}

bool has_columns_of_tokens(Band band, const StageSet& left_out) {
  return std::ranges::any_of(
      stages(), [&](const StageInfo& row) { return is_in(row, band, left_out) && is_query_by_key(row.axes); });
}

}  // namespace attnscope
