#pragma once

#include <memory>
#include <string>
#include <vector>

#include "document/document.h"
#include "paint/file/figure.h"

namespace attnscope::test {

// A document's result as figures take it: tokens drawn at random, multi-head attention.
struct FigureSubject {
  std::shared_ptr<const Result> result;
  std::vector<std::string> labels;
};
FigureSubject subject(Index tokens, Index heads, double dropout = 0, std::vector<std::string> labels = {});

std::vector<std::string> long_names(Index count);  // of 30 letters

// Six tokens, two heads, dropout: what the tests of series sweep.
Document swept_document();

FigureOptions figure_of(std::optional<Stage> stage, std::optional<Index> head = 0);

std::vector<std::string> texts_of(const Figure& figure);                      // those of all words
const picture::Word* word_in(const Figure& figure, const std::string& text);  // the first; null where there is none
Box cell_of(const picture::Heatmap& heatmap, Index row, Index column);

Index legend_of(const Figure& figure);  // how many marks its legend names

}  // namespace attnscope::test
