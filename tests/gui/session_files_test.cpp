#include "desk.h"
#include "desk_input.h"
#include "interchange/document_file.h"
#include "interchange/picture_document.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Kind = DialogState::Kind;

class Files : public testing::Test {
protected:
  explicit Files() : desk_(default_document(), {1280, 800}, view_of(folder_)) {}

  static ViewState view_of(const TemporaryFolder& folder) {
    ViewState view;
    view.document_folder = folder.path().string();
    return view;
  }
  void modify(float to = 0.5f) {
    desk_.drag("setup/dropout", 0.1f, to);
    ASSERT_TRUE(desk_.session().is_modified());
  }
  // Saves the document as it is to a new file.
  void save_as(const std::string& name) {
    desk_.press_control('S', true);
    desk_.replace_text("dialog/name", name);
    desk_.click("dialog/accept");
  }
  Kind dialog() { return desk_.session().dialog().kind; }

  TemporaryFolder folder_;
  Desk desk_;
};

TEST_F(Files, AreSavedUnderATypedNameAndOpenedAgain) {
  modify();
  const Document document = desk_.document();
  save_as("lecture");
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_EQ(desk_.session().file(), folder_ / "lecture.json");
  EXPECT_FALSE(desk_.session().is_modified());
  EXPECT_EQ(load_document(folder_ / "lecture.json"), document);
  desk_.press_control('N');
  EXPECT_EQ(desk_.document(), default_document());
  desk_.press_control('O');
  desk_.click("dialog/entry/lecture.json");
  desk_.click("dialog/accept");
  EXPECT_EQ(desk_.document(), document);
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_EQ(undo_count(desk_), 0);
}

TEST_F(Files, AreOpenedByADoubleClick) {
  save_as("lecture");
  desk_.press_control('N');
  desk_.press_control('O');
  desk_.double_click("dialog/entry/lecture.json");
  EXPECT_EQ(desk_.session().file(), folder_ / "lecture.json");
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

TEST_F(Files, DialogWalksThroughFolders) {
  std::filesystem::create_directory(folder_ / "course");
  put_text(folder_ / "notes.txt", "");
  put_text(folder_ / ".hidden.json", "");
  desk_.press_control('O');
  EXPECT_FALSE(desk_.shows("dialog/entry/notes.txt"));
  EXPECT_FALSE(desk_.shows("dialog/entry/.hidden.json"));
  desk_.click("dialog/entry/course");
  EXPECT_EQ(desk_.session().dialog().folder.filename(), "course");
  desk_.click("dialog/up");
  EXPECT_TRUE(desk_.shows("dialog/entry/course"));
  desk_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(dialog(), Kind::none);
}

TEST_F(Files, DialogAsksForANameWhenThereIsNone) {
  desk_.press_control('O');
  desk_.click("dialog/accept");
  EXPECT_EQ(dialog(), Kind::open);
  EXPECT_NE(desk_.session().dialog().error, "");
}

TEST_F(Files, ThatAreBrokenLeaveTheDocumentAndSayWhy) {
  put_text(folder_ / "broken.json", "{\"d_out\": }");
  const Document before = desk_.document();
  desk_.press_control('O');
  desk_.click("dialog/entry/broken.json");
  desk_.click("dialog/accept");
  EXPECT_EQ(dialog(), Kind::open);
  EXPECT_NE(desk_.session().dialog().error.find("broken.json"), std::string::npos);
  desk_.click("dialog/cancel");
  EXPECT_EQ(desk_.document(), before);
  EXPECT_TRUE(desk_.session().messages().back().is_error);
}

TEST_F(Files, ThatCannotBeWrittenStayUnsavedAndSayWhy) {
  modify();
  desk_.press_control('S');
  desk_.replace_text("dialog/name", "no/such/folder/lecture.json");
  desk_.click("dialog/accept");
  EXPECT_EQ(dialog(), Kind::save_as);
  EXPECT_NE(desk_.session().dialog().error, "");
  EXPECT_TRUE(desk_.session().is_modified());
  EXPECT_EQ(folder_.names(), std::vector<std::string>{});
}

TEST_F(Files, ExamplesOpenFromTheMenu) {
  desk_.click("menu/file");
  desk_.click("menu/file/examples");
  desk_.click("menu/file/examples/causal_dropout");
  EXPECT_EQ(desk_.config().mechanism, Mechanism::causal_attention);
  EXPECT_FALSE(desk_.session().is_modified());
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

class Pictures : public Files {
protected:
  Pictures() {
    document_.config.dropout = 0.25;
    document_.config.weight_overrides["out_proj.bias"] = Tensor{{2}, {0.5F, 0.25F}};
    put_text(folder_ / "figure.svg", bytes());
  }

  std::string bytes() const {
    return with_document("<svg xmlns='http://www.w3.org/2000/svg'></svg>", PictureKind::svg, document_);
  }
  void open() {
    desk_.press_control('O');
    desk_.click("dialog/entry/figure.svg");
    desk_.click("dialog/accept");
    ASSERT_EQ(desk_.document(), document_);
  }

  Document document_ = default_document();
};

TEST_F(Pictures, OpenAsTheDocumentThatTheyCarry) {
  open();
  EXPECT_EQ(desk_.session().window_title(), "figure.svg – attnscope");
  EXPECT_FALSE(desk_.session().is_modified());
  EXPECT_EQ(undo_count(desk_), 0);
}

TEST_F(Pictures, OpenWhenTheyAreDropped) {
  desk_.session().push(OpenFile{folder_ / "figure.svg"});
  desk_.frames(2);
  EXPECT_EQ(desk_.document(), document_);
}

TEST_F(Pictures, AreListedToOpenAndNotToSave) {
  put_text(folder_ / "a.PNG", "");
  put_text(folder_ / "b.pdf", "");
  put_text(folder_ / "c.jpg", "");
  desk_.press_control('O');
  for (const char* name : {"a.PNG", "b.pdf", "figure.svg"})
    EXPECT_TRUE(desk_.shows(std::string("dialog/entry/") + name)) << name;
  EXPECT_FALSE(desk_.shows("dialog/entry/c.jpg"));
  desk_.click("dialog/cancel");
  desk_.press_control('S', true);
  EXPECT_FALSE(desk_.shows("dialog/entry/a.PNG"));
}

TEST_F(Pictures, AreNotSavedOver) {
  open();
  modify();
  EXPECT_EQ(desk_.session().window_title(), "• figure.svg – attnscope");
  desk_.press_control('S');
  ASSERT_EQ(dialog(), Kind::save_as);
  EXPECT_EQ(desk_.session().dialog().name, "figure.json");
  desk_.click("dialog/accept");
  EXPECT_EQ(load_document(folder_ / "figure.json"), desk_.document());
  EXPECT_EQ(text_of(folder_ / "figure.svg"), bytes());
  EXPECT_EQ(desk_.session().window_title(), "figure.json – attnscope");
  modify(0.8f);
  desk_.press_control('S');
  EXPECT_EQ(dialog(), Kind::none);
}

TEST_F(Pictures, AreNotSavedOverWhenTheirNameIsTyped) {
  open();
  desk_.press_control('S', true);
  desk_.replace_text("dialog/name", "figure.svg");
  desk_.click("dialog/accept");
  EXPECT_EQ(dialog(), Kind::save_as);
  EXPECT_TRUE(says(desk_.session().dialog().error, {"figure.svg", ".json"}));
  EXPECT_EQ(text_of(folder_ / "figure.svg"), bytes());
}

TEST_F(Pictures, AskForANameBeforeTheirChangesAreLeft) {
  open();
  modify();
  desk_.press_control('Q');
  desk_.click("dialog/save");
  ASSERT_EQ(dialog(), Kind::save_as);
  EXPECT_FALSE(desk_.session().quit_requested());
  desk_.click("dialog/accept");
  EXPECT_TRUE(desk_.session().quit_requested());
  EXPECT_EQ(text_of(folder_ / "figure.svg"), bytes());
}

TEST_F(Pictures, WithoutADocumentLeaveWhatIsThereAndSaySo) {
  put_text(folder_ / "figure.svg", "<svg xmlns='http://www.w3.org/2000/svg'></svg>");
  const Document before = desk_.document();
  desk_.session().push(OpenFile{folder_ / "figure.svg"});
  desk_.frames(2);
  EXPECT_EQ(desk_.document(), before);
  EXPECT_NE(desk_.message().find("carries no document"), std::string::npos);
  EXPECT_TRUE(desk_.session().messages().back().is_error);
}

// A document that cannot be computed here.
constexpr const char* huge =
    R"({"inputs": {"randn": [16384, 64]}, "d_out": 12288, "num_heads": 128, "batch_size": 64})";

TEST_F(Files, ThatNeedTooMuchMemoryKeepTheLastPictureAndSayWhy) {
  const std::shared_ptr<const Result> before = desk_.session().evaluation().result;
  put_text(folder_ / "huge.json", huge);
  desk_.session().push(OpenFile{folder_ / "huge.json"});
  desk_.frames();
  desk_.settle();
  EXPECT_EQ(token_count(desk_.config()), 16384);
  EXPECT_EQ(desk_.session().evaluation().result, before);
  const std::string error = desk_.session().evaluation().error;
  EXPECT_NE(error.find("bytes"), std::string::npos) << error;
  EXPECT_NE(desk_.text().find("the last one that worked"), std::string::npos);
  EXPECT_TRUE(desk_.shows("stages/weights"));
  desk_.press_control('N');
  desk_.settle();
  EXPECT_EQ(desk_.session().evaluation().error, "");
}

}  // namespace
}  // namespace attnscope::test
