#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace attnscope {

// What is shown of a document that is compared with another one: itself, the other one, what it has more than that, or
// these beside each other.
enum class ComparedSide { now, before, difference, side_by_side };

// What they are called in commands, files and views of pictures.
inline constexpr std::array<std::pair<ComparedSide, std::string_view>, 4> compared_sides = {
    {{ComparedSide::now, "B"},
     {ComparedSide::before, "A"},
     {ComparedSide::difference, "difference"},
     {ComparedSide::side_by_side, "side-by-side"}}};

}  // namespace attnscope
