#include "cli/subcommands.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <vector>

#include "compute/computation.h"
#include "compute/model_run.h"
#include "core/words.h"
#include "files/array_files.h"
#include "files/result_file.h"
#include "platform/system/process.h"

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
    write_result(*result, part, arguments.out, document.tokens);
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

}  // namespace attnscope
