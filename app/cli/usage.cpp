
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "cli/subcommands.h"
#include "core/evaluate.h"
#include "core/words.h"
#include "document/edit.h"
#include "files/arrays.h"
#include "files/checkpoint.h"
#include "files/file_kind.h"
#include "files/import.h"
#include "platform/system/file.h"
#include "platform/system/process.h"

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
    return or_refuse([&] { return load_document_or_picture(file); });
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

Stage stage_or_refuse(std::string_view option, std::string_view name, const AttentionConfig& config,
                      std::string_view also) {
  const std::optional<Stage> stage = stage_named(name);
  if (stage && has_stage(config, *stage)) return *stage;
  std::vector<std::string_view> names;
  if (!also.empty()) names.push_back(also);
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
                                                        {Of::mechanism, "Say which with --mechanism."}};
  return fmt::format("{} {}", needed.what(),
                     std::ranges::find(advice, needed.of, &std::pair<Of, std::string_view>::first)->second);
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

}  // namespace attnscope
