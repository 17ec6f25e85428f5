#include "view_command.h"

#include <fmt/format.h>

#include "interchange/arrays.h"
#include "shell/run.h"
#include "usage.h"

namespace attnscope {
namespace {

// Throws UsageError.
ViewChoice view_choice(const ViewArguments& arguments) {
  constexpr int most_layers = 1'000'000;
  ViewChoice choice;
  choice.tensor = arguments.tensor;
  if (!arguments.layer.empty()) choice.layer = parse_whole_number("--layer", arguments.layer, 1, most_layers) - 1;
  if (!arguments.tokens.empty()) choice.tokens = arguments.tokens;
  return choice;
}

}  // namespace

void refuse_view_options(const ViewArguments& arguments, const std::string& file) {
  for (const auto& [option, text] : {std::pair("--tensor", arguments.tensor), std::pair("--tokens", arguments.tokens),
                                     std::pair("--layer", arguments.layer)}) {
    if (text.empty()) continue;
    throw UsageError(
        fmt::format("{} is for attention in .npy, .npz or .safetensors, but {} is a document.", option, file));
  }
}

LoadedAttention attention_or_refuse(const std::string& file, const ViewArguments& arguments) {
  const ViewChoice choice = view_choice(arguments);
  if (!is_array_path(file)) {
    throw UsageError(fmt::format("{} is not .npy, .npz or .safetensors, where attention is looked for.", file));
  }
  try {
    return load_attention(file, choice);
  } catch (const Error& error) {
    throw UsageError(error.field, error.what());
  }
}

int run_view(const ViewArguments& arguments) { return run_window(attention_or_refuse(arguments.file, arguments)); }

}  // namespace attnscope
