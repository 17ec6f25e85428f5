#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/source.h"
#include "document/document.h"

// Numbers of a document, named in a lesson's texts and questions:
//
//   weights[0,0,1,2]         a cell, by the axes of its stage, counted from 0: (B, H, T, T)
//   weights[0,0,1]           a row; weights[0,0] a matrix; weights all of them
//   sum(weights[0,0,1])      also max, min, mean, count; row_sums(weights[0,0]) is the sum of each row
//   chance(box)              probability of the word after a trained model's text, through all of its layers
//   shape(context)           [2, 6, 4]
//   document.dropout         also seed, d_in, d_out, num_heads, head_dim, tokens, batch_size
//   sqrt(document.head_dim) * 2 - 1 / 3, exp(…)
namespace attnscope {

struct StepNumbers {
  const Document& document;
  const Result& result;
};

// A part of a stage.
struct Slice {
  Stage stage = Stage::weights;
  std::vector<Index> index;  // of its axes, from the first on

  bool operator==(const Slice&) const = default;
};

struct Values {
  std::vector<Index> shape;  // without an axis: one number
  std::vector<double> numbers;
  bool are_whole = false;  // counts and settings, written without decimals

  bool is_number() const { return shape.empty(); }
};

// Throws Error whose sentence names what is wrong.
Values evaluate_formula(std::string_view formula, const StepNumbers& numbers);
double number_of_formula(std::string_view formula, const StepNumbers& numbers);  // throws where it is several

// "the sum of the dropped weights of query “starts”"; throws only where evaluate_formula() does.
std::string formula_words(std::string_view formula, const StepNumbers& numbers);

// The slice where the formula is one and nothing else. Throws Error where its stage has no such part.
std::optional<Slice> slice_of(std::string_view formula);
// The cell that a slice of as many indices as its stage has axes names. Throws Error.
Source cell_of(const Slice& slice);
Values read_slice(const Slice& slice, const Result& result);

// Prints values as PyTorch does, but long rows and columns are left out in the middle.
std::string format_values(const Values& values, int decimals);

}  // namespace attnscope
