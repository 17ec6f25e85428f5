#include "teach/lesson.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "document/json_value.h"
#include "platform/system/file.h"

namespace attnscope {
namespace {

constexpr std::size_t most_bytes = 1 << 20;
constexpr Index most_wrong = 1'000'000;
constexpr std::chrono::milliseconds patience_for_lock{500};

QuestionRecord read_record(const JsonValue& value) {
  value.check_keys({"wrong", "right", "revealed"});
  return {.wrong = static_cast<int>(value.needed("wrong").whole(0, most_wrong)),
          .is_right = value.needed("right").flag(),
          .is_revealed = value.needed("revealed").flag()};
}

}  // namespace

const QuestionRecord& LessonProgress::of(const std::string& lesson, const std::string& step) const {
  static const QuestionRecord none;
  const auto of_lesson = records_.find(lesson);
  if (of_lesson == records_.end()) return none;
  const auto found = of_lesson->second.find(step);
  return found == of_lesson->second.end() ? none : found->second;
}

// A revealed step stays revealed, whatever is answered afterwards.
void LessonProgress::answered(const std::string& lesson, const std::string& step, bool is_right) {
  QuestionRecord& record = records_[lesson][step];
  if (record.is_done()) return;
  if (is_right) {
    record.is_right = true;
  } else {
    ++record.wrong;
  }
}

void LessonProgress::revealed(const std::string& lesson, const std::string& step) {
  QuestionRecord& record = records_[lesson][step];
  if (!record.is_done()) record.is_revealed = true;
}

void LessonProgress::change(const LessonProgress& before, const LessonProgress& after) {
  for (const auto& [lesson, steps] : before.records_) {
    for (const auto& [step, record] : steps) {
      if (after.of(lesson, step) == QuestionRecord()) records_[lesson].erase(step);
    }
    if (records_[lesson].empty()) records_.erase(lesson);
  }
  for (const auto& [lesson, steps] : after.records_) {
    for (const auto& [step, record] : steps) {
      if (!(record == before.of(lesson, step))) records_[lesson][step] = record;
    }
  }
}

LessonScore score_of(const Lesson& lesson, const LessonProgress& progress) {
  LessonScore score;
  for (const LessonStep& step : lesson.steps) {
    if (!step.question) continue;
    const QuestionRecord& record = progress.of(lesson.id, step.id);
    ++score.questions;
    if (record.is_right) ++score.right;
    if (record.is_right && record.wrong == 0) ++score.at_once;
    if (record.is_revealed) ++score.revealed;
  }
  return score;
}

std::string score_words(const LessonScore& score) {
  std::string words = fmt::format("{} of {} right", score.right, score.questions);
  if (score.right > 0 && score.at_once == score.right) {
    words += score.right == 1 ? ", at the first attempt" : ", all at the first attempt";
  } else if (score.at_once > 0) {
    words += fmt::format(", {} at the first attempt", score.at_once);
  }
  if (score.revealed > 0) words += fmt::format(", {} shown", score.revealed);
  return words;
}

LessonProgress load_progress(const std::filesystem::path& path) {
  LessonProgress progress;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return progress;
  const std::string text = read_file(path, most_bytes);
  try {
    const JsonText json(text, "It");
    const JsonValue root = json.root();
    if (!root.is_object()) throw Error("It is not an object of lessons.");
    for (JsonItems lessons(root); const JsonValue* lesson = lessons.next();) {
      if (!lesson->is_object()) throw Error(fmt::format("{} is not an object of steps.", in_quotes(lesson->key())));
      for (JsonItems steps(*lesson); const JsonValue* step = steps.next();)
        progress.records_[lesson->key()][step->key()] = read_record(*step);
    }
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", shown_path(path), error.what()));
  }
  return progress;
}

bool save_progress(LessonProgress& progress, const LessonProgress& before, const std::filesystem::path& path) {
  const FileLock lock(path.string() + ".lock", patience_for_lock);
  if (lock.is_anothers()) return false;
  LessonProgress merged = load_progress(path);
  merged.change(before, progress);
  Json json = Json::object();
  for (const auto& [lesson, steps] : merged.records_) {
    for (const auto& [step, record] : steps)
      json[lesson][step] = {{"wrong", record.wrong}, {"right", record.is_right}, {"revealed", record.is_revealed}};
  }
  write_file(path, json_text(json, 2) + "\n");
  progress = std::move(merged);
  return true;
}

}  // namespace attnscope
