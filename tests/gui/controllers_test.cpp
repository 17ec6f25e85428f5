#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <new>

#include "controller_alone.h"
#include "core/error.h"
#include "document/edit.h"
#include "document/json.h"
#include "features/figures/figure_controller.h"
#include "features/files/exchange_controller.h"
#include "features/predict/prediction_controller.h"
#include "features/search/search_controller.h"
#include "features/setup/document_controller.h"
#include "features/setup/evaluation_controller.h"
#include "features/shared/app_services.h"
#include "features/teaching_views/teaching_view_controller.h"

namespace attnscope::test {
namespace {

DocumentEdit dropout_of(double rate, bool is_finished = true) {
  return {"dropout", [rate](Document& document) { document.config.dropout = rate; }, is_finished};
}

using MessageControllers = ControllerAlone;

TEST_F(MessageControllers, AreForgottenAfterAWhile) {
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

class DocumentControllers : public ControllerAlone {
protected:
  DocumentController app_{default_document(), subject_, now_, messages_, desktop_};
};

TEST_F(DocumentControllers, ADragStartsFromWhereItBeganAndIsOneEntry) {
  const std::uint64_t edition = now_.edition;
  app_.edit({"d_out", [](Document& document) { document.config.seed = 4; }, false});
  app_.edit({"d_out", [](Document& document) { document.config.d_out = 4; }, false});
  EXPECT_EQ(now_.document.config.seed, default_document().config.seed);
  EXPECT_EQ(now_.document.config.d_out, 4);
  EXPECT_TRUE(app_.is_editing());
  app_.finish_edit();
  EXPECT_FALSE(app_.is_editing());
  EXPECT_GT(now_.edition, edition);
  app_.undo();
  EXPECT_EQ(now_.document, default_document());
  EXPECT_EQ(now_.undo_label, "");
  EXPECT_NE(now_.redo_label, "");
}

// A drag that has changed nothing yet does not stand between Undo and the edit before.
TEST_F(DocumentControllers, UndoEndsADragThatBeganBefore) {
  app_.edit({"seed", [](Document& document) { document.config.seed = 77; }});
  app_.edit({"d_out", [](Document&) {}, false});
  app_.undo();
  EXPECT_FALSE(app_.is_editing());
  app_.edit(dropout_of(0.25, false));
  EXPECT_EQ(now_.document.config.seed, default_document().config.seed);
}

// The first one learns that it was let go only after the second one has changed something.
TEST_F(DocumentControllers, AnotherControlFinishesTheEditUnderWay) {
  const auto by = [](std::uint32_t control, DocumentEdit edit) {
    edit.control = control;
    return edit;
  };
  app_.edit(by(1, {"seed", [](Document& document) { document.config.seed = 77; }, false}));
  app_.edit(by(2, dropout_of(0.25, false)));
  app_.finish_edit(1);
  app_.edit(by(2, dropout_of(0.5, false)));
  app_.finish_edit(2);
  EXPECT_EQ(now_.document.config.seed, 77U);
  EXPECT_EQ(now_.document.config.dropout, 0.5);
  app_.undo();
  EXPECT_EQ(now_.document.config.seed, 77U);
  EXPECT_EQ(now_.undo_label, "seed");
  app_.undo();
  EXPECT_EQ(now_.document, default_document());
}

TEST_F(DocumentControllers, ATypedTextWaitsUntilItsFieldIsLeft) {
  const auto typed = [](const std::string& text) {
    return TextEdit{1, "name", text, [text](Document& document) { rename_token(document, 0, text); }};
  };
  app_.type(typed("a"));
  app_.type(typed("ab"));
  EXPECT_EQ(now_.document, default_document());
  EXPECT_EQ(now_.typed->text, "ab");
  app_.edit(dropout_of(0.25));
  EXPECT_EQ(now_.document.tokens[0], "ab");
  EXPECT_EQ(now_.document.config.dropout, 0.25);
  EXPECT_FALSE(now_.typed);
  app_.type(typed("c"));
  app_.finish_edit(1, true);
  EXPECT_EQ(now_.document.tokens[0], "ab") << "Esc takes it back";
  app_.undo();
  app_.undo();
  EXPECT_EQ(now_.document, default_document());
}

TEST_F(DocumentControllers, ATypedTextThatIsRefusedStaysUntilTheDocumentChanges) {
  app_.type({1, "name", "bad", [](Document&) { throw Error("It is bad."); }});
  app_.finish_edit(1);
  EXPECT_EQ(said(), "It is bad.");
  EXPECT_EQ(now_.typed->text, "bad");
  EXPECT_FALSE(app_.is_editing());
  app_.edit(dropout_of(0.25));
  EXPECT_FALSE(now_.typed);
}

TEST_F(DocumentControllers, StayAsTheyWereWhereAnEditIsWrong) {
  const std::uint64_t edition = now_.edition;
  EXPECT_THROW(app_.edit(dropout_of(7)), Error);
  EXPECT_EQ(now_.document, default_document());
  EXPECT_EQ(now_.edition, edition);
}

class EvaluationControllers : public ControllerAlone {
protected:
  EvaluationControllers() { now_.document = default_document(); }
};

TEST_F(EvaluationControllers, HappenOnceForEachEdition) {
  EvaluationController controller(now_, subject_, now_, {});
  controller.wait();
  controller.poll();
  EXPECT_TRUE(now_.is_current);
  const std::uint64_t ticket = now_.evaluation.finished_ticket;
  controller.follow(false);
  controller.wait();
  controller.poll();
  EXPECT_EQ(now_.evaluation.finished_ticket, ticket);
  now_.document.config.seed = 5;
  ++now_.edition;
  controller.follow(false);
  controller.wait();
  controller.poll();
  EXPECT_EQ(now_.evaluation.finished_ticket, ticket + 1);
  EXPECT_EQ(now_.result()->config.seed, 5U);
}

// The others wait here until the head was looked at.
TEST_F(EvaluationControllers, ShowTheHeadThatIsLookedAtBeforeTheOthers) {
  now_.document =
      parse_document(R"({"inputs": {"randn": [1024, 192]}, "d_out": 192, "num_heads": 12, "batch_size": 2})");
  now_.view.head = 7;
  now_.view.batch = 1;
  std::atomic<int> calls = 0;
  std::atomic<bool> is_seen = false;
  EvaluationController controller(now_, subject_, now_, [&] {
    ++calls;
    calls.notify_all();
    is_seen.wait(false);
  });
  calls.wait(0);
  EXPECT_TRUE(controller.poll());
  ASSERT_NE(now_.result(), nullptr);
  EXPECT_EQ(now_.result()->finished, FinishedHeads{19});
  EXPECT_FALSE(now_.is_current);
  is_seen = true;
  is_seen.notify_all();
  controller.wait();
  controller.poll();
  EXPECT_TRUE(now_.is_current);
  EXPECT_TRUE(now_.result()->finished.are_all());
}

class Searches : public ControllerAlone {
protected:
  Searches() {
    now_.document = default_document();
    now_.labels = token_labels(now_.document.tokens);
    now_.evaluation.result = std::make_shared<const Result>(evaluate(now_.document.config));
  }

  SearchController app_{now_, now_.go_to, now_.view};
};

TEST_F(Searches, PinTheCellOfAToken) {
  app_.seek("starts");
  app_.go_to(GoToState::Target::token);
  ASSERT_TRUE(now_.view.pinned);
  EXPECT_EQ(now_.view.pinned->col, 2);
  EXPECT_NE(now_.go_to.status.find("starts"), std::string::npos);
}

TEST_F(Searches, FindTheLargestWeight) {
  app_.go_to(GoToState::Target::largest);
  ASSERT_TRUE(now_.view.pinned);
  EXPECT_EQ(value_at(*now_.result(), *now_.view.pinned), 1);  // the first query sees itself alone
}

using DialogControllers = ControllerAlone;

TEST_F(DialogControllers, CreateFoldersOfAnyNameThatIsFree) {
  now_.view.document_folder = folder_.path().string();
  DialogController controller(services_, others_, {});
  controller.show(DialogState::Kind::save_as);
  EXPECT_EQ(now_.dialog.folder, folder_.path());
  for (const bool is_free : {true, false}) {
    controller.change([&](DialogState& state) {
      state.folder = folder_.path();
      state.new_folder = "slides";
    });
    controller.create_folder();
    EXPECT_EQ(now_.dialog.error.empty(), is_free);
  }
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "slides"));
}

// The other controllers hear of a dialog.
TEST_F(DialogControllers, TellWhoFillsThemAndWhoEndsWithThem) {
  DialogController controller(services_, others_, {});
  controller.show(DialogState::Kind::save_as);
  controller.show(DialogState::Kind::figure);
  controller.change([](DialogState& state) { state.name = "weights.png"; });
  controller.close();
  const std::vector<std::string> expected = {"propose_file_name", "prepare_figure", "name_figure", "stop_figure"};
  EXPECT_EQ(others_.called, expected);
}

using ScreenshotControllers = ControllerAlone;

TEST_F(ScreenshotControllers, AskForTheirFolderOnce) {
  ScreenshotController controller(services_, others_);
  controller.take({3});
  EXPECT_EQ(others_.dialogs, std::vector{DialogState::Kind::screenshot_folder});
  EXPECT_FALSE(controller.take_request());
  controller.choose_folder(folder_ / "pictures");
  EXPECT_EQ(controller.take_request().value_or(ScreenshotRequest{}).scale, 3);
  controller.take({2});
  EXPECT_EQ(controller.take_request().value_or(ScreenshotRequest{}).scale, 2);
  EXPECT_FALSE(controller.take_request());
  controller.choose_folder(folder_ / "others");
  EXPECT_FALSE(controller.take_request()) << "none waits any more";
}

using ViewControllers = ControllerAlone;

TEST_F(ViewControllers, ForgetWhatThePointerLeft) {
  ViewController controller(now_.view, now_.hovered);
  controller.begin_frame();
  controller.hover(Source{.row = 1});
  controller.end_frame();
  EXPECT_TRUE(now_.hovered);
  controller.begin_frame();
  controller.end_frame();
  EXPECT_FALSE(now_.hovered);
}

using FigureControllers = ControllerAlone;

TEST_F(FigureControllers, AreNamedAfterWhatTheyShow) {
  now_.document = default_document();
  now_.file = "lecture.json";
  FigureController controller(services_, now_.figure, {});
  now_.dialog.kind = DialogState::Kind::figure;
  controller.prepare();
  EXPECT_EQ(now_.dialog.name, "lecture-pipeline.png");
  now_.dialog.figure.options.stage = Stage::weights;
  controller.propose_name();
  EXPECT_EQ(now_.dialog.name, "lecture-weights.png");
  controller.export_to(folder_ / "weights.gif");
  EXPECT_NE(now_.dialog.error.find("weights.gif"), std::string::npos);
  EXPECT_FALSE(now_.figure.under_way);
}

TEST_F(ControllerAlone, PredictionsCoverAllRowsAgainWhenAllAreOpen) {
  now_.document = default_document();
  now_.labels = token_labels(now_.document.tokens);
  now_.evaluation.result = std::make_shared<const Result>(evaluate(now_.document.config));
  now_.is_current = true;
  PredictionController controller(services_, now_.prediction);
  controller.cover(Stage::weights);
  for (Index row = 0; row < 6; ++row) {
    EXPECT_EQ(now_.prediction.asked.row, row);
    controller.follow();
    controller.reveal();
    EXPECT_FALSE(now_.prediction.cover->hides(now_.document.config, Stage::weights, row));
    controller.ask_next();
  }
  EXPECT_EQ(now_.prediction.asked.row, 0);
  EXPECT_TRUE(now_.prediction.cover->open.empty());
}

TEST_F(ControllerAlone, PredictionsOfOneRowBeginAgainAfterTheLastOne) {
  now_.document = default_document();
  now_.labels = token_labels(now_.document.tokens);
  now_.evaluation.result = std::make_shared<const Result>(evaluate(now_.document.config));
  now_.is_current = true;
  PredictionController controller(services_, now_.prediction);
  controller.cover(Stage::weights, 5);
  controller.follow();
  controller.reveal();
  controller.ask_next();
  EXPECT_EQ(now_.prediction.cover->row, 0);
  EXPECT_EQ(now_.prediction.asked.row, 0);
}

TEST_F(ControllerAlone, AStudyOfAIsOfTheTokensOfA) {
  now_.document = default_document();
  now_.labels = token_labels(now_.document.tokens);
  now_.evaluation.result = std::make_shared<const Result>(evaluate(now_.document.config));
  now_.compared = std::make_shared<const Document>(now_.document);
  now_.compared_labels = {"a", "b", "c", "d", "e", "f"};
  const auto comparison = std::make_shared<Comparison>();
  comparison->before.result = now_.evaluation.result;
  now_.comparison = comparison;
  now_.view.mode = ViewMode::study;
  now_.view.study.id = "mask_routes";
  TeachingViewController controller(now_, now_, {});
  const auto has_labels = [&](ComparedSide side, const std::vector<std::string>& labels) {
    now_.view.side = side;
    controller.follow();
    controller.wait();
    controller.poll();
    for (const std::vector<BoardItem>& line : now_.board->lines) {
      for (const BoardItem& item : line) {
        const auto* const matrix = std::get_if<BoardMatrix>(&item);
        if (matrix && matrix->row_labels == labels) return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(has_labels(ComparedSide::now, now_.labels));
  EXPECT_TRUE(has_labels(ComparedSide::baseline, now_.compared_labels));
}

TEST_F(ControllerAlone, NothingIsCopiedOfAStageThatIsNotThere) {
  now_.document = default_document();
  ExchangeController controller(services_);
  EXPECT_THROW(controller.copy_stage(MatrixForm::table), Error);
}

}  // namespace
}  // namespace attnscope::test
