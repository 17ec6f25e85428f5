// A graphics driver that is worse than the computer's own, to be preloaded into a program (LD_PRELOAD):
//   BAD_DRIVER_SIDE=1024            textures and pictures have at most so many pixels a side
//   BAD_DRIVER_ROOM=1000000         there is no memory for a texture of more texels
//   BAD_DRIVER_MATRIX_ROOM=1000     nor for one of numbers of more texels
//   BAD_DRIVER_RESET=FILE           once there is such a file, it is removed, and the driver says that it was reset
//   BAD_DRIVER_ALWAYS_RESET=FILE    as long as there is such a file, it says so every time
//   BAD_DRIVER_NO_CONTEXT=FILE      while there is such a file, no context can be made
// Every way to the driver's functions leads by here: libraries find them by dlsym and by what that finds.

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace {

using Function = void (*)();

constexpr unsigned gl_no_error = 0;
constexpr unsigned gl_invalid_value = 0x0501;
constexpr unsigned gl_out_of_memory = 0x0505;
constexpr unsigned gl_guilty_context_reset = 0x8253;
constexpr unsigned gl_max_texture_size = 0x0D33;
constexpr unsigned gl_max_viewport_dims = 0x0D3A;
constexpr unsigned gl_max_renderbuffer_size = 0x84E8;
constexpr unsigned gl_red = 0x1903;
constexpr unsigned gl_rg = 0x8227;

unsigned failure = gl_no_error;  // that the next question is answered with

std::map<std::string, Function>& real_functions() {
  static std::map<std::string, Function> functions;
  return functions;
}

template <typename Type>
Type* real(const char* name) {
  return reinterpret_cast<Type*>(real_functions()[name]);
}

long number(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::atol(text) : otherwise;
}

bool has_file(const char* variable) {
  const char* const path = std::getenv(variable);
  return path && access(path, F_OK) == 0;
}

// Whether a picture of this size is refused.
bool refuses(int width, int height, const char* room) {
  constexpr long most = 1L << 40;
  if (std::max(width, height) > number("BAD_DRIVER_SIDE", most)) {
    failure = gl_invalid_value;
  } else if (static_cast<long>(width) * height > number(room, most)) {
    failure = gl_out_of_memory;
  } else {
    return false;
  }
  return true;
}

unsigned reset_status() {
  if (has_file("BAD_DRIVER_ALWAYS_RESET")) return gl_guilty_context_reset;
  if (!has_file("BAD_DRIVER_RESET")) return gl_no_error;
  unlink(std::getenv("BAD_DRIVER_RESET"));
  return gl_guilty_context_reset;
}

unsigned get_error() {
  const unsigned before = std::exchange(failure, gl_no_error);
  return before != gl_no_error ? before : real<unsigned()>("glGetError")();
}

void get_integers(unsigned name, int* values) {
  real<void(unsigned, int*)>("glGetIntegerv")(name, values);
  const int count = name == gl_max_viewport_dims                                      ? 2
                    : name == gl_max_texture_size || name == gl_max_renderbuffer_size ? 1
                                                                                      : 0;
  for (int i = 0; i < count; ++i)
    values[i] = static_cast<int>(std::min<long>(values[i], number("BAD_DRIVER_SIDE", values[i])));
}

void set_texture(unsigned target, int level, int kept_as, int width, int height, int border, unsigned format,
                 unsigned type, const void* pixels) {
  const bool is_matrix = format == gl_red || format == gl_rg;
  if (refuses(width, height, is_matrix ? "BAD_DRIVER_MATRIX_ROOM" : "BAD_DRIVER_ROOM")) return;
  real<void(unsigned, int, int, int, int, int, unsigned, unsigned, const void*)>("glTexImage2D")(
      target, level, kept_as, width, height, border, format, type, pixels);
}

void set_renderbuffer(unsigned target, unsigned kept_as, int width, int height) {
  if (!refuses(width, height, "BAD_DRIVER_ROOM"))
    real<void(unsigned, unsigned, int, int)>("glRenderbufferStorage")(target, kept_as, width, height);
}

Function ours(const char* name);

Function look_up(const char* by, const char* name) {
  const Function found = real<Function(const char*)>(by)(name);
  const Function instead = found ? ours(name) : nullptr;
  if (instead) real_functions()[name] = found;
  return instead ? instead : found;
}

void* create_egl_context(void* display, void* config, void* shared, const int* attributes) {
  if (has_file("BAD_DRIVER_NO_CONTEXT")) return nullptr;
  return real<void*(void*, void*, void*, const int*)>("eglCreateContext")(display, config, shared, attributes);
}

void* create_glx_context(void* display, void* config, void* shared, int is_direct, const int* attributes) {
  if (has_file("BAD_DRIVER_NO_CONTEXT")) return nullptr;
  return real<void*(void*, void*, void*, int, const int*)>("glXCreateContextAttribsARB")(display, config, shared,
                                                                                         is_direct, attributes);
}

Function egl_function(const char* name) { return look_up("eglGetProcAddress", name); }
Function glx_function(const char* name) { return look_up("glXGetProcAddress", name); }
Function glx_function_arb(const char* name) { return look_up("glXGetProcAddressARB", name); }

template <typename Type>
Function as_any(Type* function) {
  return reinterpret_cast<Function>(function);
}

Function ours(const char* name) {
  static const std::map<std::string, Function> functions = {{"eglCreateContext", as_any(create_egl_context)},
                                                            {"eglGetProcAddress", as_any(egl_function)},
                                                            {"glGetError", as_any(get_error)},
                                                            {"glGetGraphicsResetStatus", as_any(reset_status)},
                                                            {"glGetGraphicsResetStatusARB", as_any(reset_status)},
                                                            {"glGetIntegerv", as_any(get_integers)},
                                                            {"glRenderbufferStorage", as_any(set_renderbuffer)},
                                                            {"glTexImage2D", as_any(set_texture)},
                                                            {"glXCreateContextAttribsARB", as_any(create_glx_context)},
                                                            {"glXGetProcAddress", as_any(glx_function)},
                                                            {"glXGetProcAddressARB", as_any(glx_function_arb)}};
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}

// The C library's own, by the versions that it has had.
void* real_symbol(void* handle, const char* name) {
  using Find = void*(void*, const char*);
  static Find* const find = [] {
    for (const char* const version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"}) {
      if (void* const found = dlvsym(RTLD_NEXT, "dlsym", version)) return reinterpret_cast<Find*>(found);
    }
    std::abort();
  }();
  return find(handle, name);
}

}  // namespace

extern "C" {

void* dlsym(void* __restrict handle, const char* __restrict name) noexcept {
  void* const found = real_symbol(handle, name);
  const Function instead = found ? ours(name) : nullptr;
  if (!instead) return found;
  if (found != reinterpret_cast<void*>(instead)) real_functions()[name] = reinterpret_cast<Function>(found);
  return reinterpret_cast<void*>(instead);
}

// Of programs that are linked with EGL.
Function eglGetProcAddress(const char* name) {
  if (!real_functions()["eglGetProcAddress"]) dlsym(RTLD_NEXT, "eglGetProcAddress");
  return egl_function(name);
}

}  // extern "C"
