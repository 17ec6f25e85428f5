// What an audience sees of a diagram when a stage comes: a part of it, enlarged.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "view/diagram_draft.h"

namespace attnscope::scene {
namespace {

constexpr std::array<double, 8> growths = {1, 1.1, 1.2, 1.3, 1.45, 1.6, 1.8, 2.1};
constexpr double most_enlarged = 3;
constexpr double air = 10;       // around what is shown, in units of the layout
constexpr double name_air = 10;  // right of the names of rows

void include(std::optional<Box>& all, const Box& box) { all = all ? united(*all, box) : box; }

bool is_row_name(const PlacedText& text) { return text.query >= 0; }

// Returns the box of a stage's own matrix with its title; with everything that comes with it if `whole`.
std::optional<Box> box_of_stage(const DiagramLayout& layout, Stage stage, bool whole) {
  std::optional<Box> box;
  for (const PlacedMatrix& matrix : layout.matrices) {
    const bool is_own = matrix.stage == stage && matrix.role == PlacedRole::result;
    if (matrix.is_second || !(is_own || (whole && matrix.result == stage))) continue;
    include(box, matrix.box);
    if (matrix.sums > 0)
      include(box, {matrix.sums_x, matrix.box.y - 1.5 * matrix.sums, 3 * matrix.sums, matrix.box.height});
  }
  if (!box) return box;
  for (const PlacedText& text : layout.texts) {
    const std::optional<Stage> of = text.result ? text.result : text.stage;
    const bool is_title = text.stage == stage && text.arrow < 0;
    if (of != stage || is_row_name(text) || text.arrow >= 0 || !(whole || is_title)) continue;
    // Words that are wider, such as the heading of a line, make nothing wider.
    include(box, is_title ? text.box : Box{box->x, text.box.y, 0, text.box.height});
  }
  if (!whole) return box;
  for (const PlacedFrame& frame : layout.frames)
    if (frame.result == stage && frame.is_main) include(box, frame.box);
  for (const PlacedBar& bar : layout.bars)
    if (bar.stage == stage) include(box, bar.box);
  return box;
}

// Returns the stages that a stage is computed from, past those that the diagram does not have.
std::vector<Stage> drawn_operands(const DiagramLayout& layout, const AttentionConfig& config, Stage stage) {
  std::vector<Stage> operands;
  for (Stage from : predecessors(config, stage)) {
    while (!box_of_stage(layout, from, false) && predecessors(config, from).size() > 0)
      from = predecessors(config, from)[0];
    operands.push_back(from);
  }
  return operands;
}

// Counts the matrices that have no numbers, those that stand small between others, and those without a place.
std::ptrdiff_t count_bare(const DiagramLayout& layout) {
  return (layout.is_merged ? 2 : 0) + std::ranges::count_if(layout.matrices, [](const PlacedMatrix& matrix) {
           return !matrix.is_pattern && (matrix.text == 0 || matrix.is_thumb);
         });
}

// Counts the stages that a screen would have to shrink.
std::ptrdiff_t count_too_large(const DiagramLayout& layout, const Box& screen) {
  return std::ranges::count_if(layout.matrices, [&](const PlacedMatrix& matrix) {
    if (matrix.role != PlacedRole::result) return false;
    const Box box = *box_of_stage(layout, matrix.stage, true);
    return box.width + 2 * air > screen.width || box.height + 2 * air > screen.height;
  });
}

// Returns whether a box lies in another one, but for the rounding of places.
bool lies_in(const Box& inner, const Box& outer) {
  constexpr double rounding = 0.5;
  return inner.x >= outer.x - rounding && inner.right() <= outer.right() + rounding && inner.y >= outer.y - rounding &&
         inner.bottom() <= outer.bottom() + rounding;
}

// Returns the texts that name the rows of a stage: the nearest, each token once.
std::vector<const PlacedText*> names_of_rows(const DiagramLayout& layout, Stage stage) {
  std::vector<const PlacedText*> names;
  const auto matrix = std::ranges::find_if(layout.matrices, [&](const PlacedMatrix& each) {
    return each.stage == stage && each.role == PlacedRole::result && !each.is_second;
  });
  if (matrix == layout.matrices.end()) return names;
  for (const PlacedText& text : layout.texts) {
    const double middle = text.box.y + text.box.height / 2;
    const bool is_beside = middle > matrix->box.y && middle < matrix->box.bottom() && text.box.x < matrix->box.x;
    if (!is_row_name(text) || !is_beside) continue;
    const auto same = std::ranges::find(names, text.query, &PlacedText::query);
    if (same == names.end()) {
      names.push_back(&text);
    } else if ((*same)->box.x < text.box.x) {
      *same = &text;
    }
  }
  return names;
}

// Leaves out the arrows, with their signs, that lead neither to a stage nor from one matrix to another.
void leave_out_arrows(DiagramLayout& layout, Stage stage) {
  constexpr int left_out = -2;
  const auto is_seen = [&](std::optional<Stage> end) {
    return end && std::ranges::find(layout.matrices, *end, &PlacedMatrix::result) != layout.matrices.end();
  };
  std::vector<PlacedArrow> kept;
  std::vector<int> places;  // of each arrow among those that are kept
  for (PlacedArrow& arrow : layout.arrows) {
    const bool remains = arrow.to == stage || (is_seen(arrow.from) && is_seen(arrow.to));
    places.push_back(remains ? static_cast<int>(kept.size()) : left_out);
    if (remains) kept.push_back(std::move(arrow));
  }
  layout.arrows = std::move(kept);
  for (PlacedText& text : layout.texts)
    if (text.arrow >= 0) text.arrow = places[static_cast<std::size_t>(text.arrow)];
  std::erase_if(layout.texts, [](const PlacedText& text) { return text.arrow == left_out; });
}

}  // namespace

// A canvas that is wider and higher than the screen may have room for more numbers, and rows that are too high for it.
std::optional<DiagramLayout> layout_grown(const DiagramShape& shape, const DiagramCanvas& screen,
                                          const TextMeasure& measure) {
  std::optional<DiagramLayout> best;
  auto least = std::pair(std::numeric_limits<std::ptrdiff_t>::max(), std::ptrdiff_t{0});
  for (const double growth : growths) {
    for (const double height : {growth, (1 + 3 * growth) / 4, (1 + growth) / 2}) {
      DiagramCanvas canvas = screen;
      canvas.may_grow = false;
      canvas.box.width *= growth;
      canvas.box.height *= height;
      std::optional<DiagramLayout> layout = layout_wrapped(shape, canvas, measure, usual_wraps);
      if (!layout) continue;
      const auto lost = std::pair(count_too_large(*layout, screen.box), count_bare(*layout));
      if (best && lost >= least) continue;
      least = lost;
      best = std::move(layout);
      if (least.first + least.second == 0) return best;
    }
  }
  return best;
}

StageFrame frame_of_stage(const DiagramLayout& layout, const AttentionConfig& config, Stage stage, double width,
                          double height) {
  StageFrame frame;
  std::optional<Box> own = box_of_stage(layout, stage, true);
  if (!own) own = box_of_stage(layout, Stage::context, true);  // which has that of a head, too
  if (!own) own = layout.main_matrix()->box;
  const std::vector<const PlacedText*> names = names_of_rows(layout, stage);
  for (const PlacedText* const name : names) frame.names = std::max(frame.names, name->box.width + 2 * name_air);
  const auto fits = [&](const Box& box, double beside) {
    return box.width + beside + 2 * air <= width && box.height + 2 * air <= height;
  };
  Box shown = *own;
  for (const Stage operand : drawn_operands(layout, config, stage)) {
    const bool stands_beside = std::ranges::any_of(layout.matrices, [&](const PlacedMatrix& matrix) {
      return matrix.stage == operand && matrix.result == stage && matrix.role != PlacedRole::result;
    });
    if (stands_beside) continue;
    const std::optional<Box> box = box_of_stage(layout, operand, false);
    if (!box) continue;
    if (fits(united(shown, *box), frame.names)) shown = united(shown, *box);
  }
  Box named = shown;
  for (const PlacedText* const name : names) named = united(named, name->box);
  // Names that stand far from what is shown would make it small.
  if (fits(named, 0) && named.width <= shown.width + 1.5 * frame.names) {
    shown = named;
    frame.names = 0;
  }
  double enlarged =
      std::min({width / (shown.width + frame.names + 2 * air), height / (shown.height + 2 * air), most_enlarged});
  enlarged = std::max(enlarged, 1.0);
  frame.box = {0, 0, width / enlarged, height / enlarged};
  frame.box.x = shown.middle_x() - frame.names / 2 - frame.box.width / 2;
  frame.box.y = shown.middle_y() - frame.box.height / 2;
  frame.goal = frame.box;
  return frame;
}

DiagramLayout layout_in_frame(DiagramLayout layout, const StageFrame& frame, Stage stage) {
  Box clear = frame.goal;  // of the names at its left edge
  clear.x += frame.names;
  clear.width -= frame.names;
  const auto is_cut = [&](const PlacedMatrix& matrix) { return !lies_in(matrix.box, clear); };
  std::erase_if(layout.texts, [&](const PlacedText& text) {
    const std::optional<Stage> of = text.stage ? text.stage : text.result;
    if (!of || text.arrow >= 0 || is_row_name(text)) return false;
    return std::ranges::any_of(layout.matrices, [&](const PlacedMatrix& matrix) {
      return matrix.stage == of && (!text.result || matrix.result == text.result) && is_cut(matrix);
    });
  });
  for (PlacedFrame& around : layout.frames) {
    std::optional<Box> kept;
    for (const PlacedMatrix& matrix : layout.matrices)
      if (lies_in(matrix.box, around.box) && !is_cut(matrix)) include(kept, matrix.box);
    if (!kept) {
      around.box.width = 0;
    } else if (!around.is_main) {
      const double margin = 9 * layout.unit;
      around.box.x = kept->x - margin;
      around.box.width = kept->width + 2 * margin;
    }
  }
  std::erase_if(layout.frames, [](const PlacedFrame& around) { return around.box.width == 0; });
  std::erase_if(layout.bars, [&](const PlacedBar& bar) { return !lies_in(bar.box, frame.goal); });
  std::erase_if(layout.pills, [&](const PlacedText& pill) { return !lies_in(pill.box, frame.goal); });
  std::erase_if(layout.matrices, is_cut);
  leave_out_arrows(layout, stage);
  std::erase_if(layout.texts, [&](const PlacedText& name) {
    return is_row_name(name) && std::ranges::none_of(layout.matrices, [&](const PlacedMatrix& matrix) {
             return name.box.middle_y() > matrix.box.y && name.box.middle_y() < matrix.box.bottom();
           });
  });
  return layout;
}

picture::Picture picture_in_frame(picture::Picture picture, const DiagramLayout& layout, const StageFrame& frame,
                                  Stage stage, const DiagramData& data) {
  std::optional<Box> pane;
  std::vector<picture::Word> names;
  if (frame.names > 0) {
    for (const PlacedText* const name : names_of_rows(layout, stage)) {
      const bool is_marked = data.marked && name->query == marked_lines(data.result->config, *data.marked, stage).row;
      picture::Word moved = *name;
      moved.x = frame.box.x + frame.names - name_air;
      moved.anchor = 1;
      moved.ink = {is_marked ? data.theme->inks.cross_hair : data.theme->inks.text};
      if (is_marked) moved.face = Face::bold;
      if (!lies_in(picture::box_of(moved, data.measure), frame.box)) continue;
      const Box line{frame.box.x, name->box.y - name_air / 2, frame.names, name->box.height + name_air};
      pane = pane ? united(*pane, line) : line;
      names.push_back(std::move(moved));
    }
  }
  std::erase_if(picture.items, [&](const picture::Item& item) {
    const auto* const word = std::get_if<picture::Word>(&item);
    if (!word) return false;
    const Box box = picture::box_of(*word, data.measure);
    return !lies_in(box, frame.box) || (pane && overlap(*pane, box));
  });
  if (pane) picture.add(picture::Fill{*pane, {data.ground.value_or(data.theme->inks.window)}});
  for (picture::Word& name : names) picture.add(std::move(name));
  return picture;
}

}  // namespace attnscope::scene
