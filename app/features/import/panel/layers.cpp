#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "features/import/import_controller.h"
#include "features/predict/panel/covering.h"
#include "features/shared/panel/menu.h"
#include "features/shared/panel/panels.h"
#include "features/stages/panel/heatmap.h"
#include "features/stages/panel/stage_sheet.h"
#include "ui/imgui_keys.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float layer_gap = 5;
constexpr float least_picture = 18;  // of a picture: where there is no room for that, the page scrolls

// Every head of every layer as a small picture: a row for a layer, a column for a head.
struct LayerGrid {
  Index layers = 1;
  Index heads = 1;
  float side = 0;     // of a picture
  float space = 0;    // between two
  ImVec2 min_screen;  // of the first

  ImVec2 place(Index layer, Index head) const {
    return {std::floor(min_screen.x + static_cast<float>(head) * (side + space)),
            std::floor(min_screen.y + static_cast<float>(layer) * (side + space))};
  }

  CellGrid cells(LayerPicture picture, const StageView& view) const {
    const ImVec2 low = place(picture.layer, picture.head);
    return {scene::whole_plot(box_between(low, {low.x + side, low.y + side}), view.rows, view.cols)};
  }
};

LayerGrid layer_grid(const ViewContext& context, Index heads) {
  const float line = font_height(context.fonts.small_text);
  LayerGrid grid;
  grid.layers = std::ssize(context.now.layers);
  grid.heads = heads;
  grid.space = layer_gap * unit(context);
  const float left = text_size(context.fonts.small_text, fmt::format("Layer {}", grid.layers)).x + 2 * grid.space;
  const float top = 2 * line + 2 * grid.space;  // what is shown, and the heads' titles
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = (room.x - left) / static_cast<float>(heads) - grid.space;
  const float height = (room.y - top) / static_cast<float>(grid.layers) - grid.space;
  grid.side = std::floor(std::max(std::min(width, height), least_picture * unit(context)));
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  grid.min_screen = {corner.x + left, corner.y + top};
  return grid;
}

// "Head 3", or the number alone; nothing where that would touch the next.
void draw_head_titles(const ViewContext& context, const LayerGrid& grid) {
  const ImFont* const font = context.fonts.small_text;
  const bool has_words = text_size(font, fmt::format("Head {}", grid.heads)).x <= grid.side;
  if (text_size(font, std::to_string(grid.heads)).x > grid.side + grid.space / 2) return;
  for (Index head = 0; head < grid.heads; ++head) {
    const std::string title = has_words ? fmt::format("Head {}", head + 1) : std::to_string(head + 1);
    const float x = grid.place(0, head).x + (grid.side - text_size(font, title).x) / 2;
    const Rgb colour = grid.heads > 1 ? head_rgb(head, context.theme.is_dark) : context.theme.inks.text;
    draw_text(font, {x, grid.min_screen.y - font_height(font) - grid.space / 2}, {colour}, title);
  }
}

void draw_layer_title(const ViewContext& context, const LayerGrid& grid, Index layer) {
  const ImFont* const font = context.fonts.small_text;
  const std::string title = fmt::format("Layer {}", layer + 1);
  const ImVec2 first = grid.place(layer, 0);
  const bool is_shown = context.now.viewing && context.now.viewing->layer == layer;
  draw_text(font, {first.x - 2 * grid.space - text_size(font, title).x, first.y + (grid.side - font_height(font)) / 2},
            {is_shown ? context.theme.inks.text : context.theme.inks.dim_text}, title);
}

LayerPicture picture_at_keys(const ViewContext& context) {
  if (context.now.view.transient.picture) return *context.now.view.transient.picture;
  return {.layer = context.now.viewing ? context.now.viewing->layer : 0, .head = context.now.view.head};
}

void show_large(CallQueue& queue, LayerPicture picture) {
  queue.push([layer = picture.layer](const Controllers& to) {
    to.viewing.change([layer](ImportedView& viewing) { viewing.layer = layer; });
  });
  change_view(queue, [picture](ViewState& state) {
    state.mode = ViewMode::focus;
    state.head = picture.head;
    state.transient.picture.reset();
    if (state.pinned) state.pinned->head = picture.head;
  });
}

// Into sight, where the keys went.
void scroll_to(const ViewContext& context, const LayerGrid& grid, Index layer, Index head) {
  const ImVec2 low = grid.place(layer, head);
  const ImVec2 window = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const float rim = 3 * font_height(context.fonts.small_text);
  const auto shift = [&](float begin, float room) {
    return begin < rim ? begin - rim : std::max(0.0F, begin + grid.side + rim - room);
  };
  ImGui::SetScrollX(ImGui::GetScrollX() + shift(low.x - window.x, size.x));
  ImGui::SetScrollY(ImGui::GetScrollY() + shift(low.y - window.y, size.y));
}

// "0 to 1", with what it is a measure of.
std::string bar_ends(const ViewContext& context, const StageView& view) {
  const ColourRange range = range_of(context, view);
  const auto end = [&](float value) {
    const bool is_whole = value == std::round(value) && std::abs(value) < 100;
    if (covers_any(context, view.stage)) return std::string();
    return bar_number(range, static_cast<double>(value), is_whole ? 0 : context.now.view.decimals);
  };
  const std::string_view measure = measure_name(range);
  return fmt::format("{} to {}{}", end(range.low), end(range.high),
                     measure.empty() ? "" : fmt::format(" ({})", measure));
}

// A click shows it large.
void open_on_click(const ViewContext& context, CallQueue& queue, const LayerGrid& grid, LayerPicture picture,
                   const std::optional<StageView>& view) {
  const ImVec2 low = grid.place(picture.layer, picture.head);
  ImGui::SetCursorScreenPos(low);
  const std::string name = fmt::format("layers/{}/{}", picture.layer, picture.head);
  if (ImGui::InvisibleButton(name.c_str(), {grid.side, grid.side})) show_large(queue, picture);
  const bool is_at_keys =
      context.now.view.transient.keys_lead && stages_have_keys(context) && picture == picture_at_keys(context);
  const bool is_marked = ImGui::IsItemHovered() || is_at_keys;
  outline_box(low, {low.x + grid.side, low.y + grid.side},
              {is_marked ? context.theme.inks.accent : context.theme.inks.border}, (is_marked ? 2 : 1) * unit(context));
  register_item(context, name);
  const std::string ends = view ? fmt::format("\nColours from {}.", bar_ends(context, *view)) : "";
  item_tooltip(context, fmt::format("Layer {}, head {}: a click {} it.{}", picture.layer + 1, picture.head + 1,
                                    view ? "enlarges" : "unpacks and enlarges", ends));
}

// Draws the colours of a matrix with the numbers of their ends, right-aligned; returns its width.
float draw_ends(const ViewContext& context, const StageView& view, ImVec2 corner, float right) {
  const picture::TextMeasure measure = measure_in(context.fonts, unit(context));
  picture::Picture picture;
  const scene::SheetPen pen = screen_pen(context, picture, measure, 12.5);
  const scene::ColourBar bar{range_of(context, view), "", !covers_any(context, view.stage)};
  const double width = scene::put_inline_bar(pen, bar, static_cast<double>((right - corner.x) / unit(context)), 0);
  paint_picture(context, picture, {corner, unit(context)});
  return static_cast<float>(width) * unit(context);
}

// The colour range of all pictures; nothing where each has a range of its own.
class SharedRange {
public:
  void add(const ViewContext& context, const StageView& view) {
    if (!first_) first_ = view;
    const std::string ends = bar_ends(context, view);
    if (ends_.empty()) ends_ = ends;
    are_alike_ = are_alike_ && ends == ends_;
  }

  // Right-aligned; returns its width.
  float draw(const ViewContext& context, ImVec2 corner, float right) const {
    if (!first_) return 0;
    if (are_alike_) return draw_ends(context, *first_, corner, right);
    const std::string words = "each picture has its own colours";
    const float width = text_size(context.fonts.small_text, words).x;
    draw_text(context.fonts.small_text, {right - width, corner.y}, {context.theme.inks.dim_text}, words);
    return width;
  }

private:
  std::optional<StageView> first_;
  std::string ends_;
  bool are_alike_ = true;
};

// Says how many layers and heads there are, and which of them are not in sight.
std::string what_is_shown(const ViewContext& context, const LayerGrid& grid) {
  const Index layers = context.now.viewing ? context.now.viewing->layers : grid.layers;
  const Index packed = std::ranges::count(context.now.layers, nullptr, &Evaluation::result);
  std::string text = fmt::format("{}: {} layers", info(context.now.view.stage).title, layers);
  if (layers > grid.layers) text += fmt::format(", here the first {}; the setup's slider leads to all", grid.layers);
  if (packed > 0) text += fmt::format("; {} to be unpacked by a click", packed);
  return text + ".";
}

void draw_what_is_shown(const ViewContext& context, const LayerGrid& grid, ImVec2 corner, float room) {
  ImGui::SetCursorScreenPos(corner);
  push_font(context.fonts.small_text);
  const std::string words = what_is_shown(context, grid);
  ImGui::TextDisabled("%s", fit_text(context.fonts.small_text, words, room).c_str());
  register_item(context, "layers/shown");
  item_tooltip(context, words);
  ImGui::PopFont();
}

std::optional<StageView> draw_thumbnail(const ViewContext& context, const LayerGrid& grid, LayerPicture picture) {
  const Evaluation& evaluation = context.now.layers[static_cast<std::size_t>(picture.layer)];
  auto view = stage_view(context, evaluation, context.now.view.stage, picture.head);
  if (view) draw_heatmap(context, *view, grid.cells(picture, *view));
  return view;
}

void register_thumbnail(const ViewContext& context, const LayerGrid& grid, LayerPicture picture,
                        const StageView& view) {
  if (!context.widgets) return;
  register_matrix(context, view, fmt::format("layers/{}/{}", picture.layer, picture.head), grid.cells(picture, view));
  WidgetRegistry::Matrix& matrix = context.widgets->matrices.back();
  matrix.title = fmt::format("{}, layer {}, head {}", info(view.stage).title, picture.layer + 1, picture.head + 1);
  matrix.marks = {};
}

void draw_layer(const ViewContext& context, CallQueue& queue, const LayerGrid& grid, Index layer, SharedRange& range) {
  draw_layer_title(context, grid, layer);
  for (Index head = 0; head < grid.heads; ++head) {
    const std::optional<StageView> view = draw_thumbnail(context, grid, {layer, head});
    open_on_click(context, queue, grid, {layer, head}, view);
    if (!view) continue;
    range.add(context, *view);
    register_thumbnail(context, grid, {layer, head}, *view);
  }
}

}  // namespace

void step_in_layers(const ViewContext& context, CallQueue& queue, Index rows, Index cols) {
  if (context.now.layers.empty() || !context.now.result()) return;
  LayerPicture picture = picture_at_keys(context);
  const bool is_first = !context.now.view.transient.keys_lead;  // shows where it is before it moves
  if (is_first) rows = cols = 0;
  picture.layer = std::clamp<Index>(picture.layer + rows, 0, std::ssize(context.now.layers) - 1);
  picture.head = std::clamp<Index>(picture.head + cols, 0, head_count(context.now.result()->config) - 1);
  change_view(queue, [picture](ViewState& state) {
    state.transient.picture = picture;
    state.transient.keys_lead = true;
  });
}

void open_in_layers(const ViewContext& context, CallQueue& queue) {
  if (!context.now.layers.empty()) show_large(queue, picture_at_keys(context));
}

void draw_layers(const ViewContext& context, CallQueue& queue) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float right = corner.x + ImGui::GetContentRegionAvail().x;
  const LayerGrid grid = layer_grid(context, head_count(context.now.result()->config));
  draw_head_titles(context, grid);
  SharedRange range;
  for (Index layer = 0; layer < grid.layers; ++layer) {
    const ImVec2 first = grid.place(layer, 0);
    const ImVec2 last = grid.place(layer, grid.heads);
    if (ImGui::IsRectVisible({corner.x, first.y}, {last.x, first.y + grid.side}))
      draw_layer(context, queue, grid, layer, range);
  }
  const float width = range.draw(context, corner, right);
  if (width > 0)
    register_part(context, "layers/colours", {right - width, corner.y},
                  {right, corner.y + font_height(context.fonts.small_text)});
  draw_what_is_shown(context, grid, corner, right - corner.x - width - 2 * grid.space);
  const ImVec2 end = grid.place(grid.layers, grid.heads);
  ImGui::SetCursorScreenPos({end.x - grid.space, end.y - grid.space});
  ImGui::Dummy({0, 0});
  const std::optional<LayerPicture>& picture = context.now.view.transient.picture;
  if (picture && context.now.view.transient.keys_lead) scroll_to(context, grid, picture->layer, picture->head);
}

}  // namespace attnscope
