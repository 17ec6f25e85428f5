#include "figure/board_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "figure/figure_marks.h"
#include "figure/figure_page.h"
#include "look/board_layout.h"
#include "study/study.h"

namespace attnscope {
namespace {

constexpr double unbounded = 1e6;

TextStyle style_of(const Page& page, BoardFont font) {
  switch (font) {
    case BoardFont::heading:
      return page.style(1.05, true);
    case BoardFont::text:
      return page.style(1);
    case BoardFont::small:
      return page.style(0.85);
    default:
      return page.style(0.8);
  }
}

BoardMeasure measure_of(const Page& page) {
  BoardMeasure measure;
  measure.width_of = [&page](BoardFont font, std::string_view text) {
    return text.empty() ? 0 : page.shaper.width(text, style_of(page, font));
  };
  for (std::size_t font = 0; font < board_font_count; ++font)
    measure.line[font] = line_height * style_of(page, static_cast<BoardFont>(font)).size;
  measure.unit = page.em / 15;
  return measure;
}

BoardInks inks_of(const Page& page) {
  const bool is_dark = page.content.options.theme == FigureTheme::dark;
  return {.text = page.inks.text,
          .dim = page.inks.dim,
          .line = page.inks.line,
          .accent = page.inks.accent,
          .mark = page.inks.mark,
          .warning = page.inks.warning,
          .hidden = grey(greys_of(is_dark).hidden),
          .hatch = grey(greys_of(is_dark).hatch),
          .paper = page.inks.page,
          .is_dark = is_dark};
}

void put_picture(Page& page, const BoardPicture& picture, double x, double y) {
  const auto moved = [&](const Box& box) { return Box{box.x + x, box.y + y, box.width, box.height}; };
  for (const BoardFill& fill : picture.fills) page.layout.chips.push_back({moved(fill.box), fill.colour});
  for (const BoardStroke& stroke : picture.strokes) {
    PlacedLine& line = page.layout.lines.emplace_back();
    for (const BoardPoint& point : stroke.points) line.points.push_back({point.x + x, point.y + y});
    line.colour = stroke.colour;
    line.thickness = stroke.thickness;
  }
  for (const BoardWord& word : picture.words) {
    if (word.text.empty()) continue;
    const Align align = word.align == BoardAlign::left     ? Align::left
                        : word.align == BoardAlign::centre ? Align::centre
                                                           : Align::right;
    const double share = align == Align::left ? 0 : align == Align::centre ? 0.5 : 1;
    page.put(word.text, style_of(page, word.font), word.colour, x + word.x + share * word.width, y + word.y, align);
  }
}

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
  const BoardMeasure measure = measure_of(page);
  const BoardPicture picture = lay_out(board, measure, inks_of(page), page.room(), room);
  if (picture.width > page.room() + 1 || (height > 0 && picture.height > room + 1))
    throw Error("This view does not fit a page of this size: make it larger, or the font smaller.");
  put_picture(page, picture, page.margin, top);
  top += picture.height + 0.6 * em;
  put_paragraph(page, options.caption, page.style(1), page.inks.text, top, false);
  put_paragraph(page, options.footer, page.style(0.75), page.inks.dim, top, true);
  layout.height = height == 0 ? std::ceil(top + 0.6 * em) : height;
  return {content, std::move(layout)};
}

}  // namespace attnscope
