#include "features/lessons/handout.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/text.h"
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

// What a lesson says on paper.
namespace attnscope {
namespace {

// Returns whether words name a key right after "press ": a capital letter alone, an arrow or a key with a name.
bool presses_key(std::string_view words) {
  constexpr std::string_view names[] = {"Space",   "Enter", "Esc", "Ctrl", "Shift",  "Alt",
                                        "Tab",     "Home",  "End", "Page", "Delete", "the arrow",
                                        "the key", "→",     "←",   "↑",    "↓",      "play"};
  for (const std::string_view verb : {"press ", "Press "}) {
    const std::size_t at = words.find(verb);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = words.substr(at + verb.size());
    if (std::ranges::any_of(names, [&](std::string_view name) { return rest.starts_with(name); })) return true;
    const auto is_capital = [](char letter) { return letter >= 'A' && letter <= 'Z'; };
    const auto is_word = [](char letter) { return letter >= 'a' && letter <= 'z'; };
    if (!rest.empty() && is_capital(rest.front()) && (rest.size() == 1 || !is_word(rest[1]))) return true;
  }
  return false;
}

// Returns whether a sentence names a key, a control or a mark of the window. Others that begin with "Press" or "Drag"
// are the author's own.
bool is_about_window(std::string_view sentence) {
  constexpr std::string_view buttons[] = {"*Watch*",  "*Play*",   "*Check*",
                                          "*Reveal*", "*Try it*", "*This step's state*"};
  const auto has = [](std::string_view words, const auto& signs) {
    return std::ranges::any_of(signs,
                               [&](std::string_view sign) { return words.find(sign) != std::string_view::npos; });
  };
  const std::string words(paper::without_marks(sentence));
  constexpr std::string_view places[] = {"in Setup", "under Setup", "Ctrl+", "File ▸"};
  constexpr std::string_view signs[] = {"double-click",
                                        "click the cell",
                                        "click the number",
                                        "click this cell",
                                        "click this number",
                                        "click a cell",
                                        "click a number",
                                        "drag a number",
                                        "drag the number",
                                        "drag this number",
                                        "drag a cell",
                                        "drag the cell",
                                        "drag it, or",
                                        "drag the bars",
                                        "the key o ",
                                        "rest the pointer",
                                        "above the picture, switches",
                                        "the outlines around the bars",
                                        "the frames mark what enters"};
  return has(sentence, buttons) || has(words, places) || presses_key(words) || has(lower_case(words), signs);
}

// Returns whether a sentence asks for a click on a number, which is marked on paper.
bool clicks_number(std::string_view sentence) {
  constexpr std::string_view numbers[] = {"cell", "number", "weight", "score", "key", "query", "value", "lick it"};
  return std::ranges::any_of(numbers,
                             [&](std::string_view each) { return sentence.find(each) != std::string_view::npos; });
}

// Returns a sentence as it is said on paper; empty if nothing is left of it. What it says before a colon stays.
std::string sentence_on_paper(std::string sentence, bool has_picture) {
  if (!has_picture && sentence.find("The screen ") != std::string::npos) return "";
  constexpr std::pair<std::string_view, std::string_view> verbs[] = {{"Drag the bars", "Draw the bars"},
                                                                     {"Click the ", "Mark the "},
                                                                     {"Click its ", "Mark its "},
                                                                     {"Click this ", "Mark this "},
                                                                     {"Click it", "Mark it"},
                                                                     {" click the ", " mark the "},
                                                                     {" click it", " mark it"},
                                                                     {"On the screen ", "Here "},
                                                                     {"The screen now shows", "The picture shows"},
                                                                     {"The screen shows", "The picture shows"},
                                                                     {" on the screen", " here"}};
  for (const auto& [verb, on_paper] : verbs) {
    const bool is_click = verb.find("lick") != std::string_view::npos;
    if (is_click && !clicks_number(sentence)) continue;
    if (const std::size_t at = sentence.find(verb); at != std::string::npos) {
      sentence.replace(at, verb.size(), on_paper);
      break;
    }
  }
  if (!is_about_window(sentence)) return sentence;
  const std::size_t colon = sentence.find(": ");
  const std::string before = sentence.substr(0, std::min(colon, sentence.size()));
  if (colon == std::string::npos || before == "Try it" || is_about_window(before)) return "";
  return before + ".";
}

// Returns whether a sentence loses words on paper.
bool shortens(const std::string& sentence) {
  const std::string said = sentence_on_paper(sentence, true);
  return said.empty() || (said.ends_with('.') && sentence.starts_with(said.substr(0, said.size() - 1) + ": "));
}

// Takes the first sentence off a text.
std::string_view take_sentence(std::string_view& text) {
  std::size_t end = text.size();
  for (const std::string_view mark : {". ", "? ", "! "}) end = std::min(end, text.find(mark));
  const std::string_view sentence = text.substr(0, std::min(end + 1, text.size()));
  text.remove_prefix(std::min(end + 2, text.size()));
  return sentence;
}

}  // namespace

std::string words_on_paper(std::string_view text, bool has_picture) {
  std::string words;
  while (!text.empty()) {
    const std::string said = sentence_on_paper(std::string(take_sentence(text)), has_picture);
    if (!said.empty()) words += (words.empty() ? "" : " ") + said;
  }
  return words;
}

std::vector<std::string> left_out_on_paper(const Lesson& lesson) {
  std::vector<std::string> left_out;
  const auto look_at_text = [&](std::size_t step, std::string text) {
    std::ranges::replace(text, '\n', ' ');
    for (std::string_view rest = text; !rest.empty();) {
      const std::string sentence(trimmed(take_sentence(rest)));
      if (!sentence.empty() && shortens(sentence))
        left_out.push_back(fmt::format("Step {}: the handout leaves out “{}”", step + 1, sentence));
    }
  };
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    look_at_text(i, lesson.steps[i].text.markdown);
    if (lesson.steps[i].question) look_at_text(i, lesson.steps[i].question->ask.markdown);
  }
  return left_out;
}

}  // namespace attnscope
