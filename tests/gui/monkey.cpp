// Someone who does anything at all in the window: clicks, drags, types and presses whatever there is, from a seed that
// makes it the same again. After every few actions the document must be one, be written and read, be undone and redone,
// and the window must say what it shows. Run it with --log FILE to find the action that a fault followed.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>

#include "cli/script.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "features/files/reading_controller.h"
#include "features/lessons/lesson_controller.h"
#include "features/setup/document_controller.h"
#include "features/shared/panel/calls.h"
#include "platform/window.h"
#include "teach/lesson.h"
#include "ui/imgui_input.h"
#include "window/frame.h"

namespace attnscope {
namespace {

constexpr int looked_at_each = 10;  // actions
constexpr int undone_each = 50;
constexpr Index most_cells = 4096;  // of inputs and of outputs: a larger document takes long, and has nothing new

constexpr const char* texts[] = {
    "0",     "1",    "2.5",   "-3",    "1e30", "nan", "the", "journey, starts", "Über 日本 🙂", "##id",
    "99999", "0.25", "{{x}}", "%s %n", "",     " ",   "-0",  "weights"};
constexpr const char* names_of_keys[] = {"Esc",  "Enter", "Tab", "Backspace", "Delete",    "Left",  "Right", "Up",
                                         "Down", "Home",  "End", "Page Up",   "Page Down", "Space", "F1",    "F2",
                                         "F3",   "F4",    "F10", "[",         "]",         "-",     "="};
constexpr const char* keys_in_fields[] = {"Ctrl+Z",    "Ctrl+Y",    "Ctrl+Z",     "Ctrl+A", "Ctrl+X",
                                          "Ctrl+V",    "Backspace", "Delete",     "Left",   "Right",
                                          "Home",      "End",       "Shift+Left", "Enter",  "Esc",
                                          "Ctrl+Left", "Tab",       "Shift+Home", "Ctrl+C", "Ctrl+Shift+Z"};

class Monkey {
public:
  Monkey(std::uint64_t seed, const std::string& log) : random_(seed) {
    if (!log.empty()) log_.open(log);
    begin();
  }

  void act(int number);
  std::string words() const {
    return fmt::format("{} windows, {} documents looked at, {} edits undone", windows_, looked_at_, undone_);
  }

private:
  void begin();
  void look();
  void undo_all();
  void stay_in_the_window();

  int below(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }
  float share() { return static_cast<float>(below(1000)) / 1000; }
  void frames(int count = 2) {
    session_->wait_for_evaluation();  // else what is on the screen depends on how fast it is
    for (int frame = 0; frame < count; ++frame) window_->build_frame();
  }
  void note(const std::string& what) {
    last_ = what;
    if (log_.is_open()) log_ << what << std::endl;  // there, whatever follows
  }

  std::string point();  // at something, whose name it returns
  void click(int button, int count);
  void drag();
  void give(const std::string& text);
  void type();
  void type_in_field();
  void replace_texts();
  void press(const std::string& spelled);
  void press();
  void turn();
  void change_window();

  std::mt19937_64 random_;
  std::ofstream log_;
  std::string last_;
  WindowlessContext context_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<UnseenWindow> window_;
  int windows_ = 0;
  int looked_at_ = 0;
  int undone_ = 0;
};

void Monkey::begin() {
  window_.reset();
  session_ = std::make_unique<Session>(notebook_document(), ViewState());
  window_ = std::make_unique<UnseenWindow>(*session_, 1280, 720, 1.0F);
  window_->settle();
  ++windows_;
}

std::string Monkey::point() {
  const auto& entries = window_->widgets().entries;
  for (int attempt = 0; attempt < 20 && !entries.empty(); ++attempt) {
    const WidgetRegistry::Entry& entry = entries[static_cast<std::size_t>(below(static_cast<int>(entries.size())))];
    const ImVec4 rect = visible_part(entry);
    if (is_empty(rect)) continue;
    const std::string name = entry.name;
    give_pointer({rect.x + share() * (rect.z - rect.x), rect.y + share() * (rect.w - rect.y)});
    frames();
    return name;
  }
  return "nothing";
}

void Monkey::click(int button, int count) {
  note(fmt::format("click {} {} times with {}", point(), count, button));
  for (int press = 0; press < count; ++press) {
    give_button(button, true);
    frames();
    give_button(button, false);
    frames();
  }
}

void Monkey::drag() {
  const bool is_alt = below(3) == 0;
  note(fmt::format("drag {}{}", point(), is_alt ? " with Alt" : ""));
  give_modifiers(false, below(4) == 0, is_alt);
  give_button(0, true);
  frames();
  const ImVec2 from = ImGui::GetIO().MousePos;
  for (int move = 0; move < 3; ++move) {
    give_pointer({from.x + 400 * (share() - 0.5F), from.y + 200 * (share() - 0.5F)});
    frames();
  }
  give_button(0, false);
  give_modifiers(false, false);
  frames();
}

void Monkey::type() {
  const std::string text = texts[below(static_cast<int>(std::size(texts)))];
  if (!ImGui::GetIO().WantTextInput) {  // into a field, or a slider
    note(fmt::format("type {} into {}", text, point()));
    give_modifiers(true, false);
    give_button(0, true);
    frames();
    give_button(0, false);
    give_modifiers(false, false);
    frames();
  } else {
    note(fmt::format("type {}", text));
  }
  give(text);
}

void Monkey::give(const std::string& text) {
  ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
  frames();
}

// Types into a field, takes steps back and goes on, as Dear ImGui lets people do.
void Monkey::type_in_field() {
  if (!ImGui::GetIO().WantTextInput) type();
  for (int step = 2 + below(8); step > 0; --step) {
    if (below(2) == 0) {
      const std::string text = texts[below(static_cast<int>(std::size(texts)))];
      note("type " + text);
      give(text);
    } else {
      press(keys_in_fields[below(static_cast<int>(std::size(keys_in_fields)))]);
    }
  }
}

// Changes texts of fields from elsewhere, whoever types into them.
void Monkey::replace_texts() {
  const std::string text = texts[below(static_cast<int>(std::size(texts)))];
  const int what = below(9);
  note(fmt::format("replace {} by {}", what, text));
  if (what == 0) session_->push([](const Controllers& to) { to.documents.undo(); });
  if (what == 1) session_->push([](const Controllers& to) { to.documents.redo(); });
  if (what == 2)
    edit_document(session_->queue(), {"sentence", [text](Document& to) { set_sentence(to, text + " one"); }});
  if (what == 3) edit_document(session_->queue(), {"seed", [text](Document& to) { to.config.seed = text.size(); }});
  if (what == 4) edit_document(session_->queue(), {"name", [text](Document& to) { rename_token(to, 0, text); }});
  if (what == 5)
    session_->push(
        [id = std::string(builtin_documents()[below(3)].id)](const Controllers& to) { to.reading.open_example(id); });
  if (what == 6) open_lesson(session_->queue(), shipped_lessons()[below(3)]->id);
  if (what == 7)
    session_->push([step = static_cast<std::size_t>(below(8))](const Controllers& to) { to.lessons.go_to_step(step); });
  if (what == 8) {
    press("Ctrl+K");
    give(text);
    press("Esc");
    press("Ctrl+K");
  }
  frames();
}

void Monkey::press() {
  KeyPress key;
  const int kind = below(3);
  if (kind == 0) key.key = std::string(1, static_cast<char>('a' + below(26)));
  if (kind == 1) key.key = std::string(1, static_cast<char>('0' + below(10)));
  if (kind == 2) key.key = names_of_keys[below(static_cast<int>(std::size(names_of_keys)))];
  const Modifiers held{.control = below(3) == 0, .shift = below(4) == 0, .alt = below(6) == 0};
  const std::string spelled =
      fmt::format("{}{}{}{}", held.control ? "Ctrl+" : "", held.shift ? "Shift+" : "", held.alt ? "Alt+" : "", key.key);
  press(spelled);
}

void Monkey::press(const std::string& spelled) {
  note("press " + spelled);
  const std::optional<KeyPress> press = key_press_named(spelled);
  if (!press) throw std::runtime_error("There is no key " + spelled);
  give_modifiers(press->held.control, press->held.shift, press->held.alt);
  window_->build_frame();
  give_key(code_of(*press), true);
  frames();
  give_key(code_of(*press), false);
  give_modifiers(false, false);
  frames();
}

void Monkey::turn() {
  note(fmt::format("wheel on {}", point()));
  give_modifiers(below(3) == 0, false);
  for (int line = 0; line < 3; ++line) {
    give_wheel(below(2) == 0 ? 1.0F : -1.0F);
    window_->build_frame();
  }
  give_modifiers(false, false);
  frames();
}

void Monkey::change_window() {
  const int width = 320 + below(1600);
  const int height = 240 + below(900);
  note(fmt::format("resize to {} by {}", width, height));
  window_->resize(width, height);
  window_->rescale(below(2) == 0 ? 1.0F : 2.0F);
  frames();
}

// Files are none of its business, and a window that was closed or holds too much is another one.
void Monkey::stay_in_the_window() {
  using Kind = DialogState::Kind;
  const Kind dialog = session_->shown().dialog.kind;
  const bool is_of_files = dialog == Kind::open || dialog == Kind::save_as || dialog == Kind::export_weights ||
                           dialog == Kind::screenshot_folder;
  if (is_of_files) close_dialog(session_->queue());
  session_->take_screenshot_request();
  const AttentionConfig& config = session_->shown().document.config;
  const Index features = begins_with_heads(config) ? 1 : input_features(config);
  const bool is_large = token_count(config) * features > most_cells ||
                        token_count(config) * context_features(config) > most_cells ||
                        token_count(config) * token_count(config) * head_count(config) > most_cells;
  if (session_->quit_requested() || is_large) begin();
}

void Monkey::look() {
  window_->settle();
  const Document& document = session_->shown().document;
  check(document);
  if (!session_->shown().viewing && !(parse_document(to_json(document)) == document))
    throw std::runtime_error("The document is another one when it is read again: " + to_json(document));
  const bool is_evaluated = session_->shown().evaluation.result || !session_->shown().evaluation.error.empty();
  if (!is_evaluated) throw std::runtime_error("There are no numbers, and nothing says why.");
  if (!nlohmann::json::accept(read_window(*session_, window_->widgets(), window_->texts())))
    throw std::runtime_error("What the window shows is no JSON.");
  ++looked_at_;
}

void Monkey::undo_all() {
  give_pointer({-1, -1});
  session_->push([](const Controllers& to) { to.documents.finish_edit(); });  // of what is still typed
  window_->settle();
  const Document now = session_->shown().document;
  int steps = 0;
  for (; !session_->shown().undo_label.empty(); ++steps) {
    session_->push([](const Controllers& to) { to.documents.undo(); });
    session_->run_calls();
  }
  for (int step = 0; step < steps; ++step) {
    session_->push([](const Controllers& to) { to.documents.redo(); });
    session_->run_calls();
  }
  if (!(session_->shown().document == now)) throw std::runtime_error("What was undone and redone is another document.");
  undone_ += steps;
  window_->image();
}

void Monkey::act(int number) {
  try {
    const int what = below(100);
    if (what < 45) {
      click(0, 1);
    } else if (what < 50) {
      click(1, 1);
    } else if (what < 54) {
      click(0, 2);
    } else if (what < 66) {
      drag();
    } else if (what < 71) {
      type();
    } else if (what < 77) {
      type_in_field();
    } else if (what < 80) {
      replace_texts();
    } else if (what < 93) {
      press();
    } else if (what < 98) {
      turn();
    } else {
      change_window();
    }
    stay_in_the_window();
    if (number % looked_at_each == 0) look();
    if (number % undone_each == 0) undo_all();
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("Action {}, {}: {}", number, last_, error.what()));
  }
}

}  // namespace
}  // namespace attnscope

int main(int count, char** given) {
  std::uint64_t seed = 1;
  int actions = 200;
  std::string log;
  for (int at = 1; at + 1 < count; at += 2) {
    const std::string name = given[at];
    if (name == "--seed") seed = std::stoull(given[at + 1]);
    if (name == "--actions") actions = std::stoi(given[at + 1]);
    if (name == "--log") log = given[at + 1];
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("attnscope-monkey-{}-{}", seed, actions);
  try {
    if (!log.empty()) log = std::filesystem::absolute(log).string();
    std::filesystem::create_directories(folder);
    std::filesystem::current_path(folder);  // what is exported lies there
    attnscope::Monkey monkey(seed, log);
    for (int action = 1; action <= actions; ++action) monkey.act(action);
    std::cout << fmt::format("{} actions from seed {}: {}.\n", actions, seed, monkey.words());
    std::filesystem::current_path("/");
    std::filesystem::remove_all(folder);
  } catch (const std::exception& error) {
    std::cerr << "monkey: " << error.what() << '\n';
    return 1;
  }
}
