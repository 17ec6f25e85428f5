#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/evaluate.h"
#include "core/stages/rule.h"
#include "teach/film.h"
#include "view/cells.h"
#include "view/diagram.h"
#include "view/figure_options.h"
#include "view/matrix_sheet.h"
#include "view/picture.h"

// Declared here as Cairo and Pango declare them, so that this header needs neither.
typedef struct _cairo cairo_t;
typedef struct _PangoContext PangoContext;

namespace attnscope {

struct TextStyle {
  double size = 12;  // one em, in the figure's pixels
  bool is_bold = false;
  bool operator==(const TextStyle&) const = default;
};

inline TextStyle style_of(const picture::Word& word) { return {word.size, word.face == picture::Face::bold}; }

struct TextSize {
  double width = 0;
  double above = 0;  // height of the ink above the baseline
  double below = 0;  // depth of the ink below the baseline
};

// Measures and draws lines of text in any script. A letter that the first font lacks comes from another font of the
// system, or is a box where none has it. Nothing is rounded to pixels: a text has the same length at every scale. Not
// thread-safe.
class TextShaper {
public:
  TextShaper();

  TextSize measure(std::string_view text, const TextStyle& style) const;
  double width(std::string_view text, const TextStyle& style) const { return measure(text, style).width; }
  // Returns the text; if it is longer than `width`, an ellipsis takes the place of its end.
  std::string shorten(std::string_view text, const TextStyle& style, double width) const;
  // Breaks the text into lines no wider than `width`.
  std::vector<std::string> wrap(std::string_view text, const TextStyle& style, double width) const;
  bool has_every_letter(std::string_view text) const;  // returns whether no letter would be drawn as a box
  picture::TextMeasure text_measure() const;           // refers to the shaper, which must outlive it
  // Draws a line from (x, y) on the baseline, in the context's colour.
  void draw(cairo_t* cairo, std::string_view text, const TextStyle& style, double x, double y) const;

private:
  std::shared_ptr<PangoContext> context_;
  // Texts that were measured are kept: a search for a layout asks for the same ones at the same sizes again and again.
  mutable std::map<std::tuple<std::string, double, bool>, TextSize> measured_;
};

// Returns font names for formats that keep text as text; the generic name is the last.
std::string_view font_families();

// Replaces each character that is invisible or would break the line by a visible one; a text of nothing but spaces
// becomes visible, too.
std::string visible_text(std::string_view text);
std::string visible_lines(std::string_view text);  // keeps the line ends of the text
std::vector<std::string> visible_texts(const std::vector<std::string>& texts);

// One matrix of a figure and the meaning of its colours.
struct FigureMatrix : scene::SheetMatrix {
  std::vector<float> row_sums = {};  // empty: none are shown; NaN: read when it is drawn
  std::set<CellMark> cell_marks = {};
};

// The diagram in a figure of the whole pipeline.
struct FigureDiagram {
  std::shared_ptr<const Result> result;
  scene::DiagramShape shape;
  scene::DiagramShape largest;  // the largest of a series, which gives the places to all
  StageSet awaited;             // results that are not shown yet; their places are kept
};

// Everything that a figure shows, before it is laid out.
struct FigureContent {
  FigureOptions options;
  std::string heading;                   // stands below the title: the stage, or the mechanism of a pipeline
  std::string place;                     // stands after it: "Head 1 of 12, batch entry 2 of 3"
  std::optional<Index> head;             // the heading has this head's mark
  std::vector<FigureMatrix> matrices;    // line by line, or those of the diagram
  Index columns = 1;                     // matrices in a line
  std::vector<std::string> labels;       // names of rows: tokens, or numbers of features
  std::vector<std::string> key_labels;   // names of columns that are keys
  bool repeats_columns = false;          // every matrix has the same columns as the one above it
  bool shares_bar = true;                // one colour bar serves all matrices
  std::optional<FigureDiagram> diagram;  // replaces lines of matrices
  bool is_of_series = false;             // a colour means the same number in all figures of a series
  std::set<CellMark> series_marks;       // the legend that all figures of a series share
};

// Returns everything that the figure of a result shows. Throws Error when the result has no such stage, head or batch
// entry, or an option is out of bounds.
FigureContent describe_figure(const std::shared_ptr<const Result>& result, const RowNames& names,
                              const FigureOptions& options, const Execution& execution = {});

std::set<CellMark> marks_of(const FigureContent& content);  // returns the marks that the legend explains

float row_sum(const FigureMatrix& matrix, Index row);  // reads it if it is not known yet

// A figure ready to be drawn: a page, and everything on it.
struct Figure {
  FigureOptions options;
  std::string name;  // names the document of the file
  double width = 0;  // in pixels of 1/96 inch
  double height = 0;
  picture::Picture picture;
};

// Lays out the figure of a result. Throws Error if describe_figure() does, or if cells have no room.
Figure make_figure(const std::shared_ptr<const Result>& result, const RowNames& names, const FigureOptions& options,
                   const Execution& execution = {});

// Figures that are shown one after the other, as an animation: a colour means the same number in all of them, and what
// they share keeps its place on pages of one size. First add() all of them, then make() each.
class FigureSeries {
public:
  // Takes a figure into account, but keeps nothing large of it.
  void add(const FigureContent& content);
  // Makes the figure as a member of the series. Throws Error if make_figure() does, and Cancelled.
  Figure make(FigureContent content, const Execution& execution = {});

private:
  // All matrices of a stage share this; where each head has a colour range of its own, all matrices of a head.
  struct Common {
    ColourRange range;
    Index rows = 0;
    Index cols = 0;
    std::string widest_number;
    std::set<std::string> sums;  // the smallest and the largest row sum of each figure
  };
  using Place = std::pair<Stage, Index>;

  Place place_of(const FigureContent& content, const FigureMatrix& matrix) const;
  void add(Common& common, const FigureMatrix& matrix) const;
  void conform(FigureContent& content) const;
  double page_height(const Execution& execution);

  std::map<Place, Common> commons_;
  std::set<CellMark> marks_;
  std::optional<scene::DiagramShape> largest_;  // the largest diagram
  std::vector<std::string> labels_;             // the longest lists
  std::vector<std::string> key_labels_;
  std::vector<FigureContent> outlines_;  // without cells and labels
  double height_ = 0;                    // height of every page; 0: not computed yet
};

// The film of a number as figures of one size: a figure for each moment.
class FilmFigures {
public:
  // The number is `options.film`. Throws Error if it has no film, or an option is out of bounds; and Cancelled.
  FilmFigures(const Result& result, const RowNames& names, FigureOptions options, const std::stop_token& stop = {});

  const Film& film() const { return film_; }
  Figure figure(const FilmMoment& moment) const;
  Figure key_frame(std::size_t scene) const { return figure({scene, 1}); }
  // Returns the key frame without its texts and without the line of scenes, to stand between texts on paper; its
  // letters have at least this size.
  Figure bare_key_frame(std::size_t scene, double least_text) const;

  // Returns the moments of all frames at this rate. Each scene ends with its key frame, and the last one stays a while.
  std::vector<FilmMoment> moments(double frames_per_second) const;

private:
  FilmCanvas canvas() const;

  FigureOptions options_;
  Film film_;
  double width_ = 0;
  double height_ = 0;
  TextShaper shaper_;
};

// Asks a drawing to stop, and hears how far it is.
struct DrawWatch {
  std::stop_token stop = {};
  std::function<void(std::size_t drawn, std::size_t count)> drawn = {};  // called before each matrix and at the end
  std::function<void(float share)> encoded = {};  // called with the written share of a PNG, 0 to 1
};

// Return the bytes of a file. Throw Error if the picture would be too large, and Cancelled if a stop was requested.
std::string render_png(const Figure& figure, const DrawWatch& watch = {});  // size: the figure's times options.scale
std::string render_svg(const Figure& figure, const DrawWatch& watch = {});  // text stays text
std::string render_pdf(const Figure& figure, const DrawWatch& watch = {});
std::string render_pdf(std::span<const Figure> pages, const std::string& title,
                       const DrawWatch& watch = {});  // all pages have one size

// Returns the pixels that render_png() encodes.
FigureImage render_image(const Figure& figure, double scale, const std::stop_token& stop = {});

}  // namespace attnscope
