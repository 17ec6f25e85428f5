#include "features/search/search_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/results.h"
#include "core/text.h"
#include "view/number_words.h"

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
  place.rows = query_count(result.config);
  place.cols = key_count(result.config);
  return place;
}

double legible_cells(const ViewState& view) {
  const ViewMode& layout = view.mode;
  return layout.shows_one_stage && layout.shows_one_head ? legible_in_focus : legible_elsewhere;
}

void reveal(ViewState& view, const MapPlace& place, Index row, Index col) {
  const CellWindow window = window_of(view.map, place);
  const double most = legible_cells(view);
  const bool is_legible = window.rows <= std::max(most, 2.0);
  const bool is_inside = moved_to_show(window, place.rows, place.cols, row, col) == window;
  if (is_legible && is_inside) return;
  set_window(view.map, place, centred_on(window, place.rows, place.cols, row, col, is_legible ? window.rows : most));
}

namespace {

constexpr double diagonal_step = 0.75;  // of what is in sight, so that what was at the edge stays for a while

Index middle_cell(double first, double length, Index cells) {
  return std::clamp<Index>(static_cast<Index>(first + length / 2), 0, cells - 1);
}

}  // namespace

MapPlace SearchController::go_to_map_place() const {
  const GoToPlace place = go_to_place(view_, *now_.evaluation.result);
  return {place.stage, place.rows, place.cols};
}

// Returns the place of the view: the pinned cell, or the middle of what is in sight.
Source SearchController::go_to_origin() const {
  const MapPlace place = go_to_map_place();
  const CellWindow window = window_of(view_.map, place);
  const AttentionConfig& config = now_.evaluation.result->config;
  const Index head = go_to_place(view_, *now_.evaluation.result).head;
  Source cell = with_batch_and_head_of(config, {.stage = place.stage, .batch = view_.batch, .head = head});
  const bool is_pinned = view_.pinned && is_query_by_key(info(view_.pinned->stage).axes);
  cell.row = is_pinned ? std::min(view_.pinned->row, place.rows - 1) : middle_cell(window.row, window.rows, place.rows);
  cell.col = is_pinned ? std::min(view_.pinned->col, place.cols - 1) : middle_cell(window.col, window.cols, place.cols);
  return cell;
}

std::string SearchController::go_to_cell(const Source& cell) {
  const AttentionConfig& config = now_.evaluation.result->config;
  const bool is_covered =
      std::ranges::any_of(covers_of(now_), [&](const Cover& cover) { return cover.hides(config, cell); });
  const std::optional<Source> before = std::exchange(view_.pinned, cell);
  note_pinned(view_, before);
  view_.transient.keys_lead = true;
  reveal(view_, go_to_map_place(), cell.row, cell.col);
  return fmt::format("{}, {}\n{}", format_position("query", cell.row, query_labels(now_)),
                     format_position("key", cell.col, now_.labels),
                     is_covered ? "covered" : format_full(value_at(*now_.evaluation.result, cell)));
}

void SearchController::go_to_token() {
  const AttentionConfig& config = now_.evaluation.result->config;
  const bool is_key = state_.side != GoToState::Side::query;
  const bool is_query = state_.side != GoToState::Side::key;
  std::vector<std::string> names = query_labels(now_);
  if (is_key) names = now_.document.tokens;
  names.resize(static_cast<std::size_t>(is_key ? key_count(config) : query_count(config)));  // some have only numbers
  const TokenMatch match = find_token(names, state_.text, state_.token);
  Source cell = go_to_origin();
  if (match.token < 0 || (is_query && match.token >= query_count(config))) {
    state_.status = fmt::format("No {} is called “{}”.", is_key ? "token" : "query", state_.text);
    return;
  }
  state_.token = match.token;
  if (is_query) cell.row = match.token;
  if (is_key) cell.col = match.token;
  // Not to a hidden cell where there is another: to the first query that sees the key, or the last key that it sees.
  const Visibility seen = visibility(config, cell.stage);
  Index query = seen.first_query_of(cell.col);
  while (query < query_count(config) && seen.hides(query, cell.col)) ++query;
  const Index key = seen.of(cell.row).last - 1;
  const bool is_other_seen = is_key ? query < query_count(config) : !seen.of(cell.row).is_empty();
  if (seen.hides(cell.row, cell.col) && is_other_seen) (is_key ? cell.row : cell.col) = is_key ? query : key;
  const std::string where = go_to_cell(cell);
  state_.status = fmt::format("{} of {}: {}", match.rank + 1, match.count, where);
}

void SearchController::go_to_largest() {
  constexpr std::size_t wanted_cells = 20;
  const Result& result = *now_.evaluation.result;
  const GoToPlace place = go_to_place(view_, result);
  if (const std::string obstacle = obstacle_of_cover(now_); !obstacle.empty()) {
    state_.status = obstacle;
    return;
  }
  const std::uint64_t ticket = now_.evaluation.result_ticket;
  const bool is_listed = !listed_.cells.empty() && listed_.ticket == ticket && listed_.stage == place.stage &&
                         listed_.matrix == place.matrix;
  if (!is_listed) {
    const Execution execution{view_.backend, view_.threads, {}};
    listed_ = {ticket, place.stage, place.matrix,
               largest_cells(result, place.stage, place.matrix, wanted_cells, execution)};
  }
  const Index count = std::ssize(listed_.cells);
  if (count == 0) {
    state_.status = "Every cell is 0.";
    return;
  }
  state_.largest = is_listed ? (state_.largest + 1) % count : 0;
  const LargeCell& large = listed_.cells[static_cast<std::size_t>(state_.largest)];
  const Source cell = {place.stage, view_.batch, place.head, large.row, large.col};
  const std::string where = go_to_cell(with_batch_and_head_of(result.config, cell));
  state_.status = fmt::format("{} of {}: {}", state_.largest + 1, count, where);
}

void SearchController::go_along_diagonal() {
  const MapPlace place = go_to_map_place();
  if (place.rows != place.cols) {
    state_.status = "There is no diagonal: queries and keys are other tokens.";
    return;
  }
  const CellWindow now = window_of(view_.map, place);
  CellWindow next = now;
  next.rows = next.cols = std::min(now.rows, legible_cells(view_));
  const auto tokens = static_cast<double>(place.rows);
  const bool is_on_diagonal = now.rows == next.rows && std::abs(now.row - now.col) < 0.5;
  const bool is_at_end = now.row + now.rows > tokens - 0.5;
  if (now.rows > next.rows || (is_on_diagonal && is_at_end)) {
    next.row = 0;
  } else if (is_on_diagonal) {
    next.row = now.row + diagonal_step * now.rows;
  }
  next.col = next.row;
  next = clamped(next, place.rows, place.cols);
  set_window(view_.map, place, next);
  state_.status = fmt::format("Tokens {} to {} of {}", static_cast<Index>(next.row) + 1,
                              static_cast<Index>(std::ceil(next.row + next.rows)), place.rows);
}

void SearchController::seek(const std::string& text) {
  state_.text = text;
  state_.token = -1;
}

void SearchController::choose_side(GoToState::Side side) {
  state_.side = side;
  state_.token = -1;
}

void SearchController::go_to(GoToState::Target target) {
  if (!now_.evaluation.result) return;
  const GoToPlace place = go_to_place(view_, *now_.evaluation.result);
  if (!has(*now_.evaluation.result, place.stage, place.matrix)) {
    state_.status = "This head is still being computed.";
    return;
  }
  switch (target) {
    case GoToState::Target::token:
      if (!state_.text.empty()) go_to_token();
      break;
    case GoToState::Target::largest:
      go_to_largest();
      break;
    case GoToState::Target::diagonal:
      go_along_diagonal();
      break;
    case GoToState::Target::first_column: {
      Source cell = go_to_origin();
      cell.col = 0;
      state_.status = go_to_cell(cell);
      break;
    }
  }
}

}  // namespace attnscope
