#pragma once

#include <imgui.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <functional>
#include <vector>

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

}  // namespace attnscope
