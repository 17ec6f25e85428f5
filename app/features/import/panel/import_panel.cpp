#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/results.h"
#include "core/text.h"
#include "core/visibility.h"
#include "document/edit.h"
#include "features/import/import_controller.h"
#include "features/predict/panel/covering.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "features/stages/panel/stage_sheet.h"
#include "features/stages/panel/stage_view.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr std::size_t token_bytes = 256;
constexpr std::size_t tokens_text_bytes = 65536;
constexpr float line_number_width = 44;
constexpr float least_list_height = 120;

void draw_file(const ViewContext& context) {
  const ImportedView& viewing = *context.now.viewing;
  section_heading(context, "Attention from a file");
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::TextUnformatted(fit_text(context.fonts.text, shown_path(viewing.file.filename()), room).c_str());
  register_item(context, "viewing/file");
  item_tooltip(context, shown_path(viewing.file));
  dim_text(context, fmt::format("{} {}", viewing.shape, viewing.number_type));
  dim_text(context, fmt::format("({})", viewing.axes));
  if (viewing.steps > 1) dim_text(context, fmt::format("{} steps of generation below each other", viewing.steps));
}

void change_viewing(CallQueue& queue, std::function<void(ImportedView&)> change) {
  queue.push([change = std::move(change)](const Controllers& to) { to.viewing.change(change); });
}

void draw_tensor(const ViewContext& context, CallQueue& queue) {
  const ImportedView& viewing = *context.now.viewing;
  if (viewing.tensors.size() < 2) return;
  std::vector<Choice> choices;
  for (const std::string& title : viewing.tensors) choices.push_back({title});
  const int chosen = choose(context, "tensor", "viewing/tensor", choices, static_cast<int>(viewing.tensor), {},
                            "Chooses the tensors that are shown; those that belong together are one layer each.");
  if (chosen < 0) return;
  change_viewing(queue, [chosen](ImportedView& state) { state.tensor = static_cast<std::size_t>(chosen); });
}

std::string first_axis(const std::string& axes) { return axes.substr(0, axes.find(',')); }

// Draws the choice of the first axis, which a shape does not tell.
void draw_axes(const ViewContext& context, CallQueue& queue) {
  const ImportedView& viewing = *context.now.viewing;
  const std::string_view reason = viewing.other_axes.empty() ? "This shape has only one reading." : "";
  const std::string help =
      fmt::format("What the axes of the tensor stand for: {}, or {}.", viewing.axes, viewing.other_axes);
  std::vector<Choice> names = {{first_axis(viewing.axes)}};
  if (reason.empty()) names.push_back({first_axis(viewing.other_axes)});
  if (choose(context, "first axis", "viewing/axes", names, 0, reason, help) < 0) return;
  change_viewing(queue, [](ImportedView& state) { state.takes_other_axes = !state.takes_other_axes; });
}

// Draws the choice of what the numbers are, which the file does not say.
void draw_numbers(const ViewContext& context, CallQueue& queue) {
  const ImportedView& viewing = *context.now.viewing;
  const bool are_scores = context.now.view.stage == Stage::scores;
  const int shown = viewing.numbers == NumbersAs::shares ? 2 : are_scores ? 1 : 0;
  const std::vector<Choice> choices = {{"weights"}, {"scores"}, {"each row / its sum"}};
  const int chosen = choose(context, "numbers", "viewing/numbers", choices, shown, {},
                            "What the numbers are: weights, scores, or shares after each row is divided by its sum.");
  if (chosen < 0) return;
  const auto numbers = static_cast<NumbersAs>(chosen + 1);
  change_viewing(queue, [numbers](ImportedView& state) { state.numbers = numbers; });
}

void draw_layer(const ViewContext& context, CallQueue& queue) {
  const ImportedView& viewing = *context.now.viewing;
  const std::string_view reason = viewing.layers == 1 ? "The file has one layer." : "";
  int layer = static_cast<int>(context.now.wanted_layer.value_or(viewing.layer)) + 1;
  const std::string shown = fmt::format("{} of {}", layer, viewing.layers);
  begin_row(context, "layer", reason);
  const std::string widest = fmt::format("{} of {}", viewing.layers, viewing.layers);
  if (value_step_slider(context, "##layer", layer, 1, static_cast<int>(viewing.layers), shown.c_str(), 0, widest)) {
    change_viewing(queue, [layer](ImportedView& state) { state.layer = layer - 1; });
  }
  end_row(context, "viewing/layer", reason,
          "The layer that is shown; heads and batch entries are chosen above the picture.");
}

// A side of the matrix whose tokens have names.
struct NamedSide {
  const char* title;
  const char* of;  // "token": what a name stands for
  std::string id;  // "viewing/names" is a widget of the first
  bool are_queries = false;
};

// Draws the field for names, typed or pasted: one a line, or with blanks between them.
void draw_token_names(const ViewContext& context, CallQueue& queue, const NamedSide& side) {
  ImGui::SetNextItemWidth(-1);
  document_text_field(context, queue, "##names", "All names, then Enter", "", tokens_text_bytes, "token names",
                      [are_queries = side.are_queries](Document& document, const std::string& text) {
                        name_from_text(document, text, are_queries);
                      });
  register_item(context, side.id + "names");
  item_tooltip(context, fmt::format("Type one name for each {}, with blanks between them, and press Enter.", side.of));
  if (push_button(context, side.id + "paste", "Paste", {},
                  "Pastes names from the clipboard, one a line or separated by blanks")) {
    const char* const pasted = ImGui::GetClipboardText();
    queue.push([text = std::string(pasted ? pasted : ""), are_queries = side.are_queries](const Controllers& to) {
      to.viewing.name_tokens(text, are_queries);
    });
  }
  ImGui::SameLine(0, 4 * unit(context));
  if (push_button(
          context, side.id + "open_names", "From a text file…", {},
          "Reads a .txt with one name a line, or names separated by blanks; it can also be dropped on the window.")) {
    show_dialog(queue, DialogState::Kind::open);
  }
}

void draw_name(const ViewContext& context, CallQueue& queue, const NamedSide& side, Index token) {
  ImGui::PushID(static_cast<int>(token));
  const Document& document = context.now.document;
  const TokenNames& names = side.are_queries ? document.query_tokens : document.tokens;
  const auto at = static_cast<std::size_t>(token);
  std::string name = at < names.size() ? names[at] : std::string();
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("%lld", static_cast<long long>(token) + 1);
  ImGui::SameLine(line_number_width * unit(context));
  ImGui::SetNextItemWidth(-1);
  if (text_field("##name", "", name, token_bytes)) {
    edit_document(queue, held_edit("token name", [token, name, are_queries = side.are_queries](Document& edited) {
                    are_queries ? rename_query(edited, token, name) : rename_token(edited, token, name);
                  }));
  }
  finish_when_let_go(queue);
  register_item(context, fmt::format("{}name/{}", side.id, token));
  ImGui::PopID();
}

void draw_names(const ViewContext& context, CallQueue& queue, const NamedSide& side, float bottom) {
  ImGui::PushID(side.title);
  section_heading(context, side.title);
  draw_token_names(context, queue, side);
  const AttentionConfig& config = context.now.document.config;
  const Index count = side.are_queries ? query_count(config) : key_count(config);
  const float room = std::max(bottom - ImGui::GetCursorPosY(), least_list_height * unit(context));
  begin_flat_child("names", {0, std::min(room, static_cast<float>(count + 1) * ImGui::GetFrameHeightWithSpacing())});
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(count));
  while (clipper.Step()) {
    for (int token = clipper.DisplayStart; token < clipper.DisplayEnd; ++token) draw_name(context, queue, side, token);
  }
  ImGui::EndChild();
  ImGui::PopID();
}

// Draws the names of the tokens; of queries and of keys where these are others.
void draw_all_names(const ViewContext& context, CallQueue& queue) {
  const Document& document = context.now.document;
  const float top = ImGui::GetCursorPosY();
  const float room = ImGui::GetContentRegionAvail().y;
  const bool is_square = query_count(document.config) == key_count(document.config);
  if (is_square && document.query_tokens.size() == 0)
    return draw_names(context, queue, {"Tokens", "token", "viewing/"}, top + room);
  draw_names(context, queue, {"Queries (rows)", "query", "viewing/query_", true}, top + room / 2);
  draw_names(context, queue, {"Keys (columns)", "key", "viewing/"}, top + room);
}

}  // namespace

void draw_viewing_setup(const ViewContext& context, CallQueue& queue) {
  draw_file(context);
  ImGui::Dummy({0, 2 * unit(context)});
  draw_tensor(context, queue);
  draw_axes(context, queue);
  draw_numbers(context, queue);
  draw_layer(context, queue);
  ImGui::Dummy({0, 2 * unit(context)});
  const Result* const result = context.now.result();
  if (result && result->imported && result->imported->is_causal)
    dim_text(context,
             "Every weight above the diagonal is exactly 0: these cells are shown as hidden by a causal mask.");
  dim_text(context,
           "The file has neither embeddings nor weight matrices, so mechanism, d_out, dropout and seed change nothing: "
           "the numbers are shown as they are.");
  ImGui::Dummy({0, 2 * unit(context)});
  draw_all_names(context, queue);
}

namespace {

constexpr float layer_gap = 5;
constexpr float least_picture = 18;  // longer side of a picture; if there is no room for it, the page scrolls
constexpr float least_side = 6;

// Every head of every layer as a small picture: a row for a layer, a column for a head.
struct LayerGrid {
  Index layers = 1;
  Index heads = 1;
  ImVec2 size;        // of a picture, whose cells are squares
  float space = 0;    // space between two pictures
  ImVec2 min_screen;  // corner of the first picture

  ImVec2 place(Index layer, Index head) const {
    return {std::floor(min_screen.x + static_cast<float>(head) * (size.x + space)),
            std::floor(min_screen.y + static_cast<float>(layer) * (size.y + space))};
  }

  CellGrid cells(LayerPicture picture, const StageView& view) const {
    const ImVec2 low = place(picture.layer, picture.head);
    return {scene::whole_plot(box_between(low, {low.x + size.x, low.y + size.y}), view.rows, view.cols)};
  }
};

LayerGrid layer_grid(const ViewContext& context) {
  const AttentionConfig& config = context.now.result()->config;
  const Index heads = head_count(config);
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
  const auto rows = static_cast<float>(query_count(config));
  const auto cols = static_cast<float>(key_count(config));
  const float least_cell = least_picture * unit(context) / std::max(rows, cols);
  const float cell = std::max(std::min(width / cols, height / rows), least_cell);
  const float least = least_side * unit(context);
  grid.size = {std::floor(std::max(cell * cols, least)), std::floor(std::max(cell * rows, least))};
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  grid.min_screen = {corner.x + left, corner.y + top};
  return grid;
}

// "Head 3", or the number alone; nothing where that would touch the next.
void draw_head_titles(const ViewContext& context, const LayerGrid& grid) {
  const ImFont* const font = context.fonts.small_text;
  const bool has_words = text_size(font, fmt::format("Head {}", grid.heads)).x <= grid.size.x;
  if (text_size(font, std::to_string(grid.heads)).x > grid.size.x + grid.space / 2) return;
  for (Index head = 0; head < grid.heads; ++head) {
    const std::string title = has_words ? fmt::format("Head {}", head + 1) : std::to_string(head + 1);
    const float x = grid.place(0, head).x + (grid.size.x - text_size(font, title).x) / 2;
    draw_text(font, {x, grid.min_screen.y - font_height(font) - grid.space / 2}, {context.theme.inks.text}, title);
  }
}

void draw_layer_title(const ViewContext& context, const LayerGrid& grid, Index layer) {
  const ImFont* const font = context.fonts.small_text;
  const std::string title = fmt::format("Layer {}", layer + 1);
  const ImVec2 first = grid.place(layer, 0);
  const bool is_shown = context.now.viewing && context.now.viewing->layer == layer;
  draw_text(font,
            {first.x - 2 * grid.space - text_size(font, title).x, first.y + (grid.size.y - font_height(font)) / 2},
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

// Scrolls the picture that the keys reached into sight.
void scroll_to(const ViewContext& context, const LayerGrid& grid, Index layer, Index head) {
  const ImVec2 low = grid.place(layer, head);
  const ImVec2 window = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const float rim = 3 * font_height(context.fonts.small_text);
  const auto shift = [&](float begin, float side, float room) {
    return begin < rim ? begin - rim : std::max(0.0F, begin + side + rim - room);
  };
  ImGui::SetScrollX(ImGui::GetScrollX() + shift(low.x - window.x, grid.size.x, size.x));
  ImGui::SetScrollY(ImGui::GetScrollY() + shift(low.y - window.y, grid.size.y, size.y));
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

// Shows a picture large if it is clicked.
void open_on_click(const ViewContext& context, CallQueue& queue, const LayerGrid& grid, LayerPicture picture,
                   const std::optional<StageView>& view) {
  const ImVec2 low = grid.place(picture.layer, picture.head);
  ImGui::SetCursorScreenPos(low);
  const std::string name = fmt::format("layers/{}/{}", picture.layer, picture.head);
  if (ImGui::InvisibleButton(name.c_str(), grid.size)) show_large(queue, picture);
  const bool is_at_keys =
      context.now.view.transient.keys_lead && stages_have_keys(context) && picture == picture_at_keys(context);
  const bool is_marked = ImGui::IsItemHovered() || is_at_keys;
  outline_box(low, {low.x + grid.size.x, low.y + grid.size.y},
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

// The colour range of all pictures; none if each has a range of its own.
class SharedRange {
public:
  void add(const ViewContext& context, const StageView& view) {
    if (!first_) first_ = view;
    const std::string ends = bar_ends(context, view);
    if (ends_.empty()) ends_ = ends;
    are_alike_ = are_alike_ && ends == ends_;
  }

  // Draws the range right-aligned; returns its width.
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
  const LayerGrid grid = layer_grid(context);
  draw_head_titles(context, grid);
  SharedRange range;
  for (Index layer = 0; layer < grid.layers; ++layer) {
    const ImVec2 first = grid.place(layer, 0);
    const ImVec2 last = grid.place(layer, grid.heads);
    if (ImGui::IsRectVisible({corner.x, first.y}, {last.x, first.y + grid.size.y}))
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
