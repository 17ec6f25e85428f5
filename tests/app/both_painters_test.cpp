// Every layout of every example, painted on a page and in the window: the same words and boxes at the same places.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/error.h"
#include "core/results.h"
#include "document/builtin.h"
#include "document/json.h"
#include "paint/file/figure.h"
#include "painters.h"
#include "teach/teaching_view.h"
#include "view/colours.h"
#include "view/diagram.h"

namespace attnscope::test {
namespace {

constexpr double word_tolerance = 1.5;  // the window rounds words to pixels and has a few sizes of letters
constexpr double digit_rim = 1.5;       // beside a narrow digit
constexpr double box_tolerance = 1.01;  // and it rounds boxes; an outline lies in the middle of its pixels

struct Example {
  std::string id;
  std::string json;
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.id; }

std::vector<Example> examples() {
  std::vector<Example> all = {
      {"dropout", R"({"d_out": 4, "num_heads": 2, "dropout": 0.5})"},
      {"twelve_heads", R"({"d_out": 24, "num_heads": 12})"},
      {"many_tokens", R"({"inputs": {"randn": [64, 4]}, "d_out": 4, "num_heads": 2})"},
      {"softcap_and_bias", R"({"inputs": [[1, 2], [3, 4], [5, 6]], "d_out": 2, "num_heads": 1, "softcap": 2,
                               "bias": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]})"},
      {"given", R"({"mechanism": "scaled_dot_product_attention", "given": {
          "queries": [[1, 0], [0, 1], [1, 1]],
          "keys": [[1, 2], [3, 4], [5, 6], [1, 0], [0, 1], [2, 2], [1, 1]],
          "values": [[1, 2], [3, 4], [5, 6], [7, 8], [9, 1], [2, 3], [4, 5]]}})"}};
  for (const BuiltinDocument& document : builtin_documents()) {
    const bool is_slow = document.id == "gpt2_sized";  // its images take half a minute; they are as those of 64 tokens
    if (!is_slow) all.push_back({std::string(document.id), std::string(document.json)});
  }
  return all;
}

class BothPainters : public testing::TestWithParam<Example> {
protected:
  // `make` throws Error where the document has no such figure.
  void expect_same(const std::string& name, const std::function<Figure()>& make) {
    Figure figure;
    try {
      figure = make();
    } catch (const Error&) {
      return;
    }
    SCOPED_TRACE(name);
    ++layouts_;
    Seen page = seen_on_page(figure);
    const Seen window = window_.seen(figure.picture);
    for (const auto& [text, word] : window.words) take(page.words, text, word);
    for (const auto& [text, word] : page.words)
      ADD_FAILURE() << "on the page alone: " << text << " at " << word.begin.x << ", " << word.begin.y;
    for (const auto& [kind, boxes] : window.boxes)
      for (const Box& box : boxes) take(page.boxes[kind], kind, box);
    for (const auto& [kind, boxes] : page.boxes)
      for (const Box& box : boxes) ADD_FAILURE() << "on the page alone: " << kind << " " << said(box);
  }

  int layouts_ = 0, words_ = 0, boxes_ = 0;

private:
  static std::string said(const Box& box) { return fmt::format("{} {} {} {}", box.x, box.y, box.width, box.height); }

  void take(std::multimap<std::string, SeenWord>& words, const std::string& text, const SeenWord& word) {
    ++words_;
    // Digits are equally wide: a 1 at the end of a number stands in the middle of a wider place.
    const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    const double tolerance = word_tolerance + (is_digit(text.front()) || is_digit(text.back()) ? digit_rim : 0);
    const auto [first, last] = words.equal_range(text);
    const auto found = std::find_if(first, last, [&](const auto& other) {
      const picture::Point at = word.at(other.second.anchor), there = other.second.begin;
      return std::max(std::abs(at.x - there.x), std::abs(at.y - there.y)) <= tolerance;
    });
    if (found != last) {
      words.erase(found);
    } else {
      ADD_FAILURE() << "in the window alone: " << text << " at " << word.begin.x << ", " << word.begin.y;
    }
  }

  void take(std::vector<Box>& boxes, const std::string& kind, const Box& box) {
    ++boxes_;
    const auto found = std::ranges::find_if(boxes, [&](const Box& other) {
      return std::max({std::abs(box.x - other.x), std::abs(box.y - other.y), std::abs(box.right() - other.right()),
                       std::abs(box.bottom() - other.bottom())}) <= (kind == "ground" ? word_tolerance : box_tolerance);
    });
    if (found != boxes.end()) {
      boxes.erase(found);
    } else if (kind != "fill" || (box.width > 0 && box.height > 0)) {  // a bar of no height: nobody sees it
      ADD_FAILURE() << "in the window alone: " << kind << " " << said(box);
    }
  }

  SightOfWindow window_{GetParam().json};
};

// A above B, as the window shows them; figures have no such page.
Figure compared(const std::shared_ptr<const Result>& a, const std::shared_ptr<const Result>& b,
                const std::vector<std::string>& keys, const FigureOptions& options) {
  const TextShaper shaper;
  const picture::TextMeasure measure = shaper.text_measure();
  scene::DiagramCanvas canvas;
  canvas.box = {0, 0, 1600, 1000};
  const auto shape = [&](const Result& result) { return scene::diagram_shape(result, keys, {}, {}); };
  const std::optional<scene::DiagramLayout> layout = scene::layout_compared(shape(*a), shape(*b), canvas, measure);
  if (!layout) throw Error("There is no room for both.");
  scene::DiagramData data;
  data.result = a;
  data.matrix = [&](Stage stage, Index head, bool is_second) {
    picture::Matrix matrix = picture::matrix_of(is_second ? b : a, stage, 0, head);
    matrix.range = signed_range(1, false);
    return std::optional(matrix);
  };
  data.row_sum = [](Stage, Index, bool) { return 1.0F; };
  data.theme = &colours_of(ThemeId::light);
  data.measure = measure;
  return {options, "A over B", 1600, 1000, scene::diagram_picture(*layout, data)};
}

TEST_P(BothPainters, DrawTheSameWordsAndBoxes) {
  const Document document = parse_document(GetParam().json);
  AttentionConfig other = document.config;
  other.seed += 1;
  other.mask = MaskRoute::none;
  const auto result = std::make_shared<const Result>(evaluate(document.config));
  const auto before = std::make_shared<const Result>(evaluate(other));
  const std::shared_ptr<const Result> difference = difference_of(result, before);
  const std::vector<std::string> labels = token_labels(document.tokens);
  FigureOptions options;
  options.theme = FigureTheme::transparent;
  const auto expect_figure = [&](std::string_view name, const std::shared_ptr<const Result>& of) {
    expect_same(std::string(name), [&] { return make_figure(of, labels, options); });
  };
  for (const StageInfo& stage : stages()) {
    options.stage = stage.stage;
    expect_figure(stage.id, result);
    options.side = ComparedSide::side_by_side;
    expect_figure(fmt::format("{} side by side", stage.id), difference);
    options.side = ComparedSide::now;
    options.head.reset();
    if (is_per_head(document.config, stage.stage)) expect_figure(fmt::format("{} of all heads", stage.id), result);
    options.head = 0;
  }
  for (const TeachingViewInfo& study : studies()) {
    options.study.id = study.id;
    expect_figure(study.id, result);
  }
  options.study = {};
  options.stage.reset();
  options.width = {1400, LengthUnit::pixels};
  expect_figure("diagram", result);
  expect_same("A over B", [&] { return compared(before, result, labels, options); });
  EXPECT_GT(layouts_, 20);
  EXPECT_GT(words_, 1000);
  EXPECT_GT(boxes_, 400);
  RecordProperty("layouts", layouts_);
  RecordProperty("words", words_);
  RecordProperty("boxes", boxes_);
}

INSTANTIATE_TEST_SUITE_P(Of, BothPainters, testing::ValuesIn(examples()), [](const auto& at) { return at.param.id; });

}  // namespace
}  // namespace attnscope::test
