#version 330 core

// One pixel of a heatmap. All lengths are framebuffer pixels; u_unit is the width of a thin line at this display scale.

uniform vec2 u_framebuffer;
uniform vec4 u_quad;
uniform ivec2 u_grid;
uniform ivec4 u_tile;
uniform sampler2D u_values;   // minus infinity where masked
uniform sampler2D u_drops;    // above 0 where dropped
uniform sampler2D u_colours;  // one map per row
uniform bool u_has_drops;
uniform int u_map;
uniform vec3 u_index;  // shrink, low, factor of IndexScale
uniform float u_unit;
uniform bool u_dark;
uniform float u_opacity;

out vec4 out_colour;

const int map_entries = 256;
const float gap_from = 14.0;   // cells at least this wide are told apart by a line
const float mark_from = 6.0;   // cells at least this wide have room for a mark
const float hatch_period = 6.0;

const uint plus_infinity = 0x7F800000u;
const uint minus_infinity = 0xFF800000u;

// Compilers may assume that no float is NaN or infinite, so the bits decide.
bool is_masked(uint bits) { return bits == minus_infinity; }
bool is_nan(uint bits) { return (bits & 0x7FFFFFFFu) > plus_infinity; }
bool is_infinity(uint bits) { return bits == plus_infinity; }

uint value_bits(ivec2 texel) { return floatBitsToUint(texelFetch(u_values, texel - u_tile.xy, 0).r); }

// entry_index() in figure/colormap.cpp, operation by operation.
vec3 map_colour(float value) {
  float position = (value * u_index.x - u_index.y) * u_index.z;
  int entry = int(clamp(position, 0.0, float(map_entries - 1)));
  if (u_index.z == 0.0) entry = map_entries / 2;
  return texelFetch(u_colours, ivec2(entry, u_map), 0).rgb;
}

// Ink that reads on `background`, by WCAG relative luminance.
vec3 ink_on(vec3 background) {
  vec3 linear = mix(background / 12.92, pow((background + 0.055) / 1.055, vec3(2.4)), step(0.04045, background));
  float light = dot(linear, vec3(0.2126, 0.7152, 0.0722)) + 0.05;
  return light * light > 0.0525 ? vec3(0.09) : vec3(0.97);
}

// Coverage of a pixel whose centre is `distance` outside of an edge.
float coverage(float distance) { return clamp(0.5 - distance, 0.0, 1.0); }

// Runs on across neighbouring cells: its phase is the pixel's place in the whole matrix. Exactly two greys.
vec3 hatched(vec2 pixel) {
  float place = floor(pixel.x) + floor(pixel.y);
  bool on_line = mod(place, hatch_period * u_unit) < u_unit;
  if (u_dark) return vec3(on_line ? 108.0 : 60.0) / 255.0;
  return vec3(on_line ? 150.0 : 218.0) / 255.0;
}

vec3 crossed(vec3 colour, vec2 from_centre, float side) {
  float reach = clamp(0.25 * side, 2.0 * u_unit, 11.0 * u_unit);
  float thickness = clamp(0.07 * side, 1.3 * u_unit, 2.4 * u_unit);
  vec2 along = abs(from_centre);
  float distance = abs(along.x - along.y) * 0.70710678 - 0.5 * thickness;
  float mark = coverage(distance) * coverage(max(along.x, along.y) - reach);
  return mix(colour, ink_on(colour), 0.9 * mark);
}

// Too small for a cross: a tint that no map has, towards the ink.
vec3 tinted(vec3 colour) { return mix(colour, ink_on(colour), 0.42); }

// Not a number: a hollow diamond. Infinity: a filled triangle. On black (white in the dark theme), which no map has at
// either end; where there is no room, squares and stripes of black and white.
vec3 not_finite(bool nan, vec2 pixel, vec2 from_centre, float side) {
  float paper = u_dark ? 0.93 : 0.07;
  float ink = 1.0 - paper;
  vec2 place = floor(pixel / (2.0 * u_unit));
  if (side < mark_from * u_unit) {
    return vec3(mod(nan ? place.x + place.y : place.y, 2.0) < 1.0 ? paper : ink);
  }
  float reach = clamp(0.28 * side, 2.0 * u_unit, 12.0 * u_unit);
  float thickness = clamp(0.08 * side, 1.2 * u_unit, 2.6 * u_unit);
  float mark = 0.0;
  if (nan) {
    float edge = (abs(from_centre.x) + abs(from_centre.y) - reach) * 0.70710678;
    mark = coverage(abs(edge) - 0.5 * thickness);
  } else {
    float below_top = from_centre.y + reach;
    float slope = (abs(from_centre.x) - 0.5 * below_top) * 0.89442719;
    mark = coverage(max(slope, from_centre.y - 0.8 * reach));
  }
  return vec3(mix(paper, ink, mark));
}

bool is_gap(ivec2 texel, vec2 pixel, vec2 cell_min, bool masked) {
  for (int axis = 0; axis < 2; ++axis) {
    if (texel[axis] == 0 || pixel[axis] - cell_min[axis] >= u_unit) continue;
    ivec2 before = texel;
    before[axis] = max(before[axis] - 1, u_tile[axis]);
    if (!masked || !is_masked(value_bits(before))) return true;
  }
  return false;
}

vec3 cell_colour(uint bits, ivec2 texel, vec2 pixel, vec2 from_centre, float side) {
  if (is_masked(bits)) return hatched(pixel);
  if (is_nan(bits) || is_infinity(bits)) return not_finite(is_nan(bits), pixel, from_centre, side);
  vec3 colour = map_colour(uintBitsToFloat(bits));
  if (!u_has_drops || texelFetch(u_drops, texel - u_tile.xy, 0).r == 0.0) return colour;
  return side < mark_from * u_unit ? tinted(colour) : crossed(colour, from_centre, side);
}

void main() {
  vec2 pixel = vec2(gl_FragCoord.x, u_framebuffer.y - gl_FragCoord.y) - u_quad.xy;
  vec2 cell_size = u_quad.zw / vec2(u_grid);
  ivec2 texel = clamp(ivec2(floor(pixel * vec2(u_grid) / u_quad.zw)), u_tile.xy, u_tile.xy + u_tile.zw - 1);
  // First pixels of this cell and of the next one: a pixel belongs to the cell that holds its centre.
  vec2 cell_min = ceil(vec2(texel) * cell_size - 0.5);
  vec2 cell_max = ceil(vec2(texel + 1) * cell_size - 0.5);
  float side = min(cell_max.x - cell_min.x, cell_max.y - cell_min.y);

  uint bits = value_bits(texel);
  vec3 colour = cell_colour(bits, texel, pixel, pixel - 0.5 * (cell_min + cell_max), side);
  if (side >= gap_from * u_unit && is_gap(texel, pixel, cell_min, is_masked(bits))) {
    colour = mix(colour, vec3(u_dark ? 0.09 : 1.0), 0.6);
  }
  out_colour = vec4(colour, u_opacity);
}
