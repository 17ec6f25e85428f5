#include "commands/command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "commands/bench_command.h"
#include "commands/code_command.h"
#include "commands/command_shape.h"
#include "commands/drive_command.h"
#include "commands/eval_command.h"
#include "commands/figure_command.h"
#include "commands/import_command.h"
#include "commands/lesson_command.h"
#include "commands/screenshot_command.h"
#include "commands/shared_options.h"
#include "commands/usage.h"
#include "commands/view_command.h"
#include "core/error.h"
#include "core/shown_text.h"
#include "document/version.h"
#include "features/shared/reading.h"
#include "interchange/arrays.h"
#include "lessons/lesson_files.h"
#include "look/themes.h"
#include "platform/system/file.h"
#include "platform/system/process.h"
#include "shell/run.h"
#include "workspace/licenses.h"

namespace attnscope {
namespace {

constexpr int exit_ok = 0;
constexpr int exit_failure = 1;
constexpr int exit_usage = 2;
constexpr int exit_interrupted = 130;

struct Arguments {
  std::string file;  // for the window; empty for the default document
  EvalArguments eval;
  CodeArguments code;
  BenchArguments bench;
  FigureArguments figure;
  ImportArguments import;
  WeightsArguments weights;
  ScreenshotArguments screenshot;
  DriveArguments drive;
  ViewArguments view;
  LessonArguments lesson;
  std::string shell;  // to complete for
};

int run_window_on(const std::string& file) {
  if (file.empty()) return run_window([](Session&) {});
  if (file == "-") throw UsageError("FILE is \"-\", but the window cannot read standard input: name a file.");
  // Faults of a document are said on the command line, before a window opens; faults of arrays, or
  // of files that take a while to read, are said in the window.
  if (is_lesson_path(file)) {
    for (const std::filesystem::path& lesson : lesson_files(file)) or_refuse([&] { load_lesson(lesson); });
  } else if (!is_array_path(file) && !is_large_file(file)) {
    opened_or_refuse(file, {});
  }
  return run_window([&](Session& session) { session.open_file(file); });
}

CLI::App* add_view(CLI::App& app, ViewArguments& arguments) {
  CLI::App* view = app.add_subcommand("view", "Show attention from another program in the window");
  view->add_option("FILE", arguments.file,
                   "Tensors of shape (..., T, T): .npy, .npz or .safetensors; or a saved view of them")
      ->required();
  add_view_options(*view, arguments);
  return view;
}

CLI::App* add_eval(CLI::App& app, EvalArguments& arguments) {
  CLI::App* eval = app.add_subcommand("eval", "Evaluate a document and write every stage as numbers");
  eval->add_option("DOC", arguments.document, document_help)->required();
  add_out(*eval, arguments.out, "File to write, .npz, .npy, .csv or .json (default: JSON on standard output)");
  eval->add_option(
      "--stages", arguments.stages,
      "Only these stages, separated by commas, as in scores,weights; weight matrices such as W_query are stages too");
  eval->add_option("--head", arguments.head, "Only this head, counted from 1");
  eval->add_option("--batch", arguments.batch, "Only this entry of the batch, counted from 1");
  eval->add_option("--backend", arguments.backend, "How to compute")->check(CLI::IsMember({"serial", "openmp"}));
  eval->add_option("--threads", arguments.threads,
                   "Threads for openmp, 1 to 256 (default: as many as the machine has)");
  return eval;
}

CLI::App* add_code(CLI::App& app, CodeArguments& arguments) {
  CLI::App* code = app.add_subcommand("code", "Write a document as code that computes and prints its stages");
  code->add_option("DOC", arguments.document, document_help)->required();
  code->add_option("--language", arguments.language, "What to write")
      ->check(CLI::IsMember({"pytorch", "numpy", "latex"}))
      ->capture_default_str();
  add_out(*code, arguments.out, "File to write (default: standard output)");
  return code;
}

CLI::App* add_screenshot(CLI::App& app, ScreenshotArguments& arguments) {
  CLI::App* screenshot = app.add_subcommand("screenshot", "Draw the window of a document as a PNG; needs no display");
  screenshot->add_option("DOC", arguments.document, shown_help);
  screenshot->add_option("--lesson", arguments.lesson,
                         "A lesson instead: a file, or one that comes with the program (attnscope lesson list)");
  screenshot->add_option("--step", arguments.step, "Step of the lesson, counted from 1 (default: the first)");
  add_out(*screenshot, arguments.out, "Picture to write, .png")->required();
  screenshot->add_option("--size", arguments.size, "Size of the window, WxH from 320x240 to 7680x4320")
      ->capture_default_str();
  screenshot->add_option("--scale", arguments.scale, "Pixels per unit, 0.5 to 4")->capture_default_str();
  std::vector<std::string> theme_ids;
  for (const ThemeColours& theme : themes()) theme_ids.emplace_back(theme.id);
  screenshot->add_option("--theme", arguments.theme, "Colours")->check(CLI::IsMember(theme_ids))->capture_default_str();
  screenshot->add_flag("--footer", arguments.has_footer,
                       "A line below the picture: mechanism, heads, seed, dropout, version");
  add_view_options(*screenshot, arguments.view);
  return screenshot;
}

CLI::App* add_drive(CLI::App& app, DriveArguments& arguments) {
  CLI::App* drive = app.add_subcommand("drive", "Carry out a script in the window, step by step; needs no display");
  drive->add_option("SCRIPT", arguments.script, "Steps as JSON; - for standard input")->required();
  add_out(*drive, arguments.folder, "Folder for the files that the script writes (default: the current one)");
  return drive;
}

CLI::App* add_bench(CLI::App& app, BenchArguments& arguments) {
  CLI::App* bench = app.add_subcommand(
      "bench",
      "Measure how long the window computes after an edit of all embeddings, compared with this processor's peak");
  bench->add_option("DOC", arguments.document, std::string(document_help) + " (default: GPT-2's attention)");
  bench->add_option("--threads", arguments.threads, "Threads, 1 to 256 (default: as many as the machine has)");
  bench->add_option("--repeat", arguments.repeat, "Number of accepted samples, 1 to 10000 (default: 15)");
  bench->add_flag("--json", arguments.json, "Print every number, as JSON");
  return bench;
}

CLI::App* add_import(CLI::App& app, ImportArguments& arguments) {
  CLI::App* import = app.add_subcommand("import", "Turn embeddings or weights from another program into a document");
  import->add_option("FILE", arguments.file, "Arrays: .npy, .npz, .csv or .safetensors")->required();
  add_out(*import, arguments.out, "Document to write, .json (default: standard output)");
  import->add_option("--document", arguments.document,
                     "Document that receives them (default: the notebook's six tokens)");
  import->add_option("--tensor", arguments.tensor,
                     "Name of the tensor of embeddings, or the beginning of the names of the weights");
  import->add_option("--rows", arguments.rows, "Rows that become tokens, A..B, counted from 1 (default: all)");
  import->add_option("--num-heads", arguments.num_heads, "Number of heads, if the file does not say");
  import->add_option("--mechanism", arguments.mechanism, "Mechanism of the weights, if the file leaves it open");
  return import;
}

CLI::App* add_weights(CLI::App& app, WeightsArguments& arguments) {
  CLI::App* weights = app.add_subcommand("weights", "Write every weight of a document for PyTorch");
  weights->add_option("DOC", arguments.document, document_help)->required();
  add_out(*weights, arguments.out, "File to write, .safetensors")->required();
  return weights;
}

CLI::App* add_lesson(CLI::App& app, LessonArguments& arguments) {
  CLI::App* lesson =
      app.add_subcommand("lesson", "Check lessons, list those that come with the program, or write one as a handout");
  lesson->add_option("ACTION", arguments.action, "What to do: check, list or handout")
      ->required()
      ->check(CLI::IsMember({"check", "list", "handout"}));
  lesson->add_option("FILE", arguments.path,
                     "Lesson, .json; check also takes a folder of lessons, handout also the id of a lesson");
  add_out(*lesson, arguments.out, "Handout to write, .pdf, with the answers at its end");
  return lesson;
}

CLI::App* add_completion(CLI::App& app, std::string& shell) {
  CLI::App* completion = app.add_subcommand("completion", "Print a script that completes this command line in a shell");
  completion->add_option("SHELL", shell, "The shell: bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return completion;
}

std::string completion_of(const CLI::App& app, const std::string& shell) {
  const std::vector<CommandShape> commands = command_shapes(app);
  if (shell == "bash") return bash_completion(commands);
  return shell == "zsh" ? zsh_completion(commands) : fish_completion(commands);
}

int run(int argc, const char* const* argv) {
  Arguments arguments;
  CLI::App app("attnscope: computes self-attention as the notebooks do, and explains every number", "attnscope");
  app.set_version_flag("--version", fmt::format("attnscope {}", version()), "Print the version and exit");
  bool asks_for_licenses = false;
  app.add_flag("--licenses", asks_for_licenses, "Print the licenses of attnscope and of its libraries, and exit");
  app.set_help_flag("-h,--help", "Print the commands, or the options of a command, and exit");
  app.add_option("FILE", arguments.file, "Document to open in the window, or a picture that carries one");
  app.require_subcommand(0, 1);
  int status = exit_ok;
  const std::pair<const CLI::App*, std::function<void()>> commands[] = {
      {add_eval(app, arguments.eval), [&] { run_eval(arguments.eval); }},
      {add_figure(app, arguments.figure),
       [&] { arguments.figure.sweep ? run_sweep(arguments.figure) : run_figure(arguments.figure); }},
      {add_screenshot(app, arguments.screenshot), [&] { run_screenshot(arguments.screenshot); }},
      {add_drive(app, arguments.drive), [&] { run_drive(arguments.drive); }},
      {add_view(app, arguments.view), [&] { status = run_view(arguments.view); }},
      {add_lesson(app, arguments.lesson), [&] { run_lesson(arguments.lesson); }},
      {add_code(app, arguments.code), [&] { run_code(arguments.code); }},
      {add_import(app, arguments.import), [&] { run_import(arguments.import); }},
      {add_weights(app, arguments.weights), [&] { run_weights(arguments.weights); }},
      {add_bench(app, arguments.bench), [&] { run_bench(arguments.bench); }},
      {app.add_subcommand("manual", "Print the manual page, for man"),
       [&] { write_standard_output(manual_page(command_shapes(app))); }},
      {add_completion(app, arguments.shell), [&] { write_standard_output(completion_of(app, arguments.shell)); }}};
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    write_standard_output(app.help());
    return exit_ok;
  } catch (const CLI::CallForVersion& version) {
    write_standard_output(std::string(version.what()) + "\n");
    return exit_ok;
  }
  for (const auto& [command, run_command] : commands) {
    if (!*command) continue;
    if (!arguments.file.empty())
      throw UsageError("\"" + arguments.file + "\" stands before the command, but a file must stand after it.");
    run_command();
    return status;
  }
  if (asks_for_licenses) {
    write_standard_output(licenses_text());
    return exit_ok;
  }
  return run_window_on(arguments.file);
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
