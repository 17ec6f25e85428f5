#include "paint/window/renderers.h"

#if defined(__EMSCRIPTEN__)
#include <emscripten/html5.h>
#endif
#include <backends/imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "assets/assets.h"
#include "core/error.h"
#include "files/image.h"
#include "paint/window/gl_objects.h"
#include "platform/system/process.h"

namespace attnscope {
namespace {

// Returns whole cells for each pixel of a part, so that its picture stays useful while it is panned and zoomed a
// little: 1, 2, 3, 4, 6, 8, 12, ..., at least as many as needed.
Index cells_of_a_pixel(double needed) {
  if (needed <= 1) return 1;
  Index step = 2;
  while (static_cast<double>(step) < needed) step += (step & (step - 1)) == 0 ? step / 2 : step / 3;
  return step;
}

}  // namespace

Index pixel_count(Index cells, double shown, double pixels) {
  if (pixels >= shown) return cells;
  if (shown >= static_cast<double>(cells)) return std::clamp<Index>(static_cast<Index>(pixels), 1, cells);
  return blocks_of(cells, cells_of_a_pixel(shown / std::max(pixels, 1.0)));
}

namespace {

constexpr GLint texels_unit = 0;
constexpr GLint colours_unit = 1;
constexpr float large_cell_from = 6;           // thin lines; a cell this large has room for a mark
constexpr float largest_whole_picture = 4096;  // pixels of a side

Texture make_colours() {
  std::vector<Rgb> rows;
  for (int map = 0; map < colormap_count; ++map) {
    const auto& row = entries(static_cast<Colormap>(map));
    rows.insert(rows.end(), row.begin(), row.end());
  }
  static_assert(sizeof(Rgb) == 3);
  return make_texture({.internal_format = GL_RGB8,
                       .width = colormap_entries,
                       .height = colormap_count,
                       .format = GL_RGB,
                       .type = GL_UNSIGNED_BYTE,
                       .pixels = rows.data()});
}

Program make_variant(bool has_large_cells) {
  const std::string version = shader_beginning;
  const std::string variant = has_large_cells ? "#define LARGE_CELLS\n" : "";
  return make_program(version + std::string(asset("shaders/heatmap.vert")),
                      version + variant + std::string(asset("shaders/heatmap.frag")));
}

// Dear ImGui binds a texture to unit 0 for every command, so that unit is left active.
void bind(GLint unit, GLuint texture) {
  glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
  glBindTexture(GL_TEXTURE_2D, texture);
  glActiveTexture(GL_TEXTURE0);
}

}  // namespace

class HeatmapProgram;

// One matrix for the shader, whose textures are ready; lengths are framebuffer pixels. Where min_screen lies in the
// framebuffer is known only when the frame is drawn.
struct HeatmapPicture {
  const HeatmapProgram* program = nullptr;
  ImVec2 min_screen;
  PictureTexture texture = {};
  std::array<float, 4> quad = {};  // left, top, width, height of the texture, from min_screen
  Colormap map = Colormap::viridis;
  IndexScale index;
  float unit = 1;  // width of a thin line
  CellGreys greys;
  float opacity = 1;
  bool is_transposed = false;  // `quad` is meant as drawn; the texture is stored untransposed
};

// The heatmap shader (one variant for small cells, one for large ones), its colour maps and its OpenGL state.
class HeatmapProgram {
public:
  // `corner` is min_screen in the framebuffer, which has the size `framebuffer`.
  void draw(const HeatmapPicture& picture, ImVec2 corner, ImVec2 framebuffer) const;

private:
  struct Variant {
    explicit Variant(bool has_large_cells) : program(make_variant(has_large_cells)) {
      glUseProgram(program.name());
      glUniform1i(find("u_texels"), texels_unit);
      glUniform1i(find("u_colours"), colours_unit);
      glUseProgram(0);
    }
    GLint find(const char* name) const { return glGetUniformLocation(program.name(), name); }

    Program program;
    GLint framebuffer = find("u_framebuffer"), quad = find("u_quad"), grid = find("u_grid");
    GLint map = find("u_map"), index = find("u_index"), unit = find("u_unit"), greys = find("u_greys");
    GLint opacity = find("u_opacity"), transposed = find("u_transposed");
  };

  Variant small_cells_{false};
  Variant large_cells_{true};
  VertexArray vertex_array_{glGenVertexArrays};  // empty: the shader computes the corners, but a core context needs one
  Texture colours_ = make_colours();             // one map per row
};

void HeatmapProgram::draw(const HeatmapPicture& picture, ImVec2 corner, ImVec2 framebuffer) const {
  const auto& [left, top, quad_width, quad_height] = picture.quad;
  const PixelGrid& grid = picture.texture.grid;
  const auto [rows, cols] = picture.is_transposed ? std::pair(grid.cols, grid.rows) : std::pair(grid.rows, grid.cols);
  const float cell_width = quad_width / static_cast<float>(cols);
  const float cell_height = quad_height / static_cast<float>(rows);
  const bool has_large_cells = std::min(cell_width, cell_height) >= large_cell_from * picture.unit;
  const Variant& use = has_large_cells ? large_cells_ : small_cells_;
  glUseProgram(use.program.name());
  glBindVertexArray(vertex_array_.name());
  glUniform2f(use.framebuffer, framebuffer.x, framebuffer.y);
  glUniform4f(use.quad, corner.x + left, corner.y + top, quad_width, quad_height);
  glUniform2i(use.grid, static_cast<GLint>(cols), static_cast<GLint>(rows));
  glUniform1i(use.map, static_cast<GLint>(picture.map));
  glUniform3f(use.index, picture.index.shrink, picture.index.low, picture.index.factor);
  glUniform1f(use.unit, picture.unit);
  const auto share = [](std::uint8_t grey) { return static_cast<float>(grey) / 255.0F; };
  glUniform4f(use.greys, share(picture.greys.hidden), share(picture.greys.hatch), share(picture.greys.paper),
              share(picture.greys.gap));
  glUniform1f(use.opacity, picture.opacity);
  glUniform1i(use.transposed, picture.is_transposed ? 1 : 0);
  bind(colours_unit, colours_.name());
  bind(texels_unit, picture.texture.name);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  bind(colours_unit, 0);
  bind(texels_unit, 0);
}

// Plain pictures, cut into textures that every driver allows. One that a frame does not draw is forgotten.
class PictureTextures {
public:
  // If the frame before had no memory for a picture, makes its textures anew.
  void begin_frame() {
    std::erase_if(kept_, [](const auto& entry) { return !entry.second.is_drawn || entry.second.is_refused; });
    for (auto& [owner, kept] : kept_) kept.is_drawn = false;
    failure_.clear();
  }

  void draw(ImDrawList& list, const PlainPicture& picture, ImVec2 min_screen, ImVec2 max_screen) {
    const auto [found, is_new] = kept_.try_emplace(picture.owner);
    Kept& kept = found->second;
    kept.is_drawn = true;
    if (is_new) {
      try {
        ++made_count_;
        kept.pieces = cut(picture);
      } catch (const Error& refused) {
        kept.is_refused = true;
        failure_ = refused.what();
      }
    }
    const float width = (max_screen.x - min_screen.x) / static_cast<float>(picture.width);
    const float height = (max_screen.y - min_screen.y) / static_cast<float>(picture.height);
    const auto corner = [&](int x, int y) {
      return ImVec2(min_screen.x + width * static_cast<float>(x), min_screen.y + height * static_cast<float>(y));
    };
    for (const Piece& piece : kept.pieces) {
      list.AddImage((ImTextureID)(std::uintptr_t)piece.texture.name(), corner(piece.x, piece.y),
                    corner(piece.x + piece.width, piece.y + piece.height));
    }
  }

  const std::string& failure() const { return failure_; }  // a sentence why it was not drawn, or empty
  long made_count() const { return made_count_; }

private:
  struct Piece {
    int x = 0, y = 0, width = 0, height = 0;  // pixels of the picture
    Texture texture;
  };
  struct Kept {
    std::vector<Piece> pieces;
    bool is_drawn = false;    // in this frame
    bool is_refused = false;  // there was no memory for it
  };

  static std::vector<Piece> cut(const PlainPicture& picture) {
    constexpr int side = 1024;
    std::vector<Piece> pieces;
    for (int y = 0; y < picture.height; y += side) {
      for (int x = 0; x < picture.width; x += side) {
        const int width = std::min(side, picture.width - x);
        const int height = std::min(side, picture.height - y);
        const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(y) * picture.width + x;
        pieces.push_back({x, y, width, height,
                          make_texture({.width = width,
                                        .height = height,
                                        .pixels = picture.pixels + 4 * first,
                                        .row_length = picture.width,
                                        .is_smooth = true})});
      }
    }
    return pieces;
  }

  std::map<std::shared_ptr<const void>, Kept> kept_;  // by the owners of their pixels
  std::string failure_;
  long made_count_ = 0;
};

namespace {

struct PixelRect {
  float min_x = 0, min_y = 0, max_x = 0, max_y = 0;
};

// One drawn axis of a matrix. It has doubles, because a zoomed matrix may be millions of pixels long.
struct Axis {
  Index cells = 0;
  double cell = 0;   // pixels of one cell
  double first = 0;  // the window begins here, perhaps within a cell
};

// The part of an axis that a picture shows.
struct PictureAxis {
  Index first = 0;  // the first cell
  Index cells = 0;
  Index pixels = 0;
};

PictureAxis whole_of(const Axis& axis, double pixels) {
  return {0, axis.cells, pixel_count(axis.cells, static_cast<double>(axis.cells), pixels)};
}

// Returns the part that shows between pixels `from` and `to` of the window. Its pixels stand for the same cells
// wherever the window is.
PictureAxis part_of(const Axis& axis, double from, double to) {
  const auto cell_at = [&](double pixel) { return std::floor(axis.first + pixel / axis.cell); };
  if (cell_at(to) < 0 || cell_at(from) >= static_cast<double>(axis.cells)) return {};
  const Index step = cells_of_a_pixel(1 / axis.cell);
  // Adds a cell on either side, because the quotient may round across a border.
  const Index first = std::max<Index>(static_cast<Index>(cell_at(from)) - 1, 0) / step * step;
  const Index last = std::min(rounded_up(static_cast<Index>(cell_at(to)) + 2, step), axis.cells);
  return {first, last - first, blocks_of(last - first, step)};
}

// Converts a rectangle of the stored matrix to its place in the drawing: left, top, width, height.
void turn(std::array<float, 4>& quad) {
  std::swap(quad[0], quad[1]);
  std::swap(quad[2], quad[3]);
}

// Called while Dear ImGui's backend draws the frame, between its own commands.
void draw_picture(const ImDrawList*, const ImDrawCmd* command) {
  const ImDrawData* const data = ImGui::GetDrawData();
  const auto& picture = *static_cast<const HeatmapPicture*>(command->UserCallbackData);
  const ImVec2 scale = data->FramebufferScale;
  const float width = std::round(data->DisplaySize.x * scale.x);
  const float height = std::round(data->DisplaySize.y * scale.y);
  const auto to_x = [&](float x) { return std::round((x - data->DisplayPos.x) * scale.x); };
  const auto to_y = [&](float y) { return std::round((y - data->DisplayPos.y) * scale.y); };

  const ImVec4& clip = command->ClipRect;
  const PixelRect visible = {std::max(to_x(clip.x), 0.0F), std::max(to_y(clip.y), 0.0F), std::min(to_x(clip.z), width),
                             std::min(to_y(clip.w), height)};
  if (visible.max_x <= visible.min_x || visible.max_y <= visible.min_y) return;
  glViewport(0, 0, static_cast<GLsizei>(width), static_cast<GLsizei>(height));
  glScissor(static_cast<GLint>(visible.min_x), static_cast<GLint>(height - visible.max_y),
            static_cast<GLsizei>(visible.max_x - visible.min_x), static_cast<GLsizei>(visible.max_y - visible.min_y));

  picture.program->draw(picture, {to_x(picture.min_screen.x), to_y(picture.min_screen.y)}, {width, height});
}

std::uint64_t print_of(const ImDrawCmd& command) {
  if (command.UserCallback != draw_picture) return 0;
  const auto& picture = *static_cast<const HeatmapPicture*>(command.UserCallbackData);
  const auto& [left, top, width, height] = picture.quad;
  const auto& [cells, rows, cols] = picture.texture.grid;
  PrintOfContent print;
  print.add(picture.min_screen.x, picture.min_screen.y, left, top, width, height, picture.texture.number, rows, cols,
            cells.row, cells.col, cells.rows, cells.cols, static_cast<int>(picture.map), picture.index.shrink,
            picture.index.low, picture.index.factor, picture.unit, picture.greys.hidden, picture.greys.hatch,
            picture.greys.paper, picture.greys.gap, picture.opacity, picture.is_transposed);
  return print.value();
}

}  // namespace

struct HeatmapRenderer::Impl {
  HeatmapProgram program;
  TextureCache textures;
  std::deque<HeatmapPicture> pictures;  // pictures of this frame; callbacks hold their addresses
  float pixels_per_unit = 1;
  PictureTextures picture;

  void push(ImDrawList& list, const HeatmapPicture& picture);
  void add(ImDrawList& list, const HeatmapQuad& quad, float width, float height);
};

void HeatmapRenderer::Impl::push(ImDrawList& list, const HeatmapPicture& picture) {
  pictures.push_back(picture);
  // Cuts the command to its picture, so that a change of it is a change of no other place.
  const ImVec2 low{picture.min_screen.x + picture.quad[0] / pixels_per_unit - 1,
                   picture.min_screen.y + picture.quad[1] / pixels_per_unit - 1};
  list.PushClipRect(low, {low.x + picture.quad[2] / pixels_per_unit + 2, low.y + picture.quad[3] / pixels_per_unit + 2},
                    true);
  list.AddCallback(draw_picture, &pictures.back());
  list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
  list.PopClipRect();
}

HeatmapRenderer::HeatmapRenderer() : impl_(std::make_unique<Impl>()) {}
HeatmapRenderer::~HeatmapRenderer() = default;

void HeatmapRenderer::begin_frame(float pixels_per_unit, PictureCache* cache, bool joins_frame) {
  impl_->pixels_per_unit = pixels_per_unit;
  impl_->pictures.clear();
  impl_->textures.begin_frame(cache, joins_frame);
  impl_->picture.begin_frame();
}

// Makes a picture of the visible part only, because a zoomed matrix may be larger than any texture.
void HeatmapRenderer::Impl::add(ImDrawList& list, const HeatmapQuad& quad, float width, float height) {
  const float scale = pixels_per_unit;
  const ImVec2 clip_min = list.GetClipRectMin();
  const ImVec2 clip_max = list.GetClipRectMax();
  PixelRect visible = {(clip_min.x - quad.min_screen.x) * scale, (clip_min.y - quad.min_screen.y) * scale,
                       (clip_max.x - quad.min_screen.x) * scale, (clip_max.y - quad.min_screen.y) * scale};
  if (quad.is_transposed) {  // pictures show the matrix as stored, and are turned when they are drawn
    visible = {visible.min_y, visible.min_x, visible.max_y, visible.max_x};
    std::swap(width, height);
  }
  const ShownMatrix& source = quad.source;
  const Axis down{source.rows(), static_cast<double>(height) / quad.window.rows, quad.window.row};
  const Axis across{source.cols(), static_cast<double>(width) / quad.window.cols, quad.window.col};
  const bool is_part =
      !is_whole(quad.window, source.rows(), source.cols()) || std::max(width, height) > largest_whole_picture;
  PictureAxis rows = part_of(down, visible.min_y, visible.max_y);
  PictureAxis cols = part_of(across, visible.min_x, visible.max_x);
  if (rows.cells == 0 || cols.cells == 0) return;
  if (!is_part) {
    rows = whole_of(down, static_cast<double>(height));
    cols = whole_of(across, static_cast<double>(width));
  }
  const PixelGrid grid = {{rows.first, cols.first, rows.cells, cols.cells}, rows.pixels, cols.pixels};
  HeatmapPicture picture{.program = &program,
                         .min_screen = quad.min_screen,
                         .texture = textures.find_or_upload(source, grid),
                         .map = quad.range.map,
                         .index = index_scale(quad.range.low, quad.range.high),
                         .unit = std::max(1.0F, std::round(scale)),
                         .greys = quad.greys,
                         .opacity = quad.opacity,
                         .is_transposed = quad.is_transposed};
  if (picture.texture.name == 0) return;
  const CellRect& cells = picture.texture.grid.cells;
  const auto place = [](const Axis& axis, double cell) { return static_cast<float>((cell - axis.first) * axis.cell); };
  const auto length = [](const Axis& axis, Index count) {
    return static_cast<float>(static_cast<double>(count) * axis.cell);
  };
  picture.quad = {place(across, static_cast<double>(cells.col)), place(down, static_cast<double>(cells.row)),
                  length(across, cells.cols), length(down, cells.rows)};
  if (quad.is_transposed) turn(picture.quad);
  push(list, picture);
}

void HeatmapRenderer::draw(ImDrawList& list, const HeatmapQuad& quad) {
  const float scale = impl_->pixels_per_unit;
  // The size is rounded by itself, not from the rounded corners: it must not change while the quad is scrolled.
  const float width = std::round((quad.max_screen.x - quad.min_screen.x) * scale);
  const float height = std::round((quad.max_screen.y - quad.min_screen.y) * scale);
  const ShownMatrix& source = quad.source;
  if (source.is_empty() || width < 1 || height < 1) return;
  HeatmapQuad shown = quad;
  if (quad.is_transposed) shown.window = transposed(quad.window);
  shown.window = clamped(shown.window, source.rows(), source.cols());
  const bool is_zoomed = !is_whole(shown.window, source.rows(), source.cols());
  if (is_zoomed) list.PushClipRect(quad.min_screen, quad.max_screen, true);
  impl_->add(list, shown, width, height);
  if (is_zoomed) list.PopClipRect();
}

void HeatmapRenderer::draw_image(ImDrawList& list, const PlainPicture& picture, ImVec2 min_screen, ImVec2 max_screen) {
  impl_->picture.draw(list, picture, min_screen, max_screen);
}

const std::string& HeatmapRenderer::failure() const {
  return impl_->textures.failure().empty() ? impl_->picture.failure() : impl_->textures.failure();
}

long HeatmapRenderer::upload_count() const { return impl_->textures.upload_count(); }

long HeatmapRenderer::plain_count() const { return impl_->picture.made_count(); }

namespace {

// Returns width and height in pixels.
std::pair<int, int> size_of(const ImDrawData& data) {
  return {static_cast<int>(std::lround(data.DisplaySize.x * data.FramebufferScale.x)),
          static_cast<int>(std::lround(data.DisplaySize.y * data.FramebufferScale.y))};
}

}  // namespace

bool context_is_lost() {
#if defined(__EMSCRIPTEN__)
  return emscripten_is_webgl_context_lost(emscripten_webgl_get_current_context());
#else
  if (GLAD_GL_KHR_robustness != 0 && glGetGraphicsResetStatus != nullptr)
    return glGetGraphicsResetStatus() != GL_NO_ERROR;
  if (GLAD_GL_ARB_robustness != 0 && glGetGraphicsResetStatusARB != nullptr)
    return glGetGraphicsResetStatusARB() != GL_NO_ERROR;
  return false;
#endif
}

int max_texture_side() {
  GLint side = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &side);
  return std::max(side, least_texture_side);
}

ImguiRenderer::ImguiRenderer() {
#if !defined(__EMSCRIPTEN__)
  if (GLAD_GL_VERSION_3_3 == 0) throw Error("The graphics driver has no OpenGL 3.3, which attnscope draws with.");
  // Dear ImGui asks these for OpenGL's functions once for all contexts, and lets go of them with each that ends: the
  // functions would be elsewhere afterwards.
  for (const char* const library : {"libOpenGL.so.0", "libGL.so.1"}) keep_loaded(library);
#endif
  if (!ImGui_ImplOpenGL3_Init(shader_version)) {
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
  difference_.forget();
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

namespace {

// Returns whether drawing this changes the letters' texture, as later versions of Dear ImGui do whenever new ones
// appear.
bool is_loading_letters([[maybe_unused]] const ImDrawData& data) {
#if IMGUI_VERSION_NUM >= 19200
  return data.Textures && std::ranges::any_of(*data.Textures, [](const ImTextureData* texture) {
           return texture->Status != ImTextureStatus_OK;
         });
#else
  return false;
#endif
}

}  // namespace

// Makes room for a window of this size; false if the driver has none.
bool ImguiRenderer::keep_canvas(int width, int height) {
  if (kept_ && kept_->has_size(width, height)) return true;
  difference_.forget();
  kept_.reset();
  try {
    kept_ = std::make_unique<Canvas>(width, height);
  } catch (const Error&) {
    return false;
  }
  return true;
}

void ImguiRenderer::draw_changes(ImDrawData& data, ImVec4 background, long plain_pictures) {
  const auto [width, height] = size_of(data);
  if (width < 1 || height < 1 || !keep_canvas(width, height)) return draw(data, background);
  if (is_loading_letters(data)) difference_.forget();
  PrintOfContent basis;
  basis.add(background.x, background.y, background.z, background.w, plain_pictures);
  drawn_boxes_ = difference_.boxes(data, basis.value(), print_of);
  kept_->bind();
  glClearColor(background.x, background.y, background.z, background.w);
  glEnable(GL_SCISSOR_TEST);
  for (const PixelBox& box : drawn_boxes_) {
    glScissor(box.min_x, height - box.max_y, box.max_x - box.min_x, box.max_y - box.min_y);
    glClear(GL_COLOR_BUFFER_BIT);
  }
  forget_failures();
  if (!drawn_boxes_.empty()) {
    const DrawnWithin within(data, drawn_boxes_);
    ImGui_ImplOpenGL3_RenderDrawData(&data);
  }
  has_drawn_all_ = !was_refused();
  if (!has_drawn_all_) difference_.forget();
  kept_->copy_and_release();
}

// Turns rows around, because OpenGL's go up and a picture's go down. Makes alpha opaque, because a picture has nothing
// behind it.
Image image_of(const ImDrawData& data, const std::function<void()>& draw) {
  const auto [width, height] = size_of(data);
  Canvas canvas(width, height);
  canvas.bind();
  draw();
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

Image render_to_image(ImguiRenderer& renderer, ImDrawData& data, ImVec4 background) {
  return image_of(data, [&] { renderer.draw(data, background); });
}

}  // namespace attnscope
