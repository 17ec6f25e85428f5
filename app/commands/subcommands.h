#pragma once

#include <functional>
#include <string>

#include "commands/view_command.h"
#include "lessons/lesson.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace attnscope {

// A subcommand of the program: what parses its arguments, and what does it with them then. Throws Error.
struct Subcommand {
  const CLI::App* parser = nullptr;
  std::function<void()> run;
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
constexpr const char* document_help = "Document, or a picture that attnscope made; - for standard input";
constexpr const char* shown_help =
    "Document, picture that attnscope made, or attention of another program: .npy, .npz, .safetensors or a saved view";
CLI::Option* add_out(CLI::App& command, std::string& out, const std::string& words);
void add_view_options(CLI::App& command, ViewArguments& arguments);

// A lesson in a file, or one of the program's by its id. Throws UsageError where it has a mistake.
Lesson lesson_or_refuse(const std::string& name);

}  // namespace attnscope
