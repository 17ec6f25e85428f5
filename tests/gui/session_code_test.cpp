#include "desk.h"
#include "interchange/code.h"

namespace attnscope::test {
namespace {

void copy_as(Desk& desk, const std::string& language) {
  desk.click("menu/edit");
  desk.click("menu/edit/copy");
  desk.click("menu/edit/copy/" + language);
}

TEST(CopyAs, PutsTheDocumentAsCodeOnTheClipboard) {
  Desk desk;
  desk.drag("setup/dropout", 0.1f, 0.5f);
  desk.settle();
  copy_as(desk, "pytorch");
  EXPECT_EQ(desk.clipboard(), code_of(desk.document(), CodeLanguage::pytorch));
  EXPECT_NE(desk.message().find("as PyTorch code"), std::string::npos) << desk.message();
  copy_as(desk, "numpy");
  EXPECT_EQ(desk.clipboard(), code_of(desk.document(), CodeLanguage::numpy));
  copy_as(desk, "latex");
  EXPECT_EQ(desk.clipboard(), code_of(desk.document(), CodeLanguage::latex));
  EXPECT_NE(desk.message().find("as LaTeX"), std::string::npos) << desk.message();
}

TEST(CopyAs, WhatIsTooLargeSaysSoAndLeavesTheClipboardAlone) {
  Document document = default_document();
  document.config.inputs = RandnInputs{6, 512};
  document.config.d_out = 512;
  Desk desk(document);
  desk.settle();
  desk.clipboard() = "kept";
  copy_as(desk, "numpy");
  EXPECT_EQ(desk.clipboard(), "kept");
  EXPECT_NE(desk.message().find("at most 100000"), std::string::npos) << desk.message();
  copy_as(desk, "pytorch");
  EXPECT_NE(desk.clipboard(), "kept");
}

}  // namespace
}  // namespace attnscope::test
