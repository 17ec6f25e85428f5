#include "features/files/file_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/json.h"
#include "document/json_value.h"
#include "features/shared/app_services.h"
#include "files/document_file.h"
#include "platform/system/file.h"
#include "platform/system/process.h"
#include "session/ui_state.h"

namespace attnscope {
namespace {

// Returns the document that stands in a file now. A file that cannot be read gives one that equals no other document.
LoadedFile saved_of(const LostDocument& lost, const PartWatch& watch) {
  if (lost.file.empty()) return {opening_document()};
  try {
    LoadedFile loaded = load_any_document(lost.file, watch);
    std::error_code ignored;
    const bool is_newer = std::filesystem::last_write_time(lost.file, ignored) > lost.time;
    if (is_newer) loaded.stamp = FileStamp();  // of no file: to save over what was written since is asked about
    return loaded;
  } catch (const Error&) {
    return {ImportedDocument{}};
  }
}

LoadedChanges load_changes(const LostDocument& lost, const UnpackWatch& watch) {
  const PartWatch part_watch = watch_of(watch, "");
  LoadedFile changed{Autosave::read(lost, part_watch)};
  LoadedFile saved = saved_of(lost, part_watch);
  auto* const viewing = std::get_if<ImportedDocument>(&changed.document);
  if (!viewing) return {LoadedDocument{std::get<Document>(std::move(changed.document))}, std::move(saved)};
  find_arrays_of(*viewing, lost.file);
  return {load_attention(changed, {}, nullptr, watch), std::move(saved)};
}

// Returns why it cannot be kept for the next start; empty if it is.
std::string keep_now(Autosave& autosave, const Unsaved& unsaved, const std::filesystem::path& file) {
  return autosave.is_on() ? autosave.update_now(unsaved, file) : "There is no folder to keep them in.";
}

}  // namespace

FileController::FileController(const AppServices& services, DocumentEditor& documents, SubjectDisplay& display,
                               FileReader& reader, DialogOpener& dialogs, LessonOpener& lessons, FilesShown& shown)
    : to_(services),
      documents_(documents),
      display_(display),
      reader_(reader),
      dialogs_(dialogs),
      lessons_(lessons),
      shown_(shown),
      saved_(to_.now.document),
      compared_(to_.now.edition) {}

void FileController::opened(std::filesystem::path file, bool is_from_picture, AnyDocument saved,
                            std::optional<FileStamp> stamp) {
  saved_ = std::move(saved);
  stamp_ = stamp;
  shown_.file = std::move(file);
  shown_.file_is_picture = is_from_picture;
  compare();
}

bool FileController::ask_before(std::function<void()> next) {
  finish_typing();
  if (!shown_.is_modified || is_step_of_lesson(to_.subject.to_save(to_.now.document))) return false;
  deferred_ = std::move(next);
  to_.dialog = {};
  to_.dialog.kind = DialogState::Kind::unsaved;
  return true;
}

// Returns whether a step of the lesson that is being made holds the document: then leaving it loses nothing.
bool FileController::is_step_of_lesson(const AnyDocument& document) const {
  const auto* const computed = std::get_if<Document>(&document);
  if (!to_.now.draft || !computed) return false;
  return std::ranges::any_of(to_.now.draft->lesson.steps,
                             [&](const LessonStep& step) { return *step.document == *computed; });
}

std::shared_ptr<SetAside> FileController::set_aside() {
  compare();
  if (!shown_.is_modified) return nullptr;
  auto aside = std::make_shared<SetAside>(SetAside{new_autosave(), to_.subject.to_save(to_.now.document), shown_.file});
  const std::string problem = aside->autosave.update_now(aside->document, aside->file);
  if (!problem.empty()) to_.messages.say(problem, true);
  std::erase_if(set_aside_, [](const auto& other) { return other.expired(); });
  set_aside_.push_back(aside);
  return aside;
}

void FileController::bring_back(SetAside& aside) {
  // If this fails, the document is kept anew in a moment.
  if (aside.autosave.is_on()) (void)failure_of([&] { autosave_.take_over(aside.autosave); });
}

// Applies typed text, because it belongs to the document that is about to be saved or left.
void FileController::finish_typing() {
  documents_.finish_edit();
  if (compared_ != to_.now.edition) compare();
}

void FileController::follow() {
  if (compared_ != to_.now.edition) compare();
  if (to_.dialog.kind == DialogState::Kind::none) deferred_ = nullptr;
}

void FileController::compare() {
  compared_ = to_.now.edition;
  shown_.is_modified = to_.subject.differs(to_.now.document, saved_, shown_.file);
}

bool FileController::save_to(const std::filesystem::path& path) {
  AnyDocument document = to_.subject.to_save(to_.now.document);
  const bool is_own_file = absolute_path(path) == absolute_path(shown_.file);
  const std::string failure = failure_of([&] {
    check_name_of_document(path);
    refuse_to_replace(path, files_in_use(document));
    save_document(document, path);
  });
  if (is_own_file) stamp_ = stamp_of(path);  // even a save that failed may have written it
  if (!failure.empty()) {
    if (to_.dialog.kind == DialogState::Kind::save_as) to_.dialog.error = failure;
    to_.messages.say(failure, true);
    return false;
  }
  opened(path, false, std::move(document), stamp_of(path));
  to_.view.document_folder = path.parent_path().string();
  to_.dialog = {};
  remember(path);
  to_.messages.say(fmt::format("Saved {}.", shown_path(path)));
  return true;
}

// An action that waited for this save goes on, now that nothing is lost by it. One that waited in vain is given up,
// unless the dialog is still there to try another name.
void FileController::save(const std::optional<std::filesystem::path>& wanted, bool replaces_changed) {
  finish_typing();
  const bool needs_name = shown_.file_is_picture || to_.subject.is_own_file(shown_.file);
  const std::filesystem::path path = wanted.value_or(needs_name ? std::filesystem::path() : shown_.file);
  if (path.empty()) return dialogs_.show_dialog(DialogState::Kind::save_as);
  if (!replaces_changed && was_changed(path)) return ask_to_replace(path);
  if (const auto model = model_without_sha256(to_.now.document))
    return save_once_hashed(wanted, replaces_changed, model);
  if (save_to(path)) do_deferred();
}

void FileController::do_deferred() {
  if (deferred_) to_.later(std::exchange(deferred_, nullptr));
}

// Returns whether another program or window has written the document's file since it was read or saved here.
bool FileController::was_changed(const std::filesystem::path& path) const {
  if (!stamp_ || absolute_path(path) != absolute_path(shown_.file)) return false;
  const std::optional<FileStamp> now = stamp_of(path);
  return now && now != stamp_;
}

void FileController::ask_to_replace(const std::filesystem::path& path) {
  to_.dialog = {};
  to_.dialog.kind = DialogState::Kind::question;
  to_.dialog.question = fmt::format(
      "{} has been changed by another program since it was opened or saved here. To replace it loses these changes; "
      "Save as keeps both.",
      shown_path(path.filename()));
  to_.dialog.yes = "Replace";
  to_.dialog.agreed = [this, path](const Controllers&) { save(path, true); };
}

// A document names its trained model by the checksum of the weights, which takes a while for a large model.
void FileController::save_once_hashed(const std::optional<std::filesystem::path>& path, bool replaces_changed,
                                      const std::shared_ptr<const TrainedModel>& model) {
  const auto wait = [model](const UnpackWatch& watch) -> Loaded {
    (void)model->checkpoint.sha256(watch_of(watch, ""));
    return {};
  };
  reader_.read(model->path, wait, [this, path, replaces_changed, deferred = deferred_](const Loaded&) {
    deferred_ = deferred;
    save(path, replaces_changed);
  });
}

void FileController::answer_unsaved(Answer answer) {
  to_.dialog = {};
  if (answer == Answer::save) {
    save();
  } else if (answer == Answer::discard && deferred_) {
    shown_.is_modified = false;
    do_deferred();
  }
}

void FileController::propose_name() {
  const bool is_unnamed = shown_.file.empty();
  if (to_.dialog.kind == DialogState::Kind::save_as) to_.dialog.name = name_to_save();
  if (to_.dialog.kind == DialogState::Kind::export_weights)
    to_.dialog.name = (is_unnamed ? "weights" : shown_.file.stem().string()) + ".safetensors";
  if (to_.dialog.kind == DialogState::Kind::export_page) {
    const Lesson* const lesson = lesson_on_screen(to_.now);
    to_.dialog.name = (lesson ? lesson->id : is_unnamed ? "attention" : shown_.file.stem().string()) + ".html";
  }
}

std::string FileController::name_to_save() const {
  if (shown_.file.empty()) return "attention.json";
  std::filesystem::path name = shown_.file.filename();
  if (shown_.file_is_picture || to_.subject.is_own_file(shown_.file)) name.replace_extension(".json");
  return name.string();
}

void FileController::quit(bool loses_them) {
  if (const std::string loss = loses_them ? "" : loss_of_quitting(); !loss.empty()) {
    to_.dialog = {};
    to_.dialog.kind = DialogState::Kind::question;
    to_.dialog.question = loss;
    to_.dialog.yes = "Quit";
    to_.dialog.agreed = [this](const Controllers&) { quit(true); };
    return;
  }
  if (ask_before([this, loses_them] { quit(loses_them); })) return;
  (void)failure_of([&] { recent_.keep(); });  // that they cannot be written was said before
  quit_requested_ = true;
  autosave_.forget();
  for (const std::weak_ptr<SetAside>& other : set_aside_)
    if (const auto aside = other.lock(); aside && is_step_of_lesson(aside->document)) aside->autosave.forget();
}

// Keeps what a program that ends does not ask about. Returns the sentence of what cannot be kept; empty if all is.
std::string FileController::loss_of_quitting() {
  if (const std::string problem = keep_lesson(); !problem.empty())
    return fmt::format("The lesson has changes that are not saved: they are lost. {}", problem);
  for (const std::weak_ptr<SetAside>& other : set_aside_) {
    const std::shared_ptr<SetAside> aside = other.lock();
    if (!aside || is_step_of_lesson(aside->document)) continue;
    if (const std::string problem = keep_now(aside->autosave, aside->document, aside->file); !problem.empty())
      return fmt::format(
          "The document that comes back when the lesson is closed has changes that are not saved: they are lost. {}",
          problem);
  }
  return "";
}

// Returns one that keeps nothing if there is no folder. That the folder cannot be used is said once.
Autosave FileController::new_autosave() {
  Autosave made;
  if (make_autosave_ && !to_.messages.attempt([&] { made = make_autosave_(); })) make_autosave_ = nullptr;
  return made;
}

Autosave& FileController::autosave_of_lesson() {
  if (!lesson_autosave_.is_on()) lesson_autosave_ = new_autosave();
  return lesson_autosave_;
}

// Keeps unsaved changes of the lesson that is being made. Returns why they cannot be kept; empty if they are, or if
// there are none.
std::string FileController::keep_lesson() {
  const LessonDraft* const draft = to_.now.draft.get();
  if (!draft || !draft->is_modified) {
    lesson_autosave_.forget();
    return "";
  }
  return keep_now(autosave_of_lesson(), std::make_shared<const Lesson>(draft->lesson), draft->file);
}

void FileController::refresh_recent() {
  recent_.refresh();
  shown_.recent = recent_.files();
}

void FileController::remember(const std::filesystem::path& path) {
  to_.messages.attempt([&] { recent_.add(path); });
  shown_.recent = recent_.files();
}

// Removes a file that is gone from the recent ones; a message has said why it could not be opened.
void FileController::forget_missing(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto is_it = [&](const RecentFile& file) { return file.path == path; };
  if (std::filesystem::exists(path, ignored) || std::ranges::none_of(recent_.files(), is_it)) return;
  const std::string failure = failure_of([&] { recent_.remove(path); });
  shown_.recent = recent_.files();
  to_.messages.say(
      failure.empty() ? fmt::format("{} is not there any more, and no longer among the recent files.", shown_path(path))
                      : failure,
      true);
}

void FileController::keep_state_in(const std::filesystem::path& folder, int process) {
  recent_ = RecentFiles(folder / "recent.json");
  shown_.recent = recent_.files();
  to_.messages.attempt([&] {
    autosave_ = Autosave(folder / "autosave", process);
    shown_.lost = autosave_.find_lost();
    make_autosave_ = [folder, process] { return Autosave(folder / "autosave", process); };
  });
  const bool has_lost = !shown_.lost.empty();
  if (has_lost && to_.dialog.kind == DialogState::Kind::none) dialogs_.show_dialog(DialogState::Kind::restore);
}

void FileController::autosave(double now) {
  const auto document = [this] { return to_.subject.to_save(to_.now.document); };
  const auto problem = autosave_.update(document, to_.now.edition, shown_.is_modified, shown_.file, now);
  if (problem) to_.messages.say(*problem, true);
  const LessonDraft none;
  const LessonDraft& draft = to_.now.draft ? *to_.now.draft : none;
  const auto lesson = [&] { return std::make_shared<const Lesson>(draft.lesson); };
  Autosave& of_lesson = draft.is_modified ? autosave_of_lesson() : lesson_autosave_;
  const auto problem_of_lesson = of_lesson.update(lesson, draft.edition, draft.is_modified, draft.file, now);
  if (problem_of_lesson) to_.messages.say(*problem_of_lesson, true);
}

double FileController::seconds_to_autosave(double now) const {
  const double of_document = autosave_.seconds_to_update(now);
  const double of_lesson = lesson_autosave_.seconds_to_update(now);
  return of_document < 0 ? of_lesson : of_lesson < 0 ? of_document : std::min(of_document, of_lesson);
}

void FileController::keep_unsaved() {
  if (quit_requested_) return;
  to_.messages.attempt([&] { finish_typing(); });
  if (const std::string problem = keep_lesson(); !problem.empty()) to_.messages.say(problem, true);
  if (!shown_.is_modified) return autosave_.forget();
  const std::string problem = autosave_.update_now(to_.subject.to_save(to_.now.document), shown_.file);
  if (!problem.empty()) to_.messages.say(problem, true);
}

void FileController::show_lost(LoadedDocument changed, LoadedFile saved, const LostDocument& lost) {
  display_.show({.document = std::move(changed.document),
                 .file = lost.file,
                 .is_from_picture = saved.is_from_picture,
                 .saved = std::move(saved.document),
                 .stamp = saved.stamp});
}

void FileController::show_lost(LoadedAttention attention, LoadedFile saved, const LostDocument& lost) {
  const std::filesystem::path arrays = attention.viewed->viewing().file;
  AttentionNames names = attention.viewed->names();
  display_.show_attention(std::move(attention));
  if (lost.file == arrays) {  // nothing was saved: names that were typed are to be
    auto viewing = std::get<ImportedDocument>(saved_);
    viewing.tokens = std::move(names.keys);
    viewing.query_tokens = std::move(names.queries);
    saved.document = std::move(viewing);
  }
  opened(lost.file, saved.is_from_picture, std::move(saved.document), saved.stamp);
}

void FileController::restore_lost(const std::filesystem::path& kept_in) {
  const auto found = std::ranges::find(shown_.lost, kept_in, &LostDocument::kept_in);
  const auto again = [this, kept_in] { restore_lost(kept_in); };
  if (found == shown_.lost.end()) return;
  if (found->is_lesson) return restore_lesson(*found);
  if (ask_before(again)) return;
  reader_.read(
      found->kept_in, [lost = *found](const UnpackWatch& watch) -> Loaded { return load_changes(lost, watch); },
      [this, again, lost = *found](Loaded loaded) {
        if (!ask_before(again)) take_lost(std::get<LoadedChanges>(std::move(loaded)), lost);
      });
}

// Goes on with a lesson that was being made.
void FileController::restore_lesson(const LostDocument& lost) {
  if (to_.now.draft) throw Error("A lesson is being made: close it first.");
  reader_.read(
      lost.kept_in,
      [lost](const UnpackWatch& watch) -> Loaded {
        return LoadedLessons{{std::make_shared<const Lesson>(Autosave::read_lesson(lost, watch_of(watch, "")))}};
      },
      [this, lost](const Loaded& loaded) {
        if (to_.now.draft) throw Error("A lesson is being made: close it first.");
        autosave_of_lesson().take_over(lost);
        autosave_.release(lost.kept_in);
        lessons_.restore_lesson(std::get<LoadedLessons>(loaded).lessons.front(), lost.file);
        forget_lost(lost);
      });
}

// Takes unsaved changes that were restored from the list of those that are left.
void FileController::forget_lost(const LostDocument& lost) {
  std::erase_if(shown_.lost, [&](const LostDocument& other) { return other.kept_in == lost.kept_in; });
  to_.dialog = {};
  const std::size_t more = shown_.lost.size();
  to_.messages.say(
      more == 0 ? "Restored the unsaved changes."
                : fmt::format("Restored the unsaved changes; {} more are in File ▸ Restore unsaved changes…", more));
}

void FileController::take_lost(LoadedChanges loaded, const LostDocument& lost) {
  autosave_.take_over(lost);
  const auto* const attention = std::get_if<LoadedAttention>(&loaded.changed);
  const std::string note = attention ? attention->note : "";
  std::visit([&](auto& changed) { show_lost(std::move(changed), std::move(loaded.saved), lost); }, loaded.changed);
  forget_lost(lost);
  if (!note.empty()) to_.messages.say(note, true);
}

void FileController::discard_lost(const std::filesystem::path& kept_in) {
  const auto lost = std::ranges::find(shown_.lost, kept_in, &LostDocument::kept_in);
  if (lost == shown_.lost.end()) return;
  autosave_.discard(*lost);
  shown_.lost.erase(lost);
  if (shown_.lost.empty()) to_.dialog = {};
}

namespace {

constexpr std::size_t max_file_bytes = 1 << 20;
constexpr std::chrono::milliseconds patience_for_lock{500};

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

RecentFiles::RecentFiles(std::filesystem::path kept_in) : kept_in_(std::move(kept_in)) { refresh(); }

// Reads the list. A broken one counts as empty, because its files can be found again.
void RecentFiles::read() {
  if (kept_in_.empty() || !is_there(kept_in_)) return;
  std::vector<RecentFile> files;
  try {
    const std::string text = read_file(kept_in_, max_file_bytes);
    const JsonText json(text, "It");
    const JsonValue list = json.root();
    if (!list.is_array()) return;
    for (JsonItems paths(list); const JsonValue* path = paths.next();) {
      if (files.size() < max_files) files.push_back({path->text(), true});
    }
  } catch (const Error&) {
    return;
  }
  files_ = std::move(files);
}

void RecentFiles::refresh() {
  read();
  make_changes();
  for (RecentFile& file : files_) file.is_there = is_there(file.path);
}

void RecentFiles::make_changes() {
  for (const auto& change : unwritten_) change(files_);
  if (files_.size() > max_files) files_.resize(max_files);
}

void RecentFiles::keep() {
  if (unwritten_.empty()) return;
  FileLock lock;
  if (!kept_in_.empty()) lock = FileLock(kept_in_.string() + ".lock", patience_for_lock);
  refresh();
  if (lock.is_anothers()) return;
  unwritten_.clear();
  if (kept_in_.empty()) return;
  Json paths = Json::array();
  for (const RecentFile& file : files_) {
    if (!find_invalid_utf8(file.path.string())) paths.push_back(file.path.string());  // JSON has no other text
  }
  write_file(kept_in_, json_text(paths, 2) + "\n");
}

void RecentFiles::add(const std::filesystem::path& path) {
  unwritten_.push_back([path = absolute_path(path)](std::vector<RecentFile>& files) {
    std::erase_if(files, [&](const RecentFile& file) { return file.path == path; });
    files.insert(files.begin(), {path, true});
  });
  keep();
}

void RecentFiles::remove(const std::filesystem::path& path) {
  unwritten_.push_back([path = absolute_path(path)](std::vector<RecentFile>& files) {
    std::erase_if(files, [&](const RecentFile& file) { return file.path == path; });
  });
  keep();
}

}  // namespace attnscope
