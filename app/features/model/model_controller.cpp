#include "features/model/model_controller.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/model/transformer.h"
#include "document/edit.h"
#include "features/shared/app_services.h"

namespace attnscope {

ModelRunner::ModelRunner(const AppServices& to, ModelShown& shown, const std::function<void()>& wake)
    : to_(to), shown_(shown), runner_(run, wake), ranker_(rank, wake) {}

ModelRunner::RunOutcome ModelRunner::run(const RunJob& job, const std::stop_token& stop) {
  Execution execution = job.execution;
  execution.stop = stop;
  try {
    return {run_whole_model(job.config, job.position, job.previous.get(), execution), ""};
  } catch (const std::exception&) {
    return {nullptr, current_failure()};
  }
}

std::shared_ptr<const HeadRanking> ModelRunner::rank(const RankJob& job, const std::stop_token& stop) {
  Execution execution = job.execution;
  execution.stop = stop;
  execution.progress = job.progress.get();
  try {
    return std::make_shared<const HeadRanking>(rank_heads(*job.run, job.token, execution));
  } catch (const std::exception&) {
    return nullptr;  // the picture does without a ranking
  }
}

void ModelRunner::follow(const std::shared_ptr<const Document>& compared, bool is_wanted) {
  const Document& document = compared ? *compared : to_.now.document;
  if (!document.model) return forget();
  const Asked wanted{compared ? 0 : to_.now.edition, compared, to_.view.model.position};
  shown_.is_current = asked_ == wanted && !runner_.is_busy();
  if (!is_wanted) return;
  if (asked_ != wanted) {
    asked_ = wanted;
    shown_.is_current = false;
    ranker_.cancel();
    const bool is_same_model = shown_.run && shown_.run->pass->model == document.model->weights;
    runner_.start({document.config,
                   wanted.position,
                   is_same_model ? shown_.run : nullptr,
                   {to_.view.backend, to_.view.threads, {}}});
  }
  follow_ranking();
}

void ModelRunner::forget() {
  shown_ = {};
  asked_.reset();
  ranked_run_.reset();
}

void ModelRunner::follow_ranking() {
  if (!shown_.is_current || !shown_.run) return;
  if (!says_words(*shown_.run->pass->model)) {
    shown_.ranking.reset();
    shown_.ranked.reset();
    return;
  }
  const Index token = followed_token(*shown_.run, to_.view.model);
  if (ranked_run_ == shown_.run && ranked_token_ == token) {
    shown_.ranked = ranker_.is_busy() && progress_ ? std::optional(progress_->fraction()) : std::nullopt;
    return;
  }
  ranked_run_ = shown_.run;
  ranked_token_ = token;
  progress_ = std::make_shared<Progress>();
  progress_->expect(1);
  progress_->begin(1);
  ranker_.start({shown_.run, token, {to_.view.backend, to_.view.threads, {}}, progress_});
}

bool ModelRunner::is_ranked() const {
  return shown_.run && shown_.ranking && shown_.ranking->position == shown_.run->next.position && !ranker_.is_busy();
}

bool ModelRunner::poll() {
  bool is_new = false;
  if (std::optional<RunOutcome> outcome = runner_.take()) {
    is_new = true;
    shown_.error = std::move(outcome->error);
    if (outcome->run) shown_.run = std::move(outcome->run);
  }
  if (auto ranking = ranker_.take()) {
    is_new = true;
    shown_.ranking = std::move(*ranking);
    shown_.ranked.reset();
  }
  return is_new;
}

bool ModelController::is_wanted() const { return to_.now.document.model && to_.view.mode == ViewMode::model; }

void ModelController::follow() {
  follow_audience();
  own_.follow(nullptr, is_wanted());
  if (to_.now.compared) {
    compared_.follow(to_.now.compared, is_wanted() && to_.view.side != ComparedSide::now);
  } else {
    compared_.forget();
  }
}

std::vector<LayerPicture> ModelController::heads_by_telling() const {
  std::vector<LayerPicture> heads;
  for (Index layer = 0; layer < shown_.run->pass->layer_count(); ++layer)
    for (Index head = 0; head < shown_.run->config.num_heads; ++head) heads.push_back({.layer = layer, .head = head});
  const auto rank = [&, knows = own_.is_ranked()](const LayerPicture& each) {
    const bool has_name = !to_.now.document.model->weights->name_of(each.layer, each.head).empty();
    return std::tuple(!has_name, knows ? -std::abs(shown_.ranking->of(each.layer, each.head)) : 0.0F);
  };
  std::ranges::stable_sort(heads, {}, rank);
  return heads;
}

void ModelController::follow_audience() {
  if (!to_.view.transient.presenting || !is_wanted() || !shown_.run) {
    presented_.clear();
    has_gone_ = false;
    return;
  }
  // A step that names a head, or switches one off, speaks of this head: it is shown large, and Space switches it.
  if (to_.now.lesson.lesson && !to_.view.transient.picture) {
    const LessonStep* const step = to_.now.lesson.current();
    const AttentionConfig& config = to_.now.document.config;
    const std::vector<LayerPicture> off = heads_off_in(config);
    const LayerPicture named{std::get<ModelInputs>(config.inputs).layer, step ? step->view.head.value_or(0) : 0};
    const bool is_named = step && step->view.head && (off.empty() || std::ranges::find(off, named) != off.end());
    if (is_named || !off.empty()) to_.view.transient.picture = is_named ? named : off.front();
    if (to_.view.transient.picture) to_.view.transient.keys_lead = true;
  }
  if (!presented_.empty() || !shown_.is_current || !own_.is_ranked()) return;
  presented_ = heads_by_telling();
  const bool is_chosen = to_.view.transient.keys_lead && to_.view.transient.picture;
  if (!has_gone_ && !is_chosen) to_.view.transient.picture = presented_.front();
}

void ModelController::go_to_head(Index by) {
  if (!is_wanted() || !shown_.run) return;
  const std::vector<LayerPicture> heads = presented_.empty() ? heads_by_telling() : presented_;
  std::optional<LayerPicture>& shown = to_.view.transient.picture;
  const auto now = shown ? std::ranges::find(heads, *shown) : heads.begin();
  const Index at = now == heads.end() ? 0 : now - heads.begin();
  shown = heads[static_cast<std::size_t>(std::clamp<Index>(at + by, 0, std::ssize(heads) - 1))];
  to_.view.transient.keys_lead = true;
  has_gone_ = true;
}

bool ModelController::poll() {
  const bool is_own_new = own_.poll();
  const bool is_new = compared_.poll() || is_own_new;
  if (is_new) follow();
  return is_new;
}

void ModelController::wait() {
  if (!is_wanted()) return;
  own_.wait();
  compared_.wait();
  poll();
}

void ModelController::append_word(bool is_drawn) {
  const Document& document = to_.now.document;
  if (!document.model) throw Error("Only a trained model has a next word: open one first.");
  if (!says_words(*document.model->weights)) throw Error("model", no_words);
  const bool replaces = document.model->weights->shape.sees_later_tokens;
  const std::optional<Index> asked = replaces ? to_.view.model.position : std::nullopt;
  const auto run = run_whole_model(document.config, asked, shown_.run.get(), {to_.view.backend, to_.view.threads, {}});
  const Index token = is_drawn
                          ? draw_token(run->next, static_cast<double>(to_.view.model.temperature), document.config.seed)
                          : run->next.likeliest.front();
  const std::optional<Index> place = replaces ? std::optional(run->next.position) : std::nullopt;
  to_.view.model = {.position = place, .token = {}, .temperature = to_.view.model.temperature};
  if (place) {
    documents_.edit({"word", [token, place](Document& edited) { replace_token(edited, *place, token); }});
  } else {
    documents_.edit({"next word", [token](Document& edited) { append_token(edited, token); }});
  }
}

std::optional<Index> token_of_text(const ModelRun& run) {
  const Transformer& model = *run.pass->model;
  const auto& tokens = run.pass->tokens;
  const Index place = run.next.position + (model.shape.sees_later_tokens ? 0 : 1);
  if (place >= std::ssize(tokens)) return {};
  const Index token = tokens[static_cast<std::size_t>(place)];
  return model.shape.sees_later_tokens && token == model.mask_token ? std::nullopt : std::optional(token);
}

Index followed_token(const ModelRun& run, const ModelLook& look) {
  if (look.token && *look.token < std::ssize(run.next.probabilities)) return *look.token;
  return token_of_text(run).value_or(run.original.likeliest.front());
}

}  // namespace attnscope
