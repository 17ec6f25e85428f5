// Files that the program keeps for itself, with bytes of them changed by somebody else: settings, recent files,
// progress.

#include <gtest/gtest.h>

#include <random>

#include "features/files/file_controller.h"
#include "features/lessons/lesson_controller.h"
#include "features/settings.h"
#include "features/shared/panel/calls.h"
#include "headless_app.h"
#include "platform/system/file.h"
#include "support.h"
#include "teach/lesson.h"

namespace attnscope::test {
namespace {

// The text with a few of its bytes changed, taken out or doubled.
std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t count) { return random() % count; };
  const std::string likely = "0123456789-.eE{}[]\",: \\ntfu\x80";
  for (std::size_t change = below(4) + 1; change > 0 && !text.empty(); --change) {
    const std::size_t at = below(text.size());
    const std::size_t kind = below(4);
    if (kind == 0) text[at] = likely[below(likely.size())];
    if (kind == 1) text.erase(at, below(8));
    if (kind == 2) text.insert(at, text.substr(at, below(30)));
    if (kind == 3) text.resize(at);
  }
  return text;
}

class DamagedFiles : public testing::Test {
protected:
  static constexpr int attempts = 300;
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "kept.json";
  std::mt19937 random_{7};
};

TEST_F(DamagedFiles, OfSettingsGiveSettingsThatCanBeSavedAndDrawn) {
  ViewState view;
  view.mode = ViewMode::focus;
  view.decimals = 4;
  view.show_options = true;
  view.screenshot_folder = "/Bilder";
  view.figure.emplace();
  save_settings(view, {}, file_);
  const std::string good = text_of(file_);
  int read = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    put_text(file_, damaged(good, random_));
    std::string problem;
    const ViewState loaded = load_settings(file_, problem);
    EXPECT_TRUE(problem.empty() || says(problem, {"defaults are used"})) << problem;
    read += problem.empty() ? 1 : 0;
    save_settings(loaded, {}, folder_ / "again.json");
    ASSERT_EQ(load_settings(folder_ / "again.json", problem), loaded) << text_of(file_);
    if (attempt % 20 == 0) HeadlessApp(default_document(), {1280, 800}, loaded).frames(2);
    std::filesystem::remove(folder_ / "again.json");
  }
  EXPECT_GT(read, attempts / 20);
}

TEST_F(DamagedFiles, OfRecentFilesGiveSomeOrNoneAndTakeMore) {
  for (const char* const name : {"a.json", "b.png", "Über.pdf"}) RecentFiles(file_).add(folder_ / name);
  const std::string good = text_of(file_);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    put_text(file_, damaged(good, random_));
    RecentFiles recent(file_);
    ASSERT_LE(recent.files().size(), RecentFiles::max_files);
    recent.add(folder_ / "new.json");
    ASSERT_EQ(RecentFiles(file_).files().front().path, folder_ / "new.json");
  }
}

TEST_F(DamagedFiles, OfProgressGiveProgressOrASentence) {
  LessonProgress progress;
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    for (const LessonStep& step : lesson->steps) progress.answered(lesson->id, step.id, step.id.size() % 2 == 0);
  }
  save_progress(progress, {}, file_);
  const std::string good = text_of(file_);
  int read = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    put_text(file_, damaged(good, random_));
    try {
      LessonProgress loaded = load_progress(file_);
      std::filesystem::remove(folder_ / "again.json");
      save_progress(loaded, {}, folder_ / "again.json");
      ASSERT_EQ(load_progress(folder_ / "again.json"), loaded);
      ++read;
    } catch (const Error& error) {
      EXPECT_TRUE(says(error.what(), {"kept.json"})) << error.what();
    }
  }
  EXPECT_GT(read, attempts / 100);
}

// Perhaps a newer version wrote it.
TEST_F(DamagedFiles, OfProgressStayAsTheyAre) {
  const std::string newer = R"({"neighbours": {"a": {"wrong": 0, "right": true, "revealed": false, "seconds": 4}}})";
  put_text(file_, newer);
  HeadlessApp app;
  const Error error = error_of([&] { app.session().keep_progress_in(file_); });
  EXPECT_TRUE(says(error.what(), {"Answers in lessons are not saved", "kept.json", "\"seconds\""})) << error.what();
  open_lesson(app.session().queue(), "neighbours");
  app.session().push([](const Controllers& to) { to.lessons.go_to_step(1); });  // where it asks
  app.frames(2);
  app.settle();
  app.call([](const Controllers& to) { to.lessons.reveal(); });
  EXPECT_TRUE(app.session().shown().lesson.record().is_revealed);
  EXPECT_EQ(text_of(file_), newer);
}

}  // namespace
}  // namespace attnscope::test
