#pragma once

#include <memory>
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
//   A(weights[0,0,1,2])      of a pair, a formula with A's numbers
//   document.dropout         also seed, d_in, d_out, num_heads, head_dim, tokens, batch_size
//   sqrt(document.head_dim) * 2 - 1 / 3, exp(…)
namespace attnscope {

struct StepNumbers {
  const Document& document;
  const Result& result;
  mutable std::shared_ptr<const Result> a = nullptr;  // A's of a pair, once a formula has asked for it
};

// A part of a stage: all numbers that share its indices.
struct Slice {
  Stage stage = Stage::weights;
  std::vector<Index> index;  // indices of the first axes; the other axes are whole

  bool operator==(const Slice&) const = default;
};

struct Values {
  std::vector<Index> shape;  // empty for one number
  std::vector<double> numbers;
  bool are_whole = false;  // counts and settings are written without decimals

  bool is_number() const { return shape.empty(); }
};

// Returns the values of a formula. Throws Error whose sentence names what is wrong.
Values evaluate_formula(std::string_view formula, const StepNumbers& numbers);
double number_of_formula(std::string_view formula,
                         const StepNumbers& numbers);  // throws Error if it has several values

// Returns a formula in words: "the sum of the dropped weights of query “starts”". Throws only if evaluate_formula()
// does.
std::string formula_words(std::string_view formula, const StepNumbers& numbers);

// Returns the formula of a token's chance, "chance(box)"; empty if no word names the token.
std::string chance_formula(const TrainedModel& model, Index token);

// Returns the slice if the formula is nothing else. Throws Error if its stage has no such part.
std::optional<Slice> slice_of(std::string_view formula);
// Returns the cell that a slice names by an index for each axis of its stage. Throws Error if it has other indices.
Source cell_of(const Slice& slice);
Values read_slice(const Slice& slice, const Result& result);

// Return "query “journey”" and "key “step”", with the position if tokens share the name; outside of matrices of queries
// by keys "row 2" and "column 1".
std::string row_name(const Source& cell, const StepNumbers& numbers);
std::string column_name(const Source& cell, const StepNumbers& numbers);
// Returns a number for a sentence, without zeros at its end.
std::string number_words(double number, int decimals = 4);

// Prints values as PyTorch does, but leaves out the middle of long rows and columns.
std::string format_values(const Values& values, int decimals);

}  // namespace attnscope
