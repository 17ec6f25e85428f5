// What a crash leaves is offered at the next start, and windows that run at the same time do not tread on each other.

#include "features/files/file_controller.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>

#include "document/json.h"
#include "files/document_file.h"
#include "folder_app.h"
#include "headless_app_input.h"
#include "tests/support/patience.h"

namespace attnscope::test {
namespace {

using Names = std::vector<std::string>;

Document changed_document() {
  Document document = default_document();
  document.config.seed = 4711;
  document.config.weight_overrides["out_proj.bias"] = Tensor{{2}, {0.1F, -0.0F}};
  return document;
}

AnyDocument restored(Autosave& autosave, const LostDocument& lost) {
  AnyDocument document = Autosave::read(lost);
  autosave.take_over(lost);
  return document;
}

// Lets time pass, from any of the tests' moments on, until the change is written.
void keep(Autosave& autosave, const Document& document, const std::filesystem::path& file = {}) {
  constexpr double later = 100;
  double now = later;
  wait_until([&] {
    EXPECT_EQ(autosave.update([&] { return document; }, 1, true, file, now), std::nullopt);
    now += Autosave::longest;
    return autosave.seconds_to_update(now) < 0;
  });
}

class AutosaveOfDocuments : public testing::Test {
protected:
  TemporaryFolder folder_;
};

TEST_F(AutosaveOfDocuments, WaitsUntilAnEditEndsAndThenSleeps) {
  Autosave autosave(folder_.path(), 1);
  EXPECT_LT(autosave.seconds_to_update(0), 0);
  autosave.update(changed_document, 1, true, {}, 10);
  EXPECT_EQ(autosave.seconds_to_update(10.25), Autosave::quiet - 0.25);
  autosave.update(changed_document, 2, true, {}, 10.25);
  EXPECT_EQ(autosave.seconds_to_update(10.25), Autosave::quiet) << "the edit goes on";
  EXPECT_EQ(folder_.names(), Names{"1.lock"});
  keep(autosave, changed_document());
  EXPECT_EQ(folder_.names(), (Names{"1.json", "1.lock"}));
  EXPECT_LT(autosave.seconds_to_update(100), 0);
}

TEST_F(AutosaveOfDocuments, DoesNotWaitForTheEndOfALongEdit) {
  Autosave autosave(folder_.path(), 1);
  std::uint64_t edition = 0;
  for (double now = 10; now < 10 + Autosave::longest; now += 0.25) {
    autosave.update(changed_document, ++edition, true, {}, now);
    EXPECT_GT(autosave.seconds_to_update(now), 0) << now;
  }
  constexpr double end = 10 + Autosave::longest;
  autosave.update(changed_document, ++edition, true, {}, end);
  wait_until([&] {
    autosave.update(changed_document, edition, true, {}, end);
    return autosave.seconds_to_update(end) < 0;
  });
  EXPECT_EQ(folder_.names(), (Names{"1.json", "1.lock"}));
}

TEST_F(AutosaveOfDocuments, DoesNotWaitAtTheEndOfTime) {
  constexpr double end_of_time = std::numeric_limits<double>::infinity();
  Autosave autosave(folder_.path(), 1);
  autosave.update(changed_document, 1, true, {}, 10);
  wait_until([&] {
    autosave.update(changed_document, 1, true, {}, end_of_time);
    return autosave.seconds_to_update(end_of_time) < 0;
  });
  EXPECT_EQ(folder_.names(), (Names{"1.json", "1.lock"}));
  autosave.update(changed_document, 2, true, {}, 11);
  EXPECT_EQ(autosave.seconds_to_update(11), Autosave::quiet) << "a page may be come back to";
}

TEST_F(AutosaveOfDocuments, IsWrittenAtOnceWhenTheProgramIsMadeToEnd) {
  {
    Autosave autosave(folder_.path(), 1);
    EXPECT_EQ(autosave.update_now(changed_document(), "lecture.json"), "");
  }
  Autosave next(folder_.path(), 2);
  const std::vector<LostDocument> lost = next.find_lost();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].file.filename(), "lecture.json");
  EXPECT_EQ(std::get<Document>(Autosave::read(lost[0])), changed_document());
}

TEST_F(AutosaveOfDocuments, PassesWhatIsNoFileBy) {
  ASSERT_EQ(::mkfifo((folder_.path() / "7.json").c_str(), 0600), 0);
  put_text(folder_.path() / "7.lock", "");
  Autosave autosave(folder_.path(), 1);
  EXPECT_TRUE(autosave.find_lost().empty());
}

TEST_F(AutosaveOfDocuments, GoesOnceTheyAreSaved) {
  Autosave autosave(folder_.path(), 1);
  keep(autosave, changed_document());
  autosave.update(changed_document, 1, false, {}, 20);
  EXPECT_EQ(folder_.names(), Names{"1.lock"});
  autosave.update(changed_document, 2, true, {}, 21);
  EXPECT_EQ(autosave.seconds_to_update(21), Autosave::quiet);
  autosave.forget();
  EXPECT_EQ(folder_.names(), Names{});
}

TEST_F(AutosaveOfDocuments, OfARunningProgramIsNotOffered) {
  Autosave running(folder_.path(), 1);
  keep(running, changed_document());
  Autosave other(folder_.path(), 2);
  EXPECT_TRUE(other.find_lost().empty());
}

TEST_F(AutosaveOfDocuments, IsOfferedOnceItsProgramWasKilled) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t program = ::fork();
  if (program == 0) {
    try {
      Autosave autosave(folder_.path(), ::getpid());
      keep(autosave, changed_document(), "/lectures/one.json");
      (void)!::write(ready[1], "r", 1);
      ::pause();
    } catch (...) {
    }
    ::_exit(1);
  }
  ::close(ready[1]);  // so that reading ends when the other program does
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1) << "the other program ended before it kept its document";
  Autosave next(folder_.path(), 1);
  EXPECT_TRUE(next.find_lost().empty()) << "it still runs";
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  const std::vector<LostDocument> lost = next.find_lost();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].file, "/lectures/one.json");
  EXPECT_EQ(restored(next, lost[0]), AnyDocument(changed_document()));
  EXPECT_EQ(folder_.names(), (Names{"1.json", "1.lock"})) << "it is this program's now";
  ::close(ready[0]);
}

TEST_F(AutosaveOfDocuments, IsOfferedToOneProgramOnly) {
  { keep(*std::make_unique<Autosave>(folder_.path(), 1), changed_document()); }
  auto second = std::make_unique<Autosave>(folder_.path(), 2);
  Autosave third(folder_.path(), 3);
  EXPECT_EQ(second->find_lost().size(), 1U);
  EXPECT_TRUE(third.find_lost().empty());
  second.reset();
  EXPECT_EQ(third.find_lost().size(), 1U) << "what the second did not restore is still there";
}

TEST_F(AutosaveOfDocuments, KeepsWhatAProgramOfTheSameNumberLeft) {
  { keep(*std::make_unique<Autosave>(folder_.path(), 1), changed_document()); }
  Autosave again(folder_.path(), 1);
  keep(again, default_document());
  const std::vector<LostDocument> lost = again.find_lost();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(restored(again, lost[0]), AnyDocument(changed_document()));
}

TEST_F(AutosaveOfDocuments, ThatIsBrokenStaysAndSaysWhy) {
  put_text(folder_ / "7.json", "{\"autosave_of\": 5}\n{\"seed\": -1}");
  put_text(folder_ / "8.json", "noise");
  put_text(folder_ / "9.json", "");
  Autosave autosave(folder_.path(), 1);
  const std::vector<LostDocument> lost = autosave.find_lost();
  ASSERT_EQ(lost.size(), 3U);
  for (const LostDocument& document : lost) {
    error_of([&] { restored(autosave, document); });
    EXPECT_TRUE(std::filesystem::exists(document.kept_in));
    autosave.discard(document);
    EXPECT_FALSE(std::filesystem::exists(document.kept_in));
  }
  EXPECT_EQ(folder_.names(), Names{"1.lock"});
}

TEST_F(AutosaveOfDocuments, SaysWhenItCannotBeWritten) {
  put_text(folder_ / "file", "");
  EXPECT_TRUE(says(error_of([&] { Autosave(folder_ / "file", 1); }).what(), {"A crash would lose", "file"}));
  Autosave autosave(folder_ / "gone", 1);
  std::filesystem::remove_all(folder_ / "gone");
  autosave.update(changed_document, 1, true, {}, 0);
  autosave.update(changed_document, 1, true, {}, Autosave::longest);
  std::optional<std::string> problem;
  wait_until([&] {
    problem = autosave.update(changed_document, 1, true, {}, Autosave::longest);
    return problem.has_value();
  });
  EXPECT_TRUE(says(*problem, {"A crash would lose", "gone"}));
  EXPECT_LT(autosave.seconds_to_update(Autosave::longest), 0) << "it tries again after the next change only";
}

}  // namespace
}  // namespace attnscope::test
