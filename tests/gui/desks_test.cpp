#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <new>

#include "core/error.h"
#include "desk_alone.h"
#include "document/edit.h"
#include "document/json.h"
#include "features/figures/figure_controller.h"
#include "features/files/exchange_controller.h"
#include "features/search/search_controller.h"
#include "features/setup/document_controller.h"
#include "features/setup/evaluation_controller.h"
#include "features/shared/dialog_controller.h"
#include "features/shared/view_controller.h"

namespace attnscope::test {
namespace {

EditDocument dropout_of(double rate, bool is_finished = true) {
  return {"dropout", [rate](Document& document) { document.config.dropout = rate; }, is_finished};
}

using MessageDesks = DeskAlone;

TEST_F(MessageDesks, AreForgottenAfterAWhile) {
  messages_.say("Opened.");
  EXPECT_GT(messages_.seconds_to_next_change(0), 9);
  messages_.expire(9);
  EXPECT_EQ(said(), "Opened.");
  messages_.expire(11);
  EXPECT_EQ(said(), "");
  EXPECT_LT(messages_.seconds_to_next_change(11), 0);
}

TEST(Failures, BecomeSentences) {
  EXPECT_EQ(failure_of([] {}), "");
  EXPECT_EQ(failure_of([] { throw Error("It cannot be."); }), "It cannot be.");
  EXPECT_EQ(failure_of([] { throw std::bad_alloc(); }), "There is not enough memory for this.");
  const std::string text = failure_of([] { std::filesystem::create_directory("/proc/none"); });
  EXPECT_NE(text.find("/proc/none"), std::string::npos) << text;
  EXPECT_NE(failure_of([] { throw std::out_of_range("place 7"); }).find("place 7"), std::string::npos);
}

class DocumentDesks : public DeskAlone {
protected:
  DocumentController desk_{default_document(), subject_, now_, messages_, desktop_};
};

TEST_F(DocumentDesks, ADragStartsFromWhereItBeganAndIsOneEntry) {
  const std::uint64_t edition = now_.edition;
  desk_.apply(EditDocument{"d_out", [](Document& document) { document.config.seed = 4; }, false});
  desk_.apply(EditDocument{"d_out", [](Document& document) { document.config.d_out = 4; }, false});
  EXPECT_EQ(now_.document.config.seed, default_document().config.seed);
  EXPECT_EQ(now_.document.config.d_out, 4);
  EXPECT_TRUE(desk_.is_editing());
  desk_.apply(FinishEdit{});
  EXPECT_FALSE(desk_.is_editing());
  EXPECT_GT(now_.edition, edition);
  desk_.apply(Undo{});
  EXPECT_EQ(now_.document, default_document());
  EXPECT_EQ(now_.undo_label, "");
  EXPECT_NE(now_.redo_label, "");
}

// The first one learns that it was let go only after the second one has changed something.
TEST_F(DocumentDesks, AnotherControlFinishesTheEditUnderWay) {
  const auto by = [](std::uint32_t control, EditDocument edit) {
    edit.control = control;
    return edit;
  };
  desk_.apply(by(1, EditDocument{"seed", [](Document& document) { document.config.seed = 77; }, false}));
  desk_.apply(by(2, dropout_of(0.25, false)));
  desk_.apply(FinishEdit{1});
  desk_.apply(by(2, dropout_of(0.5, false)));
  desk_.apply(FinishEdit{2});
  EXPECT_EQ(now_.document.config.seed, 77U);
  EXPECT_EQ(now_.document.config.dropout, 0.5);
  desk_.apply(Undo{});
  EXPECT_EQ(now_.document.config.seed, 77U);
  EXPECT_EQ(now_.undo_label, "seed");
  desk_.apply(Undo{});
  EXPECT_EQ(now_.document, default_document());
}

TEST_F(DocumentDesks, ATypedTextWaitsUntilItsFieldIsLeft) {
  const auto typed = [](const std::string& text) {
    return TypeText{1, "name", text, [text](Document& document) { rename_token(document, 0, text); }};
  };
  desk_.apply(typed("a"));
  desk_.apply(typed("ab"));
  EXPECT_EQ(now_.document, default_document());
  EXPECT_EQ(now_.typed->text, "ab");
  desk_.apply(dropout_of(0.25));
  EXPECT_EQ(now_.document.tokens[0], "ab");
  EXPECT_EQ(now_.document.config.dropout, 0.25);
  EXPECT_FALSE(now_.typed);
  desk_.apply(typed("c"));
  desk_.apply(FinishEdit{1, true});
  EXPECT_EQ(now_.document.tokens[0], "ab") << "Esc takes it back";
  desk_.apply(Undo{});
  desk_.apply(Undo{});
  EXPECT_EQ(now_.document, default_document());
}

TEST_F(DocumentDesks, ATypedTextThatIsRefusedStaysUntilTheDocumentChanges) {
  desk_.apply(TypeText{1, "name", "bad", [](Document&) { throw Error("It is bad."); }});
  desk_.apply(FinishEdit{1});
  EXPECT_EQ(said(), "It is bad.");
  EXPECT_EQ(now_.typed->text, "bad");
  EXPECT_FALSE(desk_.is_editing());
  desk_.apply(dropout_of(0.25));
  EXPECT_FALSE(now_.typed);
}

TEST_F(DocumentDesks, StayAsTheyWereWhereAnEditIsWrong) {
  const std::uint64_t edition = now_.edition;
  EXPECT_THROW(desk_.apply(dropout_of(7)), Error);
  EXPECT_EQ(now_.document, default_document());
  EXPECT_EQ(now_.edition, edition);
}

class EvaluationDesks : public DeskAlone {
protected:
  EvaluationDesks() { now_.document = default_document(); }
};

TEST_F(EvaluationDesks, HappenOnceForEachEdition) {
  EvaluationController desk(now_, subject_, now_, {});
  desk.wait();
  desk.poll();
  EXPECT_TRUE(now_.is_current);
  const std::uint64_t ticket = now_.evaluation.finished_ticket;
  desk.follow(false);
  desk.wait();
  desk.poll();
  EXPECT_EQ(now_.evaluation.finished_ticket, ticket);
  now_.document.config.seed = 5;
  ++now_.edition;
  desk.follow(false);
  desk.wait();
  desk.poll();
  EXPECT_EQ(now_.evaluation.finished_ticket, ticket + 1);
  EXPECT_EQ(now_.result()->config.seed, 5U);
}

// The others wait here until the head was looked at.
TEST_F(EvaluationDesks, ShowTheHeadThatIsLookedAtBeforeTheOthers) {
  now_.document =
      parse_document(R"({"inputs": {"randn": [1024, 192]}, "d_out": 192, "num_heads": 12, "batch_size": 2})");
  now_.view.head = 7;
  now_.view.batch = 1;
  std::atomic<int> calls = 0;
  std::atomic<bool> is_seen = false;
  EvaluationController desk(now_, subject_, now_, [&] {
    ++calls;
    calls.notify_all();
    is_seen.wait(false);
  });
  calls.wait(0);
  EXPECT_TRUE(desk.poll());
  ASSERT_NE(now_.result(), nullptr);
  EXPECT_EQ(now_.result()->finished, FinishedHeads{19});
  EXPECT_FALSE(now_.is_current);
  is_seen = true;
  is_seen.notify_all();
  desk.wait();
  desk.poll();
  EXPECT_TRUE(now_.is_current);
  EXPECT_TRUE(now_.result()->finished.are_all());
}

class Searches : public DeskAlone {
protected:
  Searches() {
    now_.document = default_document();
    now_.labels = token_labels(now_.document.tokens);
    now_.evaluation.result = std::make_shared<const Result>(evaluate(now_.document.config));
  }

  SearchController desk_{now_, now_.go_to, now_.view, {}};
};

TEST_F(Searches, PinTheCellOfAToken) {
  desk_.apply(UpdateGoTo{[](GoToState& state) { state.text = "starts"; }});
  desk_.apply(GoTo{GoTo::Target::token});
  ASSERT_TRUE(now_.view.pinned);
  EXPECT_EQ(now_.view.pinned->col, 2);
  EXPECT_NE(now_.go_to.status.find("starts"), std::string::npos);
}

TEST_F(Searches, FindTheLargestWeightInTheBackground) {
  desk_.apply(GoTo{GoTo::Target::largest});
  EXPECT_TRUE(now_.go_to.is_searching);
  desk_.wait();
  EXPECT_TRUE(desk_.poll());
  ASSERT_TRUE(now_.view.pinned);
  EXPECT_EQ(value_at(*now_.result(), *now_.view.pinned), 1);  // the first query sees itself alone
}

using DialogDesks = DeskAlone;

TEST_F(DialogDesks, CreateFoldersOfAnyNameThatIsFree) {
  now_.view.document_folder = folder_.path().string();
  DialogController desk(neighbours_, {});
  desk.apply(ShowDialog{ShowDialog::Kind::save_as});
  EXPECT_EQ(now_.dialog.folder, folder_.path());
  for (const bool is_free : {true, false}) {
    desk.apply(UpdateDialog{[&](DialogState& state) {
      state.folder = folder_.path();
      state.new_folder = "slides";
    }});
    desk.apply(CreateFolder{});
    EXPECT_EQ(now_.dialog.error.empty(), is_free);
  }
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "slides"));
}

// The other desks hear of a dialog by a command of their own.
TEST_F(DialogDesks, TellWhoFillsThemAndWhoEndsWithThem) {
  DialogController desk(neighbours_, {});
  desk.apply(ShowDialog{ShowDialog::Kind::save_as});
  desk.apply(ShowDialog{ShowDialog::Kind::figure});
  desk.apply(UpdateDialog{[](DialogState& state) { state.name = "weights.png"; }});
  desk.apply(CloseDialog{});
  ASSERT_EQ(others_.passed_on.size(), 4U);
  EXPECT_TRUE(std::holds_alternative<ProposeName>(others_.passed_on[0]));
  EXPECT_TRUE(std::holds_alternative<PrepareFigure>(others_.passed_on[1]));
  EXPECT_TRUE(std::holds_alternative<NameFigure>(others_.passed_on[2]));
  EXPECT_TRUE(std::holds_alternative<StopFigure>(others_.passed_on[3]));
}

using ScreenshotDesks = DeskAlone;

TEST_F(ScreenshotDesks, AskForTheirFolderOnce) {
  ScreenshotController desk(neighbours_);
  desk.apply(TakeScreenshot{3});
  EXPECT_EQ(queue_.size(), 1U);
  EXPECT_FALSE(desk.take_request());
  desk.apply(ChooseScreenshotFolder{folder_ / "pictures"});
  EXPECT_EQ(desk.take_request().value_or(TakeScreenshot{}).scale, 3);
  desk.apply(TakeScreenshot{2});
  EXPECT_EQ(desk.take_request().value_or(TakeScreenshot{}).scale, 2);
  EXPECT_FALSE(desk.take_request());
}

using ViewDesks = DeskAlone;

TEST_F(ViewDesks, ForgetWhatThePointerLeft) {
  ViewController desk(now_.view, now_.hovered);
  desk.begin_frame();
  desk.apply(Hover{Source{.row = 1}});
  desk.end_frame();
  EXPECT_TRUE(now_.hovered);
  desk.begin_frame();
  desk.end_frame();
  EXPECT_FALSE(now_.hovered);
}

using FigureDesks = DeskAlone;

TEST_F(FigureDesks, AreNamedAfterWhatTheyShow) {
  now_.document = default_document();
  now_.file = "lecture.json";
  FigureController desk(neighbours_, now_.figure, {});
  now_.dialog.kind = DialogState::Kind::figure;
  desk.apply(PrepareFigure{});
  EXPECT_EQ(now_.dialog.name, "lecture-pipeline.png");
  now_.dialog.figure.options.stage = Stage::weights;
  desk.apply(NameFigure{});
  EXPECT_EQ(now_.dialog.name, "lecture-weights.png");
  desk.apply(ExportFigure{folder_ / "weights.gif"});
  EXPECT_NE(now_.dialog.error.find("weights.gif"), std::string::npos);
  EXPECT_FALSE(now_.figure.under_way);
}

TEST_F(DeskAlone, NothingIsCopiedOfAStageThatIsNotThere) {
  now_.document = default_document();
  ExchangeController desk(neighbours_);
  EXPECT_THROW(desk.apply(CopyStage{CopyStage::Form::table}), Error);
}

}  // namespace
}  // namespace attnscope::test
