#include "session/lesson_draft.h"

#include <algorithm>

#include "compute/computation.h"
#include "core/model/forward.h"
#include "session/view_state.h"
#include "teach/formula.h"
#include "teach/teaching_view.h"

namespace attnscope {
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
  if (pinned && cell_named(cell_name(*pinned)) == pinned && has_place_of(config, *pinned)) address.pinned = pinned;
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
