#pragma once

#include <imgui.h>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "paint/file/figure.h"
#include "paint/window/text.h"

namespace attnscope::test {

// A word from its beginning to its end on its baseline; of a page both are the point that it is anchored at.
struct SeenWord {
  picture::Point begin, end;
  double anchor = 0;

  picture::Point at(double share) const {
    return {begin.x + share * (end.x - begin.x), begin.y + share * (end.y - begin.y)};
  }
};

// The words and boxes that a painter draws.
struct Seen {
  std::multimap<std::string, SeenWord> words;     // by their letters, without blanks
  std::map<std::string, std::vector<Box>> boxes;  // by their kinds
};

// Of the file painter, from an SVG.
Seen seen_on_page(Figure figure);

// Of the window's painter, from the vertices of a draw list.
class SightOfWindow {
public:
  explicit SightOfWindow(std::string_view texts);  // with letters for these
  ~SightOfWindow();
  SightOfWindow(const SightOfWindow&) = delete;
  SightOfWindow& operator=(const SightOfWindow&) = delete;

  Seen seen(const picture::Picture& picture);

private:
  using Vertices = std::span<const ImDrawVert>;

  struct Letter {
    ImFontGlyph glyph;
    double ascent = 0;
  };

  void read_letters();
  void add(Seen& seen, const picture::Item& item, Vertices drawn) const;
  std::pair<std::string, SeenWord> word_of(Vertices drawn) const;

  ImGuiContext* imgui_;
  Fonts fonts_;
  std::map<std::pair<float, float>, Letter> letters_;  // by their places in the fonts' texture
};

}  // namespace attnscope::test
