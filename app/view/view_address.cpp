#include "view/view_address.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/text.h"
#include "core/visibility.h"

namespace attnscope {
namespace {

// Returns a number that counts from 1 in the text, counted from 0; nothing if it is out of bounds.
std::optional<Index> place_in(std::string_view text, Index count) {
  const std::optional<Index> number = number_of<Index>(text);
  return number && *number >= 1 && *number <= count ? std::optional(*number - 1) : std::nullopt;
}

// Returns the cell of "weights:2,1", which earlier pictures have; its row and column count from 1.
std::optional<Source> earlier_cell(std::string_view text, const ViewAddress& address) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::size_t comma = std::min(text.find(',', colon), text.size());
  const std::optional<Stage> stage = stage_named(text.substr(0, colon));
  if (!stage || comma == text.size()) return {};
  constexpr Index most = std::numeric_limits<Index>::max();
  const std::optional<Index> row = place_in(text.substr(colon + 1, comma - colon - 1), most);
  const std::optional<Index> col = place_in(text.substr(comma + 1), most);
  if (!row || !col) return {};
  return Source{
      .stage = *stage, .batch = address.batch.value_or(0), .head = address.head.value_or(0), .row = *row, .col = *col};
}

// A cell of a stage without an axis for heads or batch entries gets those that are looked at.
void take_cell(ViewAddress& address, std::string_view text, const AttentionConfig& config) {
  std::optional<Source> cell = cell_named(text);
  if (!cell) cell = earlier_cell(text, address);
  if (!cell) return;
  const std::size_t axes = axis_count(info(cell->stage).axes);
  if (axes < 4) cell->head = address.head.value_or(0);
  if (axes < 3) cell->batch = address.batch.value_or(0);
  if (has_place_of(config, *cell)) address.pinned = cell;
}

void take_word(ViewAddress& address, std::string_view key, std::string_view value, const AttentionConfig& config) {
  constexpr std::string_view control = "study.";
  if (key == "layout") {
    address.mode = value;
  } else if (key == "stage") {
    const std::optional<Stage> stage = stage_named(value);
    if (stage && has_stage(config, *stage)) address.stage = stage;
  } else if (key == "head") {
    address.head = place_in(value, head_count(config));
  } else if (key == "batch") {
    address.batch = place_in(value, config.batch_size);
  } else if (key == "range") {
    for (const RangeModeName& row : range_modes) {
      if (row.id == value) address.range = row.mode;
    }
  } else if (key == "study") {
    address.study = {.id = std::string(value)};
  } else if (key.starts_with(control)) {
    if (const std::optional<double> number = number_of<double>(value))
      address.study.values[std::string(key.substr(control.size()))] = *number;
  } else if (key == "side") {
    for (const auto& [side, name] : compared_sides) {
      if (name == value) address.side = side;
    }
  } else if (key == "cell") {
    take_cell(address, value, config);
  }
}

}  // namespace

std::string address_text(const ViewAddress& address) {
  std::vector<std::string> words;
  if (!address.mode.empty()) words.push_back("layout=" + address.mode);
  if (address.stage) words.push_back(fmt::format("stage={}", info(*address.stage).id));
  if (address.head) words.push_back(fmt::format("head={}", *address.head + 1));
  if (address.batch) words.push_back(fmt::format("batch={}", *address.batch + 1));
  if (address.range) {
    const auto* const row = std::ranges::find(range_modes, *address.range, &RangeModeName::mode);
    words.push_back(fmt::format("range={}", row->id));
  }
  if (address.pinned && address.pinned->kind == SourceKind::cell) words.push_back("cell=" + cell_name(*address.pinned));
  for (const auto& [side, name] : compared_sides) {
    if (address.side == side && side != ComparedSide::now) words.push_back(fmt::format("side={}", name));
  }
  if (!address.study.id.empty()) words.push_back("study=" + address.study.id);
  for (const auto& [control, value] : address.study.values) words.push_back(fmt::format("study.{}={}", control, value));
  return fmt::format("{}", fmt::join(words, " "));
}

ViewAddress address_in(std::string_view text, const AttentionConfig& config) {
  ViewAddress address;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t equals = std::min(word.find('='), word.size());
    if (equals < word.size()) take_word(address, word.substr(0, equals), word.substr(equals + 1), config);
    begin = end + 1;
  }
  return address;
}

std::size_t axis_count(StageAxes axes) {
  if (axes == StageAxes::head_query_key || axes == StageAxes::head_token_feature) return 4;
  return axes == StageAxes::token_feature ? 3 : 2;
}

Source cell_at(Stage stage, std::span<const Index> index) {
  Source cell{.stage = stage, .row = index[index.size() - 2], .col = index.back()};
  if (index.size() > 2) cell.batch = index[0];
  if (index.size() > 3) cell.head = index[1];
  return cell;
}

std::string cell_name(const Source& cell) {
  const std::size_t axes = axis_count(info(cell.stage).axes);
  std::vector<Index> index;
  if (axes > 2) index.push_back(cell.batch);
  if (axes > 3) index.push_back(cell.head);
  index.insert(index.end(), {cell.row, cell.col});
  return fmt::format("{}[{}]", info(cell.stage).id, fmt::join(index, ","));
}

std::optional<Source> as_named(const AttentionConfig& config, const Source& cell) {
  Source told = cell;
  if (!is_per_head(config, cell.stage) && !is_parameter(info(cell.stage).axes)) told.head = 0;
  return cell_named(cell_name(told)) == told ? std::optional(told) : std::nullopt;
}

std::optional<Source> cell_named(std::string_view name) {
  const std::size_t open = name.find('[');
  if (open == std::string_view::npos || !name.ends_with(']')) return {};
  const std::optional<Stage> stage = stage_named(name.substr(0, open));
  if (!stage) return {};
  std::vector<Index> index;
  for (std::string_view rest = name.substr(open + 1); !rest.empty();) {
    const std::size_t end = rest.find_first_of(",]");
    const std::optional<Index> number = number_of<Index>(rest.substr(0, end));
    if (!number || *number < 0) return {};
    index.push_back(*number);
    rest.remove_prefix(end + 1);
  }
  if (index.size() != axis_count(info(*stage).axes)) return {};
  return cell_at(*stage, index);
}

bool has_place_of(const AttentionConfig& config, const Source& cell) {
  if (!has_stage(config, cell.stage)) return false;
  const std::vector<Index> shape = stage_shape(config, cell.stage);
  const auto is_within = [](Index at, Index count) { return at >= 0 && at < count; };
  return is_within(cell.batch, config.batch_size) && is_within(cell.head, head_count(config)) &&
         is_within(cell.row, shape[shape.size() - 2]) && is_within(cell.col, shape.back());
}

// The cell that tells most.

namespace {

constexpr Index most_cells = Index{1} << 16;  // more are computed only when somebody looks at them
constexpr Index sampled_rows = 8;
constexpr double least_excess = 1e-4;

Index cells_of_heads(const AttentionConfig& config) {
  return head_count(config) * query_count(config) * key_count(config);
}

// Calls visit(cell, excess, visible) for each visible cell of the rows that see `least_keys` keys or more; `excess` is
// what its weight exceeds an equal share by.
template <typename Visit>
void visit_shares(const Result& result, Index first_head, Index last_head, Index step, Index least_keys,
                  const Visit& visit) {
  const Visibility sees = visibility(result.config, Stage::weights);
  for (Index head = first_head; head < last_head; ++head) {
    for (Index row = step - 1; row < query_count(result.config); row += step) {
      const Index visible = std::min(sees.count(row), key_count(result.config));
      if (visible < least_keys) continue;
      const Source first{.stage = Stage::weights, .head = head, .row = row};
      const std::vector<float> weights = values_at(result, {first, key_count(result.config)});
      for (Index col = 0; col < key_count(result.config); ++col) {
        if (sees.hides(row, col)) continue;
        Source cell = first;
        cell.col = col;
        visit(cell, static_cast<double>(weights[static_cast<std::size_t>(col)]) - 1 / static_cast<double>(visible));
      }
    }
  }
}

std::optional<Source> largest_excess(const Result& result, Index first_head, Index last_head, Index step,
                                     Index least_keys) {
  std::optional<Source> best;
  double most = least_excess;
  visit_shares(result, first_head, last_head, step, least_keys, [&](const Source& cell, double excess) {
    if (!(excess > most)) return;
    most = excess;
    best = cell;
  });
  return best;
}

}  // namespace

std::optional<Source> most_telling_cell(const Result& result, std::optional<Index> head) {
  const AttentionConfig& config = result.config;
  if (!has(result, Stage::weights)) return {};
  const bool is_large = cells_of_heads(config) > most_cells;
  if (is_large && !head) head = 0;
  const Index first = std::clamp<Index>(head.value_or(0), 0, head_count(config) - 1);
  const Index last = head ? first + 1 : head_count(config);
  const Index step = is_large ? std::max<Index>(1, query_count(config) / sampled_rows) : 1;
  if (const std::optional<Source> cell = largest_excess(result, first, last, step, 3)) return cell;
  const Visibility sees = visibility(config, Stage::weights);
  for (Index row = 0; row < query_count(config); ++row)
    if (std::min(sees.count(row), key_count(config)) >= 3) return {};
  return largest_excess(result, first, last, step, 2);
}

std::optional<double> telling_factor(const Result& result) {
  const AttentionConfig& config = result.config;
  if (result.imported || !has(result, Stage::weights) || cells_of_heads(config) > most_cells) return {};
  if (normalizes_by_sum(config)) return {};
  // Softmax makes shares of e to each score: their logarithms differ as the scores do.
  std::map<std::pair<Index, Index>, std::pair<double, double>> ends;  // the smallest and the largest share of each row
  visit_shares(result, 0, head_count(config), 1, 2, [&](const Source& cell, double) {
    const auto share = static_cast<double>(value_at(result, cell));
    if (share <= 0) return;
    const auto [found, is_new] = ends.try_emplace({cell.head, cell.row}, share, share);
    found->second.first = std::min(found->second.first, share);
    found->second.second = std::max(found->second.second, share);
  });
  double widest = 0;
  for (const auto& [row, shares] : ends) widest = std::max(widest, std::log(shares.second / shares.first));
  constexpr double wanted = 4;
  constexpr double least = 1e-5;
  if (widest < least) return {};
  const double factor = std::max(2.0, wanted / widest);
  const double power = std::pow(10, std::floor(std::log10(factor)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= factor) return digit * power;
  return 10 * power;
}

bool has_nearly_equal_shares(const Result& result) {
  constexpr double most_excess = 0.1;
  const AttentionConfig& config = result.config;
  if (result.imported || !has(result, Stage::weights) || cells_of_heads(config) > most_cells) return false;
  bool is_shared = false;
  bool is_equal = true;
  visit_shares(result, 0, head_count(config), 1, 2, [&](const Source&, double excess) {
    is_shared = true;
    is_equal &= std::abs(excess) <= most_excess;
  });
  return is_shared && is_equal;
}

}  // namespace attnscope
