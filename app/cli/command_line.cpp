#include "cli/command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <new>
#include <optional>
#include <string>

#include "cli/subcommands.h"
#include "core/shown_text.h"
#include "core/words.h"
#include "document/builtin.h"
#include "document/version.h"
#include "features/files/reading_controller.h"
#include "features/shared/licenses.h"
#include "platform/system/file.h"
#include "platform/system/process.h"
#include "window/frame.h"

namespace attnscope {
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
                                 add_weights(app),      add_bench(app)};
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
