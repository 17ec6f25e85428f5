#pragma once

#include <string>
#include <utility>
#include <vector>

#include "desk.h"

namespace attnscope::test {

// Someone at a desk who writes down what can be read on it.
class Reader {
public:
  Reader(Document document, ViewState view);

  void write(const std::string& heading);      // everything
  void write_new(const std::string& heading);  // what was not there when something was written before
  void write_text(const std::string& heading, const std::string& text);
  void look() { seen_ = lines(); }  // as write(), but writes nothing
  // What comes when the pointer rests on each widget of which the name begins so, unless it came on another one.
  void write_tooltips(const std::string& prefix, bool only_disabled = false);
  void pin(const Source& cell);
  void show(Layout layout, Stage stage = Stage::weights);
  void press(ImGuiKey key) { desk.press_key(keys::named(key)); }

  const std::string& text() const { return text_; }

  Desk desk;

private:
  std::vector<std::string> lines();
  void write(const std::string& heading, const std::vector<std::string>& lines);

  std::vector<std::string> seen_;
  std::string text_;
  std::size_t last_ = 0;  // where the last moment begins
};

}  // namespace attnscope::test
