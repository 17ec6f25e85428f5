#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/tensor.h"
#include "document/json.h"
#include "teach/lesson.h"

// How lessons are read, checked and written: for these three files alone.
namespace attnscope {

// The kinds of questions, as lessons name them.
inline constexpr std::array<std::pair<Question::Kind, std::string_view>, 5> question_kinds = {
    {{Question::Kind::cell, "cell"},
     {Question::Kind::number, "number"},
     {Question::Kind::sketch, "sketch"},
     {Question::Kind::choose, "choose"},
     {Question::Kind::reach, "reach"}}};

// Notes what is wrong and goes on, so that one reading finds every mistake.
class Mistakes {
public:
  template <typename Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      found_.push_back({step_, error});
    }
  }
  std::size_t count() const { return found_.size(); }
  // From now on mistakes are those of this step, counted from 0, or of the lesson as a whole for -1.
  void begin_step(Index step) { step_ = step; }
  void throw_first() const {
    if (!found_.empty()) throw Error(found_.front().error);
  }
  // Returns them step by step: a step is read before it is checked.
  std::vector<std::string> sentences() const {
    std::vector<Found> sorted = found_;
    std::ranges::stable_sort(sorted, {}, &Found::step);
    std::vector<std::string> sentences;
    for (const Found& found : sorted) sentences.emplace_back(found.error.what());
    return sentences;
  }

private:
  struct Found {
    Index step = -1;
    Error error;
  };
  std::vector<Found> found_;
  Index step_ = -1;
};

// Does the work, and puts the path before the sentence of an Error that does not begin with it.
template <typename Work>
decltype(auto) within(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(path)) throw;
    throw Error(path, fmt::format("{}: {}", path, error.what()));
  }
}

// Says which parts of a step could be read, so that nothing is said of what was made of wrong ones.
struct StepReading {
  bool has_view = true;
  bool has_question = true;
};

struct LessonReading {
  Lesson lesson;
  std::vector<StepReading> steps;
  bool has_title = false;  // false: it was said that there is none, or no lesson
};

LessonReading read_lesson(std::string_view text, const DocumentFiles& files, Mistakes& mistakes);

}  // namespace attnscope
