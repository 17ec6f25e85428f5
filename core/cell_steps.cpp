#include "core/cell_steps.h"

#include "core/bias.h"
#include "core/cell_rules.h"
#include "core/dropout_bits.h"
#include "core/dropout_mask.h"

#include <array>
#include <cmath>
#include <limits>

namespace attnscope {

namespace {

constexpr float score_of_hidden = -std::numeric_limits<float>::infinity();

// Factors of four neighbours, by their bits.
using FactorTable = std::array<std::array<float, 4>, 16>;

FactorTable factor_table(float factor) {
  FactorTable table{};
  for (std::size_t bits = 0; bits < table.size(); ++bits) {
    for (std::size_t i = 0; i < 4; ++i) table[bits][i] = (bits >> i & 1) != 0 ? factor : 0.0F;
  }
  return table;
}

// A row whose bits are at hand, from bit 0 on.
void drop_row(std::span<float> cells, const std::uint64_t* kept, const FactorTable& table) {
  const std::size_t fours = cells.size() / 4;
  float* cell = cells.data();
  for (std::size_t four = 0; four < fours; ++four, cell += 4) {
    const std::array<float, 4>& factors = table[kept[four / 16] >> (four % 16 * 4) & 15];
    for (std::size_t i = 0; i < 4; ++i) cell[i] *= factors[i];
  }
  for (std::size_t i = fours * 4; i < cells.size(); ++i) cells[i] *= table[kept[i / 64] >> (i % 64) & 1][0];
}

// One of which columns are left out.
void drop_picked(std::span<float> cells, const std::uint64_t* kept, Index step, float factor) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t k = i * static_cast<std::size_t>(step);
    cells[i] *= (kept[k / 64] >> (k % 64) & 1) != 0 ? factor : 0.0F;
  }
}

// Calls work(cells) for the cells of each row that the mask hides.
template <typename Work>
void for_each_hidden(const CellArea& area, const Work& work) {
  const Visibility seen = visibility(area.result.config);
  for_each_row(area, [&](std::span<float> cells, Index row) {
    for_each_hidden(seen, area.query(row), area.rect.col, area.rect.col + area.span(), [&](const KeyRange& keys) {
      const std::size_t first = area.cells_before(keys.first);
      work(cells.subspan(first, area.cells_before(keys.last) - first));
    });
  });
}

}  // namespace

void fill_mask(const CellArea& area) {
  for_each_row(area, [](std::span<float> cells, Index) { std::ranges::fill(cells, 0.0F); });
  for_each_hidden(area, [](std::span<float> cells) { std::ranges::fill(cells, 1.0F); });
}

void cell_steps::add_bias(const CellArea& area, Stage) {
  const Bias bias(area.result.config);
  for_each_row(area, [&](std::span<float> cells, Index row) {
    Index key = area.rect.col;
    for (float& cell : cells) {
      cell += bias.at(area.matrix, area.query(row), key);
      key += area.step.cols;
    }
  });
}

void cell_steps::mask_scores(const CellArea& area, Stage) {
  for_each_hidden(area, [](std::span<float> cells) { std::ranges::fill(cells, score_of_hidden); });
}

void cell_steps::apply_score_step(const CellArea& area, Stage stage) {
  const AttentionConfig& config = area.result.config;
  for_each_row(area, [&](std::span<float> cells, Index) { info(stage).step(config)->apply(cells, config); });
}

void cell_steps::normalize(const CellArea& area, Stage) {
  const bool by_sum = normalizes_by_sum(area.result.config);
  for_each_row(area, [&](std::span<float> cells, Index row) {
    const float max = area.result.rows->max[area.row_index(row)];
    const float sum = area.result.rows->sum[area.row_index(row)];
    if (by_sum) {
      for (float& cell : cells) cell /= sum;
    } else if (sum == 0) {  // the query sees no key
      std::ranges::fill(cells, 0.0F);
    } else {
      for (float& cell : cells) cell = cell == score_of_hidden ? 0.0F / sum : std::exp(cell - max) / sum;
    }
  });
}

void cell_steps::mask_weights(const CellArea& area, Stage) {
  for_each_hidden(area, [](std::span<float> cells) {
    for (float& cell : cells) cell *= 0.0F;
  });
}

void cell_steps::renormalize(const CellArea& area, Stage stage) {
  for_each_row(area, [&](std::span<float> cells, Index row) {
    const float sum = area.result.rows->masked_sum[area.row_index(row)];
    if (sees_nothing(area.result.config, stage, area.matrix, area.query(row))) {
      std::ranges::fill(cells, 0.0F);
      return;
    }
    for (float& cell : cells) cell /= sum;
  });
}

void take_step(const CellArea& area, Stage stage) {
  if (const auto step = info(info(stage).rule).step) step(area, stage);
}

KeptBits kept_bits(const CellArea& area) {
  if (!area.result.dropout) return {};
  const std::size_t words = words_of_bits(area.span());
  KeptBits kept{std::vector<std::uint64_t>(static_cast<std::size_t>(area.rect.rows) * words + 1), area.rect.col, words};
  DropoutRows rows(*area.result.dropout);
  for (Index row = 0; row < area.rect.rows; ++row) {
    rows.read(std::span(kept.bits).subspan(static_cast<std::size_t>(row) * words, words), area.matrix, area.query(row),
              area.rect.col, area.span());
  }
  return kept;
}

void drop(const CellArea& area, const KeptBits& kept) {
  if (!area.result.dropout) return;
  const float factor = area.result.dropout->factor();
  const FactorTable table = factor_table(factor);
  std::vector<std::uint64_t> bits(words_of_bits(area.span()));
  for_each_row(area, [&](std::span<float> cells, Index row) {
    copy_bits(bits, std::span(kept.bits).subspan(static_cast<std::size_t>(row) * kept.words),
              area.rect.col - kept.first_col, area.span());
    if (area.step.cols == 1) return drop_row(cells, bits.data(), table);
    drop_picked(cells, bits.data(), area.step.cols, factor);
  });
}

void advance_scores(std::span<float> cells, const Result& result, Stage stage, Index matrix) {
  const Index rows = query_count(result.config);
  const Index cols = static_cast<Index>(cells.size()) / rows;
  const CellArea area{result, matrix, {0, 0, rows, cols}, {}, cells.data(), cols};
  for (const Stage step : score_route(result.config)) {
    const bool hides = info(step).rule == CellRule::hide || info(step).rule == CellRule::keep_seen;
    if (!hides) take_step(area, step);
    if (step == stage) return;
  }
}

}  // namespace attnscope
