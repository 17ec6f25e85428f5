#pragma once

#include <set>
#include <string>
#include <vector>

#include "view/explanation_text.h"

namespace attnscope {

// One line of how a number came to be, down to where it was opened. Every line that names numbers opens in place: below
// it stand these numbers, each with a heading and its own lines.
struct DerivationLine {
  ExplanationLine line;
  int depth = 0;            // 0: of the number itself
  std::string path;         // names the line among all: "3", below it "3/0/2"
  bool is_heading = false;  // of an operand: its name, place and value
  bool can_open = false;
  bool is_open = false;
};

// `opened` holds the paths of the lines that were opened; those of others are ignored. Sums of many terms are folded;
// the line of the rest opens into more of them.
std::vector<DerivationLine> derivation(const Result& result, const Source& source, const RowNames& names,
                                       const std::set<std::string>& opened);

// "largest of ", "sum of "; nothing in front of a cell.
std::string_view kind_words(SourceKind kind);

// Names a number and says it: "keys of token 2 journey, dimension 1 = 0.3123".
std::string number_text(const Result& result, const Source& source, const RowNames& names);

enum class TextFormat { plain, markdown, latex };

// Returns these lines as text, below a heading, for notes and slides: indented, as a nested list, or as LaTeX.
std::string derivation_text(const Result& result, const Source& source, const RowNames& names,
                            const std::set<std::string>& opened, TextFormat format);

}  // namespace attnscope
