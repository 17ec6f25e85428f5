#pragma once

#include <imgui.h>

#include <array>
#include <string>
#include <vector>

namespace attnscope {

// Text that has more room than the panels, or less.
struct SizedText {
  ImFont* small_text = nullptr;
  ImFont* heading = nullptr;
};

// Fonts at the display's scale, already in the atlas of the current Dear ImGui context. Sizes are in units at scale 1.
struct Fonts {
  ImFont* text = nullptr;               // Inter 15, the default
  ImFont* small_text = nullptr;         // Inter 12.5: labels, captions
  ImFont* heading = nullptr;            // Inter SemiBold 15: titles of stages and sections
  ImFont* number = nullptr;             // JetBrains Mono 13: inspector, tables
  ImFont* small_number = nullptr;       // JetBrains Mono 11: values in tables
  ImFont* large_number = nullptr;       // JetBrains Mono 17: the inspector's result
  ImFont* bold_label = nullptr;         // Inter SemiBold 11.5: the marked token's name; null where it is left out
  SizedText smaller;                    // Inter 11, SemiBold 13
  std::array<SizedText, 3> larger;      // by 1.2, 1.5 and 2; by 1 where that would be too many glyphs
  std::array<ImFont*, 10> digits = {};  // Inter 11 to 30, digits and ASCII alone: numbers in the cells of a picture
  float text_em = 1;                    // of a line's height, which Dear ImGui calls the size: of Inter
  float number_em = 1;                  // of JetBrains Mono
  float pixels_per_unit = 1;            // that they were made at: fewer than asked for where a texture holds no more
  std::vector<std::string> messages;    // what could not be found and what is used instead
};

}  // namespace attnscope
