#pragma once

#include <optional>
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

// Returns the typed number; nothing if the text is no number.
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

}  // namespace attnscope
