#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace attnscope {

// Attention of another program that is looked at: where it is, and what of it is chosen. The names of its tokens are
// those of the document that stands for it.
struct Viewing {
  std::filesystem::path file;
  std::vector<std::string> tensors;  // that there are to choose from, as the screen names them
  std::size_t tensor = 0;            // chosen of them
  std::string number_type;           // "float16"
  std::string shape;                 // in the file: "(12, 12, 1024, 1024)"
  std::string axes;                  // what its axes are taken for: "layer, head, query, key"
  std::string other_axes;            // what they could be as well; empty where the shape leaves no choice
  bool takes_other_axes = false;
  Index layers = 1;
  Index layer = 0;

  bool operator==(const Viewing&) const = default;
};

// Names of `count` tokens from a text that holds them one a line, or, where that is another number, split by white
// space; a JSON list of strings is one too. Throws Error that says what was found.
std::vector<std::string> tokens_from_text(std::string_view text, Index count);

}  // namespace attnscope
