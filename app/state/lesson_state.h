#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluate.h"
#include "lessons/judge.h"
#include "lessons/lesson_text.h"
#include "lessons/prediction.h"
#include "lessons/progress.h"

namespace attnscope {

// The texts of a step with their numbers, written once because the numbers can be many.
struct LessonTexts {
  std::vector<TextBlock> text;
  std::vector<TextBlock> ask;
  std::vector<TextBlock> because;
  std::vector<std::string> choices;
  std::vector<std::string> bars;  // what those of a sketch stand for
  std::string answer;             // the right one
  std::string goal;               // of what is to be reached
};

// How a question is answered.
struct Answering {
  std::shared_ptr<const Result> numbers;  // of the document that it is about; null until it is evaluated
  Answer answer;                          // as far as it is given
  std::optional<Verdict> verdict;         // on the last one
  LessonTexts texts;
};

// The cover and the question outside of lessons. They last for this sitting: neither saved nor undone.
struct PredictionShown : Answering {
  std::optional<Cover> cover;  // none: nothing is
  Question::Kind kind = Question::Kind::cell;
  Source asked;           // the cell, or a cell of the row
  std::string obstacle;   // why that cannot be asked; empty where it can
  Question question;      // of the numbers as they are now
  QuestionRecord record;  // of this question
  PredictionScore score;  // of all

  bool is_done() const { return record.is_done() || record.wrong > 0; }  // there is one guess
};

// The lesson that is open, and how far the learner is.
struct LessonShown : Answering {
  std::shared_ptr<const Lesson> lesson;            // null: none is
  std::vector<std::shared_ptr<const Lesson>> own;  // that were opened from files
  std::size_t step = 0;                            // behind the last one: its end
  bool shows_setup = false;                        // in the lesson's place
  bool is_changed = false;                         // the document is not the step's any more
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
