#include "desk_input.h"
#include "document/builtin.h"
#include "files_desk.h"

namespace attnscope::test {
namespace {

using Kind = DialogState::Kind;

TEST_F(Files, AreSavedUnderATypedNameAndOpenedAgain) {
  modify();
  const Document document = desk_.document();
  save_as("lecture");
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_EQ(desk_.session().shown().file, folder_ / "lecture.json");
  EXPECT_FALSE(desk_.session().shown().is_modified);
  EXPECT_EQ(load_document(folder_ / "lecture.json"), document);
  desk_.press_control('N');
  EXPECT_EQ(desk_.document(), opening_document());
  desk_.press_control('O');
  desk_.click("dialog/entry/lecture.json");
  desk_.click("dialog/accept");
  desk_.settle();
  EXPECT_EQ(desk_.document(), document);
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_EQ(undo_count(desk_), 0);
}

TEST_F(Files, AreOpenedByADoubleClick) {
  save_as("lecture");
  desk_.press_control('N');
  desk_.press_control('O');
  desk_.double_click("dialog/entry/lecture.json");
  desk_.settle();
  EXPECT_EQ(desk_.session().shown().file, folder_ / "lecture.json");
  EXPECT_EQ(dialog(), Kind::none);
}

TEST_F(Files, AreSavedByEnterInTheNameField) {
  desk_.press_control('S');
  desk_.replace_text("dialog/name", "by_enter.json");
  desk_.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"by_enter.json"});
  EXPECT_EQ(dialog(), Kind::none);
}

TEST_F(Files, AreSavedAgainWithoutADialog) {
  save_as("lecture");
  modify();
  desk_.press_control('S');
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_EQ(load_document(folder_ / "lecture.json"), desk_.document());
  EXPECT_NE(desk_.message().find("lecture.json"), std::string::npos);
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
  void change(const char* name, std::function<void(Document&)> edit) {
    desk_.session().push(EditDocument{name, std::move(edit)});
    desk_.frames(2);
  }
  std::filesystem::path file_;
  Document other_;  // as another window has saved it
};

TEST_F(TwoWindows, TheSecondIsAskedBeforeItReplacesWhatTheFirstHasSaved) {
  desk_.press_control('S');
  ASSERT_EQ(dialog(), Kind::question);
  EXPECT_NE(desk_.text().find("lecture.json has been changed by another program"), std::string::npos);
  desk_.click("dialog/cancel");
  EXPECT_EQ(load_document(file_), other_);
  EXPECT_TRUE(desk_.session().shown().is_modified);
  desk_.press_control('S');
  desk_.click("dialog/yes");
  EXPECT_EQ(load_document(file_), desk_.document());
  EXPECT_FALSE(desk_.session().shown().is_modified);
  change("seed", [](Document& document) { document.config.seed = 3; });
  desk_.press_control('S');
  EXPECT_EQ(dialog(), Kind::none) << "it is this window that wrote it last";
  EXPECT_EQ(load_document(file_), desk_.document());
}

TEST_F(TwoWindows, AreAskedWhereTheFileIsNamedInTheDialogToo) {
  save_as("lecture.json");
  ASSERT_EQ(dialog(), Kind::question);
  desk_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(load_document(file_), other_);
  save_as("mine.json");
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_EQ(load_document(file_), other_);
}

TEST_F(TwoWindows, AnActionThatWaitsForTheSaveGoesOnOnceItIsReplaced) {
  desk_.press_control('Q');
  desk_.click("dialog/save");
  ASSERT_EQ(dialog(), Kind::question);
  EXPECT_FALSE(desk_.session().quit_requested());
  desk_.click("dialog/cancel");
  EXPECT_FALSE(desk_.session().quit_requested());
  desk_.press_control('Q');
  desk_.click("dialog/save");
  desk_.click("dialog/yes");
  EXPECT_TRUE(desk_.session().quit_requested());
  EXPECT_EQ(load_document(file_), desk_.document());
}

TEST_F(TwoWindows, WhatWasOpenedAfterTheChangeOrIsGoneIsNotAskedAbout) {
  desk_.session().push(OpenFile{file_});
  desk_.settle();
  desk_.click("dialog/discard");
  desk_.settle();
  EXPECT_EQ(desk_.document(), other_);
  change("seed", [](Document& document) { document.config.seed = 3; });
  desk_.press_control('S');
  EXPECT_EQ(load_document(file_), desk_.document());
  std::filesystem::remove(file_);
  desk_.press_control('S');
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_EQ(load_document(file_), desk_.document());
}

TEST_F(Files, DialogWalksThroughFolders) {
  std::filesystem::create_directory(folder_ / "course");
  put_text(folder_ / "notes.txt", "");
  put_text(folder_ / ".hidden.json", "");
  desk_.press_control('O');
  EXPECT_FALSE(desk_.shows("dialog/entry/notes.txt"));
  EXPECT_FALSE(desk_.shows("dialog/entry/.hidden.json"));
  desk_.click("dialog/entry/course");
  EXPECT_EQ(desk_.session().shown().dialog.folder.filename(), "course");
  desk_.click("dialog/up");
  EXPECT_TRUE(desk_.shows("dialog/entry/course"));
  desk_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(dialog(), Kind::none);
}

TEST_F(Files, DialogAsksForANameWhenThereIsNone) {
  desk_.press_control('O');
  desk_.click("dialog/accept");
  EXPECT_EQ(dialog(), Kind::open);
  EXPECT_NE(desk_.session().shown().dialog.error, "");
}

TEST_F(Files, ThatAreBrokenLeaveTheDocumentAndSayWhy) {
  put_text(folder_ / "broken.json", "{\"d_out\": }");
  const Document before = desk_.document();
  desk_.press_control('O');
  desk_.click("dialog/entry/broken.json");
  desk_.click("dialog/accept");
  desk_.settle();
  EXPECT_EQ(dialog(), Kind::open);
  EXPECT_NE(desk_.session().shown().dialog.error.find("broken.json"), std::string::npos);
  desk_.click("dialog/cancel");
  EXPECT_EQ(desk_.document(), before);
  EXPECT_TRUE(desk_.session().shown().messages.back().is_error);
}

TEST_F(Files, WhoseNamesLeadNowhereSayWhy) {
  const Document document = desk_.document();
  std::filesystem::create_symlink("loop.json", folder_ / "loop.json");
  for (const std::string& name : {std::string("loop.json"), std::string(300, 'n') + ".json"}) {
    desk_.session().open_file(folder_ / name);
    desk_.settle();
    ASSERT_FALSE(desk_.session().shown().messages.empty()) << name;
    EXPECT_TRUE(desk_.session().shown().messages.back().is_error) << name;
    EXPECT_EQ(desk_.document(), document);
  }
}

TEST(FileDialogs, OpenWhereTheWorkingFolderWasRemoved) {
  const std::filesystem::path before = std::filesystem::current_path();
  Desk desk;  // whose dialogs begin in the working folder
  {
    const TemporaryFolder gone;
    std::filesystem::current_path(gone.path());
  }
  desk.press_control('O');
  EXPECT_EQ(desk.session().shown().dialog.kind, Kind::open);
  EXPECT_TRUE(std::filesystem::is_directory(desk.session().shown().dialog.folder));
  desk.press_key(keys::named(ImGuiKey_Escape));
  desk.press_control('E');
  EXPECT_EQ(desk.session().shown().dialog.kind, Kind::figure);
  std::filesystem::current_path(before);
}

TEST_F(Files, ThatCannotBeWrittenStayUnsavedAndSayWhy) {
  modify();
  desk_.press_control('S');
  desk_.replace_text("dialog/name", "no/such/folder/lecture.json");
  desk_.click("dialog/accept");
  EXPECT_EQ(dialog(), Kind::save_as);
  EXPECT_NE(desk_.session().shown().dialog.error, "");
  EXPECT_TRUE(desk_.session().shown().is_modified);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{});
}

TEST_F(Files, ExamplesOpenFromTheMenu) {
  desk_.click("menu/file");
  desk_.click("menu/file/examples");
  desk_.click("menu/file/examples/causal_dropout");
  EXPECT_EQ(desk_.config().mechanism, Mechanism::causal_attention);
  EXPECT_FALSE(desk_.session().shown().is_modified);
}

TEST_F(Files, AnExampleKeepsTheEditedDocumentInUndoAndAsksNothing) {
  save_as("lecture");
  modify();
  const Document edited = desk_.document();
  desk_.click("menu/file");
  desk_.click("menu/file/examples");
  desk_.click("menu/file/examples/causal_dropout");
  EXPECT_EQ(desk_.session().shown().dialog.kind, DialogState::Kind::none);
  EXPECT_EQ(desk_.config().mechanism, Mechanism::causal_attention);
  EXPECT_FALSE(desk_.session().shown().is_modified);
  EXPECT_EQ(desk_.session().window_title(), "untitled – attnscope") << "saving must not replace the lecture";
  desk_.press_control('Z');
  EXPECT_EQ(desk_.document(), edited);
  EXPECT_TRUE(desk_.session().shown().is_modified);
  desk_.press_control('Z');
  EXPECT_NE(desk_.document(), edited) << "what was in undo before is there still";
}

TEST_F(Files, TitleTellsNameAndUnsavedChanges) {
  EXPECT_EQ(desk_.session().window_title(), "untitled – attnscope");
  save_as("lecture");
  EXPECT_EQ(desk_.session().window_title(), "lecture.json – attnscope");
  modify();
  EXPECT_EQ(desk_.session().window_title(), "• lecture.json – attnscope");
  desk_.press_control('Z');
  EXPECT_EQ(desk_.session().window_title(), "lecture.json – attnscope");
}

TEST_F(Files, AreListedByKind) {
  for (const char* const name : {"a.json", "b.png", "c.npy", "d.txt", "e.mp4"}) put_text(folder_ / name, "");
  desk_.press_control('O');
  const auto listed = [&] {
    std::string names;
    for (const char* const name : {"a.json", "b.png", "c.npy", "d.txt", "e.mp4"})
      if (desk_.shows(std::string("dialog/entry/") + name)) names += name[0];
    return names;
  };
  EXPECT_EQ(listed(), "abc");
  desk_.click("dialog/filter/documents");
  EXPECT_EQ(listed(), "a");
  desk_.click("dialog/filter/pictures");
  EXPECT_EQ(listed(), "b");
  desk_.click("dialog/filter/arrays");
  EXPECT_EQ(listed(), "c");
  desk_.click("dialog/filter/all");
  EXPECT_EQ(listed(), "abc");
}

TEST_F(Files, SayWhatTheyHoldBeforeTheyAreOpened) {
  Document document = default_document();
  document.config.seed = 4711;
  save_document(document, folder_ / "lecture.json");
  put_text(folder_ / "broken.json", "{");
  put_text(folder_ / "rows.csv", "a,1,2\nb,3,4\n");
  desk_.press_control('O');
  EXPECT_TRUE(desk_.session().shown().dialog.preview.empty());
  const auto preview = [&](const std::string& name) {
    desk_.click("dialog/entry/" + name);
    desk_.settle();
    std::string text;
    for (const std::string& line : desk_.session().shown().dialog.preview) text += line + "\n";
    return text;
  };
  const std::string lecture = preview("lecture.json");
  EXPECT_NE(lecture.find("seed 4711"), std::string::npos) << lecture;
  EXPECT_NE(lecture.find("Your journey starts with one step"), std::string::npos) << lecture;
  EXPECT_NE(preview("broken.json").find("broken.json"), std::string::npos);
  EXPECT_NE(preview("rows.csv").find("(2, 2)"), std::string::npos);
  desk_.replace_text("dialog/name", "nothing.json");
  EXPECT_TRUE(desk_.session().shown().dialog.preview.empty());
  EXPECT_EQ(desk_.document(), default_document());
}

TEST_F(Files, GoIntoAFolderCreatedForThem) {
  desk_.press_control('S', true);
  desk_.click("dialog/new_folder");
  desk_.click("dialog/new_folder/create");
  EXPECT_TRUE(says(desk_.session().shown().dialog.error, {"name"}));
  desk_.replace_text("dialog/new_folder/name", "course");
  desk_.click("dialog/new_folder/create");
  EXPECT_EQ(desk_.session().shown().dialog.folder.filename(), "course");
  desk_.replace_text("dialog/name", "lecture");
  desk_.click("dialog/accept");
  EXPECT_EQ(load_document(folder_ / "course" / "lecture.json"), desk_.document());
  desk_.press_control('S', true);
  desk_.click("dialog/up");
  desk_.click("dialog/new_folder");
  desk_.replace_text("dialog/new_folder/name", "course");
  desk_.click("dialog/new_folder/create");
  EXPECT_TRUE(says(desk_.session().shown().dialog.error, {"course", "already"}));
}

TEST(TypedPaths, AreTakenAsTheyAreCopied) {
  const TemporaryFolder folder;
  const std::string path = (folder / "my lecture.json").string();
  const std::string address = "file://" + (folder / "my%20lecture.json").string();
  Document document = default_document();
  document.config.seed = 4711;
  save_document(document, path);
  for (const std::string& typed : {path, "  " + path + " ", "'" + path + "'", "\"" + path + "\"", address}) {
    Desk desk;
    desk.press_control('O');
    desk.replace_text("dialog/name", typed);
    desk.click("dialog/accept");
    desk.settle();
    EXPECT_EQ(desk.document().config.seed, 4711U) << typed;
  }
}

// A document that cannot be computed here.
constexpr const char* huge =
    R"({"inputs": {"randn": [4096, 64]}, "d_out": 12288, "num_heads": 128, "batch_size": 64})";

TEST_F(Files, ThatNeedTooMuchMemoryKeepTheLastPictureAndSayWhy) {
  const std::shared_ptr<const Result> before = desk_.session().shown().evaluation.result;
  put_text(folder_ / "huge.json", huge);
  desk_.session().push(OpenFile{folder_ / "huge.json"});
  desk_.frames();
  desk_.settle();
  EXPECT_EQ(token_count(desk_.config()), 4096);
  EXPECT_EQ(desk_.session().shown().evaluation.result, before);
  const std::string error = desk_.session().shown().evaluation.error;
  EXPECT_NE(error.find("bytes"), std::string::npos) << error;
  EXPECT_NE(desk_.text().find("the last valid one"), std::string::npos);
  EXPECT_TRUE(desk_.shows("stages/weights"));
  desk_.press_control('N');
  desk_.settle();
  EXPECT_EQ(desk_.session().shown().evaluation.error, "");
}

}  // namespace
}  // namespace attnscope::test
