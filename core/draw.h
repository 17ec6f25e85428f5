#pragma once

#include "core/source.h"

#include <cstdint>
#include <optional>

namespace attnscope {

// The words of the generator that became a weight, a bias or a dropout factor, drawn once more.
struct Draw {
  std::uint64_t number = 0;   // of the first word since the generator was seeded, counted from 1
  std::uint64_t word = 0;     // 32 bits, or 64 of two words, the high half first
  int words = 1;              // one or two
  std::uint64_t element = 0;  // mkl: of the congruential stream that begins with the word, from 0
  float uniform = 0;          // the number in [0, 1) that came of it: for dropout what is compared with 1 - p
  bool keeps = false;         // of dropout: it is below 1 - p
};

// Nothing for inputs, which torch.randn makes of several words each.
std::optional<Draw> draw_for(const Result& result, const Source& source);

// Whether dropout would keep a weight if the user had not set it; `factor` is a cell of the dropout factors.
bool is_kept_as_drawn(const Result& result, const Source& factor);

// Returns the number that the seed gave for a weight or a bias that the document changes; nothing where it is as drawn.
std::optional<float> number_before_edit(const Result& result, const Source& weight);

// Returns what the generator gave for a cell that is drawn: for an input a standard normal number, else Draw::uniform.
float drawn_number(const Result& result, const Source& source);

}  // namespace attnscope
