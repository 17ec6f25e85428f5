// Embeddings and weights of other programs in the window, and stages on their way to them.

#include "desk_input.h"
#include "document/edit.h"
#include "folder_desk.h"
#include "interchange/import.h"
#include "state/go_to.h"

namespace attnscope::test {
namespace {

class Exchange : public FolderDesk {
protected:
  void drop(const std::string& name) {
    desk_.session().push(OpenFile{folder_ / name});
    desk_.settle();
  }
  std::string copied(const std::string& form) {
    desk_.settle();
    desk_.click("menu/edit");
    desk_.click("menu/edit/copy_stage");
    desk_.click("menu/edit/copy_stage/" + form);
    return desk_.clipboard();
  }
};

TEST_F(Exchange, ADroppedTableBecomesInputsThatUndoTakesBack) {
  put_text(folder_ / "words.csv", "token,a,b\nred,1,2\nblue,3,4\n");
  drop("words.csv");
  EXPECT_EQ(desk_.document().tokens, (std::vector<std::string>{"red", "blue"}));
  EXPECT_EQ(inputs_of(desk_.document()), Tensor({2, 2}, {1, 2, 3, 4}));
  EXPECT_NE(desk_.message().find("Imported 2 tokens of 2 numbers"), std::string::npos) << desk_.message();
  EXPECT_TRUE(desk_.session().shown().is_modified);
  desk_.press_control('Z');
  EXPECT_EQ(desk_.document(), default_document());
}

TEST_F(Exchange, TablesAreListedToBeOpened) {
  put_text(folder_ / "words.csv", "1,2\n");
  put_text(folder_ / "words.txt", "1,2\n");
  desk_.press_control('O');
  EXPECT_FALSE(desk_.shows("dialog/entry/words.txt"));
  desk_.double_click("dialog/entry/words.csv");
  desk_.settle();
  EXPECT_EQ(inputs_of(desk_.document()), Tensor({1, 2}, {1, 2}));
  EXPECT_EQ(desk_.session().shown().dialog.kind, DialogState::Kind::none);
  desk_.press_control('S', true);
  EXPECT_FALSE(desk_.shows("dialog/entry/words.csv"));  // a document is not saved over a table
}

TEST_F(Exchange, DroppedWeightsBecomeTheDocuments) {
  Document other = default_document();
  other.config.seed = 7;
  export_weights(other, folder_ / "w.safetensors");
  drop("w.safetensors");
  EXPECT_EQ(desk_.config().weight_overrides.size(), 5U);
  EXPECT_NE(desk_.message().find("Imported the weights of Multi-head attention"), std::string::npos) << desk_.message();
  const Tensor output = *desk_.result().find(Stage::output);
  EXPECT_TRUE(same_bits(output, *evaluate(other.config).find(Stage::output)));
}

TEST_F(Exchange, WeightsAreExportedUnderATypedName) {
  desk_.click("menu/file");
  desk_.click("menu/file/export_weights");
  desk_.replace_text("dialog/name", "mine");
  desk_.click("dialog/accept");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"mine.safetensors"});
  EXPECT_EQ(read_arrays(folder_ / "mine.safetensors").arrays.size(), 5U);
  EXPECT_EQ(desk_.session().shown().dialog.kind, DialogState::Kind::none);
  EXPECT_FALSE(desk_.session().shown().is_modified);
}

TEST_F(Exchange, AFileThatCannotBeReadChangesNothing) {
  put_text(folder_ / "bad.npy", "no");
  drop("bad.npy");
  EXPECT_EQ(desk_.document(), default_document());
  EXPECT_TRUE(says(desk_.message(), {"bad.npy: ", "does not begin like one"}));
}

TEST_F(Exchange, TheShownStageIsCopied) {
  const std::string table = copied("table");
  EXPECT_TRUE(table.starts_with("query\tYour\tjourney")) << table;
  EXPECT_NE(table.find("\nYour\t1\t0\t0\t0\t0\t0\n"), std::string::npos) << table;
  EXPECT_TRUE(says(desk_.message(), {"Copied attention weights, 6 by 6, as a table."}));
  EXPECT_NE(copied("latex_matrix").find("1.00 & 0.00"), std::string::npos) << desk_.clipboard();
}

TEST_F(Exchange, ThePinnedStageIsCopiedBeforeTheShownOne) {
  desk_.settle();
  desk_.click_cell(Stage::masked_scores, 0, 0);
  EXPECT_NE(copied("numpy_array").find("-np.inf"), std::string::npos) << desk_.clipboard();
}

// The pinned cell of a document that had more of everything.
TEST_F(Exchange, ACellThatIsGoneIsLookedForWhereItWouldBe) {
  desk_.session().push(EditDocument{"batch", [](Document& document) {
                                      document.config.batch_size = 2;
                                      document.config.dropout = 0;
                                    }});
  desk_.settle();
  desk_.change_view([](ViewState& view) {
    view.batch = 1;
    view.head = 1;
    view.pinned = Source{.stage = Stage::weights, .batch = 1, .head = 1, .row = 5, .col = 4};
  });
  desk_.settle();
  desk_.session().push(EditDocument{"all", [](Document& document) {
                                      set_mechanism(document, Mechanism::causal_attention);
                                      document.config.batch_size = 1;
                                      while (document.tokens.size() > 2) delete_token(document, 2);
                                    }});
  desk_.settle();
  EXPECT_TRUE(copied("table").starts_with("query\tYour\tjourney\n")) << desk_.clipboard();
  for (const GoTo::Target target : {GoTo::Target::largest, GoTo::Target::diagonal, GoTo::Target::token}) {
    desk_.session().push(UpdateGoTo{[](GoToState& state) { state.text = "journey"; }});
    desk_.session().push(GoTo{target});
    desk_.settle();
    ASSERT_TRUE(desk_.view().pinned);
    EXPECT_LT(desk_.view().pinned->row, 6);
    desk_.change_view([](ViewState& view) {
      view.pinned = Source{.stage = Stage::weights, .batch = 1, .head = 1, .row = 5, .col = 4};
    });
  }
  desk_.press_control('E');
  desk_.settle();
  if (!desk_.session().shown().dialog.figure.shows_pinned) desk_.click("figure/pinned");
  desk_.click("figure/arithmetic");
  desk_.settle();
  EXPECT_TRUE(desk_.session().shown().dialog.figure.has_arithmetic);
}

}  // namespace
}  // namespace attnscope::test
