// Attention of other programs in the window: its files, good and bad, and what comes before and after them.

#include <cmath>
#include <fstream>

#include "document/builtin.h"
#include "features/files/reading_controller.h"
#include "features/import/import_controller.h"
#include "features/setup/document_controller.h"
#include "features/shared/panel/calls.h"
#include "files/array_files.h"
#include "headless_app_input.h"
#include "tests/support/patience.h"
#include "viewing_app.h"

namespace attnscope::test {
namespace {

TEST_F(ImportedFiles, ASquareTableIsReadTheOtherWayOnRequest) {
  open({6, 6});
  app_.click("menu/file");
  app_.click("menu/file/arrays");
  app_.click("menu/file/arrays/inputs");
  app_.settle();
  EXPECT_EQ(viewing(), nullptr);
  EXPECT_EQ(inputs_of(app_.document()), numbers());
  EXPECT_NE(app_.message().find("If it is attention: File, Read again as."), std::string::npos) << app_.message();
  app_.session().push([](const Controllers& to) { to.documents.finish_edit(); });
  app_.click("menu/file");
  app_.click("menu/file/arrays");
  app_.click("menu/file/arrays/attention");
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::unsaved);
  app_.click("dialog/discard");
  settle();
  EXPECT_NE(viewing(), nullptr);
}

TEST_F(ImportedFiles, UnsavedChangesAreAskedForFirst) {
  app_.edit({"seed", [](Document& document) { document.config.seed = 7; }});
  put_text(folder_ / "attn.npy", weights_npy({2, 6, 6}));
  drop("attn.npy");
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::unsaved);
  EXPECT_EQ(viewing(), nullptr);
  app_.click("dialog/cancel");
  EXPECT_EQ(app_.config().seed, 7U);
}

TEST_F(ImportedFiles, AnotherDocumentIsComputedAsBefore) {
  const ViewState before = app_.view();
  open({2, 6, 6});
  put_text(folder_ / "layers.npy", weights_npy({4, 3, 6, 6}));
  drop("layers.npy");
  app_.call([](const Controllers& to) { to.reading.new_document(); });
  EXPECT_EQ(viewing(), nullptr);
  EXPECT_EQ(app_.view().mode, before.mode);
  EXPECT_EQ(app_.view().stage, before.stage);
  EXPECT_TRUE(same_bits(*app_.result().find(Stage::output), *evaluate(opening_document().config).find(Stage::output)));
  EXPECT_TRUE(app_.shows("setup/seed"));
}

TEST_F(ImportedFiles, WhatCannotBeViewedChangesNothing) {
  put_text(folder_ / "wide.npy", npy_header("<f4", {6}) + std::string(24, '\0'));
  app_.call([this](const Controllers& to) { to.reading.open_arrays(folder_ / "wide.npy", ArraysAs::attention); });
  EXPECT_TRUE(says(app_.message(), {"wide.npy: There is no attention in it"})) << app_.message();
  EXPECT_EQ(app_.document(), default_document());
  EXPECT_EQ(viewing(), nullptr);
}

TEST_F(ImportedFiles, AFailedChoiceLeavesWhatIsShown) {
  put_text(folder_ / "attn.npy", weights_npy({130, 2, 2}));
  app_.call([this](const Controllers& to) { to.reading.open_arrays(folder_ / "attn.npy", ArraysAs::attention); });
  EXPECT_NE(app_.message().find("130 heads"), std::string::npos) << app_.message();
  EXPECT_EQ(viewing(), nullptr);
}

std::size_t anonymous_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoul(line.substr(8));
  }
  return 0;
}

// 600 MB, without a byte on the disk: a hole is all zeros.
TEST_F(ImportedFiles, AFileOf600MegabytesTakesNoMemory) {
  const std::vector<Index> shape = {12, 12, 1024, 1024};
  put_text(folder_ / "attn.npy", npy_header("<f4", shape));
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) + std::uintmax_t{4} * 144 * 1024 * 1024);
  const std::size_t before = anonymous_kilobytes();
  drop("attn.npy");
  ASSERT_NE(viewing(), nullptr) << app_.message();
  for (Index layer = 0; layer < 12; ++layer) {
    app_.call([layer](const Controllers& to) {
      to.viewing.change([layer](attnscope::ImportedView& state) { state.layer = layer; });
    });
    wait_until([&] {
      app_.frames(1);
      return !app_.session().picture_cache().wait();
    });
  }
#ifdef __SANITIZE_ADDRESS__
  constexpr std::size_t most_megabytes = 500;  // the sanitizer holds back 256 MB of what was freed, and needs its own
#elif defined(__SANITIZE_THREAD__)
  constexpr std::size_t most_megabytes = 2700;  // it keeps four bytes of its own for each one that is read
#else
  constexpr std::size_t most_megabytes = 64;
#endif
  EXPECT_LT(anonymous_kilobytes(), before + most_megabytes * 1024);
}

TEST_F(ImportedFiles, AFileThatIsCutWhileItIsShownIsToldOf) {
  put_text(folder_ / "attn.npy", npy_header("<f4", {2, 3000, 3000}));
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) + std::uintmax_t{4} * 2 * 3000 * 3000);
  drop("attn.npy");
  ASSERT_NE(viewing(), nullptr) << app_.message();
  std::filesystem::resize_file(path(), 100);
  app_.frames(3);
  EXPECT_TRUE(says(app_.message(), {"Another program has shortened"})) << app_.message();
  EXPECT_TRUE(std::isnan(cell(1, 2999, 0)));
}

}  // namespace
}  // namespace attnscope::test
