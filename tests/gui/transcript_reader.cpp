#include "transcript_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "core/text.h"
#include "headless_app_input.h"
#include "held.h"
#include "paint/window/text.h"
#include "tests/support/transcript.h"

namespace attnscope::test {
namespace {

const ImVec2 wide_window{2200, 1500};

// The app's font has only the characters of Latin-1. Of these, some that the program never writes stand for those that
// are missing.
constexpr std::pair<char32_t, char32_t> stand_ins[] = {
    {U'−', 0xC0}, {U'“', 0xC1}, {U'”', 0xC2}, {U'→', 0xC3}, {U'√', 0xC4}, {U'∞', 0xC5}, {U'Σ', 0xC6}, {U'ᵀ', 0xC7},
    {U'…', 0xC8}, {U'‹', 0xC9}, {U'›', 0xCA}, {U'–', 0xCB}, {U'✓', 0xCC}, {U'▸', 0xCD}, {U'←', 0xCE}, {U'•', 0xCF},
    {U'↑', 0xD0}, {U'↓', 0xD1}, {U'≈', 0xD2}, {U'⚄', 0xD3}, {U'⋮', 0xD4}, {U'↵', 0xD5}, {U'␣', 0xD8}, {U'∅', 0xD9},
    {U'▾', 0xDA}, {U'π', 0xDB}, {U'⊙', 0xDC}, {U'⁻', 0xDD}, {U'ₘ', 0xDE}, {U'ₕ', 0xDF}, {U'ₙ', 0xE0}, {U'ₒ', 0xE1},
    {U'₁', 0xE2}, {U'₂', 0xE3}, {U'₃', 0xE4}, {U'₄', 0xE5}, {U'⁰', 0xE6}, {U'⁴', 0xE7}, {U'⁵', 0xE8}, {U'⁶', 0xE9},
    {U'⁷', 0xEA}, {U'⁸', 0xEB}, {U'⁹', 0xEC}};

// The text that was meant. Stand-ins are two bytes, the first 0xC3.
std::string without_stand_ins(std::string_view drawn) {
  std::string text;
  for (std::size_t at = 0; at < drawn.size(); ++at) {
    const bool may_be_one = drawn[at] == '\xC3' && at + 1 < drawn.size();
    const char32_t character = may_be_one ? 0x40 + static_cast<unsigned char>(drawn[at + 1]) : 0;
    const auto found = std::ranges::find(stand_ins, character, &std::pair<char32_t, char32_t>::second);
    if (!may_be_one || found == std::end(stand_ins)) {
      text += drawn[at];
    } else {
      append_utf8(text, found->first);
      ++at;
    }
  }
  return text;
}

constexpr std::size_t most_new_lines = 8;  // that are written of what came on the screen

constexpr std::size_t most_gone = 4;  // that are written of what a session held
constexpr std::size_t most_held = 12;

// The name of what a line of held() says something about.
std::string name_in(const std::string& line) {
  const std::size_t colon = line.find(": ");
  const std::size_t start = colon == std::string::npos ? 0 : line.find_first_not_of(' ', colon + 2);
  return line.substr(0, line.find(' ', std::min(start, line.size())));
}

// Of the lines that are there now, those that were not there before, as often as they are there more often.
std::vector<std::string> added(std::vector<std::string> now, std::vector<std::string> before) {
  std::erase_if(now, [&](const std::string& line) {
    const auto found = std::ranges::find(before, line);
    if (found == before.end()) return false;
    before.erase(found);
    return true;
  });
  return now;
}

constexpr std::string_view of_process = ".process";
constexpr std::size_t process_digits = 8;

// Leaves out what no two computers, and no two runs, share: the folder, and how far rounding leads from 0.
std::string without_the_computers(std::string line) {
  const std::string folder = std::filesystem::current_path().string();
  if (const std::size_t at = line.find(folder); at != std::string::npos) line.replace(at, folder.size(), "FOLDER");
  if (const std::size_t at = line.find(of_process); at != std::string::npos)
    line.erase(at, of_process.size() + process_digits);
  if (line.find("× 10⁻") == std::string::npos) return line;
  static const std::regex rounding("[0-9.]+ × 10⁻[^ ,.]+");
  return std::regex_replace(line, rounding, "(rounding)");
}

}  // namespace

std::filesystem::path place_of_files(const std::string& name) {
  return std::filesystem::current_path() /
         fmt::format("controls_{}{}{:0{}}", name, of_process, ::getpid(), process_digits) / "files";
}

Reader::Reader(Document document, ViewState view) : app(std::move(document), wide_window, std::move(view)) {
  for (const auto& [missing, stand_in] : stand_ins)
    ImGui::GetIO().Fonts->Fonts.front()->AddRemapChar(static_cast<ImWchar>(missing), static_cast<ImWchar>(stand_in));
  app.change_view([](ViewState& state) { state.pinned.reset(); });  // the session pins a first cell
  app.frames(3);
}

std::vector<std::string> Reader::lines() {
  app.settle();  // what that brings may begin something else
  std::vector<std::string> lines;
  for (const std::string& line : app.drawn_lines()) lines.push_back(without_the_computers(without_stand_ins(line)));
  return lines;
}

void Reader::write(const std::string& heading, const std::vector<std::string>& lines) {
  last_ = text_.size();
  text_ += "== " + heading + " ==\n" + in_lines(lines);
}

void Reader::write(const std::string& heading) {
  sight_.lines = lines();
  write(heading, sight_.lines);
}

void Reader::write_new(const std::string& heading) {
  const std::vector<std::string> before = std::exchange(sight_.lines, lines());
  write(heading, added(sight_.lines, before));
}

void Reader::look() {
  sight_.lines = lines();
  sight_.held = held(app);
}

void Reader::write_changes(const std::string& heading, bool is_held_alone) {
  const Sight before = sight_;
  look();
  const std::vector<std::string> came = added(sight_.held, before.held);
  std::vector<std::string> went = added(before.held, sight_.held);
  std::erase_if(went, [&](const std::string& line) {  // what became another one
    return std::ranges::any_of(came, [&](const std::string& other) { return name_in(line) == name_in(other); });
  });
  text_ += "== " + heading + " ==\n";
  write_some("− ", went, most_gone);
  write_some("+ ", came, most_held);
  if (is_held_alone) return;
  const std::vector<std::string> lines = added(sight_.lines, before.lines);
  const auto end = lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), most_new_lines));
  if (!lines.empty()) text_ += in_lines({lines.begin(), end});
  if (end != lines.end()) text_ += fmt::format("and {} more lines\n", lines.end() - end);
}

void Reader::write_some(const char* sign, const std::vector<std::string>& lines, std::size_t most) {
  for (std::size_t line = 0; line < std::min(lines.size(), most); ++line)
    text_ += sign + without_the_computers(lines[line]) + "\n";
  if (lines.size() > most) text_ += fmt::format("{}and {} more\n", sign, lines.size() - most);
}

void Reader::write_tooltips(const std::string& prefix, bool only_disabled) {
  std::vector<std::string> names;
  for (const WidgetRegistry::Entry& entry : app.widgets().entries)
    if (entry.name.starts_with(prefix) && !(only_disabled && entry.enabled)) names.push_back(entry.name);
  app.move_away();
  const std::vector<std::string> before = lines();
  std::set<std::string> written = {"\n"};
  for (const std::string& name : names) {
    sight_.lines = before;
    app.move_to(name);
    app.wait(1);
    write_new(name);
    const std::size_t end_of_heading = text_.find('\n', last_) + 1;
    if (!written.insert(text_.substr(end_of_heading)).second) text_.resize(last_);
  }
  app.move_away();
}

void Reader::pin(const Source& cell) {
  app.change_view([cell](ViewState& view) { look_at(view, cell); });
  app.frames(3);
}

void Reader::show(ViewMode layout, Stage stage) {
  app.change_view([&](ViewState& view) {
    view.mode = layout;
    view.stage = stage;
  });
  app.settle();
}

void Reader::write_text(const std::string& heading, const std::string& text) {
  text_ += "== " + heading + " ==\n" + text + "\n";
}

}  // namespace attnscope::test
