#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "compute/picture_cache.h"
#include "document/imported_document.h"
#include "features/files/exchange_controller.h"
#include "features/shared/app_services.h"
#include "platform/system/other_programs.h"
#include "session/ui_state.h"

namespace attnscope {

// The state that the screen showed at one moment, to be drawn again at another size while the session goes on.
struct KeptUiState {
  UiState state;
  std::string glyph_text;  // every text that the fonts must be able to show
  AnyDocument document;    // the document that a picture of it carries
};

// The program's state: controllers that do not know each other, and what they show together. It knows of no window and
// draws nothing.
class Session {
public:
  static constexpr std::string_view symbols = "⚄⋮▸▾‹›→↓Σ√∞ᵀ✓";  // the signs that panels draw beside letters

  // `wake` is called from the background threads when there is something new.
  Session(const Document& document, ViewState view, const std::function<void()>& wake = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // A frame says when it begins and ends. It has the calls of its panels run before it draws what depends on them.
  void begin_frame();
  void end_frame();
  bool run_calls();  // whether there was anything to do
  CallQueue& queue() { return queue_; }
  bool is_editing() const;                                       // returns whether a slider is being dragged
  KeptUiState kept() const;                                      // has a footer if the settings ask for one
  void show_footer(bool is_shown) { shows_footer_ = is_shown; }  // frames that are built from now on have a footer
  void stay_in_head();  // the weight that is pinned first is one of the head that is looked at
  void push(Call call) { queue_.push(std::move(call)); }

  // Reads a file in the background from now on: what the command line, the file dialog and a dropped file do. A file
  // that cannot be read becomes a message and changes nothing.
  void open_file(const std::filesystem::path& path);
  void show(Loaded loaded, const std::filesystem::path& path);  // shows what was read of a file already
  void show_attention(LoadedAttention attention);               // takes the document's place
  // Reads it in the background from now on; `load` may throw Error.
  void read_attention(const std::filesystem::path& path, std::function<LoadedAttention(const UnpackWatch&)> load);

  // From now on recent files and unsaved changes are kept in a folder, for the next start; `process` is
  // the number of this process, part of the names of its files. Offers what programs that crashed left there. What
  // fails becomes a message.
  void keep_state_in(const std::filesystem::path& folder, int process);
  // Keeps the progress of lessons in this file from now on.
  void keep_progress_in(const std::filesystem::path& file);
  // Keeps unsaved changes when it is time; to be called now and then, at `now` seconds.
  void autosave(double now);
  double seconds_to_autosave(double now) const;  // negative for never
  void keep_unsaved();                           // does so at once, because the program is made to end

  void use(Desktop desktop) {
    state_.page = desktop.page;
    desktop_ = std::move(desktop);
  }

  // Waits until the current document's evaluation and what is drawn of it ended. For pictures
  // made without a window.
  void wait_for_evaluation();
  // Takes over what the background threads finished; returns whether there was anything new.
  bool poll();

  const UiState& shown() const { return state_; }
  AnyDocument to_save() const;    // the document, or what is saved of attention of a file
  PictureCache& picture_cache();  // pictures are made of its matrices
  bool quit_requested() const;
  std::string window_title() const;
  std::string glyph_text() const;  // every text that the fonts must be able to show
  std::string panel_text() const;  // the part of glyph_text() that does not grow with the document
  // Returns the screenshot that was asked for since the last call.
  std::optional<ScreenshotRequest> take_screenshot_request();
  void say(std::string_view text, bool is_error = false);
  void expire_messages(double now);  // forgets old messages
  // Returns the seconds until something on the screen changes by itself; negative for never.
  double seconds_to_next_change(double now) const;

private:
  struct Parts;

  bool follow();  // returns whether anything changed

  UiState state_;  // each controller writes its part of it
  CallQueue queue_;
  Desktop desktop_;
  bool shows_footer_ = false;
  std::unique_ptr<Parts> parts_;  // last: their threads end before what they show is gone
};

}  // namespace attnscope
