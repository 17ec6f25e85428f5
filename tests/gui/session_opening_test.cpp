// What the window opens with, and what it says to a newcomer.

#include "document/builtin.h"
#include "document/edit.h"
#include "features/files/reading_controller.h"
#include "features/setup/document_controller.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "view/view_address.h"

namespace attnscope::test {
namespace {

const ImVec2 opening_size{1280, 720};

ViewState with_hint() {
  ViewState view;
  view.shows_drag_hint = true;
  return view;
}

TEST(DragHint, LeavesWhenTheNumberWasDragged) {
  HeadlessApp app(opening_document(), opening_size, with_hint());
  app.frames(2);
  ASSERT_TRUE(app.shows("stages/drag_hint"));
  const HeadlessApp::CellPlace cell = app.cell_place(Stage::inputs, 1, 0);
  app.move_to(cell.widget, cell.where);
  app.press();
  for (int step = 0; step < 6; ++step) app.move_by({-10, 0});
  app.release();
  EXPECT_FALSE(app.document().config.inputs == opening_document().config.inputs);
  EXPECT_FALSE(app.view().shows_drag_hint);
  EXPECT_FALSE(app.shows("stages/drag_hint"));
  app.press_control('Z');
  EXPECT_EQ(app.document(), opening_document());
  EXPECT_FALSE(app.shows("stages/drag_hint")) << "never again";
}

TEST(DragHint, LeavesWhenItIsClosed) {
  HeadlessApp app(opening_document(), opening_size, with_hint());
  app.frames(2);
  app.click("stages/drag_hint/close");
  EXPECT_FALSE(app.view().shows_drag_hint);
  EXPECT_EQ(app.document(), opening_document());
}

TEST(DragHint, IsOfTheOpeningDocumentAlone) {
  HeadlessApp app(notebook_document(), opening_size, with_hint());
  app.frames(2);
  EXPECT_FALSE(app.shows("stages/drag_hint"));
  EXPECT_TRUE(app.view().shows_drag_hint) << "it waits for that document";
}

// The words at the pinned number are others then.
TEST(FirstPin, MovesToTheMostTellingWeightOfANewSentence) {
  Session session(opening_document(), ViewState());
  session.wait_for_evaluation();
  const auto edit = [&](const char* label, std::function<void(Document&)> change) {
    session.push([=](const Controllers& to) { to.documents.edit({label, change}); });
    session.run_calls();
    session.wait_for_evaluation();
  };
  const std::optional<Source> first = session.shown().view.pinned;
  ASSERT_TRUE(first);
  edit("token name", [](Document& document) { rename_token(document, 1, "dog"); });
  EXPECT_EQ(session.shown().view.pinned, first) << "a word that is renamed keeps its pin";
  edit("sentence", [](Document& document) { set_sentence(document, "it dreamed because the cat slept"); });
  ASSERT_NE(session.shown().view.pinned, first);
  EXPECT_EQ(session.shown().view.pinned, most_telling_cell(*session.shown().result(), first->head));
  ASSERT_FALSE(session.shown().messages.empty());
  EXPECT_TRUE(session.shown().messages.back().text.starts_with("The words are new: pinned is now what “"))
      << session.shown().messages.back().text;
}

TEST(FirstPin, IsTheMostTellingWeight) {
  Session session(opening_document(), ViewState());
  session.wait_for_evaluation();
  EXPECT_EQ(session.shown().view.pinned, (Source{.stage = Stage::weights, .row = 4, .col = 1}));
}

TEST(FirstPin, IsOfTheHeadThatIsLookedAt) {
  ViewState view;
  view.head = 1;
  Session session(opening_document(), view);
  session.wait_for_evaluation();
  EXPECT_EQ(session.shown().view.pinned, (Source{.stage = Stage::weights, .head = 1, .row = 2, .col = 1}));
  EXPECT_EQ(session.shown().view.head, 1);
}

TEST(FirstPin, ComesWithEveryDocumentThatIsOpened) {
  HeadlessApp app;
  app.call([](const Controllers& to) { to.reading.open_example("who_is_it"); });
  EXPECT_EQ(app.view().pinned, (Source{.stage = Stage::weights, .row = 4, .col = 1}));
}

TEST(FirstPin, IsNoneWhereAllSharesAreEqual) {
  Document document = opening_document();
  fill_weights(document, {Stage::query_weight, 0, all_cells(document.config, Stage::query_weight)}, Filling::zeros);
  Session session(document, ViewState());
  session.wait_for_evaluation();
  EXPECT_FALSE(session.shown().view.pinned);
}

TEST(EqualShares, AreSaidOfRandomWeightsAndNotOfTellingOnes) {
  HeadlessApp app(notebook_document(), opening_size, ViewState());
  app.settle();
  EXPECT_TRUE(app.session().shown().has_equal_shares);
  EXPECT_TRUE(app.shows("stages/weights/equal_shares"));
  app.call([](const Controllers& to) { to.reading.open_example("who_is_it"); });
  EXPECT_FALSE(app.shows("stages/weights/equal_shares"));
}

TEST(StartLine, LeadsToTheNotebooksWords) {
  HeadlessApp app(opening_document(), opening_size);
  app.change_view([](ViewState& view) { view.shows_start = true; });
  app.frames(2);
  app.click("start/notebook");
  app.settle();
  EXPECT_EQ(app.document(), notebook_document());
  EXPECT_FALSE(app.view().shows_start);
}

TEST(DimensionNames, AreTypedAboveTheirColumns) {
  HeadlessApp app;
  app.replace_text("tokens/dimensions/1", "size");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.config().dimensions.copy(), (std::vector<std::string>{"", "size", ""}));
  app.press_control('Z');
  EXPECT_TRUE(app.config().dimensions.empty());
}

}  // namespace
}  // namespace attnscope::test
