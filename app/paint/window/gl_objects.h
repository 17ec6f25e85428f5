#pragma once

#include <glad/gl.h>

#include <string_view>
#include <utility>

namespace attnscope {

// Owns one OpenGL name; moves, never copies. `destroy` is called with the name, never with 0.
template <void (*destroy)(GLuint)>
class GlObject {
public:
  GlObject() = default;
  explicit GlObject(GLuint object_name) : name_(object_name) {}
  explicit GlObject(void (*generate)(GLsizei, GLuint*)) { generate(1, &name_); }
  GlObject(GlObject&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  GlObject& operator=(GlObject&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  ~GlObject() {
    if (name_ != 0) destroy(name_);
  }
  GLuint name() const { return name_; }

private:
  GLuint name_ = 0;
};

inline void delete_texture(GLuint name) { glDeleteTextures(1, &name); }
inline void delete_vertex_array(GLuint name) { glDeleteVertexArrays(1, &name); }
inline void delete_renderbuffer(GLuint name) { glDeleteRenderbuffers(1, &name); }
inline void delete_framebuffer(GLuint name) { glDeleteFramebuffers(1, &name); }
inline void delete_shader(GLuint name) { glDeleteShader(name); }
inline void delete_program(GLuint name) { glDeleteProgram(name); }

using Texture = GlObject<delete_texture>;
using VertexArray = GlObject<delete_vertex_array>;
using Renderbuffer = GlObject<delete_renderbuffer>;
using Framebuffer = GlObject<delete_framebuffer>;
using Shader = GlObject<delete_shader>;
using Program = GlObject<delete_program>;

// Returns whether memory for a texture or a picture was missing, or it was larger than the driver allows, since
// forget_failures(). Other failures are mistakes of a programmer, or come from a lost context.
bool was_refused();
void forget_failures();

struct TexturePixels {
  GLint internal_format = GL_RGBA8;
  int width = 0;
  int height = 0;
  GLenum format = GL_RGBA;
  GLenum type = GL_UNSIGNED_BYTE;
  const void* pixels = nullptr;
  int row_length = 0;      // texels from a row to the next; 0: the width
  bool is_smooth = false;  // texels are mixed where it is drawn smaller
};

// Makes a texture that is read texel by texel, unless it is smooth, without mipmaps. Leaves nothing bound on texture
// unit 0. Throws Error if the driver has no room for it.
Texture make_texture(const TexturePixels& content);

// Compiles and links a program. Throws Error with the driver's log if that fails.
Program make_program(std::string_view vertex_source, std::string_view fragment_source);

// A framebuffer of 8-bit RGBA, bound while it lives; its end binds the framebuffer that was bound before.
class Canvas {
public:
  Canvas(int width, int height);  // throws Error if the driver cannot make this size
  ~Canvas() { glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(previous_)); }
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

private:
  Renderbuffer colour_{glGenRenderbuffers};
  Framebuffer framebuffer_{glGenFramebuffers};
  GLint previous_ = 0;
};

}  // namespace attnscope
