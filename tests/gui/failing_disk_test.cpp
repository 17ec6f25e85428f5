// While a document is saved, kept and exported each call that writes fails in turn: nothing is lost, nothing is left
// over, the window goes on and says what happened.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "document/json.h"
#include "features/files/file_controller.h"
#include "figure_dialog_app.h"
#include "files/document_file.h"
#include "files_app.h"
#include "tests/support/failing_disk.h"

namespace attnscope::test {
namespace {

using Names = std::vector<std::string>;

constexpr int reasons[] = {ENOSPC, EIO, EACCES};
constexpr int more_than_there_are = 500;

class SavesOnAFailingDisk : public Files {
protected:
  // Saves an edit with the call of this number failing. Whether there were so many.
  bool save_with_failure(int call, int reason) {
    app_.replace_text("setup/seed", std::to_string(1000 * reason + call));
    app_.press_key(keys::named(ImGuiKey_Enter));
    EXPECT_TRUE(app_.session().shown().is_modified);
    const Document before = std::get<Document>(load_any(folder_ / "lecture.json"));
    const FailingDisk disk(call, reason);
    app_.press_control('S');
    const Document saved = std::get<Document>(load_any(folder_ / "lecture.json"));
    EXPECT_EQ(folder_.names(), Names{"lecture.json"}) << call;
    if (app_.session().shown().is_modified) {
      EXPECT_TRUE(disk.has_struck());
      EXPECT_TRUE(saved == before || saved == app_.document()) << call;
      EXPECT_TRUE(says(app_.message(), {"Cannot write ", "lecture.json"})) << call;
    } else {
      EXPECT_EQ(saved, app_.document()) << call;
    }
    return disk.has_struck();
  }
  static AnyDocument load_any(const std::filesystem::path& path) { return parse_any_document(text_of(path)); }
};

TEST_F(SavesOnAFailingDisk, KeepTheOldDocumentOrTheNewOne) {
  save_as("lecture");
  for (const int reason : reasons) {
    int call = 1;
    while (save_with_failure(call, reason)) ASSERT_LT(++call, more_than_there_are);
    EXPECT_GT(call, 3);
    EXPECT_FALSE(app_.session().shown().is_modified);
  }
}

TEST(AutosaveOnAFailingDisk, KeepsTheOldDocumentOrTheNewOne) {
  const TemporaryFolder folder;
  Autosave autosave(folder.path(), 1);
  Document document = default_document();
  ASSERT_EQ(autosave.update_now(document, {}), "");
  for (const int reason : reasons) {
    for (int call = 1; call < more_than_there_are; ++call) {
      const Document before = document;
      ++document.config.seed;
      const FailingDisk disk(call, reason);
      const std::string problem = autosave.update_now(document, {});
      const auto kept = std::get<Document>(Autosave::read({folder / "1.json", {}, {}}));
      EXPECT_EQ(folder.names(), (Names{"1.json", "1.lock"})) << call;
      if (problem.empty()) {
        EXPECT_EQ(kept, document) << call;
      } else {
        EXPECT_TRUE(kept == before || kept == document) << call;
        EXPECT_TRUE(says(problem, {"A crash would lose", "1.json"})) << call;
      }
      if (!(kept == document)) document = before;
      if (!disk.has_struck()) break;
      ASSERT_LT(call + 1, more_than_there_are);
    }
  }
}

// The next start offers what was kept first or what came after it, and finds nothing else.
TEST(KilledWhileItKeeps, LosesNothingAndLeavesNothing) {
  const Document first = default_document();
  Document second = first;
  second.config.seed = 4711;
  for (int call = 1; call < more_than_there_are; ++call) {
    const TemporaryFolder folder;
    const pid_t child = ::fork();
    if (child == 0) {
      Autosave autosave(folder.path(), 1);
      autosave.update_now(first, {});
      die_at_call(call);
      autosave.update_now(second, {});
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    Autosave next(folder.path(), 2);
    const std::vector<LostDocument> lost = next.find_lost();
    ASSERT_EQ(lost.size(), 1U) << call;
    const auto kept = std::get<Document>(Autosave::read(lost[0]));
    EXPECT_TRUE(kept == second || (WIFSIGNALED(status) && kept == first)) << call;
    EXPECT_EQ(folder.names(), (Names{"1.json", "1.lock", "2.lock"})) << call;
    if (!WIFSIGNALED(status)) return;
  }
  FAIL() << "it never ended";
}

class ExportsOnAFailingDisk : public FigureDialogApp {
protected:
  // Exports over what is there, which is named by `name` alone, with the call of this number failing.
  bool export_with_failure(const std::string& name, int call, int reason) {
    const std::string before = text_of(folder_ / name);
    const FailingDisk disk(call, reason);
    app_.click("dialog/accept");
    app_.settle();
    EXPECT_EQ(folder_.names(), Names{name}) << call;
    EXPECT_EQ(load_document(folder_ / name), app_.document()) << name << " " << call;
    const std::string& said = dialog().error.empty() ? app_.message() : dialog().error;
    const bool is_exported = said.starts_with("Exported ");
    EXPECT_TRUE(is_exported || says(said, {"Cannot write ", name})) << call;
    EXPECT_TRUE(is_exported || disk.has_struck()) << said;
    return disk.has_struck();
  }
};

TEST_F(ExportsOnAFailingDisk, LeaveTheOldPictureOrTheNewOne) {
  constexpr std::pair<const char*, int> cases[] = {{"a.png", ENOSPC}, {"a.svg", EIO}, {"a.pdf", EACCES}};
  for (const auto& [name, reason] : cases) {
    open();
    export_as(name);
    int call = 1;
    while (export_with_failure(name, call, reason)) ASSERT_LT(++call, more_than_there_are);
    EXPECT_GT(call, 3);
    std::filesystem::remove(folder_ / name);
  }
}

}  // namespace
}  // namespace attnscope::test
