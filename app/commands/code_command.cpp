#include "commands/code_command.h"

#include "commands/usage.h"
#include "compute/computation.h"
#include "interchange/code.h"
#include "platform/system/file.h"
#include "platform/system/process.h"

namespace attnscope {
namespace {

CodeLanguage language_of(const std::string& name) {
  if (name == "numpy") return CodeLanguage::numpy;
  return name == "latex" ? CodeLanguage::latex : CodeLanguage::pytorch;
}

}  // namespace

void run_code(const CodeArguments& arguments) {
  const CodeLanguage language = language_of(arguments.language);
  const Document document = load_or_refuse(arguments.document);
  if (code_needs_result(document, language)) check_free_memory(document.config);
  write_out(arguments.out, code_of(document, language));
}

}  // namespace attnscope
