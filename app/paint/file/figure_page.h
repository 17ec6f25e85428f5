#pragma once

#include <stop_token>
#include <string_view>

#include "compute/pixels.h"
#include "paint/file/figure.h"
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

// Paints a figure's picture with Cairo. Private to this folder.

// The surface behind a Cairo context.
struct DrawTarget {
  const DrawWatch& watch;
  double pixels = 0;        // pixels of the target for each of the figure; 0: a vector format
  bool has_letters = true;  // false: the caller writes words whose letters fonts have
};

// Throws Cancelled when a stop was requested, and Error if Cairo could not draw: `status` is a cairo_status_t.
void require_drawn(int status, const std::stop_token& stop = {});

// Draws a whole page, in the figure's pixels. Throws Cancelled when a stop was requested.
void draw_figure(cairo_t* cairo, const Figure& figure, const DrawTarget& target);

// Returns whether cells are drawn one by one; a larger matrix is an image without numbers.
inline bool is_drawn_one_by_one(const picture::Matrix& matrix) { return matrix.rows * matrix.cols <= 4096; }

// The cells of a whole matrix for drawing: one by one, or pooled.
struct HeatmapCells {
  Index rows = 0;
  Index cols = 0;
  std::vector<float> values;  // minus infinity: masked
  std::vector<float> drops;   // above 0: dropped; empty: nothing can be

  bool is_dropped(std::size_t at) const { return !drops.empty() && drops[at] > 0; }
  std::optional<CellMark> mark(std::size_t at) const { return mark_of(values[at], is_dropped(at)); }
};
HeatmapCells read_heatmap(const picture::Matrix& matrix, Index rows, Index cols, const Measure& measure = {},
                          const Execution& execution = {});

}  // namespace attnscope
