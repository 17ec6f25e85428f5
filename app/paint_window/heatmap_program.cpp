#include "paint_window/heatmap_program.h"

#include <algorithm>
#include <string>
#include <utility>

#include "assets/assets.h"

namespace attnscope {
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

HeatmapProgram::Variant::Variant(bool has_large_cells) : program(make_variant(has_large_cells)) {
  const auto find = [this](const char* name) { return glGetUniformLocation(program.name(), name); };
  framebuffer = find("u_framebuffer");
  quad = find("u_quad");
  grid = find("u_grid");
  tile = find("u_tile");
  map = find("u_map");
  index = find("u_index");
  unit = find("u_unit");
  greys = find("u_greys");
  opacity = find("u_opacity");
  transposed = find("u_transposed");
  glUseProgram(program.name());
  glUniform1i(find("u_texels"), texels_unit);
  glUniform1i(find("u_colours"), colours_unit);
  glUseProgram(0);
}

HeatmapProgram::HeatmapProgram() : vertex_array_(make_vertex_array()), colours_(make_colours()) {}

void HeatmapProgram::draw(const HeatmapPicture& picture) const {
  const auto [rows, cols] = picture.is_transposed ? std::pair(picture.grid.cols, picture.grid.rows)
                                                  : std::pair(picture.grid.rows, picture.grid.cols);
  const float cell_width = picture.quad[2] / static_cast<float>(cols);
  const float cell_height = picture.quad[3] / static_cast<float>(rows);
  const bool has_large_cells = std::min(cell_width, cell_height) >= large_cell_from * picture.unit;
  const Variant& use = has_large_cells ? large_cells_ : small_cells_;
  glUseProgram(use.program.name());
  glBindVertexArray(vertex_array_.name());
  glUniform2fv(use.framebuffer, 1, picture.framebuffer.data());
  glUniform4fv(use.quad, 1, picture.quad.data());
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

}  // namespace attnscope
