#pragma once

#include <optional>
#include <string>
#include <vector>

#include "teach/formula.h"
#include "teach/lesson.h"

namespace attnscope {

// The answer of a learner, of the kind that the question asks for.
struct Answer {
  std::optional<Source> cell = {};
  std::string typed = {};
  std::vector<float> bars = {};
  std::optional<std::size_t> choice = {};
};

struct Verdict {
  bool is_right = false;
  std::string why = {};  // of a wrong one: what was answered instead, and where to look
};

// `numbers` are of the step's document; of a question of kind `reach` those of the document as it is now. Throws Error
// where the question's formula names what is not there.
Verdict judge(const Question& question, const Answer& answer, const StepNumbers& numbers);

// Nothing where it is no number.
std::optional<double> typed_number(std::string text);

// The right answer, for those who want it revealed: a formula's number, a row, a cell. Of `reach` nothing: its solution
// is a document.
Answer right_answer(const Question& question, const StepNumbers& numbers);
std::string right_answer_text(const Question& question, const StepNumbers& numbers);
// Says the goal of a `reach` question: "the attention weight of key “step” for query “journey” is between 0.33 and
// 0.67."
std::string goal_words(const Question& question, const StepNumbers& numbers);

// The bars that a sketch begins with: all the same.
std::vector<float> first_bars(const Question& question, const StepNumbers& numbers);
// The names of what the bars stand for: the keys of a row, or "1", "2", … of other rows.
std::vector<std::string> bar_names(const Question& question, const StepNumbers& numbers);

}  // namespace attnscope
