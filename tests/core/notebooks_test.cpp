// Every figure that the five notebooks print, to every printed digit.

#include "json_support.h"
#include "support.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace attnscope::test {
namespace {

using nlohmann::json;

constexpr double half_a_digit = 0.5e-4 + 2e-6;  // the printed numbers are rounded to four decimals

const json& figures() {
  static const json file = read_data("notebooks.json");
  return file.at("figures");
}

// Documents repeat, and the largest takes a while: each is evaluated once.
const Result& evaluated(const json& document) {
  static std::map<std::string, Result> results;
  const auto found = results.find(document.dump());
  return found != results.end() ? found->second : results[document.dump()] = evaluate(config_from(document));
}

// Part of a tensor: what remains after the leading axes are indexed.
Tensor part_of(const Tensor& tensor, const std::vector<Index>& index) {
  std::vector<Index> shape = tensor.shape;
  Index offset = 0;
  Index stride = tensor.size();
  for (const Index i : index) {
    stride /= shape.front();
    offset += i * stride;
    shape.erase(shape.begin());
  }
  return {shape, {tensor.values.begin() + offset, tensor.values.begin() + offset + stride}};
}

Tensor row_sums(const Tensor& tensor) {
  Tensor sums({tensor.shape.begin(), tensor.shape.end() - 1});
  for (Index row = 0; row < sums.size(); ++row) {
    const auto begin = tensor.values.begin() + row * tensor.cols();
    sums.values[static_cast<std::size_t>(row)] = std::accumulate(begin, begin + tensor.cols(), 0.0F);
  }
  return sums;
}

Tensor shown(const json& figure) {
  const Result& result = evaluated(figure.at("document"));
  Tensor tensor;
  for (const StageInfo& stage : stages()) {
    if (stage.id == figure.at("stage").get<std::string>()) tensor = *result.find(stage.stage);
  }
  tensor = part_of(tensor, figure.value("index", std::vector<Index>{}));
  if (figure.value("squeeze_head", false)) tensor.shape.erase(tensor.shape.begin() + 1);
  if (figure.value("reduce", "") == "row_sum") tensor = row_sums(tensor);
  if (figure.at("stage") == "mask") {
    for (float& value : tensor.values) value = 1.0F - value;  // the notebook prints where the query may look
  }
  return tensor;
}

bool agrees(float value, const json& printed) {
  if (printed == "-inf") return value == -std::numeric_limits<float>::infinity();
  return std::abs(static_cast<double>(value) - printed.get<double>()) <= half_a_digit;
}

// Counts the numbers compared into `count`; a printed null stands for a row or column that the notebook leaves out.
void expect_printed(const Tensor& tensor, const json& printed, int& count) {
  if (!printed.is_array()) {
    ASSERT_EQ(tensor.size(), 1);
    EXPECT_TRUE(agrees(tensor.values[0], printed)) << tensor.values[0] << " for the printed " << printed;
    ++count;
    return;
  }
  const auto length = static_cast<Index>(printed.size());
  const bool is_elided = std::ranges::find(printed, json()) != printed.end();
  ASSERT_TRUE(is_elided ? tensor.shape.at(0) > length : tensor.shape.at(0) == length);
  for (Index i = 0; i < length; ++i) {
    const json& entry = printed.at(static_cast<std::size_t>(i));
    if (entry.is_null()) continue;
    const bool is_after_gap = is_elided && i > length / 2;
    expect_printed(part_of(tensor, {is_after_gap ? tensor.shape[0] - length + i : i}), entry, count);
  }
}

void expect_figure(const json& figure) {
  SCOPED_TRACE("figure " + figure.at("id").get<std::string>());
  const Tensor tensor = shown(figure);
  int count = 0;
  if (figure.contains("printed")) expect_printed(tensor, figure.at("printed"), count);
  if (figure.contains("shape")) {
    EXPECT_EQ(tensor.shape, figure.at("shape").get<std::vector<Index>>());
    ++count;
  }
  EXPECT_GT(count, 0) << "the figure shows nothing that was compared";
}

bool is_gpt2_sized(const json& figure) { return figure.at("document").at("inputs").is_object(); }

TEST(NotebookFigures, SmallOnesAreReproducedToEveryDigit) {
  for (const json& figure : figures()) {
    if (!is_gpt2_sized(figure)) expect_figure(figure);
  }
}

TEST(NotebookFigures, TheGpt2ExerciseIsReproducedToEveryDigit) {
  for (const json& figure : figures()) {
    if (is_gpt2_sized(figure)) expect_figure(figure);
  }
}

TEST(NotebookFigures, AreAllOfThem) { EXPECT_EQ(figures().size(), 77U); }

TEST(NotebookFigures, ComparisonNoticesTheLastPrintedDigit) {
  EXPECT_TRUE(agrees(0.12344F, json(0.1234)));
  EXPECT_FALSE(agrees(0.12344F, json(0.1235)));
  EXPECT_FALSE(agrees(0.0F, json("-inf")));
}

}  // namespace
}  // namespace attnscope::test
