// A picture of a matrix as a rectangle of the framebuffer, without vertex data. Pixels count from the top left.

uniform vec2 u_framebuffer;  // size in pixels
uniform vec4 u_quad;         // left, top, width, height in pixels

void main() {
  vec2 pixel = u_quad.xy + vec2(gl_VertexID & 1, gl_VertexID >> 1) * u_quad.zw;
  vec2 ndc = pixel / u_framebuffer * 2.0 - 1.0;
  gl_Position = vec4(ndc.x, -ndc.y, 0.0, 1.0);
}
