// Pictures are documents in the window, too.

#include "desk_input.h"
#include "files_desk.h"
#include "interchange/picture_document.h"

namespace attnscope::test {
namespace {

using Kind = DialogState::Kind;

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
    desk_.settle();
    ASSERT_EQ(desk_.document(), document_);
  }

  Document document_ = default_document();
};

TEST_F(Pictures, OpenAsTheDocumentThatTheyCarry) {
  open();
  EXPECT_EQ(desk_.session().window_title(), "figure.svg – attnscope");
  EXPECT_FALSE(desk_.session().shown().is_modified);
  EXPECT_EQ(undo_count(desk_), 0);
}

TEST_F(Pictures, OpenWhenTheyAreDropped) {
  desk_.session().push(OpenFile{folder_ / "figure.svg"});
  desk_.settle();
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
  EXPECT_EQ(desk_.session().shown().dialog.name, "figure.json");
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
  EXPECT_TRUE(says(desk_.session().shown().dialog.error, {"figure.svg", ".json"}));
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
  desk_.settle();
  EXPECT_EQ(desk_.document(), before);
  EXPECT_NE(desk_.message().find("carries no document"), std::string::npos);
  EXPECT_TRUE(desk_.session().shown().messages.back().is_error);
}

}  // namespace
}  // namespace attnscope::test
