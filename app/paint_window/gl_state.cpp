#include "paint_window/gl_state.h"

#include <glad/gl.h>

#include <algorithm>

namespace attnscope {
namespace {

constexpr int most_failures = 16;  // that are kept at once; one that is there again and again is of a lost context

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

bool was_refused() {
  bool is_refused = false;
  for (int count = 0; count < most_failures; ++count) {
    const GLenum failure = glGetError();
    if (failure == GL_NO_ERROR) break;
    is_refused = is_refused || failure == GL_OUT_OF_MEMORY || failure == GL_INVALID_VALUE;
  }
  return is_refused;
}

void forget_failures() { static_cast<void>(was_refused()); }

}  // namespace attnscope
