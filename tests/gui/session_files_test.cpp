#include "document/builtin.h"
#include "features/files/reading_controller.h"
#include "features/shared/panel/calls.h"
#include "files_app.h"
#include "headless_app_input.h"

namespace attnscope::test {
namespace {

using Kind = DialogState::Kind;

TEST_F(Files, AreSavedUnderATypedNameAndOpenedAgain) {
  modify();
  const Document document = app_.document();
  save_as("lecture");
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_EQ(app_.session().shown().file, folder_ / "lecture.json");
  EXPECT_FALSE(app_.session().shown().is_modified);
  EXPECT_EQ(load_document(folder_ / "lecture.json"), document);
  app_.press_control('N');
  EXPECT_EQ(app_.document(), opening_document());
  app_.press_control('O');
  app_.click("dialog/entry/lecture.json");
  app_.click("dialog/accept");
  app_.settle();
  EXPECT_EQ(app_.document(), document);
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_EQ(undo_count(app_), 0);
}

TEST_F(Files, AreAskedForByThePlatformWhereItHasADialogOfItsOwn) {
  int asked = 0;
  app_.session().use({.choose_files = [&] { ++asked; }});
  app_.press_control('O');
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(dialog(), Kind::none);
}

TEST_F(Files, AreOpenedByADoubleClick) {
  save_as("lecture");
  app_.press_control('N');
  app_.press_control('O');
  app_.double_click("dialog/entry/lecture.json");
  app_.settle();
  EXPECT_EQ(app_.session().shown().file, folder_ / "lecture.json");
  EXPECT_EQ(dialog(), Kind::none);
}

TEST_F(Files, AreSavedByEnterInTheNameField) {
  app_.press_control('S');
  app_.replace_text("dialog/name", "by_enter.json");
  app_.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"by_enter.json"});
  EXPECT_EQ(dialog(), Kind::none);
}

TEST_F(Files, AreSavedAgainWithoutADialog) {
  save_as("lecture");
  modify();
  app_.press_control('S');
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_EQ(load_document(folder_ / "lecture.json"), app_.document());
  EXPECT_NE(app_.message().find("lecture.json"), std::string::npos);
}

// Two windows that show one file.
class TwoWindows : public Files {
protected:
  TwoWindows() {
    save_as("lecture");
    file_ = folder_ / "lecture.json";
    change("seed", [](Document& document) { document.config.seed = 2; });
    other_ = default_document();
    other_.config.seed = 7;
    save_document(other_, file_);
  }
  void change(const char* name, std::function<void(Document&)> edit) { app_.edit({name, std::move(edit)}); }
  std::filesystem::path file_;
  Document other_;  // as another window has saved it
};

TEST_F(TwoWindows, TheSecondIsAskedBeforeItReplacesWhatTheFirstHasSaved) {
  app_.press_control('S');
  ASSERT_EQ(dialog(), Kind::question);
  EXPECT_NE(app_.text().find("lecture.json has been changed by another program"), std::string::npos);
  app_.click("dialog/cancel");
  EXPECT_EQ(load_document(file_), other_);
  EXPECT_TRUE(app_.session().shown().is_modified);
  app_.press_control('S');
  app_.click("dialog/yes");
  EXPECT_EQ(load_document(file_), app_.document());
  EXPECT_FALSE(app_.session().shown().is_modified);
  change("seed", [](Document& document) { document.config.seed = 3; });
  app_.press_control('S');
  EXPECT_EQ(dialog(), Kind::none) << "it is this window that wrote it last";
  EXPECT_EQ(load_document(file_), app_.document());
}

TEST_F(TwoWindows, AreAskedWhereTheFileIsNamedInTheDialogToo) {
  save_as("lecture.json");
  ASSERT_EQ(dialog(), Kind::question);
  app_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(load_document(file_), other_);
  save_as("mine.json");
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_EQ(load_document(file_), other_);
}

TEST_F(TwoWindows, AnActionThatWaitsForTheSaveGoesOnOnceItIsReplaced) {
  app_.press_control('Q');
  app_.click("dialog/save");
  ASSERT_EQ(dialog(), Kind::question);
  EXPECT_FALSE(app_.session().quit_requested());
  app_.click("dialog/cancel");
  EXPECT_FALSE(app_.session().quit_requested());
  app_.press_control('Q');
  app_.click("dialog/save");
  app_.click("dialog/yes");
  EXPECT_TRUE(app_.session().quit_requested());
  EXPECT_EQ(load_document(file_), app_.document());
}

TEST_F(TwoWindows, WhatWasOpenedAfterTheChangeOrIsGoneIsNotAskedAbout) {
  app_.call([this](const Controllers& to) { to.reading.open(file_); });
  app_.click("dialog/discard");
  app_.settle();
  EXPECT_EQ(app_.document(), other_);
  change("seed", [](Document& document) { document.config.seed = 3; });
  app_.press_control('S');
  EXPECT_EQ(load_document(file_), app_.document());
  std::filesystem::remove(file_);
  app_.press_control('S');
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_EQ(load_document(file_), app_.document());
}

TEST_F(Files, DialogWalksThroughFolders) {
  std::filesystem::create_directory(folder_ / "course");
  put_text(folder_ / "notes.txt", "");
  put_text(folder_ / ".hidden.json", "");
  app_.press_control('O');
  EXPECT_FALSE(app_.shows("dialog/entry/notes.txt"));
  EXPECT_FALSE(app_.shows("dialog/entry/.hidden.json"));
  app_.click("dialog/entry/course");
  EXPECT_EQ(app_.session().shown().dialog.folder.filename(), "course");
  app_.click("dialog/up");
  EXPECT_TRUE(app_.shows("dialog/entry/course"));
  app_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(dialog(), Kind::none);
}

TEST_F(Files, DialogAsksForANameWhenThereIsNone) {
  app_.press_control('O');
  app_.click("dialog/accept");
  EXPECT_EQ(dialog(), Kind::open);
  EXPECT_NE(app_.session().shown().dialog.error, "");
}

// As pictures that are made without a window need it.
TEST_F(Files, AreEvaluatedBeforeWaitingForThemEnds) {
  Document other = default_document();
  other.config.seed = 7;
  save_document(other, folder_ / "other.json");
  app_.session().open_file(folder_ / "other.json");
  app_.session().wait_for_evaluation();
  EXPECT_TRUE(app_.session().shown().is_current);
  EXPECT_EQ(app_.session().shown().evaluation.result->config, other.config);
}

TEST_F(Files, ThatAreBrokenLeaveTheDocumentAndSayWhy) {
  put_text(folder_ / "broken.json", "{\"d_out\": }");
  const Document before = app_.document();
  app_.press_control('O');
  app_.click("dialog/entry/broken.json");
  app_.click("dialog/accept");
  app_.settle();
  EXPECT_EQ(dialog(), Kind::open);
  EXPECT_NE(app_.session().shown().dialog.error.find("broken.json"), std::string::npos);
  app_.click("dialog/cancel");
  EXPECT_EQ(app_.document(), before);
  EXPECT_TRUE(app_.session().shown().messages.back().is_error);
}

TEST_F(Files, WhoseNamesLeadNowhereSayWhy) {
  const Document document = app_.document();
  std::filesystem::create_symlink("loop.json", folder_ / "loop.json");
  for (const std::string& name : {std::string("loop.json"), std::string(300, 'n') + ".json"}) {
    app_.session().open_file(folder_ / name);
    app_.settle();
    ASSERT_FALSE(app_.session().shown().messages.empty()) << name;
    EXPECT_TRUE(app_.session().shown().messages.back().is_error) << name;
    EXPECT_EQ(app_.document(), document);
  }
}

TEST(FileDialogs, OpenWhereTheWorkingFolderWasRemoved) {
  const std::filesystem::path before = std::filesystem::current_path();
  HeadlessApp app;  // whose dialogs begin in the working folder
  {
    const TemporaryFolder gone;
    std::filesystem::current_path(gone.path());
  }
  app.press_control('O');
  EXPECT_EQ(app.session().shown().dialog.kind, Kind::open);
  EXPECT_TRUE(std::filesystem::is_directory(app.session().shown().dialog.folder));
  app.press_key(keys::named(ImGuiKey_Escape));
  app.press_control('E');
  EXPECT_EQ(app.session().shown().dialog.kind, Kind::figure);
  std::filesystem::current_path(before);
}

TEST_F(Files, ThatCannotBeWrittenStayUnsavedAndSayWhy) {
  modify();
  app_.press_control('S');
  app_.replace_text("dialog/name", "no/such/folder/lecture.json");
  app_.click("dialog/accept");
  EXPECT_EQ(dialog(), Kind::save_as);
  EXPECT_NE(app_.session().shown().dialog.error, "");
  EXPECT_TRUE(app_.session().shown().is_modified);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{});
}

TEST_F(Files, ExamplesOpenFromTheirGallery) {
  app_.click("menu/file");
  app_.click("menu/file/examples");
  app_.click("gallery/examples/causal_dropout");
  EXPECT_EQ(app_.config().mechanism, Mechanism::causal_attention);
  EXPECT_FALSE(app_.session().shown().is_modified);
}

TEST_F(Files, AnExampleKeepsTheEditedDocumentInUndoAndAsksNothing) {
  save_as("lecture");
  modify();
  const Document edited = app_.document();
  app_.click("menu/file");
  app_.click("menu/file/examples");
  app_.click("gallery/examples/causal_dropout");
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::none);
  EXPECT_EQ(app_.config().mechanism, Mechanism::causal_attention);
  EXPECT_FALSE(app_.session().shown().is_modified);
  EXPECT_EQ(app_.session().window_title(), "untitled – attnscope") << "saving must not replace the lecture";
  app_.press_control('Z');
  EXPECT_EQ(app_.document(), edited);
  EXPECT_TRUE(app_.session().shown().is_modified);
  app_.press_control('Z');
  EXPECT_NE(app_.document(), edited) << "what was in undo before is there still";
}

TEST_F(Files, TitleTellsNameAndUnsavedChanges) {
  EXPECT_EQ(app_.session().window_title(), "untitled – attnscope");
  save_as("lecture");
  EXPECT_EQ(app_.session().window_title(), "lecture.json – attnscope");
  modify();
  EXPECT_EQ(app_.session().window_title(), "• lecture.json – attnscope");
  app_.press_control('Z');
  EXPECT_EQ(app_.session().window_title(), "lecture.json – attnscope");
}

TEST_F(Files, AreListedByKind) {
  for (const char* const name : {"a.json", "b.png", "c.npy", "d.txt", "e.mp4"}) put_text(folder_ / name, "");
  app_.press_control('O');
  const auto listed = [&] {
    std::string names;
    for (const char* const name : {"a.json", "b.png", "c.npy", "d.txt", "e.mp4"})
      if (app_.shows(std::string("dialog/entry/") + name)) names += name[0];
    return names;
  };
  EXPECT_EQ(listed(), "abc");
  app_.click("dialog/filter/documents");
  EXPECT_EQ(listed(), "a");
  app_.click("dialog/filter/pictures");
  EXPECT_EQ(listed(), "b");
  app_.click("dialog/filter/arrays");
  EXPECT_EQ(listed(), "c");
  app_.click("dialog/filter/all");
  EXPECT_EQ(listed(), "abc");
}

TEST_F(Files, SayWhatTheyHoldBeforeTheyAreOpened) {
  Document document = default_document();
  document.config.seed = 4711;
  save_document(document, folder_ / "lecture.json");
  put_text(folder_ / "broken.json", "{");
  put_text(folder_ / "rows.csv", "a,1,2\nb,3,4\n");
  app_.press_control('O');
  EXPECT_TRUE(app_.session().shown().dialog.preview.empty());
  const auto preview = [&](const std::string& name) {
    app_.click("dialog/entry/" + name);
    app_.settle();
    std::string text;
    for (const std::string& line : app_.session().shown().dialog.preview) text += line + "\n";
    return text;
  };
  const std::string lecture = preview("lecture.json");
  EXPECT_NE(lecture.find("seed 4711"), std::string::npos) << lecture;
  EXPECT_NE(lecture.find("Your journey starts with one step"), std::string::npos) << lecture;
  EXPECT_NE(preview("broken.json").find("broken.json"), std::string::npos);
  EXPECT_NE(preview("rows.csv").find("(2, 2)"), std::string::npos);
  app_.replace_text("dialog/name", "nothing.json");
  EXPECT_TRUE(app_.session().shown().dialog.preview.empty());
  EXPECT_EQ(app_.document(), default_document());
}

TEST_F(Files, GoIntoAFolderCreatedForThem) {
  app_.press_control('S', true);
  app_.click("dialog/new_folder");
  app_.click("dialog/new_folder/create");
  EXPECT_TRUE(says(app_.session().shown().dialog.error, {"name"}));
  app_.replace_text("dialog/new_folder/name", "course");
  app_.click("dialog/new_folder/create");
  EXPECT_EQ(app_.session().shown().dialog.folder.filename(), "course");
  app_.replace_text("dialog/name", "lecture");
  app_.click("dialog/accept");
  EXPECT_EQ(load_document(folder_ / "course" / "lecture.json"), app_.document());
  app_.press_control('S', true);
  app_.click("dialog/up");
  app_.click("dialog/new_folder");
  app_.replace_text("dialog/new_folder/name", "course");
  app_.click("dialog/new_folder/create");
  EXPECT_TRUE(says(app_.session().shown().dialog.error, {"course", "already"}));
}

TEST(TypedPaths, AreTakenAsTheyAreCopied) {
  const TemporaryFolder folder;
  const std::string path = (folder / "my lecture.json").string();
  const std::string address = "file://" + (folder / "my%20lecture.json").string();
  Document document = default_document();
  document.config.seed = 4711;
  save_document(document, path);
  for (const std::string& typed : {path, "  " + path + " ", "'" + path + "'", "\"" + path + "\"", address}) {
    HeadlessApp app;
    app.press_control('O');
    app.replace_text("dialog/name", typed);
    app.click("dialog/accept");
    app.settle();
    EXPECT_EQ(app.document().config.seed, 4711U) << typed;
  }
}

// A document that cannot be computed here.
constexpr const char* huge = R"({"inputs": {"randn": [4096, 64]}, "d_out": 12288, "num_heads": 128, "batch_size": 64})";

TEST_F(Files, ThatNeedTooMuchMemoryKeepTheLastPictureAndSayWhy) {
  const std::shared_ptr<const Result> before = app_.session().shown().evaluation.result;
  put_text(folder_ / "huge.json", huge);
  app_.call([this](const Controllers& to) { to.reading.open(folder_ / "huge.json"); });
  app_.settle();
  EXPECT_EQ(token_count(app_.config()), 4096);
  EXPECT_EQ(app_.session().shown().evaluation.result, before);
  const std::string error = app_.session().shown().evaluation.error;
  EXPECT_NE(error.find("bytes"), std::string::npos) << error;
  EXPECT_NE(app_.text().find("the last valid one"), std::string::npos);
  EXPECT_TRUE(app_.shows("stages/weights"));
  app_.press_control('N');
  app_.settle();
  EXPECT_EQ(app_.session().shown().evaluation.error, "");
}

}  // namespace
}  // namespace attnscope::test
