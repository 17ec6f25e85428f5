#include "features/stages/panel/stage_sheet.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/results.h"
#include "core/source.h"
#include "core/text.h"
#include "features/predict/panel/covering.h"
#include "features/present/panel/presenting.h"
#include "features/shared/panel/panels.h"
#include "features/stages/panel/stage_view.h"
#include "ui/widgets.h"
#include "view/cells.h"
#include "view/number_words.h"

namespace attnscope {
namespace {

constexpr double sheet_text = 12.5;  // size of the text in a small room
constexpr double most_larger = 1.4;
constexpr double least_sheet_text = 11;
constexpr double name_share = 0.12;  // of the width that names take before they are cut
constexpr double least_names = 76;
constexpr double most_names = 120;
constexpr double most_number = 1.6;   // of the size of the text
constexpr double heading_ems = 1.25;  // of a sheet

// The texts of many row sums; of a sum that is not known yet one that takes as much room.
std::vector<std::string> texts_of_sums(const ViewContext& context, const StageView& view) {
  constexpr Index measured = 16;
  std::vector<std::string> texts;
  const Index step = std::max<Index>(1, view.rows / measured);
  for (Index row = 0; row < view.rows; row += step) {
    const float sum = row_sum(context, view, row);
    texts.push_back(format_fixed(std::isnan(sum) ? 1.0 : static_cast<double>(sum), context.now.view.decimals));
  }
  return texts;
}

// One of the extremes of all heads, which so have numbers of one size.
std::string widest_number(const ViewContext& context, const StageView& view) {
  if (!context.now.view.numbers) return {};
  const int decimals = info(view.stage).range == StageRange::boolean ? 0 : context.now.view.decimals;
  const StageSummary::Extremes& extremes = view.summary->overall;
  const std::string low = format_fixed(static_cast<double>(extremes.low), decimals);
  const std::string high = format_fixed(static_cast<double>(extremes.high), decimals);
  return low.size() > high.size() ? low : high;
}

scene::SheetMatrix matrix_of(const ViewContext& context, const StageView& view, SheetUse use) {
  const AttentionConfig& config = view.result->config;
  scene::SheetMatrix matrix = scene::sheet_matrix(coloured(context, view), shown_cell(context));
  if (use == SheetUse::heads && is_per_head(config, view.stage) && head_count(config) > 1) {
    matrix.heading = "Head " + std::to_string(view.head + 1) + (is_off(config, view.head) ? " (off)" : "");
    matrix.has_head_colour = true;
  }
  if (use == SheetUse::operand) matrix.heading = title_in(config, view.stage);
  if (sums_to_one(view.stage) && use != SheetUse::operand) matrix.widest_sums = texts_of_sums(context, view);
  matrix.widest_number = widest_number(context, view);
  return matrix;
}

std::string_view name_of_range(const ViewContext& context, const StageView& view) {
  const std::string_view measure = measure_name(range_of(context, view));
  if (!measure.empty()) return measure;
  const RangeMode mode = effective_range(view.result->config, view.stage, context.now.view.range);
  if (mode == RangeMode::own) return "this matrix";
  return mode == RangeMode::shared ? "all heads" : "";
}

void show_header_tooltip(const ViewContext& context, const StageView& view, std::string_view note) {
  if (context.now.view.transient.keys_lead) return;  // the pointer only rests there
  begin_tooltip(context);
  constexpr float share = 0.9f;  // of the window: formulas stay on one line where there is room
  ImGui::PushTextWrapPos(share * ImGui::GetIO().DisplaySize.x);
  push_font(context.fonts.heading);
  ImGui::TextUnformatted(std::string(info(view.stage).title).c_str());
  ImGui::PopFont();
  const StageWording words = wording(*view.result, view.stage);
  ImGui::TextUnformatted(words.formula.c_str());
  push_font(context.fonts.number);
  ImGui::TextUnformatted(words.pytorch.c_str());
  const AttentionConfig& config = context.now.result()->config;
  ImGui::TextUnformatted((shape_letters_in_class(config, view.stage) + " = " + format_shape(shape_of(view))).c_str());
  ImGui::PopFont();
  if (!note.empty()) ImGui::TextUnformatted((std::string("A point shows the ") + std::string(note) + ".").c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace

SheetRoom sheet_room(const ViewContext& context, ImVec2 min_screen, ImVec2 size) {
  return {min_screen, static_cast<double>(size.x / unit(context)), static_cast<double>(size.y / unit(context))};
}

scene::SheetPen screen_pen(const ViewContext& context, picture::Picture& picture, const picture::TextMeasure& measure,
                           double em, double least_text) {
  return {.picture = picture,
          .measure = measure,
          .theme = context.theme,
          .line = context.theme.inks.border,
          .em = em,
          .least_text = least_text,
          .thin = 1};
}

double text_size_in(const SheetRoom& room) {
  const double more = std::min(room.width / 900, room.height / 700);
  return sheet_text * std::clamp(std::pow(std::max(more, 0.01), 0.6), 1.0, most_larger);
}

StageSheet::StageSheet(const ViewContext& context, std::vector<std::optional<StageView>> views, SheetUse use,
                       const SheetRoom& room, double em)
    : context_(context),
      views_(std::move(views)),
      room_(room),
      scale_(static_cast<double>(unit(context))),
      em_(em),
      measure_(measure_in(context.fonts, unit(context))) {
  const StageView& first = like();
  for (std::size_t i = 0; i < views_.size(); ++i) {
    matrices_.push_back(matrix_of(context, views_[i] ? *views_[i] : first, use));
    if (!views_[i]) {
      matrices_.back().heading = "Head " + std::to_string(i + 1) + " follows.";
      matrices_.back().result = nullptr;
    }
    if (i > 0) matrices_.back().widest_sums.resize(std::min<std::size_t>(1, matrices_.back().widest_sums.size()));
  }
  style_.width = room.width;
  style_.height = room.height - 0.6 * em;  // the lowest number of a colour bar stands out by half a line
  const double larger = em / sheet_text;
  style_.most_names = std::clamp(name_share * room.width, least_names * larger, most_names * larger);
  style_.longest_names = style_.most_names;
  style_.smallest_name = 1;
  style_.lowest_name = std::min(1.0, std::max(0.78, least_sheet_text / em));
  style_.name_line = 1.08 * em;
  const double pixels = scale_ * static_cast<double>(ImGui::GetIO().DisplayFramebufferScale.x);
  style_.pixel = 1 / std::max(pixels, 0.01);
  style_.repeats_columns = true;
  style_.shares_bar = use != SheetUse::operand && (use == SheetUse::large || context.now.view.range != RangeMode::own);
  style_.is_marking_names = !is_parameter(info(first.stage).axes);
  style_.has_bar_numbers = !covers_any(context, first.stage);
  style_.sum_decimals = context.now.view.decimals;
  style_.range_name = style_.shares_bar ? name_of_range(context, first) : "";
  style_.numbers = {.width_share = 0.9, .height_share = 0.8, .least = least_sheet_text, .most = most_number * em};
  style_.cells = {.least = least_sheet_text,
                  .decimals = context.now.view.decimals,
                  .ground = context.theme.inks.card,
                  .names_hidden = false};
  style_.least_mark = style_.most_mark = 1;
}

const StageView& StageSheet::like() const {
  return **std::ranges::find_if(views_, [](const std::optional<StageView>& view) { return view.has_value(); });
}

ImVec2 StageSheet::at(double x, double y) const {
  return {std::round(room_.min_screen.x + static_cast<float>(x * scale_)),
          std::round(room_.min_screen.y + static_cast<float>(y * scale_))};
}

CellGrid StageSheet::grid_of(std::size_t matrix) const {
  const Box& box = sheet_.matrices[matrix].plot.box;
  return cell_grid(context_, *views_[matrix], at(box.x, box.y), at(box.right(), box.bottom()));
}

scene::SheetPen StageSheet::pen(picture::Picture& picture) const {
  return screen_pen(context_, picture, measure_, em_, least_sheet_text);
}

scene::SheetTexts StageSheet::texts() const {
  const StageView& first = like();
  const std::span<const std::string> names = row_names(context_, first);
  scene::SheetTexts texts;
  texts.row_names = names;
  texts.column_names = context_.now.labels;
  const bool has_tokens = !names.empty() || has_token_columns(first);
  texts.widest_name = has_tokens && !context_.now.labels.empty() ? context_.widest_label
                                                                 : std::to_string(std::max(first.rows, first.cols));
  texts.row_sum = [this](std::size_t matrix, Index row) -> std::optional<float> {
    const std::optional<StageView>& view = views_[matrix];
    if (!view || is_covered(context_, *view, row, 0)) return {};
    const float sum = row_sum(context_, *view, row);
    return std::isnan(sum) ? std::nullopt : std::optional(sum);
  };
  texts.show_part = [this](std::size_t matrix, scene::CellPlot& plot) {
    plot.window = cell_grid(context_, views_[matrix] ? *views_[matrix] : like(), {}, {1, 1}).window;
  };
  texts.is_covered = [this](std::size_t matrix, Index row, Index col) {
    return is_covered(context_, *views_[matrix], row, col);
  };
  return texts;
}

void StageSheet::leave_sums_out() {
  for (scene::SheetMatrix& matrix : matrices_) matrix.widest_sums.clear();
}

void StageSheet::leave_bar_out() {
  for (scene::SheetMatrix& matrix : matrices_) matrix.has_bar = false;
}

scene::CellSize StageSheet::fit(Index columns, Index lines, double top) const {
  picture::Picture unused;
  scene::SheetStyle style = style_;
  style.height -= top;
  return scene::fit_cells(pen(unused), style, texts(), matrices_.front(), columns, lines);
}

void StageSheet::place(Index columns, double top, std::optional<scene::CellSize> cell) {
  scene::SheetLines lines;
  for (std::size_t i = 0; i < matrices_.size(); ++i) {
    if (static_cast<Index>(i) % columns == 0) lines.emplace_back();
    lines.back().push_back(&matrices_[i]);
  }
  style_.top = top;
  picture_.items.clear();
  sheet_ = scene::put_sheet(pen(picture_), style_, texts(), lines, cell).value_or(scene::Sheet{});
}

void StageSheet::paint_alone() { paint_picture(context_, picture_, {room_.min_screen, unit(context_)}); }

std::string StageSheet::name_of(const StageView& view) const {
  std::string name = "stages/" + std::string(info(view.stage).id);
  if (views_.size() > 1) name += "/" + std::to_string(view.head);
  return name;
}

void StageSheet::draw(CallQueue& queue) {
  paint_alone();
  for (std::size_t i = 0; i < sheet_.matrices.size(); ++i) {
    if (!views_[i]) continue;
    const StageView& view = *views_[i];
    const scene::PlacedSheetMatrix& placed = sheet_.matrices[i];
    const CellGrid grid = grid_of(i);
    const std::string name = name_of(view);
    ImGui::PushID(name.c_str());
    if (!placed.matrix->widest_sums.empty()) {
      const Box& box = placed.plot.box;
      const ImVec2 right = at(placed.sums_right + 2, box.y - 1.7 * em_);
      if (i == 0) draw_question_of_sums(context_, queue, view.stage, name, right);
      handle_row_sums(context_, queue, view, name, grid,
                      static_cast<float>((placed.sums_right - box.right()) * scale_));
    }
    use_heatmap(context_, queue, view, name, grid);
    ImGui::PopID();
    if (!context_.widgets) continue;
    WidgetRegistry::Matrix& matrix = context_.widgets->matrices.back();
    if (!placed.matrix->heading.empty()) matrix.title = placed.matrix->heading;
    matrix.text_size = static_cast<float>(placed.number_size);
    matrix.card_min_screen = at(placed.card.x, placed.card.y);
    matrix.card_max_screen = at(placed.card.right(), placed.card.bottom());
  }
}

double draw_sheet_header(const ViewContext& context, CallQueue& queue, const StageView& view, const SheetRoom& room,
                         double em, bool has_code, std::string_view note) {
  const picture::TextMeasure measure = measure_in(context.fonts, unit(context));
  const ThemeInks& inks = context.theme.inks;
  picture::Picture picture;
  const scene::SheetPen pen = screen_pen(context, picture, measure, em, least_sheet_text);
  const double title_size = pen.size(heading_ems);
  const double line = picture::line_height * title_size;
  const double small = pen.size(1);
  const double small_top = picture::baseline * (title_size - small);
  const std::string title(title_in(view.result->config, view.stage));
  double x = pen.width(title, title_size, picture::Face::bold);
  pen.put(title, title_size, title_ink(context.theme, view.stage), 0, 0, 0, picture::Face::bold);
  const ReaderQuestion* const question = is_presenting(context) ? nullptr : question_at(view.stage);
  const double why = static_cast<double>(why_width(context) / unit(context));
  const ImVec2 why_screen{room.min_screen.x + static_cast<float>(x) * unit(context),
                          room.min_screen.y + static_cast<float>(small_top) * unit(context)};
  if (question && x + why <= room.width) x += why;
  x += em;
  double right = room.width;
  const std::string shape = format_shape(shape_of(view));
  const double shape_width = pen.width(shape, small);
  if (x + shape_width <= right) {
    pen.put(shape, small, inks.dim_text, right, small_top, 1);
    right -= shape_width + em;
  }
  const StageWording words = wording(*view.result, view.stage);
  const std::string products =
      has_code && !view.result->imported ? product_shapes(view.result->config, view.stage) : "";
  std::string second = note.empty() ? words.formula : std::string(note);
  if (note.empty() && !products.empty() && x + pen.width(second + "    " + products, small) <= right)
    second += "    " + products;
  if (x + pen.width(second, small) <= right) pen.put(second, small, inks.dim_text, x, small_top, 0);
  paint_picture(context, picture, {room.min_screen, unit(context)});
  double height = line;
  if (has_code) {
    const Letters letters{context.fonts.number, font_height(context.fonts.number), 0};
    const bool fits = text_size(letters.font, words.pytorch).x <= static_cast<float>(room.width) * unit(context);
    const ImVec2 pos{room.min_screen.x, room.min_screen.y + static_cast<float>(height) * unit(context)};
    if (fits) draw_text(letters.font, pos, {context.theme.inks.dim_text}, words.pytorch);
    height += static_cast<double>(letters.height / unit(context));
  }
  const ImVec2 end{room.min_screen.x + static_cast<float>(room.width) * unit(context),
                   room.min_screen.y + static_cast<float>(height) * unit(context)};
  const bool has_pointer = !context.now.view.transient.keys_lead && ImGui::IsWindowHovered();
  if (has_pointer && ImGui::IsMouseHoveringRect(room.min_screen, end)) show_header_tooltip(context, view, note);
  if (question) draw_why(context, queue, *question, info(view.stage).id, why_screen);
  return height + 0.5 * em;
}

namespace {

constexpr Index most_looked_at = 1024;
constexpr double legend_em = 12.5 / 0.9;  // names are as large as small text

bool shows_hidden(const StageView& view, const CellRect& rect) {
  const Visibility seen = visibility(*view.result, view.stage);
  bool is_any_hidden = false;
  for (Index row = rect.row; row < rect.row + rect.rows && !is_any_hidden; ++row)
    for_each_hidden(seen, row, rect.col, rect.col + rect.cols, [&](const KeyRange&) { is_any_hidden = true; });
  return is_any_hidden;
}

// Writes the legend in small text, from the beginning of a line on; returns its width.
float put_marks(const ViewContext& context, picture::Picture& picture) {
  if (!context.marks) return 0;
  const picture::TextMeasure measure = measure_in(context.fonts, unit(context));
  const scene::SheetPen pen = screen_pen(context, picture, measure, legend_em);
  const double width = scene::legend_width(pen, *context.marks);
  const double line = static_cast<double>(font_height(context.fonts.small_text) / unit(context));
  scene::put_legend(pen, *context.marks, context.theme.inks.dim_text, 0, width, (line - 1.15 * legend_em) / 2);
  return static_cast<float>(width) * unit(context);
}

}  // namespace

void note_marks(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  if (!context.marks) return;
  std::set<CellMark>& marks = *context.marks;
  const CellRect rect = grid.shown();  // what is masked or dropped is never shown transposed
  if (shows_hidden(view, rect)) marks.insert(CellMark::masked);
  const Visibility seen = visibility(*view.result, view.stage);
  const bool is_read = rect.rows * rect.cols <= most_looked_at;
  if (shows_dropped(*view.result, view.stage)) {
    const std::vector<float> factors = is_read ? read_shown(view, Stage::dropout_factors, rect) : std::vector<float>{0};
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const auto at = static_cast<Index>(i);
      const bool is_hidden = is_read && seen.hides(rect.row + at / rect.cols, rect.col + at % rect.cols);
      if (factors[i] == 0 && !is_hidden) marks.insert(CellMark::dropped);
    }
  }
  if (!is_read) return;
  for (const float value : read_shown(view, view.stage, rect)) {
    if (const std::optional<CellMark> mark = mark_of(value, false)) marks.insert(*mark);
  }
}

float mark_legend_width(const ViewContext& context) {
  picture::Picture unused;
  return put_marks(context, unused);
}

void draw_mark_legend(const ViewContext& context, ImVec2 pos_screen) {
  picture::Picture picture;
  put_marks(context, picture);
  paint_picture(context, picture, {pos_screen, unit(context)});
}

}  // namespace attnscope
