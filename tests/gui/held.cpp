#include "held.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "document/json.h"
#include "features/settings.h"
#include "heatmap_recorder.h"
#include "support.h"

namespace attnscope::test {
namespace {

constexpr float least_time = 1e-6f;  // that a frame takes, for Dear ImGui wants some to pass

class Lines {
public:
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    lines_.push_back(fmt::format(format, std::forward<Values>(values)...));
  }
  // Each line of a text.
  void add_text(const std::string& name, const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) add("{}: {}", name, line);
  }
  // A value that most moments do not have.
  void add_if(bool is_there, const std::string& text) {
    if (is_there) lines_.push_back(text);
  }
  void add_cell(const char* name, const std::optional<Source>& cell) {
    if (cell) add("{} {}", name, cell_name(*cell));
  }
  void add_number(const char* name, const std::optional<Index>& number) {
    if (number) add("{} {}", name, *number);
  }
  std::vector<std::string> take() { return std::move(lines_); }

private:
  std::vector<std::string> lines_;
};

std::string cells(const std::vector<Source>& sources) {
  std::string text;
  for (const Source& source : sources) text += " " + cell_name(source);
  return text;
}

std::string words(const CellWindow& window) {
  return fmt::format("{:.2f},{:.2f} {:.2f}×{:.2f}", window.row, window.col, window.rows, window.cols);
}

std::string words(const MarkedLines& lines) { return fmt::format("{},{},{}", lines.row, lines.second_row, lines.col); }

// What is kept of a view between runs.
void add_settings(Lines& lines, const ViewState& view) {
  const TemporaryFolder folder;
  save_settings(view, {}, folder / "settings.json");
  lines.add_text("kept", text_of(folder / "settings.json"));
}

void add_transient(Lines& lines, const TransientState& transient) {
  if (transient.keyboard) lines.add("keys are in panel {}", static_cast<int>(*transient.keyboard));
  lines.add_cell("typed over", transient.edited);
  if (transient.drag) lines.add("dragged {} from {}", cell_name(transient.drag->cell), transient.drag->number);
  lines.add_cell("pinned before", transient.pinned_before);
  lines.add_cell("last of the trail", transient.history.here);
  lines.add_if(!transient.history.back.empty(), "back:" + cells(transient.history.back));
  lines.add_if(!transient.history.forward.empty(), "forward:" + cells(transient.history.forward));
  if (transient.picture) lines.add("keys at layer {} head {}", transient.picture->layer, transient.picture->head);
  lines.add_if(transient.leads_to_model, "Esc leads to the model");
  lines.add_if(!transient.opened.empty(), fmt::format("opened lines {}", fmt::join(transient.opened, ", ")));
  lines.add_cell("term", transient.term);
  if (transient.question) lines.add("question '{}', searched '{}'", *transient.question, transient.question_search);
  if (transient.palette) lines.add("palette '{}', chosen {}", transient.palette->typed, transient.palette->chosen);
  lines.add_if(transient.opens_setup, "the setup is open over the stages");
  lines.add_if(!transient.pointed.empty(), "framed " + transient.pointed);
  lines.add_if(transient.opens_tokens, "the tokens have a window");
  if (transient.presenting)
    lines.add("presented to step {}{}{}", transient.presenting->step, transient.presenting->is_blank ? ", blank" : "",
              transient.presenting->spot ? ", with a spot" : "");
}

void add_view(Lines& lines, const ViewState& view) {
  add_settings(lines, view);
  lines.add("head {} of entry {}, side {}", view.head, view.batch, static_cast<int>(view.side));
  lines.add_cell("pinned", view.pinned);
  lines.add_if(view.shows_changes, "shows changes");
  lines.add_number("position", view.model.position);
  lines.add_number("followed token", view.model.token);
  lines.add("temperature {}", view.model.temperature);
  for (const auto& [control, value] : view.study.values) lines.add("chosen {} = {}", control, value);
  lines.add_number("query of the study", view.study.query);
  if (view.map.window) lines.add("window {}", words(*view.map.window));
  lines.add("features {:.3f} from {:.3f}, zoom {:.3f}", view.map.feature_share, view.map.first_feature,
            view.diagram_zoom);
  add_transient(lines, view.transient);
}

void add_dialog(Lines& lines, const DialogState& dialog) {
  if (dialog.kind == DialogState::Kind::none) return;
  lines.add("dialog {}, {} in {}, files {}", static_cast<int>(dialog.kind), dialog.name, dialog.folder.string(),
            static_cast<int>(dialog.filter));
  for (const DialogState::Entry& entry : dialog.entries)
    lines.add("listed {}{}", entry.name, entry.is_folder ? "/" : "");
  lines.add_if(!dialog.error.empty(), "error: " + dialog.error);
  if (dialog.new_folder) lines.add("new folder '{}'", *dialog.new_folder);
  for (const std::string& line : dialog.preview) lines.add("preview: {}", line);
  if (dialog.kind != DialogState::Kind::figure) return;
  const FigureOptions& options = dialog.figure.options;
  lines.add("figure of {} head {} entry {}", options.stage ? info(*options.stage).id : "all stages",
            options.head.value_or(-1), options.batch);
  lines.add("figure study '{}'", options.study.id);
  lines.add("figure title '{}', caption '{}'", options.title, options.caption);
  lines.add_if(dialog.figure.shows_pinned, "the pinned cell is marked");
  lines.add_if(dialog.figure.has_arithmetic, "the arithmetic is below");
  lines.add_if(dialog.figure.is_browsing, "the folder is listed");
  lines.add_text("figure", figure_settings(dialog.figure).dump(2));
}

void add_files(Lines& lines, const UiState& now) {
  lines.add("undo '{}' redo '{}', file '{}'{}{}", now.undo_label, now.redo_label, now.file.string(),
            now.is_modified ? ", modified" : "", now.file_is_picture ? ", a picture" : "");
  for (const RecentFile& recent : now.recent)
    lines.add("recent {}{}", recent.path.string(), recent.is_there ? "" : " is gone");
  if (now.viewing) lines.add("viewing {} layer {} axes {}", now.viewing->shape, now.viewing->layer, now.viewing->axes);
  if (!now.messages.empty())
    lines.add("{}: {}", now.messages.back().is_error ? "error" : "message", now.messages.back().text);
}

void add_answer(Lines& lines, const Answering& answering) {
  const Answer& answer = answering.answer;
  lines.add_cell("answered", answer.cell);
  lines.add_if(!answer.typed.empty(), "answered " + answer.typed);
  if (!answer.bars.empty()) lines.add("answered {:.4f}", fmt::join(answer.bars, ", "));
  if (answer.choice) lines.add("answered choice {}", *answer.choice);
  if (answering.verdict) lines.add("verdict {}: {}", answering.verdict->is_right, answering.verdict->why);
}

void add_questions(Lines& lines, const UiState& now) {
  const LessonShown& lesson = now.lesson;
  if (lesson.lesson)
    lines.add("lesson {} step {}{}{}", lesson.lesson->id, lesson.step, lesson.shows_setup ? ", with the setup" : "",
              lesson.is_changed ? ", changed" : "");
  add_answer(lines, lesson);
  const PredictionShown& prediction = now.prediction;
  if (prediction.cover)
    lines.add("covered {} row {}, open {}", info(prediction.cover->stage).id, prediction.cover->row.value_or(-1),
              fmt::join(prediction.cover->open, ","));
  if (prediction.cover)
    lines.add("asked {} as {}, {}", cell_name(prediction.asked), static_cast<int>(prediction.kind),
              score_words(prediction.score));
  add_answer(lines, prediction);
  const GoToState& go_to = now.go_to;
  if (go_to.is_open)
    lines.add("go to '{}' as {}, token {}, largest {}: {}", go_to.text, static_cast<int>(go_to.side), go_to.token,
              go_to.largest, go_to.status);
}

void add_controls(Lines& lines, const WidgetRegistry& widgets) {
  for (const WidgetRegistry::Entry& entry : widgets.entries) {
    std::string text = entry.name;
    if (!entry.enabled) text += " disabled";
    if (entry.is_on) text += *entry.is_on ? " on" : " off";
    if (entry.value) text += fmt::format(" = {:.5g}", *entry.value);
    lines.add_if(text != entry.name || !entry.label.empty(), text + (entry.label.empty() ? "" : " | " + entry.label));
  }
  for (const WidgetRegistry::Matrix& matrix : widgets.matrices) {
    std::string text = fmt::format("{} [{}] {} of {}, lines {}", matrix.name, matrix.title, words(matrix.window),
                                   info(matrix.stage).id, words(matrix.marks));
    if (!matrix.covered.empty()) text += fmt::format(", covered {}", fmt::join(matrix.covered, ","));
    for (const picture::CellPlace& place : matrix.edited) text += fmt::format(", edited {},{}", place.row, place.col);
    lines.add_if(true, text);
  }
  for (const WidgetRegistry::Arrow& arrow : widgets.arrows)
    lines.add("arrow {} to {} {}", arrow.from, arrow.to, arrow.text);
}

// Builds a frame to see them.
void add_colours(Lines& lines, HeadlessApp& app) {
  HeatmapRecorder colours;
  app.show_heatmaps_to(&colours);
  app.frames();
  while (app.session().picture_cache().wait()) {  // for summaries: colours of estimates are other ones
    colours.quads.clear();
    app.wait(least_time);
  }
  app.show_heatmaps_to(nullptr);
  for (const HeatmapQuad& quad : colours.quads)
    lines.add("colours of {} {}: map {}, {:.4f} to {:.4f}{}{}", info(quad.source.stage).id, quad.source.matrix,
              static_cast<int>(quad.range.map), quad.range.low, quad.range.high, measure_name(quad.range),
              quad.opacity < 1 ? ", pale" : "");
}

}  // namespace

std::vector<std::string> held(HeadlessApp& app) {
  const UiState& now = app.session().shown();
  Lines lines;
  lines.add_text("document", to_json(now.document));
  add_view(lines, now.view);
  add_dialog(lines, now.dialog);
  add_files(lines, now);
  add_questions(lines, now);
  add_controls(lines, app.widgets());
  add_colours(lines, app);
  lines.add_if(app.session().quit_requested(), "the program ends");
  lines.add_text("clipboard", app.clipboard());
  lines.add("window '{}'", app.session().window_title());
  return lines.take();
}

}  // namespace attnscope::test
