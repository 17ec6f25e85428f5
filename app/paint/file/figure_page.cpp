#include "paint/file/figure_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/error.h"
#include "teach/teaching_view.h"
#include "view/board.h"
#include "view/cells.h"
#include "view/diagram.h"
#include "view/matrix_sheet.h"
#include "view/stage_look.h"

namespace attnscope {

using picture::Face;
using picture::line_height;

const ThemeColours& theme_of(FigureTheme theme) {
  if (theme == FigureTheme::high_contrast) return colours_of(ThemeId::high_contrast);
  const bool is_dark = theme == FigureTheme::dark || theme == FigureTheme::transparent_dark;
  return colours_of(is_dark ? ThemeId::dark : ThemeId::light);
}

Rgb paper_colour(FigureTheme theme) {
  return theme_of(theme).is_dark ? theme_of(theme).inks.window : theme_of(theme).inks.panel;
}

scene::SheetPen FigurePage::pen(double text_size) {
  return {.picture = picture,
          .measure = measure,
          .theme = theme,
          .line = line,
          .em = text_size,
          .shorten = [this](std::string_view text, double size, double room_for_it) {
            return shaper.shorten(text, {size, false}, room_for_it);
          }};
}

void FigurePage::add(picture::Picture added, double scale, double left) {
  added = picture::placed(std::move(added), scale, left, top);
  std::ranges::move(added.items, std::back_inserter(picture.items));
}

void FigurePage::put_paragraph(std::string_view text, double ems, Rgb ink, bool is_centred, Face face) {
  if (text.empty()) return;
  const double size = ems * em;
  const std::vector<std::string> lines = shaper.wrap(text, {size, face == Face::bold}, room());
  const bool in_the_middle = is_centred || lines.size() == 1;
  for (const std::string& each : lines) {
    pen().put(each, size, ink, in_the_middle ? width / 2 : margin, top, in_the_middle ? 0.5 : 0, face);
    top += line_height * size;
  }
}

void FigurePage::put_title() {
  put_paragraph(options.title, 1.5, theme.inks.text, true, Face::bold);
  if (!options.title.empty()) top += 0.25 * em;
}

void FigurePage::put_caption() {
  if (!options.caption.empty()) top += 0.3 * em;
  put_paragraph(options.caption, 1, theme.inks.text, false);
  if (!options.footer.empty()) top += 0.3 * em;
  put_paragraph(options.footer, 0.75, theme.inks.dim_text, true);
}

Figure FigurePage::figure(std::string name, double height) {
  return {options, std::move(name), width, height == 0 ? std::ceil(top + 0.6 * em) : height, std::move(picture)};
}

namespace {

constexpr double least_points = 6;   // least size of any text of a diagram
constexpr double least_share = 0.6;  // smallest text, in sizes of the font: titles are larger than it
constexpr double least_units = 11;   // the layout calls the smallest text so large
// Heights of a page without one, in its widths: the page takes the first at which most numbers fit.
constexpr double tried_heights[] = {0.5, 0.55, 0.62, 0.8, 1.05, 1.4, 1.95, 2.4};
constexpr double least_height = 0.62;  // of a page whose weights are to be large
constexpr double narrow_page = 700;    // units
constexpr Index many_tokens = 16;
constexpr double widest_tried = 2000;  // pixels
constexpr double margin_units = 3;     // units beside the diagram

// Returns the pixels of the page for one unit of the layout.
double unit_of(const FigurePage& page) {
  const double em = page.options.font_size;
  const double least = std::max(std::min(least_points, em), least_share * em) / 72 * 96;
  return least / least_units;
}

scene::DiagramCanvas canvas_of(const FigurePage& page, double width, double height) {
  const double unit = unit_of(page);
  scene::DiagramCanvas canvas;
  canvas.box.width = width / unit;
  canvas.is_page = canvas.box.width < narrow_page && !page.options.has_numbers_first;
  canvas.box.height = height / unit;
  canvas.least_text = least_units;
  canvas.is_presented = page.options.has_numbers_first;
  if (canvas.is_presented && page.options.marked) canvas.told = page.options.marked->stage;
  return canvas;
}

std::optional<scene::DiagramLayout> layout_for(const FigurePage& page, const scene::DiagramShape& shape, double width,
                                               double height) {
  const auto layout_at = [&](double high) {
    return scene::layout_diagram(shape, canvas_of(page, width, high), page.measure);
  };
  if (height > 0) return layout_at(height);
  std::optional<scene::DiagramLayout> best;
  int most = -1;
  for (const double share : tried_heights) {
    if (share < least_height && !page.options.has_numbers_first) continue;
    std::optional<scene::DiagramLayout> layout = layout_at(share * width);
    if (!layout) continue;
    const bool has_features = std::ranges::none_of(
        layout->matrices, [](const scene::PlacedMatrix& matrix) { return matrix.rank == 2 && matrix.text == 0; });
    const auto scores = std::ranges::find(layout->matrices, Stage::scores, &scene::PlacedMatrix::stage);
    const bool lacks_scores = page.options.has_numbers_first && scores != layout->matrices.end() && scores->text == 0;
    const int numbers = (layout->main_matrix()->text > 0 ? 2 : 0) + (has_features ? 1 : 0) - (lacks_scores ? 1 : 0);
    if (numbers <= most) continue;
    most = numbers;
    best = std::move(layout);
    if (static_cast<Index>(shape.keys.size()) > many_tokens) break;  // no page has room for their numbers
  }
  return best;
}

[[noreturn]] void refuse(const FigurePage& page, const scene::DiagramShape& shape, double height) {
  if (shape.main_matrix.empty())
    throw Error("There is nothing to draw: no stage has the same shape in A and B. Choose a weight matrix instead.");
  for (double width = page.room(); width < widest_tried; width *= 1.05) {
    if (!layout_for(page, shape, width, height)) continue;
    const double least = width + 2 * page.margin;
    throw Error(fmt::format(
        "The diagram of this document does not fit a page {:.0f} pixels ({:.0f} mm) wide with a font "
        "of {} points: make it at least {:.0f} pixels ({:.0f} mm) wide, or leave stages out.",
        page.width, page.width / 96 * 25.4, page.options.font_size, std::ceil(least), std::ceil(least / 96 * 25.4)));
  }
  throw Error("The diagram of this document does not fit this page: make it larger, or leave stages out.");
}

const FigureMatrix* figure_matrix_of(const FigureContent& content, Stage stage, Index head) {
  const Index place = matrix_of(content.diagram->result->config, stage, content.options.batch, head);
  const auto found = std::ranges::find_if(
      content.matrices, [&](const FigureMatrix& matrix) { return matrix.stage == stage && matrix.matrix == place; });
  return found == content.matrices.end() ? nullptr : &*found;
}

scene::DiagramData diagram_data(const FigurePage& page, const FigureContent& content) {
  const FigureDiagram& diagram = *content.diagram;
  scene::DiagramData data;
  data.result = diagram.result;
  data.matrix = [&content](Stage stage, Index head, bool) -> std::optional<picture::Matrix> {
    const FigureMatrix* const found = figure_matrix_of(content, stage, head);
    if (!found) return {};
    picture::Matrix matrix = *found;
    matrix.result = content.diagram->result;  // the matrices of an outline have no result
    return matrix;
  };
  data.row_sum = [&content](Stage stage, Index row, bool) {
    const FigureMatrix* const matrix = figure_matrix_of(content, stage, content.diagram->shape.head);
    const bool is_there = matrix && row < std::ssize(matrix->row_sums);
    return is_there ? row_sum(*matrix, row) : std::numeric_limits<float>::quiet_NaN();
  };
  data.theme = &page.theme;
  data.decimals = page.options.decimals;
  data.marked = page.options.marked;
  data.awaited = diagram.awaited;
  // Keeps the places of the stages that other figures of the series have and this one lacks.
  using scene::DiagramShape;
  for (const auto band : {&DiagramShape::project, &DiagramShape::compare, &DiagramShape::mix}) {
    for (const scene::DiagramBlock& block : diagram.largest.*band)
      if (std::ranges::find(diagram.shape.*band, block.stage, &scene::DiagramBlock::stage) ==
          (diagram.shape.*band).end())
        data.awaited.add(block.stage);
  }
  if (has_background(page.options.theme)) data.ground = page.paper;
  data.has_arrows = page.options.has_arrows;
  data.measure = page.measure;
  return data;
}

double end_of(const scene::DiagramLayout& layout) {
  double end = 0;
  for (const scene::PlacedMatrix& matrix : layout.matrices) end = std::max(end, matrix.box.bottom());
  for (const scene::PlacedText& text : layout.texts) end = std::max(end, text.box.bottom());
  for (const scene::PlacedFrame& frame : layout.frames) end = std::max(end, frame.box.bottom());
  for (const scene::PlacedText& pill : layout.pills) end = std::max(end, pill.box.bottom());
  return end;
}

// Puts the diagram of the whole pipeline on the page, as large as `height` allows; 0: the height follows from it.
void put_diagram(FigurePage& page, const FigureContent& content, double height) {
  const double unit = unit_of(page);
  const double left = std::min(page.margin, margin_units * unit);  // the layout has a margin of its own
  const scene::DiagramShape& shape = content.diagram->largest;
  const std::optional<scene::DiagramLayout> layout = layout_for(page, shape, page.width - 2 * left, height);
  if (!layout) refuse(page, shape, height);
  page.add(scene::diagram_picture(*layout, diagram_data(page, content)), unit, left);
  page.top += height > 0 ? height : unit * end_of(*layout);
}

constexpr double share_in_diagram = 0.5;  // of the page's text, as the letters of a diagram
constexpr double name_share = 0.38;       // names take this share of the width before they get smaller
constexpr double longest_names = 0.6;     // names take at most this share of the width
constexpr double tight = 1.08;            // least height of a name's line, in its sizes
// Lengths in ems.
constexpr double largest_cell = 6.5;  // largest cell of the only matrix
constexpr double large_cell = 4.6;    // largest cell of one of several
constexpr double least_number = 0.52;
constexpr double most_number = 0.95;

std::string_view range_name(const FigureContent& content, const ColourRange& range) {
  const FigureOptions& options = content.options;
  const bool follows_numbers = options.range == RangeMode::own || options.range == RangeMode::shared;
  if (options.fixed_range) return "fixed range";
  if (range.measure.kind != MeasureKind::value) return measure_name(range);
  if (content.is_of_series && follows_numbers) return "range of all frames";
  if (options.range == RangeMode::own) return "own range";
  return options.range == RangeMode::shared ? "range of all heads" : "";
}

scene::SheetStyle sheet_style(const FigurePage& page, const FigureContent& content) {
  const FigureMatrix& first = content.matrices.front();
  scene::SheetStyle style;
  style.left = page.margin;
  style.width = page.room();
  style.top = page.top;
  style.most_names = name_share * page.room();
  style.longest_names = std::max(style.most_names, longest_names * page.room());
  style.name_line = tight * page.em;
  for (const auto* const labels : {&content.labels, &content.key_labels}) {
    for (const std::string& label : *labels) {
      const TextSize size = page.shaper.measure(label, {page.em});
      style.name_line = std::max(style.name_line, 1.04 * (size.above + size.below));
    }
  }
  style.largest_cell = largest_cell * page.em;
  style.large_cell = large_cell * page.em;
  style.feature_row = page.feature_row;
  style.numbers.most = most_number * page.em * page.feature_row / scene::SheetStyle().feature_row;
  style.repeats_columns = content.repeats_columns;
  style.shares_bar = content.shares_bar;
  style.sum_decimals = first.has_bar ? content.options.decimals.value_or(2) : 0;
  style.range_name = range_name(content, first.range);
  style.numbers.least = least_number * page.em;
  style.cells = {.decimals = content.options.decimals.value_or(0), .ground = page.paper};
  style.most_mark = 0.1 * page.em;
  return style;
}

std::string longest_of(const FigurePage& page, const std::vector<std::string>& labels) {
  const auto widest = std::ranges::max_element(
      labels, {}, [&](const std::string& label) { return page.measure(label, page.em, picture::Face::text); });
  return widest == labels.end() ? std::string() : *widest;
}

// Puts matrices in lines below each other, with their labels and colour bars.
void put_matrices(FigurePage& page, const FigureContent& content) {
  const std::vector<FigureMatrix>& matrices = content.matrices;
  scene::SheetLines lines;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    if (static_cast<Index>(i) % content.columns == 0) lines.emplace_back();
    lines.back().push_back(&matrices[i]);
  }
  const scene::SheetTexts texts{
      .row_names = content.labels,
      .column_names = content.key_labels,
      .widest_name = longest_of(page, {longest_of(page, content.labels), longest_of(page, content.key_labels)}),
      .row_sum = [&](std::size_t matrix, Index row) { return row_sum(matrices[matrix], row); }};
  const std::optional<scene::Sheet> sheet = scene::put_sheet(page.pen(), sheet_style(page, content), texts, lines);
  if (!sheet) {
    throw Error(
        fmt::format("There is no room for cells beside the labels of a figure that is {:.0f} pixels wide with a "
                    "font of {} points: make it wider or the font smaller.",
                    page.width, page.options.font_size));
  }
  page.top = sheet->box.bottom();
}

void put_legend(FigurePage& page, const FigureContent& content) {
  const std::set<CellMark> marks = marks_of(content);
  if (marks.empty()) return;
  const bool is_slide = content.options.height > 0;  // whose letters are read from afar, or on paper at half the size
  const double em = (content.diagram && !is_slide ? share_in_diagram : 1) * page.em;
  page.top = 0.4 * em + scene::put_legend(page.pen(em), marks, page.theme.inks.text, page.margin,
                                          page.width - page.margin, page.top);
}

// Puts the heading: the stage, and the head with its mark.
void put_subject(FigurePage& page, const FigureContent& content) {
  constexpr double ems = 1.15;
  const ThemeInks& inks = page.theme.inks;
  const scene::SheetPen pen = page.pen();
  const double size = ems * page.em;
  const double side = 0.8 * size;
  const double gap = content.place.empty() ? 0 : 0.9 * page.em;
  const double chip = content.head ? side + 0.4 * size : 0;
  const double heading = pen.width(content.heading, size, Face::bold);
  const double width = heading + gap + chip + pen.width(content.place, size);
  if (width > page.room()) {
    page.put_paragraph(content.heading, ems, inks.text, true, Face::bold);
    page.put_paragraph(content.place, ems, inks.dim_text, true);
    return;
  }
  const double x = (page.width - width) / 2;
  const Rgb ink = content.options.stage ? title_ink(page.theme, *content.options.stage) : inks.text;
  pen.put(content.heading, size, ink, x, page.top, 0, Face::bold);
  if (content.head)
    pen.fill({x + heading + gap, page.top + (line_height * size - side) / 2, side, side},
             head_rgb(*content.head, page.theme.is_dark));
  pen.put(content.place, size, inks.dim_text, x + heading + gap + chip, page.top, 0);
  page.top += line_height * size;
}

// Puts the steps of the arithmetic in lines that end between two steps.
void put_arithmetic(FigurePage& page) {
  constexpr double ems = 0.9;
  std::string line;
  for (const std::string& step : page.options.arithmetic) {
    const std::string_view between = line.empty() ? "" : step.starts_with('+') ? " " : "  ·  ";
    const std::string longer = fmt::format("{}{}{}", line, between, step);
    if (page.pen().width(longer, ems * page.em) <= page.room()) {
      line = longer;
    } else {
      page.put_paragraph(line, ems, page.theme.inks.text, true);
      line = step;
    }
  }
  page.put_paragraph(line, ems, page.theme.inks.text, true);
}

// Puts the legend and the texts below the matrices.
void put_tail(FigurePage& page, const FigureContent& content) {
  put_legend(page, content);
  put_arithmetic(page);
  page.put_caption();
}

// Returns the height that the page leaves for a diagram; 0 if the page has no height.
double diagram_height(const FigurePage& page, const FigureContent& content, double height) {
  if (height == 0) return 0;
  FigurePage below(page.options, page.shaper, page.width);
  below.top = 1.5 * page.em;
  put_tail(below, content);
  return std::max(height - page.top - below.top, page.em);
}

// Lays the content out on a page of this width, as high as it needs; only a diagram follows the given height.
Figure lay_out_at(const FigureContent& content, const TextShaper& shaper, double width, double height,
                  double feature_row = scene::SheetStyle().feature_row) {
  FigurePage page(content.options, shaper, width);
  page.feature_row = feature_row;
  page.put_title();
  put_subject(page, content);
  page.top += 0.6 * page.em;
  if (content.diagram) {
    put_diagram(page, content, diagram_height(page, content, height));
  } else {
    put_matrices(page, content);
  }
  page.top += 0.9 * page.em;
  put_tail(page, content);
  const std::string& title = content.options.title;
  return page.figure(title.empty() ? content.heading + (content.place.empty() ? "" : ", ") + content.place : title);
}

constexpr double text_units = 15;  // size of a board's text, in units of its layout

Board board_of(const std::shared_ptr<const Result>& result, const RowNames& names, const FigureOptions& options,
               const Execution& execution) {
  const AttentionConfig& config = result->config;
  const TeachingViewInfo* const study = study_named(options.study.id);
  const std::string obstacle = study ? obstacle_to(*study, *result) : "";
  if (!obstacle.empty())
    throw Error(fmt::format("The view “{}” shows nothing of this document. {}", study->title, obstacle));
  const Index head = std::min(options.head.value_or(0), head_count(config) - 1);
  const Index batch = std::clamp<Index>(options.batch, 0, config.batch_size - 1);
  std::optional<Index> chosen = options.study.query;
  if (!chosen && options.marked) chosen = options.marked->row;
  const Index query =
      chosen ? std::clamp<Index>(*chosen, 0, query_count(config) - 1) : telling_query(*result, head, batch);
  return make_board({*result, names.keys, head, batch, query, options.study, execution.stop, &names.queries});
}

// Makes the figure of a teaching view.
Figure make_board_figure(const std::shared_ptr<const Result>& result, const RowNames& names,
                         const FigureOptions& options, const Execution& execution) {
  check(options);
  const Board board = board_of(result, names, options, execution);
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

}  // namespace

Figure lay_out(const FigureContent& content) {
  const TextShaper shaper;
  const double width = page_width(content.options.width);
  const double height = page_height(content.options);
  Figure figure = lay_out_at(content, shaper, width, height);
  if (height == 0) return figure;
  if (figure.height > height && !content.diagram) {
    // The page is too low for matrices as wide as it is: lay them out on a narrower one.
    constexpr int narrowest = 36;
    const auto narrower = [&](int step) { return lay_out_at(content, shaper, std::pow(0.95, step) * width, height); };
    int step = 1;
    for (int end = narrowest; step < end;) {  // finds the first step at which it is low enough
      const int middle = (step + end) / 2;
      if (narrower(middle).height > height) {
        step = middle + 1;
      } else {
        end = middle;
      }
    }
    figure = narrower(step);
  }
  if (figure.height < height && !content.diagram && !content.matrices.front().has_key_columns) {
    constexpr double tallest = 5;  // ems
    const Index lines = (std::ssize(content.matrices) + content.columns - 1) / content.columns;
    const auto rows = static_cast<double>(content.matrices.front().laid_rows() * lines);
    const double spare = (height - figure.height) / (rows * content.options.font_size / 72 * 96);
    const double row = std::min(tallest, scene::SheetStyle().feature_row + spare);
    Figure taller = lay_out_at(content, shaper, width, height, row);
    if (taller.height <= height) figure = std::move(taller);
  }
  if (figure.height > height + 1) {
    throw Error(
        fmt::format("The figure would be {:.0f} pixels high with a font of {} points, but its page has {:.0f}: "
                    "make the font smaller, or choose a size whose height follows.",
                    figure.height, content.options.font_size, height));
  }
  const bool is_filled = content.diagram.has_value();
  figure.picture = picture::placed(std::move(figure.picture), 1, is_filled ? 0 : (width - figure.width) / 2,
                                   is_filled ? 0 : (height - figure.height) / 2);
  figure.width = width;
  figure.height = height;
  return figure;
}

Figure make_figure(const std::shared_ptr<const Result>& result, const RowNames& names, const FigureOptions& options,
                   const Execution& execution) {
  const std::vector<std::string> queries = visible_texts(names.queries);
  const std::vector<std::string> keys = visible_texts(names.keys);
  if (!options.study.id.empty()) return make_board_figure(result, RowNames(queries, keys), options, execution);
  return lay_out(describe_figure(result, RowNames(queries, keys), options, execution));
}

}  // namespace attnscope
