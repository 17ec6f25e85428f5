#include "session/ui_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include "core/model/forward.h"
#include "core/text.h"
#include "document/file_formats.h"
#include "platform/system/process.h"
#include "teach/formula.h"
#include "teach/teaching_view.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using Filter = DialogState::Filter;

bool has_ending(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::ranges::find(endings, lower_ending(name)) != endings.end();
}

Filter kind_of(const std::string& name) {
  if (has_ending(name, {".json"})) return Filter::documents;
  if (format_by_ending(name)) return Filter::pictures;
  if (array_format_by_ending(name)) return Filter::arrays;
  return Filter::all;
}

// Returns whether the dialog lists a file. Pictures carry documents, but none is saved over a picture.
bool is_listed(const DialogState& dialog, const std::string& name) {
  const Filter kind = kind_of(name);
  switch (dialog.kind) {
    case DialogState::Kind::open:
      if (dialog.lists_tokens && has_ending(name, {".txt"})) return dialog.filter == Filter::all;
      if (kind == Filter::pictures && !format_by_ending(name)->reopens) return false;
      return kind != Filter::all && (dialog.filter == Filter::all || dialog.filter == kind);
    case DialogState::Kind::save_as:
    case DialogState::Kind::save_lesson:
      return kind == Filter::documents;
    case DialogState::Kind::export_weights:
      return has_ending(name, {".safetensors"});
    case DialogState::Kind::export_page:
      return has_ending(name, {".html"});
    case DialogState::Kind::figure:
      return kind == Filter::pictures;
    default:
      return false;
  }
}

// Returns the ending for names that were typed without one.
const char* usual_ending(const DialogState& dialog) {
  switch (dialog.kind) {
    case DialogState::Kind::save_as:
      return ".json";
    case DialogState::Kind::save_lesson:
      return ".lesson.json";
    case DialogState::Kind::export_weights:
      return ".safetensors";
    case DialogState::Kind::export_page:
      return ".html";
    case DialogState::Kind::figure:
      return ".png";
    default:
      return "";
  }
}

// Replaces "%20" of an address by the character that it stands for.
std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const bool is_code =
        text[i] == '%' && i + 2 < text.size() && std::isxdigit(text[i + 1] & 0xFF) && std::isxdigit(text[i + 2] & 0xFF);
    if (is_code) code = static_cast<unsigned>(std::strtoul(std::string(text.substr(i + 1, 2)).c_str(), nullptr, 16));
    plain += code != 0 ? static_cast<char>(code) : text[i];
    if (code != 0) i += 2;
  }
  return plain;
}

// A path as file managers and shells copy it: with spaces around it, in quotes, or as an address.
std::string as_path(std::string_view typed) {
  typed = trimmed(typed);
  if (typed.empty()) return {};
  const char first = typed.front();
  if (typed.size() > 2 && (first == '\'' || first == '"') && typed.back() == first)
    typed = typed.substr(1, typed.size() - 2);
  for (const std::string_view scheme : {"file://localhost/", "file:///"}) {
    if (typed.starts_with(scheme)) return "/" + decoded(typed.substr(scheme.size()));
  }
  return std::string(typed);
}

}  // namespace

fs::path typed_path(const DialogState& dialog) {
  const std::string name = as_path(dialog.name);
  if (name == "~" || name.starts_with("~/")) {
    if (const char* home = std::getenv("HOME"))
      return fs::path(home) / name.substr(std::min<std::size_t>(2, name.size()));
  }
  return dialog.folder / name;
}

fs::path chosen_path(const DialogState& dialog) {
  fs::path path = typed_path(dialog);
  if (path.extension().empty()) path += usual_ending(dialog);
  return path;
}

bool replaces_a_file(const DialogState& dialog) {
  std::error_code ignored;
  return !dialog.name.empty() && fs::is_regular_file(chosen_path(dialog), ignored);
}

void list_folder(DialogState& dialog, const fs::path& folder) {
  dialog.entries.clear();
  dialog.error.clear();
  std::error_code failure;
  dialog.folder = fs::weakly_canonical(folder, failure);
  if (failure) dialog.folder = folder;
  for (const fs::path& path : entries_of(dialog.folder, failure)) {
    std::error_code ignored;
    DialogState::Entry entry{path.filename().string(), fs::is_directory(path, ignored)};
    if (entry.name.starts_with('.')) continue;
    if (entry.is_folder || is_listed(dialog, entry.name)) dialog.entries.push_back(entry);
  }
  if (failure) dialog.error = fmt::format("{}: {}.", shown_path(dialog.folder), failure.message());
  std::sort(dialog.entries.begin(), dialog.entries.end(),
            [](const auto& a, const auto& b) { return a.is_folder != b.is_folder ? a.is_folder : a.name < b.name; });
}

const std::vector<std::string>& query_labels(const UiState& now) {
  const AttentionConfig& config = now.result()->config;
  return begins_with_heads(config) ? now.query_labels : now.labels;
}

std::vector<LayerPicture> heads_off_in(const AttentionConfig& config) {
  const auto* const inputs = std::get_if<ModelInputs>(&config.inputs);
  std::vector<LayerPicture> off;
  const Index layers = inputs ? inputs->model->shape.layers : 1;
  for (Index layer = 0; layer < layers; ++layer) {
    const bool is_shown = !inputs || layer == inputs->layer;
    if (!is_shown && !(inputs->changed && inputs->changed->contains(layer))) continue;
    for (const Index head : (is_shown ? config : inputs->changed->at(layer)).heads_off)
      off.push_back({.layer = layer, .head = head});
  }
  return off;
}

std::optional<LayerPicture> chosen_head_of_model(const UiState& now) {
  const ViewState& view = now.view;
  if (view.mode != ViewMode::model || !now.document.model) return {};
  const std::optional<LayerPicture>& looked_at = view.transient.picture;
  const std::vector<LayerPicture> off = heads_off_in(now.document.config);
  const bool is_meant =
      looked_at && (view.transient.keys_lead || off.empty() || std::ranges::find(off, *looked_at) != off.end());
  if (is_meant) return looked_at;
  if (!off.empty()) return off.front();
  const Index layer = std::get<ModelInputs>(now.document.config.inputs).layer;
  return LayerPicture{.layer = layer, .head = std::min(view.head, head_count(now.document.config) - 1)};
}

std::span<const Cover> covers_of(const UiState& now) {
  if (now.prediction.cover) return {&*now.prediction.cover, 1};
  return now.lesson.covers;
}

std::string obstacle_of_cover(const UiState& now) {
  for (const Cover& cover : covers_of(now)) {
    if (!cover.hides_any(now.document.config, cover.stage)) continue;
    const std::string_view way =
        now.prediction.cover ? "uncover them first (P)." : "answer the lesson's question first.";
    return fmt::format("The {} are covered: {}", info(cover.stage).title, way);
  }
  return "";
}

namespace {

const LessonDraft* draft_on_screen(const UiState& now) {
  const bool is_shown = now.draft && !now.lesson.lesson;  // a lesson that is tried covers it
  return is_shown ? now.draft.get() : nullptr;
}

}  // namespace

const Lesson* lesson_on_screen(const UiState& now) {
  if (now.lesson.lesson) return now.lesson.lesson.get();
  return now.draft ? &now.draft->lesson : nullptr;
}

bool undoes_lesson(const UiState& now) {
  const LessonDraft* const draft = draft_on_screen(now);
  return draft && !draft->undo_label.empty() && (draft->is_newest || now.undo_label.empty());
}

bool redoes_lesson(const UiState& now) {
  const LessonDraft* const draft = draft_on_screen(now);
  return draft && !draft->redo_label.empty() && (draft->is_newest || now.redo_label.empty());
}

void look_at_step(ViewState& view, const ViewAddress& address) {
  look_at(view, address);
  view.decimals = address.decimals.value_or(2);
  view.shows_changes = false;
  view.pinned = address.pinned;
  if (view.mode == ViewMode::model) view.transient.picture.reset();  // the head is the address's
}

ViewAddress view_on_screen(const UiState& now) {
  const ViewState& view = now.view;
  const AttentionConfig& config = now.document.config;
  ViewAddress address{.head = std::min(view.head, head_count(config) - 1),
                      .batch = std::min(view.batch, config.batch_size - 1)};
  if (const std::optional<LayerPicture> head = chosen_head_of_model(now)) address.head = head->head;
  if (view.mode == ViewMode::study) {
    address.study = view.study;
    address.study.id = shown_study(view.study).id;
  } else {
    address.mode = view.mode.id;
  }
  if (view.mode.shows_one_stage && has_stage(config, view.stage)) address.stage = view.stage;
  const std::optional<Source> pinned = now.film.watching ? std::optional(now.film.watching->cell) : view.pinned;
  if (pinned && has_place_of(config, *pinned)) address.pinned = as_named(config, *pinned);
  address.film = now.film.watching && !now.film.is_step && address.pinned;
  if (now.is_comparing()) address.side = view.side;
  if (view.decimals != 2) address.decimals = std::clamp(view.decimals, 2, 4);
  address.range = view.range;  // said in any case, or the range of the step before would stay
  return address;
}

std::string chance_on_screen(const UiState& now) {
  const std::shared_ptr<const ModelRun>& run = now.model.run;
  if (now.view.mode != ViewMode::model || !now.document.model || !run) return "";
  const ForwardPass& pass = *run->pass;
  if (run->next.position != usual_position(*pass.model, pass.tokens)) return "";
  std::vector<Index> words = run->next.likeliest;
  if (now.view.model.token) {
    words = {*now.view.model.token};
  } else if (now.model.ranking) {  // the followed word, which a head that is off makes unlikely
    words.insert(words.begin(), now.model.ranking->token);
  }
  for (const Index token : words) {
    std::string formula = chance_formula(*now.document.model, token);
    if (!formula.empty()) return formula;
  }
  return "";
}

bool is_on_screen(const UiState& now, const LessonStep& step) {
  ViewAddress shown = view_on_screen(now);
  if (!step.view.range) shown.range.reset();  // a step that does not say it leaves it as it is
  if (!step.view.side) shown.side.reset();
  return now.document == *step.document && shown == step.view;
}

KnownViews known_views() {
  KnownViews known;
  for (const ViewModeInfo& row : view_modes()) known.layouts.push_back(row.mode.id);
  for (const TeachingViewInfo& study : studies()) known.studies.push_back(study.id);
  return known;
}

}  // namespace attnscope
