#include "commands/import_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "commands/usage.h"
#include "core/shown_text.h"
#include "document/json.h"
#include "document/words.h"
#include "interchange/import.h"
#include "platform/system/file.h"
#include "platform/system/process.h"

namespace attnscope {
namespace {

// "2..7": the second to the seventh.
void take_rows(ImportChoice& choice, std::string_view text) {
  constexpr Index largest = 1'000'000'000'000;
  const std::size_t dots = std::min(text.find(".."), text.size());
  const Index first = number_of<Index>(text.substr(0, dots)).value_or(0);
  const Index last = number_of<Index>(text.substr(std::min(dots + 2, text.size()))).value_or(0);
  if (first < 1 || last < first || last > largest) {
    throw UsageError(fmt::format("--rows is {}, but it must be A..B, two rows counted from 1, with A no larger than B.",
                                 in_quotes(text)));
  }
  choice.first_row = first - 1;
  choice.row_count = last - first + 1;
}

Mechanism mechanism_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const MechanismInfo& mechanism : mechanisms()) {
    if (mechanism.id == name) return mechanism.mechanism;
    if (mechanism.weight_style != WeightStyle::none) names.push_back(mechanism.id);
  }
  throw UsageError(fmt::format("--mechanism is {}, but it must be one of the mechanisms with weights: {}.",
                               in_quotes(name), fmt::join(names, ", ")));
}

ImportChoice choice_of(const ImportArguments& arguments) {
  ImportChoice choice;
  choice.tensor = arguments.tensor;
  if (!arguments.rows.empty()) take_rows(choice, arguments.rows);
  if (!arguments.num_heads.empty()) {
    choice.num_heads = parse_whole_number("--num-heads", arguments.num_heads, 1, static_cast<int>(max_heads));
  }
  if (!arguments.mechanism.empty()) choice.mechanism = mechanism_named(arguments.mechanism);
  choice.keeps_inputs = !arguments.document.empty();
  return choice;
}

// The notebook's settings, without names for tokens that come from elsewhere.
Document unnamed_document() {
  Document document = default_document();
  document.tokens = numbered_tokens(token_count(document.config));
  return document;
}

Document imported(const ImportArguments& arguments, const ImportChoice& choice) {
  Document document = arguments.document.empty() ? default_document() : load_or_refuse(arguments.document);
  or_refuse(arguments.file, [&] {
    const NamedArrays file = read_arrays(arguments.file);
    const bool is_for_weights = holds_weights(file, choice);
    if (!is_for_weights && (choice.num_heads || choice.mechanism)) {
      throw UsageError(
          fmt::format("{}: --num-heads and --mechanism are for weights, but these are embeddings.", arguments.file));
    }
    if (is_for_weights && choice.first_row) {
      throw UsageError(fmt::format("{}: --rows is for embeddings, but these are weights.", arguments.file));
    }
    if (!is_for_weights && arguments.document.empty()) document = unnamed_document();
    import_arrays(document, file, choice);
  });
  return document;
}

}  // namespace

void run_import(const ImportArguments& arguments) {
  if (!arguments.out.empty() && std::filesystem::path(arguments.out).extension() != ".json") {
    throw UsageError(fmt::format("-o is {}, but a document is written as .json.", in_quotes(arguments.out)));
  }
  const std::string json = to_json(imported(arguments, choice_of(arguments)));
  if (json.size() > max_document_bytes) {
    throw UsageError(fmt::format("{} makes a document of {} bytes, but at most {} can be read again: take fewer rows.",
                                 arguments.file, json.size(), max_document_bytes));
  }
  write_out(arguments.out, json);
}

void run_weights(const WeightsArguments& arguments) {
  if (std::filesystem::path(arguments.out).extension() != ".safetensors") {
    throw UsageError(fmt::format("-o is {}, but weights are written as .safetensors.", in_quotes(arguments.out)));
  }
  const Document document = load_or_refuse(arguments.document);
  if (info(document.config.mechanism).weight_style == WeightStyle::none) {
    throw UsageError("mechanism", fmt::format("{}: {} has no weights that could be written.", arguments.document,
                                              info(document.config.mechanism).id));
  }
  export_weights(document, arguments.out);
}

}  // namespace attnscope
