#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/subcommands.h"
#include "core/evaluate.h"
#include "document/document.h"
#include "view/figure_options.h"

namespace CLI {
class App;
}

namespace attnscope {

struct FigureChoice;

// The arguments of `attnscope figure`, as they were typed; empty where they were left out.
struct FigureArguments {
  std::string document;
  std::string out;
  std::map<std::string_view, std::string> words;  // of the choices, by their keys
  std::set<std::string_view> inferred;            // choices that nobody typed
  std::vector<std::string> study_values;          // "masks=1000"
  std::optional<std::string> sweep;               // these three are for run_sweep()
  std::string fps;
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

// Evaluates a document, or reads attention of a file, and writes a figure of it as PNG, SVG or PDF. Throws Error.
void run_figure(const FigureArguments& arguments);

// Writes an animated PNG, or a series of numbered ones, with one parameter of the document swept. Throws Error.
void run_sweep(const FigureArguments& arguments);

}  // namespace attnscope
