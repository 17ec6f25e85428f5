#include "desk.h"
#include "desk_input.h"
#include "document/builtin.h"
#include "interchange/document_file.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Kind = DialogState::Kind;

// Something that would lose unsaved changes, and whether it happened.
struct LosingCase {
  std::string name;
  void (*act)(Desk&, const TemporaryFolder&);
  bool (*happened)(Desk&);
};

void PrintTo(const LosingCase& losing, std::ostream* out) { *out << losing.name; }

const std::vector<LosingCase> losing_cases = {
    {"New", [](Desk& desk, const TemporaryFolder&) { desk.press_control('N'); },
     [](Desk& desk) { return desk.document() == opening_document(); }},
    {"Open",
     [](Desk& desk, const TemporaryFolder&) {
       desk.press_control('O');
       desk.click("dialog/entry/other.json");
       desk.click("dialog/accept");
       desk.settle();
     },
     [](Desk& desk) { return desk.config().seed == 789; }},
    {"DroppedFile",
     [](Desk& desk, const TemporaryFolder& folder) {
       desk.session().push(OpenFile{folder / "other.json"});
       desk.settle();
     },
     [](Desk& desk) { return desk.config().seed == 789; }},
    {"Quit", [](Desk& desk, const TemporaryFolder&) { desk.press_control('Q'); },
     [](Desk& desk) { return desk.session().quit_requested(); }}};

class UnsavedChanges : public testing::TestWithParam<LosingCase> {
protected:
  UnsavedChanges() : desk_(default_document(), {1280, 800}, view_of(folder_)) {
    put_text(folder_ / "other.json", "{\"seed\": 789}");
    desk_.session().push(SaveFile{folder_ / "mine.json"});
    desk_.frames(2);
    desk_.drag("setup/dropout", 0.1f, 0.5f);
    changed_ = desk_.document();
  }

  static ViewState view_of(const TemporaryFolder& folder) {
    ViewState view;
    view.document_folder = folder.path().string();
    return view;
  }
  void act() {
    GetParam().act(desk_, folder_);
    ASSERT_EQ(dialog(), Kind::unsaved);
    ASSERT_FALSE(GetParam().happened(desk_));
  }
  void expect_kept() {
    EXPECT_EQ(dialog(), Kind::none);
    EXPECT_FALSE(GetParam().happened(desk_));
    EXPECT_EQ(desk_.document(), changed_);
    EXPECT_TRUE(desk_.session().shown().is_modified);
  }
  Kind dialog() { return desk_.session().shown().dialog.kind; }

  TemporaryFolder folder_;
  Desk desk_;
  Document changed_;
};

TEST_P(UnsavedChanges, AreKeptByCancel) {
  act();
  desk_.click("dialog/cancel");
  expect_kept();
}

TEST_P(UnsavedChanges, AreKeptByEscape) {
  act();
  desk_.press_key(keys::named(ImGuiKey_Escape));
  expect_kept();
}

TEST_P(UnsavedChanges, AreLostByDiscardOnly) {
  act();
  desk_.click("dialog/discard");
  desk_.settle();
  EXPECT_TRUE(GetParam().happened(desk_));
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_NE(load_document(folder_ / "mine.json"), changed_);
}

TEST_P(UnsavedChanges, AreSavedFirst) {
  act();
  desk_.click("dialog/save");
  desk_.settle();
  EXPECT_TRUE(GetParam().happened(desk_));
  EXPECT_EQ(load_document(folder_ / "mine.json"), changed_);
}

TEST_P(UnsavedChanges, AreAskedAboutAgainWhileTheQuestionStands) {
  act();
  desk_.session().push(Quit{});
  desk_.frames(2);
  EXPECT_EQ(dialog(), Kind::unsaved);
  EXPECT_FALSE(desk_.session().quit_requested());
}

TEST_P(UnsavedChanges, AreKeptAndNothingIsDoneWhenSavingFails) {
  act();
  std::filesystem::remove_all(folder_.path());
  desk_.click("dialog/save");
  expect_kept();
  std::filesystem::create_directory(folder_.path());
  desk_.press_control('S');
  EXPECT_FALSE(desk_.session().shown().is_modified);
  EXPECT_FALSE(GetParam().happened(desk_)) << "what was given up came back with a later save";
}

TEST_P(UnsavedChanges, AreNotAskedAboutWhenTakenBack) {
  desk_.press_control('Z');
  GetParam().act(desk_, folder_);
  EXPECT_EQ(dialog(), Kind::none);
  EXPECT_TRUE(GetParam().happened(desk_));
}

INSTANTIATE_TEST_SUITE_P(Before, UnsavedChanges, testing::ValuesIn(losing_cases),
                         [](const auto& losing) { return losing.param.name; });

class UnnamedChanges : public testing::Test {
protected:
  UnnamedChanges() {
    desk_.change_view([&](ViewState& view) { view.document_folder = folder_.path().string(); });
    desk_.drag("setup/dropout", 0.1f, 0.5f);
    desk_.press_control('Q');
    desk_.click("dialog/save");
  }

  TemporaryFolder folder_;
  Desk desk_;
};

TEST_F(UnnamedChanges, AreSavedUnderANameAndThenLeft) {
  ASSERT_EQ(desk_.session().shown().dialog.kind, Kind::save_as);
  EXPECT_FALSE(desk_.session().quit_requested());
  desk_.replace_text("dialog/name", "lecture");
  desk_.click("dialog/accept");
  EXPECT_TRUE(desk_.session().quit_requested());
  EXPECT_EQ(load_document(folder_ / "lecture.json"), desk_.document());
}

TEST_F(UnnamedChanges, AreKeptWhenNoNameIsGiven) {
  desk_.click("dialog/cancel");
  EXPECT_FALSE(desk_.session().quit_requested());
  desk_.press_control('S');
  desk_.click("dialog/accept");
  EXPECT_FALSE(desk_.session().quit_requested());
}

TEST(DiscardedChanges, AreStillUnsavedWhenTheOtherFileIsBroken) {
  const TemporaryFolder folder;
  put_text(folder / "broken.json", "{}");
  Desk desk;
  desk.drag("setup/dropout", 0.1f, 0.5f);
  const Document changed = desk.document();
  desk.session().push(OpenFile{folder / "broken.json"});
  desk.settle();
  put_text(folder / "broken.json", "{");
  desk.click("dialog/discard");
  desk.settle();
  EXPECT_TRUE(says(desk.message(), {"broken.json: "})) << desk.message();
  EXPECT_EQ(desk.document(), changed);
  EXPECT_TRUE(desk.session().shown().is_modified);
  desk.press_control('Q');
  EXPECT_FALSE(desk.session().quit_requested());
}

}  // namespace
}  // namespace attnscope::test
