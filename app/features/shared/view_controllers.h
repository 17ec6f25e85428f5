#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "compute/background.h"
#include "features/shared/app_services.h"
#include "session/ui_state.h"
#include "session/view_state.h"

namespace attnscope {

// How the document is looked at, and the cell under the pointer.
class ViewController {
public:
  ViewController(ViewState& view, std::optional<Source>& hovered) : view_(view), hovered_(hovered) {}

  void change(const std::function<void(ViewState&)>& change) {
    const std::optional<Source> before = view_.pinned;
    change(view_);
    note_pinned(view_, before);
  }
  void hover(const std::optional<Source>& cell) {
    hovered_ = cell;
    is_over_cell_ = true;
  }

  void begin_frame() { is_over_cell_ = false; }
  void end_frame() {  // the cell under the pointer may be gone
    if (!is_over_cell_) hovered_.reset();
  }
  // Looks at another document from its beginning.
  void start_over(const std::optional<Source>& pinned) {
    view_.pinned = pinned;
    view_.transient = {};
    view_.head = 0;
    view_.batch = 0;
    view_.map = {};
    view_.side = ComparedSide::now;
    view_.shows_changes = false;
    hovered_.reset();
  }

private:
  ViewState& view_;
  std::optional<Source>& hovered_;
  bool is_over_cell_ = false;  // The pointer is over a cell in this frame.
};

// The dialog that is open: which one, and the folder that it lists. What is chosen in it belongs to other controllers.
class DialogController {
public:
  DialogController(const AppServices& services, DialogContents& contents, const std::function<void()>& wake);

  void show(DialogState::Kind kind);
  void close();
  void change(const std::function<void(DialogState&)>& change);
  // Creates the folder whose name is typed in the dialog, and lists it.
  void create_folder();

  bool poll();  // whether a preview has come
  void wait() { previewer_.wait(); }

private:
  void preview_chosen_file();

  struct Preview {
    std::filesystem::path path;
    std::vector<std::string> lines;
  };

  AppServices to_;
  DialogContents& contents_;
  Background<std::filesystem::path, Preview> previewer_;
};

// Says in a few lines what a file holds that could be opened: its document, its arrays with their shapes, or the sizes
// of a trained model; else one sentence that says why there is nothing to show. Empty where there is no such file. Of a
// model only config.json is read. Throws Cancelled where `watch` does.
std::vector<std::string> preview_of(const std::filesystem::path& path, const PartWatch& watch = {});

}  // namespace attnscope
