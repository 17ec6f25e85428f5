#pragma once

#include <string>

namespace attnscope {

// The arguments of `attnscope lesson`, as they were typed.
struct LessonArguments {
  std::string action;  // "check" or "list"
  std::string path;    // to check
};

// Checks the lesson in a file, or those of a folder: what is wrong with each is a sentence on standard error; or prints
// the lessons that come with the program. Throws UsageError where there was a mistake, or nothing to check.
void run_lesson(const LessonArguments& arguments);

}  // namespace attnscope
