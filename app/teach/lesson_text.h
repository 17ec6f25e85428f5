#pragma once

#include <string>
#include <vector>

#include "teach/formula.h"
#include "teach/lesson.h"

namespace attnscope {

// A text of a lesson, ready to be drawn.
struct TextSpan {
  enum class Style { plain, strong, emphasis, code, number };
  Style style = Style::plain;
  std::string text = {};

  bool operator==(const TextSpan&) const = default;
};
struct TextBlock {
  enum class Kind { paragraph, item, code };  // item: one item of a list
  Kind kind = Kind::paragraph;
  std::vector<TextSpan> spans = {};  // code has one span, with its line ends

  bool operator==(const TextBlock&) const = default;
};

// Returns the blocks of a text. A paragraph that is one formula of several numbers becomes code. Without numbers to
// compute with, "…" stands for each. Throws Error whose sentence begins with the path of the text.
std::vector<TextBlock> lesson_text(const LessonText& text, const StepNumbers* numbers);
// Returns the text in a line, without styles.
std::string plain_lesson_text(const LessonText& text, const StepNumbers* numbers);

}  // namespace attnscope
