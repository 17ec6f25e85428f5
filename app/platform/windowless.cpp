#include "platform/window.h"

// EGL would otherwise pull in Xlib's headers and their macros.
#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <fmt/format.h>
#include <glad/gl.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace attnscope {
namespace {

// `list` has names with spaces between them, or is null.
bool has_extension(const char* list, std::string_view name) {
  return list && fmt::format(" {} ", list).find(fmt::format(" {} ", name)) != std::string::npos;
}

// Displays that need neither a window system nor a screen, the most direct first.
std::vector<EGLDisplay> candidate_displays() {
  std::vector<EGLDisplay> displays;
  const char* const client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  const auto get_platform_display =
      reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  const bool has_platforms = get_platform_display != nullptr && has_extension(client, "EGL_EXT_platform_base");
  if (has_platforms && has_extension(client, "EGL_MESA_platform_surfaceless")) {
    displays.push_back(get_platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
  }
  displays.push_back(eglGetDisplay(EGL_DEFAULT_DISPLAY));
  const auto query_devices = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
  if (has_platforms && query_devices != nullptr && has_extension(client, "EGL_EXT_platform_device")) {
    EGLDeviceEXT devices[8] = {};
    EGLint count = 0;
    if (query_devices(8, devices, &count) == EGL_TRUE) {
      for (EGLint i = 0; i < count; ++i) {
        displays.push_back(get_platform_display(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr));
      }
    }
  }
  return displays;
}

std::string egl_failure(const char* what) {
  return fmt::format("{} failed with EGL error 0x{:04X}", what, static_cast<unsigned>(eglGetError()));
}

}  // namespace

struct WindowlessContext::Impl {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLSurface surface = EGL_NO_SURFACE;
  EGLContext context = EGL_NO_CONTEXT;

  ~Impl() { close(); }

  void close() {
    if (display == EGL_NO_DISPLAY) return;
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    if (surface != EGL_NO_SURFACE) eglDestroySurface(display, surface);
    eglTerminate(display);
    display = EGL_NO_DISPLAY;
    surface = EGL_NO_SURFACE;
    context = EGL_NO_CONTEXT;
  }

  // Empty on success, else why this display does not do.
  std::string open(EGLDisplay candidate) {
    if (candidate == EGL_NO_DISPLAY || eglInitialize(candidate, nullptr, nullptr) != EGL_TRUE) {
      return egl_failure("eglInitialize");
    }
    display = candidate;
    if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) return egl_failure("eglBindAPI for desktop OpenGL");
    const char* const extensions = eglQueryString(display, EGL_EXTENSIONS);
    const bool surfaceless = has_extension(extensions, "EGL_KHR_surfaceless_context");
    const EGLint config_attributes[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE,
                                        surfaceless ? 0 : EGL_PBUFFER_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (eglChooseConfig(display, config_attributes, &config, 1, &count) != EGL_TRUE || count == 0) {
      return egl_failure("eglChooseConfig");
    }
    if (!surfaceless) {
      const EGLint pixel[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
      surface = eglCreatePbufferSurface(display, config, pixel);
      if (surface == EGL_NO_SURFACE) return egl_failure("eglCreatePbufferSurface");
    }
    return make_current(config);
  }

  // Not every driver can say that a context was lost.
  EGLContext create_context(EGLConfig config) const {
    for (const EGLint behind_profile : {EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_NONE}) {
      const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                   3,
                                   EGL_CONTEXT_MINOR_VERSION,
                                   3,
                                   EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                   EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                   behind_profile,
                                   EGL_LOSE_CONTEXT_ON_RESET,
                                   EGL_NONE};
      const EGLContext made = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
      if (made != EGL_NO_CONTEXT) return made;
    }
    return EGL_NO_CONTEXT;
  }

  std::string make_current(EGLConfig config) {
    context = create_context(config);
    if (context == EGL_NO_CONTEXT) return egl_failure("eglCreateContext for OpenGL 3.3 core");
    if (eglMakeCurrent(display, surface, surface, context) != EGL_TRUE) return egl_failure("eglMakeCurrent");
    if (gladLoadGL(eglGetProcAddress) == 0) return "OpenGL's functions could not be loaded";
    return {};
  }
};

WindowlessContext::WindowlessContext() : impl_(std::make_unique<Impl>()) {
  std::string reasons;
  for (EGLDisplay candidate : candidate_displays()) {
    const std::string reason = impl_->open(candidate);
    if (reason.empty()) return;
    impl_->close();
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  throw Error("No OpenGL 3.3 context without a window could be made (" + reasons +
              "). Install a driver; Mesa's software renderer (libgl1-mesa-dri, libegl1) will do.");
}

WindowlessContext::~WindowlessContext() = default;

}  // namespace attnscope
