// Attention of other programs in the window: its files, good and bad, and what comes before and after them.

#include <cmath>
#include <fstream>

#include "desk_input.h"
#include "document/builtin.h"
#include "interchange/array_files.h"
#include "tests/support/patience.h"
#include "viewing_controller.h"

namespace attnscope::test {
namespace {

TEST_F(Viewing, ASquareTableIsReadTheOtherWayOnRequest) {
  open({6, 6});
  desk_.click("menu/file");
  desk_.click("menu/file/arrays");
  desk_.click("menu/file/arrays/inputs");
  desk_.settle();
  EXPECT_EQ(viewing(), nullptr);
  EXPECT_EQ(inputs_of(desk_.document()), numbers());
  EXPECT_NE(desk_.message().find("If it is attention: File, Read again as."), std::string::npos) << desk_.message();
  desk_.session().push(FinishEdit{});
  desk_.click("menu/file");
  desk_.click("menu/file/arrays");
  desk_.click("menu/file/arrays/attention");
  EXPECT_EQ(desk_.session().shown().dialog.kind, DialogState::Kind::unsaved);
  desk_.click("dialog/discard");
  settle();
  EXPECT_NE(viewing(), nullptr);
}

TEST_F(Viewing, UnsavedChangesAreAskedForFirst) {
  desk_.session().push(EditDocument{"seed", [](Document& document) { document.config.seed = 7; }});
  desk_.frames(2);
  put_text(folder_ / "attn.npy", weights_npy({2, 6, 6}));
  drop("attn.npy");
  EXPECT_EQ(desk_.session().shown().dialog.kind, DialogState::Kind::unsaved);
  EXPECT_EQ(viewing(), nullptr);
  desk_.click("dialog/cancel");
  EXPECT_EQ(desk_.config().seed, 7U);
}

TEST_F(Viewing, AnotherDocumentIsComputedAsBefore) {
  const ViewState before = desk_.view();
  open({2, 6, 6});
  desk_.session().push(NewDocument{});
  desk_.settle();
  EXPECT_EQ(viewing(), nullptr);
  EXPECT_EQ(desk_.view().layout, before.layout);
  EXPECT_EQ(desk_.view().stage, before.stage);
  EXPECT_TRUE(same_bits(*desk_.result().find(Stage::output), *evaluate(opening_document().config).find(Stage::output)));
  EXPECT_TRUE(desk_.shows("setup/seed"));
}

TEST_F(Viewing, WhatCannotBeViewedChangesNothing) {
  put_text(folder_ / "wide.npy", npy_header("<f4", {1, 1, 2, 3}) + std::string(24, '\0'));
  desk_.session().push(OpenArrays{folder_ / "wide.npy", OpenArrays::As::attention});
  desk_.settle();
  EXPECT_TRUE(says(desk_.message(), {"wide.npy: There is no attention in it", "(1, 1, 2, 3)"})) << desk_.message();
  EXPECT_EQ(desk_.document(), default_document());
  EXPECT_EQ(viewing(), nullptr);
}

TEST_F(Viewing, AFailedChoiceLeavesWhatIsShown) {
  put_text(folder_ / "attn.npy", weights_npy({130, 2, 2}));
  desk_.session().push(OpenArrays{folder_ / "attn.npy", OpenArrays::As::attention});
  desk_.settle();
  EXPECT_NE(desk_.message().find("130 heads"), std::string::npos) << desk_.message();
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
TEST_F(Viewing, AFileOf600MegabytesTakesNoMemory) {
  const std::vector<Index> shape = {12, 12, 1024, 1024};
  put_text(folder_ / "attn.npy", npy_header("<f4", shape));
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) + std::uintmax_t{4} * 144 * 1024 * 1024);
  const std::size_t before = anonymous_kilobytes();
  drop("attn.npy");
  ASSERT_NE(viewing(), nullptr) << desk_.message();
  for (Index layer = 0; layer < 12; ++layer) {
    desk_.session().push(UpdateViewing{[layer](attnscope::Viewing& state) { state.layer = layer; }});
    desk_.frames(3);
    wait_until([&] {
      desk_.frames(1);
      return !desk_.session().head_cache().wait();
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

TEST_F(Viewing, AFileThatIsCutWhileItIsShownIsToldOf) {
  put_text(folder_ / "attn.npy", npy_header("<f4", {2, 3000, 3000}));
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) + std::uintmax_t{4} * 2 * 3000 * 3000);
  drop("attn.npy");
  ASSERT_NE(viewing(), nullptr) << desk_.message();
  std::filesystem::resize_file(path(), 100);
  desk_.frames(3);
  EXPECT_TRUE(says(desk_.message(), {"Another program has shortened"})) << desk_.message();
  EXPECT_TRUE(std::isnan(cell(1, 2999, 0)));
}

}  // namespace
}  // namespace attnscope::test
