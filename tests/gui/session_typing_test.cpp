// What is typed into a field is kept when something else is done before Enter, and nothing of it stays where the
// program has put another text into the field.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "features/setup/document_controller.h"
#include "features/shared/panel/calls.h"
#include "files/checkpoint.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "tests/support/letters_model.h"

namespace attnscope::test {
namespace {

std::string sentence_of(const Document& document) { return fmt::format("{}", fmt::join(document.tokens, " ")); }

std::string text_of_seed(const Document& document) { return std::to_string(document.config.seed); }
std::string text_of_name(const Document& document) { return document.tokens[1]; }
std::string text_of_embedding(const Document& document) {
  return fmt::format("{}", std::get<SharedTensor>(document.config.inputs).row(0)[0]);
}
std::string text_of_softcap(const Document& document) { return fmt::format("{}", document.config.softcap.value_or(0)); }
std::string text_of_window(const Document& document) {
  return fmt::format("{}", document.config.sliding_window.value_or(0));
}

// A control that a text or a number is typed into, and what the document says of it.
struct TypedControl {
  std::string name;
  std::string widget;
  std::string typed;
  std::string (*now)(const Document& document);
  enum class Begins { by_click, by_control_click, by_double_click } begins = Begins::by_click;
};

void PrintTo(const TypedControl& control, std::ostream* out) { *out << control.widget; }

const std::vector<TypedControl>& typed_controls() {
  using enum TypedControl::Begins;
  static const std::vector<TypedControl> all = {
      {"Seed", "setup/seed", "7777777777", text_of_seed},
      {"Sentence", "tokens/sentence", "a longer sentence than the one that was there before", sentence_of},
      {"Name", "tokens/1/name", "voyage of discovery", text_of_name},
      {"Embedding", "tokens/0/0", "0.12345", text_of_embedding, by_double_click},
      {"Softcap", "setup/softcap", "12.5", text_of_softcap, by_control_click},
      {"Window", "setup/sliding_window", "2", text_of_window}};
  return all;
}

// Replaces the text of the control, and stays in it.
void type_into(HeadlessApp& app, const TypedControl& control, const std::string& text) {
  using enum TypedControl::Begins;
  if (control.begins == by_click) return app.replace_text(control.widget, text);
  control.begins == by_double_click ? app.double_click(control.widget) : app.control_click(control.widget);
  app.press_control('A');
  app.type(text);
}

class TypedIntoControls : public testing::TestWithParam<TypedControl> {
protected:
  HeadlessApp app_{default_document(), tall()};
  const Document before_ = default_document();
  std::string now() const { return GetParam().now(app_.document()); }
};

// The slider is drawn before all of these, and jumps to the pointer: it has its first value before they know that they
// were left.
TEST_P(TypedIntoControls, KeepWhatIsTypedWhenASliderIsDragged) {
  type_into(app_, GetParam(), GetParam().typed);
  app_.drag("setup/dropout", 0.3F, 0.5F);
  EXPECT_EQ(now(), GetParam().typed);
  EXPECT_GT(app_.config().dropout, 0.2);
  app_.press_control('Z');
  EXPECT_EQ(now(), GetParam().typed) << "the drag is an edit of its own";
  EXPECT_EQ(app_.config().dropout, before_.config.dropout);
  app_.press_control('Z');
  EXPECT_EQ(app_.document(), before_);
  EXPECT_TRUE(app_.session().shown().undo_label.empty());
}

TEST_P(TypedIntoControls, KeepWhatIsTypedWhenABoxIsTicked) {
  type_into(app_, GetParam(), GetParam().typed);
  app_.click("setup/qkv_bias");
  EXPECT_EQ(now(), GetParam().typed);
  EXPECT_TRUE(app_.config().qkv_bias);
  EXPECT_EQ(undo_count(app_), 2);
  EXPECT_EQ(app_.document(), before_);
}

TEST_P(TypedIntoControls, KeepWhatIsTypedWhenTheDocumentIsReplaced) {
  type_into(app_, GetParam(), GetParam().typed);
  const BuiltinDocument& other = builtin_documents().front();
  app_.call([id = std::string(other.id)](const Controllers& to) { to.reading.open_example(id); });
  const Document opened = app_.document();
  EXPECT_EQ(opened, parse_document(other.json)) << "what was typed is of the document before";
  app_.type("3");
  EXPECT_EQ(app_.document(), opened) << "no field of that document has the keys";
  app_.press_control('Z');
  EXPECT_EQ(now(), GetParam().typed);
  app_.press_control('Z');
  EXPECT_EQ(app_.document(), before_);
}

TEST_P(TypedIntoControls, AreLeftWhenTheirEditIsUndone) {
  type_into(app_, GetParam(), GetParam().typed);
  app_.session().push([](const Controllers& to) { to.documents.undo(); });
  app_.frames(5);
  EXPECT_EQ(app_.document(), before_);
  app_.type("3");
  EXPECT_EQ(app_.document(), before_);
  app_.press_control('Y');
  EXPECT_EQ(now(), GetParam().typed);
}

TEST_P(TypedIntoControls, DoNothingByEscape) {
  type_into(app_, GetParam(), GetParam().typed);
  app_.press_key(keys::named(ImGuiKey_Escape));
  app_.drag("setup/dropout", 0.3F, 0.5F);
  EXPECT_EQ(undo_count(app_), 1);
  EXPECT_EQ(app_.document(), before_);
}

// Dear ImGui would take back steps of the text that is not there any more, and write before the one that is.
TEST_P(TypedIntoControls, ForgetTheirStepsWithTheTextThatTheProgramReplaced) {
  type_into(app_, GetParam(), GetParam().typed);
  app_.press_key(keys::named(ImGuiKey_Enter));
  app_.press_control('Z');
  ASSERT_EQ(app_.document(), before_);
  type_into(app_, GetParam(), "");
  for (int step = 0; step < 20; ++step) app_.press_control('Z');
  app_.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app_.document(), before_) << "only what was typed since is taken back";
  type_into(app_, GetParam(), "");
  app_.type(GetParam().typed);
  app_.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(now(), GetParam().typed);
}

INSTANTIATE_TEST_SUITE_P(All, TypedIntoControls, testing::ValuesIn(typed_controls()),
                         [](const auto& each) { return each.param.name; });

TEST(Palette, ForgetsTheStepsOfWhatWasTypedBefore) {
  HeadlessApp app;
  const auto typed = [&] { return app.view().transient.palette->typed; };
  app.press_control('K');
  app.type("attention weights");
  app.press_key(keys::named(ImGuiKey_Enter));
  ASSERT_FALSE(app.view().transient.palette);
  app.press_control('K');
  for (int step = 0; step < 20; ++step) {
    app.press_control('Z');
    EXPECT_EQ(typed(), "");
  }
  app.type("x");
  EXPECT_EQ(typed(), "x");
  app.press_control('Z');
  EXPECT_EQ(typed(), "") << "its own steps are there";
}

TEST(Sentence, ThatIsTypedIsSavedAndAskedAbout) {
  HeadlessApp app;
  app.replace_text("tokens/sentence", "one two");
  EXPECT_EQ(app.document(), default_document()) << "it changes nothing while it is typed";
  EXPECT_FALSE(app.session().shown().is_modified);
  app.call([](const Controllers& to) { to.files.quit(); });
  EXPECT_FALSE(app.session().quit_requested());
  EXPECT_EQ(app.session().shown().dialog.kind, DialogState::Kind::unsaved);
  EXPECT_EQ(sentence_of(app.document()), "one two");
}

TEST(Sentence, ThatCannotBeAppliedStaysInItsFieldToBeMended) {
  HeadlessApp app;
  app.replace_text("tokens/sentence", " ");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.document(), default_document());
  EXPECT_FALSE(app.message().empty());
  ASSERT_TRUE(app.session().shown().typed);
  EXPECT_EQ(app.session().shown().typed->text, " ");
  app.replace_text("tokens/sentence", "one two");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(sentence_of(app.document()), "one two");
  EXPECT_FALSE(app.session().shown().typed);
  EXPECT_EQ(undo_count(app), 1);
}

TEST(SeedField, AndItsSliderAreTwoEdits) {
  HeadlessApp app;
  app.replace_text("setup/seed", "77");
  app.drag("setup/seed_slider", 0.1F, 0.9F);
  EXPECT_NE(app.config().seed, 77U);
  app.press_control('Z');
  EXPECT_EQ(app.config().seed, 77U);
  app.press_control('Z');
  EXPECT_EQ(app.config().seed, 123U);
}

TEST(TextOfAModel, IsKeptWhenSomethingElseIsDone) {
  set_model_reader([](const std::string&) { return letters(); });
  const Document before = parse_document(R"({"model": "/models/letters", "text": "dbcae", "layer": 1})");
  set_model_reader(read_model_as_documents_do);  // as it is without tests
  HeadlessApp app(before, tall());
  app.replace_text("model/text", "abc");
  EXPECT_EQ(app.document(), before);
  app.drag("setup/dropout", 0.3F, 0.5F);
  EXPECT_EQ(app.document().text, "abc");
  app.replace_text("model/text", "abcdefghijklm");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.document().text, "abc");
  EXPECT_NE(app.message().find("at most 12"), std::string::npos) << app.message();
  EXPECT_EQ(app.session().shown().typed->text, "abcdefghijklm");
  EXPECT_EQ(undo_count(app), 2);
  EXPECT_EQ(app.document(), before);
}

TEST(TextOfAModel, LeavesTheBatchAtOneText) {
  set_model_reader([](const std::string&) { return letters(); });
  const Document before = parse_document(R"({"model": "/models/letters", "text": "dbcae", "layer": 1})");
  set_model_reader(read_model_as_documents_do);
  HeadlessApp app(before, tall());
  EXPECT_FALSE(app.enables("setup/batch_size"));
  edit_document(app.session().queue(), {"batch size", [](Document& document) { set_batch_size(document, 2); }});
  app.change_view([](ViewState& state) { state.mode = ViewMode::model; });
  app.settle();
  EXPECT_EQ(app.document(), before);
  EXPECT_TRUE(app.session().shown().model.run);
}

TEST(BlocksOfAMask, AreKeptWhenTheListIsLeft) {
  HeadlessApp app(default_document(), tall());
  app.click("setup/mask_preset");
  app.click("setup/mask_preset/blocks");
  app.type("3, 5");
  EXPECT_EQ(app.document(), default_document());
  app.move_away();
  app.press();
  app.release();
  EXPECT_FALSE(app.shows("setup/mask_preset/blocks"));
  EXPECT_EQ(app.config().mask, MaskRoute::custom);
  EXPECT_EQ(undo_count(app), 1);
  EXPECT_EQ(app.document(), default_document());
}

TEST(FunctionKeys, WithAnotherKeyHeldAreNotTheirs) {
  HeadlessApp app;
  const auto press = [&](int number, bool control, bool shift, bool alt) {
    give_modifiers(control, shift, alt);
    app.press_key(keys::function(number));
    give_modifiers(false, false);
    app.frames(2);
  };
  const ViewState before = app.view();
  for (int number = 1; number <= 12; ++number) {
    for (int held = 1; held < 8; ++held) press(number, (held & 1) != 0, (held & 2) != 0, (held & 4) != 0);
  }
  EXPECT_EQ(app.view(), before);
  EXPECT_EQ(app.session().shown().dialog.kind, DialogState::Kind::none);
  EXPECT_FALSE(app.session().take_screenshot_request());
  press(4, false, false, false);
  EXPECT_NE(app.view(), before);
}

}  // namespace
}  // namespace attnscope::test
