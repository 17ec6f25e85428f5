// What the window says, read from what it draws: many panels of documents in which no number is like another one.

#include <functional>

#include "document/edit.h"
#include "features/lessons/lesson_controller.h"
#include "features/shared/panel/calls.h"
#include "headless_app_input.h"
#include "teach/questions.h"
#include "teach/teaching_view.h"
#include "tests/support/transcript.h"
#include "transcript_documents.h"
#include "transcript_reader.h"

namespace attnscope::test {
namespace {

// The stages alone; the setup is a rail.
ViewState stages_alone(ViewMode layout = ViewMode::diagram, Index batch = 0, Index head = 0) {
  ViewState view;
  view.mode = layout;
  view.show_setup = false;
  view.batch = batch;
  view.head = head;
  view.pinned.reset();
  return view;
}

ViewState with_inspector(ViewMode layout = ViewMode::diagram, Index batch = 0, Index head = 0) {
  ViewState view = stages_alone(layout, batch, head);
  view.docks_inspector = true;
  return view;
}

ViewState without_numbers(ViewState view) {
  view.numbers = false;
  return view;
}

// The stages with neither inspector nor numbers.
ViewState stages_bare(ViewMode layout = ViewMode::diagram, Index batch = 0, Index head = 0) {
  ViewState view = without_numbers(stages_alone(layout, batch, head));
  view.show_inspector = false;
  return view;
}

ViewState with_setup() {
  ViewState view = stages_bare(ViewMode::focus);
  view.show_setup = true;
  view.show_options = true;
  view.setup_width = 600;
  return view;
}

Source last_head(Stage stage, Index row = 4, Index col = 3) {
  return {.stage = stage, .batch = 1, .head = 2, .row = row, .col = col};
}

struct Scenario {
  const char* name;
  std::function<Document()> document;
  ViewState view;
  std::function<void(Reader&)> read;
};

// Pins a cell of each stage from one on.
void read_inspector(Reader& reader, Stage first = Stage::inputs) {
  reader.write("nothing is pinned");
  for (auto index = static_cast<std::size_t>(first); index < stage_count; ++index) {
    const auto stage = static_cast<Stage>(index);
    if (!has_stage(reader.app.config(), stage)) continue;
    reader.pin(last_head(stage, is_parameter(info(stage).axes) ? 0 : 2, 1));
    reader.write_new(std::string(info(stage).title));
  }
}

void read_inspector_from_scores(Reader& reader) { read_inspector(reader, Stage::scores); }
void read_inspector_from_queries(Reader& reader) { read_inspector(reader, Stage::query_gain); }
// Pins a weight that a window hides, too.
void read_inspector_and_window(Reader& reader) {
  read_inspector_from_queries(reader);
  reader.pin({.stage = Stage::weights, .head = 1, .row = 4, .col = 0});
  reader.write_new("a key before the window");
}
void read_whole_inspector(Reader& reader) { read_inspector(reader); }

void read_stages_one_by_one(Reader& reader) {
  reader.write("as it opens");
  for (const Stage stage : {Stage::masked_scores, Stage::weights, Stage::dropped_weights, Stage::head_context}) {
    reader.show(ViewMode::focus, stage);
    reader.write_new(std::string(info(stage).title));
  }
}

void read_setup(Reader& reader) {
  reader.write("the setup with every option");
  reader.write_tooltips("setup/", reader.app.config().mechanism != Mechanism::multi_head_attention);
}

void read_studies(Reader& reader) {
  for (const TeachingViewInfo& study : studies()) {
    reader.app.change_view([&](ViewState& view) {
      view.mode = ViewMode::study;
      view.study = {.id = std::string(study.id)};
    });
    reader.app.settle();
    reader.write_new(std::string(study.question));
  }
}

// The answers to readers' questions about a document, and what they say where it lacks what is asked about.
void read_answers(Reader& reader) {
  for (const ReaderQuestion& question : questions()) {
    reader.app.change_view([&](ViewState& view) { view.transient.question = std::string(question.id); });
    reader.app.settle();
    const ReaderAnswer& answer = *reader.app.session().shown().answer;
    reader.write_text(std::string(question.text), answer.question + ": " + answer.example + "\n" + answer.text);
  }
}

// Every step of a lesson: its texts, and the answer to what it asks.
void read_lesson(Reader& reader, const std::string& id) {
  open_lesson(reader.app.session().queue(), id);
  reader.app.frames(2);
  const auto& steps = reader.app.session().shown().lesson.lesson->steps;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    reader.app.session().push([step](const Controllers& to) { to.lessons.go_to_step(step); });
    reader.app.settle();
    reader.write_new(id + ", " + steps[step].id);
    if (!steps[step].question) continue;
    reader.app.session().push([](const Controllers& to) { to.lessons.reveal(); });
    reader.app.settle();
    reader.write_new(id + ", " + steps[step].id + ", revealed");
  }
}

void read_model(Reader& reader) {
  reader.write("the whole model");
  reader.app.click("model/token/1");
  reader.write_new("the second token is clicked");
  reader.write_tooltips("model/");
  edit_document(reader.app.session().queue(), {"off", [](Document& document) { set_head_off(document, 2, 1, true); }});
  reader.app.settle();
  reader.write_new("a head of the last layer is off");
}

const Scenario scenarios[] = {
    {"diagram", hard_document, with_inspector(ViewMode::diagram, 1, 2),
     [](Reader& reader) {
       reader.write("nothing is pinned");
       reader.pin(last_head(Stage::dropped_weights));
       reader.write_new("a dropped weight is pinned");
       reader.app.press_key(keys::letter('M'));
       reader.write_new("what can be done with it");
       reader.press(ImGuiKey_Escape);
       reader.look();
       reader.app.hover_cell(Stage::biased_scores, 5, 2);
       reader.write_new("the pointer is on a score");
     }},
    {"inspector", typed_by_hand, without_numbers(with_inspector(ViewMode::diagram, 1, 2)), read_whole_inspector},
    {"menu_of_a_weight", typed_by_hand, stages_bare(ViewMode::focus, 1, 2),
     [](Reader& reader) {
       reader.pin(last_head(Stage::key_weight, 4, 1));
       reader.look();
       reader.app.press_key(keys::letter('M'));
       reader.write_new("what can be done with a weight");
     }},
    {"menu_of_shared_keys", heads_that_share_keys, stages_bare(ViewMode::focus, 1, 2),
     [](Reader& reader) {
       reader.show(ViewMode::focus, Stage::key_weight);
       reader.pin({.stage = Stage::key_weight, .row = 3, .col = 1});
       reader.press(ImGuiKey_Escape);
       reader.pin({.stage = Stage::key_weight, .row = 3, .col = 1});
       reader.look();
       reader.app.press_key(keys::letter('M'));
       reader.write_new("what can be done with a shared weight");
       reader.write_tooltips("cell/");
     }},
    {"study_of_the_one_kept", [] { return compared_with_other_tokens(); }, stages_alone(ViewMode::study, 1, 2),
     [](Reader& reader) {
       reader.app.change_view([](ViewState& view) {
         view.study = {.id = "sentence"};
         view.side = ComparedSide::baseline;
       });
       reader.write("the sentence of A");
     }},
    {"inspector_card", typed_by_hand, stages_alone(),
     [](Reader& reader) {
       for (const Stage stage : {Stage::keys, Stage::masked_scores, Stage::weights, Stage::dropped_weights}) {
         reader.pin({.stage = stage, .head = 1, .row = 3, .col = 1});
         reader.write_new(std::string(info(stage).title));
       }
     }},
    {"heads", typed_by_hand, stages_alone(ViewMode::heads, 1, 2),
     [](Reader& reader) {
       reader.write("all heads");
       reader.show(ViewMode::heads, Stage::head_context);
       reader.write_new("their contexts");
     }},
    {"focus", typed_by_hand, with_inspector(ViewMode::focus, 1, 2), read_stages_one_by_one},
    {"shared_keys", heads_that_share_keys, with_inspector(ViewMode::diagram, 1, 2), read_inspector_from_queries},
    {"rotated", rotated_and_normalized, with_inspector(ViewMode::diagram, 0, 1), read_inspector_and_window},
    {"fewer_keys", [] { return hard_given(5, 3); }, with_inspector(ViewMode::diagram, 1, 2), read_whole_inspector},
    {"more_keys", [] { return hard_given(3, 5); }, with_inspector(ViewMode::focus, 1, 2), read_stages_one_by_one},
    {"mask_after_softmax", [] { return of_mechanism(Mechanism::causal_attention, MaskRoute::causal_renormalized); },
     with_inspector(), read_inspector_from_scores},
    {"sum", [] { return of_mechanism(Mechanism::simple_self_attention, MaskRoute::causal_after_softmax); },
     with_inspector(), read_whole_inspector},
    {"wrapper", [] { return of_mechanism(Mechanism::multi_head_attention_wrapper); },
     with_inspector(ViewMode::diagram, 0, 1), read_inspector_from_queries},
    {"setup", typed_by_hand, with_setup(), read_setup},
    {"setup_rotated", rotated_and_normalized, with_setup(),
     [](Reader& reader) { reader.write("the setup with every option"); }},
    {"setup_given", [] { return hard_given(5, 3); }, with_setup(), read_setup},
    {"setup_sum", [] { return of_mechanism(Mechanism::simple_self_attention, MaskRoute::causal_after_softmax); },
     with_setup(), read_setup},
    {"menus", typed_by_hand, stages_bare(ViewMode::focus),
     [](Reader& reader) {
       for (const char* const menu : {"menu/file", "menu/edit", "menu/view", "menu/learn", "menu/help"}) {
         reader.look();
         reader.app.click(menu);
         reader.write_new(menu);
         reader.press(ImGuiKey_Escape);
       }
     }},
    {"studies", hard_document, stages_alone(ViewMode::study, 1, 2), read_studies},
    {"answers", hard_document, stages_alone(ViewMode::study, 1, 2), read_answers},
    {"answers_of_shared_keys", heads_that_share_keys, stages_alone(ViewMode::study, 1, 3), read_answers},
    {"model", [] { return document_of_model("/models/letters"); }, stages_alone(ViewMode::model), read_model},
    {"model_rms", [] { return document_of_model("/models/other"); }, stages_alone(ViewMode::model), read_model},
    {"model_layer", [] { return document_of_model("/models/letters", R"(, "layer": 1)"); },
     with_inspector(ViewMode::diagram, 0, 1), read_whole_inspector},
    {"model_layer_rms", [] { return document_of_model("/models/other", R"(, "layer": 2)"); },
     with_inspector(ViewMode::diagram, 0, 1), read_inspector_from_queries},
    {"model_setup", [] { return document_of_model("/models/letters", R"(, "layer": 1)"); }, with_setup(), read_setup},
    {"comparison", compared, stages_alone(ViewMode::focus, 1, 2),
     [](Reader& reader) {
       for (const char key : {'B', 'A', 'D'}) {
         reader.app.press_key(keys::letter(key));
         reader.app.settle();
         reader.write_new(std::string("after ") + key);
       }
       reader.pin(last_head(Stage::weights));
       reader.write_new("a difference is pinned");
       reader.write_tooltips("compare/");
     }},
    {"lessons", default_document, stages_bare(),
     [](Reader& reader) {
       for (const char* const id : {"mask", "trained"}) read_lesson(reader, id);
     }},
    {"prediction", hard_document, stages_alone(ViewMode::focus, 1, 2),
     [](Reader& reader) {
       reader.pin(last_head(Stage::weights));
       reader.app.press_key(keys::letter('P'));
       reader.write("a row is covered");
       reader.app.click("predict/value");
       reader.app.replace_text("predict/number", "0.9");
       reader.app.click("predict/answer");
       reader.write_new("a wrong number");
       reader.app.click("predict/next");
       reader.write_new("the next row");
     }},
    {"search", hard_document, stages_bare(ViewMode::focus, 1, 2),
     [](Reader& reader) {
       reader.look();
       reader.app.press_control('F');
       reader.app.frames(2);
       reader.write_new("a token is looked for");
       reader.write_tooltips("go_to/");
       reader.press(ImGuiKey_Escape);
       reader.app.press_control('K');
       reader.app.frames(2);
       reader.app.type("mask");
       reader.write_new("commands that are found by a word");
     }},
    {"glossary", rotated_and_normalized, stages_bare(ViewMode::focus),
     [](Reader& reader) {
       reader.look();
       show_dialog(reader.app.session().queue(), DialogState::Kind::glossary);
       reader.write_new("the stages");
       show_dialog(reader.app.session().queue(), DialogState::Kind::shortcuts);
       reader.write_new("the shortcuts");
     }},
    {"tooltips", typed_by_hand, stages_bare(ViewMode::diagram, 1, 2),
     [](Reader& reader) {
       reader.write_tooltips("view/");
       reader.write_tooltips("stages/");
     }},
};

void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

TEST(TranscriptDifference, ForgivesLineBreaksAndTheLastOfManyDigits) {
  const auto agree = [](const char* was, const char* is) { return difference_of_transcripts(was, is).empty(); };
  EXPECT_TRUE(agree("one two\nthree", "one\ntwo three"));
  EXPECT_TRUE(agree("= 0.29909566", "= 0.29909568"));
  EXPECT_FALSE(agree("= 0.29909566", "= 0.29909866"));
  EXPECT_TRUE(agree("(0.1235)", "(0.1236)"));
  EXPECT_FALSE(agree("0.1235", "0.1237"));
  EXPECT_FALSE(agree("0.1235", "−0.1236"));
  EXPECT_FALSE(agree("0.30", "0.31"));
  EXPECT_FALSE(agree("head 3", "head 2"));
  EXPECT_FALSE(agree("0.1235 (bias)", "0.1236 (gain)"));
  EXPECT_FALSE(agree("one two", "one"));
  EXPECT_FALSE(agree("", "one"));
}

TEST(TranscriptDifference, ShowsBothFromTheFirstLineThatDiffers) {
  const std::string difference = difference_of_transcripts("== here ==\na\nb\nc\n", "== here ==\na\nd\nc\n");
  for (const char* const part : {"== here ==", "was    3: b", "is    3: d"})
    EXPECT_NE(difference.find(part), std::string::npos) << part << " in\n" << difference;
  EXPECT_EQ(difference.find("2: a"), std::string::npos) << difference;
}

class Transcript : public testing::TestWithParam<Scenario> {};

TEST_P(Transcript, IsAsItWasRead) {
  const Scenario& scenario = GetParam();
  Reader reader(scenario.document(), scenario.view);
  scenario.read(reader);
  expect_transcript(scenario.name, reader.text());
}

std::string name_of(const testing::TestParamInfo<Scenario>& scenario) { return scenario.param.name; }

INSTANTIATE_TEST_SUITE_P(Window, Transcript, testing::ValuesIn(scenarios), name_of);

}  // namespace
}  // namespace attnscope::test
