#include <CLI/CLI.hpp>
#include <memory>

#include "cli/subcommands.h"
#include "compute/computation.h"
#include "files/code.h"

namespace attnscope {
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

}  // namespace attnscope
