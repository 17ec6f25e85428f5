#include "features/session.h"

#include <fmt/format.h>

#include <utility>

#include "features/figures/figure_controller.h"
#include "features/files/exchange_controller.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "features/film/film_controller.h"
#include "features/gallery/gallery_controller.h"
#include "features/import/import_controller.h"
#include "features/lessons/lesson_controller.h"
#include "features/lessons/lesson_editor.h"
#include "features/model/model_controller.h"
#include "features/predict/prediction_controller.h"
#include "features/search/search_controller.h"
#include "features/setup/document_controller.h"
#include "features/setup/evaluation_controller.h"
#include "features/shared/app_services.h"
#include "features/teaching_views/teaching_view_controller.h"
#include "view/view_address.h"

namespace attnscope {
namespace {

constexpr double progress_seconds = 0.1;  // between looks at how far a file has been read

// A document that names no layer of its model is looked at as a whole.
void fit_layout(ViewState& view, const Document& document) {
  if (document.is_whole_model) view.mode = ViewMode::model;
  if (!document.model && view.mode == ViewMode::model) view.mode = ViewMode::diagram;
}

}  // namespace

// All controllers, and what they ask of each other.
struct Session::Parts final : DocumentEditor,
                              SubjectDisplay,
                              UnsavedChanges,
                              FileReader,
                              DialogOpener,
                              DialogContents,
                              LessonOpener,
                              FilmPlayer,
                              CoverRemover {
  Parts(Session& session, const Document& first, const std::function<void()>& wake);

  void edit(const DocumentEdit& edit) override { documents.edit(edit); }
  void finish_edit() override { documents.finish_edit(); }
  void show(Opened opened) override;
  void show_attention(LoadedAttention attention) override { viewing.show(std::move(attention)); }
  void show_other_part(std::shared_ptr<const ImportedFile> attention) override;
  void pin_anew() override;
  Opened set_aside() override;
  bool ask_before(std::function<void()> next) override { return files.ask_before(std::move(next)); }
  void keep_what_was_shown() override { files.compare(); }
  void forget_missing(const std::filesystem::path& path) override { files.forget_missing(path); }
  void read(const std::filesystem::path& path, Read read, Take take) override {
    reading.read(path, std::move(read), std::move(take));
  }
  void stop_reading() override { reading.stop(); }
  void show_dialog(DialogState::Kind kind) override { dialogs.show(kind); }
  void propose_file_name() override {
    files.propose_name();
    lesson_editor.propose_name();
  }
  void prepare_figure() override { figures.prepare(); }
  void name_figure() override { figures.propose_name(); }
  void stop_figure() override { figures.stop(); }
  void open_lessons(std::vector<std::shared_ptr<const Lesson>> lessons_of_files) override {
    lessons.open(lessons_of_files);
  }
  void restore_lesson(const std::shared_ptr<const Lesson>& lesson, const std::filesystem::path& file) override {
    lesson_editor.restore(lesson, file);
  }
  void try_lesson(std::shared_ptr<const Lesson> lesson, std::size_t step) override { lessons.try_out(lesson, step); }
  void watch_film(const Source& cell) override { films.watch(cell); }
  void close_film() override { films.close(); }
  void uncover() override { predictions.uncover(); }

  UiState& shown;
  Subject subject;
  MessageController messages;
  AppServices services;
  DialogController dialogs;
  ViewController views;
  DocumentController documents;
  EvaluationController evaluations;
  ComparisonController comparisons;
  TeachingViewController studies;
  ModelController models;
  FilmController films;
  GalleryController galleries;
  FileController files;
  ImportController viewing;
  ReadingController reading;
  FigureController figures;
  SearchController search;
  ExchangeController exchange;
  ScreenshotController screenshots;
  LessonController lessons;
  LessonEditor lesson_editor;
  PredictionController predictions;
  Controllers called;  // the controllers that calls go to

  // Pins the most telling weight of a document that was opened with nothing pinned, as soon as it is computed; the
  // inspector shows it until something else is clicked.
  void pin_first();
  bool awaits_pin = false;
  std::optional<Index> head_of_pin = {};  // it is one of this head; none: of any
  bool says_pin = false;                  // the user did not ask for it

  void follow_words();
  TokenNames words = {};                 // as they were when this was called last
  std::optional<Source> pin_of_words{};  // the number that was pinned then

  void fit_mode();
  void fit_stage();
  struct MissingStage {
    Stage wanted;
    Stage shown;  // in its place
  };
  std::optional<MissingStage> missing = {};  // the document has no such stage
};

Session::Parts::Parts(Session& session, const Document& first, const std::function<void()>& wake)
    : shown(session.state_),
      messages(shown.messages, session.desktop_),
      services{shown,
               subject,
               messages,
               [&session](std::function<void()> next) {
                 session.push([next = std::move(next)](const Controllers&) { next(); });
               },
               shown.view,
               shown.dialog,
               session.desktop_},
      dialogs(services, *this, wake),
      views(shown.view, shown.hovered),
      documents(first, subject, shown, messages, session.desktop_),
      evaluations(shown, subject, shown, wake),
      comparisons(shown, subject, shown, wake),
      studies(shown, shown, wake),
      models(services, *this, shown.model, shown.compared_model, wake),
      films(services, shown.film, wake),
      galleries(shown, shown.gallery, wake),
      files(services, *this, *this, *this, *this, *this, shown),
      viewing(services, *this, *this, *this, *this, shown),
      reading(services, *this, *this, *this, *this, shown.reading, shown.arrays, wake),
      figures(services, shown.figure, wake),
      search(shown, shown.go_to, shown.view),
      exchange(services),
      screenshots(services, *this),
      lessons(services, *this, *this, *this, *this, shown.lesson),
      lesson_editor(services, *this, *this, *this, *this, shown.draft),
      predictions(services, shown.prediction),
      called{messages,    dialogs, views,  documents, files,         reading,     viewing, exchange,
             screenshots, figures, search, lessons,   lesson_editor, predictions, models,  films} {}

void Session::Parts::show(Opened opened) {
  reading.stop();
  films.close();
  ++shown.replaced;
  subject = Subject(std::move(opened.attention));
  AnyDocument saved = opened.saved ? std::move(*opened.saved) : subject.to_save(opened.document);
  documents.replace(std::move(opened.document), opened.undo_label);
  viewing.subject_changed();
  const ImportedFile* const attention = subject.attention();
  views.start_over(attention ? attention->first_cell() : std::nullopt);
  look_as(shown.view, shown.document.config, opened.view);
  fit_layout(shown.view, shown.document);
  awaits_pin = opened.view.empty() && !attention;
  words = shown.document.tokens;
  head_of_pin.reset();
  const bool is_from_file = !opened.saved && !opened.file.empty();
  if (is_from_file) files.remember(opened.file);
  files.opened(std::move(opened.file), opened.is_from_picture, std::move(saved), opened.stamp);
  if (opened.unsaved) files.bring_back(*opened.unsaved);
}

void Session::Parts::pin_anew() {
  views.change([](ViewState& view) { view.pinned.reset(); });
  awaits_pin = true;
  head_of_pin.reset();
}

// Pins anew if a new sentence put other words at the pinned number. Renaming one word keeps the pin, and so does adding
// words beside it.
void Session::Parts::follow_words() {
  if (documents.is_editing()) return;
  const TokenNames before = std::exchange(words, shown.document.tokens);
  const std::optional<Source> pin = shown.view.pinned;
  const bool is_same = std::exchange(pin_of_words, pin) == pin;
  const bool is_old_pin = is_same && pin && is_query_by_key(info(pin->stage).axes);
  if (!is_old_pin || shown.viewing || shown.lesson.lesson || shown.draft || before == words) return;
  const auto is_other = [&](Index token) {
    const auto at = static_cast<std::size_t>(token);
    return at >= words.size() || at >= before.size() || words[at] != before[at];
  };
  Index others = 0;
  for (Index token = 0; token < static_cast<Index>(words.size()); ++token) others += is_other(token) ? 1 : 0;
  if (others < 2 || !(is_other(pin->row) || is_other(pin->col))) return;
  pin_anew();
  head_of_pin = shown.view.head;                               // the head stays
  says_pin = !shown.document.model && shown.messages.empty();  // what a paste said stays to be read
}

void Session::Parts::pin_first() {
  if (!awaits_pin) return;
  const bool is_looked_at = shown.view.pinned || shown.viewing || shown.lesson.lesson || shown.draft;
  const std::shared_ptr<const Result> result = shown.whole_result();
  if (is_looked_at || !shown.evaluation.error.empty()) awaits_pin = false;
  if (!awaits_pin || !result) return;
  awaits_pin = false;
  std::optional<Source> cell = most_telling_cell(*result, head_of_pin);
  if (!cell && says_pin) cell = most_telling_cell(*result);
  const bool is_said = std::exchange(says_pin, false) && cell && is_query_by_key(info(cell->stage).axes);
  if (cell) views.change([&](ViewState& view) { view.pinned = cell; });
  const auto name = [&](Index token) { return shown.labels[static_cast<std::size_t>(token)]; };
  if (is_said && std::max(cell->row, cell->col) < std::ssize(shown.labels))
    messages.say(
        fmt::format("The words are new: pinned is now what “{}” gives to “{}”.", name(cell->row), name(cell->col)));
}

// Shows the diagram in the place of the view of a model that Undo, for one, took away.
void Session::Parts::fit_mode() {
  if (shown.view.mode != ViewMode::model || shown.document.model) return;
  views.change([](ViewState& view) { view.mode = ViewMode::diagram; });
  messages.say("This document has no trained model, so the diagram is shown.");
}

// Shows the stage before the one that is shown large, or the first one, if the document lacks that one. It returns when
// the document has it again, unless somebody has chosen another one meanwhile.
void Session::Parts::fit_stage() {
  const std::shared_ptr<const Result> result = shown.whole_result();
  Stage& stage = shown.view.stage;
  if (missing && missing->shown != stage) missing.reset();
  if (!result || result->difference || !shown.view.mode.shows_one_stage) return;
  if (missing && has(*result, missing->wanted)) {
    views.change([&](ViewState& view) { view.stage = missing->wanted; });
    missing.reset();
  }
  if (has(*result, stage)) return;
  std::optional<Stage> nearest;
  for (const StageInfo& row : stages()) {
    if (has(*result, row.stage) && (!nearest || row.stage < stage)) nearest = row.stage;
  }
  if (!nearest) return;
  missing = MissingStage{missing ? missing->wanted : stage, *nearest};
  views.change([&](ViewState& view) { view.stage = *nearest; });
  messages.say(fmt::format("This document has no stage “{}”, so “{}” is shown.", info(missing->wanted).title,
                           info(*nearest).title));
}

Opened Session::Parts::set_aside() {
  return {.document = shown.document,
          .attention = subject.shared_attention(),
          .file = shown.file,
          .is_from_picture = shown.file_is_picture,
          .saved = files.saved(),
          .view = view_text(shown.view),
          .stamp = files.stamp(),
          .unsaved = files.set_aside()};
}

// Shows another layer; pinned cells and zoom stay.
void Session::Parts::show_other_part(std::shared_ptr<const ImportedFile> attention) {
  subject = Subject(attention);
  viewing.part_changed();
  AttentionNames names{shown.document.tokens, shown.document.query_tokens};
  const AttentionTensors& tensors = attention->tensors();
  if (std::ssize(names.keys) != tensors.keys) names = attention->names();
  if (std::ssize(names.queries) != tensors.queries) names.queries = attention->names().queries;
  Document document = attention->document(std::move(names));
  if (document.config == shown.document.config) return documents.touch();
  documents.replace(std::move(document));
  views.start_over(attention->first_cell());
}

Session::Session(const Document& document, ViewState view, const std::function<void()>& wake) {
  state_.view = std::move(view);
  fit_layout(state_.view, document);
  parts_ = std::make_unique<Parts>(*this, document, wake);
  parts_->awaits_pin = !state_.view.pinned;
  if (state_.view.head > 0) stay_in_head();
}

void Session::stay_in_head() { parts_->head_of_pin = state_.view.head; }

Session::~Session() = default;

void Session::begin_frame() { parts_->views.begin_frame(); }

void Session::end_frame() { parts_->views.end_frame(); }

bool Session::is_editing() const { return parts_->documents.is_editing(); }

// Runs the calls. What one of them throws becomes a message, and the program goes on.
bool Session::run_calls() {
  const std::uint64_t edition = state_.edition;
  const bool is_frame_asked = queue_.drain([this](const Call& call) {
    const std::string failure = failure_of([&] { call(parts_->called); });
    if (!failure.empty()) say(failure, true);
  });
  return follow() || is_frame_asked || state_.edition != edition;
}

bool Session::follow() {
  parts_->follow_words();
  parts_->files.follow();
  parts_->screenshots.follow();
  parts_->evaluations.follow(parts_->documents.is_editing());
  const bool is_new = poll();
  parts_->comparisons.follow();
  parts_->studies.follow();
  parts_->models.follow();
  parts_->films.follow();
  parts_->galleries.follow();
  parts_->viewing.follow();
  parts_->figures.follow();
  parts_->lessons.follow();
  parts_->lesson_editor.follow();
  parts_->predictions.follow();
  state_.footer = shows_footer_ ? parts_->subject.footer(state_.document) : "";
  return is_new;
}

bool Session::poll() {
  // A background thread may fail, for want of memory perhaps: that becomes a message.
  const auto poll_one = [this](auto& controller) {
    bool is_new = false;
    const std::string failure = failure_of([&] { is_new = controller.poll(); });
    if (!failure.empty()) say(failure, true);
    return is_new || !failure.empty();
  };
  const bool has_evaluated = poll_one(parts_->evaluations);
  const bool has_compared = poll_one(parts_->comparisons);
  const bool has_studied = poll_one(parts_->studies);
  const bool has_run = poll_one(parts_->models);
  const bool has_filmed = poll_one(parts_->films);
  const bool has_pictured = poll_one(parts_->galleries);
  const bool has_drawn = poll_one(parts_->figures);
  const bool has_read = poll_one(parts_->reading);
  const bool has_looked = poll_one(parts_->dialogs);
  if (has_read) {
    parts_->files.follow();
    parts_->evaluations.follow(parts_->documents.is_editing());
  }
  parts_->pin_first();  // of the document that was read, not of the one before it
  parts_->fit_mode();
  parts_->fit_stage();
  return has_evaluated || has_compared || has_studied || has_run || has_filmed || has_pictured || has_drawn ||
         has_read || has_looked;
}

void Session::wait_for_evaluation() {
  do {
    parts_->reading.wait();
    parts_->dialogs.wait();
    poll();
    parts_->evaluations.wait();
    parts_->figures.wait();
    poll();
    parts_->comparisons.follow();
    parts_->comparisons.wait();
    parts_->studies.follow();
    parts_->studies.wait();
    poll();
    parts_->models.follow();
    parts_->models.wait();
    poll();
    parts_->films.follow();
    parts_->films.wait();
    parts_->galleries.wait();
    // A poll may begin a job that ends before anybody looks: nothing is left when a poll finds nothing new.
  } while (poll() || parts_->reading.is_busy() || parts_->evaluations.is_waiting() || parts_->comparisons.is_busy() ||
           parts_->studies.is_busy() || parts_->models.is_busy() || parts_->films.is_busy() ||
           parts_->galleries.is_busy());
}

KeptUiState Session::kept() const {
  KeptUiState kept{state_, glyph_text(), to_save()};
  UiState& state = kept.state;
  state.is_busy = false;
  state.progress.reset();
  state.arrays.clear();
  state.wanted_layer.reset();
  state.reading.clear();
  state.footer = state.view.screenshot_footer ? parts_->subject.footer(state.document) : "";
  return kept;
}

void Session::open_file(const std::filesystem::path& path) {
  parts_->reading.open_without_asking(path);
  follow();
}

void Session::show(Loaded loaded, const std::filesystem::path& path) {
  parts_->reading.take(std::move(loaded), path);
  follow();
}

void Session::show_attention(LoadedAttention attention) {
  parts_->viewing.show(std::move(attention));
  follow();
}

void Session::read_attention(const std::filesystem::path& path,
                             std::function<LoadedAttention(const UnpackWatch&)> load) {
  parts_->reading.read(path, std::move(load),
                       [this, path](Loaded loaded) { parts_->reading.take(std::move(loaded), path); });
}

void Session::keep_state_in(const std::filesystem::path& folder, int process) {
  parts_->files.keep_state_in(folder, process);
}

void Session::keep_progress_in(const std::filesystem::path& file) { parts_->lessons.keep_progress_in(file); }

void Session::autosave(double now) { parts_->files.autosave(now); }

void Session::keep_unsaved() { parts_->files.keep_unsaved(); }

double Session::seconds_to_autosave(double now) const { return parts_->files.seconds_to_autosave(now); }

AnyDocument Session::to_save() const { return parts_->subject.to_save(state_.document); }

PictureCache& Session::picture_cache() { return parts_->evaluations.picture_cache(); }

bool Session::quit_requested() const { return parts_->files.quit_requested(); }

std::optional<ScreenshotRequest> Session::take_screenshot_request() { return parts_->screenshots.take_request(); }

void Session::say(std::string_view text, bool is_error) { parts_->messages.say(text, is_error); }

void Session::expire_messages(double now) { parts_->messages.expire(now); }

double Session::seconds_to_next_change(double now) const {
  if (!state_.reading.empty()) return progress_seconds;
  const double figure = parts_->figures.seconds_to_next_change(now);
  return figure >= 0 ? figure : parts_->messages.seconds_to_next_change(now);
}

std::string Session::window_title() const {
  const std::string name = state_.file.empty() ? "untitled" : state_.file.filename().string();
  return (state_.is_modified ? "• " : "") + name + " – attnscope";
}

std::string Session::glyph_text() const {
  std::string text = panel_text();
  for (const std::string& token : state_.document.tokens) text += token;
  return text;
}

std::string Session::panel_text() const {
  std::string text(symbols);
  text += parts_->subject.text();
  if (state_.typed) text += state_.typed->text;
  text += state_.file.filename().string() + state_.dialog.folder.string() + state_.dialog.name;
  text += parts_->lessons.text() + parts_->lesson_editor.text();
  text += state_.dialog.figure.options.title + state_.dialog.figure.options.caption;
  for (const DialogState::Entry& entry : state_.dialog.entries) text += entry.name;
  for (const std::string& line : state_.dialog.preview) text += line;
  for (const RecentFile& recent : state_.recent) text += recent.path.string();
  for (const LostDocument& lost : state_.lost) text += lost.file.string();
  return text;
}

}  // namespace attnscope
