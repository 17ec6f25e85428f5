#include "files/model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/cells.h"
#include "core/error.h"
#include "core/shown_text.h"
#include "core/words.h"

namespace attnscope {
namespace {

// Rows of a matrix that is in memory, some at a time.
Index copy_rows(std::span<float> cells, const Tensor& matrix, Index first) {
  const Index count = std::min(static_cast<Index>(cells.size()) / matrix.cols(), matrix.rows() - first);
  std::copy_n(matrix.values.begin() + first * matrix.cols(), count * matrix.cols(), cells.begin());
  return count;
}

WrittenArray token_ids(const ForwardPass& pass) {
  return {"token_ids",
          {std::ssize(pass.tokens)},
          [&pass](std::span<float> cells, Index) {
            std::ranges::transform(pass.tokens, cells.begin(), [](Index token) { return static_cast<float>(token); });
            return Index{1};
          },
          WrittenArray::Kind::whole_numbers};
}

WrittenArray embeddings(const ForwardPass& pass) {
  const Tensor& first = *pass.residual.front();
  return {"embeddings", {first.rows(), first.cols()}, [&first](std::span<float> cells, Index row) {
            return copy_rows(cells, first, row);
          }};
}

WrittenArray residual(const ForwardPass& pass) {
  const Tensor& first = *pass.residual.front();
  return {"residual",
          {std::ssize(pass.residual), first.rows(), first.cols()},
          [&pass, rows = first.rows()](std::span<float> cells, Index row) {
            return copy_rows(cells, *pass.residual[static_cast<std::size_t>(row / rows)], row % rows);
          }};
}

WrittenArray weights(const ForwardPass& pass) {
  const Index T = std::ssize(pass.tokens);
  const Index heads = pass.configs.front().num_heads;
  return {"weights", {pass.layer_count(), heads, T, T}, [&pass, T, heads](std::span<float> cells, Index first) {
            const Index row = first % T;
            const Index matrix = first / T;
            const Index count = std::min(static_cast<Index>(cells.size()) / T, T - row);
            read_cells(cells.first(static_cast<std::size_t>(count * T)),
                       *pass.layers[static_cast<std::size_t>(matrix / heads)], Stage::weights, matrix % heads,
                       {row, 0, count, T});
            return count;
          }};
}

WrittenArray logits_array(const ForwardPass& pass) {
  return {
      "logits", {std::ssize(pass.tokens), pass.model->shape.vocabulary}, [&pass](std::span<float> cells, Index first) {
        const Index words = pass.model->shape.vocabulary;
        const Index left = std::ssize(pass.tokens) - first;
        const Index count = std::min(static_cast<Index>(cells.size()) / words, left);
        std::ranges::copy(logits(pass, first, count, {}).values, cells.begin());
        return count;
      }};
}

struct ModelStage {
  std::string_view name;
  WrittenArray (*array)(const ForwardPass& pass);
};

constexpr std::array<ModelStage, 5> table = {{{"token_ids", token_ids},
                                              {"embeddings", embeddings},
                                              {"residual", residual},
                                              {"weights", weights},
                                              {"logits", logits_array}}};

}  // namespace

std::vector<std::string_view> model_stages() {
  std::vector<std::string_view> names;
  for (const ModelStage& stage : table) names.push_back(stage.name);
  return names;
}

std::vector<WrittenArray> arrays_of(const ForwardPass& pass, const std::vector<std::string_view>& names) {
  std::vector<WrittenArray> arrays;
  for (const std::string_view name : names.empty() ? model_stages() : names) {
    const auto found = std::ranges::find(table, name, &ModelStage::name);
    if (found == table.end()) {
      throw Error(
          fmt::format("{} is no stage of a whole model{} Name a layer in the document for those of its "
                      "attention.",
                      in_quotes(name), known_names(name, model_stages(), "; its stages are ")));
    }
    arrays.push_back(found->array(pass));
  }
  return arrays;
}

}  // namespace attnscope
