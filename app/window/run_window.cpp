#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <future>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assets/assets.h"
#include "compute/background.h"
#include "core/error.h"
#include "core/text.h"
#include "document/builtin.h"
#include "features/files/exchange_controller.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "features/settings.h"
#include "features/shared/app_services.h"
#include "features/shared/panel/calls.h"
#include "files/document_file.h"
#include "files/image.h"
#include "files/picture_document.h"
#include "paint/window/renderers.h"
#include "platform/system/file.h"
#include "platform/system/other_programs.h"
#include "platform/system/process.h"
#include "platform/window.h"
#include "session/view_state.h"
#include "window/frame.h"

namespace attnscope {
namespace {

constexpr double caret_seconds = 0.4;   // how often a text field's caret blinks
constexpr double settings_seconds = 1;  // between attempts to write them where another program does
constexpr double idle_seconds = 3600;
constexpr std::chrono::milliseconds last_patience{500};
constexpr int status_of_signals = 128;  // as shells have it

using Clock = std::chrono::steady_clock;

std::string time_stamp() {
  const std::tm local = local_time(std::time(nullptr));
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d-%H%M%S", &local);
  return text;
}

// Returns a name that is not taken, even by a second screenshot in the same second.
std::filesystem::path free_path(const std::filesystem::path& folder) {
  const std::string stem = "attnscope-" + time_stamp();
  std::filesystem::path path = folder / (stem + ".png");
  std::error_code ignored;
  for (int number = 2; std::filesystem::exists(path, ignored); ++number)
    path = folder / fmt::format("{}-{}.png", stem, number);
  return path;
}

// Takes the PNG of a screenshot to where it was wanted, and says where that is. No path: the clipboard.
std::string deliver(const std::filesystem::path& path, const std::string& png) {
  if (path.empty()) {
    copy_picture(png);
    return "Copied the picture of the window.";
  }
  write_file(path, png);
  return fmt::format("Screenshot saved: {}", shown_path(path));
}

constexpr int most_renewals = 5;  // without a frame between them

std::vector<IconPicture> icon_pictures() {
  std::vector<IconPicture> pictures;
  for (const char* const name : {"icons/16.png", "icons/32.png", "icons/64.png"}) {
    Image image = decode_png(asset(name));
    pictures.push_back({image.width, image.height, std::move(image.pixels)});
  }
  return pictures;
}

// Draws a session into the window, has its input from there, and gives it its icon. A driver that is reset takes the
// window's context with it: the window is opened anew then, and Dear ImGui's own state stays.
class WindowPainter {
public:
  WindowPainter(Window& window, const FontAtlas& fonts);  // which the current Dear ImGui context was made with

  // Whether the next frame may look different without anything happening. What cannot be drawn, or not as it should be,
  // is said.
  bool draw(Session& session);

  const Fonts& fonts() const { return painter_.fonts(); }
  bool is_lost();  // the last frame may not have reached the screen
  void renew();    // throws Error when there is no other context to be had, or none that lasts

private:
  bool say_what_is_missing(Session& session);

  Window& window_;
  std::optional<WindowInput> input_;
  FramePainter painter_;
  std::string said_failure_;  // the failure of drawing that was said last
  std::vector<std::string> said_of_fonts_;
  bool is_lost_ = false;
  int renewals_ = 0;  // since a frame was drawn
};

WindowPainter::WindowPainter(Window& window, const FontAtlas& fonts)
    : window_(window), input_(std::in_place, window), painter_(fonts) {
  window.set_icon(icon_pictures());
  painter_.allow_motion();
}

bool WindowPainter::draw(Session& session) {
  painter_.prepare(session, window_.pixels_per_unit(), window_.display_scale());
  window_.begin_frame();
  ImGui::NewFrame();
  const bool changes = painter_.build(session, window_.told_widgets());
  painter_.draw();
  window_.present();
  return say_what_is_missing(session) || changes;
}

// Says what is missing once, not in every frame.
bool WindowPainter::say_what_is_missing(Session& session) {
  const std::string failure = painter_.failure();
  const std::vector<std::string>& of_fonts = painter_.fonts().messages;
  const bool is_new = failure != said_failure_ || of_fonts != said_of_fonts_;
  if (of_fonts != said_of_fonts_) {
    for (const std::string& message : of_fonts) session.say(message);
  }
  if (failure != said_failure_ && !failure.empty()) session.say(failure, true);
  said_of_fonts_ = of_fonts;
  said_failure_ = failure;
  return is_new;
}

// Returns whether the context was lost, which a driver says only once.
bool WindowPainter::is_lost() {
  is_lost_ = is_lost_ || context_is_lost();
  if (!is_lost_) renewals_ = 0;
  return is_lost_;
}

void WindowPainter::renew() {
  if (++renewals_ > most_renewals) {
    throw Error(
        "The graphics driver keeps resetting, so attnscope has to close. It offers the unsaved changes at its next "
        "start.");
  }
  painter_.forget_graphics();
  input_.reset();
  window_.renew();
  input_.emplace(window_);
  painter_.renew_graphics();
  is_lost_ = false;
}

class Program {
public:
  Program();
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  Session& session() { return session_; }
  bool advance();
  int run();

private:
  void draw_frame();
  void renew_graphics();
  void begin_screenshot(const ScreenshotRequest& request);
  void advance_screenshot();
  void draw_screenshot();
  void save(Image image, AnyDocument document);
  void show_what_was_saved();
  template <typename Work>
  bool attempt(const Work& work);
  ViewState load();
  void keep_state();
  double seconds_since_start() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double seconds_to_wait() const;
  double seconds_to_sleep() const;
  void remember_settings(std::chrono::milliseconds patience);  // with another program that writes them
  void handle_window_requests();

  const Clock::time_point start_ = Clock::now();
  std::filesystem::path settings_path_;
  std::string settings_problem_;
  bool has_unsaved_settings_ = false;  // while another program writes them
  bool is_first_start_ = false;
  std::string title_;
  ViewState saved_view_ = load();
  std::future<FontAtlas> fonts_made_;  // while the window opens, which takes as long
  Window window_;
  Interrupt interrupt_{Window::wake};
  FontAtlas fonts_;
  ImguiContext imgui_;
  Session session_;  // ends before the window that its thread wakes
  WindowPainter painter_;
  int frames_wanted_ = frames_after_input;
  std::optional<ScreenshotRequest> wanted_screenshot_;  // waits for the evaluation
  bool is_for_clipboard_ = false;                       // the screenshot that is being made goes to the clipboard
  std::optional<Screenshot> screenshot_;                // waits for pictures
  // Writes or copies a screenshot, because compressing a large picture takes a while. Gives what to say.
  using Save = std::function<std::string()>;
  Background<Save, std::string> saving_{[](const Save& save, const std::stop_token&) { return save(); }, Window::wake};
};

// A display that is closed ends the program from within the library that talks to it.
Program* running = nullptr;

void keep_unsaved_of_running() {
  if (Program* const program = std::exchange(running, nullptr)) program->session().keep_unsaved();
}

[[noreturn]] void end_after_failure() {
  keep_unsaved_of_running();
  std::abort();
}

Program::Program()
    : fonts_made_(std::async(in_background,
                             [scale = saved_view_.interface_scale * expected_display_scale()] {
                               return FontAtlas(1, scale, Session::symbols);
                             })),
      window_(saved_view_.window_width, saved_view_.window_height, "attnscope"),
      fonts_(fonts_made_.get()),
      imgui_(fonts_.atlas.get()),
      session_(opening_document(), saved_view_, Window::wake),
      painter_(window_, fonts_) {
  if (!settings_problem_.empty()) session_.say(settings_problem_, true);
  if (is_first_start_)
    change_view(session_.queue(), [](ViewState& state) { state.shows_start = state.shows_drag_hint = true; });
  keep_state();
  Desktop desktop = desktop_of_context();
  add_platform(desktop);
  session_.use(std::move(desktop));
  window_.tell(
      [this] {
        const WidgetRegistry& widgets = *window_.told_widgets();
        return read_window(session_, widgets, visible_texts(painter_.fonts(), widgets));
      },
      [this] { return session_.shown().is_current; });
  window_.when_left([this] {
    // The first call begins to write, the second ends it.
    for (int call = 0; call < 2; ++call) session_.autosave(std::numeric_limits<double>::infinity());
  });
  running = this;
  std::atexit(keep_unsaved_of_running);
  std::set_terminate(end_after_failure);
}

Program::~Program() { keep_unsaved_of_running(); }

// Runs work that may fail; a failure becomes a message.
template <typename Work>
bool Program::attempt(const Work& work) {
  const std::string failure = failure_of(work);
  if (!failure.empty()) session_.say(failure, true);
  return failure.empty();
}

// Without a folder for them, settings are not kept, and the window opens all the same.
ViewState Program::load() {
  ViewState view;
  const std::string failure = failure_of([&] {
    settings_path_ = config_folder() / "settings.json";
    is_first_start_ = !std::filesystem::exists(settings_path_);
    view = load_settings(settings_path_, settings_problem_);
  });
  if (!failure.empty()) settings_problem_ = failure;
  return view;
}

void Program::keep_state() {
  attempt([&] { session_.keep_state_in(state_folder(), process_id()); });
  if (!settings_path_.empty())
    attempt([&] { session_.keep_progress_in(settings_path_.parent_path() / "lessons.json"); });
}

// Waits while there is nothing to draw, too.
double Program::seconds_to_wait() const {
  const double sleep = window_.minimized() ? idle_seconds : seconds_to_sleep();
  const double autosave = session_.seconds_to_autosave(seconds_since_start());
  const double kept = has_unsaved_settings_ ? std::min(sleep, settings_seconds) : sleep;
  return autosave < 0 ? kept : std::min(kept, autosave);
}

double Program::seconds_to_sleep() const {
  if (frames_wanted_ > 0) return 0;
  const double change = session_.seconds_to_next_change(ImGui::GetTime());
  const double idle = ImGui::GetIO().WantTextInput ? caret_seconds : idle_seconds;
  return change < 0 ? idle : std::min(change, idle);
}

void Program::draw_frame() {
  if (painter_.draw(session_)) frames_wanted_ = std::max(frames_wanted_, frames_after_change);
  if (painter_.is_lost()) renew_graphics();
}

// Makes the graphics anew after their context was lost.
void Program::renew_graphics() {
  if (screenshot_) screenshot_->forget_graphics();
  painter_.renew();
  if (screenshot_) screenshot_->renew_graphics();
  session_.say("The graphics driver was reset. The window was opened anew, and nothing is lost.");
  frames_wanted_ = frames_after_input;
}

void Program::begin_screenshot(const ScreenshotRequest& request) {
  if (wanted_screenshot_ || screenshot_ || saving_.is_busy()) {
    session_.say("A screenshot is already being taken.");
  } else {
    wanted_screenshot_ = request;
  }
  frames_wanted_ = frames_after_input;
}

// Rendered anew at its own resolution, not scaled up, of what the window showed when it was asked for, and saved when
// all of that is exact.
void Program::advance_screenshot() {
  show_what_was_saved();
  const std::string failure = failure_of([&] { draw_screenshot(); });
  if (painter_.is_lost()) {
    renew_graphics();
  } else if (!failure.empty()) {
    screenshot_.reset();
    session_.say(failure, true);
  }
}

void Program::draw_screenshot() {
  bool is_first = false;
  if (wanted_screenshot_ && session_.shown().is_current) {
    int width = 0;
    int height = 0;
    window_.size(width, height);
    const ScreenshotRequest request = *std::exchange(wanted_screenshot_, std::nullopt);
    screenshot_.emplace(session_, width, height, static_cast<float>(request.scale), window_.display_scale());
    is_for_clipboard_ = request.is_for_clipboard;
    is_first = true;
  }
  if (!screenshot_) return;
  std::optional<Image> image = screenshot_->advance(session_.picture_cache());
  if (painter_.is_lost()) return;  // what was read may not be what was drawn
  if (image) {
    AnyDocument document = screenshot_->document();
    screenshot_.reset();
    save(std::move(*image), std::move(document));
  } else if (is_first) {
    session_.say("The screenshot is taken as soon as every matrix in it is computed.");
    frames_wanted_ = frames_after_input;
  }
}

void Program::save(Image image, AnyDocument document) {
  const std::filesystem::path path =
      is_for_clipboard_ ? std::filesystem::path() : free_path(session_.shown().view.screenshot_folder);
  saving_.start(
      [path, image = std::move(image), document = std::move(document), view = view_text(session_.shown().view)] {
        return deliver(path, with_document(encode_png(image), PictureKind::png, document, path, view));
      });
}

void Program::show_what_was_saved() {
  std::optional<std::string> said;
  const bool went_well = attempt([&] { said = saving_.take(); });
  if (said) session_.say(*said);
  if (said || !went_well) frames_wanted_ = frames_after_input;
}

// Settings outlive a crash of the machine because they are written when they change, not at the end only.
void Program::remember_settings(std::chrono::milliseconds patience) {
  ViewState view = view_to_save(session_.shown(), saved_view_);
  if (!window_.fills_screen()) window_.size(view.window_width, view.window_height);
  if (view == saved_view_ || settings_path_.empty()) return;
  bool is_saved = false;
  const bool went_well = attempt([&] { is_saved = save_settings(view, saved_view_, settings_path_, patience); });
  if (is_saved) saved_view_ = view;
  has_unsaved_settings_ = went_well && !is_saved;
  if (!went_well) settings_path_.clear();  // to say it once is enough
}

void Program::handle_window_requests() {
  for (const std::filesystem::path& path : window_.take_dropped())
    session_.push([path](const Controllers& to) { to.reading.open(path); });
  if (window_.close_requested()) {
    window_.clear_close_request();
    session_.push([](const Controllers& to) { to.files.quit(); });
  }
  window_.fill_screen(session_.shown().view.transient.presenting.has_value());
}

// Does what a turn of the loop does behind the events. Returns whether the program goes on.
bool Program::advance() {
  handle_window_requests();
  if (window_.input_arrived() || session_.poll() || session_.shown().is_busy) frames_wanted_ = frames_after_input;
  session_.expire_messages(ImGui::GetTime());
  if (!window_.minimized()) draw_frame();
  frames_wanted_ = std::max(0, frames_wanted_ - 1);
  if (const std::optional<ScreenshotRequest> request = session_.take_screenshot_request()) begin_screenshot(*request);
  advance_screenshot();
  if (session_.window_title() != title_) window_.set_title(title_ = session_.window_title());
  if (frames_wanted_ == 0) remember_settings({});
  session_.autosave(seconds_since_start());
  return !session_.quit_requested() && interrupt_.signal() == 0;
}

int Program::run() {
  window_.run([this] { return seconds_to_wait(); }, [this] { return advance(); });
  saving_.wait();
  remember_settings(last_patience);
  return interrupt_.signal() == 0 ? 0 : status_of_signals + interrupt_.signal();
}

}  // namespace

int run_window(const std::function<void(Session&)>& begin) {
  if (!has_display()) {
    throw Error("There is no display to open a window on. `attnscope screenshot` draws the same picture into a file.");
  }
#if defined(__EMSCRIPTEN__)
  static Program program;  // it goes on between the browser's frames
#else
  Program program;
#endif
  begin(program.session());
  return program.run();
}

}  // namespace attnscope
