#include "figure_support.h"

#include <fmt/format.h>

#include <algorithm>

#include "document/json.h"
#include "view/cells.h"

namespace attnscope::test {

FigureSubject subject(Index tokens, Index heads, double dropout, std::vector<std::string> labels) {
  AttentionConfig config;
  config.inputs = RandnInputs{tokens, 4};
  config.num_heads = heads;
  config.d_out = 2 * heads;
  config.dropout = dropout;
  if (labels.empty()) {
    for (Index token = 1; token <= tokens; ++token) labels.push_back(fmt::format("x{}", token));
  }
  return {std::make_shared<const Result>(evaluate(config)), std::move(labels)};
}

std::vector<std::string> long_names(Index count) {
  std::vector<std::string> names;
  for (Index number = 1; number <= count; ++number)
    names.push_back(fmt::format("incomprehensibilities_Wm{:06}", number));
  return names;
}

Document swept_document() { return parse_document(R"({"d_out": 4, "num_heads": 2, "dropout": 0.5})"); }

FigureOptions figure_of(std::optional<Stage> stage, std::optional<Index> head) {
  FigureOptions options;
  options.stage = stage;
  options.head = head;
  return options;
}

std::vector<std::string> texts_of(const Figure& figure) {
  std::vector<std::string> texts;
  for (const picture::Word* const word : figure.picture.all<picture::Word>()) texts.push_back(word->text);
  return texts;
}

const picture::Word* word_in(const Figure& figure, const std::string& text) {
  for (const picture::Word* const word : figure.picture.all<picture::Word>())
    if (word->text == text) return word;
  return nullptr;
}

Box cell_of(const picture::Heatmap& heatmap, Index row, Index column) {
  const double width = heatmap.box.width / heatmap.window.cols;
  const double height = heatmap.box.height / static_cast<double>(heatmap.rows);
  return {heatmap.box.x + static_cast<double>(column) * width, heatmap.box.y + static_cast<double>(row) * height, width,
          height};
}

Index legend_of(const Figure& figure) {
  Index names = 0;
  for (const CellMarkInfo& entry : cell_marks) names += std::ranges::count(texts_of(figure), entry.text);
  return names;
}

}  // namespace attnscope::test
