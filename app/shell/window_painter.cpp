#include "shell/window_painter.h"

#include "assets/assets.h"
#include "core/error.h"
#include "interchange/image.h"
#include "paint_window/offscreen.h"

namespace attnscope {
namespace {

constexpr int most_renewals = 5;  // without a frame between them

std::vector<IconPicture> icon_pictures() {
  std::vector<IconPicture> pictures;
  for (const char* const name : {"icons/16.png", "icons/32.png", "icons/64.png"}) {
    Image image = decode_png(asset(name));
    pictures.push_back({image.width, image.height, std::move(image.pixels)});
  }
  return pictures;
}

}  // namespace

WindowPainter::WindowPainter(Window& window, const FontAtlas& fonts)
    : window_(window), input_(std::in_place, window), painter_(fonts) {
  window.set_icon(icon_pictures());
  painter_.allow_motion();
}

bool WindowPainter::draw(Session& session) {
  painter_.prepare(session, window_.pixels_per_unit(), window_.display_scale());
  window_.begin_frame();
  ImGui::NewFrame();
  const bool changes = painter_.build(session);
  painter_.draw();
  window_.present();
  return say_what_is_missing(session) || changes;
}

// Once, not in every frame.
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

// A driver says it once.
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

}  // namespace attnscope
