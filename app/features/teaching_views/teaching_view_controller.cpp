#include "features/teaching_views/teaching_view_controller.h"

#include <algorithm>

#include "features/shared/app_services.h"
#include "teach/questions.h"
#include "teach/teaching_view.h"

namespace attnscope {
namespace {

// Returns whether A of a comparison is shown: then views and answers are about A.
bool is_of_kept(const UiState& now) {
  return now.is_comparing() && now.view.side == ComparedSide::baseline && now.comparison &&
         now.comparison->error.empty();
}

const std::shared_ptr<const Result>& shown_result(const UiState& now) {
  return is_of_kept(now) ? now.comparison->before.result : now.evaluation.result;
}

TeachingViewJob job_of(const UiState& now, const std::string& id, const std::optional<Source>& at) {
  const AttentionConfig& config = shown_result(now)->config;
  TeachingViewJob job{.result = shown_result(now),
                      .labels = is_of_kept(now) ? now.compared_labels : now.labels,
                      .query_labels = is_of_kept(now) ? query_labels(*now.compared) : query_labels(now),
                      .head = std::clamp<Index>(now.view.head, 0, head_count(config) - 1),
                      .batch = std::clamp<Index>(now.view.batch, 0, config.batch_size - 1),
                      .query = {}};
  if (at) job.query = std::clamp<Index>(at->row, 0, query_count(config) - 1);
  if (at && at->stage == Stage::inputs) job.feature = at->col;
  job.choice.id = id;
  return job;
}

// Returns the number of the inputs that the last edit changed, and no other one.
std::optional<Source> edited_input(const UiState& now) {
  constexpr Index most_compared = 65'536;
  if (!now.before) return {};
  const auto* const before = std::get_if<SharedTensor>(&now.before->config.inputs);
  const auto* const after = std::get_if<SharedTensor>(&now.document.config.inputs);
  if (!before || !after || before->shape() != after->shape() || after->size() > most_compared) return {};
  std::optional<Source> found;
  for (Index row = 0; row < after->rows(); ++row) {
    for (Index col = 0; col < after->cols(); ++col) {
      const auto at = static_cast<std::size_t>(col);
      if (before->row(row)[at] == after->row(row)[at]) continue;
      if (found) return {};
      found = Source{.stage = Stage::inputs, .row = row, .col = col};
    }
  }
  return found;
}

// Returns the cell that a question is about: the pinned one; a question about a change prefers the number that was
// changed to a pinned cell of another stage.
std::optional<Source> cell_of(const UiState& now, const ReaderQuestion* question) {
  const std::optional<Source>& pinned = now.view.pinned;
  if (!question || !question->trial || (pinned && pinned->stage == Stage::inputs)) return pinned;
  const std::optional<Source> edited = edited_input(now);
  return edited ? edited : pinned;
}

std::optional<TeachingViewJob> wanted_board(const UiState& now) {
  if (now.view.mode != ViewMode::study) return {};
  const TeachingViewInfo& study = shown_study(now.view.study);
  const bool is_pointed_at = study.follows_pointer && now.hovered;
  const ReaderQuestion* const question = question_named(now.view.transient.question.value_or(""));
  TeachingViewJob job = job_of(now, std::string(study.id), is_pointed_at ? now.hovered : cell_of(now, question));
  job.choice.values = now.view.study.values;
  if (question && question->study == study.id) job.question = question->id;
  return job;
}

std::optional<TeachingViewJob> wanted_answer(const UiState& now) {
  const std::optional<std::string>& question = now.view.transient.question;
  if (now.view.mode != ViewMode::study || !question || question->empty()) return {};
  const ReaderQuestion* const asked = question_named(*question);
  TeachingViewJob job = job_of(now, *question, cell_of(now, asked));
  if (asked && asked->trial) job.choice.values = now.view.study.values;
  job.question = *question;
  return job;
}

// Calls what needs the subject of a job: of an example, where the document has nothing of what is asked about.
template <typename Use>
auto with_subject(const TeachingViewJob& job, const std::stop_token& stop, Use use) {
  const ReaderQuestion* const question = question_named(job.question);
  const std::optional<AttentionConfig> example = question ? example_for(*question, *job.result) : std::nullopt;
  const std::optional<Result> computed =
      example ? std::optional(evaluate(*example, Execution{Backend::serial, 1, stop})) : std::nullopt;
  const Result& result = computed ? *computed : *job.result;
  const Index head = std::min(job.head, head_count(result.config) - 1);
  const Index query = question    ? row_for(*question, result, head, job.batch, job.query)
                      : job.query ? *job.query
                                  : telling_query(result, head, job.batch);
  const std::vector<std::string>* const own_queries = computed ? nullptr : &job.query_labels;
  return use(
      TeachingViewSubject{result, job.labels, head, job.batch, query, job.choice, stop, own_queries, job.feature},
      question, example ? example_words(*question, job.result->config, *example) : std::string());
}

}  // namespace

std::shared_ptr<const Board> compute_board(const TeachingViewJob& job, const std::stop_token& stop) {
  try {
    return with_subject(job, stop, [](const TeachingViewSubject& subject, const ReaderQuestion*, const std::string&) {
      return std::make_shared<const Board>(make_board(subject));
    });
  } catch (const std::exception&) {
    return std::make_shared<const Board>(Board{.id = job.choice.id, .headline = current_failure()});
  }
}

std::shared_ptr<const ReaderAnswer> compute_answer(const TeachingViewJob& job, const std::stop_token& stop) {
  const auto say = [&](std::string text, std::string example = {}, std::optional<QuestionRemedy> trial = {}) {
    return std::make_shared<const ReaderAnswer>(
        ReaderAnswer{job.question, std::move(text), std::move(example),
                     trial ? std::make_shared<const QuestionRemedy>(std::move(*trial)) : nullptr});
  };
  if (!question_named(job.question)) return say("There is no such question.");
  try {
    return with_subject(job, stop,
                        [&](const TeachingViewSubject& subject, const ReaderQuestion* question, std::string example) {
                          const bool is_own = example.empty();  // an example is no document to change
                          return say(answer_of(*question, subject), std::move(example),
                                     question->trial && is_own ? question->trial(subject) : std::nullopt);
                        });
  } catch (const std::exception&) {
    return say(current_failure());
  }
}

void TeachingViewController::follow() {
  const std::shared_ptr<const Result>& result = shown_result(now_);
  if (!result || !result->finished.are_all()) return;
  boards_.follow(wanted_board(now_));
  answers_.follow(wanted_answer(now_));
}

bool TeachingViewController::poll() {
  const bool has_board = boards_.poll(shown_.board);
  const bool has_answer = answers_.poll(shown_.answer);
  if (boards_.is_busy() || answers_.is_busy()) follow();
  return has_board || has_answer;
}

void TeachingViewController::wait() {
  boards_.wait();
  answers_.wait();
}

}  // namespace attnscope
