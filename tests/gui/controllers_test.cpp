#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <new>

#include "controller_alone.h"
#include "core/error.h"
#include "document/edit.h"
#include "document/json.h"
#include "document/sweep.h"
#include "features/figures/figure_controller.h"
#include "features/files/exchange_controller.h"
#include "features/setup/document_controller.h"
#include "features/setup/evaluation_controller.h"
#include "features/shared/app_services.h"
#include "features/teaching_views/teaching_view_controller.h"
#include "platform/system/other_programs.h"

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

TEST_F(MessageControllers, AnErrorComesBackOnlyIfNobodyHadTimeToReadIt) {
  messages_.say("It failed.", true);
  desktop_.seconds = [] { return 5.0; };
  messages_.say("Pinned.");
  messages_.expire(16);
  EXPECT_EQ(said(), "It failed.");
  desktop_.seconds = [] { return 20.0; };
  messages_.say("Opened.");
  messages_.expire(31);
  EXPECT_EQ(said(), "");
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

TEST_F(DocumentControllers, SayWhatFollowedFromAnEdit) {
  const auto d_out_of = [](Index d_out, bool is_finished) {
    return DocumentEdit{"d_out", [d_out](Document& document) { set_d_out(document, d_out); }, is_finished};
  };
  app_.edit({"heads", [](Document& document) {
               document.config.mechanism = Mechanism::multi_head_attention;
               set_d_out(document, 4);
               set_num_heads(document, 2);
             }});
  now_.messages.clear();
  app_.edit(dropout_of(0.25));
  EXPECT_TRUE(now_.messages.empty()) << "nothing followed";
  app_.edit(d_out_of(5, true));
  EXPECT_NE(said(), "") << "five numbers cannot be shared by two heads";
  app_.undo();
  now_.messages.clear();
  app_.edit(d_out_of(5, false));
  EXPECT_EQ(said(), "") << "heads may come back while the drag goes on";
  app_.finish_edit();
  EXPECT_NE(said(), "");
  app_.undo();
  now_.messages.clear();
  Document other = now_.document;
  set_d_out(other, 5);
  const auto kept = std::make_shared<const Document>(now_.document);
  app_.edit({"swap", [&](Document& document) {
               document = other;
               document.compared = kept;
             }});
  EXPECT_EQ(said(), "") << "another document came in its place";
}

TEST_F(DocumentControllers, EachFinishedEditIsAnEntryOfItsOwn) {
  app_.edit(dropout_of(0.25));
  app_.edit(dropout_of(0.5, false));
  app_.finish_edit();
  app_.undo();
  EXPECT_EQ(now_.document.config.dropout, 0.25);
  app_.edit(dropout_of(0.5, false));
  Document other = default_document();
  other.config.seed = 77;
  app_.replace(other, "example");
  EXPECT_FALSE(app_.is_editing());
  app_.edit(dropout_of(0.75, false));
  app_.finish_edit();
  app_.undo();
  EXPECT_EQ(now_.document, other);
  app_.undo();
  EXPECT_EQ(now_.document.config.dropout, 0.5);
  app_.undo();
  EXPECT_EQ(now_.document.config.dropout, 0.25);
  const auto replaced = now_.replaced;
  app_.edit({"nothing", [](Document&) {}, false});
  app_.redo();
  EXPECT_FALSE(app_.is_editing());
  EXPECT_EQ(now_.replaced, replaced + 1);
  EXPECT_EQ(said(), "Redid dropout.");
  app_.undo();
  EXPECT_EQ(now_.replaced, replaced + 2);
}

TEST_F(DocumentControllers, ATypedTextIsAppliedBeforeAnythingElseHappens) {
  const auto typed = [](const std::string& text, Index token = 0) {
    return TextEdit{static_cast<std::uint32_t>(token + 1), "name", text,
                    [=](Document& document) { rename_token(document, token, text); }};
  };
  app_.type(typed("a"));
  app_.type(typed("b", 1));
  EXPECT_EQ(now_.document.tokens[0], "a") << "another field was begun";
  app_.type({2, "name", "", {}});
  EXPECT_FALSE(now_.typed) << "what stands there is what was there";
  app_.finish_edit();
  EXPECT_EQ(now_.document.tokens[1], default_document().tokens[1]);
  app_.type(typed("a"));
  app_.finish_edit();
  EXPECT_FALSE(now_.typed) << "applied, though it changed nothing";
  app_.type(typed("c"));
  app_.finish_edit(1, true);
  EXPECT_FALSE(now_.typed);
  app_.type(typed("d"));
  app_.undo();
  EXPECT_EQ(now_.document.tokens[0], "a") << "what was typed is taken back, and no more";
  app_.type(typed("e"));
  app_.replace(default_document(), "example");
  app_.undo();
  EXPECT_EQ(now_.document.tokens[0], "e");
}

TEST_F(DocumentControllers, NameAnEditThatSomebodyElseMade) {
  const auto before = now_.before;
  app_.edit(dropout_of(0.25));
  const auto after = now_.before;
  now_.messages.clear();
  app_.name_edit_since(after);
  EXPECT_EQ(said(), "") << "nothing was edited since";
  app_.name_edit_since(before);
  EXPECT_EQ(said(), "Dropout: Ctrl+Z takes it back.");
}

TEST_F(DocumentControllers, PasteTablesAndNumbers) {
  const struct {
    const char* text;
    const char* said;
    float last;
  } cases[] = {
      {"1 2 3\n4 5 6", "Pasted 2 tokens of 3 numbers.", 6},
      {"1\t2\n3\t4", "Pasted 2 tokens of 2 numbers.", 4},
      {"1\t2\t\n3\t4\t", "Pasted 2 tokens of 2 numbers.", 4},
      {"[[1, 2],\t[3, 4]]", "Pasted 2 tokens of 2 numbers.", 4},
      {"tensor([[1, 2],\t[3, 4]])", "Pasted 2 tokens of 2 numbers.", 4},
      {"1\t2\n1,5\t2,5", "Pasted 2 tokens of 2 numbers.", 2.5},
      {"\td1\td2\td3\nthe\t1\t2\t3\ncat\t3\t4\t5", "Pasted 2 tokens of 3 numbers, with their names.", 5},
  };
  for (const auto& each : cases) {
    desktop_.copied_text = [&] { return std::string(each.text); };
    app_.paste_numbers();
    EXPECT_EQ(said(), each.said) << each.text;
    EXPECT_EQ(inputs_of(now_.document).values.back(), each.last) << each.text;
  }
}

TEST_F(DocumentControllers, SayWhichWordsOfASentenceATrainedModelWouldKnow) {
  EXPECT_EQ(now_.invented, nullptr) << "its numbers are the notebook's";
  const auto typed = [&](const char* sentence) {
    app_.edit({"sentence", [&](Document& document) { set_sentence(document, sentence); }});
  };
  typed("the Zyx dog Zyx");
  ASSERT_TRUE(now_.invented);
  EXPECT_EQ(now_.invented->text, "the Zyx dog Zyx");
  EXPECT_EQ(now_.invented->unknown_to_model, std::vector<std::string>{"Zyx"});
  const std::vector<std::string>& known = now_.invented->known_to_model;
  EXPECT_TRUE(std::ranges::is_sorted(known));
  EXPECT_TRUE(std::ranges::binary_search(known, "dog"));
  EXPECT_TRUE(std::ranges::none_of(known, [](const std::string& word) { return word.starts_with('<'); }));
  const auto before = now_.invented;
  app_.edit(dropout_of(0.25));
  EXPECT_EQ(now_.invented, before) << "it is read again only for other words or numbers";
  typed("the cat");
  EXPECT_EQ(now_.invented->text, "the cat");
  app_.edit({"numbers", [](Document& document) { set_inputs(document, {{1, 2, 3}, {4, 5, 6}}); }});
  EXPECT_EQ(now_.invented, nullptr) << "these were typed";
  EXPECT_EQ(now_.labels.size(), 2U);
  app_.replace(default_document(), "");
  EXPECT_EQ(now_.before, nullptr) << "nothing can be undone";
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

class ComparisonControllers : public ControllerAlone {
protected:
  // Compares with the same document at another rate of dropout.
  void compare_rates(double before, double now) {
    now_.document = default_document();
    now_.document.config.dropout = before;
    now_.document.compared = std::make_shared<const Document>(now_.document);
    now_.document.config.dropout = now;
    now_.evaluation.result = std::make_shared<const Result>(evaluate(now_.document.config));
    app_.follow();
    app_.wait();
    app_.poll();
    ASSERT_NE(now_.comparison, nullptr);
  }

  ComparisonController app_{now_, subject_, now_, {}};
};

TEST_F(ComparisonControllers, ForgetTheDifferenceOnceNothingIsCompared) {
  compare_rates(0, 0.5);
  now_.document.compared.reset();
  app_.follow();
  EXPECT_EQ(now_.comparison, nullptr);
}

TEST_F(ComparisonControllers, NameTheFinalWeightsWhereOnlyOneSideDropsThem) {
  for (const auto& [before, now] : {std::pair(0.5, 0.0), std::pair(0.0, 0.5)}) {
    compare_rates(before, now);
    ASSERT_FALSE(now_.comparison->changes.empty());
    EXPECT_EQ(now_.comparison->changes.front().stage, Stage::dropped_weights) << before << " to " << now;
  }
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

// A dialog would stand before the audience.
TEST_F(ScreenshotControllers, AskForNoFolderInAPresentation) {
  now_.view.transient.presenting.emplace();
  ScreenshotController controller(services_, others_);
  controller.take({2});
  EXPECT_TRUE(others_.dialogs.empty());
  EXPECT_EQ(controller.take_request().value_or(ScreenshotRequest{}).scale, 2);
  EXPECT_EQ(now_.view.screenshot_folder, pictures_folder().string());
}

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

// The pinned stage is proposed for any other figure.
TEST_F(FigureControllers, ShowNoSingleStageWhereStagesAppearOneByOne) {
  show(default_document());
  now_.view.pinned = Source{.stage = Stage::weights};
  now_.view.figure.emplace();
  now_.view.figure->sweep.is_on = true;
  now_.view.figure->sweep.parameter = swept_stages;
  now_.dialog.kind = DialogState::Kind::figure;
  FigureController controller(services_, now_.figure, {});
  controller.prepare();
  EXPECT_FALSE(now_.dialog.figure.options.stage);
  controller.follow();
  EXPECT_EQ(now_.figure.obstacle, "");
}

TEST(FigureChoice, ASizeLimitsTheScaleOfWhatMoves) {
  const AttentionConfig config = default_document().config;
  const auto scale_of = [&](bool is_sweep, bool is_film) {
    FigureChoices choices;
    choices.options.scale = largest_scale;
    choices.sweep.is_on = is_sweep;
    if (is_film) choices.options.film = Source{.stage = Stage::weights};
    EXPECT_EQ(figure_choice("size").way.choose(choices, "slide-16x9", {.config = config}), "");
    return choices.options.scale;
  };
  EXPECT_EQ(scale_of(false, false), largest_scale);
  EXPECT_NEAR(scale_of(true, false), 1.5, 1e-4);
  EXPECT_NEAR(scale_of(false, true), 1.5, 1e-4);
}

TEST_F(ControllerAlone, AStudyOfAIsOfTheTokensOfA) {
  show(default_document());
  Document other = now_.document;
  other.tokens = {"a", "b", "c", "d", "e", "f"};
  now_.compared = std::make_shared<const Document>(other);
  now_.compared_labels = token_labels(other.tokens);
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
