#include "files/code.h"
#include "headless_app.h"

namespace attnscope::test {
namespace {

void copy_as(HeadlessApp& app, const std::string& language) {
  app.click("menu/edit");
  app.click("menu/edit/copy");
  app.click("menu/edit/copy/" + language);
}

TEST(CopyAs, PutsTheDocumentAsCodeOnTheClipboard) {
  HeadlessApp app;
  app.drag("setup/dropout", 0.1f, 0.5f);
  app.settle();
  copy_as(app, "pytorch");
  EXPECT_EQ(app.clipboard(), code_of(app.document(), CodeLanguage::pytorch));
  EXPECT_NE(app.message().find("as PyTorch code"), std::string::npos) << app.message();
  copy_as(app, "numpy");
  EXPECT_EQ(app.clipboard(), code_of(app.document(), CodeLanguage::numpy));
  copy_as(app, "latex");
  EXPECT_EQ(app.clipboard(), code_of(app.document(), CodeLanguage::latex));
  EXPECT_NE(app.message().find("as LaTeX"), std::string::npos) << app.message();
}

TEST(CopyAs, WhatIsTooLargeSaysSoAndLeavesTheClipboardAlone) {
  Document document = default_document();
  document.config.inputs = RandnInputs{6, 512};
  document.config.d_out = 512;
  HeadlessApp app(document);
  app.settle();
  app.clipboard() = "kept";
  copy_as(app, "numpy");
  EXPECT_EQ(app.clipboard(), "kept");
  EXPECT_NE(app.message().find("at most 100000"), std::string::npos) << app.message();
  copy_as(app, "pytorch");
  EXPECT_NE(app.clipboard(), "kept");
}

}  // namespace
}  // namespace attnscope::test
