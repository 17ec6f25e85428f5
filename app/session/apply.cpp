#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "core/error.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "interchange/document_file.h"
#include "interchange/import.h"
#include "session/session.h"
#include "views/file_names.h"

// What each command does.
namespace attnscope {

// While a drag goes on, every change starts from the document as it was when the drag began: heads that snapped away
// come back when d_out returns.
void Session::apply(const EditDocument& command) {
  if (!command.finished && !edit_base_) edit_base_ = history_.current();
  Document document = edit_base_ && !command.finished ? *edit_base_ : history_.current();
  command.change(document);
  check(document);
  check_viewed(document);
  const bool changed = history_.edit(std::move(document), command.label);
  if (command.finished) {
    history_.finish();
    edit_base_.reset();
  }
  if (changed) document_changed();
}

void Session::apply(const FinishEdit&) {
  history_.finish();
  edit_base_.reset();
}

void Session::apply(const UpdateView& command) {
  const Backend backend = view_.backend;
  const int threads = view_.threads;
  command.change(view_);
  if (backend != view_.backend || threads != view_.threads) submit();
}

void Session::apply(const Undo&) {
  edit_base_.reset();
  const std::string label = history_.undo_label();
  if (!history_.undo()) return;
  document_changed();
  say(fmt::format("Undid {}.", label));
}

void Session::apply(const Redo&) {
  const std::string label = history_.redo_label();
  if (!history_.redo()) return;
  document_changed();
  say(fmt::format("Redid {}.", label));
}

void Session::show_document(Document document, std::filesystem::path file, std::unique_ptr<ViewedAttention> viewed) {
  stop_reading();
  use_viewed(std::move(viewed));
  saved_ = document;
  if (viewed_) saved_viewing_ = viewed_->to_save(document.tokens);
  file_ = std::move(file);
  file_is_picture_ = false;
  start_over(std::move(document));
}

// Shows a document without a past, from its beginning.
void Session::start_over(Document document) {
  history_.reset(std::move(document));
  edit_base_.reset();
  view_.pinned = viewed_ ? viewed_->first_cell() : std::nullopt;
  hovered_.reset();
  view_.head = 0;
  view_.batch = 0;
  view_.map = {};
  document_changed();
}

bool Session::ask_before(Command command) {
  if (!is_modified_) return false;
  deferred_ = std::move(command);
  dialog_ = {};
  dialog_.kind = DialogState::Kind::unsaved;
  return true;
}

void Session::apply(const NewDocument& command) {
  if (ask_before(command)) return;
  show_document(default_document(), {});
}

void Session::apply(const OpenBuiltin& command) {
  if (ask_before(command)) return;
  for (const BuiltinDocument& builtin : builtin_documents()) {
    if (builtin.id != command.id) continue;
    show_document(parse_document(builtin.json), {});
    say(fmt::format("{}: {}", builtin.title, builtin.summary));
  }
}

void Session::apply(const OpenFile& command) {
  if (is_array_path(command.path)) return import_file(command.path);
  if (take_token_file(command.path)) return;
  if (ask_before(command)) return;
  open_file(command.path);
}

bool Session::save_to(const std::filesystem::path& path) {
  try {
    save_document(any_document(), path);
  } catch (const Error& error) {
    if (dialog_.kind == DialogState::Kind::save_as) dialog_.error = error.what();
    say(error.what(), true);
    return false;
  }
  file_ = path;
  file_is_picture_ = false;
  saved_ = history_.current();
  if (viewed_) saved_viewing_ = viewed_->to_save(saved_.tokens);
  is_modified_ = false;
  view_.document_folder = path.parent_path().string();
  dialog_ = {};
  remember(path);
  say(fmt::format("Saved {}.", path.string()));
  return true;
}

void Session::apply(const SaveFile& command) {
  const std::filesystem::path path =
      command.path.value_or(file_is_picture_ || shows_arrays_file() ? std::filesystem::path() : file_);
  if (path.empty()) {
    apply(ShowDialog{ShowDialog::Kind::save_as});
    return;
  }
  const bool is_saved = save_to(path);
  // An action that waited for this save goes on, now that nothing is lost by it. One that waited in vain is given up,
  // unless the dialog is still there to try another name.
  if (is_saved && deferred_) queue_.push_back(*std::exchange(deferred_, std::nullopt));
  if (dialog_.kind == DialogState::Kind::none) deferred_.reset();
}

std::string Session::name_to_save() const {
  if (file_.empty()) return "attention.json";
  std::filesystem::path name = file_.filename();
  if (file_is_picture_ || shows_arrays_file()) name.replace_extension(".json");
  return name.string();
}

void Session::apply(const ShowDialog& command) {
  static constexpr DialogState::Kind kinds[] = {DialogState::Kind::open,           DialogState::Kind::save_as,
                                                DialogState::Kind::export_weights, DialogState::Kind::screenshot_folder,
                                                DialogState::Kind::shortcuts,      DialogState::Kind::glossary,
                                                DialogState::Kind::about,          DialogState::Kind::restore,
                                                DialogState::Kind::figure};
  dialog_ = {};
  dialog_.kind = kinds[static_cast<std::size_t>(command.kind)];
  dialog_.lists_tokens = viewed_ != nullptr;
  const bool for_screenshots = dialog_.kind == DialogState::Kind::screenshot_folder;
  const std::string& folder = for_screenshots ? view_.screenshot_folder : view_.document_folder;
  const bool is_file_dialog = dialog_.kind <= DialogState::Kind::screenshot_folder;
  if (is_file_dialog)
    list_folder(dialog_, folder.empty() ? std::filesystem::current_path() : std::filesystem::path(folder));
  if (dialog_.kind == DialogState::Kind::figure) show_figure_dialog();
  if (dialog_.kind == DialogState::Kind::save_as) dialog_.name = name_to_save();
  if (dialog_.kind == DialogState::Kind::export_weights)
    dialog_.name = (file_.empty() ? "weights" : file_.stem().string()) + ".safetensors";
}

void Session::apply(const CloseDialog&) {
  apply(StopFigure{});
  dialog_ = {};
  deferred_.reset();
  wanted_screenshot_scale_.reset();
}

void Session::apply(const AnswerUnsaved& command) {
  dialog_ = {};
  if (command.answer == AnswerUnsaved::Answer::cancel) {
    deferred_.reset();
  } else if (command.answer == AnswerUnsaved::Answer::save) {
    apply(SaveFile{});
  } else if (deferred_) {
    is_modified_ = false;
    queue_.push_back(*std::exchange(deferred_, std::nullopt));
  }
}

void Session::apply(const ChooseScreenshotFolder& command) {
  std::error_code failure;
  std::filesystem::create_directories(command.folder, failure);
  if (failure || !std::filesystem::is_directory(command.folder, failure)) {
    dialog_.error = fmt::format("{} is not a folder that can be written to.", command.folder.string());
    return;
  }
  view_.screenshot_folder = command.folder.string();
  dialog_ = {};
  if (const std::optional<int> scale = std::exchange(wanted_screenshot_scale_, std::nullopt)) {
    screenshot_ = {.scale = *scale};
  } else {
    say(fmt::format("Screenshots go to {}.", view_.screenshot_folder));
  }
}

// The folder is asked for once, then remembered.
void Session::apply(const TakeScreenshot& command) {
  if (view_.screenshot_folder.empty() && !command.is_for_clipboard) {
    apply(ShowDialog{ShowDialog::Kind::screenshot_folder});
    wanted_screenshot_scale_ = command.scale;
    return;
  }
  screenshot_ = {command.scale, command.is_for_clipboard};
}

void Session::apply(const MeasureBackends&) {
  if (performance_->comparison.is_running) return;
  tiles_.pause(true);
  evaluator_.measure(history_.current().config, view_.threads);
  performance_ = evaluator_.performance();
}

void Session::apply(const CopyText& command) {
  ImGui::SetClipboardText(command.text.c_str());
  say(command.message);
}

void Session::apply(const PasteNumbers&) {
  const char* text = ImGui::GetClipboardText();
  const std::vector<std::vector<float>> rows = parse_number_block(text ? text : "");
  apply(EditDocument{"paste", [&rows](Document& document) { set_inputs(document, rows); }});
  say(fmt::format("Pasted {} tokens of {} numbers.", rows.size(), rows.front().size()));
}

void Session::apply(const Quit& command) {
  if (ask_before(command)) return;
  quit_requested_ = true;
  autosave_.forget();
}

}  // namespace attnscope
