#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluate.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/document.h"
#include "document/edit.h"
#include "document/file_formats.h"
#include "features/files/reading_controller.h"
#include "features/shared/licenses.h"
#include "files/arrays.h"
#include "files/checkpoint.h"
#include "files/file_kind.h"
#include "files/import.h"
#include "platform/system/file.h"
#include "platform/system/process.h"
#include "window/frame.h"

namespace attnscope {

namespace {

// Reads the number that a whole text spells; false when there is none, or when it is out of bounds. Not a number
// compares false with everything and so is out of all bounds.
template <typename Number>
bool read_number(Number& number, std::string_view text, Number smallest, Number largest) {
  const std::optional<Number> spelled = number_of<Number>(text);
  number = spelled.value_or(number);
  return spelled && number >= smallest && number <= largest;
}

}  // namespace

void tell(std::string sentence) {
  std::ranges::replace(sentence, '\n', ' ');
  write_standard_error("attnscope: " + shown_text(sentence, most_of_a_message) + "\n");
}

Document load_or_refuse(const std::string& file) { return load_with_view_or_refuse(file).document; }

Document load_or_refuse(const std::string& file, const std::string& layer) {
  Document document = load_or_refuse(file);
  or_refuse(file, [&] { show_layer_of_argument(document, layer); });
  return document;
}

void show_layer_of_argument(Document& document, const std::string& layer) {
  if (layer.empty()) return;
  const int layers = document.model ? static_cast<int>(document.model->weights->shape.layers) : most_layers;
  show_layer(document, parse_whole_number("--layer", layer, 1, layers) - 1);
}

void refuse_whole_model(const Document& document, const std::string& file, std::string_view what) {
  if (!document.is_whole_model) return;
  throw UsageError(
      fmt::format("{} is a whole model, but {} written of one layer: choose it with --layer.", file, what));
}

LoadedDocument load_with_view_or_refuse(const std::string& file) {
  if (or_refuse([&] { return checked_kind_of_file(file); }) != FileKind::What::arrays)
    return or_refuse([&] {
      LoadedDocument loaded = load_document_or_picture(file);
      tell_of_placeholders(loaded.document, file);
      return loaded;
    });
  return or_refuse([&] {
    const NamedArrays arrays = read_arrays(file);
    if (holds_heads(arrays))
      return LoadedDocument{.document = document_of_heads(arrays, std::filesystem::path(file).filename().string())};
    if (holds_parameters(arrays)) or_refuse(file, [&] { refuse_parameters(arrays); });
    throw UsageError(
        fmt::format("{} is a file of arrays, but this command takes a document: attnscope import turns "
                    "embeddings or weights into one, and attnscope view shows attention.",
                    file));
  });
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
  throw UsageError(fmt::format("--size is {}, but it must be WxH from {}x{} to {}x{}.", in_quotes(text), smallest.width,
                               smallest.height, largest.width, largest.height));
}

double parse_number(std::string_view option, std::string_view text, double smallest, double largest) {
  double number = 0;
  if (read_number(number, text, smallest, largest)) return number;
  throw UsageError(
      fmt::format("{} is {}, but it must be a number from {} to {}.", option, in_quotes(text), smallest, largest));
}

int parse_whole_number(std::string_view option, std::string_view text, int smallest, int largest) {
  int number = 0;
  if (read_number(number, text, smallest, largest)) return number;
  throw UsageError(fmt::format("{} is {}, but it must be a whole number from {} to {}.", option, in_quotes(text),
                               smallest, largest));
}

Stage stage_or_refuse(std::string_view option, std::string_view name, const AttentionConfig& config) {
  const std::optional<Stage> stage = stage_named(name);
  if (stage && has_stage(config, *stage)) return *stage;
  std::vector<std::string_view> names;
  for (const StageInfo& known : stages()) {
    if (known.exists(config)) names.push_back(known.id);
  }
  if (!stage)
    throw UsageError(fmt::format("{} names {}{}", option, in_quotes(name),
                                 known_names(name, names, ", but the stages of this document are ")));
  throw UsageError(fmt::format("{} names {}, which {} does not have: its stages are {}.", option, in_quotes(name),
                               info(config.mechanism).id, fmt::join(names, ", ")));
}

std::string with_option(const ChoiceNeeded& needed) {
  using Of = ChoiceNeeded::Of;
  constexpr std::pair<Of, std::string_view> advice[] = {{Of::tensor, "Choose it with --tensor."},
                                                        {Of::rows, "Choose some with --rows A..B."},
                                                        {Of::num_heads, "Say it with --num-heads."},
                                                        {Of::mechanism, "Say which with --mechanism."},
                                                        {Of::numbers, "Say which with --numbers."}};
  return fmt::format("{} {}", needed.what(),
                     std::ranges::find(advice, needed.of, &std::pair<Of, std::string_view>::first)->second);
}

std::string shown_help() {
  return fmt::format(
      "Document, picture that attnscope made, trained model (its folder or checkpoint), or attention of another "
      "program: {} or a saved view",
      array_endings());
}

void tell_of_placeholders(const Document& document, const std::string& file) {
  const bool has_words = !document.model || document.model->encode;
  if (has_words || kind_of_file(file).what != FileKind::What::model) return;
  tell(
      fmt::format("{}: The model has no tokenizer beside it, so {} to {}, the first tokens that it knows, stand in for "
                  "a text.",
                  file, document.tokens[0], document.tokens[document.tokens.size() - 1]));
}

void add_num_heads(CLI::App& command, std::string& document) {
  command.add_option_function<std::string>(
      "--num-heads",
      [&document](const std::string& text) {
        const int heads = parse_whole_number("--num-heads", text, 1, static_cast<int>(max_heads));
        std::error_code none;
        if (!std::filesystem::exists(document, none)) return;  // which its reader says
        if (kind_of_file(document).what != FileKind::What::model) {
          throw UsageError(fmt::format("--num-heads is for a model whose files do not say it, but {} is none.",
                                       in_quotes(document)));
        }
        document = with_heads(document, heads);
      },
      "Number of heads of a model whose files do not say it");
}

void choose_among(CLI::Option* option, std::vector<std::string> words) {
  const std::string choices = fmt::format("{{{}}}", fmt::join(words, ","));  // of help, manual and completion
  const auto check = [option, words = std::move(words)](const std::string& word) {
    const std::vector<std::string_view> known(words.begin(), words.end());
    if (std::ranges::find(known, word) == known.end())
      throw UsageError(fmt::format("{} is {}{}", option->get_name(), in_quotes(word),
                                   known_names(word, known, ", but it must be one of ")));
    return std::string();
  };
  option->check(CLI::Validator(check, choices));
}

CLI::Option* add_out(CLI::App& command, std::string& out, const std::string& words) {
  const auto check = [](const std::string& path) { return path.empty() ? "the name of the file is empty" : ""; };
  return command.add_option("-o,--out", out, words)->check(CLI::Validator(check, ""));
}

void require_ending(const std::string& out, std::string_view ending, std::string_view what) {
  if (std::filesystem::path(out).extension() != ending)
    throw UsageError(fmt::format("-o is {}, but {} written as {}.", in_quotes(out), what, ending));
}

void write_out(const std::string& out, std::string_view text) {
  if (out.empty()) {
    write_standard_output(text);
  } else {
    write_file(out, text);
  }
}

namespace {

constexpr int exit_ok = 0;
constexpr int exit_failure = 1;
constexpr int exit_usage = 2;
constexpr int exit_interrupted = 130;

int run_window_on(const std::string& file) {
  if (file.empty()) return run_window([](Session&) {});
  if (file == "-") throw UsageError("FILE is \"-\", but the window cannot read standard input: name a file.");
  if (const auto example = or_refuse([&] { return example_named(file); }))
    return run_window([&](Session& session) {
      session.push([id = std::string(example->id)](const Controllers& to) { to.reading.open_example(id); });
    });
  Loaded loaded = or_refuse(file, [&] { return load_quickly(file); });
  if (std::holds_alternative<std::monostate>(loaded))
    return run_window([&](Session& session) { session.open_file(file); });
  return run_window([&](Session& session) { session.show(std::move(loaded), file); });
}

constexpr const char* end_of_help = R"(
The exit status is 0 for success, 2 for wrong usage, a bad document or a bad
script, 130 for work that Ctrl+C or SIGTERM stopped, and 1 for any other error.
Files are written whole or not at all. ATTNSCOPE_ISA in the environment chooses
the instruction set of the kernels: avx512, avx2, sse2 or portable.)";

// Says which command or option a word that nobody expected may have been meant as; nothing for any other word.
std::string suggestion_for(const CLI::App& app, const std::string& word) {
  const bool is_option = word.starts_with('-');
  std::vector<std::string> names;
  const auto add_names = [&](const CLI::App& command) {
    for (const CLI::Option* const option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  };
  if (is_option) {
    add_names(app);
    for (const CLI::App* const command : app.get_subcommands()) add_names(*command);
  } else {
    for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(command->get_name());
  }
  const std::string near =
      suggestion(word.substr(0, word.find('=')), std::vector<std::string_view>(names.begin(), names.end()));
  return near.empty() ? "" : fmt::format("{} is no {}{}", in_quotes(word), is_option ? "option" : "command", near);
}

// Throws UsageError if an option was typed without a value: "" would count as left out. A title may be empty.
void refuse_empty(const CLI::App& app) {
  for (const CLI::App* const command : app.get_subcommands()) {
    for (const CLI::Option* const option : command->get_options()) {
      const std::vector<std::string>& values = option->results();
      const bool may_be_empty = option->check_lname("title") || option->check_lname("caption");
      if (may_be_empty || std::ranges::find(values, "") == values.end()) continue;
      throw UsageError(fmt::format("{} is empty: leave it out, or give it a value.", option->get_name()));
    }
  }
}

// Throws UsageError if a command or an option of the command line is misspelled.
void parse(CLI::App& app, int argc, const char* const* argv, const std::string& file) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    std::vector<std::string> words = app.remaining(true);
    if (!file.empty() && !std::filesystem::exists(file)) words.insert(words.begin(), file);  // it stands for a command
    const std::vector<CLI::App*> commands = app.get_subcommands();
    for (const std::string& word : words) {
      const bool is_option = word.starts_with('-');
      if (!is_option && !commands.empty()) continue;  // the command is known
      if (const std::string near = suggestion_for(app, word); !near.empty()) throw UsageError(near);
      if (is_option && !commands.empty())
        throw UsageError(fmt::format("{} is no option of attnscope {}.", in_quotes(word.substr(0, word.find('='))),
                                     commands.front()->get_name()));
    }
    throw;
  }
}

int run(int argc, const char* const* argv) {
  CLI::App app("attnscope: computes self-attention as the notebooks do, and explains every number", "attnscope");
  app.set_version_flag("--version", fmt::format("attnscope {}", version()), "Print the version and exit");
  bool asks_for_licenses = false;
  app.add_flag("--licenses", asks_for_licenses, "Print the licenses of attnscope and of its libraries, and exit");
  app.set_help_flag("-h,--help", "Print the commands, or the options of a command, and exit");
  app.set_help_all_flag("--help-all", "Print the options of every command, and exit");
  app.footer(end_of_help);
  std::string file;
  app.add_option("FILE", file,
                 "Document, picture or trained model to open in the window, or an example as in example:stories");
  app.require_subcommand(0, 1);
  int status = exit_ok;
  FigureArguments figure;
  const Subcommand commands[] = {add_eval(app),         {add_figure(app, figure), [&] { run_any_figure(figure); }},
                                 add_screenshot(app),   add_drive(app),
                                 add_view(app, status), add_lesson(app),
                                 add_code(app),         add_import(app),
                                 add_weights(app),      add_page(app),
                                 add_bench(app)};
  try {
    parse(app, argc, argv, file);
    refuse_empty(app);
  } catch (const CLI::CallForHelp&) {
    write_standard_output(app.help());
    return exit_ok;
  } catch (const CLI::CallForAllHelp&) {
    write_standard_output(app.help("", CLI::AppFormatMode::All));
    return exit_ok;
  } catch (const CLI::CallForVersion& version) {
    write_standard_output(std::string(version.what()) + "\n");
    return exit_ok;
  }
  for (const Subcommand& command : commands) {
    if (!*command.parser) continue;
    if (!file.empty()) throw UsageError("\"" + file + "\" stands before the command, but a file must stand after it.");
    std::optional<InputRecord> record;
    if (!command.opens_window) record.emplace();
    command.run();
    return status;
  }
  if (asks_for_licenses) {
    write_standard_output(licenses_text());
    return exit_ok;
  }
  if (!file.empty() && file != "-" && !is_example(file) && !std::filesystem::exists(file)) {
    if (const std::string near = suggestion_for(app, file); !near.empty()) throw UsageError(near);
  }
  return run_window_on(file);
}

int report(int status, const std::string& sentence) {
  tell(sentence);
  return status;
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  try {
    return run(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report(exit_usage, shown_text(error.what()) + "; see attnscope --help");
  } catch (const UsageError& error) {
    return report(exit_usage, error.what());
  } catch (const ReplacesInput& error) {
    return report(exit_usage, error.what());
  } catch (const Interrupted& stopped) {
    return report(exit_interrupted, stopped.what());
  } catch (const std::bad_alloc&) {
    return report(exit_failure, "There is not enough memory for this document: make it smaller.");
  } catch (const std::exception& error) {
    return report(exit_failure, error.what());
  }
}

}  // namespace attnscope
