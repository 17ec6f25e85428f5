#pragma once

#include <imgui.h>

#include <string>
#include <vector>

namespace attnscope {

// Fonts at the display's scale, already in the atlas of the current Dear ImGui context. Sizes are in units at scale 1.
struct Fonts {
  ImFont* text = nullptr;             // Inter 15, the default
  ImFont* small_text = nullptr;       // Inter 12.5: labels, captions
  ImFont* heading = nullptr;          // Inter SemiBold 15: titles of stages and sections
  ImFont* number = nullptr;           // JetBrains Mono 13: inspector, tables
  ImFont* small_number = nullptr;     // JetBrains Mono 11: numbers in cells
  ImFont* large_number = nullptr;     // JetBrains Mono 17: numbers in large cells
  float text_em = 1;                  // of a line's height, which Dear ImGui calls the size: of Inter
  float number_em = 1;                // of JetBrains Mono
  std::vector<std::string> messages;  // what could not be found and what is used instead
};

}  // namespace attnscope
