// Pictures are documents in the window, too.

#include "features/files/reading_controller.h"
#include "files/picture_document.h"
#include "files_app.h"
#include "headless_app_input.h"

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
    app_.press_control('O');
    app_.click("dialog/entry/figure.svg");
    app_.click("dialog/accept");
    app_.settle();
    ASSERT_EQ(app_.document(), document_);
  }

  Document document_ = default_document();
};

TEST_F(Pictures, OpenAsTheDocumentThatTheyCarry) {
  open();
  EXPECT_EQ(app_.session().window_title(), "figure.svg – attnscope");
  EXPECT_FALSE(app_.session().shown().is_modified);
  EXPECT_EQ(undo_count(app_), 0);
}

TEST_F(Pictures, OpenWhenTheyAreDropped) {
  app_.call([this](const Controllers& to) { to.reading.open(folder_ / "figure.svg"); });
  EXPECT_EQ(app_.document(), document_);
}

TEST_F(Pictures, AreListedToOpenAndNotToSave) {
  put_text(folder_ / "a.PNG", "");
  put_text(folder_ / "b.pdf", "");
  put_text(folder_ / "c.jpg", "");
  app_.press_control('O');
  for (const char* name : {"a.PNG", "b.pdf", "figure.svg"})
    EXPECT_TRUE(app_.shows(std::string("dialog/entry/") + name)) << name;
  EXPECT_FALSE(app_.shows("dialog/entry/c.jpg"));
  app_.click("dialog/cancel");
  app_.press_control('S', true);
  EXPECT_FALSE(app_.shows("dialog/entry/a.PNG"));
}

TEST_F(Pictures, AreNotSavedOver) {
  open();
  modify();
  EXPECT_EQ(app_.session().window_title(), "• figure.svg – attnscope");
  app_.press_control('S');
  ASSERT_EQ(dialog(), Kind::save_as);
  EXPECT_EQ(app_.session().shown().dialog.name, "figure.json");
  app_.click("dialog/accept");
  EXPECT_EQ(load_document(folder_ / "figure.json"), app_.document());
  EXPECT_EQ(text_of(folder_ / "figure.svg"), bytes());
  EXPECT_EQ(app_.session().window_title(), "figure.json – attnscope");
  modify(0.8f);
  app_.press_control('S');
  EXPECT_EQ(dialog(), Kind::none);
}

TEST_F(Pictures, AreNotSavedOverWhenTheirNameIsTyped) {
  open();
  app_.press_control('S', true);
  app_.replace_text("dialog/name", "figure.svg");
  app_.click("dialog/accept");
  EXPECT_EQ(dialog(), Kind::save_as);
  EXPECT_TRUE(says(app_.session().shown().dialog.error, {"figure.svg", ".json"}));
  EXPECT_EQ(text_of(folder_ / "figure.svg"), bytes());
}

TEST_F(Pictures, AskForANameBeforeTheirChangesAreLeft) {
  open();
  modify();
  app_.press_control('Q');
  app_.click("dialog/save");
  ASSERT_EQ(dialog(), Kind::save_as);
  EXPECT_FALSE(app_.session().quit_requested());
  app_.click("dialog/accept");
  EXPECT_TRUE(app_.session().quit_requested());
  EXPECT_EQ(text_of(folder_ / "figure.svg"), bytes());
}

TEST_F(Pictures, WithoutADocumentLeaveWhatIsThereAndSaySo) {
  put_text(folder_ / "figure.svg", "<svg xmlns='http://www.w3.org/2000/svg'></svg>");
  const Document before = app_.document();
  app_.call([this](const Controllers& to) { to.reading.open(folder_ / "figure.svg"); });
  EXPECT_EQ(app_.document(), before);
  EXPECT_NE(app_.message().find("carries no document"), std::string::npos);
  EXPECT_TRUE(app_.session().shown().messages.back().is_error);
}

}  // namespace
}  // namespace attnscope::test
