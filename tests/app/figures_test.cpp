// Every figure that the notebooks print, through the program: from a document in a file to numbers in a file.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/evaluate.h"
#include "document/json.h"
#include "program.h"
#include "support.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

const json& figures() {
  static const json file = json::parse(data_text("notebooks.json"));
  return file.at("figures");
}

json transposed(const Tensor& tensor) {
  json rows = json::array();
  for (Index col = 0; col < tensor.cols(); ++col) {
    json row = json::array();
    for (Index i = 0; i < tensor.rows(); ++i) row.push_back(tensor.matrix()(i, col));
    rows.push_back(std::move(row));
  }
  return rows;
}

// One figure moves the weights of one module into another: those are written out.
json with_weights(json document) {
  if (!document.contains("weights_from")) return document;
  json source = document;
  source.erase("weights_from");
  for (const auto& [key, value] : document.at("weights_from").items()) source[key] = value;
  const Result result = evaluate(parse_document(source.dump()).config);
  document.erase("weights_from");
  for (const Parameter& parameter : *result.parameters) {
    document["weights"][parameter.name + ".weight"] = transposed(parameter.tensor);
  }
  return document;
}

bool agrees(const json& value, const json& printed) {
  if (printed.is_string()) return value == printed;
  if (value.is_boolean()) return printed.get<double>() == (value.get<bool>() ? 0.0 : 1.0);  // printed: may look
  constexpr double half_a_digit = 0.5e-4 + 2e-6;
  return value.is_number() && std::abs(value.get<double>() - printed.get<double>()) <= half_a_digit;
}

// Whether nested lists agree; a printed null stands for a part that the notebook leaves out.
bool all_agree(const json& value, const json& printed) {
  if (!printed.is_array()) return agrees(value, printed);
  const auto gap = std::ranges::find(printed, json());
  const bool is_elided = gap != printed.end();
  if (!value.is_array() || (is_elided ? value.size() <= printed.size() : value.size() != printed.size())) return false;
  for (std::size_t i = 0; i < printed.size(); ++i) {
    if (printed[i].is_null()) continue;
    const bool is_behind = is_elided && static_cast<std::ptrdiff_t>(i) > gap - printed.begin();
    if (!all_agree(value[is_behind ? value.size() - printed.size() + i : i], printed[i])) return false;
  }
  return true;
}

json shown(const json& stages, const json& figure) {
  json part = stages.at(figure.at("stage").get<std::string>());
  for (const json& index : figure.value("index", json::array())) part = json(part.at(index.get<std::size_t>()));
  if (figure.value("squeeze_head", false)) {
    for (json& batch : part) batch = json(batch.at(0));
  }
  if (figure.value("reduce", "") == "row_sum") {
    for (json& row : part) {
      double sum = 0;
      for (const json& value : row) sum += value.get<double>();
      row = sum;
    }
  }
  return part;
}

std::vector<std::size_t> shape_of(const json& value) {
  std::vector<std::size_t> shape;
  for (const json* level = &value; level->is_array(); level = &level->at(0)) shape.push_back(level->size());
  return shape;
}

std::map<std::string, std::vector<json>> figures_by_document() {
  std::map<std::string, std::vector<json>> grouped;
  for (const json& figure : figures()) grouped[figure.at("document").dump()].push_back(figure);
  return grouped;
}

json evaluated(const json& document, const std::vector<json>& of_document) {
  const TemporaryFolder folder;
  put_text(folder / "document.json", with_weights(document).dump());
  std::string stages;
  for (const json& figure : of_document) stages += (stages.empty() ? "" : ",") + figure.at("stage").get<std::string>();
  const std::string file = (folder / "result.json").string();
  const ProgramRun run = run_program({"eval", (folder / "document.json").string(), "--stages", stages, "-o", file});
  EXPECT_EQ(run.status, 0) << run.err;
  return json::parse(text_of(file));
}

constexpr std::size_t parts = 4;  // each takes every fourth document

class FiguresThroughTheProgram : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Parts, FiguresThroughTheProgram, testing::Range<std::size_t>(0, parts));

TEST_P(FiguresThroughTheProgram, AreReproducedToEveryDigit) {
  std::size_t documents = 0;
  for (const auto& [document, of_document] : figures_by_document()) {
    if (documents++ % parts != GetParam()) continue;
    const json stages = evaluated(json::parse(document), of_document);
    for (const json& figure : of_document) {
      SCOPED_TRACE("figure " + figure.at("id").get<std::string>());
      const json part = shown(stages, figure);
      if (figure.contains("printed")) {
        EXPECT_TRUE(all_agree(part, figure.at("printed")));
      }
      if (figure.contains("shape")) {
        EXPECT_EQ(shape_of(part), figure.at("shape").get<std::vector<std::size_t>>());
      }
    }
  }
  EXPECT_EQ(figures().size(), 77U);
}

TEST(ComparisonOfFigures, NoticesTheLastDigitAndTheShape) {
  EXPECT_TRUE(all_agree({{0.12344, "-inf"}}, {{0.1234, "-inf"}}));
  EXPECT_FALSE(all_agree({{0.12344, "-inf"}}, {{0.1235, "-inf"}}));
  EXPECT_FALSE(all_agree({{0.1234, 0.5}}, {{0.1234, "-inf"}}));
  EXPECT_FALSE(all_agree({0.1, 0.2, 0.3}, {0.1, 0.2}));
  EXPECT_TRUE(all_agree({1, 2, 3, 4}, {1, nullptr, 4}));
  EXPECT_FALSE(all_agree({1, 2, 3, 4}, {1, nullptr, 3}));
}

}  // namespace
}  // namespace attnscope::test
