#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "teach/lesson.h"

namespace attnscope {

// The attempts at a question so far.
struct QuestionRecord {
  int wrong = 0;
  bool is_right = false;     // the learner answered it before it was revealed
  bool is_revealed = false;  // the learner asked for the answer before giving it

  bool is_done() const { return is_right || is_revealed; }
  bool operator==(const QuestionRecord&) const = default;
};

// The records of all questions, by lesson and step.
class LessonProgress {
public:
  const QuestionRecord& of(const std::string& lesson, const std::string& step) const;
  void answered(const std::string& lesson, const std::string& step, bool is_right);
  void revealed(const std::string& lesson, const std::string& step);
  void clear(const std::string& lesson) { records_.erase(lesson); }
  void clear() { records_.clear(); }

  bool operator==(const LessonProgress&) const = default;

private:
  friend LessonProgress load_progress(const std::filesystem::path& path);
  friend bool save_progress(LessonProgress& progress, const LessonProgress& before, const std::filesystem::path& path);

  // Makes the changes that lead from one progress to another.
  void change(const LessonProgress& before, const LessonProgress& after);

  std::map<std::string, std::map<std::string, QuestionRecord>> records_;
};

struct LessonScore {
  int questions = 0;
  int right = 0;    // answered by the learner
  int at_once = 0;  // those among them that had no wrong answer before
  int revealed = 0;

  bool operator==(const LessonScore&) const = default;
};
LessonScore score_of(const Lesson& lesson, const LessonProgress& progress);
// Returns "4 of 6 right, 3 at the first attempt, 1 shown".
std::string score_words(const LessonScore& score);

// A missing file is nobody's progress. Throws Error where it cannot be read or written.
LessonProgress load_progress(const std::filesystem::path& path);
// Writes what differs from `before`, as this program loaded or saved it last, and takes over what another window has
// written since. Returns false, and writes nothing, if another program keeps the file locked: to be tried again. Throws
// Error.
bool save_progress(LessonProgress& progress, const LessonProgress& before, const std::filesystem::path& path);

}  // namespace attnscope
