#include "features/predict/panel/covering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/evaluate.h"
#include "features/predict/prediction_controller.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "features/stages/panel/stage_view.h"
#include "ui/imgui_compat.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float smallest_dotted = 7;  // side of a cell that has a dot
constexpr float dot_size = 1.4F;
constexpr Index most_dots = 4096;

bool covers(const ViewContext& context) { return !covers_of(context.now).empty() && context.now.result(); }

// Returns whether one of the covers does something.
template <typename Test>
bool any_cover(const ViewContext& context, const Test& test) {
  return covers(context) && std::ranges::any_of(covers_of(context.now), [&](const Cover& cover) {
           return test(cover, context.now.result()->config);
         });
}

void draw_cover_dots(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  const float side = grid.cell_side();
  const Index count = (grid.end_row() - grid.first_row()) * (grid.end_col() - grid.first_col());
  if (side < smallest_dotted * unit(context) || count > most_dots) return;
  for (Index row = grid.first_row(); row < grid.end_row(); ++row) {
    for (Index col = grid.first_col(); col < grid.end_col(); ++col) {
      if (!is_covered(context, view, row, col)) continue;
      const Box cell = grid.cell(row, col);
      const ImVec2 middle{static_cast<float>(cell.middle_x()), static_cast<float>(cell.middle_y())};
      fill_circle(middle, dot_size * unit(context), {context.theme.inks.dim_text, 0.55});
    }
  }
}

// From one row of the stage to another, as they are shown.
void fill_cover(const ViewContext& context, const StageView& view, const CellGrid& grid, Index first, Index end) {
  ImVec2 low = grid.min_screen();
  ImVec2 high = grid.max_screen();
  if (view.is_transposed) {
    low.x = std::max(low.x, std::floor(grid.corner(0, first).x));
    high.x = std::min(high.x, std::ceil(grid.corner(0, end).x));
  } else {
    low.y = std::max(low.y, std::floor(grid.corner(first, 0).y));
    high.y = std::min(high.y, std::ceil(grid.corner(end, 0).y));
  }
  fill_box(low, high, {context.theme.inks.panel});
  fill_box(low, high, {context.theme.inks.chosen});
}

}  // namespace

bool is_covered(const ViewContext& context, const Source& source) {
  return any_cover(context,
                   [&](const Cover& cover, const AttentionConfig& config) { return cover.hides(config, source); });
}

bool is_covered(const ViewContext& context, const StageView& view, Index row, Index col) {
  return covers(context) && is_covered(context, source_at(view, row, col));
}

bool covers_any(const ViewContext& context, Stage stage) {
  return any_cover(context,
                   [&](const Cover& cover, const AttentionConfig& config) { return cover.hides_any(config, stage); });
}

std::vector<Index> covered_rows(const ViewContext& context, const StageView& view) {
  std::vector<Index> covered;
  if (!covers_any(context, view.stage)) return covered;
  for (Index row = 0; row < (view.is_transposed ? view.cols : view.rows); ++row) {
    if (is_covered(context, {.stage = view.stage, .row = row})) covered.push_back(row);
  }
  return covered;
}

void draw_cover(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  if (!covers_any(context, view.stage)) return;
  const Index first = view.is_transposed ? grid.first_col() : grid.first_row();
  const Index end = view.is_transposed ? grid.end_col() : grid.end_row();
  const auto hides = [&](Index row) {
    return view.is_transposed ? is_covered(context, view, 0, row) : is_covered(context, view, row, 0);
  };
  for (Index row = first; row < end; ++row) {
    if (!hides(row)) continue;
    Index last = row + 1;
    while (last < end && hides(last)) ++last;
    fill_cover(context, view, grid, row, last);
    row = last;
  }
  draw_cover_dots(context, view, grid);
}

std::vector<DerivationLine> without_covered(const ViewContext& context, std::vector<DerivationLine> lines) {
  if (!covers(context)) return lines;
  const auto names_covered = [&](const std::optional<Source>& source) {
    return source && is_covered(context, *source);
  };
  std::vector<DerivationLine> shown;
  int below = -1;  // the depth of a line that is covered, with what was opened below it
  for (DerivationLine& line : lines) {
    if (below >= 0 && line.depth > below) continue;
    below = -1;
    if (names_covered(line.line.source) || names_covered(line.line.second)) {
      below = line.depth;
      line.line = {.text = "covered", .is_words = true};
      line.can_open = line.is_open = line.is_heading = false;
    }
    const bool repeats = below >= 0 && !shown.empty() && shown.back().line.text == "covered";
    if (!repeats) shown.push_back(std::move(line));
  }
  return shown;
}

namespace {

constexpr struct {
  Question::Kind kind;
  const char* name;
  const char* label;
  const char* help;
} asking_kinds[] = {{Question::Kind::cell, "predict/largest", "Largest", "Click the cell of a row that is the largest"},
                    {Question::Kind::sketch, "predict/sketch", "Sketch", "Drag the bars of a row"},
                    {Question::Kind::number, "predict/value", "Value", "Type the number of the pinned cell"}};

// Returns the stage and the row that keys and menus cover: the stage that is shown alone, else that of the pinned
// number where the diagram has it, else the weights.
Source place_to_cover(const ViewContext& context) {
  const AttentionConfig& config = context.now.document.config;
  const std::optional<Source>& pinned = context.now.view.pinned;
  Source place{.stage = acting_weights_stage(config), .row = 1};
  if (context.now.view.mode.shows_one_stage) {
    place.stage = context.now.view.stage;
  } else if (pinned && acts_in(config, pinned->stage) && obstacle_to_covering(config, pinned->stage).empty()) {
    place.stage = pinned->stage;
  }
  if (pinned && !is_parameter(info(pinned->stage).axes)) place.row = std::min(pinned->row, query_count(config) - 1);
  return place;
}

std::string predicted_row_name(const ViewContext& context, const Source& cell) {
  const std::span<const std::string> names = row_tokens(context, cell.stage);
  return cell.row < std::ssize(names) ? fmt::format("“{}”", names[static_cast<std::size_t>(cell.row)])
                                      : std::to_string(cell.row + 1);
}

void draw_prediction_heading(const ViewContext& context, CallQueue& queue) {
  section_heading(context, "Predict");
  same_line_at_right(button_width("Uncover"));
  const char* const help =
      context.now.prediction.is_done() ? "Show it all (P)" : "Uncovers everything (P); counts as revealed";
  if (push_button(context, "predict/uncover", "Uncover", {}, help))
    queue.push([](const Controllers& to) { to.predictions.uncover(); });
}

void draw_kinds(const ViewContext& context, CallQueue& queue) {
  push_font(context.fonts.small_text);
  for (const auto& [kind, name, label, help] : asking_kinds) {
    if (kind != asking_kinds[0].kind) ImGui::SameLine(0, 1 * unit(context));
    if (choice_button(context, name, label, context.now.prediction.kind == kind, help))
      queue.push([asked = kind](const Controllers& to) { to.predictions.choose_kind(asked); });
  }
  ImGui::PopFont();
}

void draw_next(const ViewContext& context, CallQueue& queue) {
  if (!context.now.prediction.is_done()) return;
  if (push_button(context, "predict/next", "Next row", {}, "Covers the next row; after the last one, the whole matrix"))
    queue.push([](const Controllers& to) { to.predictions.ask_next(); });
}

void draw_score(const ViewContext& context) {
  const PredictionScore& score = context.now.prediction.score;
  if (score == PredictionScore{}) return;
  dim_text(context, score_words(score));
  register_item(context, "predict/score");
}

}  // namespace

void draw_prediction(const ViewContext& context, CallQueue& queue) {
  const PredictionShown& shown = context.now.prediction;
  if (!shown.cover) return;
  draw_prediction_heading(context, queue);
  draw_kinds(context, queue);
  if (!shown.obstacle.empty()) {
    dim_text(context, shown.obstacle);
    register_item(context, "predict/obstacle");
  } else if (shown.numbers) {
    draw_asked_question(context, queue, {"predict", false, shown.question, shown, shown.record, shown.is_done()});
  } else {
    dim_text(context, "Being computed.");
  }
  draw_next(context, queue);
  draw_score(context);
  ImGui::Dummy({0, 2 * unit(context)});
  ImGui::Separator();
  ImGui::Dummy({0, 2 * unit(context)});
}

bool is_predicting(const ViewContext& context) { return context.now.prediction.cover.has_value(); }

void toggle_cover(const ViewContext& context, CallQueue& queue) {
  if (is_predicting(context)) return queue.push([](const Controllers& to) { to.predictions.uncover(); });
  queue.push([stage = place_to_cover(context).stage](const Controllers& to) { to.predictions.cover(stage); });
}

void cover_row(const ViewContext& context, CallQueue& queue) {
  queue.push(
      [place = place_to_cover(context)](const Controllers& to) { to.predictions.cover(place.stage, place.row); });
}

std::string obstacle_to_cover(const ViewContext& context) {
  if (is_predicting(context)) return "";
  if (context.now.viewing) return std::string(viewing_reason(context));
  if (context.now.lesson.lesson) return "A lesson asks its own questions: close it first.";
  return obstacle_to_covering(context.now.document.config, place_to_cover(context).stage);
}

std::string obstacle_to_cover_row(const ViewContext& context) {
  return is_predicting(context) ? "A stage is already covered: uncover it first (P)." : obstacle_to_cover(context);
}

std::string label_of_cover(const ViewContext& context) {
  if (is_predicting(context)) return fmt::format("Uncover {}", info(context.now.prediction.cover->stage).title);
  return fmt::format("Predict: cover {}", info(place_to_cover(context).stage).title);
}

std::string label_of_cover_row(const ViewContext& context) {
  const Source place = place_to_cover(context);
  return fmt::format("Predict: cover row {} of {}", predicted_row_name(context, place), info(place.stage).title);
}

}  // namespace attnscope
