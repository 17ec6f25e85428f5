#include "state/view_state.h"

#include <algorithm>

#include "look/marks.h"

namespace attnscope {
namespace {

bool has_pairs(Stage stage) { return is_query_by_key(info(stage).axes); }

auto find_own(const MapState& map, const MapPlace& place) {
  return std::find_if(map.own.begin(), map.own.end(),
                      [&](const MapState::Own& own) { return own.stage == place.stage && own.head == place.head; });
}

void set_pair_window(MapState& map, const MapPlace& place, const CellWindow& window) {
  map.window = is_whole(window, place.rows, place.cols) ? std::nullopt : std::optional<CellWindow>(window);
}

// Rows of one side of the pairs: the window over them stays square, its other side keeps its middle.
void set_token_window(MapState& map, const MapPlace& place, const CellWindow& window) {
  const Index tokens = place.rows;
  CellWindow pairs = clamped(map.window.value_or(CellWindow{}), tokens, tokens);
  const bool is_key = is_key_side(place.stage);
  const double middle = is_key ? pairs.row + pairs.rows / 2 : pairs.col + pairs.cols / 2;
  pairs.rows = pairs.cols = window.rows;
  pairs.row = is_key ? middle - window.rows / 2 : window.row;
  pairs.col = is_key ? window.row : middle - window.rows / 2;
  pairs = clamped(pairs, tokens, tokens);
  map.window = is_whole(pairs, tokens, tokens) ? std::nullopt : std::optional<CellWindow>(pairs);
  map.first_feature = window.col / static_cast<double>(place.cols);
  map.feature_share = window.cols / static_cast<double>(place.cols);
}

}  // namespace

CellWindow window_of(const MapState& map, bool is_alone, const MapPlace& place) {
  if (is_alone) {
    const auto own = find_own(map, place);
    if (own != map.own.end()) return clamped(own->window, place.rows, place.cols);
  }
  if (has_pairs(place.stage)) return clamped(map.window.value_or(CellWindow{}), place.rows, place.cols);
  const CellWindow pairs = clamped(map.window.value_or(CellWindow{}), place.rows, place.rows);
  const bool is_key = is_key_side(place.stage);
  const auto cols = static_cast<double>(place.cols);
  return clamped({is_key ? pairs.col : pairs.row, map.first_feature * cols, is_key ? pairs.cols : pairs.rows,
                  map.feature_share * cols},
                 place.rows, place.cols);
}

void set_window(MapState& map, bool is_alone, const MapPlace& place, const CellWindow& window) {
  if (is_alone) {
    const auto own = find_own(map, place);
    if (own != map.own.end()) map.own.erase(own);
    map.own.push_back({place.stage, place.head, window});
    return;
  }
  if (has_pairs(place.stage)) {
    set_pair_window(map, place, window);
  } else {
    set_token_window(map, place, window);
  }
}

}  // namespace attnscope
