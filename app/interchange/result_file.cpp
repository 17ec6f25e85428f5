#include "interchange/result_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <iterator>
#include <span>

#include "core/cells.h"
#include "core/error.h"
#include "core/shown_text.h"
#include "interchange/array_files.h"
#include "interchange/matrix_text.h"
#include "platform/system/file.h"

namespace attnscope {
namespace {

constexpr Index cells_at_once = Index{1} << 20;

std::vector<Index> shape_of(const Result& result, Stage stage) {
  const Tensor* const tensor = result.find(stage);
  return tensor ? tensor->shape : stage_shape(result.config, stage);
}

}  // namespace

StageArray::StageArray(const Result& result, Stage stage, const ResultPart& part)
    : result_(&result), stage_(stage), shape_(shape_of(result, stage)), matrix_rows_(shape_[shape_.size() - 2]) {
  const bool has_heads = is_per_head(result.config, stage);
  const Index heads = matrices_per_entry(result.config, stage);
  const bool picks_batch = part.batch && is_per_batch(stage);
  const bool picks_head = part.head && has_heads;
  const Index count = element_count(std::span(shape_).first(shape_.size() - 2));
  for (Index matrix = 0; matrix < count; ++matrix) {
    if (picks_batch && matrix / heads != *part.batch) continue;
    const bool is_of_head = matrix == matrix_of(result.config, stage, matrix / heads, part.head.value_or(0));
    if (picks_head && !is_of_head) continue;
    matrices_.push_back(matrix);
  }
  if (picks_head) shape_.erase(shape_.begin() + (is_per_batch(stage) ? 1 : 0));
  if (picks_batch) shape_.erase(shape_.begin());
}

Index StageArray::read(std::span<float> cells, Index first) const {
  const Index row = first % matrix_rows_;
  const Index count = std::min(static_cast<Index>(cells.size()) / cols(), matrix_rows_ - row);
  const auto part = cells.first(static_cast<std::size_t>(count * cols()));
  read_cells(part, *result_, stage_, matrices_[static_cast<std::size_t>(first / matrix_rows_)],
             {row, 0, count, cols()});
  return count;
}

void StageArray::for_each_strip(const std::function<void(std::span<const float>)>& visit) const {
  const Index at_once = std::clamp<Index>(cells_at_once / std::max<Index>(cols(), 1), 1, matrix_rows_);
  std::vector<float> cells(static_cast<std::size_t>(at_once * cols()));
  for (Index first = 0; first < rows();) {
    const Index count = read(cells, first);
    visit(std::span(cells).first(static_cast<std::size_t>(count * cols())));
    first += count;
  }
}

std::string StageArray::bytes_of(std::span<const float> cells) const {
  if (!is_boolean()) return {reinterpret_cast<const char*>(cells.data()), cells.size_bytes()};
  std::string bytes(cells.size(), '\0');
  std::ranges::transform(cells, bytes.begin(), [](float cell) { return static_cast<char>(cell != 0); });
  return bytes;
}

std::uint64_t StageArray::byte_count() const {
  return static_cast<std::uint64_t>(rows() * cols()) * (is_boolean() ? 1 : sizeof(float));
}

std::vector<StageArray> arrays_of(const Result& result, const ResultPart& part) {
  std::vector<StageArray> arrays;
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

void append_array(Pieces& pieces, const StageArray& array) {
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

void write_json(const Result& result, const ResultPart& part, const std::function<void(std::string_view)>& write) {
  Pieces pieces{write};
  pieces.text = "{";
  bool is_first = true;
  for (const StageArray& array : arrays_of(result, part)) {
    pieces.text += fmt::format("{}\n  \"{}\":\n    ", is_first ? "" : ",", info(array.stage()).id);
    append_array(pieces, array);
    is_first = false;
  }
  pieces.text += "\n}\n";
  pieces.flush();
}

std::string result_to_json(const Result& result, const ResultPart& part) {
  std::string json;
  write_json(result, part, [&](std::string_view piece) { json += piece; });
  return json;
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

void write_npy(const Result& result, const ResultPart& part, const std::filesystem::path& path) {
  const StageArray array(result, part.stages.at(0), part);
  FileWriter writer(path);
  writer.write(npy_header(array.is_boolean() ? "|b1" : "<f4", array.shape()));
  array.for_each_strip([&](std::span<const float> cells) { writer.write(array.bytes_of(cells)); });
  writer.commit();
}

void write_csv(const Result& result, const ResultPart& part, const std::vector<std::string>& tokens,
               const std::filesystem::path& path) {
  const StageArray array(result, part.stages.at(0), part);
  assert(array.rows() == array.shape()[array.shape().size() - 2] && "one matrix, as was checked");
  LabelledMatrix matrix = labelled_matrix(array.stage(), tokens, array.rows(), array.cols());
  array.read(matrix.values.values, 0);
  write_file(path, matrix_csv(matrix));
}

void write_result(const Result& result, const ResultPart& part, const std::filesystem::path& path,
                  const std::vector<std::string>& tokens) {
  check_result_path(path);
  const std::filesystem::path ending = path.extension();
  if (ending == ".npz") return write_npz(result, part, path);
  if (ending == ".npy") return write_npy(result, part, path);
  if (ending == ".csv") return write_csv(result, part, tokens, path);
  FileWriter writer(path);
  write_json(result, part, [&](std::string_view piece) { writer.write(piece); });
  writer.commit();
}

}  // namespace attnscope
