#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

namespace attnscope {
namespace {

// CLI11 keeps the choices of an option in the name of its type: "TEXT:{light,dark}".
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

OptionShape shape_of(const CLI::Option& option) {
  OptionShape shape;
  if (!option.get_lnames().empty()) shape.long_name = "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) shape.short_name = "-" + option.get_snames().front();
  if (shape.is_positional()) {
    shape.value = option.get_name(true);
  } else if (option.get_items_expected_max() > 0) {
    shape.value = "VALUE";
  }
  shape.choices = choices_of(option.get_type_name());
  shape.initial = option.get_default_str();
  shape.what = option.get_description();
  shape.is_required = option.get_required();
  return shape;
}

CommandShape shape_of(const CLI::App& app, const std::string& name) {
  CommandShape shape{name, app.get_description(), {}};
  for (const CLI::Option* option : app.get_options()) shape.options.push_back(shape_of(*option));
  return shape;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Inside single quotes, for shells that end them to write one.
std::string in_shell_quotes(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

std::string names_of(const CommandShape& command) {
  std::vector<std::string> names;
  for (const OptionShape& option : command.options) {
    if (!option.long_name.empty()) names.push_back(option.long_name);
  }
  return fmt::format("{}", fmt::join(names, " "));
}

std::vector<std::string> both_names(const OptionShape& option) {
  std::vector<std::string> names;
  if (!option.short_name.empty()) names.push_back(option.short_name);
  if (!option.long_name.empty()) names.push_back(option.long_name);
  return names;
}

// The values of options that have a choice, a line of `case` each.
std::string bash_choices(const CommandShape& command) {
  std::string lines;
  for (const OptionShape& option : command.options) {
    if (option.choices.empty() || option.is_positional()) continue;
    for (const std::string& name : both_names(option)) {
      lines += fmt::format("    \"{} {}\") COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); return ;;\n", command.name,
                           name, fmt::join(option.choices, " "));
    }
  }
  return lines;
}

std::string zsh_option(const OptionShape& option) {
  const auto escape = [](const std::string& text) {
    return replaced(replaced(replaced(text, "[", "\\["), "]", "\\]"), ":", "\\:");
  };
  std::string lines;
  for (const std::string& name : both_names(option)) {
    std::string spec = fmt::format("{}[{}]", name, escape(option.what));
    if (!option.value.empty()) {
      spec += option.choices.empty() ? ":value:_files" : fmt::format(":value:({})", fmt::join(option.choices, " "));
    }
    lines += " \\\n        " + in_shell_quotes(spec);
  }
  return lines;
}

std::string bash_completion(const std::vector<CommandShape>& commands) {
  std::vector<std::string> names;
  std::string choices;
  std::string options;
  for (const CommandShape& command : commands) {
    if (!command.name.empty()) names.push_back(command.name);
    choices += bash_choices(command);
    options += fmt::format("      \"{}\") COMPREPLY=($(compgen -W \"{}\" -- \"$current\")) ;;\n", command.name,
                           names_of(command));
  }
  return fmt::format(R"(# bash completion for attnscope
_attnscope() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command= word
  COMPREPLY=()
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in
      {}) command=$word; break ;;
    esac
  done
  case "$command $previous" in
{}  esac
  if [[ $current == -* ]]; then
    case $command in
{}    esac
    return
  fi
  [[ -n $command ]] || COMPREPLY=($(compgen -W "{}" -- "$current"))
  local IFS=$'\n'
  COMPREPLY+=($(compgen -f -- "$current"))
}}
complete -o filenames -F _attnscope attnscope
)",
                     fmt::join(names, "|"), choices, options, fmt::join(names, " "));
}

std::string zsh_completion(const std::vector<CommandShape>& commands) {
  std::string described;
  std::string cases;
  for (const CommandShape& command : commands) {
    std::string options;
    for (const OptionShape& option : command.options) options += zsh_option(option);
    if (!command.name.empty()) {
      described += "    " + in_shell_quotes(command.name + ":" + replaced(command.what, ":", "\\:")) + "\n";
    }
    const std::string pattern = command.name.empty() ? "*" : command.name;
    const std::string line = fmt::format("    {}) _arguments{} \\\n        '*:file:_files' ;;\n", pattern, options);
    cases = command.name.empty() ? line : cases.insert(cases.rfind("    *)"), line);
  }
  return fmt::format(R"(#compdef attnscope
_attnscope() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    _files
    return
  fi
  case $words[2] in
{}  esac
}}
_attnscope "$@"
)",
                     described, cases);
}

std::string fish_completion(const std::vector<CommandShape>& commands) {
  const auto quoted_here = [](const std::string& text) {
    return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
  };
  std::string lines = "# fish completion for attnscope\n";
  for (const CommandShape& command : commands) {
    std::string when = "__fish_use_subcommand";
    if (!command.name.empty()) {
      lines += fmt::format("complete -c attnscope -n __fish_use_subcommand -a {} -d {}\n", command.name,
                           quoted_here(command.what));
      when = quoted_here("__fish_seen_subcommand_from " + command.name);
    }
    for (const OptionShape& option : command.options) {
      if (option.is_positional()) continue;
      lines += fmt::format("complete -c attnscope -n {}", when);
      if (!option.short_name.empty()) lines += " -s " + option.short_name.substr(1);
      if (!option.long_name.empty()) lines += " -l " + option.long_name.substr(2);
      if (!option.choices.empty()) {
        lines += fmt::format(" -x -a {}", quoted_here(fmt::format("{}", fmt::join(option.choices, " "))));
      } else if (!option.value.empty()) {
        lines += " -r";
      }
      lines += fmt::format(" -d {}\n", quoted_here(option.what));
    }
  }
  return lines;
}

}  // namespace

std::vector<CommandShape> command_shapes(const CLI::App& app) {
  std::vector<CommandShape> shapes = {shape_of(app, "")};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    shapes.push_back(shape_of(*command, command->get_name()));
  }
  return shapes;
}

std::string completion(const std::vector<CommandShape>& commands, std::string_view shell) {
  if (shell == "bash") return bash_completion(commands);
  return shell == "zsh" ? zsh_completion(commands) : fish_completion(commands);
}

}  // namespace attnscope
