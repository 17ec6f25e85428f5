#include <algorithm>
#include <string>
#include <vector>

#include "features/shared/panel/panels.h"
#include "paint/window/text.h"
#include "ui/imgui_compat.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr std::string_view paragraph_end = "\n\n";
constexpr std::string_view fence = "```";
constexpr ImWchar paragraph_separator = 0x2029;                 // stands for Enter until the field was edited
constexpr std::string_view separator_in_text = "\xE2\x80\xA9";  // the same, in UTF-8
constexpr std::size_t most_bytes = 8000;                        // of a text
constexpr int most_lines = 14;                                  // of a field

// Calls visit(first, last) for each paragraph that is no code.
template <typename Visit>
void for_each_paragraph(char* text, std::size_t size, const Visit& visit) {
  const std::string_view all(text, size);
  for (std::size_t begin = 0; begin < size;) {
    std::size_t end = std::min(all.find(paragraph_end, begin), size);
    if (all.substr(begin).starts_with(fence)) {
      const std::size_t closed = all.find(fence, begin + fence.size());
      if (closed != std::string_view::npos) end = std::min(all.find(paragraph_end, closed), size);
    } else {
      visit(text + begin, text + end);
    }
    begin = end + paragraph_end.size();
  }
}

void join_lines(char* first, char* last) { std::replace(first, last, '\n', ' '); }

void break_paragraph(char* first, char* last, const ImFont* font, float width) {
  join_lines(first, last);
  const char* line = first;
  char* blank = nullptr;  // before the word that is measured
  for (char* at = first; at < last;) {
    char* const end = std::find(at, last, ' ');
    const bool is_full = text_size(font, std::string_view(line, static_cast<std::size_t>(end - line))).x > width;
    if (is_full && blank && at < end) {
      *blank = '\n';
      line = blank + 1;
    }
    blank = end;
    at = end == last ? last : end + 1;
  }
}

struct Breaking {
  const ImFont* font;
  float width;
  bool* goes_to_end;  // once the field has the keys
};

bool is_in_code(std::string_view before) {
  int fences = 0;
  for (std::size_t at = before.find(fence); at != std::string_view::npos; at = before.find(fence, at + fence.size()))
    ++fences;
  return fences % 2 == 1;
}

int keep_lines_broken(ImGuiInputTextCallbackData* data) {
  if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways) {
    data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
    *static_cast<const Breaking*>(data->UserData)->goes_to_end = false;
    return 0;
  }
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCharFilter) {
    if (data->EventChar == '\n') data->EventChar = paragraph_separator;
    return 0;
  }
  for (;;) {
    const std::string_view text(data->Buf, static_cast<std::size_t>(data->BufTextLen));
    const std::size_t at = text.find(separator_in_text);
    if (at == std::string_view::npos) break;
    const char* const end = is_in_code(text.substr(0, at)) ? "\n" : "\n\n";
    const int place = static_cast<int>(at);
    data->DeleteChars(place, static_cast<int>(separator_in_text.size()));
    data->InsertChars(place, end);
  }
  const Breaking& breaking = *static_cast<const Breaking*>(data->UserData);
  break_lines(data->Buf, static_cast<std::size_t>(data->BufTextLen), breaking.font, breaking.width);
  data->BufDirty = true;
  return 0;
}

}  // namespace

void break_lines(char* text, std::size_t size, const ImFont* font, float width) {
  for_each_paragraph(text, size, [&](char* first, char* last) { break_paragraph(first, last, font, width); });
}

std::string without_line_breaks(std::string text) {
  for_each_paragraph(text.data(), text.size(), join_lines);
  return text;
}

bool paragraphs_field(const ViewContext& context, const char* id, const char* hint, std::string& text, int lines,
                      bool takes_keys, float beside) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float room = ImGui::GetContentRegionAvail().x - beside;
  bool& goes_to_end = *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID(id), false);
  if (takes_keys) {
    ImGui::SetKeyboardFocusHere();
    goes_to_end = true;
  }
  const Breaking breaking{context.fonts.text, room - 2 * style.FramePadding.x - style.ScrollbarSize, &goes_to_end};
  std::string typed = text_to_edit(text);
  break_lines(typed.data(), typed.size(), breaking.font, breaking.width);
  const int count = std::clamp(static_cast<int>(std::ranges::count(typed, '\n')) + 1, lines, most_lines);
  const float height = static_cast<float>(count) * ImGui::GetTextLineHeight() + 2 * style.FramePadding.y + 2;
  typed.resize(std::max(typed.size() + 1, most_bytes));
  const ImVec2 pos_screen = ImGui::GetCursorScreenPos();
  keep_text_on_escape(id);
  const bool is_changed =
      ImGui::InputTextMultiline(id, typed.data(), typed.size(), {room, height},
                                ImGuiInputTextFlags_CallbackCharFilter | ImGuiInputTextFlags_CallbackEdit |
                                    (goes_to_end ? ImGuiInputTextFlags_CallbackAlways : 0),
                                keep_lines_broken, const_cast<Breaking*>(&breaking));
  const bool is_empty = typed.front() == '\0';
  if (is_empty)
    draw_text(context.fonts.text, {pos_screen.x + style.FramePadding.x, pos_screen.y + style.FramePadding.y},
              {context.theme.inks.dim_text}, fit_text(context.fonts.text, hint, breaking.width));
  if (is_changed) text = without_line_breaks(edited_text(typed.c_str()));
  return is_changed;
}

}  // namespace attnscope
