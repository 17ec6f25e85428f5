#pragma once

#if defined(__EMSCRIPTEN__)
#include <GLES3/gl3.h>
#else
#include <glad/gl.h>
#endif

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "compute/picture_cache.h"

namespace attnscope {

// The beginning of every shader: OpenGL 3.3, or what a page has of it.
#if defined(__EMSCRIPTEN__)
constexpr const char* shader_version = "#version 300 es\n";
constexpr const char* shader_beginning = "#version 300 es\nprecision highp float;\nprecision highp int;\n";
#else
constexpr const char* shader_version = "#version 330 core";
constexpr const char* shader_beginning = "#version 330 core\n";
#endif

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

// A framebuffer of 8-bit RGBA. It is bound from bind() on; release() and its end bind the framebuffer that was bound
// before.
class Canvas {
public:
  Canvas(int width, int height);  // throws Error if the driver cannot make this size
  ~Canvas() { release(); }
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  bool has_size(int width, int height) const { return width == width_ && height == height_; }
  void bind();
  void release();
  void copy_and_release();  // copies all of it into the framebuffer that was bound before

private:
  int width_ = 0;
  int height_ = 0;
  bool is_bound_ = false;
  Renderbuffer colour_{glGenRenderbuffers};
  Framebuffer framebuffer_{glGenFramebuffers};
  GLint previous_ = 0;
};

// A picture of a matrix as a texture; it may show other cells than were asked for.
struct PictureTexture {
  GLuint name = 0;  // 0: there is no texture
  PixelGrid grid;
  long number = 0;  // of its upload: another texture may get the name of one that is gone
};

// Textures of pictures: uploaded when first asked for, kept while they are used and their matrices live. The red
// channel is the value; green is above 0 where the cell is dropped.
class TextureCache {
public:
  // Begins a frame. `cache` computes the pictures in the background; without one they are computed at once.
  // `joins_frame`: the cache's current frame goes on.
  void begin_frame(PictureCache* cache, bool joins_frame = false);

  // Returns the texture of a picture, valid until the next begin_frame(). Until it is computed, returns the last
  // texture that was shown in the same place; returns none if the driver has no room.
  PictureTexture find_or_upload(const ShownMatrix& source, const PixelGrid& grid);

  const std::string& failure() const { return failure_; }  // a sentence if an upload failed in this frame, or empty
  long upload_count() const { return upload_count_; }

private:
  struct Entry {
    Texture texture;
    // The matrices that the key's addresses name; once they are gone, other matrices may have those addresses.
    std::weak_ptr<const void> first;
    std::weak_ptr<const void> second;
    PixelGrid grid;
    long number = 0;
    long last_frame = 0;
  };

  Texture make_room_and_upload(const Pixels& pixels, const PixelGrid& grid);
  PictureTexture last_picture(const PictureKey& key);

  PictureCache* cache_ = nullptr;
  std::map<PictureKey, Entry> entries_;
  long frame_ = 0;
  long upload_count_ = 0;
  std::string failure_;
};

}  // namespace attnscope
