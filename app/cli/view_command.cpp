#include "cli/subcommands.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <utility>

#include "core/shown_text.h"
#include "core/words.h"
#include "document/edit.h"
#include "features/shared/reading.h"
#include "files/arrays.h"
#include "files/checkpoint.h"
#include "files/document_file.h"
#include "files/file_kind.h"
#include "files/import.h"
#include "window/run.h"

namespace attnscope {
namespace {

// Throws UsageError.
ViewChoice view_choice(const ViewArguments& arguments) {
  ViewChoice choice;
  choice.tensor = arguments.tensor;
  if (!arguments.layer.empty()) choice.layer = parse_whole_number("--layer", arguments.layer, 1, most_layers) - 1;
  if (!arguments.tokens.empty()) choice.tokens = arguments.tokens;
  return choice;
}

}  // namespace

void add_view_options(CLI::App& command, ViewArguments& arguments) {
  command.add_option("--tensor", arguments.tensor,
                     "Name of the tensor of attention weights in a file (default: the likeliest)");
  command.add_option("--layer", arguments.layer,
                     "Layer of a trained model or of the attention weights in a file, counted from 1");
  command.add_option("--tokens", arguments.tokens,
                     "Text file with the names of the tokens: one per line, or separated by blanks");
}

void refuse_view_options(const ViewArguments& arguments, const std::string& file) {
  for (const auto& [option, text] : {std::pair("--tensor", arguments.tensor), std::pair("--tokens", arguments.tokens),
                                     std::pair("--layer", arguments.layer)}) {
    if (text.empty()) continue;
    const bool is_layer = std::string_view(option) == "--layer";
    throw UsageError(fmt::format("{} is for attention in .npy, .npz or .safetensors{}, but {} is a document{}.", option,
                                 is_layer ? " and for trained models" : "", file, is_layer ? " of one layer" : ""));
  }
}

namespace {

// A large table of text can only be read as a whole.
std::shared_ptr<const NamedArrays> opened(const std::filesystem::path& path) {
  if (is_text_table(path) && is_large_file(path)) return nullptr;
  return std::make_shared<const NamedArrays>(read_arrays(path));
}

// Returns attention, or a document that begins with queries, keys and values.
OpenedFile opened_arrays(const std::string& file, const ViewArguments& arguments) {
  const ViewChoice choice = view_choice(arguments);
  const auto arrays = opened(file);
  if (arrays && choice.tensor.empty() && holds_heads(*arrays)) {
    refuse_view_options(arguments, file);
    return LoadedDocument{.document = document_of_heads(*arrays, std::filesystem::path(file).filename().string())};
  }
  if (arrays) check_choice(file, *arrays, choice);
  const auto load = [=](const UnpackWatch& watch) { return load_attention(file, arrays, choice, watch); };
  return OpenedAttention{is_large_file(file) || is_slow(arrays), load};
}

// Opens saved attention. The arguments can name another layer and other tokens than were saved.
OpenedAttention saved_attention(LoadedFile loaded, const std::string& file, const ViewArguments& arguments) {
  const ViewChoice choice = view_choice(arguments);
  auto& saved = std::get<ImportedDocument>(loaded.document);
  if (!choice.tensor.empty()) {
    throw UsageError(fmt::format("--tensor is {}, but {} already names its tensor: leave the option out.",
                                 in_quotes(choice.tensor), file));
  }
  if (choice.layer && *choice.layer >= saved.layers) {
    throw UsageError(fmt::format("{}: Layer {} was asked for, but there {}.", file, *choice.layer + 1,
                                 saved.layers == 1 ? "is one layer" : fmt::format("are layers 1 to {}", saved.layers)));
  }
  saved.layer = choice.layer.value_or(saved.layer);
  if (choice.tokens) saved.tokens = tokens_of_file(*choice.tokens, saved.shape.back());
  find_arrays_of(saved, file);
  const auto arrays = opened(saved.file);
  if (arrays) check_saved(saved, *arrays);
  const auto load = [=](const UnpackWatch& watch) { return load_attention(loaded, file, arrays, watch); };
  return {is_large_file(saved.file) || is_slow(arrays), load};
}

}  // namespace

OpenedFile opened_or_refuse(const std::string& file, const ViewArguments& arguments) {
  return or_refuse(file, [&]() -> OpenedFile {
    if (checked_kind_of_file(file) == FileKind::What::arrays) return opened_arrays(file, arguments);
    LoadedFile loaded = load_any_document(file);
    if (std::holds_alternative<ImportedDocument>(loaded.document)) {
      return saved_attention(std::move(loaded), file, arguments);
    }
    auto& document = std::get<Document>(loaded.document);
    ViewArguments of_attention = arguments;
    if (document.model) {
      if (arguments.layer != all_layers) show_layer_of_argument(document, arguments.layer);
      of_attention.layer.clear();
    }
    refuse_view_options(of_attention, file);
    return LoadedDocument{std::move(document), loaded.is_from_picture, loaded.view};
  });
}

ShownFile shown_or_refuse(const std::string& file, const ViewArguments& arguments) {
  OpenedFile opened = opened_or_refuse(file, arguments);
  if (auto* const document = std::get_if<LoadedDocument>(&opened)) return std::move(*document);
  LoadedAttention attention = or_refuse(file, [&] { return std::get<OpenedAttention>(opened).load({}); });
  if (!attention.note.empty()) tell(attention.note);
  return attention;
}

namespace {

// Opens the window. Large files are read once it is there.
int run_view(const ViewArguments& arguments) {
  const std::string& file = arguments.file;
  OpenedFile opened = opened_or_refuse(file, arguments);
  auto* const attention = std::get_if<OpenedAttention>(&opened);
  if (!attention) {
    throw UsageError(fmt::format(
        "{} is a document and holds no attention of another program: open it with attnscope {}.", file, file));
  }
  if (attention->is_slow) {
    return run_window([&](Session& session) { session.read_attention(file, std::move(attention->load)); });
  }
  LoadedAttention loaded = or_refuse(file, [&] { return attention->load({}); });
  return run_window([&](Session& session) { session.show_attention(std::move(loaded)); });
}

}  // namespace

Subcommand add_view(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<ViewArguments>();
  CLI::App* view = app.add_subcommand("view", "Show attention from another program in the window");
  view->add_option("FILE", arguments->file,
                   "Tensors of shape (..., T, T): .npy, .npz, .safetensors, .pt or .csv; or a saved view of them")
      ->required();
  add_view_options(*view, *arguments);
  add_num_heads(*view, arguments->file);
  return {view, [arguments, &status] { status = run_view(*arguments); }, true};
}

}  // namespace attnscope
