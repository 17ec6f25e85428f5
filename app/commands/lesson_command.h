#pragma once

#include <string>

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

}  // namespace attnscope
