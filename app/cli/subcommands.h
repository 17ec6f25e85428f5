#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/shown_text.h"
#include "core/stage.h"
#include "features/shared/imported_file.h"
#include "teach/lesson.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

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
// Loads a document and shows the layer of its trained model that --layer names, if it names one. Throws UsageError.
Document load_or_refuse(const std::string& file, const std::string& layer);
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

// The typed choice of what to view in a file of attention; empty where it was left out.
struct ViewArguments {
  std::string file;
  std::string tensor;
  std::string tokens;
  std::string layer;
};

// Throws UsageError for a whole model where one layer is written: "weights are".
void refuse_whole_model(const Document& document, const std::string& file, std::string_view what);

constexpr int most_layers = 1'000'000;          // that --layer can name where a file does not say how many it has
constexpr std::string_view all_layers = "all";  // of a figure of a trained model
// Shows a layer of a trained model. Throws UsageError.
void show_layer_of_argument(Document& document, const std::string& layer);

// Throws UsageError where an option for attention was typed, but the file is a document.
void refuse_view_options(const ViewArguments& arguments, const std::string& file);

// A file of attention of which only the headers were read so far.
struct OpenedAttention {
  bool is_slow = false;                                     // to be read
  std::function<LoadedAttention(const UnpackWatch&)> load;  // throws Error
};
// Throws UsageError.
using OpenedFile = std::variant<LoadedDocument, OpenedAttention>;
OpenedFile opened_or_refuse(const std::string& file, const ViewArguments& arguments);

// The content of a file: a document, with the view of the picture that it is, or attention that was saved or is in the
// arrays themselves. Throws UsageError.
using ShownFile = std::variant<LoadedDocument, LoadedAttention>;
ShownFile shown_or_refuse(const std::string& file, const ViewArguments& arguments);

// A subcommand of the program: what parses its arguments, and what does it with them then. Throws Error.
struct Subcommand {
  const CLI::App* parser = nullptr;
  std::function<void()> run;
  bool opens_window = false;  // in which a document is saved over itself
};

// Each adds its subcommand to those of the program, in a file of its own, which keeps the arguments as they were typed:
// empty where they were left out.
Subcommand add_bench(CLI::App& app);
Subcommand add_code(CLI::App& app);
Subcommand add_drive(CLI::App& app);
Subcommand add_eval(CLI::App& app);
Subcommand add_import(CLI::App& app);
Subcommand add_lesson(CLI::App& app);
Subcommand add_screenshot(CLI::App& app);
Subcommand add_view(CLI::App& app, int& status);  // the status with which the window is closed
Subcommand add_weights(CLI::App& app);

// Options that several commands take.
constexpr const char* document_help =
    "Document, a picture that attnscope made, a trained model, or an example as in example:stories; - for standard "
    "input";
constexpr const char* layer_help = "Layer of a trained model, counted from 1 (default: as the document says)";
constexpr const char* shown_help =
    "Document, picture that attnscope made, or attention of another program: .npy, .npz, .safetensors or a saved view";
// Lets an option be one of these words; UsageError names the one that is close to another word.
void choose_among(CLI::Option* option, std::vector<std::string> words);
CLI::Option* add_out(CLI::App& command, std::string& out, const std::string& words);
void add_view_options(CLI::App& command, ViewArguments& arguments);

// A lesson in a file, or one of the program's by its id. Throws UsageError where it has a mistake.
Lesson lesson_or_refuse(const std::string& name);

}  // namespace attnscope
