#pragma once

#include <string_view>

#include "paint/file/figure.h"
#include "paint/file/text_shaper.h"
#include "view/cells.h"
#include "view/colours.h"

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
  Rgb paper = paper_colour(options.theme);                                   // lies behind everything
  Rgb line = theme.is_dark ? Rgb{0x5A, 0x63, 0x6E} : Rgb{0x9A, 0xA1, 0xAB};  // colour of frames and ticks
  double em = options.font_size / 72 * 96;                                   // the font size, in the figure's pixels
  double margin = em;
  double width;
  double top = margin;  // top of the next item
  double feature_row = scene::SheetStyle().feature_row;
  picture::Picture picture;

  double room() const { return width - 2 * margin; }
  scene::SheetPen pen(double text_size);
  scene::SheetPen pen() { return pen(em); }
  // Moves a picture to a place on the page.
  void add(picture::Picture added, double scale, double left);
  // Puts a paragraph as wide as the page, `ems` large. A single line is centred; more are if `is_centred`.
  void put_paragraph(std::string_view text, double ems, Rgb ink, bool is_centred,
                     picture::Face face = picture::Face::text);
  void put_title();
  void put_caption();  // puts the caption and the footer
  // Returns the page as a figure; without a height it ends below the last item.
  Figure figure(std::string name, double height = 0);
};

// Lays the content out on a page of its size. Throws Error if it has no room there.
Figure lay_out(const FigureContent& content);

}  // namespace attnscope
