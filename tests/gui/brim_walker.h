#pragma once

#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/script.h"
#include "platform/window.h"
#include "window/frame.h"

namespace attnscope {

// Where a walk begins: what has to be done with a new window.
struct BrimStart {
  std::string name;
  std::function<void(Session&)> prepare;
};
std::vector<BrimStart> brim_starts(const std::filesystem::path& folder);

struct BrimOptions {
  int width = 1280;
  int height = 720;
  float scale = 1;
  float interface_scale = 1;
  ThemeId theme = ThemeId::light;
  int depth = 2;       // clicks from a start
  int parts = 1;       // each field takes one text of so many in turn, and of the starts and widgets each such is seen
  std::string only;    // the start of this name
  std::size_t of = 1;  // of so many widgets one is filled, the others by other parts
  std::size_t part = 0;
  std::string log;  // file that has what is done before it is done
};

// Goes wherever a click leads, a widget of each kind once, and does there what can be done with a field or a slider.
class BrimWalker {
public:
  BrimWalker(BrimOptions options, std::filesystem::path folder);

  void walk();
  std::string words() const;
  int faults() const { return faults_; }  // that were found and said

private:
  struct Click {
    std::string widget;
    int button = 0;
  };
  struct Place {
    const BrimStart* start = nullptr;
    std::vector<Click> clicks;
  };

  // What a window was when it came to its place.
  struct Arrival {
    Document document = {};
    ViewState view = {};
    DialogState::Kind dialog = DialogState::Kind::none;
    int popups = 0;
    bool operator==(const Arrival&) const = default;
  };

  void visit(const Place& place);
  bool go_to(const Place& place);
  bool be_at(const Place& place);
  void fill(const Place& place, const std::string& widget);
  void pull(const Place& place, const std::string& widget);
  void follow(const Place& place, const std::string& widget, int button);
  bool is_still_there(const Place& place, const std::string& widget);
  void look(const Place& place, const std::string& what);
  void add_fault(const Place& place, const std::string& what, const std::string& fault);
  bool attempt(const Place& place, const std::string& what, const std::function<void()>& action);
  std::vector<std::string> new_widgets(std::set<std::string>& known);
  std::string state_words() const;

  BrimOptions options_;
  std::filesystem::path folder_;
  std::ofstream log_;
  WindowlessContext context_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<UnseenWindow> window_;
  std::unique_ptr<ScriptedUser> person_;
  std::vector<BrimStart> starts_;
  Arrival arrived_;
  std::vector<Place> places_;     // still to be seen
  std::set<std::string> seen_;    // widgets that were clicked
  std::set<std::string> filled_;  // and fields that were filled
  std::set<std::string> keys_;    // of the faults that were said
  std::size_t next_text_ = 0;
  std::size_t next_widget_ = 0;
  int windows_ = 0;
  int clicks_ = 0;
  int texts_ = 0;
  int pulls_ = 0;
  int refused_ = 0;
  int faults_ = 0;
};

}  // namespace attnscope
