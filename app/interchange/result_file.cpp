#include "interchange/result_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <iterator>
#include <span>

#include "core/error.h"
#include "interchange/matrix_text.h"
#include "interchange/npy.h"
#include "platform/system/file.h"

namespace attnscope {
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

void append_row(std::string& text, const float* row, Index count, bool is_boolean) {
  text += '[';
  for (Index i = 0; i < count; ++i) {
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

void append_tensor(Pieces& pieces, const Tensor& tensor, bool is_boolean) {
  const Index cols = tensor.cols();
  const Index rows = tensor.size() / cols;
  const std::size_t depth = tensor.shape.size() - 1;
  for (Index row = 0; row < rows; ++row) {
    const std::size_t opened = row == 0 ? depth : boundaries(tensor.shape, row);
    pieces.text += row == 0 ? "" : ",\n    " + std::string(depth - opened, ' ');
    pieces.text.append(opened, '[');
    append_row(pieces.text, tensor.values.data() + row * cols, cols, is_boolean);
    pieces.text.append(row + 1 == rows ? depth : boundaries(tensor.shape, row + 1), ']');
    if (pieces.text.size() > text_at_once) pieces.flush();
  }
}

}  // namespace

std::vector<Stage> stages_to_write(const Result& result, const std::vector<Stage>& chosen) {
  if (!chosen.empty()) return chosen;
  std::vector<Stage> present;
  for (const StageInfo& stage : stages()) {
    if (result.find(stage.stage) && !is_parameter(stage.axes)) present.push_back(stage.stage);
  }
  return present;
}

void write_json(const Result& result, const std::vector<Stage>& chosen,
                const std::function<void(std::string_view)>& write) {
  Pieces pieces{write};
  pieces.text = "{";
  bool is_first = true;
  for (const Stage stage : stages_to_write(result, chosen)) {
    pieces.text += fmt::format("{}\n  \"{}\":\n    ", is_first ? "" : ",", info(stage).id);
    append_tensor(pieces, *result.find(stage), stage == Stage::mask);
    is_first = false;
  }
  pieces.text += "\n}\n";
  pieces.flush();
}

std::string result_to_json(const Result& result, const std::vector<Stage>& chosen) {
  std::string json;
  write_json(result, chosen, [&](std::string_view piece) { json += piece; });
  return json;
}

void check_result_path(const std::filesystem::path& path) {
  static constexpr std::array<std::string_view, 4> endings = {".npz", ".json", ".npy", ".csv"};
  if (std::ranges::find(endings, path.extension().string()) != endings.end()) return;
  throw Error(fmt::format("Cannot write {}: results are written as .npz, .npy, .csv or .json.", path.string()));
}

void check_result_fits(const AttentionConfig& config, const std::vector<Stage>& chosen,
                       const std::optional<Index>& batch, const std::optional<Index>& head,
                       const std::filesystem::path& path) {
  const bool is_csv = path.extension() == ".csv";
  if (!is_csv && path.extension() != ".npy") return;
  if (chosen.size() != 1) {
    throw Error(fmt::format("Cannot write {}: {} holds one stage, but {} were chosen: name one with --stages.",
                            path.string(), path.extension().string(),
                            chosen.empty() ? "all" : std::to_string(chosen.size())));
  }
  if (!is_csv) return;
  const auto refuse = [&](Index count, const char* what, const char* option) {
    throw Error(fmt::format("Cannot write {}: .csv holds one matrix, but {} has {} {}: choose one with {} 1 to {}.",
                            path.string(), info(chosen[0]).id, count, what, option, count));
  };
  if (is_per_batch(chosen[0]) && !batch && config.batch_size > 1) refuse(config.batch_size, "batch entries", "--batch");
  if (is_per_head(config, chosen[0]) && !head && head_count(config) > 1) refuse(head_count(config), "heads", "--head");
}

namespace {

// The part of a tensor at one index of an axis, whose axis is gone.
Tensor at_index(const Tensor& tensor, std::size_t axis, Index index) {
  std::vector<Index> shape = tensor.shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  Tensor part(shape);
  const auto sizes = std::span(tensor.shape);
  const Index inner = element_count(sizes.subspan(axis + 1));
  const Index outer = element_count(sizes.first(axis));
  for (Index i = 0; i < outer; ++i) {
    const float* from = tensor.values.data() + (i * sizes[axis] + index) * inner;
    std::copy_n(from, inner, part.values.data() + i * inner);
  }
  return part;
}

}  // namespace

Result select(const Result& result, const std::vector<Stage>& chosen, const std::optional<Index>& batch,
              const std::optional<Index>& head) {
  Result selected = result;
  if (!batch && !head) return selected;
  for (const Stage stage : stages_to_write(result, chosen)) {
    TensorPtr& tensor = selected.tensors[stage];
    const bool has_batch = is_per_batch(stage);
    if (head && is_per_head(result.config, stage)) {
      tensor = std::make_shared<const Tensor>(at_index(*tensor, has_batch ? 1 : 0, *head));
    }
    if (batch && has_batch) tensor = std::make_shared<const Tensor>(at_index(*tensor, 0, *batch));
  }
  return selected;
}

void write_npy(const Result& result, Stage stage, const std::filesystem::path& path) {
  const Tensor& tensor = *result.find(stage);
  FileWriter writer(path);
  if (stage == Stage::mask) {
    std::string bytes = npy_header("|b1", tensor.shape);
    for (const float value : tensor.values) bytes += static_cast<char>(value != 0);
    writer.write(bytes);
  } else {
    writer.write(npy_header("<f4", tensor.shape));
    writer.write({reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size() * sizeof(float)});
  }
  writer.commit();
}

void write_csv(const Result& result, Stage stage, const std::vector<std::string>& tokens,
               const std::filesystem::path& path) {
  const Tensor& tensor = *result.find(stage);
  LabelledMatrix matrix = labelled_matrix(stage, tokens, tensor.rows(), tensor.cols());
  assert(tensor.size() == matrix.values.size());
  matrix.values.values = tensor.values;
  write_file(path, matrix_csv(matrix));
}

void write_result(const Result& result, const std::vector<Stage>& chosen, const std::filesystem::path& path,
                  const std::vector<std::string>& tokens) {
  check_result_path(path);
  const std::filesystem::path ending = path.extension();
  if (ending == ".npz") return write_npz(result, chosen, path);
  if (ending == ".npy") return write_npy(result, chosen.at(0), path);
  if (ending == ".csv") return write_csv(result, chosen.at(0), tokens, path);
  FileWriter writer(path);
  write_json(result, chosen, [&](std::string_view piece) { writer.write(piece); });
  writer.commit();
}

}  // namespace attnscope
