// Embeddings and weights of other programs in the window, and stages on their way to them.

#include "document/edit.h"
#include "features/files/exchange_controller.h"
#include "features/files/reading_controller.h"
#include "features/search/search_controller.h"
#include "features/shared/panel/calls.h"
#include "files/import.h"
#include "folder_app.h"
#include "headless_app_input.h"
#include "view/view_address.h"

namespace attnscope::test {
namespace {

class Exchange : public FolderApp {
protected:
  void drop(const std::string& name) {
    app_.call([this, name](const Controllers& to) { to.reading.open(folder_ / name); });
  }
  std::string copied(const std::string& form) {
    app_.settle();
    app_.click("menu/edit");
    app_.click("menu/edit/copy_stage");
    app_.click("menu/edit/copy_stage/" + form);
    return app_.clipboard();
  }
};

TEST_F(Exchange, ADroppedTableBecomesInputsThatUndoTakesBack) {
  put_text(folder_ / "words.csv", "token,a,b\nred,1,2\nblue,3,4\n");
  drop("words.csv");
  EXPECT_EQ(app_.document().tokens, (std::vector<std::string>{"red", "blue"}));
  EXPECT_EQ(inputs_of(app_.document()), Tensor({2, 2}, {1, 2, 3, 4}));
  EXPECT_NE(app_.message().find("Imported 2 tokens of 2 numbers"), std::string::npos) << app_.message();
  EXPECT_TRUE(app_.session().shown().is_modified);
  app_.press_control('Z');
  EXPECT_EQ(app_.document(), default_document());
}

// The pinned cell of the document before would be any cell of what was read.
TEST_F(Exchange, WhatIsReadIsPinnedAtItsMostTellingWeight) {
  Document other = default_document();
  other.config.seed = 7;
  export_weights(other, folder_ / "w.safetensors");
  put_text(folder_ / "words.csv", "token,a,b,c\nred,1,2,9\nblue,3,4,0\ngreen,9,0,1\ngrey,0,9,0\n");
  const Source before{.stage = Stage::context, .row = 1, .col = 1};
  for (const char* const file : {"w.safetensors", "words.csv"}) {
    app_.change_view([&](ViewState& view) { view.pinned = before; });
    drop(file);
    app_.settle();
    ASSERT_TRUE(most_telling_cell(app_.result())) << file;
    EXPECT_EQ(app_.view().pinned, most_telling_cell(app_.result())) << file;
    EXPECT_EQ(app_.view().head, app_.view().pinned->head) << file;
  }
}

TEST_F(Exchange, TablesAreListedToBeOpened) {
  put_text(folder_ / "words.csv", "1,2\n");
  put_text(folder_ / "words.txt", "1,2\n");
  app_.press_control('O');
  EXPECT_FALSE(app_.shows("dialog/entry/words.txt"));
  app_.double_click("dialog/entry/words.csv");
  app_.settle();
  EXPECT_EQ(inputs_of(app_.document()), Tensor({1, 2}, {1, 2}));
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::none);
  app_.press_control('S', true);
  EXPECT_FALSE(app_.shows("dialog/entry/words.csv"));  // a document is not saved over a table
}

TEST_F(Exchange, DroppedWeightsBecomeTheDocuments) {
  Document other = default_document();
  other.config.seed = 7;
  export_weights(other, folder_ / "w.safetensors");
  drop("w.safetensors");
  EXPECT_EQ(app_.config().weight_overrides.size(), 5U);
  EXPECT_NE(app_.message().find("Imported the weights of Multi-head attention"), std::string::npos) << app_.message();
  const Tensor output = *app_.result().find(Stage::output);
  EXPECT_TRUE(same_bits(output, *evaluate(other.config).find(Stage::output)));
}

// The page that comes with the program is where the desktop says.
TEST_F(Exchange, APageIsExportedOfTheLessonOrTheDocument) {
  app_.click("menu/file");
  app_.click("menu/file/export");
  EXPECT_FALSE(app_.enables("menu/file/page"));
  for (int level = 0; level < 2; ++level) app_.press_key(keys::named(ImGuiKey_Escape));
  const std::string empty = "<script type=\"application/json\" id=\"given\"></script>";
  put_text(folder_ / "empty.html", empty);
  app_.session().use({.page = folder_ / "empty.html"});
  const auto exported = [&](const std::string& name) {
    app_.click("menu/file");
    app_.click("menu/file/export");
    app_.click("menu/file/page");
    EXPECT_NE(app_.session().shown().dialog.name, "");
    app_.replace_text("dialog/name", name);
    app_.click("dialog/accept");
    EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::none) << app_.message();
    return text_of(folder_ / (name + ".html"));
  };
  EXPECT_EQ(exported("a"), page_with(empty, page_files(app_.document(), "a.json")));
  app_.open_lesson("mask");
  EXPECT_EQ(exported("b"), page_with(empty, page_files(*shipped_lesson("mask"), "b.json")));
}

TEST_F(Exchange, WeightsAreExportedUnderATypedName) {
  app_.click("menu/file");
  app_.click("menu/file/export");
  app_.click("menu/file/export_weights");
  app_.replace_text("dialog/name", "mine");
  app_.click("dialog/accept");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"mine.safetensors"});
  EXPECT_EQ(read_arrays(folder_ / "mine.safetensors").arrays.size(), 5U);
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::none);
  EXPECT_FALSE(app_.session().shown().is_modified);
}

TEST_F(Exchange, AFileThatCannotBeReadChangesNothing) {
  put_text(folder_ / "bad.npy", "no");
  drop("bad.npy");
  EXPECT_EQ(app_.document(), default_document());
  EXPECT_TRUE(says(app_.message(), {"bad.npy: ", "does not begin like one"}));
}

TEST_F(Exchange, TheShownStageIsCopied) {
  const std::string table = copied("table");
  EXPECT_TRUE(table.starts_with("query\tYour\tjourney")) << table;
  EXPECT_NE(table.find("\nYour\t1\t0\t0\t0\t0\t0\n"), std::string::npos) << table;
  EXPECT_TRUE(says(app_.message(), {"Copied attention weights, 6 by 6, as a table."}));
  EXPECT_NE(copied("latex_matrix").find("1.00 & 0.00"), std::string::npos) << app_.clipboard();
}

TEST_F(Exchange, ThePinnedStageIsCopiedBeforeTheShownOne) {
  app_.settle();
  app_.click_cell(Stage::masked_scores, 0, 0);
  EXPECT_NE(copied("numpy_array").find("-np.inf"), std::string::npos) << app_.clipboard();
}

// The pinned cell of a document that had more of everything.
TEST_F(Exchange, ACellThatIsGoneIsLookedForWhereItWouldBe) {
  app_.edit({"batch", [](Document& document) {
               document.config.batch_size = 2;
               document.config.dropout = 0;
             }});
  app_.change_view([](ViewState& view) {
    view.batch = 1;
    view.head = 1;
    view.pinned = Source{.stage = Stage::weights, .batch = 1, .head = 1, .row = 5, .col = 4};
  });
  app_.settle();
  app_.edit({"all", [](Document& document) {
               set_mechanism(document, Mechanism::causal_attention);
               document.config.batch_size = 1;
               while (document.tokens.size() > 2) delete_token(document, 2);
             }});
  EXPECT_TRUE(copied("table").starts_with("query\tYour\tjourney\n")) << app_.clipboard();
  for (const GoToState::Target target :
       {GoToState::Target::largest, GoToState::Target::diagonal, GoToState::Target::token}) {
    app_.session().push([](const Controllers& to) { to.search.seek("journey"); });
    app_.call([target](const Controllers& to) { to.search.go_to(target); });
    ASSERT_TRUE(app_.view().pinned);
    EXPECT_LT(app_.view().pinned->row, 6);
    app_.change_view([](ViewState& view) {
      view.pinned = Source{.stage = Stage::weights, .batch = 1, .head = 1, .row = 5, .col = 4};
    });
  }
  app_.press_control('E');
  app_.settle();
  if (!app_.session().shown().dialog.figure.shows_pinned) app_.click("figure/pinned");
  app_.click("figure/arithmetic");
  app_.settle();
  EXPECT_TRUE(app_.session().shown().dialog.figure.has_arithmetic);
}

}  // namespace
}  // namespace attnscope::test
