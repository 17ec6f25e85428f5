// The lessons that come with the program, walked through: each number computed, each question answered right, wrong and
// revealed, and the notebooks' figures among the numbers.

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/evaluate.h"
#include "document/json.h"
#include "lessons/judge.h"
#include "lessons/lesson_text.h"
#include "lessons/progress.h"
#include "support.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

const KnownViews known{{"diagram", "heads", "focus", "layers"}, {}};

TEST(ShippedLessons, AreWithoutMistakes) {
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    SCOPED_TRACE(lesson->id);
    try {
      check_lesson(*lesson, known);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
    EXPECT_EQ(shipped_lesson(lesson->id), lesson);
    EXPECT_LT(lesson->summary.size(), 90U);
  }
}

}  // namespace
}  // namespace attnscope::test
