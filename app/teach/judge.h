#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "teach/formula.h"
#include "teach/lesson.h"

namespace attnscope {

// The answer of a learner; the kind of the question says which member holds it.
struct Answer {
  std::optional<Source> cell = {};
  std::string typed = {};
  std::vector<float> bars = {};
  std::optional<std::size_t> choice = {};
};

struct Verdict {
  bool is_right = false;
  std::string why = {};  // after a wrong answer: what it says instead, and where to look
};

// Judges an answer. `numbers` are those of the step's document; for a question of kind `reach` those of the document as
// it is now. Throws Error if the question's formula names what the document lacks.
Verdict judge(const Question& question, const Answer& answer, const StepNumbers& numbers);

// Returns whether the question is about a chance, which the screen shows in percent.
bool is_in_percent(const Question& question);
// Returns the typed number, which may have the sign of percent; nothing if the text is no number.
std::optional<double> typed_number(std::string text);

// Returns the right answer, to be revealed: a formula's number, a row, a cell. Returns an empty one for `reach`, whose
// solution is a document.
Answer right_answer(const Question& question, const StepNumbers& numbers);
std::string right_answer_text(const Question& question, const StepNumbers& numbers);
// Says the goal of a `reach` question: "the attention weight of key “step” for query “journey” is between 0.33 and
// 0.67."
std::string goal_words(const Question& question, const StepNumbers& numbers);

// Returns the equal bars that a sketch begins with.
std::vector<float> first_bars(const Question& question, const StepNumbers& numbers);
// Returns the names of the bars: the keys of a row of queries by keys; for other rows "1", "2", …
std::vector<std::string> bar_names(const Question& question, const StepNumbers& numbers);

// Predicting outside of lessons: the window covers a stage or one of its rows, in all heads and batch entries, and asks
// one question after the other about a row that is still covered.

struct Cover {
  Stage stage = Stage::weights;
  std::optional<Index> row = {};  // none: all rows are covered
  std::set<Index> open = {};      // rows that were answered or revealed

  // Covers the same rows of all stages that are computed from it, too: dropped weights and the context tell weights.
  bool hides(const AttentionConfig& config, Stage of, Index at_row) const;
  bool hides(const AttentionConfig& config, const Source& source) const {
    return hides(config, source.stage, source.row);
  }
  bool hides_any(const AttentionConfig& config, Stage of) const;
  // Returns the next row that is still covered, after the last one the first; none if all are open.
  std::optional<Index> next_row(Index after, Index rows) const;

  bool operator==(const Cover&) const = default;
};

// Returns covers of the rows whose numbers the question of a step asks for: those in its choices, the number to be
// typed, and the row to be sketched. None of a row that a text of the step tells, of numbers that others are to be
// computed from, and of a step with a teaching view, which shows what its author wants.
std::vector<Cover> covers_of(const LessonStep& step, const StepNumbers& numbers);

// Returns a sentence why a stage cannot be covered; empty if it can.
std::string obstacle_to_covering(const AttentionConfig& config, Stage stage);
// Returns a sentence why this cannot be asked about a cell or its row; empty if it can.
std::string obstacle_to_asking(Question::Kind kind, const Source& asked, const StepNumbers& numbers);

// Asks where the largest number of a row is (`cell`), what a cell is (`number`), or how the row looks (`sketch`).
Question question_about(Question::Kind kind, const Source& asked, const StepNumbers& numbers);
std::string asking_words(Question::Kind kind, const Source& asked, const StepNumbers& numbers);
// Says the true numbers of the row.
std::string row_words(const Source& asked, const StepNumbers& numbers);
// Judges as judge() does; if several are the largest, each is right.
Verdict judge_prediction(const Question& question, const Answer& answer, const StepNumbers& numbers);

// Counts how predictions went since the program was started.
struct PredictionScore {
  int right = 0;
  int wrong = 0;
  int revealed = 0;

  bool operator==(const PredictionScore&) const = default;
};
std::string score_words(const PredictionScore& score);  // returns "3 of 5 right, 1 shown so far"

}  // namespace attnscope
