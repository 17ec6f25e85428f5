#include "features/setup/document_controller.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "document/edit.h"
#include "document/spelling.h"
#include "features/shared/app_services.h"
#include "files/import.h"

namespace attnscope {

DocumentController::DocumentController(const Document& document, const Subject& subject, DocumentShown& shown,
                                       MessageController& messages, const Desktop& desktop)
    : subject_(subject), shown_(shown), messages_(messages), desktop_(desktop), history_(document) {
  changed();
}

// While a drag goes on, every change starts from the document as it was when the drag began: heads that snapped away
// come back when d_out returns.
void DocumentController::edit(const DocumentEdit& edit) {
  if (edit.finished || edit.control != control_) finish();
  control_ = edit.control;
  const AttentionConfig before = history_.current().config;
  const std::shared_ptr<const Document> compared = history_.current().compared;
  if (!edit.finished && !edit_base_) edit_base_ = history_.current();
  Document document = edit_base_ ? *edit_base_ : history_.current();
  edit.change(document);
  check(document);
  subject_.check_edit(history_.current(), document);
  const bool is_changed = history_.edit(std::move(document), edit.label);
  if (edit.joins_last) history_.join();
  if (edit.finished) {
    const bool is_same_pair = compared == history_.current().compared;  // else two documents changed places
    if (is_same_pair) say_what_followed(before);
    finish();
  }
  if (is_changed) changed();
}

void DocumentController::type(const TextEdit& typed) {
  if (typed.control != control_) finish();
  control_ = typed.control;
  typed_.reset();
  shown_.typed.reset();
  if (!typed.change) return;
  typed_ = typed;
  shown_.typed = {typed.control, typed.text};
}

// Applies the typed text. One that cannot be applied stays in its field, to be corrected.
void DocumentController::apply_typed() {
  if (!typed_) return;
  const TextEdit typed = *std::exchange(typed_, std::nullopt);
  if (messages_.attempt([&] { edit({typed.label, typed.change}); })) shown_.typed.reset();
}

void DocumentController::say_what_followed(const AttentionConfig& before) {
  const std::string said = what_followed(before, history_.current().config);
  if (!said.empty()) messages_.say(said);
}

void DocumentController::finish_edit(std::uint32_t control, bool is_taken_back) {
  if (control != 0 && control != control_) return;
  if (is_taken_back) take_back();
  finish();
}

void DocumentController::take_back() {
  typed_.reset();
  shown_.typed.reset();
  if (!edit_base_) return;
  const bool is_changed = history_.edit(*std::exchange(edit_base_, std::nullopt), {});
  if (is_changed) changed();
}

void DocumentController::finish() {
  apply_typed();
  if (edit_base_) say_what_followed(edit_base_->config);
  history_.finish();
  edit_base_.reset();
  update_labels();
}

void DocumentController::undo() {
  apply_typed();
  edit_base_.reset();
  ++shown_.replaced;
  const std::string label = history_.undo_label();
  if (!history_.undo()) return;
  changed();
  messages_.say(fmt::format("Undid {}.", label));
}

void DocumentController::redo() {
  finish();
  ++shown_.replaced;
  const std::string label = history_.redo_label();
  if (!history_.redo()) return;
  changed();
  messages_.say(fmt::format("Redid {}.", label));
}

void DocumentController::name_edit_since(const std::shared_ptr<const Document>& before) {
  if (shown_.before == before || shown_.undo_label.empty()) return;
  std::string label = shown_.undo_label;
  label.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(label.front())));
  messages_.say(fmt::format("{}: Ctrl+Z takes it back.", label));
}

namespace {

// Returns whether a text is a table as spreadsheets and this program copy it: with names of its rows or columns, or
// with decimal commas, between tabs or semicolons.
bool is_table(std::string_view text) {
  const std::string_view whole = trimmed(text);
  if (whole.empty() || whole.ends_with(']') || whole.ends_with(')')) return false;  // numbers as Python has them
  const char separator = whole.find('\t') != std::string_view::npos ? '\t' : ';';
  if (whole.find(separator) == std::string_view::npos) return false;
  const std::string_view last = whole.substr(whole.rfind('\n') + 1);  // npos + 1 is 0
  for (const std::string_view line : {whole.substr(0, whole.find('\n')), last}) {
    const std::vector<std::string_view> fields = split(line, separator);
    const bool has_end = trimmed(fields.back()).empty();
    if (!std::all_of(fields.begin(), fields.end() - (has_end ? 1 : 0),
                     [](std::string_view field) { return read_float(trimmed(field)).has_value(); }))
      return true;
  }
  return false;
}

}  // namespace

void DocumentController::paste_numbers() {
  subject_.require_computed("There are no embeddings to paste numbers over");
  const std::string text = desktop_.copied_text();
  if (is_table(text)) {
    const NamedArrays table = parse_csv(text);
    edit({"paste", [&table](Document& document) { import_embeddings(document, table, {}); }});
    const std::vector<Index>& shape = table.arrays.front().shape;
    return messages_.say(fmt::format("Pasted {} tokens of {} numbers{}.", shape[0], shape[1],
                                     table.row_names.empty() ? "" : ", with their names"));
  }
  const std::vector<std::vector<float>> rows = parse_number_block(text);
  edit({"paste", [&rows](Document& document) { set_inputs(document, rows); }});
  messages_.say(fmt::format("Pasted {} tokens of {} numbers.", rows.size(), rows.front().size()));
}

void DocumentController::replace(Document document, const std::string& label) {
  apply_typed();
  edit_base_.reset();
  history_.finish();
  if (label.empty()) {
    history_.reset(std::move(document));
  } else {
    history_.edit(std::move(document), label);
    history_.finish();
  }
  changed();
}

namespace {

// Returns nothing if no number of the document is invented. The model that comes with the program is read when it is
// asked for the first time.
std::shared_ptr<const InventedWords> invented_in(const Document& document,
                                                 std::shared_ptr<const TrainedModel>& stories) {
  InventedWords invented;
  invented.words = invented_words(document);
  if (invented.words.empty()) return nullptr;
  invented.text = fmt::format("{}", fmt::join(document.tokens, " "));
  if (!stories) stories = read_model(std::string(example_prefix) + "stories");
  const std::optional<Index> unknown = stories->unknown;
  for (const std::string& word : document.tokens) {
    const std::vector<Index> tokens = stories->encode(word);
    const bool is_known = !tokens.empty() && (!unknown || std::ranges::find(tokens, *unknown) == tokens.end());
    const bool is_listed = std::ranges::find(invented.unknown_to_model, word) != invented.unknown_to_model.end();
    if (!is_known && !is_listed) invented.unknown_to_model.push_back(word);
  }
  invented.known_to_model = known_words(*stories);
  return std::make_shared<const InventedWords>(std::move(invented));
}

}  // namespace

void DocumentController::note_invented() {
  shown_.invented.reset();
  if (!shown_.document.model) shown_.invented = invented_in(shown_.document, stories_);
}

void DocumentController::changed() {
  shown_.typed.reset();
  const TokenNames names = shown_.document.tokens;
  const bool has_same_inputs = shown_.document.config.inputs == history_.current().config.inputs;
  shown_.document = history_.current();
  const bool are_new = !(names == shown_.document.tokens) || shown_.labels.size() != names.size();
  if (are_new) shown_.labels = token_labels(shown_.document.tokens);
  shown_.query_labels = begins_with_heads(shown_.document.config) ? query_labels(shown_.document) : no_labels;
  ++shown_.edition;
  update_labels();
  if (are_new || !has_same_inputs) note_invented();
}

void DocumentController::update_labels() {
  shown_.undo_label = history_.undo_label();
  shown_.redo_label = history_.redo_label();
  const Document* const before = history_.before();
  if (!before) {
    shown_.before.reset();
  } else if (!shown_.before || !(*before == *shown_.before)) {
    shown_.before = std::make_shared<const Document>(*before);
  }
}

}  // namespace attnscope
