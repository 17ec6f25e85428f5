#pragma once

#include <imgui.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compute/pixels.h"
#include "view/colours.h"
#include "view/picture.h"

namespace attnscope {

// In pixels of the framebuffer, from its upper left corner.
struct PixelBox {
  int min_x = 0, min_y = 0, max_x = 0, max_y = 0;
  bool operator==(const PixelBox&) const = default;
  bool is_empty() const { return max_x <= min_x || max_y <= min_y; }
};

// A number that stands for values, in their order; other values have another one.
class PrintOfContent {
public:
  explicit PrintOfContent(std::uint64_t begin = 0) : value_(begin) {}

  template <typename... Values>
  PrintOfContent& add(Values... values) {
    (add_bits(bits(values)), ...);
    return *this;
  }
  std::uint64_t value() const { return value_; }

private:
  void add_bits(std::uint64_t more) {
    value_ = (value_ ^ more) * 0x9E3779B97F4A7C15U;
    value_ ^= value_ >> 29U;
  }
  static std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
  static std::uint64_t bits(std::integral auto value) { return static_cast<std::uint64_t>(value); }

  std::uint64_t value_;
};

// Returns a number that stands for all that the callback of a command draws; another picture has another one.
using CallbackPrint = std::function<std::uint64_t(const ImDrawCmd&)>;

// Finds where a frame differs from the frame before it. Where the processor draws, each pixel costs time: a film moves
// a few digits, and a slider changes a few numbers, of a whole window.
class FrameDifference {
public:
  // Returns boxes that do not overlap and contain all that has changed since the last call. Everything has changed
  // where `basis` or the framebuffer's size has: it stands for the background, the letters and all else that commands
  // do not tell.
  std::vector<PixelBox> boxes(const ImDrawData& data, std::uint64_t basis, const CallbackPrint& print);
  void forget() { prints_.clear(); }  // the next frame is all new

private:
  std::vector<std::uint64_t> prints_;  // of the tiles, row by row
  int width_ = 0;
  int height_ = 0;
  std::uint64_t basis_ = 0;
};

// While it lives, `data` draws only what touches the boxes, cut at their edges.
class DrawnWithin {
public:
  DrawnWithin(ImDrawData& data, const std::vector<PixelBox>& boxes);
  ~DrawnWithin();
  DrawnWithin(const DrawnWithin&) = delete;
  DrawnWithin& operator=(const DrawnWithin&) = delete;

private:
  struct Part {
    ImVector<ImDrawCmd> commands;
    ImVector<ImDrawIdx> indices;
  };
  void swap_parts();

  ImDrawData& data_;
  std::vector<Part> parts_;  // of the lists
};

class Canvas;
class PictureCache;
struct Image;

// One matrix as a picture, which a view asks for and the renderer draws: rows from top to bottom, columns left to
// right.
struct HeatmapQuad {
  ShownMatrix source;  // hidden cells are hatched neutral grey; dropped cells carry a cross
  ColourRange range;   // counted in units of the source's measure
  CellWindow window;   // the part of the matrix that is shown
  ImVec2 min_screen;   // corner of that part in Dear ImGui's coordinates; nothing is drawn outside
  ImVec2 max_screen;
  CellGreys greys;             // greys of the marks
  bool is_transposed = false;  // `window` counts rows and columns as shown
  float opacity = 1;           // 1 opaque; less while the picture is stale
};

// Any other picture: straight RGBA, one texel a pixel. `owner` keeps it, and its address stands for it.
struct PlainPicture {
  int width = 0;
  int height = 0;
  const std::uint8_t* pixels = nullptr;
  std::shared_ptr<const void> owner;
};

// Returns the number of picture elements for all cells of an axis, of which `shown` are drawn over `pixels`: one for
// each cell while a cell covers a pixel. If cells are smaller, one for each pixel if all cells are shown; else so many
// that each stands for whole cells.
Index pixel_count(Index cells, double shown, double pixels);

// Draws quads into a draw list, in their order among everything else in it. Tests without graphics use one that only
// records.
class HeatmapSink {
public:
  virtual ~HeatmapSink() = default;
  virtual void draw(ImDrawList& list, const HeatmapQuad& quad) = 0;
  virtual void draw_image(ImDrawList&, const PlainPicture&, ImVec2 /*min_screen*/, ImVec2 /*max_screen*/) {}
};

// Draws heatmaps through one shader: a float texture per matrix, uploaded once and kept while it is used, the colormap
// as a lookup texture. Cells that are masked, dropped, NaN or infinite are marked in the shader; cells smaller than a
// pixel are pooled. Needs the current OpenGL 3.3 context that it was made in.
class HeatmapRenderer : public HeatmapSink {
public:
  HeatmapRenderer();
  ~HeatmapRenderer() override;

  // Call before the views are built, with the framebuffer's pixels per unit; forgets textures unused for a while.
  // `cache` computes the pictures in the background; without one they are computed at once. `joins_frame`: another
  // renderer has begun the cache's frame.
  void begin_frame(float pixels_per_unit, PictureCache* cache = nullptr, bool joins_frame = false);
  void draw(ImDrawList& list, const HeatmapQuad& quad) override;
  void draw_image(ImDrawList& list, const PlainPicture& picture, ImVec2 min_screen, ImVec2 max_screen) override;

  // Returns a sentence about a picture that the driver had no memory for in this frame, and whose place is blank; or
  // empty.
  const std::string& failure() const;

  // Counts the textures uploaded so far, for tests: an unchanged matrix is not uploaded again.
  long upload_count() const;
  long plain_count() const;  // of plain pictures

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Returns whether the current OpenGL context was reset since the last call: nothing drawn since then can be relied on,
// and all that was made in this context is gone. False if a driver does not tell.
bool context_is_lost();

// The largest side of a texture, in pixels: what every driver allows, and what this one does.
constexpr int least_texture_side = 1024;  // every OpenGL 3.3 allows it
int max_texture_side();

// Dear ImGui's OpenGL renderer for the current OpenGL and Dear ImGui contexts. Throws Error without OpenGL 3.3.
class ImguiRenderer {
public:
  ImguiRenderer();
  ~ImguiRenderer();
  ImguiRenderer(const ImguiRenderer&) = delete;
  ImguiRenderer& operator=(const ImguiRenderer&) = delete;

  // Returns false if the driver has no room for the font atlas.
  bool begin_frame();
  bool rebuild_fonts();                                  // must be called after the font atlas has changed
  void draw(ImDrawData& data, ImVec4 background);        // clears the bound framebuffer and draws into it
  bool has_drawn_all() const { return has_drawn_all_; }  // says whether the driver had room for it

  // Draws only where `data` differs from that of the last call, into a framebuffer that keeps the frame, and copies all
  // of it into the bound one. `plain_pictures` counts the plain pictures that were ever made: a texture of a new one
  // may have the name of one that is gone, so a greater count has everything drawn anew.
  void draw_changes(ImDrawData& data, ImVec4 background, long plain_pictures);
  const std::vector<PixelBox>& drawn_boxes() const { return drawn_boxes_; }  // by the last draw_changes()

private:
  bool keep_canvas(int width, int height);

  bool has_begun_ = false;  // the font atlas has its texture
  bool has_drawn_all_ = true;
  std::unique_ptr<Canvas> kept_;  // the frame drawn last
  FrameDifference difference_;    // from that frame
  std::vector<PixelBox> drawn_boxes_;
};

// Lets `draw` draw into a framebuffer of its own and reads it back, for screenshots. Its size in pixels is
// data.DisplaySize times data.FramebufferScale.
Image image_of(const ImDrawData& data, const std::function<void()>& draw);
Image render_to_image(ImguiRenderer& renderer, ImDrawData& data, ImVec4 background);

}  // namespace attnscope
