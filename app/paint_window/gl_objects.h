#pragma once

#include <glad/gl.h>

#include <string_view>
#include <utility>

namespace attnscope {

// Owns one OpenGL name; moves, never copies. Deleter is called with the name, never with 0.
template <typename Deleter>
class GlObject {
public:
  GlObject() = default;
  explicit GlObject(GLuint object_name) : name_(object_name) {}
  GlObject(GlObject&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  GlObject& operator=(GlObject&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  ~GlObject() {
    if (name_ != 0) Deleter{}(name_);
  }
  GLuint name() const { return name_; }

private:
  GLuint name_ = 0;
};

struct DeleteTexture {
  void operator()(GLuint name) const { glDeleteTextures(1, &name); }
};
struct DeleteVertexArray {
  void operator()(GLuint name) const { glDeleteVertexArrays(1, &name); }
};
struct DeleteRenderbuffer {
  void operator()(GLuint name) const { glDeleteRenderbuffers(1, &name); }
};
struct DeleteFramebuffer {
  void operator()(GLuint name) const { glDeleteFramebuffers(1, &name); }
};
struct DeleteShader {
  void operator()(GLuint name) const { glDeleteShader(name); }
};
struct DeleteProgram {
  void operator()(GLuint name) const { glDeleteProgram(name); }
};

using Texture = GlObject<DeleteTexture>;
using VertexArray = GlObject<DeleteVertexArray>;
using Renderbuffer = GlObject<DeleteRenderbuffer>;
using Framebuffer = GlObject<DeleteFramebuffer>;
using Shader = GlObject<DeleteShader>;
using Program = GlObject<DeleteProgram>;

struct TexturePixels {
  GLint internal_format = GL_RGBA8;
  int width = 0;
  int height = 0;
  GLenum format = GL_RGBA;
  GLenum type = GL_UNSIGNED_BYTE;
  const void* pixels = nullptr;
  int row_length = 0;  // texels from a row to the next; 0: the width
};

// A texture that is read texel by texel: no filter, no mipmaps. Leaves nothing bound on texture unit 0. Throws Error
// when the driver has no room for it.
Texture make_texture(const TexturePixels& content);
VertexArray make_vertex_array();

// Throws Error with the driver's log when a shader does not compile or the program does not link.
Program make_program(std::string_view vertex_source, std::string_view fragment_source);

// A framebuffer of 8-bit RGBA, bound while it lives; its end binds the framebuffer that was bound before.
class Canvas {
public:
  Canvas(int width, int height);  // throws Error when the driver cannot make one of this size
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

private:
  Renderbuffer colour_;
  Framebuffer framebuffer_;
  GLint previous_ = 0;
};

}  // namespace attnscope
