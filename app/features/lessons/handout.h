#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paint/file/figure.h"
#include "teach/film.h"
#include "teach/formula.h"
#include "teach/lesson.h"
#include "view/matrix_sheet.h"

namespace attnscope {

// Returns a lesson on paper, as the bytes of a PDF of A4 pages: its steps, each with a figure of what it shows, its
// questions with room for answers, and on pages of their own, at the end, the answers, if it has them. Throws Error.
std::string render_handout(const Lesson& lesson, bool has_answers = true);

constexpr std::string_view no_answers = "-without-answers";  // in the names of handouts for students

// Returns what a text of a lesson says on paper: cells are marked there instead of clicked, bars are drawn instead of
// dragged, and sentences that name a key or a control of the window are left out; also those about the screen where no
// picture stands.
std::string words_on_paper(std::string_view text, bool has_picture = true);

// Returns which sentences of a lesson a handout leaves out, each with its step.
std::vector<std::string> left_out_on_paper(const Lesson& lesson);

// Lays out the pages of a handout: their measures, and functions that add texts, tables and figures.
namespace paper {

inline constexpr double point = 96.0 / 72;        // in pixels
inline constexpr double page_wide = 595 * point;  // A4
inline constexpr double page_high = 842 * point;
inline constexpr double margin = 52 * point;
inline constexpr double room = page_wide - 2 * margin;
inline constexpr double small_size = 8 * point;
inline constexpr double handout_text_size = 10 * point;
inline constexpr Rgb black = grey(26);
inline constexpr Rgb dim = grey(102);

// Returns the text of spans, with marks around what a lesson emphasizes; paragraph() draws it so.
std::string marked_text(const std::vector<TextSpan>& spans);
std::string marked_text(const LessonText& text, const StepNumbers& numbers);
std::string without_marks(std::string_view marked);

// Pages that fill from top to bottom.
class Paper {
public:
  std::vector<Figure> pages;
  double scale = 1;  // of figures

  void next_page();
  void keep_together(double height);
  void paragraph(std::string_view text, const TextStyle& style, double indent = 0, Rgb ink = black);
  // Draws a table of numbers; each column is as wide as its widest number.
  void table(std::string_view text);
  void blocks(const std::vector<TextBlock>& blocks, double indent = 0);
  // Draws what a figure shows, without its margins, in the middle; smaller than `least_scale` only if it must.
  void figure(const Figure& drawn, double most_wide, double most_high, double least_scale);
  // Draws a scene of a film below its title and its caption, and above its note.
  void scene(const Figure& drawn, const FilmScene& of);
  // Begins a page that is filled down to there already.
  void begin_at(double y);
  // Draws boxes to draw bars into, each with its name below.
  void boxes(const std::vector<std::string>& names);
  void line_to_write_on();
  void gap(double height) { y_ += height; }
  double y() const { return y_; }

private:
  // Places what is inked at x and below what stands there already. The figure's own ground is left out: it would cover
  // that.
  void place(const Figure& drawn, const Box& ink, double share, double x);
  scene::SheetPen pen();
  void put(std::string text, const TextStyle& style, double x, double top, double anchor, Rgb ink = black,
           bool is_slanted = false);

  TextShaper shaper_;
  picture::TextMeasure measure_ = shaper_.text_measure();
  double y_ = 0;
};

}  // namespace paper

}  // namespace attnscope
