#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "headless_app.h"

namespace attnscope::test {

// A folder for the files of a transcript, of this process alone. It is written down as FOLDER/controls_NAME/files.
std::filesystem::path place_of_files(const std::string& name);

// Someone at a app who writes down what can be read on it.
class Reader {
public:
  Reader(Document document, ViewState view);

  void write(const std::string& heading);      // everything
  void write_new(const std::string& heading);  // what was not there when something was written before
  void write_text(const std::string& heading, const std::string& text);
  // What the session holds that it did not hold when it was looked at, what it lost, and the first new lines.
  void write_changes(const std::string& heading, bool is_held_alone = false);
  void look();  // as write(), but writes nothing
  struct Sight {
    std::vector<std::string> lines;
    std::vector<std::string> held;
  };
  const Sight& sight() const { return sight_; }
  void look_as(const Sight& sight) { sight_ = sight; }  // that someone else had, who looked at the same
  // What comes when the pointer rests on each widget of which the name begins so, unless it came on another one.
  void write_tooltips(const std::string& prefix, bool only_disabled = false);
  void pin(const Source& cell);
  void show(ViewMode layout, Stage stage = Stage::weights);
  void press(ImGuiKey key) { app.press_key(keys::named(key)); }

  const std::string& text() const { return text_; }

  HeadlessApp app;

private:
  std::vector<std::string> lines();
  void write(const std::string& heading, const std::vector<std::string>& lines);
  void write_some(const char* sign, const std::vector<std::string>& lines, std::size_t most);

  Sight sight_;
  std::string text_;
  std::size_t last_ = 0;  // where the last moment begins
};

}  // namespace attnscope::test
