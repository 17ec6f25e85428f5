// What a program that crashed had is offered by the next.

#include <gtest/gtest.h>

#include "document/json.h"
#include "features/files/file_controller.h"
#include "files/document_file.h"
#include "folder_app.h"
#include "headless_app_input.h"
#include "ui/imgui_input.h"

namespace attnscope::test {
namespace {

using Kind = DialogState::Kind;

// Sessions, one after the other or at once, in one state folder.
class Crash : public CrashApp {
protected:
  static void change(HeadlessApp& app) {
    app.drag("setup/dropout", 0.1f, 0.5f);
    ASSERT_TRUE(app.session().shown().is_modified);
  }
  // A program that worked on lecture.json and is gone; gives what it had.
  Document crash(int process = 1) {
    const std::unique_ptr<HeadlessApp> app = start(process);
    app->session().push([this](const Controllers& to) { to.files.save(folder_ / "lecture.json"); });
    app->frames(2);
    change(*app);
    let_time_pass(*app);
    return app->document();
  }
};

TEST_F(Crash, LosesNothingThatWasKept) {
  const Document lost = crash();
  std::filesystem::remove(folder_ / "state" / "recent.json");
  const std::unique_ptr<HeadlessApp> app = start(2);
  ASSERT_EQ(app->session().shown().dialog.kind, Kind::restore);
  EXPECT_NE(app->text().find("lecture.json"), std::string::npos);
  EXPECT_NE(app->session().glyph_text().find("lecture.json"), std::string::npos) << "its letters have to be drawn";
  app->click("restore/0/restore");
  app->settle();
  EXPECT_EQ(app->session().shown().dialog.kind, Kind::none);
  EXPECT_TRUE(app->session().shown().recent.empty()) << "nobody has opened its file";
  EXPECT_EQ(app->document(), lost);
  EXPECT_TRUE(app->session().shown().is_modified);
  EXPECT_EQ(app->session().window_title(), "• lecture.json – attnscope");
  EXPECT_NE(load_document(folder_ / "lecture.json"), lost) << "no file is touched until it is saved";
  app->press_control('S');
  EXPECT_EQ(load_document(folder_ / "lecture.json"), lost);
}

// The document that was lost is of an earlier time than its file.
TEST_F(Crash, IsNotSavedOverWhatWasSavedSinceWithoutAQuestion) {
  crash();
  const std::filesystem::path file = folder_ / "lecture.json";
  Document newer = default_document();
  newer.config.seed = 7;
  save_document(newer, file);
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() + std::chrono::minutes(1));
  const std::unique_ptr<HeadlessApp> app = start(2);
  app->click("restore/0/restore");
  app->settle();
  app->press_control('S');
  EXPECT_EQ(app->session().shown().dialog.kind, Kind::question);
  EXPECT_EQ(load_document(file), newer);
}

TEST_F(Crash, AfterACrashLosesNothingEither) {
  const Document lost = crash();
  {
    const std::unique_ptr<HeadlessApp> restored = start(2);
    restored->click("restore/0/restore");
    restored->settle();
  }  // and it ends before it kept anything by itself
  const std::unique_ptr<HeadlessApp> app = start(3);
  ASSERT_EQ(app->session().shown().dialog.kind, Kind::restore);
  app->click("restore/0/restore");
  app->settle();
  EXPECT_EQ(app->document(), lost);
}

TEST_F(Crash, OfAnUnnamedDocumentIsOffered) {
  {
    const std::unique_ptr<HeadlessApp> app = start(1);
    change(*app);
    let_time_pass(*app);
  }
  const std::unique_ptr<HeadlessApp> app = start(2);
  EXPECT_NE(app->text().find("A document without a name"), std::string::npos);
  app->click("restore/0/restore");
  app->settle();
  EXPECT_EQ(app->session().window_title(), "• untitled – attnscope");
}

TEST_F(Crash, IsForgottenWhenItIsDiscarded) {
  crash();
  {
    const std::unique_ptr<HeadlessApp> app = start(2);
    app->click("restore/0/discard");
    EXPECT_EQ(app->session().shown().dialog.question, "The unsaved changes of lecture.json are deleted.");
    app->click("dialog/cancel");
    EXPECT_EQ(app->session().shown().dialog.kind, Kind::restore) << "nothing is discarded yet";
    app->click("restore/0/discard");
    app->click("dialog/yes");
    EXPECT_EQ(app->session().shown().dialog.kind, Kind::none);
    EXPECT_EQ(app->document(), default_document());
  }
  EXPECT_EQ(start(3)->session().shown().dialog.kind, Kind::none);
}

TEST_F(Crash, CanWaitAndIsInTheMenuUntilThen) {
  crash();
  {
    const std::unique_ptr<HeadlessApp> app = start(2);
    app->click("dialog/close");
    app->click("menu/file");
    app->click("menu/file/restore");
    EXPECT_EQ(app->session().shown().dialog.kind, Kind::restore);
    app->press_key(keys::named(ImGuiKey_Escape));
    EXPECT_EQ(app->session().shown().dialog.kind, Kind::none);
  }
  EXPECT_EQ(start(3)->session().shown().dialog.kind, Kind::restore);
}

TEST_F(Crash, DoesNotTakeTheChangesOfWhoRestores) {
  const Document lost = crash();
  const std::unique_ptr<HeadlessApp> app = start(2);
  app->click("dialog/close");
  change(*app);
  const Document own = app->document();
  app->click("menu/file");
  app->click("menu/file/restore");
  app->click("restore/0/restore");
  app->settle();
  ASSERT_EQ(app->session().shown().dialog.kind, Kind::unsaved);
  EXPECT_EQ(app->document(), own);
  app->click("dialog/discard");
  app->settle();
  EXPECT_EQ(app->document(), lost);
}

TEST_F(Crash, AfterAnotherIsOfferedBesideIt) {
  crash(1);
  {
    const std::unique_ptr<HeadlessApp> app = start(2);
    app->click("dialog/close");
    change(*app);
    let_time_pass(*app);
  }
  const std::unique_ptr<HeadlessApp> app = start(3);
  EXPECT_TRUE(app->shows("restore/0/restore"));
  EXPECT_TRUE(app->shows("restore/1/restore"));
  app->click("restore/0/restore");
  app->settle();
  EXPECT_EQ(app->session().window_title(), "• untitled – attnscope") << "the newest is the first";
  EXPECT_NE(app->message().find("1 more"), std::string::npos);
}

TEST_F(Crash, IsNoneWhenTheProgramIsLeftProperly) {
  {
    const std::unique_ptr<HeadlessApp> app = start(1);
    change(*app);
    let_time_pass(*app);
    app->press_control('Q');
    app->click("dialog/discard");
    ASSERT_TRUE(app->session().quit_requested());
  }
  EXPECT_EQ(start(2)->session().shown().dialog.kind, Kind::none);
  EXPECT_TRUE(start(3)->session().shown().messages.empty());
}

}  // namespace
}  // namespace attnscope::test
