#include "window/screenshot.h"

#include "core/error.h"

namespace attnscope {
Screenshot::Screenshot(const Session& session, int width, int height, float scale, float display_scale)
    : kept_(session.kept()), scale_(scale), display_scale_(display_scale) {
  painter_ = std::make_unique<FramePainter>();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  io.DisplayFramebufferScale = {scale, scale};
  context_.make_outer_current();
}

Screenshot::~Screenshot() {
  context_.make_current();
  painter_.reset();
}

void Screenshot::build(HeadCache& heads) {
  painter_->prepare(kept_, scale_, display_scale_);
  ImGui::GetIO().DeltaTime = 1.0f / 60;
  ImGui::NewFrame();
  painter_->build(kept_, heads);
}

void Screenshot::forget_graphics() {
  context_.make_current();
  painter_->forget_graphics();
  context_.make_outer_current();
}

void Screenshot::renew_graphics() {
  context_.make_current();
  painter_->renew_graphics();
  context_.make_outer_current();
}

std::optional<Image> Screenshot::advance(HeadCache& heads) {
  context_.make_current();
  for (int frame = is_settled_ ? 1 : frames_after_input; frame > 0; --frame) build(heads);
  is_settled_ = true;
  std::optional<Image> image;
  if (heads.is_done()) {
    build(heads);  // once more: now all that it asks for is there
    image = painter_->draw_to_image();
    if (!painter_->failure().empty()) throw Error(painter_->failure());
  }
  context_.make_outer_current();
  return image;
}

}  // namespace attnscope
