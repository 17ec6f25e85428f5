#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/evaluate.h"
#include "core/stage.h"
#include "core/text.h"
#include "document/document.h"
#include "features/shared/imported_file.h"
#include "files/import.h"
#include "teach/lesson.h"
#include "view/figure_options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace attnscope {

// Runs what the arguments ask for: the window, or a command without one. Returns the exit status: 0; 2 for wrong usage
// or a bad document; 1 for anything else. Whatever goes wrong is one line on standard error.
int run_command_line(int argc, const char* const* argv);

// Wrong usage or a bad document, as opposed to a machine that fails: exit status 2 instead of 1.
struct UsageError : Error {
  using Error::Error;
};

// Ctrl+C stopped the work before its end: exit status 130, as in shells.
struct Interrupted : Error {
  using Error::Error;
};

// Returns the sentence about what a file leaves open, with the option that says it.
std::string with_option(const ChoiceNeeded& needed);

// Runs the action and returns its result. Throws UsageError where the action throws Error.
template <typename Action>
auto or_refuse(const Action& action) {
  try {
    return action();
  } catch (const UsageError&) {
    throw;
  } catch (const ChoiceNeeded& needed) {
    throw UsageError(needed.field, with_option(needed));
  } catch (const Error& error) {
    throw UsageError(error.field, error.what());
  }
}

// Does the same; the sentence of the error names the file.
template <typename Action>
auto or_refuse(const std::string& file, const Action& action) {
  try {
    return action();
  } catch (const UsageError&) {
    throw;
  } catch (const ChoiceNeeded& needed) {
    const std::string sentence = with_option(needed);
    throw UsageError(needed.field,
                     sentence.find(shown_text(file)) != std::string::npos ? sentence : file + ": " + sentence);
  } catch (const Error& error) {
    const std::string sentence = error.what();
    throw UsageError(error.field,
                     sentence.find(shown_text(file)) != std::string::npos ? sentence : file + ": " + sentence);
  }
}

// Writes one line on standard error, whatever the sentence quotes.
void tell(std::string sentence);

// Returns the document of a file, "-" for standard input. Throws UsageError.
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

// Returns a number within bounds. Throws UsageError that names the option.
double parse_number(std::string_view option, std::string_view text, double smallest, double largest);
constexpr int max_threads = 256;  // --threads takes no more
int parse_whole_number(std::string_view option, std::string_view text, int smallest, int largest);

// Returns the stage of a document that an option names. Throws UsageError.
Stage stage_or_refuse(std::string_view option, std::string_view name, const AttentionConfig& config);

// Says it of a model without a tokenizer, whose first tokens stand in for a text. A document of such a model names its
// own tokens.
void tell_of_placeholders(const Document& document, const std::string& file);

// Adds --num-heads, which names them in the path of a model whose files do not say how many there are. The option of
// the document has to be added before. Throws UsageError for another document.
void add_num_heads(CLI::App& command, std::string& document);

// Throws UsageError if the name of a file has another ending; `what` begins the sentence: "a document is".
void require_ending(const std::string& out, std::string_view ending, std::string_view what);
// Writes the file `out`, or to standard output where that is empty.
void write_out(const std::string& out, std::string_view text);

// The typed choice of what to view in a file of attention; empty where it was left out.
struct ViewArguments {
  std::string file;
  std::string tensor;
  std::string tokens;
  std::string query_tokens = {};
  std::string numbers = {};
  std::string layer;
};

// Throws UsageError for a whole model where one layer is written: "weights are".
void refuse_whole_model(const Document& document, const std::string& file, std::string_view what);

constexpr int most_layers = 1'000'000;          // largest --layer if a file does not say how many it has
constexpr std::string_view all_layers = "all";  // stands for all layers in --layer of `figure`
// Shows a layer of a trained model. Throws UsageError.
void show_layer_of_argument(Document& document, const std::string& layer);

// Throws UsageError where an option for attention was typed, but the file is a document.
void refuse_view_options(const ViewArguments& arguments, const std::string& file);

// The content of a file: a document, with the view of the picture that it is, or attention that was saved or is in the
// arrays themselves. Throws UsageError.
using ShownFile = std::variant<LoadedDocument, LoadedAttention>;
ShownFile shown_or_refuse(const std::string& file, const ViewArguments& arguments);
// Says what was concluded from the numbers of attention, unless it was saved and so was seen before.
void tell_of_attention(const LoadedAttention& attention, const std::string& file);

// A subcommand of the program: what parses its arguments, and what does it with them then. Throws Error.
struct Subcommand {
  const CLI::App* parser = nullptr;
  std::function<void()> run;
  bool opens_window = false;  // its window saves a document over itself
};

// Each adds its subcommand to those of the program, in a file of its own, which keeps the arguments as they were typed:
// empty where they were left out.
Subcommand add_bench(CLI::App& app);
Subcommand add_code(CLI::App& app);
Subcommand add_drive(CLI::App& app);
Subcommand add_eval(CLI::App& app);
Subcommand add_import(CLI::App& app);
Subcommand add_lesson(CLI::App& app);
Subcommand add_page(CLI::App& app);
Subcommand add_screenshot(CLI::App& app);
Subcommand add_view(CLI::App& app, int& status);  // the status with which the window is closed
Subcommand add_weights(CLI::App& app);

// Options that several commands take.
constexpr const char* document_help =
    "Document, a picture that attnscope made, a trained model (its folder or checkpoint), arrays of queries, keys and "
    "values, or an example as in example:stories; - for standard input";
constexpr const char* layer_help = "Layer of a trained model, counted from 1 (default: as the document says)";
std::string shown_help();  // of the commands that also show attention of another program
// Lets an option be one of these words; UsageError names the one that is close to another word.
void choose_among(CLI::Option* option, std::vector<std::string> words);
CLI::Option* add_out(CLI::App& command, std::string& out, const std::string& words);
void add_view_options(CLI::App& command, ViewArguments& arguments);

// Returns a lesson of a file, or one of the program's by its id. Throws UsageError if it has a mistake.
Lesson lesson_or_refuse(const std::string& name);

struct FigureChoice;

// The arguments of `attnscope figure`, as they were typed; empty where they were left out.
struct FigureArguments {
  std::string document;
  std::string out;
  std::map<std::string_view, std::string> words;  // words of the choices, by their keys
  std::set<std::string_view> inferred;            // choices that nobody typed
  std::vector<std::string> study_values;          // "masks=1000"
  std::optional<std::string> sweep;               // run_sweep() reads it
  std::string fps;                                // run_sweep() and run_film() read this and the next one
  std::string loop;
  ViewArguments view;

  std::string& operator[](std::string_view key) { return words[key]; }
  const std::string& operator[](std::string_view key) const { return words.at(key); }
  bool is_typed(std::string_view key) const { return !(*this)[key].empty() && !inferred.contains(key); }
  // Chooses what was not typed.
  void infer(std::string_view key, std::string word) {
    if (!(*this)[key].empty() || word.empty()) return;
    (*this)[key] = std::move(word);
    inferred.insert(key);
  }
};
std::string option_of(const FigureChoice& choice);  // "--font-size"

// Makes `attnscope figure` with its options, which are kept in the arguments.
CLI::App* add_figure(CLI::App& app, FigureArguments& arguments);

// Returns the options of a figure from its arguments. Throws UsageError.
FigureOptions figure_options(const FigureArguments& arguments, const Document& document);

// Fills arguments that were not typed from the view of the picture that carried the document; `seen`: that view, empty
// for none.
FigureArguments as_seen(FigureArguments arguments, const Document& document, const std::string& seen);
std::optional<Source> cell_seen(const Document& document, const std::string& seen);

// Throws UsageError if a typed control of a teaching view is none of this document's, or its value is out of range.
void check_controls(const FigureArguments& arguments, const FigureOptions& options, const Document& document,
                    const Result& result);

// Draws what the arguments ask for: a figure, a sweep or a film. Throws Error.
void run_any_figure(const FigureArguments& arguments);

// Writes an animated PNG, or a series of numbered ones, with one parameter of the document swept. Throws Error.
void run_sweep(const FigureArguments& arguments);

// Writes the film of a number as an animation, as a PDF of its key frames, or as numbered pictures. Throws Error.
void run_film(const FigureArguments& arguments);

}  // namespace attnscope
