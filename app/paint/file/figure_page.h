#pragma once

#include <string_view>

#include "paint/file/figure.h"
#include "paint/file/figure_content.h"
#include "paint/file/text_shaper.h"
#include "view/sheet_pen.h"
#include "view/themes.h"

namespace attnscope {

// The page that a figure is laid out on, from top to bottom. Private to this folder.

const ThemeColours& theme_of(FigureTheme theme);
Rgb paper_colour(FigureTheme theme);

struct FigurePage {
  FigurePage(const FigureOptions& shown, const TextShaper& writer, double wide)
      : options(shown), shaper(writer), width(wide) {}
  FigurePage(const FigurePage&) = delete;  // pens point into it
  FigurePage& operator=(const FigurePage&) = delete;

  const FigureOptions& options;
  const TextShaper& shaper;
  picture::TextMeasure measure = shaper.text_measure();
  const ThemeColours& theme = theme_of(options.theme);
  Rgb paper = paper_colour(options.theme);                                   // behind everything
  Rgb line = theme.is_dark ? Rgb{0x5A, 0x63, 0x6E} : Rgb{0x9A, 0xA1, 0xAB};  // of frames and ticks
  double em = options.font_size / 72 * 96;                                   // the font size, in the figure's pixels
  double margin = em;
  double width;
  double top = margin;  // of what comes next
  double feature_row = scene::SheetStyle().feature_row;
  picture::Picture picture;

  double room() const { return width - 2 * margin; }
  scene::SheetPen pen(double text_size);
  scene::SheetPen pen() { return pen(em); }
  // Moves a picture to a place on the page.
  void add(picture::Picture added, double scale, double left);
  // A paragraph as wide as the page, `ems` large; what has one line stands in the middle.
  void put_paragraph(std::string_view text, double ems, Rgb ink, bool is_centred,
                     picture::Face face = picture::Face::text);
  void put_title();
  void put_caption();  // and the footer
  // The page as a figure, which ends below what was put last where it has no height.
  Figure figure(std::string name, double height = 0);
};

// The content on a page of its size. Errors: there is no room for it.
Figure lay_out(const FigureContent& content);

// The diagram of the whole pipeline, as large as there is room for it in `height`, which is 0 where it follows.
void put_diagram(FigurePage& page, const FigureContent& content, double height);

}  // namespace attnscope
