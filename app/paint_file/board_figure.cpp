#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "paint_file/figure_page.h"
#include "scene/board_layout.h"
#include "study/study.h"

namespace attnscope {
namespace {

constexpr double text_units = 15;  // size of a board's text in the units of its layout

Board board_of(const std::shared_ptr<const Result>& result, const std::vector<std::string>& labels,
               const FigureOptions& options, const Execution& execution) {
  const AttentionConfig& config = result->config;
  const StudyInfo* const study = study_named(options.study.id);
  const std::string obstacle = study ? obstacle_to(*study, *result) : "";
  if (!obstacle.empty())
    throw Error(fmt::format("The view “{}” shows nothing of this document. {}", study->title, obstacle));
  const Index head = std::min(options.head.value_or(0), head_count(config) - 1);
  const Index batch = std::clamp<Index>(options.batch, 0, config.batch_size - 1);
  std::optional<Index> chosen = options.study.query;
  if (!chosen && options.marked) chosen = options.marked->row;
  const Index query =
      chosen ? std::clamp<Index>(*chosen, 0, query_count(config) - 1) : telling_query(*result, head, batch);
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
  page.put_paragraph(board.question, 1.15, inks.text, true, picture::Face::bold);
  page.put_paragraph(board.headline, 1, inks.text, true);
  page.put_paragraph(board.note, 0.85, inks.dim_text, false);
  page.top += 0.6 * em;
  const double height = page_height(options);
  const double tail = 2 * em;
  const double room = height == 0 ? scene::endless_height : std::max(height - page.top - tail, em);
  const auto laid_at = [&](double unit) {
    return scene::layout_board(board, {.width = page.room() / unit,
                                       .height = height == 0 ? room : room / unit,
                                       .text = text_units,
                                       .theme = &page.theme,
                                       .paper = page.paper,
                                       .line = page.line,
                                       .measure = page.measure});
  };
  const auto fits = [&](const scene::BoardLayout& laid, double unit) {
    return unit * laid.width <= page.room() + 1 && (height == 0 || unit * laid.height <= room + 1);
  };
  const double unit = em / text_units;
  const scene::BoardLayout laid = laid_at(unit);
  if (!fits(laid, unit)) {
    double points = std::ceil(options.font_size) - 1;
    const auto unit_of = [&](double size) { return unit * size / options.font_size; };
    while (points > smallest_font && !fits(laid_at(unit_of(points)), unit_of(points))) --points;
    throw Error(
        fmt::format("This view has no room on a page of this size with letters of {} points. {}", options.font_size,
                    points > smallest_font ? fmt::format("With {} points it does.", points) : "Choose a larger page."));
  }
  page.add(laid.picture, unit, page.margin);
  page.top += unit * laid.height + 0.3 * em;
  page.put_caption();
  const std::string name = options.title.empty() ? fmt::format("{}: {}", board.title, board.question) : options.title;
  return page.figure(name, height);
}

}  // namespace attnscope
