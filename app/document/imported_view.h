#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace attnscope {

// Attention from another program that is being viewed: its file and what is chosen in it. The token names are in the
// document that stands in for it.
struct ImportedView {
  std::filesystem::path file;
  std::vector<std::string> tensors;  // titles of those that can be chosen
  std::size_t tensor = 0;            // the chosen one
  std::string number_type;           // "float16"
  std::string shape;                 // in the file: "(12, 12, 1024, 1024)"
  std::string axes;                  // how its axes are read: "layer, head, query, key"
  std::string other_axes;            // another way to read them; empty when there is none
  bool takes_other_axes = false;
  Index layers = 1;
  Index layer = 0;

  bool operator==(const ImportedView&) const = default;
};

// The names of `count` tokens from a text: a JSON list of strings, or one name a line, or, when the lines are not that
// many, split at white space. Throws Error that says what was found.
std::vector<std::string> tokens_from_text(std::string_view text, Index count);

}  // namespace attnscope
