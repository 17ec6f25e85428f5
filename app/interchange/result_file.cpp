#include "interchange/result_file.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "core/error.h"
#include "interchange/file.h"

namespace attnscope {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 16;

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
    if (pieces.text.size() > piece_bytes) pieces.flush();
  }
}

}  // namespace

std::vector<Stage> stages_to_write(const Result& result, const std::vector<Stage>& chosen) {
  if (!chosen.empty()) return chosen;
  std::vector<Stage> present;
  for (const StageInfo& stage : stages()) {
    if (result.find(stage.stage)) present.push_back(stage.stage);
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
  const std::filesystem::path ending = path.extension();
  if (ending == ".npz" || ending == ".json") return;
  throw Error(fmt::format("Cannot write {}: results are written as .npz or .json.", path.string()));
}

void write_result(const Result& result, const std::vector<Stage>& chosen, const std::filesystem::path& path) {
  check_result_path(path);
  if (path.extension() == ".npz") return write_npz(result, chosen, path);
  FileWriter writer(path);
  write_json(result, chosen, [&](std::string_view piece) { writer.write(piece); });
  writer.commit();
}

}  // namespace attnscope
