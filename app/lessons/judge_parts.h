#pragma once

#include "lessons/judge.h"

// Private to this folder.
namespace attnscope {

Verdict judge_cell(const Question& question, const Source& clicked, const StepNumbers& numbers);
Verdict judge_number(const Question& question, const std::string& typed, const StepNumbers& numbers);
Verdict judge_bars(const Question& question, const std::vector<float>& bars, const StepNumbers& numbers);

// "query “journey”", and of several of that name with its position.
std::string query_words(const StepNumbers& numbers, Index query);
std::string key_words(const StepNumbers& numbers, Index key);
// A number as sentences have it.
std::string number_words(double number);

}  // namespace attnscope
