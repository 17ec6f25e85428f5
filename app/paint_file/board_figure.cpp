#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "paint_file/figure_page.h"
#include "scene/board_layout.h"
#include "study/study.h"

namespace attnscope {
namespace {

constexpr double endless = 1e6;

constexpr double text_units = 15;  // size of a board's text in the units of its layout

Board board_of(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
               const FigureOptions& options, const Execution& execution) {
  const AttentionConfig& config = result->config;
  const StudyInfo* const study = study_named(options.study.id);
  const std::string obstacle = study ? obstacle_to(*study, *result) : "";
  if (!obstacle.empty())
    throw Error(fmt::format("The view “{}” shows nothing of this document. {}", study->title, obstacle));
  Index query = options.study.query.value_or(options.marked ? options.marked->row : 0);
  query = std::clamp<Index>(query, 0, query_count(config) - 1);
  const Index head = std::min(options.head.value_or(0), head_count(config) - 1);
  const Index batch = std::clamp<Index>(options.batch, 0, config.batch_size - 1);
  return make_board({*result, labels, head, batch, query, options.study, execution.stop});
}

}  // namespace

Figure make_board_figure(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
                         const FigureOptions& options, const Execution& execution) {
  check(options);
  const Board board = board_of(result, labels, options, execution);
  const TextShaper shaper;
  FigurePage page(options, shaper, page_width(options.width));
  const ThemeInks& inks = page.theme.inks;
  const double em = page.em;
  page.put_title();
  page.put_paragraph(board.title, 1.15, inks.text, false, picture::Face::bold);
  page.put_paragraph(board.question, 1, inks.dim_text, false);
  page.top += 0.3 * em;
  page.put_paragraph(board.sentence, 1, inks.text, false);
  page.put_paragraph(board.note, 0.85, inks.dim_text, false);
  page.top += 0.6 * em;
  const double height = page_height(options);
  const double tail = 2 * em;
  const double room = height == 0 ? endless : std::max(height - page.top - tail, em);
  const double unit = em / text_units;
  const scene::BoardLayout laid = scene::layout_board(board, {.width = page.room() / unit,
                                                              .height = room / unit,
                                                              .text = text_units,
                                                              .theme = &page.theme,
                                                              .paper = page.paper,
                                                              .line = page.line,
                                                              .measure = page.measure});
  if (unit * laid.width > page.room() + 1 || (height > 0 && unit * laid.height > room + 1))
    throw Error("This view does not fit a page of this size: make it larger, or the font smaller.");
  page.add(laid.picture, unit, page.margin);
  page.top += unit * laid.height + 0.3 * em;
  page.put_caption();
  page.put_footer();
  const std::string name = options.title.empty() ? fmt::format("{}: {}", board.title, board.question) : options.title;
  return {options, name, page.width, height == 0 ? std::ceil(page.top + 0.6 * em) : height, std::move(page.picture)};
}

}  // namespace attnscope
