#include "files/result_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <iterator>
#include <span>

#include "core/error.h"
#include "core/evaluate.h"
#include "core/model/transformer.h"
#include "core/text.h"
#include "files/array_files.h"
#include "platform/system/file.h"

namespace attnscope {

namespace {

constexpr Index cells_at_once = Index{1} << 20;

std::vector<Index> shape_of(const Result& result, Stage stage) {
  const Tensor* const tensor = result.find(stage);
  return tensor ? tensor->shape : stage_shape(result.config, stage);
}

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

WrittenArray::WrittenArray(const Result& result, Stage stage, const ResultPart& part)
    : name_(info(stage).id),
      shape_(shape_of(result, stage)),
      kind_(stage == Stage::mask ? Kind::booleans : Kind::numbers) {
  const bool has_heads = is_per_head(result.config, stage);
  const Index heads = matrices_per_entry(result.config, stage);
  const bool picks_batch = part.batch && is_per_batch(stage);
  const bool picks_head = part.head && has_heads;
  const Index count = element_count(std::span(shape_).first(shape_.size() - 2));
  std::vector<Index> matrices;  // b * H + h
  for (Index matrix = 0; matrix < count; ++matrix) {
    if (picks_batch && matrix / heads != *part.batch) continue;
    const bool is_of_head = matrix == matrix_of(result.config, stage, matrix / heads, part.head.value_or(0));
    if (picks_head && !is_of_head) continue;
    matrices.push_back(matrix);
  }
  const Index matrix_rows = shape_[shape_.size() - 2];
  const Index cols = shape_.back();
  read_ = [&result, stage, matrices = std::move(matrices), matrix_rows, cols](std::span<float> cells, Index first) {
    const Index row = first % matrix_rows;
    const Index read = std::min(static_cast<Index>(cells.size()) / cols, matrix_rows - row);
    read_cells(cells.first(static_cast<std::size_t>(read * cols)), result, stage,
               matrices[static_cast<std::size_t>(first / matrix_rows)], {row, 0, read, cols});
    return read;
  };
  if (picks_head) shape_.erase(shape_.begin() + (is_per_batch(stage) ? 1 : 0));
  if (picks_batch) shape_.erase(shape_.begin());
}

void WrittenArray::for_each_strip(const std::function<void(std::span<const float>)>& visit) const {
  const Index at_once = std::clamp<Index>(cells_at_once / std::max<Index>(cols(), 1), 1, matrix_rows());
  std::vector<float> cells(static_cast<std::size_t>(at_once * cols()));
  for (Index first = 0; first < rows();) {
    const Index count = read(cells, first);
    visit(std::span(cells).first(static_cast<std::size_t>(count * cols())));
    first += count;
  }
}

const char* WrittenArray::type() const {
  return kind_ == Kind::booleans ? "|b1" : kind_ == Kind::whole_numbers ? "<i8" : "<f4";
}

std::string WrittenArray::bytes_of(std::span<const float> cells) const {
  if (kind_ == Kind::numbers) return {reinterpret_cast<const char*>(cells.data()), cells.size_bytes()};
  std::string bytes;
  for (const float cell : cells) {
    if (is_boolean()) {
      bytes += static_cast<char>(cell != 0);
    } else {
      const auto number = static_cast<std::int64_t>(cell);
      bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
  }
  return bytes;
}

std::uint64_t WrittenArray::byte_count() const {
  const std::size_t size = is_boolean() ? 1 : kind_ == Kind::whole_numbers ? sizeof(std::int64_t) : sizeof(float);
  return static_cast<std::uint64_t>(rows() * cols()) * size;
}

std::vector<WrittenArray> arrays_of(const Result& result, const ResultPart& part) {
  std::vector<WrittenArray> arrays;
  for (const Stage stage : part.stages) arrays.emplace_back(result, stage, part);
  if (!part.stages.empty()) return arrays;
  for (const StageInfo& stage : stages()) {
    if (has(result, stage.stage) && !is_parameter(stage.axes)) arrays.emplace_back(result, stage.stage, part);
  }
  return arrays;
}

namespace {

constexpr std::size_t text_at_once = std::size_t{1} << 16;

// Text on its way out, in pieces that do not grow with the result.
struct Pieces {
  const std::function<void(std::string_view)>& write;
  std::string text = {};

  void flush() {
    write(text);
    text.clear();
  }
};

void append_number(std::string& text, float value) {
  const auto out = std::back_inserter(text);
  if (std::isnan(value)) {
    text += "\"nan\"";
  } else if (std::isinf(value)) {
    text += value < 0 ? "\"-inf\"" : "\"inf\"";
  } else if (value == 0 && std::signbit(value)) {
    text += "-0.0";  // a whole -0 would lose its sign
  } else {
    fmt::format_to(out, "{}", value);
  }
}

void append_row(std::string& text, std::span<const float> row, bool is_boolean) {
  text += '[';
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) text += ", ";
    if (is_boolean) {
      text += row[i] != 0 ? "true" : "false";
    } else {
      append_number(text, row[i]);
    }
  }
  text += ']';
}

// How many dimensions begin or end at this row: the brackets that stand before or after it.
std::size_t boundaries(const std::vector<Index>& shape, Index row) {
  std::size_t count = 0;
  for (std::size_t axis = shape.size() - 1; axis-- > 0;) {
    if (row % shape[axis] != 0) break;
    ++count;
    row /= shape[axis];
  }
  return count;
}

void append_array(Pieces& pieces, const WrittenArray& array) {
  const std::size_t depth = array.shape().size() - 1;
  Index row = 0;
  const auto append = [&](std::span<const float> cells) {
    const std::size_t opened = row == 0 ? depth : boundaries(array.shape(), row);
    pieces.text += row == 0 ? "" : ",\n    " + std::string(depth - opened, ' ');
    pieces.text.append(opened, '[');
    append_row(pieces.text, cells, array.is_boolean());
    pieces.text.append(row + 1 == array.rows() ? depth : boundaries(array.shape(), row + 1), ']');
    if (pieces.text.size() > text_at_once) pieces.flush();
    ++row;
  };
  const auto cols = static_cast<std::size_t>(array.cols());
  array.for_each_strip([&](std::span<const float> cells) {
    for (std::size_t first = 0; first < cells.size(); first += cols) append(cells.subspan(first, cols));
  });
}

}  // namespace

void write_json(const std::vector<WrittenArray>& arrays, const std::function<void(std::string_view)>& write) {
  Pieces pieces{write};
  pieces.text = "{";
  bool is_first = true;
  for (const WrittenArray& array : arrays) {
    pieces.text += fmt::format("{}\n  \"{}\":\n    ", is_first ? "" : ",", array.name());
    append_array(pieces, array);
    is_first = false;
  }
  pieces.text += "\n}\n";
  pieces.flush();
}

void write_json(const Result& result, const ResultPart& part, const std::function<void(std::string_view)>& write) {
  write_json(arrays_of(result, part), write);
}

void check_result_path(const std::filesystem::path& path) {
  static constexpr std::array<std::string_view, 4> endings = {".npz", ".json", ".npy", ".csv"};
  if (std::ranges::find(endings, path.extension().string()) != endings.end()) return;
  throw Error(fmt::format("Cannot write {}: results are written as .npz, .npy, .csv or .json.", shown_path(path)));
}

void check_result_fits(const AttentionConfig& config, const ResultPart& part, const std::filesystem::path& path) {
  const std::vector<Stage>& chosen = part.stages;
  const bool is_csv = path.extension() == ".csv";
  if (!is_csv && path.extension() != ".npy") return;
  if (chosen.size() != 1) {
    throw Error(fmt::format("Cannot write {}: {} holds one stage, but {} were chosen: name one with --stages.",
                            shown_path(path), shown_text(path.extension().string()),
                            chosen.empty() ? "all" : std::to_string(chosen.size())));
  }
  if (!is_csv) return;
  const auto refuse = [&](Index count, const char* what, const char* option) {
    throw Error(fmt::format("Cannot write {}: .csv holds one matrix, but {} has {} {}: choose one with {} 1 to {}.",
                            shown_path(path), info(chosen[0]).id, count, what, option, count));
  };
  if (is_per_batch(chosen[0]) && !part.batch && config.batch_size > 1) {
    refuse(config.batch_size, "batch entries", "--batch");
  }
  if (is_per_head(config, chosen[0]) && !part.head && head_count(config) > 1) {
    refuse(head_count(config), "heads", "--head");
  }
}

namespace {

void write_npy(const WrittenArray& array, const std::filesystem::path& path) {
  FileWriter writer(path);
  writer.write(npy_header(array.type(), array.shape()));
  array.for_each_strip([&](std::span<const float> cells) { writer.write(array.bytes_of(cells)); });
  writer.commit();
}

// Writes one stage that is one matrix, with the names of its rows and columns: tokens, or "d1", "d2", ….
void write_csv(const Result& result, const ResultPart& part, const RowNames& tokens,
               const std::filesystem::path& path) {
  const WrittenArray array(result, part.stages.at(0), part);
  assert(array.rows() == array.shape()[array.shape().size() - 2] && "one matrix, as was checked");
  LabelledMatrix matrix = labelled_matrix(part.stages[0], tokens, array.rows(), array.cols());
  array.read(matrix.values.values, 0);
  write_file(path, matrix_csv(matrix));
}

}  // namespace

void write_arrays(const std::vector<WrittenArray>& arrays, const std::filesystem::path& path) {
  check_result_path(path);
  const std::filesystem::path ending = path.extension();
  if (ending == ".npz") return write_npz(arrays, path);
  if (ending == ".npy" && arrays.size() == 1) return write_npy(arrays[0], path);
  if (ending != ".json") {
    throw Error(fmt::format("Cannot write {}: {} arrays are written as .npz or .json, and one of them also as .npy.",
                            shown_path(path), arrays.size()));
  }
  FileWriter writer(path);
  write_json(arrays, [&](std::string_view piece) { writer.write(piece); });
  writer.commit();
}

void write_result(const Result& result, const ResultPart& part, const std::filesystem::path& path,
                  const RowNames& tokens) {
  check_result_path(path);
  if (path.extension() == ".csv") return write_csv(result, part, tokens, path);
  write_arrays(arrays_of(result, part), path);
}

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
    const bool is_of_words = found->array == logits_array;
    if (is_of_words && !says_words(*pass.model) && names.empty()) continue;
    if (is_of_words && !says_words(*pass.model)) throw Error("model", no_words);
    arrays.push_back(found->array(pass));
  }
  return arrays;
}

}  // namespace attnscope
