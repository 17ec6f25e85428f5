#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "look/diagram.h"

namespace attnscope {

// What stands above a matrix of the diagram.
struct DiagramHeader {
  std::string title;  // "scores", "Kᵀ", "mask: 1 hides"
  std::string shape;  // as it is shown: "(6, 2)"
  std::string line;   // below the title of a result: "S = Q Kᵀ  (6, 6)"
  std::string axes;   // of what has tokens as rows and as columns: "query ↓  key →"
};

enum class HeaderSize : std::uint8_t {
  small,  // the title's own line
  usual,  // a line below the title
  roomy
};  // two lines

// What stands beside the title or below it: as much of the line or of the shape as there is room for, and what rows and
// columns are always.
std::vector<std::string> fitted_lines(const DiagramHeader& header, HeaderSize size, float room,
                                      const std::function<float(std::string_view)>& width_of);

// `head` is the one that is looked at.
DiagramHeader diagram_header(const Result& result, const DiagramMatrix& matrix, Index head);

bool is_operand(const DiagramMatrix& matrix);  // what stands above a result or is added to it

// What happens in a stage, in a line for those who see it for the first time.
std::string about(const AttentionConfig& config, Stage stage);

std::string_view id_of(Band band);     // as it is typed: "project"
std::string_view title_of(Band band);  // "1 Project"
std::string_view about(Band band);     // what happens in it, a line

}  // namespace attnscope
