#pragma once

#include <span>
#include <string_view>

namespace attnscope {

// Sizes that figures are made in, by name. Where a page has no height, that of the figure follows from its content.
struct PageSize {
  std::string_view id;     // "slide-16x9"
  std::string_view title;  // with its millimetres
  double width = 0;        // millimetres
  double height = 0;       // 0: follows
  double font_size = 9;    // points that can be read there
};
std::span<const PageSize> page_sizes();
const PageSize* page_size_named(std::string_view id);  // null where there is none

}  // namespace attnscope
