#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "view/board.h"

namespace attnscope::test {

// The items of a kind on a board, line by line.
template <typename Item>
std::vector<Item> shown_items(const Board& board) {
  std::vector<Item> found;
  for (const auto& line : board.lines) {
    for (const BoardItem& item : line) {
      if (const auto* const one = std::get_if<Item>(&item)) found.push_back(*one);
    }
  }
  return found;
}

// The matrix whose title has these words.
inline BoardMatrix shown_matrix(const Board& board, std::string_view title) {
  for (const BoardMatrix& each : shown_items<BoardMatrix>(board)) {
    if (each.title.find(title) != std::string::npos) return each;
  }
  ADD_FAILURE() << "no matrix " << title;
  return {};
}

}  // namespace attnscope::test
