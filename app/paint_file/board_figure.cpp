#include "paint_file/board_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "paint_file/figure_page.h"
#include "scene/board_layout.h"
#include "study/study.h"

namespace attnscope {
namespace {

constexpr double unbounded = 1e6;

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
  auto content = std::make_shared<FigureContent>();
  content->options = options;
  content->heading = fmt::format("{}: {}", board.title, board.question);
  FigureLayout layout;
  layout.width = page_width(options.width);
  const double em = options.font_size / 72 * 96;
  const TextShaper shaper;
  Page page{*content, shaper, layout, figure_inks(options.theme), em, em};
  double top = page.margin;
  if (!options.title.empty()) put_paragraph(page, options.title, page.style(1.5, true), page.inks.text, top, true);
  put_paragraph(page, board.title, page.style(1.15, true), page.inks.text, top, false);
  put_paragraph(page, board.question, page.style(1), page.inks.dim, top, false);
  top += 0.3 * em;
  put_paragraph(page, board.sentence, page.style(1), page.inks.text, top, false);
  put_paragraph(page, board.note, page.style(0.85), page.inks.dim, top, false);
  top += 0.6 * em;
  const double height = page_height(options);
  const double tail = 2 * em;
  const double room = height == 0 ? unbounded : std::max(height - top - tail, em);
  const double unit = em / text_units;
  const scene::BoardLayout laid = scene::layout_board(
      board, {.width = page.room() / unit,
              .height = room / unit,
              .text = text_units,
              .theme = &colours_of(options.theme == FigureTheme::dark ? ThemeId::dark : ThemeId::light),
              .paper = page.inks.page,
              .line = page.inks.line,
              .measure = text_measure(page.shaper)});
  if (unit * laid.width > page.room() + 1 || (height > 0 && unit * laid.height > room + 1))
    throw Error("This view does not fit a page of this size: make it larger, or the font smaller.");
  add_picture(page, picture::placed(laid.picture, unit, page.margin, top));
  top += unit * laid.height + 0.6 * em;
  put_paragraph(page, options.caption, page.style(1), page.inks.text, top, false);
  put_paragraph(page, options.footer, page.style(0.75), page.inks.dim, top, true);
  layout.height = height == 0 ? std::ceil(top + 0.6 * em) : height;
  return {content, std::move(layout)};
}

}  // namespace attnscope
