#pragma once

#include <string>

#include "lessons/lesson.h"

namespace attnscope {

// The arguments of `attnscope lesson`, as they were typed.
struct LessonArguments {
  std::string action;  // "check", "list" or "handout"
  std::string path;    // of a lesson; to hand one out also the id of one of the program's
  std::string out;     // of a handout
};

// Checks the lesson in a file, or those of a folder: what is wrong with each is a sentence on standard error; prints
// the lessons that come with the program; or writes one as a PDF with its answers at the end. Throws UsageError where
// there was a mistake, or nothing to check.
void run_lesson(const LessonArguments& arguments);

// A lesson in a file, or one of the program's by its id. Throws UsageError where it has a mistake.
Lesson lesson_or_refuse(const std::string& name);

}  // namespace attnscope
