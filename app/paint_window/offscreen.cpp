#include "paint_window/offscreen.h"

#include <backends/imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "paint_window/gl_objects.h"
#include "platform/system/process.h"

namespace attnscope {
namespace {

// A framebuffer of 8-bit RGBA, bound while it lives; its end binds the framebuffer that was bound before.
class Canvas {
public:
  Canvas(int width, int height);  // throws Error when the driver cannot make one of this size
  ~Canvas() { glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(previous_)); }
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

private:
  Renderbuffer colour_{glGenRenderbuffers};
  Framebuffer framebuffer_{glGenFramebuffers};
  GLint previous_ = 0;
};

Canvas::Canvas(int width, int height) {
  GLint limit = 0;
  GLint most[2] = {};
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
  glGetIntegerv(GL_MAX_VIEWPORT_DIMS, most);
  limit = std::min({limit, most[0], most[1]});
  if (width < 1 || height < 1 || width > limit || height > limit) {
    throw Error("A picture of " + std::to_string(width) + " x " + std::to_string(height) +
                " pixels cannot be drawn: this graphics driver allows 1 to " + std::to_string(limit) +
                " pixels a side.");
  }
  glBindRenderbuffer(GL_RENDERBUFFER, colour_.name());
  forget_failures();
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  const bool has_room = !was_refused();
  glBindRenderbuffer(GL_RENDERBUFFER, 0);
  glGetIntegerv(GL_FRAMEBUFFER_BINDING, &previous_);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_.name());
  if (!has_room || glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(previous_));
    throw no_room("picture", width, height);
  }
}

int pixels(float units, float scale) { return static_cast<int>(std::lround(units * scale)); }

// OpenGL's rows go up, a picture's go down. What lies behind a window is not part of the picture: alpha becomes opaque.
Image read_canvas(int width, int height) {
  Image image{.width = width, .height = height, .pixels = {}};
  const std::size_t row_bytes = static_cast<std::size_t>(width) * 4;
  image.pixels.resize(row_bytes * static_cast<std::size_t>(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image.pixels.data());
  const auto row = [&](int y) { return image.pixels.begin() + static_cast<std::ptrdiff_t>(row_bytes) * y; };
  for (int y = 0; y < height / 2; ++y) std::swap_ranges(row(y), row(y + 1), row(height - 1 - y));
  for (std::size_t alpha = 3; alpha < image.pixels.size(); alpha += 4) image.pixels[alpha] = 255;
  return image;
}

}  // namespace

bool context_is_lost() {
  if (GLAD_GL_KHR_robustness != 0 && glGetGraphicsResetStatus != nullptr)
    return glGetGraphicsResetStatus() != GL_NO_ERROR;
  if (GLAD_GL_ARB_robustness != 0 && glGetGraphicsResetStatusARB != nullptr)
    return glGetGraphicsResetStatusARB() != GL_NO_ERROR;
  return false;
}

int max_texture_side() {
  GLint side = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &side);
  return std::max(side, least_texture_side);
}

ImguiRenderer::ImguiRenderer() {
  if (GLAD_GL_VERSION_3_3 == 0) throw Error("The graphics driver has no OpenGL 3.3, which attnscope draws with.");
  // Dear ImGui asks these for OpenGL's functions once for all contexts, and lets go of them with each that ends: the
  // functions would be elsewhere afterwards.
  for (const char* const library : {"libOpenGL.so.0", "libGL.so.1"}) keep_loaded(library);
  if (!ImGui_ImplOpenGL3_Init("#version 330 core")) {
    throw Error("Dear ImGui could not prepare OpenGL 3.3 for drawing.");
  }
}

ImguiRenderer::~ImguiRenderer() { ImGui_ImplOpenGL3_Shutdown(); }

bool ImguiRenderer::begin_frame() {
  forget_failures();
  ImGui_ImplOpenGL3_NewFrame();
  return std::exchange(has_begun_, true) || !was_refused();
}

bool ImguiRenderer::rebuild_fonts() {
#if IMGUI_VERSION_NUM < 19200  // later versions follow the atlas by themselves
  if (!has_begun_) return true;
  forget_failures();
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
  return !was_refused();
#else
  return true;
#endif
}

void ImguiRenderer::draw(ImDrawData& data, ImVec4 background) {
  glViewport(0, 0, pixels(data.DisplaySize.x, data.FramebufferScale.x),
             pixels(data.DisplaySize.y, data.FramebufferScale.y));
  glDisable(GL_SCISSOR_TEST);
  glClearColor(background.x, background.y, background.z, background.w);
  glClear(GL_COLOR_BUFFER_BIT);
  forget_failures();
  ImGui_ImplOpenGL3_RenderDrawData(&data);
  has_drawn_all_ = !was_refused();
}

Image render_to_image(ImguiRenderer& renderer, ImDrawData& data, ImVec4 background) {
  const int width = pixels(data.DisplaySize.x, data.FramebufferScale.x);
  const int height = pixels(data.DisplaySize.y, data.FramebufferScale.y);
  const Canvas canvas(width, height);
  renderer.draw(data, background);
  return read_canvas(width, height);
}

}  // namespace attnscope
