// A figure of the pipeline draws what the window draws: the words and matrices of the one picture.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/cells.h"
#include "document/builtin.h"
#include "document/json.h"
#include "figure_support.h"
#include "scene/diagram_picture.h"

namespace attnscope::test {
namespace {

constexpr double least_units = 11;                               // of the layout's text
constexpr double heights[] = {0.62, 0.8, 1.05, 1.4, 1.95, 2.4};  // in widths, that a page which follows its content has

// The picture of a document's diagram, without a figure's help but for the ranges of its colours.
class Pictured {
public:
  Pictured(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels, const Figure& figure,
           double share)
      : result_(result), figure_(figure) {
    const FigureOptions& options = figure.options;
    const double em = options.font_size / 72 * 96;
    const double least = std::max(std::min(6.0, options.font_size), 0.6 * options.font_size) / 72 * 96;
    unit_ = least / least_units;
    scene::DiagramCanvas canvas;
    const double left = std::min(em, 3 * unit_);
    canvas.box.width = (figure.width - 2 * left) / unit_;
    canvas.box.height = share * canvas.box.width;
    const scene::TextMeasure measure = shaper_.text_measure();
    std::vector<std::string> keys(labels.begin(), labels.begin() + key_count(result->config));
    const scene::DiagramShape shape =
        scene::diagram_shape(*result, keys, {}, {.decimals = *options.decimals, .left_out = {}});
    const std::optional<scene::DiagramLayout> layout = scene::layout_diagram(shape, canvas, measure);
    if (!layout) return;
    scene::DiagramData data;
    data.result = result;
    data.matrix = [this](Stage stage, Index head, bool) { return matrix(stage, head); };
    data.row_sum = [this](Stage stage, Index row, bool) { return row_sum(stage, row); };
    data.theme = &colours_of(ThemeId::light);
    data.decimals = options.decimals;
    data.measure = measure;
    picture_ = picture::placed(scene::diagram_picture(*layout, data), unit_, left, 0);
  }

  const picture::Picture& picture() const { return picture_; }

private:
  Index number_of(Stage stage, Index head) const {
    return is_per_head(result_->config, stage) ? head : 0;  // of the first batch entry
  }

  std::optional<scene::DrawnMatrix> matrix(Stage stage, Index head) const {
    const std::vector<const picture::Heatmap*> drawn = figure_.picture.all<picture::Heatmap>();
    for (const picture::Heatmap* const heatmap : drawn)
      if (heatmap->stage == stage && heatmap->head == head)
        return scene::DrawnMatrix{result_, number_of(stage, head), heatmap->range};
    for (const picture::Heatmap* const heatmap : drawn)
      if (heatmap->stage == stage) return scene::DrawnMatrix{result_, number_of(stage, head), heatmap->range};
    return {};
  }

  float row_sum(Stage stage, Index row) const {
    double sum = 0;
    const Tensor weights = read_stage(*result_, stage);
    for (const float weight : weights.matrix(0).row(row)) sum += static_cast<double>(weight);
    return static_cast<float>(sum);
  }

  std::shared_ptr<const Result> result_;
  const Figure& figure_;
  TextShaper shaper_;
  double unit_ = 1;
  picture::Picture picture_;
};

struct Seen {
  std::string text;
  double x = 0, y = 0, size = 0;
};

bool is_near(const Seen& a, const Seen& b, double down) {
  return a.text == b.text && std::abs(a.x - b.x) < 0.05 && std::abs(a.y + down - b.y) < 0.05 &&
         std::abs(a.size - b.size) < 0.01;
}

class BothPainters : public testing::TestWithParam<std::size_t> {};

TEST_P(BothPainters, DrawTheSameWordsAndMatrices) {
  const Document document = parse_document(std::string(builtin_documents()[GetParam()].json));
  const auto result = std::make_shared<const Result>(evaluate(document.config));
  const std::vector<std::string> labels = token_labels(document.tokens);
  FigureOptions options = figure_of(std::nullopt);
  options.width = {1400, LengthUnit::pixels};
  const Figure figure = make_figure(result, labels, options);
  const std::vector<const picture::Heatmap*> drawn = figure.picture.all<picture::Heatmap>();
  ASSERT_FALSE(drawn.empty());
  const auto pictured_at = [&](double share) { return std::make_unique<Pictured>(result, labels, figure, share); };
  std::unique_ptr<Pictured> found_at;
  for (const double share : heights) {
    found_at = pictured_at(share);
    const std::vector<const picture::Heatmap*> first = found_at->picture().all<picture::Heatmap>();
    const bool is_it = !first.empty() && std::abs(first.front()->box.width - drawn.front()->box.width) < 0.05 &&
                       std::abs(first.front()->box.height - drawn.front()->box.height) < 0.05;
    if (is_it) break;
  }
  const Pictured& pictured = *found_at;
  const std::vector<const picture::Heatmap*> heatmaps = pictured.picture().all<picture::Heatmap>();
  ASSERT_EQ(drawn.size(), heatmaps.size());
  const double down = drawn.front()->box.y - heatmaps.front()->box.y;  // below the figure's heading
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    EXPECT_EQ(drawn[i]->stage, heatmaps[i]->stage);
    EXPECT_NEAR(drawn[i]->box.x, heatmaps[i]->box.x, 0.05) << info(drawn[i]->stage).id;
    EXPECT_NEAR(drawn[i]->box.y, heatmaps[i]->box.y + down, 0.05) << info(drawn[i]->stage).id;
    EXPECT_NEAR(drawn[i]->box.width, heatmaps[i]->box.width, 0.05) << info(drawn[i]->stage).id;
    EXPECT_NEAR(drawn[i]->box.height, heatmaps[i]->box.height, 0.05) << info(drawn[i]->stage).id;
  }
  std::vector<Seen> texts;
  for (const picture::Word* const word : figure.picture.all<picture::Word>())
    if (!word->text.empty()) texts.push_back({word->text, word->x, word->y, word->size});
  std::size_t words = 0;
  for (const picture::Word* const word : pictured.picture().all<picture::Word>()) {
    if (word->text.empty()) continue;
    ++words;
    const Seen seen{word->text, word->x, word->y, word->size};
    const auto found = std::ranges::find_if(texts, [&](const Seen& text) { return is_near(seen, text, down); });
    EXPECT_NE(found, texts.end()) << word->text << " at " << word->x << ", " << word->y + down;
    if (found != texts.end()) texts.erase(found);
  }
  EXPECT_GT(words, 20U);
  std::string added;
  for (const Seen& text : texts) added += text.text + "; ";
  EXPECT_LT(texts.size(), 12U) << "the figure's heading and legend are all that it adds: " << added;
}

INSTANTIATE_TEST_SUITE_P(Of, BothPainters, testing::Range(std::size_t{0}, builtin_documents().size()),
                         [](const auto& at) { return std::string(builtin_documents()[at.param].id); });

}  // namespace
}  // namespace attnscope::test
