#include "ui/widget_registry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/text.h"
#include "paint/window/text.h"
#include "ui/imgui_compat.h"

namespace attnscope {
namespace {

constexpr float same_line = 0.3f;    // of a font's size: how far a letter may stand off its line
constexpr float most_blanks = 2.5f;  // between two letters of one text
constexpr float whole_blank = 0.1f;  // how far the room between them may be off whole blanks
constexpr float least_shown = 0.4f;  // of a letter, to be read

// A letter in the fonts' texture.
struct Letter {
  const ImFontGlyph* glyph = nullptr;
  int font = 0;  // and size: what a text has one of
  float font_size = 0;
  float em = 1;  // of that
  float blank = 0;
  bool is_of_numbers = false;  // of a font for numbers in the cells of a picture
};

// Finds the letter of each point of the fonts' texture.
class LetterMap {
public:
  LetterMap(const ImFontAtlas& atlas, const Fonts& fonts);
  const Letter* at(ImVec2 uv) const;

private:
  int width_;
  int height_;
  std::vector<Letter> letters_;
  std::vector<std::int32_t> owners_;  // 0 for none, else one more than the letter's index
};

LetterMap::LetterMap(const ImFontAtlas& atlas, const Fonts& fonts)
    : width_(static_cast<int>(texture_size(atlas).x)), height_(static_cast<int>(texture_size(atlas).y)) {
  owners_.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
  int font = 0;
  visit_fonts(atlas, [&](const ImFont* from, const ImVector<ImFontGlyph>& glyphs, float size, float blank) {
    ++font;
    const bool is_number = from == fonts.number || from == fonts.small_number || from == fonts.large_number;
    const bool is_of_picture = std::ranges::find(fonts.digits, from) != fonts.digits.end();
    for (const ImFontGlyph& glyph : glyphs) {
      if (!glyph.Visible) continue;
      letters_.push_back({&glyph, font, size, is_number ? fonts.number_em : fonts.text_em, blank, is_of_picture});
      const auto owner = static_cast<std::int32_t>(letters_.size());
      const int left = static_cast<int>(std::lround(glyph.U0 * static_cast<float>(width_)));
      const int right = static_cast<int>(std::lround(glyph.U1 * static_cast<float>(width_)));
      const int bottom = static_cast<int>(std::lround(glyph.V1 * static_cast<float>(height_)));
      for (int y = static_cast<int>(std::lround(glyph.V0 * static_cast<float>(height_))); y < bottom; ++y)
        std::fill(&owners_[static_cast<std::size_t>(y * width_ + left)],
                  &owners_[static_cast<std::size_t>(y * width_ + right - 1)] + 1, owner);
    }
  });
}

const Letter* LetterMap::at(ImVec2 uv) const {
  const int x = static_cast<int>(uv.x * static_cast<float>(width_));
  const int y = static_cast<int>(uv.y * static_cast<float>(height_));
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return nullptr;
  const std::int32_t owner = owners_[static_cast<std::size_t>(y * width_ + x)];
  return owner == 0 ? nullptr : &letters_[static_cast<std::size_t>(owner - 1)];
}

// A letter on the screen: where it begins and where the next one follows, along and across its line.
struct DrawnLetter {
  const Letter* letter = nullptr;
  float scale = 1;  // units for a pixel of the font
  bool is_vertical = false;
  float begin = 0;
  float end = 0;
  float line = 0;
  ImVec2 min_screen;
  ImVec2 max_screen;
  std::uint64_t place = 0;  // the widget or cell that it is in
};

// The cell that is there, the widget, or neither: a number that no other place has.
std::uint64_t place_at(const WidgetRegistry& widgets, const ImGuiWindow* window, ImVec2 pos) {
  const auto contains = [&](ImVec2 low, ImVec2 high) {
    return pos.x >= low.x && pos.x < high.x && pos.y >= low.y && pos.y < high.y;
  };
  std::uint64_t place = 0;
  for (std::size_t index = 0; index < widgets.entries.size(); ++index) {
    const WidgetRegistry::Entry& entry = widgets.entries[index];
    if (entry.window == window && contains(entry.min_screen, entry.max_screen)) place = index + 1;
  }
  for (const WidgetRegistry::Matrix& matrix : widgets.matrices) {
    if (matrix.drawn_in != window || !contains(matrix.min_screen, matrix.max_screen)) continue;
    const double row = (pos.y - matrix.min_screen.y) / (matrix.max_screen.y - matrix.min_screen.y) * matrix.window.rows;
    const double col = (pos.x - matrix.min_screen.x) / (matrix.max_screen.x - matrix.min_screen.x) * matrix.window.cols;
    place += (static_cast<std::uint64_t>(row + matrix.window.row - std::floor(matrix.window.row)) << 40) +
             (static_cast<std::uint64_t>(col + matrix.window.col - std::floor(matrix.window.col)) << 20);
  }
  return place;
}

ImVec2 middle_of(ImVec2 low, ImVec2 high) { return {(low.x + high.x) / 2, (low.y + high.y) / 2}; }

float distance(ImVec2 a, ImVec2 b) { return std::hypot(b.x - a.x, b.y - a.y); }

// Reads a letter from its four corners, clockwise from the upper left one. What is cut away at its
// edges is missing in the texture's coordinates, too.
DrawnLetter drawn_letter(const Letter& letter, const ImDrawVert* const corners[4]) {
  const ImFontGlyph& glyph = *letter.glyph;
  const ImVec2 origin = corners[0]->pos;
  const float shown_width = (corners[2]->uv.x - corners[0]->uv.x) / (glyph.U1 - glyph.U0) * (glyph.X1 - glyph.X0);
  const float shown_height = (corners[2]->uv.y - corners[0]->uv.y) / (glyph.V1 - glyph.V0) * (glyph.Y1 - glyph.Y0);
  const float cut_left = (corners[0]->uv.x - glyph.U0) / (glyph.U1 - glyph.U0) * (glyph.X1 - glyph.X0);
  const float cut_top = (corners[0]->uv.y - glyph.V0) / (glyph.V1 - glyph.V0) * (glyph.Y1 - glyph.Y0);
  DrawnLetter drawn;
  drawn.letter = &letter;
  drawn.is_vertical = corners[1]->pos.y != origin.y;
  const bool leans = !drawn.is_vertical && corners[3]->pos.x < origin.x;
  const float height = leans ? corners[3]->pos.y - origin.y : distance(origin, corners[3]->pos);
  drawn.scale = shown_height > shown_width ? height / shown_height : distance(origin, corners[1]->pos) / shown_width;
  // Where the letter would begin if it stood upright; its feet stay where they are.
  constexpr float ascent = 0.8F;  // of a line
  const float lean = static_cast<float>(picture::slant) * (glyph.Y0 + cut_top - ascent * letter.font_size);
  // A vertical line is read upwards.
  drawn.begin = (drawn.is_vertical ? -origin.y : origin.x) - (glyph.X0 + cut_left) * drawn.scale;
  if (leans) drawn.begin += lean * drawn.scale;
  drawn.end = drawn.begin + glyph.AdvanceX * drawn.scale;
  drawn.line = (drawn.is_vertical ? origin.x : origin.y) - (glyph.Y0 + cut_top) * drawn.scale;
  drawn.min_screen = drawn.max_screen = origin;
  for (int corner = 1; corner < 4; ++corner) {
    const ImVec2 pos = corners[corner]->pos;
    drawn.min_screen = {std::min(drawn.min_screen.x, pos.x), std::min(drawn.min_screen.y, pos.y)};
    drawn.max_screen = {std::max(drawn.max_screen.x, pos.x), std::max(drawn.max_screen.y, pos.y)};
  }
  return drawn;
}

// Cuts a letter to its visible part; returns false if that cannot be read.
bool clip(DrawnLetter& drawn, const ImVec4& clip_rect) {
  const float whole = (drawn.max_screen.x - drawn.min_screen.x) * (drawn.max_screen.y - drawn.min_screen.y);
  drawn.min_screen = {std::max(drawn.min_screen.x, clip_rect.x), std::max(drawn.min_screen.y, clip_rect.y)};
  drawn.max_screen = {std::min(drawn.max_screen.x, clip_rect.z), std::min(drawn.max_screen.y, clip_rect.w)};
  const ImVec2 shown{drawn.max_screen.x - drawn.min_screen.x, drawn.max_screen.y - drawn.min_screen.y};
  return shown.x > 0 && shown.y > 0 && shown.x * shown.y >= least_shown * whole;
}

// Letters that follow each other become one text.
class TextLine {
public:
  bool takes(const DrawnLetter& drawn) const;
  void add(const DrawnLetter& drawn);
  const VisibleText& text() const { return text_; }
  bool is_empty() const { return text_.text.empty(); }

private:
  float blanks_before(const DrawnLetter& drawn) const;

  DrawnLetter last_;
  VisibleText text_;
};

bool is_of_digits(const DrawnLetter& drawn) {
  const char32_t character = drawn.letter->glyph->Codepoint;
  return (character >= '0' && character <= '9') || character == '.';
}

// Digits are drawn equally wide, so that there is room around a narrow one.
float TextLine::blanks_before(const DrawnLetter& drawn) const {
  constexpr float most_in_number = 1.8f;
  constexpr float most_behind_sign = 0.8f;
  const float blanks = (drawn.begin - last_.end) / (drawn.letter->blank * drawn.scale);
  const bool is_behind_sign = last_.letter->glyph->Codepoint == U'−';
  const float most = is_behind_sign ? most_behind_sign : is_of_digits(last_) ? most_in_number : 0;
  const bool is_in_number = drawn.letter->is_of_numbers && is_of_digits(drawn) && drawn.place == last_.place;
  return is_in_number && blanks < most ? std::min(blanks, 0.0f) : blanks;
}

bool TextLine::takes(const DrawnLetter& drawn) const {
  if (is_empty()) return true;
  const float size = drawn.letter->font_size * drawn.scale;
  const bool is_same_font = drawn.letter->font == last_.letter->font &&
                            std::abs(drawn.scale - last_.scale) < 0.01f * drawn.scale &&
                            drawn.is_vertical == last_.is_vertical;
  if (!is_same_font || std::abs(drawn.line - last_.line) > same_line * size) return false;
  const float blanks = blanks_before(drawn);
  if (blanks > 0.5f && drawn.place != last_.place) return false;
  return blanks > -0.5f && blanks < most_blanks && std::abs(blanks - std::round(blanks)) < whole_blank;
}

void TextLine::add(const DrawnLetter& drawn) {
  if (is_empty()) {
    text_.min_screen = drawn.min_screen;
    text_.max_screen = drawn.max_screen;
    text_.size = drawn.letter->font_size * drawn.letter->em * drawn.scale;
    text_.is_vertical = drawn.is_vertical;
  } else {
    text_.text.append(static_cast<std::size_t>(std::max(0l, std::lround(blanks_before(drawn)))), ' ');
  }
  append_utf8(text_.text, meant_by(drawn.letter->glyph->Codepoint));
  text_.min_screen = {std::min(text_.min_screen.x, drawn.min_screen.x),
                      std::min(text_.min_screen.y, drawn.min_screen.y)};
  text_.max_screen = {std::max(text_.max_screen.x, drawn.max_screen.x),
                      std::max(text_.max_screen.y, drawn.max_screen.y)};
  last_ = drawn;
}

// Reads the texts of one draw list. The triangles of a text follow each other without any others between them.
class ListReader {
public:
  ListReader(const LetterMap& map, const WidgetRegistry& widgets, const ImDrawList& list, const ImGuiWindow* window)
      : map_(map), widgets_(widgets), list_(list), window_(window) {}
  std::vector<VisibleText> read(const ImFontAtlas& atlas);

private:
  void read(const ImDrawCmd& command);
  const Letter* letter_at(const ImDrawIdx* indices, unsigned offset, const ImDrawVert* corners[4]) const;
  void finish();

  const LetterMap& map_;
  const WidgetRegistry& widgets_;
  const ImDrawList& list_;
  const ImGuiWindow* window_;
  TextLine line_;
  std::vector<VisibleText> texts_;
};

std::vector<VisibleText> ListReader::read(const ImFontAtlas& atlas) {
  for (const ImDrawCmd& command : list_.CmdBuffer) {
    if (command.UserCallback || !has_letters(command, atlas)) continue;
    read(command);
    finish();
  }
  return std::move(texts_);
}

void ListReader::read(const ImDrawCmd& command) {
  const ImDrawIdx* const indices = list_.IdxBuffer.Data + command.IdxOffset;
  for (unsigned at = 0; at < command.ElemCount;) {
    const ImDrawVert* corners[4];
    const Letter* const letter =
        at + 6 <= command.ElemCount ? letter_at(indices + at, command.VtxOffset, corners) : nullptr;
    at += letter ? 6 : 3;
    if (!letter) {
      finish();
      continue;
    }
    DrawnLetter drawn = drawn_letter(*letter, corners);
    if (!clip(drawn, command.ClipRect)) continue;
    drawn.place = place_at(widgets_, window_, middle_of(drawn.min_screen, drawn.max_screen));
    if (!line_.takes(drawn)) finish();
    line_.add(drawn);
  }
}

// Letters are two triangles of four corners in order.
const Letter* ListReader::letter_at(const ImDrawIdx* indices, unsigned offset, const ImDrawVert* corners[4]) const {
  constexpr int order[] = {0, 1, 2, 0, 2, 3};
  for (int i = 0; i < 6; ++i) {
    if (indices[i] != indices[0] + order[i]) return nullptr;
  }
  for (unsigned corner = 0; corner < 4; ++corner) corners[corner] = &list_.VtxBuffer.Data[indices[0] + corner + offset];
  const ImVec2 low = corners[0]->uv;
  const ImVec2 high = corners[2]->uv;
  if (high.x <= low.x || high.y <= low.y) return nullptr;
  return map_.at({(low.x + high.x) / 2, (low.y + high.y) / 2});
}

void ListReader::finish() {
  if (!line_.is_empty()) texts_.push_back(line_.text());
  line_ = {};
}

const ImGuiWindow* window_of(const ImDrawList* list) {
  for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
    if (window->DrawList == list) return window;
  }
  return nullptr;
}

}  // namespace

// Searches from the front to the back; tooltips are in front of all.
const ImGuiWindow* window_over(ImVec2 pos_screen, const ImGuiWindow* window) {
  const ImVector<ImGuiWindow*>& all = ImGui::GetCurrentContext()->Windows;
  if (!window || window->RootWindow->Flags & ImGuiWindowFlags_Tooltip) return nullptr;
  bool is_in_front = true;
  for (int index = all.Size - 1; index >= 0; --index) {
    const ImGuiWindow* const other = all[index];
    if (other == window->RootWindow) is_in_front = false;
    const bool is_seen = other->RootWindow == other && other != window->RootWindow && other->Active && !other->Hidden &&
                         !(other->Flags & ImGuiWindowFlags_NoBackground);
    const bool is_tooltip = (other->Flags & ImGuiWindowFlags_Tooltip) != 0;
    if (is_seen && (is_in_front || is_tooltip) && other->Rect().Contains(pos_screen)) return other;
  }
  return nullptr;
}

std::vector<VisibleText> visible_texts(const Fonts& fonts, const WidgetRegistry& widgets) {
  const ImDrawData& data = *ImGui::GetDrawData();
  const ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  const LetterMap map(atlas, fonts);
  std::vector<VisibleText> all;
  for (int index = 0; index < data.CmdListsCount; ++index) {
    const ImDrawList& list = *data.CmdLists[index];
    const ImGuiWindow* const window = window_of(&list);
    for (VisibleText& text : ListReader(map, widgets, list, window).read(atlas)) {
      if (window_over(middle_of(text.min_screen, text.max_screen), window)) continue;
      text.window = window;
      all.push_back(std::move(text));
    }
  }
  return all;
}

}  // namespace attnscope
