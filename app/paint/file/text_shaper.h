#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

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

}  // namespace attnscope
