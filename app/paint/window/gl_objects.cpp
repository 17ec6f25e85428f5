#include "paint/window/gl_objects.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

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
                " shader: " + read_log(shader.name(), glGetShaderInfoLog));
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
    throw Error("The graphics driver cannot link the shaders: " + read_log(program.name(), glGetProgramInfoLog));
  }
  glDetachShader(program.name(), vertex.name());
  glDetachShader(program.name(), fragment.name());
  return program;
}

Canvas::Canvas(int width, int height) : width_(width), height_(height) {
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
  bind();
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_.name());
  const bool is_complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  release();
  if (!has_room || !is_complete) throw no_room("picture", width, height);
}

void Canvas::bind() {
  glGetIntegerv(GL_FRAMEBUFFER_BINDING, &previous_);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
  is_bound_ = true;
}

void Canvas::release() {
  if (std::exchange(is_bound_, false)) glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(previous_));
}

void Canvas::copy_and_release() {
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(previous_));
  glDisable(GL_SCISSOR_TEST);
  glBlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  release();
}

namespace {

constexpr long kept_frames = 120;
// Pooled pictures are kept for less long, because dragging a divider asks for a new size of every picture in every
// frame; and so are pictures of matrices that are gone, which stand in until new ones are there.
constexpr long pooled_kept_frames = 4;

Texture upload(const Pixels& pixels, const PixelGrid& grid) {
  TexturePixels content{.internal_format = GL_R32F,
                        .width = static_cast<int>(grid.cols),
                        .height = static_cast<int>(grid.rows),
                        .format = GL_RED,
                        .type = GL_FLOAT,
                        .pixels = pixels.values.data()};
  if (pixels.drops.empty()) return make_texture(content);

  std::vector<float> pairs(2 * pixels.values.size());
  for (std::size_t i = 0; i < pixels.values.size(); ++i) {
    pairs[2 * i] = pixels.values[i];
    pairs[2 * i + 1] = pixels.drops[i];
  }
  content.internal_format = GL_RG32F;
  content.format = GL_RG;
  content.pixels = pairs.data();
  return make_texture(content);
}

bool is_pooled(const PixelGrid& grid) { return grid.rows < grid.cells.rows || grid.cols < grid.cells.cols; }

}  // namespace

void TextureCache::begin_frame(PictureCache* cache, bool joins_frame) {
  cache_ = cache;
  failure_.clear();
  if (cache_ && !joins_frame) cache_->begin_frame();
  ++frame_;
  std::erase_if(entries_, [&](const auto& item) {
    const auto& [key, entry] = item;
    const bool is_orphaned = entry.first.expired() || (key.second && entry.second.expired());
    return frame_ - entry.last_frame > (is_pooled(entry.grid) || is_orphaned ? pooled_kept_frames : kept_frames);
  });
}

// Returns the newest texture of the same matrix of the same stage: these cells from the evaluation before, or other
// cells.
PictureTexture TextureCache::last_picture(const PictureKey& key) {
  Entry* best = nullptr;
  const auto rank = [&](const PictureKey& of, const Entry& entry) {
    const bool is_of_these_numbers = of.first == key.first && of.second == key.second;
    return std::tuple(entry.last_frame, is_of_these_numbers, entry.grid.cells.rows * entry.grid.cells.cols);
  };
  std::tuple<long, bool, Index> best_rank;
  for (auto& [other, entry] : entries_) {
    const bool is_same_place = other.stage == key.stage && other.matrix == key.matrix && other.seen == key.seen;
    if (!is_same_place || entry.texture.name() == 0) continue;
    if (best && rank(other, entry) <= best_rank) continue;
    best = &entry;
    best_rank = rank(other, entry);
  }
  if (!best || frame_ - best->last_frame > 1) return {};
  best->last_frame = frame_;
  return {best->texture.name(), best->grid, best->number};
}

// Frees the textures that this frame has not used until there is room; returns no texture if that does not help.
Texture TextureCache::make_room_and_upload(const Pixels& pixels, const PixelGrid& grid) {
  for (const bool is_last : {false, true}) {
    try {
      return upload(pixels, grid);
    } catch (const Error& refused) {
      if (is_last) failure_ = refused.what();
    }
    std::erase_if(entries_, [&](const auto& item) { return item.second.last_frame < frame_; });
  }
  return {};
}

PictureTexture TextureCache::find_or_upload(const ShownMatrix& source, const PixelGrid& grid) {
  const PictureKey key = key_of(source, grid);
  const Origin origin = origin_of(source);
  auto entry = entries_.find(key);
  const bool is_there = entry != entries_.end() && entry->second.first.lock() == origin.first &&
                        entry->second.second.lock() == origin.second;
  if (!is_there) {
    const PixelsPtr pixels =
        cache_ ? cache_->find(source, grid) : std::make_shared<const Pixels>(pixels_of(source, grid, {}));
    if (!pixels) return last_picture(key);
    Texture texture = make_room_and_upload(*pixels, grid);
    if (texture.name() == 0) return {};
    Entry made{.texture = std::move(texture),
               .first = origin.first,
               .second = origin.second,
               .grid = grid,
               .number = ++upload_count_};
    entry = entries_.insert_or_assign(key, std::move(made)).first;
  }
  entry->second.last_frame = frame_;
  return {entry->second.texture.name(), grid, entry->second.number};
}

}  // namespace attnscope
