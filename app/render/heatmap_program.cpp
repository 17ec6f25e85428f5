#include "render/heatmap_program.h"

#include "assets/assets.h"

namespace attnscope {
namespace {

constexpr GLint values_unit = 0;
constexpr GLint drops_unit = 1;
constexpr GLint colours_unit = 2;

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

// Dear ImGui binds a texture to unit 0 for every command, so that unit is left active.
void bind(GLint unit, GLuint texture) {
  glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
  glBindTexture(GL_TEXTURE_2D, texture);
  glActiveTexture(GL_TEXTURE0);
}

}  // namespace

HeatmapProgram::HeatmapProgram()
    : program_(make_program(asset("shaders/heatmap.vert"), asset("shaders/heatmap.frag"))),
      vertex_array_(make_vertex_array()),
      colours_(make_colours()) {
  const auto find = [this](const char* name) { return glGetUniformLocation(program_.name(), name); };
  at_ = {.framebuffer = find("u_framebuffer"),
         .quad = find("u_quad"),
         .grid = find("u_grid"),
         .tile = find("u_tile"),
         .has_drops = find("u_has_drops"),
         .map = find("u_map"),
         .index = find("u_index"),
         .unit = find("u_unit"),
         .dark = find("u_dark"),
         .opacity = find("u_opacity")};
  glUseProgram(program_.name());
  glUniform1i(find("u_values"), values_unit);
  glUniform1i(find("u_drops"), drops_unit);
  glUniform1i(find("u_colours"), colours_unit);
  glUseProgram(0);
}

void HeatmapProgram::draw(const HeatmapPicture& picture) const {
  glUseProgram(program_.name());
  glBindVertexArray(vertex_array_.name());
  glUniform2fv(at_.framebuffer, 1, picture.framebuffer.data());
  glUniform4fv(at_.quad, 1, picture.quad.data());
  glUniform2i(at_.grid, static_cast<GLint>(picture.grid.cols), static_cast<GLint>(picture.grid.rows));
  glUniform1i(at_.map, static_cast<GLint>(picture.map));
  glUniform3f(at_.index, picture.index.shrink, picture.index.low, picture.index.factor);
  glUniform1f(at_.unit, picture.unit);
  glUniform1i(at_.dark, picture.dark ? 1 : 0);
  glUniform1f(at_.opacity, picture.opacity);
  bind(colours_unit, colours_.name());
  for (const auto& [tile, values, drops] : picture.tiles) {
    bind(values_unit, values);
    bind(drops_unit, drops);
    glUniform1i(at_.has_drops, drops != 0 ? 1 : 0);
    glUniform4i(at_.tile, static_cast<GLint>(tile.col), static_cast<GLint>(tile.row), static_cast<GLint>(tile.cols),
                static_cast<GLint>(tile.rows));
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  }
  for (const GLint unit : {colours_unit, drops_unit, values_unit}) bind(unit, 0);
}

}  // namespace attnscope
