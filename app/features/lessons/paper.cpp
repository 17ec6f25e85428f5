#include "features/lessons/handout.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>
#include <variant>

#include "view/stage_look.h"

namespace attnscope::paper {
namespace {

using picture::baseline;
using picture::line_height;

constexpr double code_size = 8.5 * point;
constexpr double film_text_size = 9 * point;
constexpr double bar_high = 70 * point;  // height of a row of bars that are drawn by hand
constexpr Rgb line_ink = grey(153);
constexpr double line_thickness = 0.7 * point;

// A paragraph's letters between the first two are bold, or plain if the paragraph is bold; those between the others
// lean.
constexpr char begins_strong = '\x01';
constexpr char ends_strong = '\x02';
constexpr char begins_emphasis = '\x03';
constexpr char ends_emphasis = '\x04';

bool is_mark(char letter) { return letter >= begins_strong && letter <= ends_emphasis; }

constexpr double almost = 0.99;

bool is_ground(const Box& box, double width, double height) { return box.width >= width && box.height >= height; }

// Returns the box around everything that a figure draws. A ground of the whole figure does not count.
Box inked_box(const Figure& drawn, const picture::TextMeasure& measure) {
  double left = drawn.width, top = drawn.height, right = 0, bottom = 0;
  const auto add = [&](const Box& box) {
    if (is_ground(box, almost * drawn.width, almost * drawn.height)) return;
    left = std::min(left, box.x);
    top = std::min(top, box.y);
    right = std::max(right, box.right());
    bottom = std::max(bottom, box.bottom());
  };
  for (const picture::Item& item : drawn.picture.items) {
    std::visit(
        [&](const auto& of) {
          if constexpr (requires { of.box; }) {
            add(of.box);
          } else if constexpr (requires { of.points; }) {
            for (const picture::Point& at : of.points) add({at.x, at.y, 0, 0});
          } else {
            add(picture::box_of(of, measure));
          }
        },
        item);
  }
  return right > left && bottom > top ? Box{left, top, right - left, bottom - top}
                                      : Box{0, 0, drawn.width, drawn.height};
}

}  // namespace

std::string without_marks(std::string_view marked) {
  std::string text(marked);
  std::erase_if(text, is_mark);
  return text;
}

std::string marked_text(const std::vector<TextSpan>& spans) {
  std::string text;
  for (const TextSpan& span : spans) {
    text += span.style == TextSpan::Style::strong     ? begins_strong + span.text + ends_strong
            : span.style == TextSpan::Style::emphasis ? begins_emphasis + span.text + ends_emphasis
                                                      : span.text;
  }
  return text;
}

std::string marked_text(const LessonText& text, const StepNumbers& numbers) {
  std::string line;
  for (const TextBlock& block : lesson_text(text, &numbers))
    line += (line.empty() ? "" : " ") + marked_text(block.spans);
  return line;
}

void Paper::next_page() {
  pages.push_back({.options = {}, .name = {}, .width = page_wide, .height = page_high, .picture = {}});
  put(fmt::format("{}", pages.size()), {small_size}, page_wide / 2, page_high - margin / 2 - small_size * baseline, 0.5,
      dim);
  y_ = margin;
}

void Paper::keep_together(double height) {
  if (y_ + height > page_high - margin) next_page();
}

void Paper::paragraph(std::string_view text, const TextStyle& style, double indent, Rgb ink) {
  const bool has_marks = text.find(begins_strong) != std::string_view::npos;
  TextStyle now = style;
  bool is_slanted = false;
  std::string_view rest = text;
  // Bold letters are the wider ones: with these, no line becomes too long.
  for (const std::string& line :
       shaper_.wrap(without_marks(text), {style.size, style.is_bold || has_marks}, room - indent)) {
    keep_together(style.size * line_height);
    double x = margin + indent;
    std::string piece;
    const auto put_piece = [&] {
      const double width = shaper_.width(piece, now);
      if (!piece.empty()) put(std::move(piece), now, x, y_, 0, ink, is_slanted);
      x += width;
      piece.clear();
    };
    for (const char letter : line) {
      for (; !rest.empty() && rest.front() != letter; rest.remove_prefix(1)) {
        if (!is_mark(rest.front())) continue;
        put_piece();
        if (rest.front() == begins_strong || rest.front() == ends_strong) {
          now.is_bold = (rest.front() == begins_strong) != style.is_bold;
        } else {
          is_slanted = rest.front() == begins_emphasis;
        }
      }
      piece += letter;
      if (!rest.empty()) rest.remove_prefix(1);
    }
    put_piece();
    y_ += style.size * line_height;
  }
}

void Paper::table(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  double widest = 0;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; cells >> cell; rows.back().push_back(cell))
      widest = std::max(widest, shaper_.width(cell, {code_size}));
  }
  for (auto& row : rows) {
    keep_together(code_size * line_height);
    for (std::size_t i = 0; i < row.size(); ++i)
      put(std::move(row[i]), {code_size}, margin + 14 * point + static_cast<double>(i + 1) * (widest + 8 * point), y_,
          1);
    y_ += code_size * line_height;
  }
}

void Paper::blocks(const std::vector<TextBlock>& blocks, double indent) {
  for (const TextBlock& block : blocks) {
    std::string text;
    for (const TextSpan& span : block.spans) text += span.text;
    if (block.kind == TextBlock::Kind::code && block.spans.front().style == TextSpan::Style::number) {
      table(text);
    } else {
      const bool is_item = block.kind == TextBlock::Kind::item;
      paragraph(is_item ? "• " + text : text, {handout_text_size}, indent + (is_item ? 10 * point : 0));
    }
    y_ += 4 * point;
  }
}

void Paper::figure(const Figure& drawn, double most_wide, double most_high, double least_scale) {
  const Box ink = inked_box(drawn, measure_);
  const double own = std::max(scale, least_scale);
  const double wide = std::min(most_wide * own, room);
  const double share = std::min({own, wide / ink.width, most_high * own / ink.height});
  const double high = ink.height * share + 12 * point;
  keep_together(high);
  place(drawn, ink, share, margin + (room - ink.width * share) / 2);
  y_ += high;
}

void Paper::scene(const Figure& drawn, const FilmScene& of) {
  const Box ink = inked_box(drawn, measure_);
  const double share = std::min(1.0, room / ink.width);
  const double high = ink.height * share + 8 * point;
  constexpr double texts = 4 * film_text_size * line_height + 6 * point;
  keep_together(high + texts);
  y_ += 6 * point;
  paragraph(of.title, {film_text_size, true});
  paragraph(of.caption, {film_text_size}, 0, dim);
  place(drawn, ink, share, margin + (room - ink.width * share) / 2);
  y_ += high;
  if (!of.note.empty()) paragraph(of.note, {film_text_size}, 0, dim);
}

void Paper::begin_at(double y) {
  next_page();
  y_ = y;
}

void Paper::boxes(const std::vector<std::string>& names) {
  keep_together(bar_high + 18 * point);
  const double step = std::min(54 * point, room / static_cast<double>(names.size()));
  const double width = step - 6 * point;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double x = margin + static_cast<double>(i) * step;
    pen().frame({x, y_, width, bar_high}, line_ink, line_thickness);
    put(shaper_.shorten(names[i], {small_size}, width), {small_size}, x,
        y_ + bar_high + 10 * point - small_size * baseline, 0);
  }
  y_ += bar_high + 18 * point;
}

void Paper::line_to_write_on() {
  keep_together(26 * point);
  y_ += 18 * point;
  pen().stroke({{margin, y_}, {margin + room / 2, y_}}, line_ink, line_thickness);
  y_ += 8 * point;
}

void Paper::place(const Figure& drawn, const Box& ink, double share, double x) {
  picture::Picture placed = picture::placed(drawn.picture, share, x - ink.x * share, y_ + 3 * point - ink.y * share);
  std::erase_if(placed.items, [&](const picture::Item& item) {
    const auto* const fill = std::get_if<picture::Fill>(&item);
    return fill && is_ground(fill->box, drawn.width * share * almost, drawn.height * share * almost);
  });
  std::ranges::move(placed.items, std::back_inserter(pages.back().picture.items));
}

scene::SheetPen Paper::pen() {
  return {.picture = pages.back().picture, .measure = measure_, .theme = colours_of(ThemeId::light), .line = line_ink};
}

void Paper::put(std::string text, const TextStyle& style, double x, double top, double anchor, Rgb ink,
                bool is_slanted) {
  pen().put(std::move(text), style.size, ink, x, top, anchor,
            style.is_bold ? picture::Face::bold : picture::Face::text);
  if (auto* const word = std::get_if<picture::Word>(&pages.back().picture.items.back())) word->is_slanted = is_slanted;
}

}  // namespace attnscope::paper
