#pragma once

#include <memory>

namespace attnscope {

// An OpenGL 3.3 core context without a window or display (EGL, surfaceless or with a pixel buffer), current from
// construction to destruction on this thread, its functions loaded. Throws Error with the reason when there is none.
class WindowlessContext {
public:
  WindowlessContext();
  ~WindowlessContext();
  WindowlessContext(const WindowlessContext&) = delete;
  WindowlessContext& operator=(const WindowlessContext&) = delete;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace attnscope
