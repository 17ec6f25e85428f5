#pragma once

#include <fmt/format.h>

#include "core/error.h"
#include "teach/judge.h"

// The parts that files of lessons share. Private to this folder.
namespace attnscope {

// Puts where it stands before the sentence of what is wrong.
template <typename Work>
auto within(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(path)) throw;
    throw Error(path, fmt::format("{}: {}", path, error.what()));
  }
}

// "query “journey”" and "key “step”", with the position where several have the name; else "row 2" and "column 1".
std::string row_name(const Source& cell, const StepNumbers& numbers);
std::string column_name(const Source& cell, const StepNumbers& numbers);
// A number as sentences have it.
std::string number_words(double number, int decimals = 4);

}  // namespace attnscope
