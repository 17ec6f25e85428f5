#include "brim_walker.h"

#include <fmt/format.h>

#include <iostream>
#include <stdexcept>

#include "brim_sight.h"
#include "brim_texts.h"
#include "cli/script.h"
#include "document/builtin.h"
#include "ui/imgui_compat.h"

namespace attnscope {
namespace {

constexpr float far_away = 6000;           // units: beyond every slider's end
constexpr std::size_t most_tokens = 2000;  // of a document that is worth going on with

// Widgets of one kind: tokens of a table, files of a list.
std::string kind_of(const std::string& widget) {
  if (widget.starts_with("dialog/entry/")) return "dialog/entry";
  std::string kind;
  for (const char letter : widget) {
    const bool is_digit = letter >= '0' && letter <= '9';
    if (!is_digit || !kind.ends_with('#')) kind += is_digit ? '#' : letter;
  }
  return kind;
}

// What would take the walk elsewhere: out of the window, out of the folder, or minutes of measuring.
bool is_left_alone(const std::string& widget) {
  return widget == "menu/file/quit" || widget == "dialog/up" || widget == "unsaved/discard" ||
         widget.ends_with("/measure");
}

// Behind a dialog or a menu.
bool is_behind(const WidgetRegistry::Entry& entry) {
  const ImVector<ImGuiPopupData>& popups = ImGui::GetCurrentContext()->OpenPopupStack;
  const bool is_before =
      entry.window && !popups.empty() && popups.front().Window &&
      !ImGui::IsWindowWithinBeginStackOf(const_cast<ImGuiWindow*>(entry.window), popups.front().Window);
  return is_before && !entry.name.starts_with("menu/");
}

int popups_open() { return ImGui::GetCurrentContext()->OpenPopupStack.Size; }

}  // namespace

BrimWalker::BrimWalker(BrimOptions options, std::filesystem::path folder)
    : options_(std::move(options)), folder_(std::move(folder)), starts_(brim_starts(folder_)) {
  if (!options_.log.empty()) log_.open(options_.log);
}

std::string BrimWalker::words() const {
  return fmt::format(
      "{} windows, {} clicks that led on, {} fields with {} texts, {} pulled, {} out of reach, {} faults", windows_,
      clicks_, filled_.size(), texts_, pulls_, refused_, faults_);
}

void BrimWalker::walk() {
  for (const BrimStart& start : starts_) {
    if (options_.only.empty() || start.name == options_.only) places_.push_back({&start, {}});
  }
  if (places_.empty()) throw std::runtime_error("There is no start " + options_.only);
  for (std::size_t at = 0; at < places_.size(); ++at) visit(Place(places_[at]));
}

// A new window, and the clicks that lead there.
bool BrimWalker::go_to(const Place& place) {
  ViewState view;
  view.theme = options_.theme;
  view.interface_scale = options_.interface_scale;
  view.document_folder = view.figure_folder = view.screenshot_folder = folder_.string();
  person_.reset();
  window_.reset();
  session_ = std::make_unique<Session>(notebook_document(), view);
  session_->keep_progress_in(folder_ / "lessons.json");
  window_ = std::make_unique<UnseenWindow>(*session_, options_.width, options_.height, options_.scale);
  person_ = std::make_unique<ScriptedUser>(*session_, *window_);
  ++windows_;
  const bool is_there = attempt(place, "begin", [&] {
    window_->settle();
    place.start->prepare(*session_);
    window_->settle();
    for (const Click& click : place.clicks) {
      person_->click(click.widget, click.button, 1, {});
      window_->settle();
    }
  });
  arrived_ = {session_->shown().document, session_->shown().view, session_->shown().dialog.kind, popups_open()};
  return is_there;
}

// A new window only where the last step changed something.
bool BrimWalker::be_at(const Place& place) {
  const Arrival now = {session_->shown().document, session_->shown().view, session_->shown().dialog.kind,
                       popups_open()};
  const bool is_idle = ImGui::GetActiveID() == 0 && !session_->quit_requested() && session_->shown().messages.empty();
  return (is_idle && now == arrived_) || go_to(place);
}

bool BrimWalker::attempt(const Place& place, const std::string& what, const std::function<void()>& action) {
  std::string where = place.start->name;
  for (const Click& click : place.clicks)
    where += fmt::format(" > {}{}", click.button == 0 ? "" : "right ", click.widget);
  where += " > " + what;
  if (log_.is_open()) log_ << where << std::endl;  // there, whatever follows
  try {
    action();
    return true;
  } catch (const ScriptError& error) {
    if (log_.is_open()) log_ << "  " << error.what() << std::endl;
    ++refused_;
  } catch (const std::exception& error) {
    add_fault(place, what, fmt::format("Thrown: {}", error.what()));
  }
  return false;
}

// Once for each widget: numbers in it differ from step to step.
void BrimWalker::add_fault(const Place& place, const std::string& what, const std::string& fault) {
  std::string where = place.start->name;
  for (const Click& click : place.clicks) where += " > " + click.widget;
  const std::string key = kind_of(fault) + kind_of(what.substr(0, what.find(" := ")));
  if (!keys_.insert(key).second) return;
  ++faults_;
  std::cout << fmt::format("{}\n    {} > {}", fault, where, what) << std::endl;
}

void BrimWalker::look(const Place& place, const std::string& what) {
  attempt(place, what, [&] {
    for (const std::string& fault : faults_of(*session_, *window_)) add_fault(place, what, fault);
    session_->take_screenshot_request();
  });
}

// What is the same wherever it is found, but for fields, which other views and dialogs read otherwise.
std::string BrimWalker::state_words() const {
  return fmt::format("{} {} {} ", session_->shown().view.mode.id, static_cast<int>(session_->shown().dialog.kind),
                     session_->shown().viewing.has_value());
}

std::vector<std::string> BrimWalker::new_widgets(std::set<std::string>& known) {
  std::vector<std::string> names;
  for (const WidgetRegistry::Entry& entry : window_->widgets().entries) {
    if (!entry.enabled || is_left_alone(entry.name) || is_behind(entry)) continue;
    const std::string kind = fmt::format("{} {}", static_cast<int>(session_->shown().dialog.kind), kind_of(entry.name));
    if (known.insert(kind).second) names.push_back(entry.name);
  }
  return names;
}

void BrimWalker::visit(const Place& place) {
  if (!go_to(place)) return;
  look(place, "arrived");
  attempt(place, "drawn", [&] { window_->image(); });
  for (const std::string& widget : new_widgets(seen_)) {
    if (next_widget_++ % options_.of == options_.part) fill(place, widget);
    if (options_.depth == 0) continue;
    follow(place, widget, 0);
    follow(place, widget, 1);
  }
}

// Everything that can be typed, where a click with Ctrl held lets one type.
void BrimWalker::fill(const Place& place, const std::string& widget) {
  if (!be_at(place)) return;
  bool is_field = false;
  attempt(place, "try " + widget, [&] {
    person_->click(widget, 0, 1, {.control = true, .shift = false, .alt = false});
    const WidgetRegistry::Entry* const entry = window_->widgets().find(widget);
    is_field = entry && entry->id != 0 && ImGui::GetIO().WantTextInput && ImGui::GetActiveID() == entry->id;
  });
  if (!is_field || !filled_.insert(state_words() + kind_of(widget)).second) return;
  const std::vector<std::string>& all = brim_texts();
  const std::size_t step = static_cast<std::size_t>(options_.parts);
  for (std::size_t at = next_text_++ % step; at < all.size(); at += step) {
    if (!is_still_there(place, widget)) return;
    const std::string what = fmt::format("{} := {:.40}", widget, all[at]);
    attempt(place, what, [&] { person_->enter(widget, all[at]); });
    look(place, what);
    ++texts_;
  }
  pull(place, widget);
}

bool BrimWalker::is_still_there(const Place& place, const std::string& widget) {
  const bool is_small = session_->shown().document.tokens.size() <= most_tokens;
  const WidgetRegistry::Entry* const entry = window_->widgets().find(widget);
  if (is_small && entry && entry->enabled && !session_->quit_requested()) return true;
  return go_to(place) && window_->widgets().find(widget);
}

// To both ends and beyond.
void BrimWalker::pull(const Place& place, const std::string& widget) {
  for (const bool is_slow : {false, true}) {
    for (const float right : {-far_away, far_away}) {
      if (!is_still_there(place, widget)) return;
      const std::string what = fmt::format("pull {} by {}", widget, right);
      attempt(place, what, [&] {
        person_->drag_by(widget, {right, -right}, {.control = false, .shift = !is_slow, .alt = is_slow});
      });
      look(place, what);
      ++pulls_;
    }
  }
}

// A place of its own where a click brings what was not there before.
void BrimWalker::follow(const Place& place, const std::string& widget, int button) {
  if (!be_at(place)) return;
  const std::string what = fmt::format("{}click {}", button == 0 ? "" : "right ", widget);
  if (!attempt(place, what, [&] { person_->click(widget, button, 1, {}); })) return;
  look(place, what);
  ++clicks_;
  std::set<std::string> known = seen_;
  if (static_cast<int>(place.clicks.size()) >= options_.depth || new_widgets(known).empty()) return;
  Place next = place;
  next.clicks.push_back({widget, button});
  places_.push_back(std::move(next));
}

}  // namespace attnscope
