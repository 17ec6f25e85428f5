#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "document/document.h"

namespace attnscope {

// Wrong usage or a bad document, as opposed to a machine that fails: exit status 2 instead of 1.
struct UsageError : Error {
  using Error::Error;
};

// Work that was to stop before its end, by Ctrl+C: exit status 130, as shells have it.
struct Interrupted : Error {
  using Error::Error;
};

// One line on standard error, whatever the sentence quotes.
void tell(std::string sentence);

// The document of a file, "-" for standard input. Throws UsageError.
Document load_or_refuse(const std::string& file);

// Width and height of "1280x800". Throws UsageError when the text is another or out of range.
struct PictureSize {
  int width = 0;
  int height = 0;
};
PictureSize parse_picture_size(std::string_view text);

// A number within bounds. Throws UsageError that names the option.
double parse_number(std::string_view option, std::string_view text, double smallest, double largest);
constexpr int max_threads = 256;  // of --threads
int parse_whole_number(std::string_view option, std::string_view text, int smallest, int largest);

// The names of the stages that a document has, for a sentence.
std::string stages_of(const AttentionConfig& config);

}  // namespace attnscope
