#include "brim_sight.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/script.h"
#include "core/error.h"
#include "core/text.h"
#include "cut_off.h"
#include "document/json.h"

namespace attnscope {
namespace {

using Faults = std::vector<std::string>;

constexpr float slack = 1.5f;  // letters' pictures are a little larger than they are

void look_at_document(const Session& session, Faults& faults) {
  try {
    check(session.shown().document);
    if (!session.shown().viewing && !(parse_document(to_json(session.shown().document)) == session.shown().document))
      faults.push_back("The document is another one when it is read again.");
  } catch (const Error& error) {
    faults.push_back(fmt::format("The document is none: {}", error.what()));
  }
  const Evaluation& evaluation = session.shown().evaluation;
  if (!evaluation.result && evaluation.error.empty()) faults.push_back("There are no numbers, and nothing says why.");
}

void look_at_sentence(const std::string& sentence, Faults& faults) {
  const bool is_one = sentence.ends_with('.') || sentence.ends_with('?') || sentence.ends_with(".”");
  if (!is_one || sentence != shown_text(sentence, most_of_a_message))
    faults.push_back(fmt::format("This is no sentence: {}", sentence));
}

}  // namespace

std::vector<std::string> faults_of(Session& session, UnseenWindow& window) {
  Faults faults;
  window.settle();
  look_at_document(session, faults);
  for (const Message& message : session.shown().messages) {
    if (message.is_error) look_at_sentence(message.text, faults);
  }
  if (!session.shown().dialog.error.empty()) look_at_sentence(session.shown().dialog.error, faults);
  const std::vector<VisibleText> texts = window.texts();
  if (!nlohmann::json::accept(read_window(session, window.widgets(), texts)))
    faults.push_back("What the window shows is no JSON.");
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  for (const VisibleText& text : texts) {
    const bool is_in = text.min_screen.x >= -slack && text.min_screen.y >= -slack &&
                       text.max_screen.x <= size.x + slack && text.max_screen.y <= size.y + slack;
    if (!is_in) faults.push_back(fmt::format("This text stands out of the window: {}", text.text));
  }
  for (std::string& fault : test::windows_cut_off()) faults.push_back(std::move(fault));
  return faults;
}

}  // namespace attnscope
