#include "session/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/error.h"
#include "document/footer.h"
#include "views/text.h"
#include "views/workspace.h"

namespace attnscope {
namespace {

constexpr double message_seconds = 10;
constexpr double drawing_seconds = 0.1;  // between looks at a figure that is being drawn
constexpr std::size_t max_messages = 50;
constexpr Index live_tokens = 64;  // up to here a frame waits for its evaluation
constexpr std::chrono::milliseconds live_wait{12};
constexpr std::chrono::milliseconds long_wait{600'000};

// What the inspector shows until something is clicked: the second token's weight on the first, where there are two.
std::optional<Source> first_pinned(const Document& document) {
  if (token_count(document.config) < 2) return {};
  return Source{.stage = Stage::weights, .row = 1, .col = 0};
}

}  // namespace

Session::Session(Document document, ViewState view, std::function<void()> wake)
    : history_(document),
      view_(std::move(view)),
      labels_(token_labels(document.tokens)),
      saved_(std::move(document)),
      tiles_(wake),
      evaluator_(wake),
      finder_(wake),
      previewer_(draw_preview, wake),
      exporter_(export_figure, wake),
      reader_(read_in_background, std::move(wake)) {
  view_.pinned = first_pinned(history_.current());
  submit();
}

void Session::build(const Fonts& fonts, const Theme& theme, HeatmapSink* heatmaps, WidgetRegistry* widgets) {
  if (widgets) widgets->clear();
  watch_viewed();
  measure_labels(fonts);
  const std::string shown_footer = shows_footer_ ? footer() : "";
  const Performance nothing_computed;
  const ViewContext context{.document = history_.current(),
                            .labels = labels_,
                            .label_width = label_width_,
                            .evaluation = evaluation_,
                            .is_current = is_current(),
                            .is_busy = is_busy(),
                            .progress = evaluator_.progress(),
                            .performance = viewed_ ? nothing_computed : *performance_,
                            .view = view_,
                            .hovered = hovered_,
                            .fonts = fonts,
                            .theme = theme,
                            .tiles = &tiles_,
                            .heatmaps = heatmaps,
                            .widgets = widgets,
                            .messages = messages_,
                            .file = file_,
                            .recent = recent_.files(),
                            .lost = lost_,
                            .is_modified = is_modified_,
                            .undo_label = history_.undo_label(),
                            .redo_label = history_.redo_label(),
                            .footer = shown_footer,
                            .dialog = dialog_,
                            .go_to = go_to_,
                            .figure = figure_state_,
                            .viewing = viewing(),
                            .arrays = arrays_,
                            .wanted_layer = wanted_viewing_ ? std::optional(wanted_viewing_->layer) : std::nullopt,
                            .reading = reading()};
  CommandQueue queue;
  draw_workspace(context, queue);
  handle_shortcuts(context, queue);
  const auto is_hover = [](const Command& command) { return std::holds_alternative<Hover>(command); };
  if (hovered_ && std::none_of(queue.begin(), queue.end(), is_hover)) queue.push_back(Hover{});
  // A drag whose slider is gone, with the panel around it, ends too.
  if (edit_base_ && !ImGui::IsAnyItemActive()) queue.push_back(FinishEdit{});
  queue_.insert(queue_.end(), queue.begin(), queue.end());
}

// The widest is measured in every frame, as a font may come to have its letters: then all are.
void Session::measure_labels(const Fonts& fonts) {
  const auto width_of = [&](const std::string& label) { return text_size(fonts.small_text, label).x; };
  if (widest_label_ < labels_.size() && width_of(labels_[widest_label_]) == label_width_) return;
  label_width_ = 0;
  for (std::size_t index = 0; index < labels_.size(); ++index) {
    const float width = width_of(labels_[index]);
    if (width < label_width_) continue;
    label_width_ = width;
    widest_label_ = index;
  }
}

bool Session::apply_commands() {
  const std::uint64_t ticket_before = ticket_;
  const std::optional<Source> hovered_before = hovered_;
  const CommandQueue queue = std::exchange(queue_, {});
  bool changed = false;
  for (const Command& command : queue) {
    if (!std::holds_alternative<Hover>(command) && !std::holds_alternative<FinishEdit>(command)) changed = true;
    try {
      refuse_for_viewing(command);
      std::visit([this](const auto& specific) { apply(specific); }, command);
    } catch (const Error& error) {
      say(error.what(), true);
    }
  }
  if (!viewed_ && ticket_ != ticket_before && token_count(history_.current().config) <= live_tokens) {
    evaluator_.wait(ticket_, live_wait);
  }
  poll_evaluation();
  update_preview();
  return changed || hovered_ != hovered_before;
}

bool Session::poll_evaluation() {
  Evaluation latest = evaluator_.latest();
  const bool is_new = !viewed_ && (latest.finished_ticket != evaluation_.finished_ticket ||
                                   latest.told_heads != evaluation_.told_heads);
  if (is_new) evaluation_ = std::move(latest);
  if (waits_ && !evaluator_.busy()) submit();
  const std::shared_ptr<const Performance> before = std::exchange(performance_, evaluator_.performance());
  const bool needs_pictures = is_current() || evaluation_.is_head_alone;
  if (needs_pictures && !performance_->comparison.is_running) tiles_.pause(false);
  const bool has_pictures = tiles_.take_changed();
  const bool has_found = poll_search();
  const bool has_figures = poll_figures();
  const bool has_read = poll_reading();
  return is_new || has_pictures || has_found || has_figures || has_read || performance_ != before;
}

void Session::wait_for_evaluation() {
  do {
    reader_.wait();
    poll_reading();
    if (!viewed_) evaluator_.wait(ticket_, long_wait);
    finder_.wait();
    previewer_.wait();
    exporter_.wait();
    poll_evaluation();
  } while (waits_);
}

// While something is dragged, an evaluation that is under way comes to its end before the newest value has its turn:
// were it given up for each of them, nothing would be seen to follow.
void Session::submit() {
  if (viewed_) return submit_viewed();
  const bool is_long = token_count(history_.current().config) > live_tokens;
  waits_ = is_long && edit_base_ && evaluator_.busy();
  if (waits_) return;
  tiles_.use(view_.backend, view_.threads);
  tiles_.pause(true);
  const AttentionConfig& config = history_.current().config;
  const Index looked_at = view_.batch * head_count(config) + view_.head;
  ticket_ = evaluator_.submit(config, view_.backend, view_.threads, looked_at);
}

void Session::document_changed() {
  labels_ = token_labels(history_.current().tokens);
  label_width_ = -1;
  is_modified_ = differs_from_saved();
  ++edition_;
  submit();
}

bool Session::differs_from_saved() const {
  if (!viewed_) return !(history_.current() == saved_);
  const std::vector<std::string>& tokens = history_.current().tokens;
  if (tokens != saved_viewing_.tokens) return true;
  return !shows_arrays_file() && viewed_->to_save(tokens) != saved_viewing_;  // to leaf through a file changes nothing
}

std::string Session::footer() const {
  return viewed_ ? footer_text(viewed_->viewing()) : footer_text(history_.current());
}

std::string Session::window_title() const {
  const std::string name = file_.empty() ? "untitled" : file_.filename().string();
  return fmt::format("{}{} – attnscope", is_modified_ ? "• " : "", name);
}

std::string Session::glyph_text() const {
  return panel_text() + fmt::format("{}", fmt::join(history_.current().tokens, ""));
}

std::string Session::panel_text() const {
  std::string text(symbols);
  if (viewed_) text += fmt::format("{}", fmt::join(viewed_->viewing().tensors, ""));
  text += file_.filename().string() + dialog_.folder.string() + dialog_.name;
  text += dialog_.figure.options.title + dialog_.figure.options.caption;
  for (const DialogState::Entry& entry : dialog_.entries) text += entry.name;
  for (const std::string& line : dialog_.preview) text += line;
  for (const RecentFile& recent : recent_.files()) text += recent.path.string();
  for (const LostDocument& lost : lost_) text += lost.file.string();
  return text;
}

std::optional<ScreenshotRequest> Session::take_screenshot_request() { return std::exchange(screenshot_, std::nullopt); }

void Session::say(std::string text, bool is_error) {
  const double now = ImGui::GetCurrentContext() ? ImGui::GetTime() : 0;
  messages_.push_back({std::move(text), is_error, now});
  if (messages_.size() > max_messages) messages_.pop_front();
}

void Session::expire_messages(double now) {
  while (!messages_.empty() && now - messages_.front().time > message_seconds) messages_.pop_front();
}

double Session::seconds_to_next_change(double now) const {
  if (figure_state_.under_way || preview_awaited_since_ || reading_) return drawing_seconds;
  const double frame = seconds_to_next_frame(now);
  if (frame >= 0) return frame;
  if (messages_.empty()) return -1;
  return std::max(0.0, message_seconds - (now - messages_.back().time)) + 0.05;
}

}  // namespace attnscope
