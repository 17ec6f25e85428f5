#include "look/diagram_layout.h"

#include <algorithm>
#include <cmath>

#include "core/visibility.h"
#include "look/diagram_columns.h"

namespace attnscope {
namespace {

constexpr Index numbered_tokens = 8;    // up to here cells are made large enough for numbers
constexpr float operand_share = 0.66F;  // height of an operand's row against one of a result
constexpr float least_matrix = 96;      // side of a matrix without numbers, in units of a line's height / 15
constexpr float widest_cell = 2.3F;     // against its height
constexpr float lanes = 4;              // below the results, in gaps: for the arrows into the next band
constexpr float tallest_cell = 1.0F;    // against its width
constexpr float roomy_cell = 1.1F;      // height against a line of text, where headers may take another one
constexpr float roomy_matrix = 6.6F;    // likewise of a whole one

struct CellSize {
  float width = 0;
  float height = 0;
  float operand_height = 0;
};

class Layouter {
public:
  Layouter(const AttentionConfig& config, const DiagramText& text, const AttentionConfig& largest,
           const StageSet& left_out)
      : config_(config),
        left_out_(left_out),
        tokens_(std::max(query_count(largest), key_count(largest))),
        text_(text),
        sizes_(sizes_of(largest)),
        columns_(columns_of(sizes_, text, left_out)) {}

  DiagramLayout run(float width, float height) {
    choose_cells(width, height);
    layout_.cell_height = cell_.height;
    layout_.row_sums = text_.row_sums;
    place_bands();
    layout_.left_out = left_out_;
    for (const DiagramMatrix& matrix : diagram_matrices(config_)) {
      if (!left_out_.contains(matrix.result)) layout_.matrices.push_back(placed(matrix));
    }
    return std::move(layout_);
  }

private:
  float sign_width() const { return has_numbers() ? text_.sign_width : 0; }
  bool has_numbers() const { return text_.number_width > 0 && tokens_ <= numbered_tokens; }

  float names_height() const {
    return (layout_.names_are_upright ? std::min(text_.widest_label, text_.longest_upright) : text_.line) + text_.gap;
  }

  float title_height() const { return text_.heading + text_.gap; }
  float header_height(bool is_named) const {
    return text_.heading + (is_named && layout_.headers_are_roomy ? 2 : 1) * text_.line + text_.gap;
  }
  float operand_header() const { return text_.line + text_.gap; }

  // Of a band, but for its cells.
  float fixed_height(Band band) const {
    if (!is_shown(band, left_out_)) return 0;
    const bool is_named = has_columns_of_tokens(band, left_out_);
    const float operands = above_results(sizes_, band, left_out_).rows > 0 ? operand_header() : 0;
    return title_height() + operands + header_height(is_named) + (is_named ? names_height() : 0) +
           (1 + lanes) * text_.gap;
  }

  void choose_cells(float width, float height) {
    choose_names(width, height);
    layout_.headers_are_roomy = true;
    fit_cells(width, height);
    const float matrix = sizes_.tokens * cell_.height;
    if (matrix >= roomy_matrix * text_.line && (!has_numbers() || cell_.height >= roomy_cell * text_.line)) return;
    layout_.headers_are_roomy = false;
    choose_names(width, height);
  }

  // Names that cells turn out to be too narrow for stand upright, which takes height.
  void choose_names(float width, float height) {
    layout_.names_are_upright = tokens_ > most_diagram_tokens;
    fit_cells(width, height);
    if (layout_.names_are_upright || text_.widest_label + 2 <= cell_.width - sign_width()) return;
    layout_.names_are_upright = true;
    fit_cells(width, height);
  }

  void fit_cells(float width, float height) {
    float across = width;
    for (const auto& band : columns_) {
      if (cell_count(band) == 0) continue;
      const float room = width - fixed_width(band) + cells_without_sign(band) * sign_width();
      across = std::min(across, room / cell_count(band));
    }
    const float least_side = least_matrix * text_.line / 15 / sizes_.tokens;
    const float least_width = has_numbers() ? text_.number_width : least_side;
    cell_.width = std::max(across, least_width);
    float fixed = 0;
    float rows = 0;
    for (const Band band : {Band::project, Band::compare, Band::mix}) {
      if (!is_shown(band, left_out_)) continue;
      const RowsAbove above = above_results(sizes_, band, left_out_);
      fixed += fixed_height(band);
      rows += sizes_.tokens + operand_share * (above.rows + (above.has_bias ? 1.0F : 0.0F));
    }
    const float least_height = has_numbers() ? text_.number_height + 2 : least_side;
    cell_.height = std::max((height - fixed) / rows, least_height);
    cell_.width = std::max(std::min(cell_.width, widest_cell * cell_.height), least_width);
    cell_.height = std::max(std::min(cell_.height, tallest_cell * cell_.width), least_height);
    cell_.operand_height = std::max(operand_share * cell_.height, has_numbers() ? text_.number_height : 0);
    if (has_numbers()) {  // whole units, so that cells look alike
      cell_ = {std::floor(cell_.width), std::floor(cell_.height), std::floor(cell_.operand_height)};
    }
  }

  void place_bands() {
    for (const Band band : {Band::project, Band::compare, Band::mix}) {
      const RowsAbove above = above_results(sizes_, band, left_out_);
      const float operands = cell_.operand_height * (above.rows + (above.has_bias ? 1.0F : 0.0F));
      const float tokens = is_shown(band, left_out_) ? sizes_.tokens : 0;
      const float height = fixed_height(band) + operands + tokens * cell_.height;
      layout_.bands.push_back({band, layout_.height, height});
      layout_.height += height;
      const auto& columns = columns_[static_cast<std::size_t>(band)];
      layout_.width =
          std::max(layout_.width, left_of(band, columns.size() - 1) + across(columns.back()) + columns.back().after);
    }
  }

  float cell_width(const DiagramColumn& column) const { return cell_.width - (column.has_signs ? 0 : sign_width()); }
  float across(const DiagramColumn& column) const { return column.cells * cell_width(column); }

  const DiagramColumn& column_of(Stage result) const {
    const StagePlace& place = info(result).place;
    return columns_[static_cast<std::size_t>(place.band)][static_cast<std::size_t>(place.column)];
  }

  float left_of(Band band, std::size_t place) const {
    const auto& columns = columns_[static_cast<std::size_t>(band)];
    float x = 0;
    for (std::size_t i = 0; i < place; ++i) x += columns[i].before + across(columns[i]) + columns[i].after;
    return x + columns[place].before;
  }

  // Top of the results' cells.
  float results_top(Band band) const {
    const PlacedBand& placed = layout_.bands[static_cast<std::size_t>(band)];
    return placed.y + placed.height - lanes * text_.gap - sizes_.tokens * cell_.height;
  }

  bool is_named(Stage result) const { return is_query_by_key(info(result).axes); }

  // Where the operands of a result end: above its header, and its columns' names.
  float operands_bottom(Stage result) const {
    const Band band = info(result).place.band;
    return results_top(band) - header_height(is_named(result)) - (is_named(result) ? names_height() : 0) - text_.gap;
  }

  // The matrix of the configuration in its place: cells as large as all others, or smaller where they are more.
  DiagramBox cells_in(const DiagramMatrix& matrix, const DiagramBox& slot, float cell_height) const {
    if (!matrix.is_present) {  // whose rows would be queries
      const float height = static_cast<float>(query_count(config_)) * cell_height;
      return {slot.x, slot.y, slot.width, std::min(slot.height, height)};
    }
    const std::vector<Index> shape = stage_shape(config_, matrix.stage);
    Index rows = shape[shape.size() - 2];
    Index cols = shape.back();
    if (matrix.is_transposed) std::swap(rows, cols);
    if (matrix.shows_all_heads) cols *= head_count(config_);
    DiagramBox box = slot;
    const float width = matrix.role == DiagramRole::left ? cell_.width : cell_width(column_of(matrix.result));
    box.width = std::min(slot.width, static_cast<float>(cols) * width);
    box.height = std::min(slot.height, static_cast<float>(rows) * cell_height);
    const bool has_token_rows = !matrix.is_transposed && !is_parameter(info(matrix.stage).axes);
    box.y = has_token_rows ? slot.y : slot.bottom() - box.height;
    return box;
  }

  float operand_rows(const DiagramMatrix& matrix) const {
    if (matrix.stage == Stage::mask || matrix.stage == Stage::dropout_factors) return sizes_.tokens;
    if (info(matrix.result).rule == CellRule::query_times_key) return sizes_.features;
    if (info(matrix.result).rule == CellRule::weighted_sum) return sizes_.tokens;
    return info(matrix.result).place.band == Band::project ? sizes_.inputs : sizes_.features;
  }

  DiagramBox slot_of(const DiagramMatrix& matrix) const {
    const StagePlace& place = info(matrix.result).place;
    const auto column = static_cast<std::size_t>(place.column);
    const auto& columns = columns_[static_cast<std::size_t>(place.band)];
    const float left = left_of(place.band, column);
    const float width = across(columns[column]);
    const float top = results_top(place.band);
    const float tokens = sizes_.tokens * cell_.height;
    if (matrix.role == DiagramRole::left)
      return {left_of(place.band, column - 1), top, columns[column - 1].cells * cell_.width, tokens};
    if (matrix.role == DiagramRole::result && !place.is_above) return {left, top, width, tokens};
    const bool is_linear = info(matrix.result).rule == CellRule::projection;
    const float bias = is_linear ? cell_.operand_height : 0;
    const float bottom = operands_bottom(matrix.result);
    if (matrix.role == DiagramRole::bias) return {left, bottom - bias, width, bias};
    const float rows = place.is_above ? sizes_.tokens : operand_rows(matrix);
    const float height = rows * cell_.operand_height;
    return {left, bottom - bias - (is_linear ? 2 : 0) - height, width, height};
  }

  // Whether it stands in the first column of its band that is shown, among the results.
  bool begins_band(const DiagramMatrix& matrix, bool is_high) const {
    if (is_high) return false;
    const StagePlace& place = info(matrix.result).place;
    const int column = place.column - (matrix.role == DiagramRole::left ? 1 : 0);
    return first_column(columns_[static_cast<std::size_t>(place.band)]) == static_cast<std::size_t>(column);
  }

  PlacedMatrix placed(const DiagramMatrix& matrix) const {
    const bool is_operand = matrix.role == DiagramRole::above || matrix.role == DiagramRole::bias;
    const bool is_high = is_operand || info(matrix.result).place.is_above;
    PlacedMatrix placed{.matrix = matrix, .slot = slot_of(matrix), .cells = {}, .header = {}};
    placed.cells = cells_in(matrix, placed.slot, is_high ? cell_.operand_height : cell_.height);
    placed.begins_band = begins_band(matrix, is_high);
    placed.has_names = matrix.role == DiagramRole::result && !is_high && is_named(matrix.stage);
    const float names = placed.has_names ? names_height() : 0;
    const float header = matrix.role == DiagramRole::bias ? 0
                         : is_high                        ? operand_header()
                                                          : header_height(placed.has_names);
    placed.header = {placed.slot.x, placed.cells.y - names - header, placed.slot.width + 2 * text_.gap, header};
    return placed;
  }

  const AttentionConfig& config_;
  StageSet left_out_;
  Index tokens_ = 0;
  const DiagramText& text_;
  DiagramSizes sizes_;
  DiagramColumns columns_;
  CellSize cell_;
  DiagramLayout layout_;
};

}  // namespace

const PlacedMatrix* DiagramLayout::result(Stage stage) const {
  const auto found = std::ranges::find_if(matrices, [&](const PlacedMatrix& each) {
    return each.matrix.stage == stage && each.matrix.role == DiagramRole::result;
  });
  return found == matrices.end() ? nullptr : &*found;
}

DiagramLayout layout_diagram(const AttentionConfig& config, const DiagramText& text, float width, float height) {
  return Layouter(config, text, config, {}).run(width, height);
}

DiagramLayout layout_diagram(const AttentionConfig& config, const DiagramText& text, float width, float height,
                             const AttentionConfig& largest, const StageSet& left_out) {
  return Layouter(config, text, largest, left_out).run(width, height);
}

}  // namespace attnscope
