#include "document/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/evaluate.h"
#include "core/random.h"

namespace attnscope {
namespace {

// A weight as a matrix; a bias is a matrix of one row.
class WeightMatrix {
public:
  WeightMatrix(const Document& document, Stage stage, Index head)
      : document_(document), name_(parameter_name(document.config, stage, head)), seed_(drawn()) {
    const auto set = document.config.weight_overrides.find(name_);
    tensor_ = set == document.config.weight_overrides.end() ? seed_ : set->second.copy();
  }

  Index cols() const { return tensor_.shape.back(); }
  Index rows() const { return tensor_.size() / cols(); }
  float& at(Index row, Index col) { return tensor_.values[static_cast<std::size_t>(row * cols() + col)]; }
  float seed_at(Index row, Index col) const { return seed_.values[static_cast<std::size_t>(row * cols() + col)]; }

  // Writes the matrix into the document as an override, or removes the override if every number is the seed's.
  void put_into(Document& document) {
    Document changed = document_;
    auto& overrides = changed.config.weight_overrides;
    if (std::ranges::equal(tensor_.values, seed_.values)) {
      overrides.erase(name_);
    } else {
      overrides[name_] = std::move(tensor_);
    }
    replace(document, std::move(changed));
  }

private:
  Tensor drawn() const {
    if (name_.empty()) throw Error("weights", "This mechanism has no such weights.");
    return drawn_parameter(document_.config, name_);
  }

  const Document& document_;
  std::string name_;
  Tensor seed_;
  Tensor tensor_;
};

void check_cells(const WeightMatrix& matrix, const CellRect& rect) {
  const bool fits = rect.row >= 0 && rect.col >= 0 && rect.rows >= 0 && rect.cols >= 0 &&
                    rect.row + rect.rows <= matrix.rows() && rect.col + rect.cols <= matrix.cols();
  if (fits) return;
  throw Error("weights",
              fmt::format("There are no {} × {} numbers from row {} and column {} on: the matrix has {} × {}.",
                          rect.rows, rect.cols, rect.row + 1, rect.col + 1, matrix.rows(), matrix.cols()));
}

// Calls change(number, row, col) for each of the cells.
template <typename Change>
void change_cells(Document& document, const WeightCells& cells, const Change& change) {
  WeightMatrix matrix(document, cells.stage, cells.head);
  const CellRect& rect = cells.rect;
  check_cells(matrix, rect);
  for (Index row = rect.row; row < rect.row + rect.rows; ++row) {
    for (Index col = rect.col; col < rect.col + rect.cols; ++col) {
      float& number = matrix.at(row, col);
      number = change(number, row, col);
      if (!std::isfinite(number)) throw Error("weights", "A weight must be a finite number of float32.");
    }
  }
  matrix.put_into(document);
}

Tensor filled(const CellRect& rect, Filling filling, std::uint64_t seed) {
  Generator generator(seed);
  if (filling == Filling::orthogonal) return orthogonal_matrix(rect.rows, rect.cols, generator);
  Tensor tensor({rect.rows, rect.cols});
  if (filling == Filling::randn) fill_randn(tensor.values, generator);
  for (Index i = 0; filling == Filling::identity && i < std::min(rect.rows, rect.cols); ++i) tensor.matrix()(i, i) = 1;
  return tensor;
}

}  // namespace

CellRect all_cells(const AttentionConfig& config, Stage weight) {
  const std::vector<Index> shape = stage_shape(config, weight);
  return {0, 0, shape[shape.size() - 2], shape.back()};
}

CellRect cells_of_head(const AttentionConfig& config, Stage weight, Index head) {
  CellRect rect = all_cells(config, weight);
  if (!info(config.mechanism).splits_heads) return rect;
  if (weight == Stage::output_bias || is_gain(weight)) return {};
  const Index head_dim = head_features(config);
  const bool are_rows = info(weight).axes == StageAxes::weight && weight != Stage::output_weight;
  (are_rows ? rect.row : rect.col) = head * head_dim;
  (are_rows ? rect.rows : rect.cols) = head_dim;
  return rect;
}

void set_weight(Document& document, Stage weight, Index head, Index row, Index col, float value) {
  change_cells(document, {weight, head, {row, col, 1, 1}}, [&](float, Index, Index) { return value; });
}

void fill_weights(Document& document, const WeightCells& cells, Filling filling, std::uint64_t seed) {
  if (cells.rect.rows <= 0 || cells.rect.cols <= 0) throw Error("weights", "There are no numbers to fill here.");
  const Tensor numbers = filled(cells.rect, filling, seed);
  change_cells(document, cells, [&](float, Index row, Index col) {
    return numbers.matrix()(row - cells.rect.row, col - cells.rect.col);
  });
}

void make_one_hot(Document& document, const WeightCells& cells, Index row, Index col) {
  change_cells(document, cells, [&](float, Index r, Index c) { return r == row && c == col ? 1.0F : 0.0F; });
}

void scale_weights(Document& document, const WeightCells& cells, double factor) {
  change_cells(document, cells,
               [&](float number, Index, Index) { return static_cast<float>(static_cast<double>(number) * factor); });
}

void paste_weights(Document& document, Stage weight, Index head, Index row, Index col,
                   const std::vector<std::vector<float>>& rows) {
  const Index count = std::ssize(rows);
  const Index width = rows.empty() ? 0 : std::ssize(rows.front());
  const CellRect all = all_cells(document.config, weight);
  if (row + count > all.rows || col + width > all.cols) {
    throw Error("weights", fmt::format("The numbers are {} × {}, but from here on there is room for {} × {}.", count,
                                       width, all.rows - row, all.cols - col));
  }
  change_cells(document, {weight, head, {row, col, count, width}}, [&](float, Index r, Index c) {
    return rows[static_cast<std::size_t>(r - row)][static_cast<std::size_t>(c - col)];
  });
}

void copy_weights_of_head(Document& document, Stage weight, Index from, Index to) {
  const CellRect source = cells_of_head(document.config, weight, from);
  const CellRect target = cells_of_head(document.config, weight, to);
  if (!info(document.config.mechanism).has_heads || source.rows == 0)
    throw Error("weights", "These numbers belong to no head.");
  WeightMatrix numbers(document, weight, from);
  change_cells(document, {weight, to, target}, [&](float, Index row, Index col) {
    return numbers.at(row - target.row + source.row, col - target.col + source.col);
  });
}

AttentionConfig with_keys_of_queries(AttentionConfig config) {
  if (parameter_name(config, Stage::query_weight, 0).empty())
    throw Error("weights", "This mechanism has no weight matrices.");
  if (has_shared_keys(config))
    throw Error("weights",
                "Several heads share keys here, so W_key is smaller than W_query: empty the field key heads.");
  const AttentionConfig before = config;
  constexpr std::pair<Stage, Stage> equal[] = {{Stage::query_weight, Stage::key_weight},
                                               {Stage::query_bias, Stage::key_bias},
                                               {Stage::query_gain, Stage::key_gain}};
  for (Index head = 0; head < (has_own_heads(config) ? head_count(config) : 1); ++head) {
    for (const auto& [query, key] : equal) {
      const std::string name = parameter_name(before, query, head);
      if (name.empty()) continue;
      const auto set = before.weight_overrides.find(name);
      config.weight_overrides[parameter_name(before, key, head)] =
          set != before.weight_overrides.end() ? set->second : SharedTensor(drawn_parameter(before, name));
    }
  }
  return config;
}

void restore_weights(Document& document, const WeightCells& cells) {
  const WeightMatrix seed(document, cells.stage, cells.head);
  change_cells(document, cells, [&](float, Index row, Index col) { return seed.seed_at(row, col); });
}

void restore_all_weights(Document& document) { document.config.weight_overrides.clear(); }

}  // namespace attnscope
