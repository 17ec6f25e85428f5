#include "transcript_reader.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "desk_input.h"
#include "paint_window/text.h"
#include "tests/support/transcript.h"

namespace attnscope::test {
namespace {

const ImVec2 wide_window{2200, 1500};

// The desk's font has only the characters of Latin-1. Of these, some that the program never writes stand for those that
// are missing.
constexpr std::pair<char32_t, char32_t> stand_ins[] = {
    {U'−', 0xC0}, {U'“', 0xC1}, {U'”', 0xC2}, {U'→', 0xC3}, {U'√', 0xC4}, {U'∞', 0xC5}, {U'Σ', 0xC6}, {U'ᵀ', 0xC7},
    {U'…', 0xC8}, {U'‹', 0xC9}, {U'›', 0xCA}, {U'–', 0xCB}, {U'✓', 0xCC}, {U'▸', 0xCD}, {U'←', 0xCE}, {U'•', 0xCF},
    {U'↑', 0xD0}, {U'↓', 0xD1}, {U'≈', 0xD2}, {U'⚄', 0xD3}, {U'⋮', 0xD4}, {U'↵', 0xD5}, {U'␣', 0xD8}, {U'∅', 0xD9},
    {U'▾', 0xDA}, {U'π', 0xDB}, {U'⊙', 0xDC}, {U'⁻', 0xDD}, {U'ₘ', 0xDE}, {U'ₕ', 0xDF}, {U'ₙ', 0xE0}, {U'ₒ', 0xE1},
    {U'₁', 0xE2}, {U'₂', 0xE3}, {U'₃', 0xE4}, {U'₄', 0xE5}, {U'⁰', 0xE6}, {U'⁴', 0xE7}, {U'⁵', 0xE8}, {U'⁶', 0xE9},
    {U'⁷', 0xEA}, {U'⁸', 0xEB}, {U'⁹', 0xEC}};

std::string utf8(char32_t character) {
  std::string text;
  append_utf8(text, character);
  return text;
}

// Leaves out what no two computers share: the folder, and how far rounding leads from 0.
std::string without_the_computers(std::string line) {
  const std::string folder = std::filesystem::current_path().string();
  if (const std::size_t at = line.find(folder); at != std::string::npos) line.replace(at, folder.size(), "FOLDER");
  static const std::regex rounding("[0-9.]+ × 10⁻[^ ,.]+");
  return std::regex_replace(line, rounding, "(rounding)");
}

}  // namespace

Reader::Reader(Document document, ViewState view) : desk(std::move(document), wide_window, std::move(view)) {
  for (const auto& [missing, stand_in] : stand_ins)
    ImGui::GetIO().Fonts->Fonts.front()->AddRemapChar(static_cast<ImWchar>(missing), static_cast<ImWchar>(stand_in));
  desk.change_view([](ViewState& state) { state.pinned.reset(); });  // the session pins a first cell
  desk.frames(3);
}

std::vector<std::string> Reader::lines() {
  desk.settle();
  std::vector<std::string> lines;
  for (std::string line : desk.drawn_lines()) {
    for (const auto& [missing, stand_in] : stand_ins) {
      const std::string drawn = utf8(stand_in);
      for (std::size_t at = line.find(drawn); at != std::string::npos; at = line.find(drawn, at))
        line.replace(at, drawn.size(), utf8(missing));
    }
    lines.push_back(without_the_computers(line));
  }
  return lines;
}

void Reader::write(const std::string& heading, const std::vector<std::string>& lines) {
  last_ = text_.size();
  text_ += "== " + heading + " ==\n" + in_lines(lines);
}

void Reader::write(const std::string& heading) {
  seen_ = lines();
  write(heading, seen_);
}

void Reader::write_new(const std::string& heading) {
  std::vector<std::string> now = lines();
  std::vector<std::string> left = std::exchange(seen_, now);
  std::erase_if(now, [&](const std::string& line) {
    const auto found = std::ranges::find(left, line);
    if (found == left.end()) return false;
    left.erase(found);
    return true;
  });
  write(heading, now);
}

void Reader::write_tooltips(const std::string& prefix, bool only_disabled) {
  std::vector<std::string> names;
  for (const WidgetRegistry::Entry& entry : desk.widgets().entries)
    if (entry.name.starts_with(prefix) && !(only_disabled && entry.enabled)) names.push_back(entry.name);
  desk.move_away();
  const std::vector<std::string> before = lines();
  std::set<std::string> written = {"\n"};
  for (const std::string& name : names) {
    seen_ = before;
    desk.move_to(name);
    desk.wait(1);
    write_new(name);
    const std::size_t end_of_heading = text_.find('\n', last_) + 1;
    if (!written.insert(text_.substr(end_of_heading)).second) text_.resize(last_);
  }
  desk.move_away();
}

void Reader::pin(const Source& cell) {
  desk.change_view([cell](ViewState& view) { look_at(view, cell); });
  desk.frames(3);
}

void Reader::show(Layout layout, Stage stage) {
  desk.change_view([&](ViewState& view) {
    view.layout = layout;
    view.stage = stage;
  });
  desk.settle();
}

void Reader::write_text(const std::string& heading, const std::string& text) {
  text_ += "== " + heading + " ==\n" + text + "\n";
}

}  // namespace attnscope::test
