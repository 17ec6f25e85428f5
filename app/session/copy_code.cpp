#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "interchange/code.h"
#include "session/session.h"

namespace attnscope {

// The text goes to the clipboard whole. Numbers that take an evaluation are those on the screen, never computed here.
void Session::apply(const CopyCode& command) {
  static constexpr CodeLanguage languages[] = {CodeLanguage::pytorch, CodeLanguage::numpy, CodeLanguage::latex};
  const CodeLanguage language = languages[static_cast<std::size_t>(command.language)];
  const Document& document = history_.current();
  const bool needs_result = code_needs_result(document, language);
  if (needs_result && !is_current()) {
    throw Error(fmt::format("The numbers of this document are still being computed: copy the {} when they are there.",
                            name_of(language)));
  }
  if (needs_result && !evaluation_.error.empty()) throw Error(evaluation_.error);
  const std::string code = code_of(document, language, needs_result ? evaluation_.result.get() : nullptr);
  ImGui::SetClipboardText(code.c_str());
  say(fmt::format("Copied this document as {}, {} lines.", name_of(language), std::ranges::count(code, '\n')));
}

}  // namespace attnscope
