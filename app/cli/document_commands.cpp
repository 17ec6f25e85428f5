#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "cli/command_line.h"
#include "compute/computation.h"
#include "core/text.h"
#include "document/file_formats.h"
#include "document/json.h"
#include "features/files/exchange_controller.h"
#include "files/array_files.h"
#include "files/code.h"
#include "files/document_file.h"
#include "files/file_kind.h"
#include "files/import.h"
#include "files/result_file.h"
#include "platform/system/process.h"
#include "teach/lesson.h"

namespace attnscope {

namespace {

struct EvalArguments {
  std::string document;
  std::string layer;
  std::string out;
  std::string stages;
  std::string head;
  std::string batch;
  std::string backend;
  std::string threads;
};

Execution execution_of(const EvalArguments& arguments) {
  Execution execution;
  if (!arguments.threads.empty())
    execution.threads = parse_whole_number("--threads", arguments.threads, 1, max_threads);
  if (arguments.backend == "serial") execution.backend = Backend::serial;
  if (arguments.backend == "openmp") {
    if (!has_openmp) throw UsageError("--backend is \"openmp\", but this build has no OpenMP: use serial.");
    execution.backend = Backend::openmp;
  }
  return execution;
}

// Returns the stages of a list with commas, each once; none for an empty list.
std::vector<Stage> chosen_stages(const AttentionConfig& config, std::string_view list) {
  std::vector<Stage> chosen;
  if (list.empty()) return chosen;
  for (const std::string_view word : split(list, ',')) {
    const Stage stage = stage_or_refuse("--stages", word, config);
    if (std::ranges::find(chosen, stage) == chosen.end()) chosen.push_back(stage);
  }
  return chosen;
}

// Returns the index on an axis that `text` means, which counts from 1; nothing for an empty text.
std::optional<Index> index_on_axis(std::string_view option, std::string_view text, Index count) {
  if (text.empty()) return std::nullopt;
  return parse_whole_number(option, text, 1, static_cast<int>(count)) - 1;
}

// Evaluates all layers of a trained model, as the document has changed them.
void evaluate_model(const Document& document, const EvalArguments& arguments, const Execution& execution) {
  if (!arguments.head.empty() || !arguments.batch.empty())
    throw UsageError("--head and --batch choose among the heads of one layer: choose a layer with --layer.");
  const std::shared_ptr<const ForwardPass> pass =
      or_refuse([&] { return run_all_layers(document.config, nullptr, execution); });
  const std::vector<std::string_view> names =
      arguments.stages.empty() ? std::vector<std::string_view>() : split(arguments.stages, ',');
  or_refuse([&] {
    const std::vector<WrittenArray> arrays = arrays_of(*pass, names);
    arguments.out.empty() ? write_json(arrays, write_standard_output) : write_arrays(arrays, arguments.out);
  });
}

void run_eval(const EvalArguments& arguments) {
  const bool has_file = !arguments.out.empty();
  if (has_file) or_refuse([&] { check_result_path(arguments.out); });
  const Execution execution = execution_of(arguments);
  const Document document = load_or_refuse(arguments.document, arguments.layer);
  if (document.is_whole_model) return evaluate_model(document, arguments, execution);
  const ResultPart part = {chosen_stages(document.config, arguments.stages),
                           index_on_axis("--batch", arguments.batch, document.config.batch_size),
                           index_on_axis("--head", arguments.head, head_count(document.config))};
  if (has_file) or_refuse([&] { check_result_fits(document.config, part, arguments.out); });
  const std::shared_ptr<const Result> result = compute(document.config, execution).result;
  if (has_file) {
    write_result(*result, part, arguments.out, RowNames(query_names(document), document.tokens));
  } else {
    write_json(*result, part, write_standard_output);
  }
}

}  // namespace

Subcommand add_eval(CLI::App& app) {
  const auto arguments = std::make_shared<EvalArguments>();
  CLI::App* eval = app.add_subcommand("eval", "Evaluate a document and write every stage as numbers");
  eval->add_option("DOC", arguments->document, document_help)->required();
  add_out(*eval, arguments->out, "File to write, .npz, .npy, .csv or .json (default: JSON on standard output)");
  eval->add_option(
      "--stages", arguments->stages,
      "Only these stages, separated by commas, as in scores,weights; weight matrices such as W_query are stages too");
  eval->add_option("--layer", arguments->layer, layer_help);
  add_num_heads(*eval, arguments->document);
  eval->add_option("--head", arguments->head, "Only this head, counted from 1");
  eval->add_option("--batch", arguments->batch, "Only this entry of the batch, counted from 1");
  choose_among(eval->add_option("--backend", arguments->backend, "How to compute"), {"serial", "openmp"});
  eval->add_option("--threads", arguments->threads,
                   "Threads for openmp, 1 to 256 (default: as many as the machine has)");
  return {eval, [arguments] { run_eval(*arguments); }};
}

namespace {

struct CodeArguments {
  std::string document;
  std::string layer;
  std::string language = "pytorch";
  std::string out;
};

CodeLanguage language_of(const std::string& name) {
  if (name == "numpy") return CodeLanguage::numpy;
  return name == "latex" ? CodeLanguage::latex : CodeLanguage::pytorch;
}

void run_code(const CodeArguments& arguments) {
  const CodeLanguage language = language_of(arguments.language);
  const Document document = load_or_refuse(arguments.document, arguments.layer);
  refuse_whole_model(document, arguments.document, "code is");
  if (code_needs_result(document, language)) check_free_memory(document.config);
  write_out(arguments.out, code_of(document, language));
}

}  // namespace

Subcommand add_code(CLI::App& app) {
  const auto arguments = std::make_shared<CodeArguments>();
  CLI::App* code = app.add_subcommand("code", "Write a document as code that computes and prints its stages");
  code->add_option("DOC", arguments->document, document_help)->required();
  add_num_heads(*code, arguments->document);
  code->add_option("--layer", arguments->layer, layer_help);
  CLI::Option* language = code->add_option("--language", arguments->language, "What to write");
  choose_among(language, {"pytorch", "numpy", "latex"});
  language->capture_default_str();
  add_out(*code, arguments->out, "File to write (default: standard output)");
  return {code, [arguments] { run_code(*arguments); }};
}

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

namespace fs = std::filesystem;

struct PageArguments {
  std::string name;
  std::string out;
};

void run_page(const PageArguments& arguments) {
  require_ending(arguments.out, ".html", "a page is");
  const fs::path empty = empty_page();
  if (empty.empty()) throw Error(std::string(no_page));
  const std::string name = fs::path(arguments.out).stem().string() + ".json";
  std::error_code none;
  const bool is_lesson =
      shipped_lesson(arguments.name) || (fs::is_regular_file(arguments.name, none) && is_lesson_path(arguments.name));
  const std::vector<PageFile> files =
      is_lesson ? or_refuse([&] { return page_files(lesson_or_refuse(arguments.name), name); })
                : or_refuse([&] { return page_files(load_or_refuse(arguments.name), name); });
  write_page(arguments.out, empty, files);
}

}  // namespace

Subcommand add_page(CLI::App& app) {
  const auto arguments = std::make_shared<PageArguments>();
  CLI::App* page = app.add_subcommand("page", "Write a page for browsers that opens with a document or a lesson");
  page->add_option("DOC", arguments->name,
                   fmt::format("{}; or a lesson, .json or the id of one of the program's", document_help))
      ->required();
  add_out(*page, arguments->out, "Page to write, .html: one file that needs no attnscope and no net")->required();
  return {page, [arguments] { run_page(*arguments); }};
}

Subcommand add_import(CLI::App& app) {
  const auto arguments = std::make_shared<ImportArguments>();
  CLI::App* import = app.add_subcommand("import", "Turn embeddings or weights from another program into a document");
  import->add_option("FILE", arguments->file, fmt::format("Arrays in {}, or a table in .txt", array_endings()))
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
