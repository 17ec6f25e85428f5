#include "view_command.h"

#include <fmt/format.h>

#include <utility>

#include "interchange/arrays.h"
#include "interchange/document_file.h"
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

namespace {

// The layer and the names of tokens can be others than those that were saved.
LoadedAttention saved_attention(LoadedFile loaded, const std::string& file, const ViewArguments& arguments) {
  const ViewChoice choice = view_choice(arguments);
  auto& saved = std::get<ViewingDocument>(loaded.document);
  if (!choice.tensor.empty()) {
    throw UsageError(fmt::format("--tensor is \"{}\", but {} says itself which tensor it shows.", choice.tensor, file));
  }
  if (choice.layer && *choice.layer >= saved.layers) {
    throw UsageError(fmt::format("{}: Layer {} was asked for, but there {}.", file, *choice.layer + 1,
                                 saved.layers == 1 ? "is one layer" : fmt::format("are layers 1 to {}", saved.layers)));
  }
  saved.layer = choice.layer.value_or(saved.layer);
  if (choice.tokens) saved.tokens = tokens_of_file(*choice.tokens, saved.shape.back());
  const auto arrays = open_arrays_of(saved, file);
  LoadedAttention attention = load_attention(saved, arrays);
  attention.carrier = file;
  attention.is_from_picture = loaded.is_from_picture;
  return attention;
}

}  // namespace

ShownFile shown_or_refuse(const std::string& file, const ViewArguments& arguments) {
  try {
    if (is_array_path(file)) return load_attention(file, view_choice(arguments));
    LoadedFile loaded = load_any_document(file);
    if (std::holds_alternative<ViewingDocument>(loaded.document)) {
      return saved_attention(std::move(loaded), file, arguments);
    }
    refuse_view_options(arguments, file);
    return std::get<Document>(std::move(loaded.document));
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    const std::string sentence = error.what();
    throw UsageError(error.field, sentence.find(file) != std::string::npos ? sentence : file + ": " + sentence);
  }
}

int run_view(const ViewArguments& arguments) {
  ShownFile shown = shown_or_refuse(arguments.file, arguments);
  if (auto* const attention = std::get_if<LoadedAttention>(&shown)) return run_window(std::move(*attention));
  throw UsageError(
      fmt::format("{} is a document that is computed, and holds no attention of another program: open it "
                  "with attnscope {}.",
                  arguments.file, arguments.file));
}

}  // namespace attnscope
