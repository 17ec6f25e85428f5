// The picture that an audience sees while it moves from a stage to the next one: ten moments of each way.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "diagram_rules.h"
#include "document/builtin.h"
#include "document/json.h"
#include "document/sweep.h"
#include "view/diagram.h"
#include "view/stage_look.h"

namespace attnscope::test {
namespace {

constexpr int moments = 10;
constexpr double touching = 1;  // that two words may share

scene::DiagramCanvas screen(double width, double height) {
  scene::DiagramCanvas canvas;
  canvas.box = {0, 0, width, height};
  canvas.is_presented = canvas.may_grow = true;
  return canvas;
}

Box between(const Box& from, const Box& to, double share) {
  const auto mix = [share](double a, double b) { return a + share * (b - a); };
  return {mix(from.x, to.x), mix(from.y, to.y), mix(from.width, to.width), mix(from.height, to.height)};
}

// A word as it stands in the diagram.
using Standing = std::tuple<std::string, double, double, double>;

// A document before an audience.
class Presented {
public:
  Presented(const Document& document, const scene::DiagramCanvas& canvas)
      : canvas_(canvas), result_(std::make_shared<const Result>(evaluate(document.config))) {
    const scene::DiagramShape shape = scene::diagram_shape(*result_, token_labels(document.tokens), {}, {});
    layout_ = scene::layout_diagram(shape, canvas, letter_width).value();
    stages_ = stages_one_by_one(result_->config);
    std::erase_if(stages_, [&](Stage stage) { return !has(*result_, stage); });
  }

  const std::vector<Stage>& stages() const { return stages_; }
  const scene::DiagramLayout& layout() const { return layout_; }

  scene::DiagramData data(Stage newest) const {
    scene::DiagramData data;
    data.result = result_;
    data.matrix = [this](Stage stage, Index head, bool) {
      picture::Matrix matrix = picture::matrix_of(result_, stage, 0, head);
      matrix.range = signed_range(1, false);
      return std::optional(matrix);
    };
    data.row_sum = [](Stage, Index, bool) { return 1.0F; };
    data.theme = &colours_of(ThemeId::light);
    data.awaited = places_after(result_->config, newest);
    data.measure = letter_width;
    return data;
  }
  scene::StageFrame frame(Stage stage) const {
    return scene::frame_of_stage(layout_, result_->config, stage, canvas_.box.width, canvas_.box.height);
  }
  picture::Picture picture(Stage newest, const scene::StageFrame& frame) const {
    const scene::DiagramData shown = data(newest);
    return picture_in_frame(diagram_picture(layout_in_frame(layout_, frame, newest), shown), layout_, frame, newest,
                            shown);
  }
  // The words of the diagram with all stages up to this one.
  std::set<Standing> words(Stage newest) const {
    std::set<Standing> words;
    const picture::Picture picture = diagram_picture(layout_, data(newest));
    for (const picture::Word* const word : picture.all<picture::Word>())
      words.insert({word->text, word->x, word->y, word->size});
    return words;
  }

private:
  scene::DiagramCanvas canvas_;
  std::shared_ptr<const Result> result_;
  scene::DiagramLayout layout_;
  std::vector<Stage> stages_;
};

bool is_inside(const Box& inner, const Box& outer) {
  constexpr double rounding = 0.6;
  return inner.x >= outer.x - rounding && inner.y >= outer.y - rounding && inner.right() <= outer.right() + rounding &&
         inner.bottom() <= outer.bottom() + rounding;
}

void expect_tidy(const picture::Picture& picture, const scene::StageFrame& frame, const std::set<Standing>& standing,
                 const std::string& what) {
  std::vector<std::pair<Box, std::string>> boxes;
  for (const picture::Word* const word : picture.all<picture::Word>()) {
    const Box box = picture::box_of(*word, letter_width);
    if (word->text.empty()) continue;
    EXPECT_TRUE(is_inside(box, frame.box)) << what << ": “" << word->text << "” leaves the screen";
    // Names of rows may stand at the left edge of the screen, and move with it.
    const bool is_name = frame.names > 0 && box.right() < frame.box.x + frame.names;
    EXPECT_TRUE(is_name || standing.contains({word->text, word->x, word->y, word->size}))
        << what << ": “" << word->text << "” changes";
    for (const auto& [other, text] : boxes) {
      EXPECT_FALSE(scene::overlap(box, other, touching))
          << what << ": “" << word->text << "” overlaps “" << text << "”";
    }
    boxes.emplace_back(box, word->text);
  }
}

void expect_tidy_ways(const Document& document, const scene::DiagramCanvas& canvas, const std::string& what) {
  const Presented presented(document, canvas);
  for (std::size_t step = 1; step < presented.stages().size(); ++step) {
    const Stage stage = presented.stages()[step];
    const scene::StageFrame from = presented.frame(presented.stages()[step - 1]);
    const scene::StageFrame to = presented.frame(stage);
    const std::set<Standing> standing = presented.words(stage);
    for (int moment = 0; moment <= moments; ++moment) {
      scene::StageFrame frame = to;
      frame.box = between(from.box, to.box, static_cast<double>(moment) / moments);
      expect_tidy(presented.picture(stage, frame), frame, standing,
                  fmt::format("{}, {} at {}", what, info(stage).id, moment));
      if (testing::Test::HasFailure()) return;
    }
  }
}

std::vector<std::pair<std::string, Document>> examples() {
  std::vector<std::pair<std::string, Document>> documents;
  for (const BuiltinDocument& builtin : builtin_documents()) {
    if (std::string_view(builtin.id) == "gpt2_sized") continue;  // has no words that others lack
    documents.emplace_back(builtin.id, parse_document(builtin.json));
  }
  return documents;
}

TEST(PresentedMoves, OfEveryExampleAreTidyAtEveryMoment) {
  for (const auto& [id, document] : examples()) expect_tidy_ways(document, screen(1034, 545), id);
}

// No part of a matrix, of an arrow between others or of a pill is left where the rest of it is out of sight.
TEST(PresentedMoves, OfEveryExampleEndWithWholeArrowsAndPills) {
  std::size_t arrows = 0;
  for (const auto& [id, document] : examples()) {
    const Presented presented(document, screen(1034, 545));
    for (const Stage stage : presented.stages()) {
      const scene::StageFrame frame = presented.frame(stage);
      const scene::DiagramLayout seen = layout_in_frame(presented.layout(), frame, stage);
      for (const scene::PlacedText& pill : seen.pills) EXPECT_TRUE(is_inside(pill.box, frame.box)) << id << pill.text;
      for (const scene::PlacedText& text : seen.texts) EXPECT_LT(text.arrow, std::ssize(seen.arrows));
      for (const scene::PlacedArrow& arrow : seen.arrows) {
        const bool is_from_matrix = std::ranges::any_of(seen.matrices, [&](const scene::PlacedMatrix& matrix) {
          return matrix.result == arrow.from && is_inside(matrix.box, frame.box);
        });
        EXPECT_TRUE(arrow.to == stage || is_from_matrix) << id << ": " << info(stage).id << ", " << arrow.text;
        ++arrows;
      }
    }
  }
  EXPECT_GT(arrows, 150U);
}

// An audience reads every number that a cell can hold: of small documents all, the weight matrices' as well.
TEST(PresentedMoves, OfEveryExampleHaveTheNumbersOfAllStages) {
  for (const auto& [id, document] : examples()) {
    for (const auto& [width, height] : {std::pair(1034.0, 545.0), {920.0, 545.0}}) {
      const Presented presented(document, screen(width, height));
      for (const scene::PlacedMatrix& matrix : presented.layout().matrices) {
        const bool is_result = matrix.role == scene::PlacedRole::result || is_parameter(info(matrix.stage).axes);
        if (!is_result || matrix.is_pattern) continue;
        EXPECT_GT(matrix.text, 0) << id << " " << info(matrix.stage).id << " at " << width;
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::test
