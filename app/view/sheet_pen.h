#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "view/picture.h"
#include "view/themes.h"

namespace attnscope::scene {

// Writes the words of a sheet of matrices into a picture, in its theme and letter sizes.
struct SheetPen {
  picture::Picture& picture;
  const picture::TextMeasure& measure;
  const ThemeColours& theme;
  Rgb line;               // of frames and ticks
  double em = 12;         // size of the text
  double least_text = 0;  // no text is smaller
  double thin = 0.75;     // width of a line
  // The text, or its beginning with an ellipsis where it is wider than `room`; null: cut between letters.
  std::function<std::string(std::string_view text, double size, double room)> shorten = {};

  std::string shortened(std::string_view text, double of_size, double room) const {
    return shorten ? shorten(text, of_size, room)
                   : picture::shortened(text, room, of_size, picture::Face::text, measure);
  }

  double size(double ems) const { return std::max(ems * em, least_text); }
  double width(std::string_view text, double of_size, picture::Face face = picture::Face::text) const {
    return text.empty() ? 0 : measure(text, of_size, face);
  }

  // `x` is the left end of the text, its middle or its right end, by `anchor`.
  void put(std::string text, double of_size, Rgb ink, double x, double top, double anchor,
           picture::Face face = picture::Face::text) const {
    picture.add(picture::Word{.text = std::move(text),
                              .x = x,
                              .y = top + picture::baseline * of_size,
                              .size = of_size,
                              .face = face,
                              .ink = {ink},
                              .anchor = anchor});
  }
  // Reads upwards from `bottom` on, around `middle`.
  void put_turned(std::string text, double of_size, Rgb ink, double middle, double bottom) const {
    picture.add(picture::Word{.text = std::move(text),
                              .x = middle + (picture::baseline - picture::line_height / 2) * of_size,
                              .y = bottom,
                              .size = of_size,
                              .ink = {ink},
                              .is_turned = true});
  }
  void fill(const Box& box, Rgb ink) const { picture.add(picture::Fill{box, {ink}}); }
  void frame(const Box& box, Rgb ink, double thickness = 1) const {
    picture.add(picture::Outline{box, {ink}, thickness});
  }
  void stroke(std::vector<picture::Point> points, Rgb ink, double thickness = 1) const {
    picture.add(picture::Stroke{.points = std::move(points), .ink = {ink}, .thickness = thickness});
  }
};

}  // namespace attnscope::scene
