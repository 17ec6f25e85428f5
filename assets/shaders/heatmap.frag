// One pixel of a heatmap. All lengths are framebuffer pixels; u_unit is the width of a thin line at this display scale.
// Compiled twice: with LARGE_CELLS where cells have room for marks and gaps. Software renderers run every branch for
// every pixel, and most pixels of a large matrix need none of that.

uniform vec2 u_framebuffer;
uniform vec4 u_quad;
uniform ivec2 u_grid;
uniform sampler2D u_texels;   // red: value, minus infinity where masked; green: above 0 where dropped
uniform sampler2D u_colours;  // one map per row
uniform int u_map;
uniform vec3 u_index;  // shrink, low, factor of IndexScale
uniform float u_unit;
uniform vec4 u_greys;   // hidden, hatch, paper, gap of CellGreys
uniform float u_opacity;
uniform bool u_transposed;  // the grid is as drawn, texels are as stored

out vec4 out_colour;

const int map_entries = 256;
const float gap_from = 14.0;  // cells at least this wide are told apart by a line
const float hatch_period = 6.0;

const uint plus_infinity = 0x7F800000u;
const uint minus_infinity = 0xFF800000u;

// Compilers may assume that no float is NaN or infinite, so the bits decide.
bool is_masked(uint bits) { return bits == minus_infinity; }
bool is_nan(uint bits) { return (bits & 0x7FFFFFFFu) > plus_infinity; }
bool is_infinity(uint bits) { return bits == plus_infinity; }

// entry_index() in view/colours.cpp, operation by operation.
vec3 map_colour(float value) {
  float position = (value * u_index.x - u_index.y) * u_index.z;
  int entry = u_index.z == 0.0 ? map_entries / 2 : int(clamp(position, 0.0, float(map_entries - 1)));
  entry = clamp(entry, 0, map_entries - 1);  // of NaN, which is drawn otherwise, an integer may be anything
  return texelFetch(u_colours, ivec2(entry, u_map), 0).rgb;
}

// Ink that reads on `background`: prefers_dark_ink() with squares in place of the exact transfer curve.
vec3 ink_on(vec3 background) {
  float light = dot(background * background, vec3(0.2126, 0.7152, 0.0722));
  return vec3(light > 0.179 ? 0.09 : 0.97);
}

// Runs on across neighbouring cells: its phase is the pixel's place in the whole matrix. Exactly two greys.
vec3 hatched(vec2 pixel) {
  float place = (floor(pixel.x) + floor(pixel.y)) / (hatch_period * u_unit);
  bool on_line = fract(place + 0.001) * hatch_period < 1.0;
  return vec3(on_line ? u_greys.y : u_greys.x);
}

float paper() { return u_greys.z; }  // of cells that are not finite: no map has it at either end

#ifdef LARGE_CELLS

// Coverage of a pixel whose centre is `distance` outside of an edge.
float coverage(float distance) { return clamp(0.5 - distance, 0.0, 1.0); }

vec3 dropped(vec3 colour, vec2 from_centre, float side) {
  colour = vec3(u_greys.w);  // the cross alone says it: a weight of 0 has a colour of its own
  float reach = clamp(0.25 * side, 2.0 * u_unit, 11.0 * u_unit);
  float thickness = clamp(0.07 * side, 1.3 * u_unit, 2.4 * u_unit);
  vec2 along = abs(from_centre);
  float distance = abs(along.x - along.y) * 0.70710678 - 0.5 * thickness;
  float mark = coverage(distance) * coverage(max(along.x, along.y) - reach);
  return mix(colour, ink_on(colour), 0.9 * mark);
}

// Not a number: a hollow diamond. Infinity: a filled triangle.
vec3 not_finite(bool nan, vec2 pixel, vec2 from_centre, float side) {
  float reach = clamp(0.28 * side, 2.0 * u_unit, 12.0 * u_unit);
  float thickness = clamp(0.08 * side, 1.2 * u_unit, 2.6 * u_unit);
  float across = abs(from_centre.x);
  float diamond = abs(across + abs(from_centre.y) - reach) * 0.70710678 - 0.5 * thickness;
  float triangle = max((across - 0.5 * (from_centre.y + reach)) * 0.89442719, from_centre.y - 0.8 * reach);
  return vec3(mix(paper(), 1.0 - paper(), coverage(nan ? diamond : triangle)));
}

#else

// Too small for a cross: a tint that no map has, towards the ink.
vec3 dropped(vec3 colour, vec2 from_centre, float side) { return mix(colour, ink_on(colour), 0.42); }

// Squares (not a number) or stripes (infinity) of black and white.
vec3 not_finite(bool nan, vec2 pixel, vec2 from_centre, float side) {
  vec2 place = floor(pixel / (2.0 * u_unit));
  float number = nan ? place.x + place.y : place.y;
  return vec3(fract(0.5 * number) == 0.0 ? paper() : 1.0 - paper());
}

#endif

void main() {
  vec2 pixel = vec2(gl_FragCoord.x, u_framebuffer.y - gl_FragCoord.y) - u_quad.xy;
  ivec2 cell = clamp(ivec2(pixel * vec2(u_grid) / u_quad.zw), ivec2(0), u_grid - 1);
  vec2 texel = texelFetch(u_texels, u_transposed ? cell.yx : cell, 0).rg;
  uint bits = floatBitsToUint(texel.r);
  bool masked = is_masked(bits);

  vec2 from_centre = vec2(0.0);
  float side = 1.0;
  bool in_gap = false;
#ifdef LARGE_CELLS
  // First pixels of this cell and of the next one: a pixel belongs to the cell that holds its centre.
  vec2 cell_size = u_quad.zw / vec2(u_grid);
  vec2 cell_min = ceil(vec2(cell) * cell_size - 0.5);
  vec2 cell_max = ceil(vec2(cell + 1) * cell_size - 0.5);
  vec2 extent = cell_max - cell_min;
  side = min(extent.x, extent.y);
  from_centre = pixel - 0.5 * (cell_min + cell_max);
  // A gap lies along a cell's left and upper edge; masked cells have none, so that their hatch is one area.
  bvec2 on_edge = lessThan(pixel - cell_min, vec2(u_unit));
  in_gap = side >= gap_from * u_unit && !masked && ((on_edge.x && cell.x > 0) || (on_edge.y && cell.y > 0));
#endif

  vec3 colour = map_colour(texel.r);
  if (texel.g > 0.0) colour = dropped(colour, from_centre, side);
  if (is_nan(bits) || is_infinity(bits)) colour = not_finite(is_nan(bits), pixel, from_centre, side);
  if (masked) colour = hatched(pixel);
  if (in_gap) colour = mix(colour, vec3(u_greys.w), 0.6);
  out_colour = vec4(colour, u_opacity);
}
