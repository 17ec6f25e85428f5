#include "commands/command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <new>
#include <string>

#include "commands/command_shape.h"
#include "commands/figure_command.h"
#include "commands/subcommands.h"
#include "core/shown_text.h"
#include "document/builtin.h"
#include "document/version.h"
#include "features/shared/reading.h"
#include "platform/system/process.h"
#include "shell/run.h"
#include "workspace/licenses.h"

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
    return run_window([&](Session& session) { session.push(OpenBuiltin{std::string(example->id)}); });
  Loaded loaded = or_refuse(file, [&] { return load_quickly(file); });
  if (std::holds_alternative<std::monostate>(loaded))
    return run_window([&](Session& session) { session.open_file(file); });
  return run_window([&](Session& session) { session.show(std::move(loaded), file); });
}

CLI::App* add_completion(CLI::App& app, std::string& shell) {
  CLI::App* completion = app.add_subcommand("completion", "Print a script that completes this command line in a shell");
  completion->add_option("SHELL", shell, "The shell: bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return completion;
}

int run(int argc, const char* const* argv) {
  CLI::App app("attnscope: computes self-attention as the notebooks do, and explains every number", "attnscope");
  app.set_version_flag("--version", fmt::format("attnscope {}", version()), "Print the version and exit");
  bool asks_for_licenses = false;
  app.add_flag("--licenses", asks_for_licenses, "Print the licenses of attnscope and of its libraries, and exit");
  app.set_help_flag("-h,--help", "Print the commands, or the options of a command, and exit");
  std::string file;
  app.add_option("FILE", file,
                 "Document, picture or trained model to open in the window, or an example as in example:stories");
  app.require_subcommand(0, 1);
  int status = exit_ok;
  FigureArguments figure;
  std::string shell;
  const Subcommand commands[] = {
      add_eval(app),
      {add_figure(app, figure), [&] { figure.sweep ? run_sweep(figure) : run_figure(figure); }},
      add_screenshot(app),
      add_drive(app),
      add_view(app, status),
      add_lesson(app),
      add_code(app),
      add_import(app),
      add_weights(app),
      add_bench(app),
      {app.add_subcommand("manual", "Print the manual page, for man"),
       [&] { write_standard_output(manual_page(command_shapes(app))); }},
      {add_completion(app, shell), [&] { write_standard_output(completion(command_shapes(app), shell)); }}};
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    write_standard_output(app.help());
    return exit_ok;
  } catch (const CLI::CallForVersion& version) {
    write_standard_output(std::string(version.what()) + "\n");
    return exit_ok;
  }
  for (const Subcommand& command : commands) {
    if (!*command.parser) continue;
    if (!file.empty()) throw UsageError("\"" + file + "\" stands before the command, but a file must stand after it.");
    command.run();
    return status;
  }
  if (asks_for_licenses) {
    write_standard_output(licenses_text());
    return exit_ok;
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
  } catch (const Interrupted& stopped) {
    return report(exit_interrupted, stopped.what());
  } catch (const std::bad_alloc&) {
    return report(exit_failure, "There is not enough memory for this document: make it smaller.");
  } catch (const std::exception& error) {
    return report(exit_failure, error.what());
  }
}

}  // namespace attnscope
