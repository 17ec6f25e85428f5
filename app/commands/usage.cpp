#include "commands/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/evaluate.h"
#include "interchange/arrays.h"
#include "interchange/document_file.h"
#include "platform/system/process.h"

namespace attnscope {
namespace {

// Reads the number that a whole text spells; false when there is none, or when it is out of bounds. Not a number
// compares false with everything and so is out of all bounds.
template <typename Number>
bool read_number(Number& number, std::string_view text, Number smallest, Number largest) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() && number >= smallest && number <= largest;
}

}  // namespace

void tell(std::string sentence) {
  for (char& c : sentence) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  write_standard_error("attnscope: " + sentence + "\n");
}

Document load_or_refuse(const std::string& file) {
  if (is_array_path(file)) {
    throw UsageError(
        fmt::format("{} is a file of arrays, but this takes a document: attnscope import makes one of "
                    "embeddings or weights, and attnscope view shows attention.",
                    file));
  }
  try {
    return load_document(file);
  } catch (const Error& error) {
    throw UsageError(error.field, error.what());
  }
}

PictureSize parse_picture_size(std::string_view text) {
  constexpr PictureSize smallest{320, 240};
  constexpr PictureSize largest{7680, 4320};
  PictureSize size;
  const std::size_t cross = std::min(text.find('x'), text.size());
  if (read_number(size.width, text.substr(0, cross), smallest.width, largest.width) && cross < text.size() &&
      read_number(size.height, text.substr(cross + 1), smallest.height, largest.height)) {
    return size;
  }
  throw UsageError(fmt::format("--size is \"{}\", but it must be WxH from {}x{} to {}x{}.", text, smallest.width,
                               smallest.height, largest.width, largest.height));
}

double parse_number(std::string_view option, std::string_view text, double smallest, double largest) {
  double number = 0;
  if (read_number(number, text, smallest, largest)) return number;
  throw UsageError(
      fmt::format("{} is \"{}\", but it must be a number from {} to {}.", option, text, smallest, largest));
}

int parse_whole_number(std::string_view option, std::string_view text, int smallest, int largest) {
  int number = 0;
  if (read_number(number, text, smallest, largest)) return number;
  throw UsageError(
      fmt::format("{} is \"{}\", but it must be a whole number from {} to {}.", option, text, smallest, largest));
}

std::string stages_of(const AttentionConfig& config) {
  std::vector<std::string_view> names;
  for (const StageInfo& stage : stages()) {
    if (has_stage(config, stage.stage)) names.push_back(stage.id);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace attnscope
