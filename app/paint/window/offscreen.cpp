#include "paint/window/offscreen.h"

#include <backends/imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "paint/window/gl_objects.h"
#include "platform/system/process.h"

namespace attnscope {
namespace {

// Returns width and height in pixels.
std::pair<int, int> size_of(const ImDrawData& data) {
  return {static_cast<int>(std::lround(data.DisplaySize.x * data.FramebufferScale.x)),
          static_cast<int>(std::lround(data.DisplaySize.y * data.FramebufferScale.y))};
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
  const auto [width, height] = size_of(data);
  glViewport(0, 0, width, height);
  glDisable(GL_SCISSOR_TEST);
  glClearColor(background.x, background.y, background.z, background.w);
  glClear(GL_COLOR_BUFFER_BIT);
  forget_failures();
  ImGui_ImplOpenGL3_RenderDrawData(&data);
  has_drawn_all_ = !was_refused();
}

// Turns rows around, because OpenGL's go up and a picture's go down. Makes alpha opaque, because a picture has nothing
// behind it.
Image render_to_image(ImguiRenderer& renderer, ImDrawData& data, ImVec4 background) {
  const auto [width, height] = size_of(data);
  const Canvas canvas(width, height);
  renderer.draw(data, background);
  const std::ptrdiff_t row_bytes = static_cast<std::ptrdiff_t>(width) * 4;
  Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(row_bytes * height))};
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image.pixels.data());
  for (auto low = image.pixels.begin(), high = image.pixels.end() - row_bytes; low < high;
       low += row_bytes, high -= row_bytes)
    std::swap_ranges(low, low + row_bytes, high);
  for (std::size_t alpha = 3; alpha < image.pixels.size(); alpha += 4) image.pixels[alpha] = 255;
  return image;
}

}  // namespace attnscope
