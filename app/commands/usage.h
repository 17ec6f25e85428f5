#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "core/shown_text.h"
#include "core/stage.h"
#include "document/document.h"
#include "interchange/document_file.h"

namespace attnscope {

// Wrong usage or a bad document, as opposed to a machine that fails: exit status 2 instead of 1.
struct UsageError : Error {
  using Error::Error;
};

// Work that was to stop before its end, by Ctrl+C: exit status 130, as shells have it.
struct Interrupted : Error {
  using Error::Error;
};

// Runs the action and returns its result. Throws UsageError where the action throws Error.
template <typename Action>
auto or_refuse(const Action& action) {
  try {
    return action();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(error.field, error.what());
  }
}

// Does this, too; the sentence of the error names the file.
template <typename Action>
auto or_refuse(const std::string& file, const Action& action) {
  try {
    return action();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    const std::string sentence = error.what();
    throw UsageError(error.field,
                     sentence.find(shown_text(file)) != std::string::npos ? sentence : file + ": " + sentence);
  }
}

// One line on standard error, whatever the sentence quotes.
void tell(std::string sentence);

// The document of a file, "-" for standard input. Throws UsageError.
Document load_or_refuse(const std::string& file);
LoadedDocument load_with_view_or_refuse(const std::string& file);

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

// The stage of a document that an option names; `also` is what else it can name. Throws UsageError.
Stage stage_or_refuse(std::string_view option, std::string_view name, const AttentionConfig& config,
                      std::string_view also = {});

// Throws UsageError where a file cannot be written because its name ends otherwise; `what` is "a document is".
void require_ending(const std::string& out, std::string_view ending, std::string_view what);
// Writes the file `out`, or to standard output where that is empty.
void write_out(const std::string& out, std::string_view text);

}  // namespace attnscope
