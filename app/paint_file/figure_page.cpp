#include "paint_file/figure_page.h"

#include <algorithm>
#include <iterator>

#include "look/mix.h"
#include "look/themes.h"

namespace attnscope {
namespace {

TextStyle word_style(double size, picture::Face face) { return {size, face == picture::Face::bold}; }

void put_word(Page& page, const picture::Word& word) {
  const TextStyle style = word_style(word.size, word.face);
  const double width = page.shaper.width(word.text, style);
  const double line = line_height * style.size;
  const Box box = word.is_turned ? Box{word.x - baseline * style.size, word.y - width, line, width}
                                 : Box{word.x - word.anchor * width, word.y - baseline * style.size, width, line};
  const Align align = word.anchor == 0 ? Align::left : word.anchor < 1 ? Align::centre : Align::right;
  const Rgb ink = word.ink.alpha < 1 ? mix(page.inks.page, word.ink.colour, word.ink.alpha) : word.ink.colour;
  page.layout.texts.push_back(
      {word.text, style, ink, box, align, word.is_turned, word.is_on_hatch, !page.shaper.has_every_letter(word.text)});
}

}  // namespace

FigureInks figure_inks(FigureTheme theme) {
  const bool is_dark = theme == FigureTheme::dark;
  const ThemeInks& inks = colours_of(is_dark ? ThemeId::dark : ThemeId::light).inks;
  return {.page = is_dark ? inks.window : inks.panel,
          .text = inks.text,
          .dim = inks.dim_text,
          .line = is_dark ? Rgb{0x5A, 0x63, 0x6E} : Rgb{0x9A, 0xA1, 0xAB},
          .warning = inks.warning,
          .accent = inks.accent,
          .mark = inks.cross_hair};
}

const Box& Page::put(std::string_view text, const TextStyle& style, Rgb colour, double x, double top, Align align) {
  const double width = shaper.width(text, style);
  const double share = align == Align::left ? 0 : align == Align::centre ? 0.5 : 1;
  layout.texts.push_back({std::string(text),
                          style,
                          colour,
                          {x - share * width, top, width, line_height * style.size},
                          align,
                          false,
                          false,
                          !shaper.has_every_letter(text)});
  return layout.texts.back().box;
}

void Page::put_vertical(std::string_view text, const TextStyle& style, Rgb colour, double middle_x, double bottom) {
  const double length = shaper.width(text, style);
  const double line = line_height * style.size;
  layout.texts.push_back({std::string(text),
                          style,
                          colour,
                          {middle_x - line / 2, bottom - length, line, length},
                          Align::left,
                          true,
                          false,
                          !shaper.has_every_letter(text)});
}

void Page::put_vertical_centred(std::string_view text, const TextStyle& style, Rgb colour, double middle_x,
                                double middle_y) {
  put_vertical(text, style, colour, middle_x, middle_y + shaper.width(text, style) / 2);
}

picture::TextMeasure text_measure(const Page& page) {
  return [&page](std::string_view text, double size, picture::Face face) {
    return text.empty() ? 0 : page.shaper.width(text, word_style(size, face));
  };
}

void put_picture(Page& page, picture::Picture picture) {
  for (const picture::Word* const word : picture.all<picture::Word>())
    if (!word->text.empty()) put_word(page, *word);
  std::ranges::move(picture.items, std::back_inserter(page.layout.picture.items));
}

void put_marks(Page& page) {
  for (const PlacedPanel& placed : page.layout.panels) {
    const FigurePanel& panel = *placed.panel;
    if (panel.opacity < 1) continue;
    const double thin = std::min(std::max(0.1 * placed.cell_height(), 0.4), 0.1 * page.em);
    const auto put_frame = [&](Index row, Index col, Index rows, Index cols, double thickness) {
      if (row < 0 || col < 0 || row >= panel.rows || col >= panel.cols) return;
      Box box = placed.cell(row, col);
      box.width *= static_cast<double>(cols);
      box.height *= static_cast<double>(rows);
      page.layout.frames.push_back({box, page.inks.mark, thickness});
    };
    for (const Index row : {panel.marks.row, panel.marks.second_row}) put_frame(row, 0, 1, panel.cols, thin);
    put_frame(0, panel.marks.col, panel.rows, 1, thin);
    put_frame(panel.marked_row, panel.marked_col, 1, 1, 2 * thin);
  }
}

void put_paragraph(Page& page, std::string_view text, const TextStyle& style, Rgb colour, double& top,
                   bool is_centred) {
  if (text.empty()) return;
  const std::vector<std::string> lines = page.shaper.wrap(text, style, page.room());
  const bool in_the_middle = is_centred || lines.size() == 1;
  for (const std::string& line : lines) {
    const double x = in_the_middle ? page.layout.width / 2 : page.margin;
    page.put(line, style, colour, x, top, in_the_middle ? Align::centre : Align::left);
    top += line_height * style.size;
  }
}

}  // namespace attnscope
