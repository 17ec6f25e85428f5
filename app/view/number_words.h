#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/stages/rule.h"
#include "core/tensor.h"
#include "core/text.h"

// Words about numbers: how they are written, and how they came to be.
namespace attnscope {

std::string format_shape(const std::vector<Index>& shape);  // "(2, 6, 3)"

// Return the shape of a stage in the class of the document, in numbers and in letters: a class without heads has no
// axis of heads, and a bias has one axis.
std::vector<Index> shape_in_class(const AttentionConfig& config, Stage stage);
std::string shape_letters_in_class(const AttentionConfig& config, Stage stage);

std::string format_probability(float probability);  // "96.1 %", which never breaks
std::string format_duration(double seconds);        // "0.08 ms", "1.24 s"

// Writes what a number has changed by, with the digits that two numbers of float32 still have: 0.91 less 0.9 is "0.01".
std::string format_difference(float now, float before);

// Returns the arithmetic behind one number, line by line, with the values that went in. Sums of more than `max_terms`
// numbers show the largest ones and say how many were left out.
std::vector<ExplanationLine> explanation_lines(const Result& result, const Source& source, const RowNames& names,
                                               std::size_t max_terms);

// Returns this arithmetic without words, a string for each step, for a picture. A copied number has that of its
// original.
std::vector<std::string> arithmetic_of(const Result& result, const Source& source, const RowNames& names);

// One line of how a number came to be. A line that names numbers can be opened: below it then stand these numbers, each
// with a heading and its own lines.
struct DerivationLine {
  ExplanationLine line;
  int depth = 0;            // 0: the line belongs to the number itself
  std::string path;         // identifies the line: "3", below it "3/0/2"
  bool is_heading = false;  // the line has the name, place and value of an operand
  bool can_open = false;
  bool is_open = false;
};

// Returns the lines of a number. `opened` holds the paths of the opened lines; paths that no line has are ignored. Long
// sums are folded; the line that stands for the rest opens into more terms.
std::vector<DerivationLine> derivation(const Result& result, const Source& source, const RowNames& names,
                                       const std::set<std::string>& opened);

// Returns the words before a source: "largest of ", "sum of "; nothing before a cell.
std::string_view kind_words(SourceKind kind);

// Names a number: "keys of token 2 journey, dimension 1".
std::string number_name(const Result& result, const Source& source, const RowNames& names);

// Names a number and says it: "keys of token 2 journey, dimension 1 = 0.3123".
std::string number_text(const Result& result, const Source& source, const RowNames& names);

enum class TextFormat { plain, markdown, latex };

// Returns these lines as text, below a heading, for notes and slides: indented, as a nested list, or as LaTeX.
std::string derivation_text(const Result& result, const Source& source, const RowNames& names,
                            const std::set<std::string>& opened, TextFormat format);

}  // namespace attnscope
