#include "paint_window/heatmap_renderer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "assets/assets.h"
#include "core/error.h"
#include "paint_window/gl_objects.h"
#include "paint_window/texture_cache.h"

namespace attnscope {

Index texel_count(Index cells, double shown, double pixels) {
  const double cells_per_pixel = shown / std::max(pixels, 1.0);
  if (cells_per_pixel <= 1) return cells;
  if (shown >= static_cast<double>(cells)) return std::clamp<Index>(static_cast<Index>(pixels), 1, cells);
  Index step = 2;  // then 3, 4, 6, 8, 12, ...
  while (static_cast<double>(step) < cells_per_pixel) step += (step & (step - 1)) == 0 ? step / 2 : step / 3;
  return (cells + step - 1) / step;
}

namespace {

constexpr GLint texels_unit = 0;
constexpr GLint colours_unit = 1;
constexpr float large_cell_from = 6;  // thin lines: room for a mark

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
  const std::string version = "#version 330 core\n";
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
  std::vector<TileTexture> tiles = {};
  TexelGrid grid = {};
  std::array<float, 4> quad = {};  // left, top, width, height; from min_screen
  Colormap map = Colormap::viridis;
  IndexScale index;
  float unit = 1;  // width of a thin line
  CellGreys greys;
  float opacity = 1;
  bool is_transposed = false;  // `quad` is as it is drawn; tiles and grid are as the matrix is stored
};

// The heatmap shader (one variant for small cells, one for large ones), its colour maps and its OpenGL state.
class HeatmapProgram {
public:
  // `corner`: of min_screen in the framebuffer, whose size is given.
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
    GLint framebuffer = find("u_framebuffer"), quad = find("u_quad"), grid = find("u_grid"), tile = find("u_tile");
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
  const auto [rows, cols] = picture.is_transposed ? std::pair(picture.grid.cols, picture.grid.rows)
                                                  : std::pair(picture.grid.rows, picture.grid.cols);
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
  for (const auto& [stored, texture] : picture.tiles) {
    bind(texels_unit, texture);
    const Tile tile = picture.is_transposed ? Tile{stored.col, stored.row, stored.cols, stored.rows} : stored;
    glUniform4i(use.tile, static_cast<GLint>(tile.col), static_cast<GLint>(tile.row), static_cast<GLint>(tile.cols),
                static_cast<GLint>(tile.rows));
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  }
  bind(colours_unit, 0);
  bind(texels_unit, 0);
}

// One picture that is drawn as it is, cut into textures of tile_side, which every driver allows.
class PictureTextures {
public:
  // If the frame before had no memory for a picture, makes its textures anew.
  void begin_frame() {
    if (!failure_.empty()) owner_.reset();
    failure_.clear();
  }

  void draw(ImDrawList& list, const PlainPicture& picture, ImVec2 min_screen, ImVec2 max_screen) {
    if (owner_ != picture.owner) {
      pieces_.clear();
      owner_ = picture.owner;
      try {
        cut(picture);
      } catch (const Error& refused) {
        pieces_.clear();
        failure_ = refused.what();
      }
    }
    const float width = (max_screen.x - min_screen.x) / static_cast<float>(picture.width);
    const float height = (max_screen.y - min_screen.y) / static_cast<float>(picture.height);
    const auto corner = [&](int x, int y) {
      return ImVec2(min_screen.x + width * static_cast<float>(x), min_screen.y + height * static_cast<float>(y));
    };
    for (const Piece& piece : pieces_) {
      list.AddImage((ImTextureID)(std::uintptr_t)piece.texture.name(), corner(piece.x, piece.y),
                    corner(piece.x + piece.width, piece.y + piece.height));
    }
  }

  const std::string& failure() const { return failure_; }  // why it was not drawn: a sentence, or empty

private:
  struct Piece {
    int x = 0, y = 0, width = 0, height = 0;  // pixels of the picture
    Texture texture;
  };

  void cut(const PlainPicture& picture) {
    constexpr int side = static_cast<int>(tile_side);
    for (int y = 0; y < picture.height; y += side) {
      for (int x = 0; x < picture.width; x += side) {
        const int width = std::min(side, picture.width - x);
        const int height = std::min(side, picture.height - y);
        const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(y) * picture.width + x;
        pieces_.push_back({x, y, width, height,
                           make_texture({.width = width,
                                         .height = height,
                                         .pixels = picture.pixels + 4 * first,
                                         .row_length = picture.width})});
      }
    }
  }

  std::shared_ptr<const void> owner_;
  std::vector<Piece> pieces_;
  std::string failure_;
};

namespace {

struct PixelRect {
  float min_x = 0, min_y = 0, max_x = 0, max_y = 0;
};

// One axis of a matrix as it is drawn. Doubles: a zoomed matrix may be millions of pixels long.
struct Axis {
  Index texels = 0;
  double texel = 0;  // pixels of one
  double start = 0;  // pixels from the matrix' beginning to the window's
};

Axis make_axis(Index cells, double first, double shown, double pixels) {
  const Index texels = texel_count(cells, shown, pixels);
  const double cell = pixels / shown;
  return {texels, cell * static_cast<double>(cells) / static_cast<double>(texels), first * cell};
}

// A matrix that is zoomed into shows only a part of itself.
TexelGrid grid_of(const HeatmapQuad& quad, Index rows, Index cols) {
  const MatrixSource& source = quad.source;
  const double cells = static_cast<double>(source.rows()) * static_cast<double>(source.cols());
  const double part = quad.window.rows * quad.window.cols / cells;
  return within_bounds({rows, cols, quad.pooling}, source, part * static_cast<double>(quad.side_by_side));
}

// A rectangle of the matrix as it is stored to where it is drawn: left, top, width, height.
void turn(std::array<float, 4>& quad) {
  std::swap(quad[0], quad[1]);
  std::swap(quad[2], quad[3]);
}

struct TileRange {
  Index first = 0;  // tile numbers
  Index last = 0;   // one past
};

// Tiles of an axis that show between pixels `from` and `to` of the window.
TileRange visible_tiles(const Axis& axis, double from, double to) {
  const double length = axis.texel * static_cast<double>(axis.texels);
  if (to + axis.start <= 0 || from + axis.start >= length) return {};
  const auto texel_at = [&](double pixel) {
    return std::clamp<Index>(static_cast<Index>(std::floor((pixel + axis.start) / axis.texel)), 0, axis.texels - 1);
  };
  // A texel more on either side, as the quotient may round across a border.
  const Index first = std::max<Index>(texel_at(from) - 1, 0);
  const Index last = std::min<Index>(texel_at(to) + 1, axis.texels - 1);
  return {first / tile_side, last / tile_side + 1};
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

}  // namespace

struct HeatmapRenderer::Impl {
  HeatmapProgram program;
  TextureCache textures;
  std::deque<HeatmapPicture> pictures;  // of this frame; callbacks hold their addresses
  float pixels_per_unit = 1;
  PictureTextures picture;

  bool add_tiles(HeatmapPicture& picture, const HeatmapQuad& quad, const Axis& down, const Axis& across,
                 const PixelRect& visible);
  bool add_stand_in(HeatmapPicture& picture, const HeatmapQuad& quad, float width, float height);
  void push(ImDrawList& list, HeatmapPicture picture);
  void add(ImDrawList& list, const HeatmapQuad& quad, float width, float height);
};

// Only tiles inside `visible`, in pixels of the window; false where some are not there yet. The picture is of these
// tiles alone where the matrix is zoomed, so that the shader's floats count from nearby.
bool HeatmapRenderer::Impl::add_tiles(HeatmapPicture& picture, const HeatmapQuad& quad, const Axis& down,
                                      const Axis& across, const PixelRect& visible) {
  const MatrixSource& source = quad.source;
  const TexelGrid grid = grid_of(quad, down.texels, across.texels);
  const TileRange rows = visible_tiles(down, visible.min_y, visible.max_y);
  const TileRange cols = visible_tiles(across, visible.min_x, visible.max_x);
  bool is_complete = true;
  const bool is_zoomed = !is_whole(quad.window, source.rows(), source.cols());
  const Index first_row = is_zoomed ? rows.first * tile_side : 0;
  const Index first_col = is_zoomed ? cols.first * tile_side : 0;
  picture.grid = {is_zoomed ? std::min(rows.last * tile_side, grid.rows) - first_row : grid.rows,
                  is_zoomed ? std::min(cols.last * tile_side, grid.cols) - first_col : grid.cols, quad.pooling};
  picture.quad = {static_cast<float>(static_cast<double>(first_col) * across.texel - across.start),
                  static_cast<float>(static_cast<double>(first_row) * down.texel - down.start),
                  static_cast<float>(static_cast<double>(picture.grid.cols) * across.texel),
                  static_cast<float>(static_cast<double>(picture.grid.rows) * down.texel)};
  for (Index row = rows.first; row < rows.last; ++row) {
    for (Index col = cols.first; col < cols.last; ++col) {
      const Tile tile = {row * tile_side, col * tile_side, std::min(tile_side, grid.rows - row * tile_side),
                         std::min(tile_side, grid.cols - col * tile_side)};
      const GLuint texture = textures.find_or_upload(source, grid, tile);
      const Tile place = {tile.row - first_row, tile.col - first_col, tile.rows, tile.cols};
      is_complete = is_complete && texture != 0;
      if (texture != 0) picture.tiles.push_back({place, texture});
    }
  }
  return is_complete;
}

// Draws the matrix from a picture of another resolution, stretched to its place; false if there is none.
bool HeatmapRenderer::Impl::add_stand_in(HeatmapPicture& picture, const HeatmapQuad& quad, float width, float height) {
  const MatrixSource& source = quad.source;
  const CellWindow& window = quad.window;
  const CellRect cells = {static_cast<Index>(window.row), static_cast<Index>(window.col),
                          static_cast<Index>(std::ceil(window.rows)), static_cast<Index>(std::ceil(window.cols))};
  const TexelGrid missing = grid_of(quad, texel_count(source.rows(), window.rows, static_cast<double>(height)),
                                    texel_count(source.cols(), window.cols, static_cast<double>(width)));
  StandIn stand_in = textures.find_stand_in(source, missing, cells);
  const double cell_width = static_cast<double>(width) / window.cols;
  const double cell_height = static_cast<double>(height) / window.rows;
  picture.grid = stand_in.grid;
  picture.tiles = std::move(stand_in.tiles);
  picture.quad = {static_cast<float>(-window.col * cell_width), static_cast<float>(-window.row * cell_height),
                  static_cast<float>(static_cast<double>(source.cols()) * cell_width),
                  static_cast<float>(static_cast<double>(source.rows()) * cell_height)};
  return !picture.tiles.empty();
}

void HeatmapRenderer::Impl::push(ImDrawList& list, HeatmapPicture picture) {
  pictures.push_back(std::move(picture));
  list.AddCallback(draw_picture, &pictures.back());
  list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

HeatmapRenderer::HeatmapRenderer() : impl_(std::make_unique<Impl>()) {}
HeatmapRenderer::~HeatmapRenderer() = default;

void HeatmapRenderer::begin_frame(float pixels_per_unit, TileStore* store, bool joins_frame) {
  impl_->pixels_per_unit = pixels_per_unit;
  impl_->pictures.clear();
  impl_->textures.begin_frame(store, joins_frame);
  impl_->picture.begin_frame();
}

void HeatmapRenderer::Impl::add(ImDrawList& list, const HeatmapQuad& quad, float width, float height) {
  const float scale = pixels_per_unit;
  const ImVec2 clip_min = list.GetClipRectMin();
  const ImVec2 clip_max = list.GetClipRectMax();
  PixelRect visible = {(clip_min.x - quad.min_screen.x) * scale, (clip_min.y - quad.min_screen.y) * scale,
                       (clip_max.x - quad.min_screen.x) * scale, (clip_max.y - quad.min_screen.y) * scale};
  if (quad.is_transposed) {  // tiles are of the matrix as it is stored, and are turned when they are drawn
    visible = {visible.min_y, visible.min_x, visible.max_y, visible.max_x};
    std::swap(width, height);
  }
  const MatrixSource& source = quad.source;
  const Axis down = make_axis(source.rows(), quad.window.row, quad.window.rows, static_cast<double>(height));
  const Axis across = make_axis(source.cols(), quad.window.col, quad.window.cols, static_cast<double>(width));

  HeatmapPicture picture{.program = &program,
                         .min_screen = quad.min_screen,
                         .map = quad.range.map,
                         .index = index_scale(quad.range.low, quad.range.high),
                         .unit = std::max(1.0F, std::round(scale)),
                         .greys = quad.greys,
                         .opacity = quad.opacity,
                         .is_transposed = quad.is_transposed};
  HeatmapPicture beneath = picture;
  const bool is_complete = add_tiles(picture, quad, down, across, visible);
  const bool has_stand_in = !is_complete && add_stand_in(beneath, quad, width, height);
  if (quad.is_transposed) {
    turn(picture.quad);
    turn(beneath.quad);
  }
  if (has_stand_in) push(list, std::move(beneath));
  if (!picture.tiles.empty()) push(list, std::move(picture));
}

void HeatmapRenderer::draw(ImDrawList& list, const HeatmapQuad& quad) {
  const float scale = impl_->pixels_per_unit;
  // The size is rounded by itself, not from the rounded corners: it must not change while the quad is scrolled.
  const float width = std::round((quad.max_screen.x - quad.min_screen.x) * scale);
  const float height = std::round((quad.max_screen.y - quad.min_screen.y) * scale);
  const MatrixSource& source = quad.source;
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

}  // namespace attnscope
