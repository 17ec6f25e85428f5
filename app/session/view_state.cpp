#include "session/view_state.h"

#include <algorithm>
#include <cstdlib>

#include "session/ui_state.h"
#include "teach/teaching_view.h"
#include "view/picture.h"

namespace attnscope {
namespace {

bool has_pairs(Stage stage) { return is_query_by_key(info(stage).axes); }

void set_pair_window(MapState& map, const MapPlace& place, const CellWindow& window) {
  map.window = is_whole(window, place.rows, place.cols) ? std::nullopt : std::optional<CellWindow>(window);
}

// Rows of one side of the pairs: the window over them stays square, its other side keeps its middle.
void set_token_window(MapState& map, const MapPlace& place, const CellWindow& window) {
  const Index tokens = place.rows;
  CellWindow pairs = clamped(map.window.value_or(CellWindow{}), tokens, tokens);
  const bool is_key = has_key_rows(place.stage);
  const double middle = is_key ? pairs.row + pairs.rows / 2 : pairs.col + pairs.cols / 2;
  pairs.rows = pairs.cols = window.rows;
  pairs.row = is_key ? middle - window.rows / 2 : window.row;
  pairs.col = is_key ? window.row : middle - window.rows / 2;
  pairs = clamped(pairs, tokens, tokens);
  map.window = is_whole(pairs, tokens, tokens) ? std::nullopt : std::optional<CellWindow>(pairs);
  map.first_feature = window.col / static_cast<double>(place.cols);
  map.feature_share = window.cols / static_cast<double>(place.cols);
}

constexpr std::size_t max_places = 200;

bool has_a_head(Stage stage) {
  const StageAxes axes = info(stage).axes;
  return axes == StageAxes::head_query_key || axes == StageAxes::head_token_feature;
}

bool is_step(const Source& from, const Source& to) {
  const bool is_same_head = from.head == to.head || !has_a_head(from.stage);
  const bool is_same_matrix =
      from.stage == to.stage && from.batch == to.batch && from.layer == to.layer && is_same_head;
  return is_same_matrix && from.kind == to.kind && std::abs(from.row - to.row) <= 1 && std::abs(from.col - to.col) <= 1;
}

// From the end of one list to that of the other.
void go(ViewState& view, std::vector<Source>& from, std::vector<Source>& to) {
  if (from.empty()) return;
  NavigationHistory& history = view.transient.history;
  if (history.here) to.push_back(*history.here);
  history.here = from.back();
  from.pop_back();
  look_at(view, *history.here);
}

}  // namespace

CellWindow window_of(const MapState& map, const MapPlace& place) {
  if (has_pairs(place.stage)) return clamped(map.window.value_or(CellWindow{}), place.rows, place.cols);
  const CellWindow pairs = clamped(map.window.value_or(CellWindow{}), place.rows, place.rows);
  const bool is_key = has_key_rows(place.stage);
  const auto cols = static_cast<double>(place.cols);
  return clamped({is_key ? pairs.col : pairs.row, map.first_feature * cols, is_key ? pairs.cols : pairs.rows,
                  map.feature_share * cols},
                 place.rows, place.cols);
}

void set_window(MapState& map, const MapPlace& place, const CellWindow& window) {
  if (has_pairs(place.stage)) {
    set_pair_window(map, place, window);
  } else {
    set_token_window(map, place, window);
  }
}

void note_pinned(ViewState& view, const std::optional<Source>& before) {
  const bool is_alike =
      view.pinned && before && view.pinned->stage == before->stage && view.pinned->kind == before->kind;
  if (!is_alike) view.transient.opened.clear();  // its lines are others
  if (view.pinned && view.pinned != before && has_a_head(view.pinned->stage)) view.head = view.pinned->head;
  NavigationHistory& history = view.transient.history;
  if (!history.here) history.here = before;
  if (!view.pinned || view.pinned == history.here) return;
  const Source now = *view.pinned;
  if (history.here && !is_step(*history.here, now)) {
    history.back.push_back(*history.here);
    if (history.back.size() > max_places) history.back.erase(history.back.begin());
    history.forward.clear();
  }
  history.here = now;
}

bool can_go_back(const ViewState& view) { return !view.transient.history.back.empty(); }
bool can_go_forward(const ViewState& view) { return !view.transient.history.forward.empty(); }

void go_back(ViewState& view) { go(view, view.transient.history.back, view.transient.history.forward); }
void go_forward(ViewState& view) { go(view, view.transient.history.forward, view.transient.history.back); }

void look_at(ViewState& view, const Source& source) {
  view.pinned = source;
  if (view.mode.shows_one_stage) view.stage = source.stage;
}

void show_stage(ViewState& view, Stage stage) {
  view.stage = stage;
  const bool is_alike =
      view.pinned && is_query_by_key(info(view.pinned->stage).axes) && is_query_by_key(info(stage).axes);
  if (!is_alike) return;
  view.pinned->stage = stage;
  view.pinned->head = has_a_head(stage) ? view.head : 0;
}

namespace {

const char* obstacle_to_layers(const UiState& now) {
  return now.layers.size() > 1 ? "" : "Only attention from a file has layers, where it holds several of them.";
}

const char* obstacle_to_model(const UiState& now) {
  return now.document.model ? "" : "Only a trained model has this: open one, or File > Examples… > A trained model.";
}

const char* obstacle_to_study(const UiState& now) {
  const bool is_alone = now.view.side == ComparedSide::baseline || now.view.side == ComparedSide::now;
  const bool is_of_both = now.is_comparing() && !is_alone;
  return is_of_both ? "Teaching views are of one document: show A or B alone, or stop comparing." : "";
}

constexpr ViewModeInfo all_view_modes[] = {
    {ViewMode::diagram, "Diagram", "all stages of one head, with arrows between them"},
    {ViewMode::heads, "Heads", "one stage of all heads"},
    {ViewMode::focus, "Focus", "one stage, large"},
    {ViewMode::layers, "Layers", "all layers and heads of a file", obstacle_to_layers},
    {ViewMode::study, "Teaching views", "one picture for each question about attention", obstacle_to_study, true},
    {ViewMode::model, "Model", "all heads of all layers of a trained model, and its next word", obstacle_to_model},
};

}  // namespace

int ViewModeInfo::number() const { return static_cast<int>(this - all_view_modes) + 1; }

std::string ViewModeInfo::keys() const { return "Ctrl+" + std::to_string(number()); }

std::span<const ViewModeInfo> view_modes() { return all_view_modes; }

const ViewModeInfo& info(ViewMode layout) {
  const ViewModeInfo* const found = view_mode_named(layout.id);
  return found ? *found : all_view_modes[0];
}

const ViewModeInfo* view_mode_named(std::string_view id) {
  const auto* const found = std::ranges::find(all_view_modes, id, [](const ViewModeInfo& row) { return row.mode.id; });
  return found == std::end(all_view_modes) ? nullptr : found;
}

std::string view_text(const ViewState& view) {
  return address_text({.mode = std::string(view.mode.id),
                       .stage = view.stage,
                       .head = view.head,
                       .batch = view.batch,
                       .range = view.range,
                       .pinned = view.pinned,
                       .side = view.side,
                       .study = view.mode == ViewMode::study ? view.study : TeachingViewChoice()});
}

std::string view_text(const FigureOptions& options) {
  const ViewMode layout = !options.study.id.empty() ? ViewMode::study
                          : !options.stage          ? ViewMode::diagram
                          : options.head            ? ViewMode::focus
                                                    : ViewMode::heads;
  return address_text({.mode = std::string(layout.id),
                       .stage = options.stage.value_or(Stage::weights),
                       .head = options.head.value_or(0),
                       .batch = options.batch,
                       .range = options.range,
                       .pinned = options.marked,
                       .side = options.side,
                       .study = options.study});
}

void look_at(ViewState& view, const ViewAddress& address) {
  if (const ViewModeInfo* const found = view_mode_named(address.mode)) view.mode = found->mode;
  if (study_named(address.study.id)) {
    view.mode = ViewMode::study;
    view.study = address.study;
  }
  view.stage = address.stage.value_or(view.stage);
  view.head = address.head.value_or(view.head);
  view.batch = address.batch.value_or(view.batch);
  view.range = address.range.value_or(view.range);
  view.side = address.side.value_or(view.side);
  view.decimals = address.decimals.value_or(view.decimals);
  if (address.pinned) view.pinned = address.pinned;
}

void look_as(ViewState& view, const AttentionConfig& config, std::string_view text) {
  look_at(view, address_in(text, config));
}

}  // namespace attnscope
