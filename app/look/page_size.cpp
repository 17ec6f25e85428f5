#include "look/page_size.h"

#include <algorithm>
#include <array>

namespace attnscope {

std::span<const PageSize> page_sizes() {
  static constexpr std::array sizes = {
      PageSize{"slide-16x9", "slide 16:9, 339 × 191 mm", 338.667, 190.5, 14},
      PageSize{"slide-4x3", "slide 4:3, 254 × 191 mm", 254, 190.5, 14},
      PageSize{"paper-column", "column of a paper, 85 mm", 85, 0, 8},
      PageSize{"paper-page", "page of a paper, 170 mm", 170, 0, 9},
  };
  return sizes;
}

const PageSize* page_size_named(std::string_view id) {
  const auto sizes = page_sizes();
  const auto found = std::ranges::find(sizes, id, &PageSize::id);
  return found == sizes.end() ? nullptr : &*found;
}

}  // namespace attnscope
