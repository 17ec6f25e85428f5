#include "features/stages/panel/diagram_scene.h"

#include <algorithm>
#include <cmath>

#include "core/results.h"
#include "features/present/panel/presenting.h"
#include "features/shared/panel/panels.h"
#include "features/stages/panel/stage_view.h"
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
    names.push_back(has_own_names && at < context.now.document.query_tokens.size()
                        ? context.now.document.query_tokens[at]
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
  const float half = line_width * unit(context) / 2;  // frames lie within their cells
  const ImVec2 from = grid.corner(rect.row, rect.col);
  const ImVec2 to = grid.corner(rect.row + rect.rows, rect.col + rect.cols);
  const ImVec2 low{from.x + half, from.y + half};
  const ImVec2 high{to.x - half, to.y - half};
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

const scene::DiagramLayout* DiagramLayouts::of_both(const ViewContext& a, const ViewContext& b,
                                                    const scene::DiagramCanvas& canvas, float scale) {
  Key key{drawn_result(a),     drawn_result(b),       key_names(a), query_names(a), a.now.view.head,
          a.now.view.decimals, unpresented_stages(a), canvas,       scale,          a.fonts.smaller.small_text};
  if (key_ == key) return layout_ ? &*layout_ : nullptr;
  key_ = std::move(key);
  shape_ = shape_of(a);
  for (scene::DiagramBlock& block : shape_.project)  // B's are not drawn
    if (!is_equal(*key_->result, *key_->second, block.stage)) block.title = "A: " + block.title;
  layout_ = scene::layout_compared(shape_, shape_of(b), canvas, measure_in(a.fonts, scale));
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
  ImGui::PushClipRect(grid.min_screen(), grid.max_screen(), true);
  draw_frames(context, outlines.before, context.theme.inks.accent, view, grid);
  draw_frames(context, outlines.after, context.theme.inks.after, view, grid);
  if (term) draw_term(context, *term, view, grid);
  ImGui::PopClipRect();
}

}  // namespace attnscope
