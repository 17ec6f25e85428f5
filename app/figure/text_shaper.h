#pragma once

#include <cairo.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

typedef struct _PangoContext PangoContext;  // as Pango declares it

namespace attnscope {

struct TextStyle {
  double size = 12;  // of the letters' em, in the figure's pixels
  bool is_bold = false;
  bool operator==(const TextStyle&) const = default;
};

constexpr double line_height = 1.25;  // of the size
constexpr double baseline = 0.95;     // of the size, below the top of a line

struct TextSize {
  double width = 0;
  double above = 0;  // ink above the baseline
  double below = 0;  // ink below it
};

// Measures and draws lines of text in any script: shaped, with the system's fonts where the first lacks a letter, and a
// box where all of them do. Nothing is rounded to pixels, so that text has the same length at every scale. For one
// thread.
class TextShaper {
public:
  TextShaper();

  TextSize measure(std::string_view text, const TextStyle& style) const;
  double width(std::string_view text, const TextStyle& style) const { return measure(text, style).width; }
  // The text, or as much of its beginning as fits in `width` with an ellipsis behind it.
  std::string shorten(std::string_view text, const TextStyle& style, double width) const;
  // Broken into lines no wider than `width`.
  std::vector<std::string> wrap(std::string_view text, const TextStyle& style, double width) const;
  bool has_every_letter(std::string_view text) const;  // in some font: none of them is drawn as a box
  // From (x, y) on the baseline, in the context's colour.
  void draw(cairo_t* cairo, std::string_view text, const TextStyle& style, double x, double y) const;

private:
  std::shared_ptr<PangoContext> context_;
};

// Names of the first font, for formats that hold text as text; the generic name last.
std::string_view font_families();

// A text as it can be drawn: characters that would be invisible or break the line have a visible one in their place, a
// text of nothing but spaces is shown as such.
std::string visible_text(std::string_view text);
std::vector<std::string> visible_texts(const std::vector<std::string>& texts);

}  // namespace attnscope
