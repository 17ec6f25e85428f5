#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluate.h"
#include "lessons/judge.h"
#include "lessons/lesson_text.h"
#include "lessons/progress.h"

namespace attnscope {

// What a step says, with its numbers: written once, as they can be many.
struct LessonTexts {
  std::vector<TextBlock> text;
  std::vector<TextBlock> ask;
  std::vector<TextBlock> because;
  std::vector<std::string> choices;
  std::vector<std::string> bars;  // what those of a sketch stand for
  std::string answer;             // the right one
};

// The lesson that is open, and how far the learner is.
struct LessonShown {
  std::shared_ptr<const Lesson> lesson;            // null: none is
  std::vector<std::shared_ptr<const Lesson>> own;  // that were opened from files
  std::size_t step = 0;                            // behind the last one: its end
  bool shows_setup = false;                        // in the lesson's place
  bool is_changed = false;                         // the document is not the step's any more
  std::shared_ptr<const Result> numbers;           // of the step's document; null until it is evaluated
  Answer answer;                                   // as far as it is given
  std::optional<Verdict> verdict;                  // on the last one
  LessonTexts texts;
  LessonProgress progress;

  const LessonStep* current() const { return lesson && step < lesson->steps.size() ? &lesson->steps[step] : nullptr; }
  const Question* question() const {
    const LessonStep* const now = current();
    return now && now->question ? &*now->question : nullptr;
  }
  QuestionRecord record() const {
    const LessonStep* const now = current();
    return now ? progress.of(lesson->id, now->id) : QuestionRecord{};
  }
};

}  // namespace attnscope
