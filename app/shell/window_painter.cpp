#include "shell/window_painter.h"

#include "assets/assets.h"
#include "interchange/image.h"
#include "render/gl_state.h"

namespace attnscope {
namespace {

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
}

bool WindowPainter::draw(Session& session) {
  painter_.prepare(session, window_.pixels_per_unit(), window_.display_scale());
  window_.begin_frame();
  ImGui::NewFrame();
  const bool changes = painter_.build(session);
  painter_.draw();
  window_.present();
  return changes;
}

// A driver says it once.
bool WindowPainter::is_lost() {
  is_lost_ = is_lost_ || context_is_lost();
  return is_lost_;
}

void WindowPainter::renew() {
  painter_.forget_graphics();
  input_.reset();
  window_.renew();
  input_.emplace(window_);
  painter_.renew_graphics();
  is_lost_ = false;
}

}  // namespace attnscope
