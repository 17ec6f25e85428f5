#include "cli/subcommands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

#include "core/shown_text.h"
#include "core/words.h"
#include "document/json.h"
#include "files/file_kind.h"
#include "files/import.h"

namespace attnscope {
namespace {

struct WeightsArguments {
  std::string document;
  std::string layer;
  std::string out;
};

struct ImportArguments {
  std::string file;
  std::string out;
  std::string document;
  std::string tensor;
  std::string rows;
  std::string num_heads;
  std::string mechanism;
};

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
  throw UsageError(fmt::format("--mechanism is {}{}", in_quotes(name),
                               known_names(name, names, ", but it must be one of the mechanisms with weights: ")));
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
    const FileKind kind = kind_of_file(arguments.file);
    if (!kind.refusal.empty()) throw Error(kind.refusal);
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
    const std::string note = import_arrays(document, file, choice);
    if (!note.empty()) tell(note);
  });
  return document;
}

void run_import(const ImportArguments& arguments) {
  if (!arguments.out.empty()) require_ending(arguments.out, ".json", "a document is");
  const std::string json = to_json(imported(arguments, choice_of(arguments)));
  if (json.size() > max_document_bytes) {
    throw UsageError(fmt::format("{} makes a document of {} bytes, but at most {} can be read again: take fewer rows.",
                                 arguments.file, json.size(), max_document_bytes));
  }
  write_out(arguments.out, json);
}

void run_weights(const WeightsArguments& arguments) {
  require_ending(arguments.out, ".safetensors", "weights are");
  const Document document = load_or_refuse(arguments.document, arguments.layer);
  refuse_whole_model(document, arguments.document, "weights are");
  if (info(document.config.mechanism).weight_style == WeightStyle::none) {
    throw UsageError("mechanism", fmt::format("{}: {} has no weights that could be written.", arguments.document,
                                              info(document.config.mechanism).id));
  }
  export_weights(document, arguments.out);
}

}  // namespace

Subcommand add_import(CLI::App& app) {
  const auto arguments = std::make_shared<ImportArguments>();
  CLI::App* import = app.add_subcommand("import", "Turn embeddings or weights from another program into a document");
  import->add_option("FILE", arguments->file, "Arrays: .npy, .npz, .csv, .txt, .safetensors, .pth, .pt, .bin or .ckpt")
      ->required();
  add_out(*import, arguments->out, "Document to write, .json (default: standard output)");
  import->add_option("--document", arguments->document,
                     "Document that receives them (default: the notebook's six tokens)");
  import->add_option("--tensor", arguments->tensor,
                     "Name of the tensor of embeddings, or the beginning of the names of the weights");
  import->add_option("--rows", arguments->rows, "Rows that become tokens, A..B, counted from 1 (default: all)");
  import->add_option("--num-heads", arguments->num_heads, "Number of heads, if the file does not say");
  import->add_option("--mechanism", arguments->mechanism, "Mechanism of the weights, if the file leaves it open");
  return {import, [arguments] { run_import(*arguments); }};
}

Subcommand add_weights(CLI::App& app) {
  const auto arguments = std::make_shared<WeightsArguments>();
  CLI::App* weights = app.add_subcommand("weights", "Write every weight of a document for PyTorch");
  weights->add_option("DOC", arguments->document, document_help)->required();
  weights->add_option("--layer", arguments->layer, layer_help);
  add_out(*weights, arguments->out, "File to write, .safetensors")->required();
  return {weights, [arguments] { run_weights(*arguments); }};
}

}  // namespace attnscope
