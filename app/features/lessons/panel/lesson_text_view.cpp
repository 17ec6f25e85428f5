#include "features/lessons/panel/lesson_text_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ui/widgets.h"

namespace attnscope {
namespace {

using Style = TextSpan::Style;

constexpr float line_spacing = 3;
constexpr float paragraph_gap = 7;
constexpr float code_padding = 6;
constexpr float item_indent = 14;

const ImFont* font_of(const ViewContext& context, Style style) {
  if (style == Style::strong) return context.fonts.heading;
  return style == Style::code || style == Style::number ? context.fonts.number : context.fonts.text;
}

// Words one after the other, in lines.
class Flow {
public:
  Flow(const ViewContext& context, float indent)
      : context_(context),
        origin_screen_(ImGui::GetCursorScreenPos()),
        left_(indent * unit(context)),
        width_(ImGui::GetContentRegionAvail().x),
        height_(font_height(context.fonts.text)),
        at_{left_, 0} {}

  void add(const TextSpan& span) {
    std::string_view rest = span.text;
    while (!rest.empty()) {
      const bool is_blank = rest.front() == ' ';
      const std::size_t end = std::min(is_blank ? rest.find_first_not_of(' ') : rest.find(' '), rest.size());
      if (is_blank) {
        place();
      } else {
        joined_.push_back({rest.substr(0, end), span.style});
      }
      rest.remove_prefix(end);
    }
  }
  // Puts pieces without a blank between them into one line, whatever their styles.
  void place() {
    if (joined_.empty()) return;
    float width = 0;
    for (const Piece& piece : joined_) width += text_size(font_of(context_, piece.style), piece.text).x;
    const float blank = at_.x > left_ ? text_size(context_.fonts.text, " ").x : 0;
    if (at_.x + blank + width > width_ && at_.x > left_) {
      at_ = {left_, at_.y + height_ + line_spacing * unit(context_)};
    } else {
      at_.x += blank;
    }
    for (const Piece& piece : joined_) at_.x += draw(piece.text, piece.style);
    joined_.clear();
  }
  void mark(std::string_view text) {
    draw_text(context_.fonts.text, origin_screen_, {context_.theme.inks.dim_text}, text);
  }
  float height() const { return at_.y + height_; }

private:
  struct Piece {
    std::string_view text;
    Style style = Style::plain;
  };

  float draw(std::string_view text, Style style) const {
    const ImFont* const font = font_of(context_, style);
    const float width = text_size(font, text).x;
    const Theme& theme = context_.theme;
    const float drop = font_ascent(context_.fonts.text) - font_ascent(font);  // to one baseline
    const ImVec2 pos_screen{origin_screen_.x + at_.x, origin_screen_.y + at_.y + drop};
    draw_text(font, pos_screen, {style == Style::number ? theme.inks.accent : theme.inks.text}, text);
    if (style != Style::emphasis) return width;
    const float line = origin_screen_.y + at_.y + font_ascent(font) + 2 * unit(context_);
    stroke_line({pos_screen.x, line}, {pos_screen.x + width, line}, {theme.inks.dim_text});
    return width;
  }

  const ViewContext& context_;
  ImVec2 origin_screen_;
  float left_;
  float width_;
  float height_;
  ImVec2 at_;
  std::vector<Piece> joined_;  // not placed yet
};

void draw_code(const ViewContext& context, const TextBlock& block) {
  const float padding = code_padding * unit(context);
  const float room = ImGui::GetContentRegionAvail().x - 2 * padding;
  const std::string& text = block.spans.front().text;
  const ImFont* font = context.fonts.number;
  if (text_size(font, text).x > room) font = context.fonts.small_number;
  const bool is_wide = text_size(font, text).x > room && block.spans.front().style == Style::code;
  const std::string lines = is_wide ? wrapped(font, text, room) : text;
  const ImVec2 size = text_size(font, lines);
  const ImVec2 pos_screen = ImGui::GetCursorScreenPos();
  const ImVec2 box{std::max(room, size.x) + 2 * padding, size.y + 2 * padding};
  fill_box(pos_screen, {pos_screen.x + box.x, pos_screen.y + box.y}, {context.theme.inks.card}, 4 * unit(context));
  const bool is_number = block.spans.front().style == Style::number;
  draw_text(font, {pos_screen.x + padding, pos_screen.y + padding},
            {is_number ? context.theme.inks.accent : context.theme.inks.text}, lines);
  ImGui::Dummy(box);
}

void draw_flow(const ViewContext& context, const TextBlock& block) {
  const bool is_item = block.kind == TextBlock::Kind::item;
  Flow flow(context, is_item ? item_indent : 0);
  if (is_item) flow.mark("•");
  for (const TextSpan& span : block.spans) flow.add(span);
  flow.place();
  ImGui::Dummy({ImGui::GetContentRegionAvail().x, flow.height()});
}

}  // namespace

void draw_lesson_text(const ViewContext& context, std::string_view name, std::span<const TextBlock> blocks) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {8 * unit(context), paragraph_gap * unit(context)});
  int index = 0;
  for (const TextBlock& block : blocks) {
    if (block.kind == TextBlock::Kind::code) {
      draw_code(context, block);
    } else {
      draw_flow(context, block);
    }
    register_item(context, fmt::format("{}/{}", name, index++));
  }
  ImGui::PopStyleVar();
}

}  // namespace attnscope
