#include "session/go_to.h"

#include <algorithm>

#include "core/results.h"
#include "core/text.h"

namespace attnscope {
namespace {

constexpr double legible_in_focus = 12;
constexpr double legible_elsewhere = 6;

// Returns the token that a number stands for; -1 for none.
Index numbered(std::string_view text, Index tokens) {
  const Index number = number_of<Index>(text).value_or(0);
  return number >= 1 && number <= tokens ? number - 1 : -1;
}

}  // namespace

TokenMatch find_token(const std::vector<std::string>& names, std::string_view text, Index from) {
  const Index tokens = std::ssize(names);
  const Index number = numbered(text, tokens);
  if (text.empty()) return {};
  const std::string wanted = lower_case(text);
  const bool has_equal = std::ranges::find(names, wanted, lower_case) != names.end();
  std::vector<Index> matches;
  for (Index token = 0; token < tokens; ++token) {
    const std::string name = lower_case(names[static_cast<std::size_t>(token)]);
    const bool is_match = has_equal ? name == wanted : name.find(wanted) != std::string::npos;
    if (token == number || is_match) matches.push_back(token);
  }
  if (matches.empty()) return {};
  // The number's own token comes first, then those after it.
  const Index after = from < 0 && number >= 0 ? number - 1 : from;
  auto next = std::upper_bound(matches.begin(), matches.end(), after);
  if (next == matches.end()) next = matches.begin();
  return {*next, static_cast<Index>(next - matches.begin()), std::ssize(matches)};
}

Stage weights_shown(const Result& result) { return result.imported ? result.imported->stage : Stage::weights; }

GoToPlace go_to_place(const ViewState& view, const Result& result) {
  const Index heads = head_count(result.config);
  const Index batch = std::clamp<Index>(view.batch, 0, result.config.batch_size - 1);
  const bool is_shown = view.mode.shows_one_stage && is_query_by_key(info(view.stage).axes) &&
                        is_per_head(result.config, view.stage) && has(result, view.stage);
  GoToPlace place;
  place.stage = is_shown && !result.imported ? view.stage : weights_shown(result);
  const bool is_pinned = !view.mode.shows_one_head && view.pinned;
  place.head = std::clamp<Index>(is_pinned ? view.pinned->head : view.head, 0, heads - 1);
  place.matrix = batch * heads + place.head;
  place.tokens = stage_shape(result.config, place.stage).back();
  return place;
}

double legible_cells(const ViewState& view) {
  const ViewMode& layout = view.mode;
  return layout.shows_one_stage && layout.shows_one_head ? legible_in_focus : legible_elsewhere;
}

void reveal(ViewState& view, const MapPlace& place, Index row, Index col) {
  const CellWindow window = window_of(view.map, view.zoom_alone, place);
  const double most = legible_cells(view);
  const bool is_legible = window.rows <= std::max(most, 2.0);
  const bool is_inside = moved_to_show(window, place.rows, place.cols, row, col) == window;
  if (is_legible && is_inside) return;
  set_window(view.map, view.zoom_alone, place,
             centred_on(window, place.rows, place.cols, row, col, is_legible ? window.rows : most));
}

}  // namespace attnscope
