// One tile of a matrix as a rectangle of the framebuffer, without vertex data. Pixels count from the top left.

uniform vec2 u_framebuffer;  // size in pixels
uniform vec4 u_quad;         // whole matrix: left, top, width, height in pixels
uniform ivec2 u_grid;        // columns, rows of texels that the whole matrix is sampled as
uniform ivec4 u_tile;        // first column, first row, columns, rows of the texture

void main() {
  ivec2 corner = ivec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 texel = vec2(u_tile.xy + corner * u_tile.zw);
  vec2 pixel = u_quad.xy + texel * u_quad.zw / vec2(u_grid);
  vec2 ndc = pixel / u_framebuffer * 2.0 - 1.0;
  gl_Position = vec4(ndc.x, -ndc.y, 0.0, 1.0);
}
