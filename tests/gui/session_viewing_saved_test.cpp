// What is looked at of another program's attention is saved and opened again like a document.

#include "document/builtin.h"
#include "features/figures/figure_controller.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "features/import/import_controller.h"
#include "features/shared/panel/calls.h"
#include "files/array_files.h"
#include "files/document_file.h"
#include "headless_app_input.h"
#include "viewing_app.h"

namespace attnscope::test {
namespace {

using Names = std::vector<std::string>;

class SavedViewing : public ImportedFiles {
protected:
  void change(const std::function<void(attnscope::ImportedView&)>& to) {
    app_.session().push([change = to](const Controllers& all) { all.viewing.change(change); });
    settle();
  }
  void name(const std::string& text) {
    app_.call([text](const Controllers& to) { to.viewing.name_tokens(text); });
  }
  // Opens attn.npy, names its tokens, goes to its third layer, and saves that as x.json.
  void save() {
    open({4, 3, 3, 3});
    name("the cat sat");
    change([](attnscope::ImportedView& state) { state.layer = 2; });
    app_.call([this](const Controllers& to) { to.files.save(folder_ / "x.json"); });
    ASSERT_FALSE(app_.session().shown().is_modified) << app_.message();
  }
  bool is_modified() { return app_.session().shown().is_modified; }
  DialogState::Kind dialog() { return app_.session().shown().dialog.kind; }
  void leave() {
    app_.call([](const Controllers& to) { to.reading.new_document(); });
    ASSERT_EQ(viewing(), nullptr);
  }
};

TEST_F(SavedViewing, ComesBackWithNamesAndLayer) {
  save();
  EXPECT_EQ(app_.session().window_title(), "x.json – attnscope");
  const ImportedDocument saved = std::get<ImportedDocument>(load_any_document(folder_ / "x.json").document);
  EXPECT_EQ(saved.file, folder_ / "attn.npy");
  EXPECT_NE(text_of(folder_ / "x.json").find("\"file\": \"attn.npy\""), std::string::npos);
  const float before = cell(1, 2, 1);
  leave();
  drop("x.json");
  ASSERT_NE(viewing(), nullptr) << app_.message();
  EXPECT_TRUE(says(app_.message(), {"Opened ", "x.json: attention from ", "attn.npy, 4 layers, 3 heads, 3 tokens."}))
      << app_.message();
  EXPECT_EQ(viewing()->layer, 2);
  EXPECT_EQ(app_.document().tokens, (Names{"the", "cat", "sat"}));
  EXPECT_EQ(cell(1, 2, 1), before);
  EXPECT_EQ(cell(1, 2, 1), numbers().matrix(2 * 3 + 1)(2, 1));
  EXPECT_FALSE(is_modified());
  EXPECT_EQ(app_.session().window_title(), "x.json – attnscope");
}

TEST_F(SavedViewing, ComesBackWithOtherAxesAndAnotherTensor) {
  ASSERT_EQ(std::system(("/usr/bin/python3 -c \"import numpy; numpy.savez('" + (folder_ / "two.npz").string() +
                         "', a=numpy.full((2, 3, 4, 4), 0.25), b=numpy.full((3, 5, 5), 0.2, 'f4'))\"")
                            .c_str()),
            0);
  drop("two.npz");
  ASSERT_NE(viewing(), nullptr) << app_.message();
  change([](attnscope::ImportedView& state) { state.tensor = 1; });
  change([](attnscope::ImportedView& state) { state.takes_other_axes = true; });
  change([](attnscope::ImportedView& state) { state.layer = 1; });
  const attnscope::ImportedView before = *viewing();
  ASSERT_EQ(before.layers, 3);
  app_.call([this](const Controllers& to) { to.files.save(folder_ / "x.json"); });
  leave();
  drop("x.json");
  ASSERT_NE(viewing(), nullptr) << app_.message();
  EXPECT_EQ(*viewing(), before);
}

TEST_F(SavedViewing, SavingAsksForANameAndThenNoMore) {
  open({2, 3, 3});
  app_.press_control('S');
  EXPECT_EQ(dialog(), DialogState::Kind::save_as);
  EXPECT_EQ(app_.session().shown().dialog.name, "attn.json");
  app_.click("dialog/accept");
  EXPECT_EQ(folder_.names(), (Names{"attn.json", "attn.npy"}));
  name("the cat sat");
  EXPECT_TRUE(is_modified());
  app_.press_control('S');
  EXPECT_FALSE(is_modified());
  EXPECT_EQ(std::get<ImportedDocument>(load_any_document(folder_ / "attn.json").document).tokens[1], "cat");
}

TEST_F(SavedViewing, NamesAreChangesAndLeafingThroughAFileIsNone) {
  open({4, 3, 3, 3});
  change([](attnscope::ImportedView& state) { state.layer = 1; });
  EXPECT_FALSE(is_modified());
  name("the cat sat");
  EXPECT_TRUE(is_modified());
  app_.press_control('Z');
  EXPECT_FALSE(is_modified());
  app_.press_control('Y');
  change([](attnscope::ImportedView& state) { state.takes_other_axes = true; });
  EXPECT_TRUE(is_modified()) << "the names are still there and still not saved";
  EXPECT_EQ(app_.document().tokens, (Names{"the", "cat", "sat"}));
}

TEST_F(SavedViewing, AnotherLayerThanTheSavedOneIsAChange) {
  save();
  change([](attnscope::ImportedView& state) { state.layer = 3; });
  EXPECT_TRUE(is_modified());
  change([](attnscope::ImportedView& state) { state.layer = 2; });
  EXPECT_FALSE(is_modified());
}

TEST_F(SavedViewing, UnsavedNamesAreAskedAbout) {
  open({2, 3, 3});
  name("the cat sat");
  app_.call([](const Controllers& to) { to.reading.new_document(); });
  ASSERT_EQ(dialog(), DialogState::Kind::unsaved);
  app_.click("dialog/save");
  ASSERT_EQ(dialog(), DialogState::Kind::save_as);
  app_.click("dialog/accept");
  app_.settle();
  EXPECT_EQ(viewing(), nullptr);
  EXPECT_EQ(std::get<ImportedDocument>(load_any_document(folder_ / "attn.json").document).tokens[2], "sat");
}

TEST_F(SavedViewing, WhoseFileIsGoneSaysSoAndLosesNothing) {
  save();
  leave();
  std::filesystem::rename(folder_ / "attn.npy", folder_ / "other.npy");
  app_.edit({"seed", [](Document& document) { document.config.seed = 7; }});
  drop("x.json");
  EXPECT_TRUE(says(app_.message(), {"x.json", path(), "is missing"})) << app_.message();
  EXPECT_EQ(viewing(), nullptr);
  EXPECT_EQ(app_.config().seed, 7U);
  EXPECT_TRUE(is_modified());
}

TEST_F(SavedViewing, WhoseFileWasMovedBesideItIsShown) {
  open({2, 3, 3});
  name("the cat sat");
  std::filesystem::create_directories(folder_ / "other");
  app_.call([this](const Controllers& to) { to.files.save(folder_ / "other" / "x.json"); });
  leave();
  std::filesystem::rename(folder_ / "attn.npy", folder_ / "other" / "attn.npy");
  app_.session().push([this](const Controllers& to) { to.reading.open(folder_ / "other" / "x.json"); });
  settle();
  ASSERT_NE(viewing(), nullptr) << app_.message();
  EXPECT_EQ(viewing()->file, folder_ / "other" / "attn.npy");
  EXPECT_EQ(app_.document().tokens[1], "cat");
}

TEST_F(SavedViewing, WhoseFileIsAnotherNowSaysWhatChanged) {
  save();
  leave();
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {weights_npy({5, 3, 3, 3}), {"(5, 3, 3, 3) now", "had (4, 3, 3, 3)"}},
      {npy_header("<f2", {4, 3, 3, 3}) + std::string(216, '\0'), {"float16 now", "float32 when this was saved"}},
      {npy_header("<f4", {4, 3}) + std::string(48, '\0'), {"(4, 3) now", "had (4, 3, 3, 3)"}},
      {"noise", {"attn.npy"}},
  };
  for (const auto& [bytes, fragments] : cases) {
    put_text(folder_ / "attn.npy", bytes);
    drop("x.json");
    EXPECT_TRUE(says(app_.message(), fragments)) << app_.message();
    EXPECT_NE(app_.message().find("attn.npy"), std::string::npos) << app_.message();
    EXPECT_EQ(viewing(), nullptr);
    EXPECT_EQ(app_.document(), opening_document());
  }
}

TEST_F(SavedViewing, WhoseNumbersAreOthersIsShownWithASentence) {
  const auto is_told = [&] {
    return app_.message() == path() + " is not the file that was saved: its shape is the same, but its numbers differ.";
  };
  save();
  leave();
  drop("x.json");
  EXPECT_FALSE(is_told());
  leave();
  std::string bytes = text_of(folder_ / "attn.npy");
  bytes[bytes.size() - 2] ^= 1;  // of one number of the last layer, which is not shown
  put_text(folder_ / "attn.npy", bytes);
  drop("x.json");
  EXPECT_TRUE(is_told()) << app_.message();
  ASSERT_NE(viewing(), nullptr);
  EXPECT_EQ(viewing()->layer, 2);
  EXPECT_FALSE(is_modified());
  app_.call([](const Controllers& to) { to.files.save(); });
  leave();
  drop("x.json");
  EXPECT_FALSE(is_told()) << "now it is what was saved";
}

TEST_F(SavedViewing, WithoutAChecksumIsOpenedAsBefore) {
  save();
  leave();
  std::string text = text_of(folder_ / "x.json");
  const std::size_t begin = text.find("  \"checksum\"");
  ASSERT_NE(begin, std::string::npos);
  put_text(folder_ / "x.json", text.erase(begin, text.find('\n', begin) + 1 - begin));
  put_text(folder_ / "attn.npy", npy_header("<f4", {4, 3, 3, 3}) + std::string(432, '\0'));
  drop("x.json");
  EXPECT_TRUE(says(app_.message(), {"Opened ", "x.json: attention from "})) << app_.message();
  EXPECT_EQ(viewing()->layer, 2);
}

TEST_F(SavedViewing, IsNotSavedOverArrays) {
  open({2, 3, 3});
  const std::string before = text_of(folder_ / "attn.npy");
  app_.call([this](const Controllers& to) { to.files.save(folder_ / "attn.npy"); });
  EXPECT_TRUE(says(app_.message(), {"attn.npy", "saved as JSON"})) << app_.message();
  EXPECT_EQ(text_of(folder_ / "attn.npy"), before);
}

TEST_F(SavedViewing, IsAmongRecentFilesAndPreviewed) {
  save();
  leave();
  app_.press_control('O');
  app_.click("dialog/entry/x.json");
  const std::string text = app_.text();
  for (const char* const said : {"Attention of ", "attn.npy", "(4, 3, 3, 3) float32, layer 3 of 4", "the cat sat"})
    EXPECT_NE(text.find(said), std::string::npos) << said << " in\n" << text;
}

TEST_F(SavedViewing, AFigureOfItOpensIt) {
  save();
  app_.press_control('E');
  change_dialog(app_.session().queue(), [](DialogState& state) { state.name = "figure.svg"; });
  app_.frames(2);
  app_.session().push([this](const Controllers& to) { to.figures.export_to(folder_ / "figure.svg"); });
  settle();
  ASSERT_TRUE(std::filesystem::exists(folder_ / "figure.svg")) << app_.message();
  leave();
  drop("figure.svg");
  ASSERT_NE(viewing(), nullptr) << app_.message();
  EXPECT_EQ(viewing()->layer, 2);
  EXPECT_EQ(app_.document().tokens, (Names{"the", "cat", "sat"}));
  EXPECT_TRUE(app_.session().shown().file_is_picture);
  app_.press_control('S');
  EXPECT_EQ(app_.session().shown().dialog.name, "figure.json");
}

// Sessions one after the other in one state folder.
class CrashedViewing : public CrashApp {
protected:
  void crash_with_names() {
    put_text(folder_ / "attn.npy", weights_npy({4, 3, 3, 3}));
    const std::unique_ptr<HeadlessApp> app = start(1);
    app->session().push([this](const Controllers& to) { to.reading.open(folder_ / "attn.npy"); });
    app->settle();
    app->session().push(
        [](const Controllers& to) { to.viewing.change([](attnscope::ImportedView& state) { state.layer = 2; }); });
    app->session().push([](const Controllers& to) { to.viewing.name_tokens("the cat sat"); });
    app->settle();
    ASSERT_TRUE(app->session().shown().is_modified) << app->message();
    let_time_pass(*app);
  }
};

TEST_F(CrashedViewing, LosesNoNames) {
  crash_with_names();
  const std::unique_ptr<HeadlessApp> app = start(2);
  EXPECT_NE(app->text().find("attn.npy"), std::string::npos);
  app->click("restore/0/restore");
  app->settle();
  ASSERT_TRUE(app->session().shown().viewing) << app->message();
  EXPECT_EQ(app->session().shown().viewing->layer, 2);
  EXPECT_EQ(app->document().tokens, (Names{"the", "cat", "sat"}));
  EXPECT_EQ(app->session().window_title(), "• attn.npy – attnscope");
}

TEST_F(CrashedViewing, StaysWhileItsFileIsNotThere) {
  crash_with_names();
  std::filesystem::rename(folder_ / "attn.npy", folder_ / "away.npy");
  const std::unique_ptr<HeadlessApp> app = start(2);
  app->click("restore/0/restore");
  app->settle();
  EXPECT_TRUE(says(app->message(), {"attn.npy", "is missing"})) << app->message();
  std::filesystem::rename(folder_ / "away.npy", folder_ / "attn.npy");
  app->click("restore/0/restore");
  app->settle();
  ASSERT_TRUE(app->session().shown().viewing) << app->message();
  EXPECT_EQ(app->document().tokens, (Names{"the", "cat", "sat"}));
}

}  // namespace
}  // namespace attnscope::test
