#include "session/session.h"

#include <tuple>
#include <utility>

#include "features/compare/comparison_controller.h"
#include "features/figures/figure_controller.h"
#include "features/files/exchange_controller.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "features/lessons/lesson_controller.h"
#include "features/model/model_controller.h"
#include "features/predict/prediction_controller.h"
#include "features/search/search_controller.h"
#include "features/setup/document_controller.h"
#include "features/setup/evaluation_controller.h"
#include "features/shared/dialog_controller.h"
#include "features/shared/picture_view.h"
#include "features/shared/view_controller.h"
#include "features/studies/study_controller.h"
#include "features/viewing/viewing_controller.h"

namespace attnscope {
namespace {

constexpr double progress_seconds = 0.1;  // between looks at how far a file has been read

// The inspector shows this until something is clicked: the second token's weight on the first, where there are two.
std::optional<Source> first_pinned(const Document& document) {
  if (token_count(document.config) < 2) return {};
  return Source{.stage = Stage::weights, .row = 1, .col = 0};
}

// A document that names no layer of its model is looked at as a whole.
void fit_layout(ViewState& view, const Document& document) {
  if (document.is_whole_model) view.layout = Layout::model;
  if (!document.model && view.layout == Layout::model) view.layout = Layout::diagram;
}

template <typename Controller, typename Specific>
concept Applies = requires(Controller controller, const Specific& command) {
  controller.apply(command);
};

}  // namespace

// Each command goes to the one controller that has an apply() for it.
struct Session::Controllers final : Switchboard {
  Controllers(Session& session, const Document& first, const std::function<void()>& wake);

  template <typename Specific>
  void apply(const Specific& command);

  bool ask_before(Command command) override { return files.ask_before(std::move(command)); }
  void pass_on(const Command& command) override;
  void read(const std::filesystem::path& path, Read read, Take take) override {
    reading.read(path, std::move(read), std::move(take));
  }
  void stop_reading() override { reading.stop(); }
  void show(Opened opened) override;
  Opened what_is_shown() const override;
  void show_attention(LoadedAttention attention) override { viewing.show(std::move(attention)); }
  void show_other_part(std::shared_ptr<const ViewedAttention> attention) override;
  void keep_what_was_shown() override { files.compare(); }
  void forget_missing(const std::filesystem::path& path) override { files.forget_missing(path); }

  UiState& shown;
  Subject subject;
  MessageController messages;
  AppServices services;
  DialogController dialogs;
  ViewController views;
  DocumentController documents;
  EvaluationController evaluations;
  ComparisonController comparisons;
  StudyController studies;
  ModelController models;
  FileController files;
  ViewingController viewing;
  ReadingController reading;
  FigureController figures;
  SearchController search;
  ExchangeController exchange;
  ScreenshotController screenshots;
  LessonController lessons;
  PredictionController predictions;
};

Session::Controllers::Controllers(Session& session, const Document& first, const std::function<void()>& wake)
    : shown(session.state_),
      messages(shown.messages, session.desktop_),
      services{shown, subject, messages, *this, session.queue_, shown.view, shown.dialog, session.desktop_},
      dialogs(services, wake),
      views(shown.view, shown.hovered),
      documents(first, subject, shown, messages, session.desktop_),
      evaluations(shown, subject, shown, wake),
      comparisons(shown, subject, shown, wake),
      studies(shown, shown, wake),
      models(services, shown.model, wake),
      files(services, shown),
      viewing(services, shown),
      reading(services, shown.reading, shown.arrays, wake),
      figures(services, shown.figure, wake),
      search(shown, shown.go_to, shown.view, wake),
      exchange(services),
      screenshots(services),
      lessons(services, shown.lesson),
      predictions(services, shown.prediction) {}

template <typename Specific>
void Session::Controllers::apply(const Specific& command) {
  const auto offer = [&](auto& controller) {
    if constexpr (Applies<decltype(controller), Specific>) controller.apply(command);
  };
  std::apply(
      [&](auto&... controller) {
        static_assert((Applies<decltype(controller), Specific> + ...) == 1, "each command belongs to one controller");
        (offer(controller), ...);
      },
      std::tie(messages, dialogs, views, documents, evaluations, files, viewing, reading, figures, search, exchange,
               screenshots, predictions, lessons, models));
}

void Session::Controllers::pass_on(const Command& command) {
  std::visit([this](const auto& specific) { apply(specific); }, command);
}

void Session::Controllers::show(Opened opened) {
  reading.stop();
  ++shown.replaced;
  subject = Subject(std::move(opened.attention));
  AnyDocument saved = opened.saved ? std::move(*opened.saved) : subject.to_save(opened.document);
  documents.replace(std::move(opened.document), opened.undo_label);
  viewing.subject_changed();
  const ViewedAttention* const attention = subject.attention();
  views.start_over(attention ? attention->first_cell() : std::nullopt);
  look_as(shown.view, shown.document.config, opened.view);
  fit_layout(shown.view, shown.document);
  const bool is_from_file = !opened.saved && !opened.file.empty();
  if (is_from_file) files.remember(opened.file);
  files.opened(std::move(opened.file), opened.is_from_picture, std::move(saved), opened.stamp);
}

Opened Session::Controllers::what_is_shown() const {
  return {.document = shown.document,
          .attention = subject.shared_attention(),
          .file = shown.file,
          .is_from_picture = shown.file_is_picture,
          .saved = files.saved(),
          .view = view_text(shown.view),
          .stamp = files.stamp()};
}

// Another layer: all that is pinned and zoomed stays.
void Session::Controllers::show_other_part(std::shared_ptr<const ViewedAttention> attention) {
  subject = Subject(attention);
  viewing.part_changed();
  Document document = attention->document(shown.document.tokens);
  const Index count = attention->tensors().tokens;
  if (std::ssize(document.tokens) != count) document.tokens = numbered_tokens(count);
  if (document.config == shown.document.config) return documents.touch();
  documents.replace(std::move(document));
  views.start_over(attention->first_cell());
}

Session::Session(const Document& document, ViewState view, const std::function<void()>& wake) {
  state_.view = std::move(view);
  fit_layout(state_.view, document);
  if (!state_.view.pinned) state_.view.pinned = first_pinned(document);
  controllers_ = std::make_unique<Controllers>(*this, document, wake);
}

Session::~Session() = default;

void Session::begin_frame() { controllers_->views.begin_frame(); }

void Session::end_frame() { controllers_->views.end_frame(); }

bool Session::is_editing() const { return controllers_->documents.is_editing(); }

// The one place where what a command throws is caught: it becomes a message, and the program goes on.
bool Session::apply_commands() {
  bool is_changed = false;
  const std::uint64_t edition = state_.edition;
  while (!queue_.empty()) {
    for (const Command& command : std::exchange(queue_, {})) {
      const bool is_idle = std::holds_alternative<Hover>(command) || std::holds_alternative<FinishEdit>(command);
      is_changed = is_changed || !is_idle;
      const std::string failure = failure_of([&] { controllers_->pass_on(command); });
      if (!failure.empty()) say(failure, true);
    }
  }
  return follow() || is_changed || state_.edition != edition;
}

bool Session::follow() {
  controllers_->files.follow();
  controllers_->screenshots.follow();
  controllers_->evaluations.follow(controllers_->documents.is_editing());
  const bool is_new = poll_evaluation();
  controllers_->comparisons.follow();
  controllers_->studies.follow();
  controllers_->models.follow();
  controllers_->viewing.follow();
  controllers_->figures.follow();
  controllers_->lessons.follow();
  controllers_->predictions.follow();
  state_.footer = shows_footer_ ? controllers_->subject.footer(state_.document) : "";
  return is_new;
}

bool Session::poll_evaluation() {
  // What a background thread could not do, for want of memory perhaps, is said.
  const auto poll = [this](auto& controller) {
    bool is_new = false;
    const std::string failure = failure_of([&] { is_new = controller.poll(); });
    if (!failure.empty()) say(failure, true);
    return is_new || !failure.empty();
  };
  const bool has_evaluated = poll(controllers_->evaluations);
  const bool has_compared = poll(controllers_->comparisons);
  const bool has_studied = poll(controllers_->studies);
  const bool has_run = poll(controllers_->models);
  const bool has_found = poll(controllers_->search);
  const bool has_drawn = poll(controllers_->figures);
  const bool has_read = poll(controllers_->reading);
  const bool has_looked = poll(controllers_->dialogs);
  if (has_read) {
    controllers_->files.follow();
    controllers_->evaluations.follow(controllers_->documents.is_editing());
  }
  return has_evaluated || has_compared || has_studied || has_run || has_found || has_drawn || has_read || has_looked;
}

void Session::wait_for_evaluation() {
  do {
    controllers_->reading.wait();
    controllers_->dialogs.wait();
    poll_evaluation();
    controllers_->evaluations.wait();
    controllers_->search.wait();
    controllers_->figures.wait();
    poll_evaluation();
    controllers_->comparisons.follow();
    controllers_->comparisons.wait();
    controllers_->studies.follow();
    controllers_->studies.wait();
    poll_evaluation();
    controllers_->models.follow();
    controllers_->models.wait();
    poll_evaluation();
  } while (controllers_->reading.is_busy() || controllers_->evaluations.is_waiting() ||
           controllers_->comparisons.is_busy() || controllers_->studies.is_busy() || controllers_->models.is_busy());
}

KeptUiState Session::kept() const {
  KeptUiState kept{state_, glyph_text(), to_save()};
  UiState& state = kept.state;
  state.is_busy = false;
  state.progress.reset();
  state.arrays.clear();
  state.wanted_layer.reset();
  state.reading.clear();
  state.footer = state.view.screenshot_footer ? controllers_->subject.footer(state.document) : "";
  return kept;
}

void Session::open_file(const std::filesystem::path& path) {
  controllers_->reading.open_file(path);
  follow();
}

void Session::show(Loaded loaded, const std::filesystem::path& path) {
  controllers_->reading.take(std::move(loaded), path);
  follow();
}

void Session::show_attention(LoadedAttention attention) {
  controllers_->viewing.show(std::move(attention));
  follow();
}

void Session::read_attention(const std::filesystem::path& path,
                             std::function<LoadedAttention(const UnpackWatch&)> load) {
  controllers_->reading.read(path, std::move(load),
                             [this, path](Loaded loaded) { controllers_->reading.take(std::move(loaded), path); });
}

void Session::keep_state_in(const std::filesystem::path& folder, int process) {
  controllers_->files.keep_state_in(folder, process);
}

void Session::keep_progress_in(const std::filesystem::path& file) { controllers_->lessons.keep_progress_in(file); }

void Session::autosave(double now) { controllers_->files.autosave(now); }

void Session::keep_unsaved() { controllers_->files.keep_unsaved(); }

double Session::seconds_to_autosave(double now) const { return controllers_->files.seconds_to_autosave(now); }

AnyDocument Session::to_save() const { return controllers_->subject.to_save(state_.document); }

HeadCache& Session::head_cache() { return controllers_->evaluations.head_cache(); }

bool Session::quit_requested() const { return controllers_->files.quit_requested(); }

std::optional<TakeScreenshot> Session::take_screenshot_request() { return controllers_->screenshots.take_request(); }

void Session::say(std::string_view text, bool is_error) { controllers_->messages.say(text, is_error); }

void Session::expire_messages(double now) { controllers_->messages.expire(now); }

double Session::seconds_to_next_change(double now) const {
  if (!state_.reading.empty()) return progress_seconds;
  const double figure = controllers_->figures.seconds_to_next_change(now);
  return figure >= 0 ? figure : controllers_->messages.seconds_to_next_change(now);
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
  text += controllers_->subject.text();
  if (state_.typed) text += state_.typed->text;
  text += state_.file.filename().string() + state_.dialog.folder.string() + state_.dialog.name;
  text += controllers_->lessons.text();
  text += state_.dialog.figure.options.title + state_.dialog.figure.options.caption;
  for (const DialogState::Entry& entry : state_.dialog.entries) text += entry.name;
  for (const std::string& line : state_.dialog.preview) text += line;
  for (const RecentFile& recent : state_.recent) text += recent.path.string();
  for (const LostDocument& lost : state_.lost) text += lost.file.string();
  return text;
}

}  // namespace attnscope
