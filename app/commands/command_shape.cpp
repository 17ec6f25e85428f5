#include "commands/command_shape.h"

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

}  // namespace

std::vector<CommandShape> command_shapes(const CLI::App& app) {
  std::vector<CommandShape> shapes = {shape_of(app, "")};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    shapes.push_back(shape_of(*command, command->get_name()));
  }
  return shapes;
}

}  // namespace attnscope
