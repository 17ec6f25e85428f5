#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <new>
#include <set>
#include <tuple>

#include "controller_alone.h"
#include "core/error.h"
#include "document/edit.h"
#include "document/json.h"
#include "document/sweep.h"
#include "features/figures/figure_controller.h"
#include "features/files/exchange_controller.h"
#include "features/film/film_controller.h"
#include "features/predict/prediction_controller.h"
#include "features/search/search_controller.h"
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

// What a text finds among names, and from which one on.
TEST(FindToken, TakesNumbersEqualNamesAndPartsOfNames) {
  const std::vector<std::string> names = {"the", "cat", "The", "then", "2"};
  const struct {
    const char* text;
    Index from;
    Index token;
    Index rank;
    Index count;
  } cases[] = {
      {"the", -1, 0, 0, 2}, {"THE", 0, 2, 1, 2}, {"the", 2, 0, 0, 2}, {"he", -1, 0, 0, 3},
      {"he", 2, 3, 2, 3},   {"1", -1, 0, 0, 1},  {"5", -1, 4, 0, 1},  {"2", -1, 1, 0, 2},
      {"2", 1, 4, 1, 2},    {"6", -1, -1, 0, 0}, {"0", -1, -1, 0, 0}, {"", -1, -1, 0, 0},
  };
  for (const auto& each : cases) {
    const TokenMatch match = find_token(names, each.text, each.from);
    EXPECT_EQ(match.token, each.token) << each.text << " from " << each.from;
    if (each.token < 0) continue;
    EXPECT_EQ(match.rank, each.rank) << each.text << " from " << each.from;
    EXPECT_EQ(match.count, each.count) << each.text;
  }
}

// Where the search works: the stage, head and batch entry that the view shows, or the pinned head.
TEST_F(Searches, WorkWhereTheViewIs) {
  AttentionConfig config = now_.document.config;
  config.mechanism = Mechanism::multi_head_attention;
  config.d_out = 4;
  config.num_heads = 2;
  config.batch_size = 2;
  config.mask = MaskRoute::causal;
  const Result result = evaluate(config);
  ViewState view;
  view.batch = 1;
  view.head = 1;
  view.stage = Stage::scores;
  view.mode = ViewMode::focus;
  view.pinned = Source{.stage = Stage::weights, .head = 0};
  EXPECT_EQ(go_to_place(view, result).stage, Stage::scores);
  EXPECT_EQ(go_to_place(view, result).matrix, 3);
  view.stage = Stage::mask;
  EXPECT_EQ(go_to_place(view, result).stage, Stage::weights) << "all heads share the mask";
  view.stage = Stage::queries;
  EXPECT_EQ(go_to_place(view, result).stage, Stage::weights);
  view.stage = Stage::scores;
  view.mode = ViewMode::heads;
  EXPECT_EQ(go_to_place(view, result).matrix, 2) << "of the pinned cell";
  view.mode = ViewMode::diagram;
  EXPECT_EQ(go_to_place(view, result).stage, Stage::weights);
  view.batch = 7;
  EXPECT_EQ(go_to_place(view, result).matrix, 3);
}

TEST_F(Searches, ShowTheCellAndLeadTheKeys) {
  app_.seek("journey");
  app_.choose_side(GoToState::Side::query);
  app_.go_to(GoToState::Target::token);
  EXPECT_EQ(now_.view.pinned->row, 1);
  EXPECT_TRUE(now_.view.transient.keys_lead);
  EXPECT_TRUE(now_.go_to.status.starts_with("1 of 1: query 2")) << now_.go_to.status;
  app_.choose_side(GoToState::Side::key);
  EXPECT_EQ(now_.go_to.token, -1);
  app_.seek("Your");
  app_.go_to(GoToState::Target::token);
  EXPECT_EQ(now_.view.pinned->row, 1) << "only the key was looked for";
  EXPECT_EQ(now_.view.pinned->col, 0);
  app_.seek("nobody");
  app_.go_to(GoToState::Target::token);
  EXPECT_EQ(now_.go_to.status, "No token is called “nobody”.");
  app_.seek("");
  now_.go_to.status = "as before";
  app_.go_to(GoToState::Target::token);
  EXPECT_EQ(now_.go_to.status, "as before");
  now_.view.pinned = Source{.stage = Stage::weights, .row = 4, .col = 3};
  app_.go_to(GoToState::Target::first_column);
  EXPECT_EQ(now_.view.pinned->row, 4);
  EXPECT_EQ(now_.view.pinned->col, 0);
  EXPECT_FALSE(now_.view.transient.history.back.empty()) << "Alt+Left leads back";
}

// A key that the query must not see leads to the first query that sees it, a query to the last key that it sees.
TEST_F(Searches, GoToNoHiddenCellWhereThereIsAnother) {
  now_.document.config.mask = MaskRoute::causal;
  now_.document.config.mechanism = Mechanism::causal_attention;
  now_.evaluation.result = std::make_shared<const Result>(evaluate(now_.document.config));
  const auto found = [&](GoToState::Side side, const std::string& text, Index row, Index col) {
    now_.view.pinned = Source{.stage = Stage::weights, .row = row, .col = col};
    app_.choose_side(side);
    app_.seek(text);
    app_.go_to(GoToState::Target::token);
    return std::pair(now_.view.pinned->row, now_.view.pinned->col);
  };
  EXPECT_EQ(found(GoToState::Side::key, "4", 1, 0), std::pair(Index{3}, Index{3}));
  EXPECT_EQ(found(GoToState::Side::key, "2", 4, 0), std::pair(Index{4}, Index{1})) << "it is seen from there";
  EXPECT_EQ(found(GoToState::Side::query, "2", 4, 4), std::pair(Index{1}, Index{1}));
}

TEST_F(Searches, LargestCellsComeOneAfterTheOther) {
  app_.go_to(GoToState::Target::largest);
  EXPECT_TRUE(now_.go_to.status.starts_with("1 of 20: ")) << now_.go_to.status;
  app_.go_to(GoToState::Target::largest);
  EXPECT_TRUE(now_.go_to.status.starts_with("2 of 20: ")) << now_.go_to.status;
  now_.evaluation.result_ticket = 9;
  app_.go_to(GoToState::Target::largest);
  EXPECT_TRUE(now_.go_to.status.starts_with("1 of 20: ")) << "other numbers";
  app_.go_to(GoToState::Target::largest);
  now_.view.mode = ViewMode::focus;
  now_.view.stage = Stage::scores;
  app_.go_to(GoToState::Target::largest);
  EXPECT_TRUE(now_.go_to.status.starts_with("1 of 20: ")) << "another stage";
  EXPECT_EQ(now_.view.pinned->stage, Stage::scores);
}

// A window that shows legible cells stays where the cell is in it; others move, or become smaller.
TEST_F(Searches, MoveTheWindowOnlyAsFarAsTheyMust) {
  now_.document.config.inputs = RandnInputs{40, 3};
  now_.evaluation.result = std::make_shared<const Result>(evaluate(now_.document.config));
  now_.view.stage = Stage::weights;
  const auto revealed = [&](const ViewMode& mode, const std::optional<CellWindow>& window, Index row) {
    now_.view.mode = mode;
    now_.view.map.window = window;
    now_.view.pinned = Source{.stage = Stage::weights, .row = row};
    app_.go_to(GoToState::Target::first_column);
    return now_.view.map.window.value_or(CellWindow{});
  };
  EXPECT_EQ(revealed(ViewMode::diagram, {}, 20).rows, 6);
  EXPECT_EQ(revealed(ViewMode::heads, {}, 20).rows, 6);
  EXPECT_EQ(revealed(ViewMode::focus, {}, 20).rows, 12);
  const CellWindow small{.row = 0, .col = 0, .rows = 6, .cols = 6};
  EXPECT_EQ(revealed(ViewMode::diagram, small, 5), small);
  const CellWindow smaller{.row = 0, .col = 0, .rows = 4, .cols = 4};
  EXPECT_EQ(revealed(ViewMode::diagram, smaller, 20).rows, 4);
  EXPECT_NE(revealed(ViewMode::diagram, smaller, 20), smaller);
}

TEST_F(Searches, WalkAlongTheDiagonalOfLongTexts) {
  now_.document.config.inputs = RandnInputs{40, 3};
  now_.evaluation.result = std::make_shared<const Result>(evaluate(now_.document.config));
  now_.view.pinned = Source{.stage = Stage::inputs, .row = 5, .col = 2};
  const auto next = [&] {
    app_.go_to(GoToState::Target::diagonal);
    EXPECT_EQ(now_.view.map.window->row, now_.view.map.window->col);
    return now_.go_to.status;
  };
  EXPECT_EQ(next(), "Tokens 1 to 6 of 40");
  EXPECT_EQ(next(), "Tokens 5 to 11 of 40");
  now_.view.map.window = CellWindow{.row = 20, .col = 3, .rows = 6, .cols = 6};
  EXPECT_EQ(next(), "Tokens 21 to 26 of 40");
  now_.view.map.window = CellWindow{.row = 32, .col = 32, .rows = 6, .cols = 6};
  EXPECT_EQ(next(), "Tokens 35 to 40 of 40") << "not beyond the end";
  EXPECT_EQ(next(), "Tokens 1 to 6 of 40");
  app_.go_to(GoToState::Target::first_column);
  EXPECT_EQ(now_.view.pinned->row, 3) << "the middle of what is in sight: no weight was pinned";
  now_.view.pinned->row = 30;
  app_.go_to(GoToState::Target::first_column);
  EXPECT_EQ(now_.view.pinned->row, 30);
  EXPECT_GT(now_.view.map.window->row, 20) << "it comes into sight";
  now_.prediction.cover = Cover{Stage::weights};
  app_.go_to(GoToState::Target::first_column);
  EXPECT_TRUE(now_.go_to.status.ends_with("\ncovered")) << now_.go_to.status;
  app_.go_to(GoToState::Target::largest);
  EXPECT_TRUE(says(now_.go_to.status, {"are covered"}));
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
  now_.document = default_document();
  now_.evaluation.result = std::make_shared<const Result>(evaluate(now_.document.config));
  now_.is_current = true;
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

// A film of three scenes; the second one makes the weights.
class Films : public ControllerAlone {
protected:
  using Playing = FilmShown::Playing;
  using At = std::tuple<std::size_t, double, Playing>;

  Films() {
    Film film{.cell = {.stage = Stage::weights}};
    for (const double seconds : {2, 4, 1}) {
      FilmScene& scene = film.scenes.emplace_back();
      scene.id = fmt::format("{}", seconds);
      scene.seconds = seconds;
    }
    film.scenes[1].stage = Stage::weights;
    film_ = std::make_shared<const Film>(film);
  }
  // Where the film is after `act`.
  template <typename Act>
  At after(const At& at, const Act& act) {
    const auto& [scene, t, playing] = at;
    now_.film = {};
    now_.film.watching = FilmShown::Watching{film_->cell, scene, t, playing};
    now_.film.film = film_;
    act();
    return {now_.film.watching->scene, now_.film.watching->t, now_.film.watching->playing};
  }

  std::shared_ptr<const Film> film_;
  FilmController app_{services_, now_.film, {}};
};

TEST_F(Films, GoFromSceneToScene) {
  constexpr Playing none = Playing::nothing;
  const auto on = [&] { app_.go_on(); };
  const auto back = [&] { app_.go_back(); };
  const auto toggled = [&] { app_.play_or_pause(); };
  const struct {
    At from;
    std::function<void()> act;
    At to;
  } cases[] = {
      {{0, 0.5, none}, on, {0, 0.5, Playing::scene}},
      {{0, 1, none}, on, {1, 0, Playing::scene}},
      {{0, 0.5, Playing::scene}, on, {0, 1, none}},
      {{0, 0.5, Playing::film}, on, {1, 0, Playing::film}},
      {{2, 1, none}, on, {2, 1, none}},
      {{2, 0.5, Playing::film}, on, {2, 1, none}},
      {{1, 0.5, Playing::film}, back, {0, 0, Playing::film}},
      {{0, 0.5, Playing::film}, back, {0, 0, Playing::film}},
      {{2, 0.5, none}, back, {1, 1, none}},
      {{0, 0.5, none}, back, {0, 0, none}},
      {{1, 0.5, Playing::film}, toggled, {1, 0.5, none}},
      {{1, 0.5, none}, toggled, {1, 0.5, Playing::film}},
      {{0, 1, none}, toggled, {1, 0, Playing::film}},
      {{2, 0.5, none}, toggled, {2, 0.5, Playing::film}},
      {{2, 1, none}, toggled, {0, 0, Playing::film}},
      {{0, 0, Playing::film}, [&] { app_.go_to(1, 0.25); }, {1, 0.25, none}},
      {{0, 0, none}, [&] { app_.go_to(1, 7); }, {1, 1, none}},
      {{0, 0, none}, [&] { app_.go_to(9, 0.25); }, {2, 1, none}},
      {{0, 0, Playing::film}, [&] { app_.go_to_end(); }, {2, 1, none}},
      {{1, 0.5, Playing::film}, [&] { app_.advance(1); }, {1, 0.75, Playing::film}},
      {{0, 0.5, Playing::film}, [&] { app_.advance(2); }, {1, 0.25, Playing::film}},
      {{0, 0.5, Playing::film}, [&] { app_.advance(100); }, {2, 1, none}},
      {{0, 0.5, Playing::scene}, [&] { app_.advance(3); }, {0, 1, none}},
      {{0, 0.5, none}, [&] { app_.advance(3); }, {0, 0.5, none}},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i)
    EXPECT_EQ(after(cases[i].from, cases[i].act), cases[i].to) << "case " << i;
  now_.view.reduces_motion = true;
  EXPECT_EQ(after({0, 0.5, none}, on), At(0, 1, none));
  EXPECT_EQ(after({0, 1, none}, on), At(1, 1, none)) << "a scene is its key frame";
}

TEST_F(Films, ItsNumberFliesBackOnlyOnceItIsMadeAndWhereItIsSeen) {
  const auto lands = [&](std::size_t scene, const ViewMode& mode, bool reduces_motion) {
    now_.view.mode = mode;
    now_.view.reduces_motion = reduces_motion;
    now_.film = {};
    now_.film.watching = FilmShown::Watching{film_->cell, scene, 0.5, Playing::film};
    now_.film.film = film_;
    app_.leave();
    EXPECT_FALSE(now_.film.is_open());
    return now_.film.landing.has_value();
  };
  EXPECT_FALSE(lands(0, ViewMode::diagram, false));
  EXPECT_FALSE(lands(1, ViewMode::diagram, true));
  EXPECT_FALSE(lands(1, ViewMode::heads, false));
  EXPECT_TRUE(lands(2, ViewMode::diagram, false));
  EXPECT_TRUE(lands(1, ViewMode::diagram, false));
  EXPECT_EQ(now_.film.landing->scene, 1U);
  EXPECT_EQ(now_.film.landing->t, 0);
  app_.advance(0.3);
  EXPECT_NEAR(now_.film.landing->t, 0.5, 1e-9);
  app_.follow();
  EXPECT_TRUE(now_.film.landing);
  app_.advance(0.31);
  EXPECT_FALSE(now_.film.landing);
  EXPECT_TRUE(lands(1, ViewMode::diagram, false));
  now_.view.mode = ViewMode::heads;
  app_.follow();
  EXPECT_FALSE(now_.film.landing) << "the diagram went away";
}

class Predictions : public ControllerAlone {
protected:
  Predictions() {
    now_.document = default_document();
    now_.labels = token_labels(now_.document.tokens);
    evaluate_now();
    now_.is_current = true;
  }
  void evaluate_now() {
    now_.evaluation.result = std::make_shared<const Result>(evaluate(now_.document.config));
    ++now_.evaluation.result_ticket;
  }
  void pin(Stage stage, Index row, Index col) {
    now_.view.pinned = Source{.stage = stage, .row = row, .col = col};
    app_.follow();
  }

  PredictionController app_{services_, now_.prediction};
  PredictionShown& shown_ = now_.prediction;
};

TEST_F(Predictions, UncoveringBeforeAnAnswerCountsAsRevealedOnce) {
  app_.cover(Stage::weights);
  app_.uncover();
  EXPECT_EQ(shown_.score.revealed, 1);
  app_.cover(Stage::weights);
  app_.follow();
  app_.reveal();
  app_.reveal();
  EXPECT_EQ(shown_.score.revealed, 2);
  EXPECT_FALSE(shown_.texts.answer.empty());
  EXPECT_TRUE(shown_.answer.cell);
  app_.uncover();
  EXPECT_EQ(shown_.score.revealed, 2);
  EXPECT_TRUE(shown_.texts.answer.empty());
  EXPECT_FALSE(shown_.answer.cell);
  EXPECT_FALSE(shown_.is_done());
  app_.cover(Stage::weights);
  app_.cover(Stage::scores);
  EXPECT_EQ(shown_.score.revealed, 3) << "another cover takes the first one's place";
}

TEST_F(Predictions, AskAboutWhatIsLookedAt) {
  now_.document.config.mechanism = Mechanism::multi_head_attention;
  now_.document.config.d_out = 4;
  now_.document.config.num_heads = 2;
  now_.document.config.batch_size = 2;
  evaluate_now();
  now_.view.head = 1;
  now_.view.batch = 1;
  now_.view.mode = ViewMode::study;
  now_.view.show_inspector = false;
  shown_.kind = Question::Kind::number;
  now_.view.pinned = Source{.stage = Stage::weights, .row = 3, .col = 2};
  app_.cover(Stage::weights);
  EXPECT_EQ(shown_.asked, (Source{.stage = Stage::weights, .batch = 1, .head = 1, .row = 3, .col = 2}));
  EXPECT_EQ(now_.view.mode, ViewMode::diagram);
  EXPECT_TRUE(now_.view.show_inspector);
  EXPECT_TRUE(now_.view.pinned);
  app_.cover(Stage::weights, 1);
  EXPECT_EQ(shown_.asked.row, 1);
  EXPECT_EQ(shown_.asked.col, 0) << "the pinned cell is of another row";
  EXPECT_EQ(shown_.cover->row, 1);
  now_.view.pinned = Source{.stage = Stage::scores, .row = 3, .col = 2};
  app_.cover(Stage::weights);
  EXPECT_EQ(shown_.asked.row, 3);
  EXPECT_EQ(shown_.asked.col, 0) << "the pinned cell is of another stage";
  app_.cover(Stage::weights, 9);
  EXPECT_EQ(shown_.asked.row, 5) << "the last one";
  now_.view.head = 0;
  now_.view.batch = 0;
  app_.follow();
  EXPECT_EQ(shown_.asked.head, 0);
  EXPECT_EQ(shown_.asked.batch, 0);
}

TEST_F(Predictions, FollowAPinnedCellThatIsCovered) {
  shown_.kind = Question::Kind::number;
  now_.view.pinned = Source{.stage = Stage::weights, .row = 5, .col = 1};
  app_.cover(Stage::weights);
  app_.follow();
  shown_.asked.row = 4;
  app_.follow();
  EXPECT_EQ(shown_.asked.row, 4) << "the pin is no new one";
  pin(Stage::weights, 2, 1);
  EXPECT_EQ(std::pair(shown_.asked.row, shown_.asked.col), std::pair(Index{2}, Index{1}));
  pin(Stage::scores, 3, 0);
  EXPECT_EQ(shown_.asked.row, 2) << "another stage";
  now_.view.pinned = Source{.stage = Stage::weights, .row = 4, .kind = SourceKind::row_sum};
  app_.follow();
  EXPECT_EQ(shown_.asked.row, 2) << "no cell";
  app_.reveal();
  pin(Stage::weights, 1, 0);
  EXPECT_EQ(shown_.asked.row, 2) << "the answer is on the screen";
  app_.ask_next();
  EXPECT_EQ(shown_.asked.row, 3);
  EXPECT_EQ(shown_.asked.col, 0);
  pin(Stage::weights, 2, 1);
  EXPECT_EQ(shown_.asked.row, 3) << "that row is open";
  app_.choose_kind(Question::Kind::sketch);
  pin(Stage::weights, 1, 1);
  EXPECT_EQ(shown_.asked.row, 1);
  EXPECT_EQ(shown_.asked.col, 0) << "the whole row is asked about";
  app_.choose_kind(Question::Kind::cell);
  EXPECT_FALSE(now_.view.pinned) << "the next click chooses the cell";
  pin(Stage::weights, 4, 1);
  EXPECT_EQ(shown_.asked.row, 1) << "it is the answer";
}

TEST_F(Predictions, AskTheNextQuestionOnlyAfterAnAnswer) {
  EXPECT_THROW(app_.cover(Stage::inputs), Error) << "what is typed cannot be predicted";
  EXPECT_FALSE(shown_.cover);
  shown_.kind = Question::Kind::number;
  app_.cover(Stage::weights);
  app_.follow();
  app_.ask_next();
  EXPECT_EQ(shown_.asked.row, 0);
  shown_.answer.typed = "a lot";
  app_.answer();
  EXPECT_TRUE(shown_.verdict);
  app_.reveal();
  EXPECT_FALSE(shown_.verdict) << "the answer is there instead";
  app_.ask_next();
  EXPECT_EQ(shown_.asked.row, 1);
}

TEST_F(Predictions, CountAGuessOnce) {
  shown_.kind = Question::Kind::number;
  app_.cover(Stage::weights);
  app_.follow();
  EXPECT_FALSE(shown_.texts.ask.empty());
  shown_.answer.typed = "a lot";
  app_.answer();
  EXPECT_FALSE(shown_.is_done());
  EXPECT_TRUE(shown_.verdict) << "it is said";
  shown_.answer.typed = "17";
  app_.answer();
  app_.answer();
  EXPECT_EQ(shown_.score.wrong, 1);
  EXPECT_EQ(shown_.record.wrong, 1);
  EXPECT_TRUE(shown_.is_done());
  EXPECT_FALSE(shown_.texts.because.empty());
  EXPECT_EQ(shown_.cover->open, std::set<Index>{shown_.asked.row});
  now_.document.config.seed = 5;
  evaluate_now();
  app_.follow();
  EXPECT_FALSE(shown_.verdict) << "it was on other numbers";
  app_.ask_next();
  app_.follow();
  EXPECT_TRUE(shown_.texts.because.empty());
  EXPECT_TRUE(shown_.answer.typed.empty());
  EXPECT_EQ(shown_.record, QuestionRecord{});
  app_.choose_kind(Question::Kind::cell);
  pin(Stage::scores, 1, 0);
  app_.answer();
  EXPECT_FALSE(shown_.is_done()) << "a cell of another stage is no guess";
  pin(Stage::weights, 1, 0);
  app_.answer();
  EXPECT_TRUE(shown_.is_done());
  app_.choose_kind(Question::Kind::sketch);
  EXPECT_FALSE(shown_.is_done()) << "the next row is asked about";
  EXPECT_EQ(shown_.asked.row, 2);
  app_.follow();
  const std::vector<float> first = shown_.answer.bars;
  ASSERT_EQ(first.size(), shown_.texts.bars.size());
  shown_.answer.bars[0] = 0.625F;
  evaluate_now();
  app_.follow();
  EXPECT_EQ(shown_.answer.bars[0], 0.625F) << "what was drawn stays";
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
  EXPECT_TRUE(now_.prediction.cover->open.empty());
}

TEST_F(ControllerAlone, AStudyOfAIsOfTheTokensOfA) {
  now_.document = default_document();
  now_.labels = token_labels(now_.document.tokens);
  now_.evaluation.result = std::make_shared<const Result>(evaluate(now_.document.config));
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
