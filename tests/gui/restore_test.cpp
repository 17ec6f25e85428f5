// What a program that crashed had is offered by the next.

#include <gtest/gtest.h>

#include "desk_input.h"
#include "document/json.h"
#include "folder_desk.h"
#include "interchange/document_file.h"
#include "ui/imgui_keys.h"

namespace attnscope::test {
namespace {

using Kind = DialogState::Kind;

// Sessions, one after the other or at once, in one state folder.
class Crash : public CrashDesk {
protected:
  static void change(Desk& desk) {
    desk.drag("setup/dropout", 0.1f, 0.5f);
    ASSERT_TRUE(desk.session().shown().is_modified);
  }
  // A program that worked on lecture.json and is gone; gives what it had.
  Document crash(int process = 1) {
    const std::unique_ptr<Desk> desk = start(process);
    desk->session().push(SaveFile{folder_ / "lecture.json"});
    desk->frames(2);
    change(*desk);
    let_time_pass(*desk);
    return desk->document();
  }
};

TEST_F(Crash, LosesNothingThatWasKept) {
  const Document lost = crash();
  std::filesystem::remove(folder_ / "state" / "recent.json");
  const std::unique_ptr<Desk> desk = start(2);
  ASSERT_EQ(desk->session().shown().dialog.kind, Kind::restore);
  EXPECT_NE(desk->text().find("lecture.json"), std::string::npos);
  EXPECT_NE(desk->session().glyph_text().find("lecture.json"), std::string::npos) << "its letters have to be drawn";
  desk->click("restore/0/restore");
  desk->settle();
  EXPECT_EQ(desk->session().shown().dialog.kind, Kind::none);
  EXPECT_TRUE(desk->session().shown().recent.empty()) << "nobody has opened its file";
  EXPECT_EQ(desk->document(), lost);
  EXPECT_TRUE(desk->session().shown().is_modified);
  EXPECT_EQ(desk->session().window_title(), "• lecture.json – attnscope");
  EXPECT_NE(load_document(folder_ / "lecture.json"), lost) << "no file is touched until it is saved";
  desk->press_control('S');
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
  const std::unique_ptr<Desk> desk = start(2);
  desk->click("restore/0/restore");
  desk->settle();
  desk->press_control('S');
  EXPECT_EQ(desk->session().shown().dialog.kind, Kind::question);
  EXPECT_EQ(load_document(file), newer);
}

TEST_F(Crash, AfterACrashLosesNothingEither) {
  const Document lost = crash();
  {
    const std::unique_ptr<Desk> restored = start(2);
    restored->click("restore/0/restore");
    restored->settle();
  }  // and it ends before it kept anything by itself
  const std::unique_ptr<Desk> desk = start(3);
  ASSERT_EQ(desk->session().shown().dialog.kind, Kind::restore);
  desk->click("restore/0/restore");
  desk->settle();
  EXPECT_EQ(desk->document(), lost);
}

TEST_F(Crash, OfAnUnnamedDocumentIsOffered) {
  {
    const std::unique_ptr<Desk> desk = start(1);
    change(*desk);
    let_time_pass(*desk);
  }
  const std::unique_ptr<Desk> desk = start(2);
  EXPECT_NE(desk->text().find("A document without a name"), std::string::npos);
  desk->click("restore/0/restore");
  desk->settle();
  EXPECT_EQ(desk->session().window_title(), "• untitled – attnscope");
}

TEST_F(Crash, IsForgottenWhenItIsDiscarded) {
  crash();
  {
    const std::unique_ptr<Desk> desk = start(2);
    desk->click("restore/0/discard");
    EXPECT_EQ(desk->session().shown().dialog.question, "The unsaved changes of lecture.json are deleted.");
    desk->click("dialog/cancel");
    EXPECT_EQ(desk->session().shown().dialog.kind, Kind::restore) << "nothing is discarded yet";
    desk->click("restore/0/discard");
    desk->click("dialog/yes");
    EXPECT_EQ(desk->session().shown().dialog.kind, Kind::none);
    EXPECT_EQ(desk->document(), default_document());
  }
  EXPECT_EQ(start(3)->session().shown().dialog.kind, Kind::none);
}

TEST_F(Crash, CanWaitAndIsInTheMenuUntilThen) {
  crash();
  {
    const std::unique_ptr<Desk> desk = start(2);
    desk->click("dialog/close");
    desk->click("menu/file");
    desk->click("menu/file/restore");
    EXPECT_EQ(desk->session().shown().dialog.kind, Kind::restore);
    desk->press_key(keys::named(ImGuiKey_Escape));
    EXPECT_EQ(desk->session().shown().dialog.kind, Kind::none);
  }
  EXPECT_EQ(start(3)->session().shown().dialog.kind, Kind::restore);
}

TEST_F(Crash, DoesNotTakeTheChangesOfWhoRestores) {
  const Document lost = crash();
  const std::unique_ptr<Desk> desk = start(2);
  desk->click("dialog/close");
  change(*desk);
  const Document own = desk->document();
  desk->click("menu/file");
  desk->click("menu/file/restore");
  desk->click("restore/0/restore");
  desk->settle();
  ASSERT_EQ(desk->session().shown().dialog.kind, Kind::unsaved);
  EXPECT_EQ(desk->document(), own);
  desk->click("dialog/discard");
  desk->settle();
  EXPECT_EQ(desk->document(), lost);
}

TEST_F(Crash, AfterAnotherIsOfferedBesideIt) {
  crash(1);
  {
    const std::unique_ptr<Desk> desk = start(2);
    desk->click("dialog/close");
    change(*desk);
    let_time_pass(*desk);
  }
  const std::unique_ptr<Desk> desk = start(3);
  EXPECT_TRUE(desk->shows("restore/0/restore"));
  EXPECT_TRUE(desk->shows("restore/1/restore"));
  desk->click("restore/0/restore");
  desk->settle();
  EXPECT_EQ(desk->session().window_title(), "• untitled – attnscope") << "the newest is the first";
  EXPECT_NE(desk->message().find("1 more"), std::string::npos);
}

TEST_F(Crash, IsNoneWhenTheProgramIsLeftProperly) {
  {
    const std::unique_ptr<Desk> desk = start(1);
    change(*desk);
    let_time_pass(*desk);
    desk->press_control('Q');
    desk->click("dialog/discard");
    ASSERT_TRUE(desk->session().quit_requested());
  }
  EXPECT_EQ(start(2)->session().shown().dialog.kind, Kind::none);
  EXPECT_TRUE(start(3)->session().shown().messages.empty());
}

}  // namespace
}  // namespace attnscope::test
