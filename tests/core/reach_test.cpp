// What a number follows from and what follows from it, at every remove, against a search cell by cell.

#include "core/source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "core/visibility.h"
#include "tests/support/dependencies.h"

namespace attnscope::test {
namespace {

using Cell = std::tuple<Stage, Index, Index, Index>;  // stage, head, row, column

AttentionConfig reach_config(Mechanism mechanism, MaskRoute mask, bool scale) {
  AttentionConfig config;
  config.mechanism = mechanism;
  config.mask = mask;
  config.scale = scale;
  config.d_out = 4;
  config.num_heads = 2;
  config.qkv_bias = true;
  config.dropout = 0.5;
  config.inputs = RandnInputs{4, 3};
  return config;
}

// Two heads share keys and values.
AttentionConfig grouped_config() {
  AttentionConfig config = reach_config(Mechanism::multi_head_attention, MaskRoute::causal, true);
  config.d_out = 8;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  return config;
}

// Heads from elsewhere, whose values are wider than their queries and keys, and more keys than queries.
AttentionConfig given_config() {
  AttentionConfig config = reach_config(Mechanism::scaled_dot_product_attention, MaskRoute::causal, true);
  config.heads = {Tensor({1, 3, 3, 2}), Tensor({1, 3, 4, 2}), Tensor({1, 3, 4, 5}), "given.npz"};
  config.num_heads = 3;
  return config;
}

// Dimensions 1 and 3 of a head turn together, 2 and 4 as well.
AttentionConfig turned_config() {
  AttentionConfig config = reach_config(Mechanism::multi_head_attention, MaskRoute::causal, true);
  config.d_out = 8;
  config.rope = Rope{.layout = RopeLayout::half};
  return config;
}

void for_all_configs(const std::function<void(const AttentionConfig&)>& check) {
  check(grouped_config());
  check(given_config());
  check(turned_config());
  for (const MechanismInfo& mechanism : mechanisms()) {
    for (const MaskRoute mask :
         {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized}) {
      for (const bool scale : {false, true}) {
        SCOPED_TRACE(testing::Message() << mechanism.id << " mask " << static_cast<int>(mask) << " scale " << scale);
        AttentionConfig config = reach_config(mechanism.mechanism, mask, scale);
        check(config);
        if (mask == MaskRoute::none) {
          AttentionConfig edited = config;
          edited.mask = MaskRoute::custom;
          edited.hidden = HiddenKeys({{{0, 1}, {2, 3}}, {{1, 3}}, {{0, 4}}, {{0, 1}}});
          check(edited);
        }
        if (!info(config.mechanism).has_heads || !scale) continue;
        config.heads_off = {1};
        config.dropout_edits = {{0, 0, 2, 1, true}, {0, 1, 3, 0, false}};
        check(config);
      }
    }
  }
}

bool is_hidden(const AttentionConfig& config, Stage stage, Index row, Index col) {
  return is_query_by_key(info(stage).axes) && visibility(config, stage).hides(row, col);
}

Cell cell_of(const AttentionConfig& config, const Source& source) {
  return {source.stage, is_per_head(config, source.stage) ? source.head : 0, source.row, source.col};
}

Source source_of(const Cell& cell) {
  const auto& [stage, head, row, col] = cell;
  return {.stage = stage, .head = head, .row = row, .col = col};
}

// Whether the number contributes: what is hidden does only to the cell in its own place.
bool contributes(const AttentionConfig& config, const Source& to, const Source& from) {
  if (to.stage == Stage::head_context && !is_query_by_key(info(from.stage).axes))
    return !is_hidden(config, score_route(config).back(), to.row, from.row);
  const bool is_in_place = is_query_by_key(info(to.stage).axes) && from.row == to.row && from.col == to.col;
  return is_in_place || !is_hidden(config, from.stage, from.row, from.col);
}

void collect(const AttentionConfig& config, const Source& of, std::set<Cell>& cells) {
  for (const Source& from : dependencies(config, of)) {
    if (from.kind == SourceKind::draw) continue;
    if (from.kind != SourceKind::cell) {
      for (const Source& each : dependencies(config, from)) {
        if (each.kind != SourceKind::cell || is_hidden(config, each.stage, each.row, each.col)) continue;
        if (cells.insert(cell_of(config, each)).second) collect(config, each, cells);
      }
    } else if (contributes(config, of, from) && cells.insert(cell_of(config, from)).second) {
      collect(config, from, cells);
    }
  }
}

// Those that are not hidden: rectangles may hold some that are.
std::set<Cell> seen_cells(const AttentionConfig& config, const std::set<Cell>& cells) {
  std::set<Cell> seen;
  for (const Cell& cell : cells) {
    const auto& [stage, head, row, col] = cell;
    if (!is_hidden(config, stage, row, col)) seen.insert(cell);
  }
  return seen;
}

std::set<Cell> cells_in(const std::vector<Reached>& reached) {
  std::set<Cell> cells;
  for (const Reached& each : reached) {
    for (Index row = each.rect.row; row < each.rect.row + each.rect.rows; ++row) {
      for (Index col = each.rect.col; col < each.rect.col + each.rect.cols; ++col)
        cells.emplace(each.stage, each.head, row, col);
    }
  }
  return cells;
}

// Heads that share a key have the same one: it is named by the first of them.
Cell shared_cell(const AttentionConfig& config, Cell cell) {
  auto& [stage, head, row, col] = cell;
  if (!has_key_rows(stage) || !is_per_head(config, stage)) return cell;
  const Index own = key_value_head(config, head);
  while (head > 0 && key_value_head(config, head - 1) == own) --head;
  return cell;
}

std::set<Cell> shared_cells(const AttentionConfig& config, const std::set<Cell>& cells) {
  std::set<Cell> shared;
  for (const Cell& cell : cells) shared.insert(shared_cell(config, cell));
  return shared;
}

std::vector<Cell> all_cells(const AttentionConfig& config) {
  std::vector<Cell> cells;
  for (const StageInfo& stage : stages()) {
    if (!has_stage(config, stage.stage)) continue;
    const std::vector<Index> shape = stage_shape(config, stage.stage);
    const Index heads = is_per_head(config, stage.stage) ? head_count(config) : 1;
    for (Index head = 0; head < heads; ++head) {
      for (Index row = 0; row < shape[shape.size() - 2]; ++row) {
        for (Index col = 0; col < shape.back(); ++col) cells.emplace_back(stage.stage, head, row, col);
      }
    }
  }
  return cells;
}

std::string text_of(const Cell& cell) {
  const auto& [stage, head, row, col] = cell;
  return std::string(info(stage).id) + " head " + std::to_string(head) + " " + std::to_string(row) + "," +
         std::to_string(col);
}

void expect_equal(const std::set<Cell>& found, const std::set<Cell>& wanted, const Cell& of) {
  if (found == wanted) return;
  std::string missing;
  std::string surplus;
  for (const Cell& cell : wanted) missing += found.contains(cell) ? "" : text_of(cell) + "; ";
  for (const Cell& cell : found) surplus += wanted.contains(cell) ? "" : text_of(cell) + "; ";
  ADD_FAILURE() << "of " << text_of(of) << "\nmissing: " << missing << "\ntoo many: " << surplus;
}

TEST(Reach, AncestorsAreThoseOfASearchCellByCell) {
  for_all_configs([](const AttentionConfig& config) {
    for (const Cell& cell : all_cells(config)) {
      std::set<Cell> wanted;
      collect(config, source_of(cell), wanted);
      expect_equal(seen_cells(config, cells_in(ancestors(config, source_of(cell)))), seen_cells(config, wanted), cell);
    }
  });
}

TEST(Reach, DescendantsAreThoseOfASearchCellByCell) {
  for_all_configs([](const AttentionConfig& config) {
    std::map<Cell, std::set<Cell>> wanted;
    for (const Cell& cell : all_cells(config)) {
      if (seen_cells(config, {cell}).empty()) continue;
      std::set<Cell> cells;
      collect(config, source_of(cell), cells);
      for (const Cell& each : cells) wanted[shared_cell(config, each)].insert(shared_cell(config, cell));
    }
    for (const Cell& cell : all_cells(config)) {
      if (std::get<Stage>(cell) == Stage::mask) continue;
      const std::set<Cell> found = seen_cells(config, cells_in(descendants(config, source_of(cell))));
      expect_equal(shared_cells(config, found), wanted[shared_cell(config, cell)], cell);
    }
  });
}

TEST(Reach, DistanceCountsSteps) {
  const AttentionConfig config = reach_config(Mechanism::multi_head_attention, MaskRoute::causal, true);
  std::map<Stage, int> distance;
  for (const Reached& each : ancestors(config, {.stage = Stage::weights, .row = 2, .col = 1}))
    distance.try_emplace(each.stage, each.distance);
  EXPECT_EQ(distance.at(Stage::scaled_scores), 1);
  EXPECT_EQ(distance.at(Stage::masked_scores), 2);
  EXPECT_EQ(distance.at(Stage::scores), 3);
  EXPECT_EQ(distance.at(Stage::keys), 4);
  EXPECT_EQ(distance.at(Stage::inputs), 5);
}

TEST(Reach, ASumOfARowIsItsRow) {
  const AttentionConfig config = reach_config(Mechanism::causal_attention, MaskRoute::causal, true);
  const Source sum{.stage = Stage::scaled_scores, .row = 2, .kind = SourceKind::exponential_sum};
  const std::vector<Reached> from = ancestors(config, sum);
  EXPECT_EQ(from.front(), (Reached{Stage::scaled_scores, 0, {2, 0, 1, 3}, 1}));
  EXPECT_EQ(descendants(config, sum).front(), (Reached{Stage::weights, 0, {2, 0, 1, 3}, 1}));
  EXPECT_TRUE(descendants(config, {.stage = Stage::weights, .row = 2, .kind = SourceKind::row_sum}).empty());
}

TEST(Reach, AHiddenCellOfTheMaskMakesTheScoresInItsPlaceHidden) {
  const AttentionConfig config = reach_config(Mechanism::multi_head_attention, MaskRoute::causal, true);
  const std::vector<Reached> found = descendants(config, {.stage = Stage::mask, .row = 1, .col = 3});
  for (const Index head : {0, 1})
    EXPECT_TRUE(std::ranges::count(found, Reached{Stage::masked_scores, head, {1, 3, 1, 1}, 1})) << head;
}

TEST(Reach, ADrawBecomesItsCell) {
  const AttentionConfig config = reach_config(Mechanism::causal_attention, MaskRoute::causal, true);
  const Source draw{.stage = Stage::dropout_factors, .row = 3, .col = 1, .kind = SourceKind::draw};
  EXPECT_TRUE(ancestors(config, draw).empty());
  EXPECT_EQ(descendants(config, draw).front(), (Reached{Stage::dropout_factors, 0, {3, 1, 1, 1}, 1}));
}

}  // namespace
}  // namespace attnscope::test
