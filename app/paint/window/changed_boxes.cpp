#include "paint/window/renderers.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace attnscope {
namespace {

constexpr int tile_side = 32;           // pixels
constexpr std::size_t most_boxes = 24;  // more than these are drawn as one

PixelBox meet(const PixelBox& a, const PixelBox& b) {
  return {std::max(a.min_x, b.min_x), std::max(a.min_y, b.min_y), std::min(a.max_x, b.max_x),
          std::min(a.max_y, b.max_y)};
}

// A frame's units as pixels.
struct FramePixels {
  explicit FramePixels(const ImDrawData& data)
      : origin(data.DisplayPos),
        scale(data.FramebufferScale),
        all{0, 0, static_cast<int>(std::lround(data.DisplaySize.x * scale.x)),
            static_cast<int>(std::lround(data.DisplaySize.y * scale.y))} {}

  float x(float unit) const { return (unit - origin.x) * scale.x; }
  float y(float unit) const { return (unit - origin.y) * scale.y; }

  // Returns the pixels to which a command is cut, as Dear ImGui's backend rounds them.
  PixelBox clip(const ImDrawCmd& command) const {
    const ImVec4& clip = command.ClipRect;
    const int min_x = static_cast<int>(x(clip.x));
    const auto from_bottom = static_cast<int>(static_cast<float>(all.max_y) - y(clip.w));
    const int max_y = all.max_y - from_bottom;
    return meet(all, {min_x, max_y - static_cast<int>(y(clip.w) - y(clip.y)),
                      min_x + static_cast<int>(x(clip.z) - x(clip.x)), max_y});
  }

  // Returns units that the backend and draw_picture() round to this box, whatever the scale.
  ImVec4 clip_of(const PixelBox& box) const {
    const auto unit_x = [&](int pixel, float more) { return origin.x + (static_cast<float>(pixel) + more) / scale.x; };
    const auto unit_y = [&](int pixel, float more) { return origin.y + (static_cast<float>(pixel) + more) / scale.y; };
    return {unit_x(box.min_x, 0.1F), unit_y(box.min_y, -0.3F), unit_x(box.max_x, 0.3F), unit_y(box.max_y, -0.1F)};
  }

  ImVec2 origin;
  ImVec2 scale;
  PixelBox all;
};

// Visits the triangles of a command with their three corners, and the pixels that they may touch.
template <typename Visit>
void for_each_triangle(const ImDrawList& list, const ImDrawCmd& command, const FramePixels& framebuffer,
                       const Visit& visit) {
  const ImDrawVert* const vertices = list.VtxBuffer.Data + command.VtxOffset;
  const ImDrawIdx* const indices = list.IdxBuffer.Data + command.IdxOffset;
  for (unsigned at = 0; at + 2 < command.ElemCount; at += 3) {
    const ImDrawVert* const corners[] = {vertices + indices[at], vertices + indices[at + 1],
                                         vertices + indices[at + 2]};
    const auto [low_x, high_x] = std::minmax({corners[0]->pos.x, corners[1]->pos.x, corners[2]->pos.x});
    const auto [low_y, high_y] = std::minmax({corners[0]->pos.y, corners[1]->pos.y, corners[2]->pos.y});
    // Large coordinates, of what lies far outside, must not overflow.
    const auto pixel = [](float at_pixel, int around) {
      return static_cast<int>(std::clamp(at_pixel, -1e6F, 1e6F)) + around;
    };
    const PixelBox box{pixel(framebuffer.x(low_x), -1), pixel(framebuffer.y(low_y), -1),
                       pixel(framebuffer.x(high_x), 2), pixel(framebuffer.y(high_y), 2)};
    visit(corners, box, indices + at);
  }
}

// The prints of a frame's tiles: what is drawn in each, in its order.
class Tiles {
public:
  Tiles(const PixelBox& all, std::uint64_t basis)
      : cols_((all.max_x + tile_side - 1) / tile_side),
        rows_((all.max_y + tile_side - 1) / tile_side),
        prints_(static_cast<std::size_t>(cols_) * static_cast<std::size_t>(rows_), basis) {}

  void add(const PixelBox& box, std::uint64_t print) {
    if (box.is_empty()) return;
    for (int row = box.min_y / tile_side; row <= (box.max_y - 1) / tile_side; ++row) {
      for (int col = box.min_x / tile_side; col <= (box.max_x - 1) / tile_side; ++col) {
        std::uint64_t& tile = prints_[index(row, col)];
        tile = PrintOfContent(tile).add(print).value();
      }
    }
  }

  // Returns boxes around the tiles that differ from those of a frame before: runs of rows, joined with equal runs
  // above.
  std::vector<PixelBox> changed(const std::vector<std::uint64_t>& before, const PixelBox& all) const {
    std::vector<PixelBox> boxes;
    for (int row = 0; row < rows_; ++row) {
      for (int col = 0; col < cols_; ++col) {
        const int begin = col;
        while (col < cols_ && prints_[index(row, col)] != before[index(row, col)]) ++col;
        if (col == begin) continue;
        const PixelBox run = meet(all, {begin * tile_side, row * tile_side, col * tile_side, (row + 1) * tile_side});
        const auto above = std::ranges::find_if(boxes, [&](const PixelBox& box) {
          return box.max_y == run.min_y && box.min_x == run.min_x && box.max_x == run.max_x;
        });
        if (above != boxes.end()) {
          above->max_y = run.max_y;
        } else {
          boxes.push_back(run);
        }
      }
    }
    if (boxes.size() <= most_boxes) return boxes;
    PixelBox around = boxes.front();
    for (const PixelBox& box : boxes) {
      around = {std::min(around.min_x, box.min_x), std::min(around.min_y, box.min_y), std::max(around.max_x, box.max_x),
                std::max(around.max_y, box.max_y)};
    }
    return {around};
  }

  std::vector<std::uint64_t> take() { return std::move(prints_); }

private:
  std::size_t index(int row, int col) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols_) + static_cast<std::size_t>(col);
  }

  int cols_;
  int rows_;
  std::vector<std::uint64_t> prints_;
};

bool is_reset(const ImDrawCmd& command) { return command.UserCallback == ImDrawCallback_ResetRenderState; }

void add_command(Tiles& tiles, const ImDrawList& list, const ImDrawCmd& command, const FramePixels& framebuffer,
                 const CallbackPrint& print) {
  const PixelBox clip = framebuffer.clip(command);
  if (clip.is_empty() || is_reset(command)) return;
  PrintOfContent begin;
  begin.add(clip.min_x, clip.max_x, clip.min_y, clip.max_y);
  if (command.UserCallback != nullptr) return tiles.add(clip, begin.add(print(command)).value());
#if IMGUI_VERSION_NUM < 19200
  begin.add((std::uint64_t)command.GetTexID());
#else  // a texture may have no name yet
  begin.add((std::uint64_t)command.TexRef._TexID, reinterpret_cast<std::uintptr_t>(command.TexRef._TexData));
#endif
  for_each_triangle(list, command, framebuffer, [&](const auto& corners, const PixelBox& box, const ImDrawIdx*) {
    PrintOfContent own = begin;
    for (const ImDrawVert* const corner : corners)
      own.add(corner->pos.x, corner->pos.y, corner->uv.x, corner->uv.y, corner->col);
    tiles.add(meet(clip, box), own.value());
  });
}

}  // namespace

std::vector<PixelBox> FrameDifference::boxes(const ImDrawData& data, std::uint64_t basis, const CallbackPrint& print) {
  const FramePixels framebuffer(data);
  const PixelBox& all = framebuffer.all;
  if (all.is_empty()) return {};
  Tiles tiles(all, basis);
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    for (const ImDrawCmd& command : list.CmdBuffer) add_command(tiles, list, command, framebuffer, print);
  }
  const bool is_new = prints_.empty() || width_ != all.max_x || height_ != all.max_y || basis_ != basis;
  std::vector<PixelBox> changed = is_new ? std::vector{all} : tiles.changed(prints_, all);
  prints_ = tiles.take();
  width_ = all.max_x;
  height_ = all.max_y;
  basis_ = basis;
  return changed;
}

DrawnWithin::DrawnWithin(ImDrawData& data, const std::vector<PixelBox>& boxes)
    : data_(data), parts_(static_cast<std::size_t>(data.CmdListsCount)) {
  const FramePixels framebuffer(data);
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    Part& part = parts_[static_cast<std::size_t>(i)];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (is_reset(command)) {
        if (!part.commands.empty() && part.commands.back().UserCallback != nullptr) part.commands.push_back(command);
        continue;
      }
      const PixelBox clip = framebuffer.clip(command);
      for (const PixelBox& box : boxes) {
        ImDrawCmd cut = command;
        const PixelBox within = meet(clip, box);
        if (within.is_empty()) continue;
        cut.ClipRect = framebuffer.clip_of(within);
        cut.IdxOffset = static_cast<unsigned>(part.indices.Size);
        for_each_triangle(list, command, framebuffer, [&](const auto&, const PixelBox& around, const ImDrawIdx* at) {
          if (meet(within, around).is_empty()) return;
          for (int corner = 0; corner < 3; ++corner) part.indices.push_back(at[corner]);
        });
        cut.ElemCount = static_cast<unsigned>(part.indices.Size) - cut.IdxOffset;
        if (cut.ElemCount > 0 || command.UserCallback != nullptr) part.commands.push_back(cut);
      }
    }
  }
  swap_parts();
}

DrawnWithin::~DrawnWithin() { swap_parts(); }

void DrawnWithin::swap_parts() {
  for (int i = 0; i < data_.CmdListsCount; ++i) {
    Part& part = parts_[static_cast<std::size_t>(i)];
    data_.CmdLists[i]->CmdBuffer.swap(part.commands);
    data_.CmdLists[i]->IdxBuffer.swap(part.indices);
  }
}

}  // namespace attnscope
