#include "window/unseen_window.h"

#include <algorithm>

#include "core/error.h"
#include "features/shared/view_controller.h"
#include "files/picture_document.h"
#include "paint/window/offscreen.h"
#include "platform/system/file.h"
#include "platform/window.h"
#include "window/run.h"

namespace attnscope {
namespace {

constexpr float rest_seconds =
    1;  // longer than between the clicks of a double click, and than anything takes to fade in
constexpr float no_time = 1e-6f;   // for frames of which there may be more or fewer: Dear ImGui wants some to pass
constexpr int most_frames = 1000;  // until what keeps changing, an animation, is taken to be at rest

}  // namespace

UnseenWindow::UnseenWindow(Session& session, int width, int height, float scale) : session_(session), scale_(scale) {
  ImGui::GetIO().ConfigInputTextCursorBlink = false;
  session_.use(desktop_of_context());
  resize(width, height);
  rescale(scale);
}

void UnseenWindow::resize(int width, int height) {
  ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
}

void UnseenWindow::rescale(float scale) {
  scale_ = scale;
  ImGui::GetIO().DisplayFramebufferScale = {scale, scale};
}

bool UnseenWindow::build_frame(float seconds) {
  painter_.prepare(session_, scale_, 1);  // a call of the frame before may have changed the theme
  ImGui::GetIO().DeltaTime = seconds;
  ImGui::NewFrame();
  return painter_.build(session_, &widgets_);
}

void UnseenWindow::settle() {
  build_frame(rest_seconds);
  int wanted = frames_after_input;
  for (int frame = 0; wanted > 0 && frame < most_frames; ++frame) {
    session_.wait_for_evaluation();
    const bool changes = build_frame(no_time);
    wanted = std::max(wanted - 1, changes ? frames_after_change : 0);
  }
  while (session_.head_cache().wait()) build_frame(no_time);  // no coarse pictures
  build_frame(no_time);                                       // what came last may have come after it was asked for
}

Image UnseenWindow::image() {
  Image image = painter_.draw_to_image();
  if (context_is_lost()) throw Error("The graphics driver was reset while the picture was drawn. Try again.");
  if (!painter_.failure().empty()) throw Error(painter_.failure());
  return image;
}

void write_picture(const Session& session, const Image& image, const std::filesystem::path& out) {
  write_file(
      out, with_document(encode_png(image), PictureKind::png, session.to_save(), out, view_text(session.shown().view)));
}

Image render_session(Session& session, int width, int height, float scale) {
  UnseenWindow window(session, width, height, scale);
  window.settle();
  return window.image();
}

void write_screenshot(std::variant<LoadedDocument, LoadedAttention> shown, const std::filesystem::path& out,
                      const ScreenshotOptions& options) {
  auto* const attention = std::get_if<LoadedAttention>(&shown);
  ViewState view;
  view.theme = options.theme;
  auto* const loaded = std::get_if<LoadedDocument>(&shown);
  if (loaded) look_as(view, loaded->document.config, loaded->view);
  Session session(loaded ? loaded->document : default_document(), view);
  if (loaded && !loaded->view.empty()) session.stay_in_head();
  session.show_footer(options.has_footer);
  if (attention) session.show_attention(std::move(*attention));
  if (options.opens) {
    session.push(options.opens);
    session.run_calls();
  }
  const WindowlessContext context;
  session.wait_for_evaluation();
  if (!session.shown().evaluation.error.empty())
    throw Error(session.shown().evaluation.error_field, session.shown().evaluation.error);
  write_picture(session, render_session(session, options.width, options.height, static_cast<float>(options.scale)),
                out);
}

}  // namespace attnscope
