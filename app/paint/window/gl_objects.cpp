#include "paint/window/gl_objects.h"

#include <algorithm>
#include <string>

#include "core/error.h"

namespace attnscope {
namespace {

template <typename GetLog>
std::string read_log(GLuint name, GetLog get_log) {
  constexpr GLsizei most = 2000;
  std::string log(most, '\0');
  GLsizei written = 0;
  get_log(name, most, &written, log.data());
  log.resize(static_cast<std::size_t>(written));
  std::ranges::replace(log, '\n', ' ');
  while (!log.empty() && (log.back() == ' ' || log.back() == '\0' || log.back() == '.')) log.pop_back();
  return log + ".";
}

Shader compile(GLenum kind, std::string_view source) {
  Shader shader(glCreateShader(kind));
  const char* const text = source.data();
  const auto length = static_cast<GLint>(source.size());
  glShaderSource(shader.name(), 1, &text, &length);
  glCompileShader(shader.name());
  GLint compiled = GL_FALSE;
  glGetShaderiv(shader.name(), GL_COMPILE_STATUS, &compiled);
  if (compiled == GL_FALSE) {
    throw Error("The graphics driver rejects a " + std::string(kind == GL_VERTEX_SHADER ? "vertex" : "fragment") +
                " shader: " + read_log(shader.name(), glad_glGetShaderInfoLog));
  }
  return shader;
}

Error no_room(const std::string& what, int width, int height) {
  return Error("The graphics driver has no room for a " + what + " of " + std::to_string(width) + " x " +
               std::to_string(height) + " pixels.");
}

}  // namespace

bool was_refused() {
  constexpr int most_failures = 16;  // a lost context reports failures without end
  bool is_refused = false;
  for (int count = 0; count < most_failures; ++count) {
    const GLenum failure = glGetError();
    if (failure == GL_NO_ERROR) break;
    is_refused = is_refused || failure == GL_OUT_OF_MEMORY || failure == GL_INVALID_VALUE;
  }
  return is_refused;
}

void forget_failures() { static_cast<void>(was_refused()); }

Texture make_texture(const TexturePixels& content) {
  Texture texture(glGenTextures);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture.name());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, content.is_smooth ? GL_LINEAR : GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, content.row_length);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  forget_failures();
  glTexImage2D(GL_TEXTURE_2D, 0, content.internal_format, content.width, content.height, 0, content.format,
               content.type, content.pixels);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glBindTexture(GL_TEXTURE_2D, 0);
  if (was_refused()) throw no_room("texture", content.width, content.height);
  return texture;
}

Program make_program(std::string_view vertex_source, std::string_view fragment_source) {
  const Shader vertex = compile(GL_VERTEX_SHADER, vertex_source);
  const Shader fragment = compile(GL_FRAGMENT_SHADER, fragment_source);
  Program program(glCreateProgram());
  glAttachShader(program.name(), vertex.name());
  glAttachShader(program.name(), fragment.name());
  glLinkProgram(program.name());
  GLint linked = GL_FALSE;
  glGetProgramiv(program.name(), GL_LINK_STATUS, &linked);
  if (linked == GL_FALSE) {
    throw Error("The graphics driver cannot link the shaders: " + read_log(program.name(), glad_glGetProgramInfoLog));
  }
  glDetachShader(program.name(), vertex.name());
  glDetachShader(program.name(), fragment.name());
  return program;
}

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

}  // namespace attnscope
