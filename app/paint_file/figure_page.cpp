#include "paint_file/figure_page.h"

#include <algorithm>

#include "look/mix.h"
#include "look/themes.h"

namespace attnscope {

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

picture::TextMeasure text_measure(const TextShaper& shaper) {
  return [&shaper](std::string_view text, double size, picture::Face face) {
    return text.empty() ? 0 : shaper.width(text, {size, face == picture::Face::bold});
  };
}

void add_words(std::vector<PlacedText>& texts, const picture::Picture& picture, const TextShaper& shaper, Rgb ground) {
  for (const picture::Word* const word : picture.all<picture::Word>()) {
    if (word->text.empty()) continue;
    const TextStyle style{word->size, word->face == picture::Face::bold};
    const double width = shaper.width(word->text, style);
    const double line = line_height * style.size;
    const Box box = word->is_turned ? Box{word->x - baseline * style.size, word->y - width, line, width}
                                    : Box{word->x - word->anchor * width, word->y - baseline * style.size, width, line};
    const Align align = word->anchor == 0 ? Align::left : word->anchor < 1 ? Align::centre : Align::right;
    const Rgb ink = word->ink.alpha < 1 ? mix(ground, word->ink.colour, word->ink.alpha) : word->ink.colour;
    texts.push_back(
        {word->text, style, ink, box, align, word->is_turned, word->is_on_hatch, !shaper.has_every_letter(word->text)});
  }
}

void add_picture(Page& page, picture::Picture picture) {
  add_words(page.layout.texts, picture, page.shaper, page.inks.page);
  std::vector<picture::Item>& items = page.layout.picture.items;
  items.insert(items.end(), std::make_move_iterator(picture.items.begin()),
               std::make_move_iterator(picture.items.end()));
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
