#include "document/builtin.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "files/document_file.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Kind = DialogState::Kind;

// Something that would lose unsaved changes, and whether it happened.
struct LosingCase {
  std::string name;
  void (*act)(HeadlessApp&, const TemporaryFolder&);
  bool (*happened)(HeadlessApp&);
};

void PrintTo(const LosingCase& losing, std::ostream* out) { *out << losing.name; }

const std::vector<LosingCase> losing_cases = {
    {"New", [](HeadlessApp& app, const TemporaryFolder&) { app.press_control('N'); },
     [](HeadlessApp& app) { return app.document() == opening_document(); }},
    {"Open",
     [](HeadlessApp& app, const TemporaryFolder&) {
       app.press_control('O');
       app.click("dialog/entry/other.json");
       app.click("dialog/accept");
       app.settle();
     },
     [](HeadlessApp& app) { return app.config().seed == 789; }},
    {"DroppedFile",
     [](HeadlessApp& app, const TemporaryFolder& folder) {
       app.call([path = folder / "other.json"](const Controllers& to) { to.reading.open(path); });
     },
     [](HeadlessApp& app) { return app.config().seed == 789; }},
    {"Quit", [](HeadlessApp& app, const TemporaryFolder&) { app.press_control('Q'); },
     [](HeadlessApp& app) { return app.session().quit_requested(); }}};

class UnsavedChanges : public testing::TestWithParam<LosingCase> {
protected:
  UnsavedChanges() : app_(default_document(), {1280, 800}, view_of(folder_)) {
    put_text(folder_ / "other.json", "{\"seed\": 789}");
    app_.call([this](const Controllers& to) { to.files.save(folder_ / "mine.json"); });
    app_.drag("setup/dropout", 0.1f, 0.5f);
    changed_ = app_.document();
  }

  static ViewState view_of(const TemporaryFolder& folder) {
    ViewState view;
    view.document_folder = folder.path().string();
    return view;
  }
  void act() {
    GetParam().act(app_, folder_);
    ASSERT_EQ(dialog(), Kind::unsaved);
    ASSERT_FALSE(GetParam().happened(app_));
  }
  void expect_kept() {
    EXPECT_EQ(dialog(), Kind::none);
    EXPECT_FALSE(GetParam().happened(app_));
    EXPECT_EQ(app_.document(), changed_);
    EXPECT_TRUE(app_.session().shown().is_modified);
  }
  Kind dialog() { return app_.session().shown().dialog.kind; }

  TemporaryFolder folder_;
  HeadlessApp app_;
  Document changed_;
};

TEST_P(UnsavedChanges, AreKeptByCancel) {
  act();
  app_.click("dialog/cancel");
  expect_kept();
}

TEST_P(UnsavedChanges, AreKeptByEscape) {
  act();
  app_.press_key(keys::named(ImGuiKey_Escape));
  expect_kept();
}

TEST_P(UnsavedChanges, AreLostByDiscardOnly) {
  act();
  app_.click("dialog/discard");
  app_.settle();
  EXPECT_TRUE(GetParam().happened(app_));
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_NE(load_document(folder_ / "mine.json"), changed_);
}

TEST_P(UnsavedChanges, AreSavedFirst) {
  act();
  app_.click("dialog/save");
  app_.settle();
  EXPECT_TRUE(GetParam().happened(app_));
  EXPECT_EQ(load_document(folder_ / "mine.json"), changed_);
}

TEST_P(UnsavedChanges, AreAskedAboutAgainWhileTheQuestionStands) {
  act();
  app_.call([](const Controllers& to) { to.files.quit(); });
  EXPECT_EQ(dialog(), Kind::unsaved);
  EXPECT_FALSE(app_.session().quit_requested());
}

TEST_P(UnsavedChanges, AreKeptAndNothingIsDoneWhenSavingFails) {
  act();
  std::filesystem::remove_all(folder_.path());
  app_.click("dialog/save");
  expect_kept();
  std::filesystem::create_directory(folder_.path());
  app_.press_control('S');
  EXPECT_FALSE(app_.session().shown().is_modified);
  EXPECT_FALSE(GetParam().happened(app_)) << "what was given up came back with a later save";
}

TEST_P(UnsavedChanges, AreNotAskedAboutWhenTakenBack) {
  app_.press_control('Z');
  GetParam().act(app_, folder_);
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_TRUE(GetParam().happened(app_));
}

INSTANTIATE_TEST_SUITE_P(Before, UnsavedChanges, testing::ValuesIn(losing_cases),
                         [](const auto& losing) { return losing.param.name; });

class UnnamedChanges : public testing::Test {
protected:
  UnnamedChanges() {
    app_.change_view([&](ViewState& view) { view.document_folder = folder_.path().string(); });
    app_.drag("setup/dropout", 0.1f, 0.5f);
    app_.press_control('Q');
    app_.click("dialog/save");
  }

  TemporaryFolder folder_;
  HeadlessApp app_;
};

TEST_F(UnnamedChanges, AreSavedUnderANameAndThenLeft) {
  ASSERT_EQ(app_.session().shown().dialog.kind, Kind::save_as);
  EXPECT_FALSE(app_.session().quit_requested());
  app_.replace_text("dialog/name", "lecture");
  app_.click("dialog/accept");
  EXPECT_TRUE(app_.session().quit_requested());
  EXPECT_EQ(load_document(folder_ / "lecture.json"), app_.document());
}

TEST_F(UnnamedChanges, AreKeptWhenNoNameIsGiven) {
  app_.click("dialog/cancel");
  EXPECT_FALSE(app_.session().quit_requested());
  app_.press_control('S');
  app_.click("dialog/accept");
  EXPECT_FALSE(app_.session().quit_requested());
}

TEST(DiscardedChanges, AreStillUnsavedWhenTheOtherFileIsBroken) {
  const TemporaryFolder folder;
  put_text(folder / "broken.json", "{}");
  HeadlessApp app;
  app.drag("setup/dropout", 0.1f, 0.5f);
  const Document changed = app.document();
  app.call([path = folder / "broken.json"](const Controllers& to) { to.reading.open(path); });
  put_text(folder / "broken.json", "{");
  app.click("dialog/discard");
  app.settle();
  EXPECT_TRUE(says(app.message(), {"broken.json: "})) << app.message();
  EXPECT_EQ(app.document(), changed);
  EXPECT_TRUE(app.session().shown().is_modified);
  app.press_control('Q');
  EXPECT_FALSE(app.session().quit_requested());
}

}  // namespace
}  // namespace attnscope::test
