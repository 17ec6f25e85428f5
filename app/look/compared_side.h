#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace attnscope {

// A document that is compared with another one can be shown itself, as the other one, as the difference of the two, or
// beside the other one.
enum class ComparedSide { now, before, difference, side_by_side };

// Their names in commands, files and the views that pictures carry.
inline constexpr std::array<std::pair<ComparedSide, std::string_view>, 4> compared_sides = {
    {{ComparedSide::now, "B"},
     {ComparedSide::before, "A"},
     {ComparedSide::difference, "difference"},
     {ComparedSide::side_by_side, "side-by-side"}}};

}  // namespace attnscope
