#include "features/stages/panel/diagram_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <string_view>

#include "core/parameters.h"
#include "core/results.h"
#include "document/builtin.h"
#include "document/compare.h"
#include "features/present/panel/presenting.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "features/stages/panel/stage_view.h"
#include "ui/imgui_input.h"
#include "ui/view_context.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

const std::shared_ptr<const Result>& drawn_result(const ViewContext& context) {
  return context.pictured ? context.pictured->result : context.now.evaluation.result;
}

// The names of as many keys as the result has, which may lag behind the document.
std::vector<std::string> key_names(const ViewContext& context) {
  std::vector<std::string> names;
  const Index count = key_count(context.now.result()->config);
  for (Index key = 0; key < count; ++key) names.push_back(row_label(context, key));
  return names;
}

std::vector<std::string> query_names(const ViewContext& context) {
  const AttentionConfig& config = context.now.result()->config;
  const bool has_own_names = begins_with_heads(config) && context.now.document.query_tokens.size() > 0;
  if (!has_own_names && query_count(config) == key_count(config)) return {};
  std::vector<std::string> names;
  for (Index query = 0; query < query_count(config); ++query) {
    const auto at = static_cast<std::size_t>(query);
    names.push_back(has_own_names && at < context.now.query_labels.size() ? context.now.query_labels[at]
                                                                          : std::to_string(query + 1));
  }
  return names;
}

scene::DiagramShape shape_of(const ViewContext& context) {
  const Index heads = head_count(context.now.result()->config);
  return scene::diagram_shape(*drawn_result(context), key_names(context), query_names(context),
                              {.head = std::min(context.now.view.head, heads - 1),
                               .decimals = context.now.view.decimals,
                               .left_out = unpresented_stages(context)});
}

constexpr float line_width = 2;
constexpr double fading = 0.88;  // with each step
constexpr double faintest = 0.55;

void draw_frame(const ViewContext& context, const Reached& reached, Rgb colour, const StageView& view,
                const CellGrid& grid) {
  CellRect rect = reached.rect;
  if (view.is_transposed) rect = {rect.col, rect.row, rect.cols, rect.rows};
  // Frames lie on the edges of their cells, half of them outside, so that digits keep clear of them.
  const ImVec2 low = grid.corner(rect.row, rect.col);
  const ImVec2 high = grid.corner(rect.row + rect.rows, rect.col + rect.cols);
  const double alpha = std::max(faintest, std::pow(fading, static_cast<double>(reached.distance - 1)));
  outline_box(low, {std::max(high.x, low.x + 1), std::max(high.y, low.y + 1)}, {colour, alpha},
              line_width * unit(context));
}

// Around the number that the pointer rests on in an explanation, or around its row.
void draw_term(const ViewContext& context, const Source& term, const StageView& view, const CellGrid& grid) {
  const bool is_head = !is_per_head(view.result->config, term.stage) || term.head == view.head;
  if (term.stage != view.stage || !is_head) return;
  const bool is_cell = term.kind == SourceKind::cell || term.kind == SourceKind::draw;
  const CellRect row = {term.row, 0, 1, view.is_transposed ? view.rows : view.cols};
  draw_frame(context, {term.stage, term.head, is_cell ? CellRect{term.row, term.col, 1, 1} : row, 1},
             context.theme.inks.cross_hair, view, grid);
}

void draw_frames(const ViewContext& context, const std::vector<Reached>& all, Rgb colour, const StageView& view,
                 const CellGrid& grid) {
  const Index head = is_per_head(view.result->config, view.stage) ? view.head : 0;
  for (const Reached& reached : all) {
    if (reached.stage == view.stage && reached.head == head) draw_frame(context, reached, colour, view, grid);
  }
}

}  // namespace

const scene::DiagramLayout* DiagramLayouts::of(const ViewContext& context, const scene::DiagramCanvas& canvas,
                                               float scale) {
  Key key{drawn_result(context),
          nullptr,
          key_names(context),
          query_names(context),
          context.now.view.head,
          context.now.view.decimals,
          unpresented_stages(context),
          canvas,
          scale,
          context.fonts.smaller.small_text};
  if (key_ == key) return current();
  // While the pointer paints cells nothing moves away from under it, whatever stages come or go.
  const bool is_held = context.now.view.transient.drag && layout_ && key_ && !key_->second && key_->canvas == canvas;
  if (is_held) return current();
  scene::DiagramShape shape = shape_of(context);
  const bool is_same = key_ && !key_->second && key_->canvas == canvas && key_->scale == scale &&
                       key_->font == key.font && shape == shape_;
  // Another window or another font is no change of the document: the picture follows at once.
  const bool moves = key_ && !key_->second && key_->canvas.box == canvas.box && key_->scale == scale;
  key_ = std::move(key);
  if (!is_same) {
    std::optional<scene::DiagramLayout> before = std::move(layout_);
    shape_ = std::move(shape);
    layout_ = scene::layout_diagram(shape_, canvas, measure_in(context.fonts, scale));
    if (moves && !context.now.view.reduces_motion) move_from(std::move(before));
  }
  return current();
}

void DiagramLayouts::move_from(std::optional<scene::DiagramLayout> before) {
  if (!has_motion_ || !before || !layout_) return;
  before_ = moving_ ? std::move(moving_) : std::move(before);
  began_ = ImGui::GetTime();
}

const scene::DiagramLayout* DiagramLayouts::current() {
  constexpr double duration = 0.2;
  const double share = before_ ? (ImGui::GetTime() - began_) / duration : 1;
  if (share >= 1 || !layout_) {
    before_.reset();
    moving_.reset();
    return layout_ ? &*layout_ : nullptr;
  }
  moving_ = scene::between(*before_, *layout_, share * share * (3 - 2 * share));
  return &*moving_;
}

bool DiagramLayouts::is_moving() const {
  const bool pans = part_seen_ == ImGui::GetFrameCount() && !(part_ == part_to_);
  return before_.has_value() || pans;
}

Box DiagramLayouts::part_towards(const Box& wanted, bool moves) {
  constexpr double duration = 0.45;
  const int frame = ImGui::GetFrameCount();
  const bool was_seen = part_seen_ >= frame - 1;
  part_seen_ = frame;
  if (!was_seen || !moves || !has_motion_) return part_ = part_from_ = part_to_ = wanted;
  if (!(wanted == part_to_)) {
    part_from_ = part_;
    part_to_ = wanted;
    part_began_ = ImGui::GetTime();
  }
  const double passed = std::clamp((ImGui::GetTime() - part_began_) / duration, 0.0, 1.0);
  const double share = passed * passed * (3 - 2 * passed);
  for (double Box::*const side : {&Box::x, &Box::y, &Box::width, &Box::height})
    part_.*side = passed == 1 ? part_to_.*side : part_from_.*side + share * (part_to_.*side - part_from_.*side);
  return part_;
}

// Puts what a side of a pair has of its own below the title of its weights: "not scaled".
static void say_what_differs(scene::DiagramShape& shape, const std::string& name) {
  if (name.empty() || shape.main_matrix.empty()) return;
  std::vector<std::string>& subtitles = shape.main_matrix.front().subtitles;
  const std::string whole = subtitles.empty() || subtitles.front().empty() ? name : name + " · " + subtitles.front();
  subtitles.insert(subtitles.begin(), {whole, name});
}

// Keeps the scores in which two documents begin to differ and what these are made of, or, if all scores differ, those
// that softmax reads. Keeps none where their projections differ already, or what happens to the weights.
static void keep_scores_that_differ(scene::DiagramShape& a, scene::DiagramShape& b, const Result& of_a,
                                    const Result& of_b) {
  std::set<Stage> kept;
  const auto differs = [&](const scene::DiagramBlock& block) { return !is_equal(of_a, of_b, block.stage); };
  const auto stage_of = [](const scene::DiagramBlock& block) { return block.stage; };
  if (std::ranges::none_of(a.project, differs) && std::ranges::equal(a.mix, b.mix, {}, stage_of, stage_of)) {
    std::set<Stage> seen;  // in the order of their computation
    for (const scene::DiagramShape* const shape : {&a, &b})
      for (const scene::DiagramBlock& block : shape->compare)
        if (!block.is_copy) seen.insert(block.stage);
    std::optional<Stage> before;
    for (const Stage stage : seen) {
      const bool is_first = !is_equal(of_a, of_b, stage);
      if (is_first) kept.insert(before ? stage : *seen.rbegin());
      if (is_first && before) kept.insert(*before);
      if (is_first) break;
      before = stage;
    }
  }
  for (scene::DiagramShape* const shape : {&a, &b})
    std::erase_if(shape->compare, [&](const scene::DiagramBlock& block) { return !kept.contains(block.stage); });
}

const scene::DiagramLayout* DiagramLayouts::of_both(const ViewContext& a, const ViewContext& b,
                                                    const scene::DiagramCanvas& canvas, float scale) {
  Key key{drawn_result(a),     drawn_result(b),       key_names(a), query_names(a), a.now.view.head,
          a.now.view.decimals, unpresented_stages(a), canvas,       scale,          a.fonts.smaller.small_text};
  if (key_ == key) return layout_ ? &*layout_ : nullptr;
  const bool is_same_place =
      key_ && key_->second && layout_ && key_->canvas == canvas && key_->scale == scale && key_->font == key.font;
  key_ = std::move(key);
  scene::DiagramShape shape = shape_of(a);
  for (scene::DiagramBlock& block : shape.project)  // B's are not drawn
    if (!is_equal(*key_->result, *key_->second, block.stage)) block.title = "A: " + block.title;
  scene::DiagramShape other = shape_of(b);
  const auto [of_a, of_b] = names_of_sides(a.now.document.config, b.now.document.config);
  say_what_differs(shape, of_a);
  say_what_differs(other, of_b);
  keep_scores_that_differ(shape, other, *key_->result, *key_->second);
  if (is_same_place && shape == shape_ && other == second_shape_) return &*layout_;
  shape_ = std::move(shape);
  second_shape_ = std::move(other);
  layout_ = scene::layout_compared(shape_, second_shape_, canvas, measure_in(a.fonts, scale));
  return layout_ ? &*layout_ : nullptr;
}

ReachOutlines reach_outlines(const ViewContext& context) {
  const Result* const result = context.now.result();
  if (!context.now.view.show_reach || !context.now.view.pinned || !result || result->imported) return {};
  const std::optional<Source> cell = explained_cell(context);
  if (!cell) return {};
  return {ancestors(result->config, *cell), descendants(result->config, *cell)};
}

void draw_reach(const ViewContext& context, const StageView& view, const CellGrid& grid) {
  const ReachOutlines& outlines = *context.reach;
  const std::optional<Source>& term = context.now.view.transient.term;
  if (outlines.before.empty() && outlines.after.empty() && !term) return;
  const float half = line_width * unit(context) / 2;
  const ImVec2 low = grid.min_screen();
  const ImVec2 high = grid.max_screen();
  ImGui::PushClipRect({low.x - half, low.y - half}, {high.x + half, high.y + half}, true);
  draw_frames(context, outlines.before, context.theme.inks.accent, view, grid);
  draw_frames(context, outlines.after, context.theme.inks.after, view, grid);
  if (term) draw_term(context, *term, view, grid);
  ImGui::PopClipRect();
}

namespace {

constexpr float padding_across = 9;
constexpr float padding_down = 4;
constexpr double reach = 260;  // a note stands no farther from what it is about

constexpr std::string_view hint_text = "Drag this number";
constexpr Index hinted_token = 1;  // thing of cat

ImVec2 size_of_note(const ViewContext& context, std::string_view text) {
  const ImVec2 size = text_size(context.fonts.small_text, text);
  return {size.x + 2 * padding_across * unit(context), size.y + 2 * padding_down * unit(context)};
}

std::optional<Box> place_of_note(const scene::DiagramLayout& layout, const PicturePlace& place, ImVec2 size,
                                 const picture::Point& near, double far) {
  return scene::free_place(layout, static_cast<double>(size.x / place.scale), static_cast<double>(size.y / place.scale),
                           near, far);
}

ImVec2 corner_of(const PicturePlace& place, const Box& box) {
  const ImVec2 pos = place.at(box.x, box.y);
  return {std::round(pos.x), std::round(pos.y)};
}

struct PlacedNote {
  std::string_view text;
  ImVec2 size;
  Box box;
};

// Returns the longest of these texts that has room beside the weights: below their card, above it, or further away.
std::optional<PlacedNote> place_at_weights(const ViewContext& context, const scene::DiagramLayout& layout,
                                           const PicturePlace& place, const Box& card,
                                           std::initializer_list<std::string_view> texts) {
  constexpr double close = 64;
  constexpr double for_question = 14;  // before the note, for the "?" behind a title, if there is room
  for (const double far : {close, reach}) {
    for (const double air : {for_question * layout.unit, 0.0}) {
      for (const std::string_view text : texts) {
        const ImVec2 size = size_of_note(context, text);
        const double height = static_cast<double>(size.y / place.scale);
        for (const double y : {card.bottom() + 4 * layout.unit, card.y - height - 4 * layout.unit}) {
          const ImVec2 wide{size.x + static_cast<float>(air) * place.scale, size.y};
          const std::optional<Box> box = place_of_note(layout, place, wide, {card.x - air, y}, far);
          if (box) return PlacedNote{text, size, {box->x + air, box->y, box->width - air, box->height}};
        }
      }
    }
  }
  return {};
}

// Returns what is said of equal shares in this document.
std::string_view words_of_equal_shares(const AttentionConfig& config) {
  const bool is_drawn = !parameter_shapes(config).empty() && config.weight_overrides.empty() &&
                        !std::holds_alternative<ModelInputs>(config.inputs);
  return is_drawn ? "nearly equal shares: the weights are random" : "nearly equal shares: the scores are alike";
}

// Draws a note as a chip at the weights; returns whether it was clicked. Draws nothing where it has no room.
bool draw_chip(const ViewContext& context, scene::DiagramLayout& layout, const PicturePlace& place, const Box& card,
               std::string_view name, Rgb ink, std::string_view help, std::initializer_list<std::string_view> texts) {
  const std::optional<PlacedNote> note = place_at_weights(context, layout, place, card, texts);
  if (!note) return false;
  const auto& [text, size, box] = *note;
  layout.texts.emplace_back().box = box;
  const ImVec2 low = corner_of(place, box);
  const ImVec2 high{low.x + size.x, low.y + size.y};
  ImGui::SetCursorScreenPos(low);
  ImGui::PushID(name.data(), name.data() + name.size());
  const bool is_clicked = pressable_area("chip", size);
  ImGui::PopID();
  const ThemeInks& inks = context.theme.inks;
  fill_box(low, high, {inks.card}, size.y / 2);
  const bool is_plain = ink == inks.accent && !ImGui::IsItemHovered();
  outline_box(low, high, {is_plain ? inks.border : ink}, unit(context) * (ink == inks.accent ? 1 : 1.5F), size.y / 2);
  draw_text(context.fonts.small_text, {low.x + padding_across * unit(context), low.y + padding_down * unit(context)},
            {ink}, text);
  register_item(context, fmt::format("stages/weights/{}", name));
  item_tooltip(context, help);
  return is_clicked;
}

// Says that numbers of words were invented; a click offers the trained model.
void draw_invented_chip(const ViewContext& context, CallQueue& queue, scene::DiagramLayout& layout,
                        const PicturePlace& place, const Box& card) {
  constexpr const char* popup = "invented";
  constexpr float width = 330;
  if (draw_chip(context, layout, place, card, "invented", context.theme.inks.warning,
                "The program invented the numbers of new words. Click for the words, and for what reads them.",
                {mark_of_invented(context.now), "invented: these shares mean nothing yet",
                 "these shares mean nothing yet", "invented numbers"}))
    ImGui::OpenPopup(popup);
  ImGui::SetNextWindowSize({width * unit(context), 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * unit(context), 10 * unit(context)});
  const bool is_open = ImGui::BeginPopup(popup);
  ImGui::PopStyleVar();
  if (!is_open) return;
  push_font(context.fonts.small_text);
  draw_invented_words(context, queue, "stages/weights/invented");
  ImGui::PopFont();
  ImGui::EndPopup();
}

// Says that all shares are nearly equal; a click leads to the answer why.
void draw_equal_chip(const ViewContext& context, CallQueue& queue, scene::DiagramLayout& layout,
                     const PicturePlace& place, const Box& card) {
  if (draw_chip(context, layout, place, card, "equal_shares", context.theme.inks.accent,
                "Every weight lies within 0.1 of an equal share. Click for why, and for what changes it.",
                {words_of_equal_shares(context.now.document.config), "nearly equal shares", "nearly equal"}))
    show_question(queue, "equal_shares");
}

// Returns whether the document is the opening one but for the numbers of its embeddings.
bool has_opening_words(const Document& document) {
  const Document opening = opening_document();
  return document.tokens == opening.tokens && document.config.dimensions == opening.config.dimensions;
}

// Returns whether the number that the hint is about is as it was.
bool is_still_there(const Document& document) {
  const Document opening = opening_document();
  const auto number = [](const Document& of) {
    const auto* const inputs = std::get_if<SharedTensor>(&of.config.inputs);
    return inputs && inputs->rows() > hinted_token ? std::optional(inputs->row(hinted_token)[0]) : std::nullopt;
  };
  return number(document) == number(opening);
}

}  // namespace

void draw_notes_at_weights(const ViewContext& context, CallQueue& queue, const scene::DiagramLayout& layout,
                           const PicturePlace& place) {
  const UiState& now = context.now;
  const bool may_say =
      now.is_current && !now.viewing && !now.is_comparing() && !now.lesson.lesson && !now.prediction.cover;
  const auto main = std::ranges::find_if(layout.frames, &scene::PlacedFrame::is_main);
  const bool is_invented = may_say && !mark_of_invented(now).empty();
  const bool is_equal = may_say && now.has_equal_shares;
  if ((!is_invented && !is_equal) || main == layout.frames.end()) return;
  scene::DiagramLayout taken = layout;  // with the places of the notes
  if (is_invented) draw_invented_chip(context, queue, taken, place, main->box);
  if (is_equal) draw_equal_chip(context, queue, taken, place, main->box);
}

void draw_drag_hint(const ViewContext& context, CallQueue& queue, const scene::DiagramLayout& layout,
                    const PicturePlace& place) {
  const Document& document = context.now.document;
  const bool may_show = context.now.view.shows_drag_hint && !context.now.lesson.lesson && !context.now.is_comparing() &&
                        has_opening_words(document);
  if (!may_show) return;
  const auto close = [&] { change_view(queue, [](ViewState& state) { state.shows_drag_hint = false; }); };
  if (!is_still_there(document)) return close();
  const auto inputs = std::ranges::find_if(layout.matrices, [](const scene::PlacedMatrix& matrix) {
    return matrix.stage == Stage::inputs && !matrix.is_operand() && !matrix.is_thumb;
  });
  if (inputs == layout.matrices.end()) return;
  const double row = inputs->row_height();
  const Box cell{inputs->viewed().x, inputs->box.y + static_cast<double>(hinted_token) * row, inputs->cell_width(),
                 row};
  const float cross = text_size(context.fonts.small_text, "×").x + 2 * padding_across * unit(context);
  ImVec2 size = size_of_note(context, hint_text);
  size.x += cross;
  const std::optional<Box> box =
      place_of_note(layout, place, size, {inputs->box.x - 20 * layout.unit, inputs->box.y - 120 * layout.unit}, reach);
  const ThemeInks& inks = context.theme.inks;
  const ImVec2 from = place.at(cell.x, cell.y);
  const ImVec2 to = place.at(cell.right(), cell.bottom());
  outline_box({from.x - 2 * unit(context), from.y - 2 * unit(context)},
              {to.x + 2 * unit(context), to.y + 2 * unit(context)}, {inks.accent}, 2.5F * unit(context),
              3 * unit(context));
  if (!box) return;
  const ImVec2 low = corner_of(place, *box);
  const ImVec2 high{low.x + size.x, low.y + size.y};
  // A line leads from the note down between the names and the numbers.
  const float x = from.x - 4 * unit(context);
  const float middle = (from.y + to.y) / 2;
  const bool is_above = high.y < from.y && x >= low.x && x <= high.x;
  if (is_above) {
    stroke_line({x, high.y}, {x, middle}, {inks.accent}, 1.5F * unit(context));
    stroke_line({x, middle}, {from.x - 2 * unit(context), middle}, {inks.accent}, 1.5F * unit(context));
  }
  fill_box(low, high, {inks.accent}, 5 * unit(context));
  const Rgb ink = ink_on(inks.accent);
  const ImVec2 text{low.x + padding_across * unit(context), low.y + padding_down * unit(context)};
  draw_text(context.fonts.small_text, text, {ink}, hint_text);
  ImGui::SetCursorScreenPos({high.x - cross, low.y});
  const bool is_closed = pressable_area("close_hint", {cross, size.y});
  draw_text(context.fonts.small_text, {high.x - cross + padding_across * unit(context), text.y}, {ink}, "×");
  register_item(context, "stages/drag_hint/close");
  item_tooltip(context, "Closes the hint for good");
  register_part(context, "stages/drag_hint", low, high);
  if (is_closed) close();
}

}  // namespace attnscope
