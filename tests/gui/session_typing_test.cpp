// What is typed into a field is kept when something else is done before Enter, and nothing of it stays where the
// program has put another text into the field.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "desk.h"
#include "desk_input.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "interchange/checkpoint.h"
#include "tests/support/letters_model.h"

namespace attnscope::test {
namespace {

ImVec2 tall() { return {1280, 1300}; }  // so that the options are open

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
void type_into(Desk& desk, const TypedControl& control, const std::string& text) {
  using enum TypedControl::Begins;
  if (control.begins == by_click) return desk.replace_text(control.widget, text);
  control.begins == by_double_click ? desk.double_click(control.widget) : desk.control_click(control.widget);
  desk.press_control('A');
  desk.type(text);
}

class TypedIntoControls : public testing::TestWithParam<TypedControl> {
protected:
  Desk desk_{default_document(), tall()};
  const Document before_ = default_document();
  std::string now() const { return GetParam().now(desk_.document()); }
};

// The slider is drawn before all of these, and jumps to the pointer: it has its first value before they know that they
// were left.
TEST_P(TypedIntoControls, KeepWhatIsTypedWhenASliderIsDragged) {
  type_into(desk_, GetParam(), GetParam().typed);
  desk_.drag("setup/dropout", 0.3F, 0.5F);
  EXPECT_EQ(now(), GetParam().typed);
  EXPECT_GT(desk_.config().dropout, 0.2);
  desk_.press_control('Z');
  EXPECT_EQ(now(), GetParam().typed) << "the drag is an edit of its own";
  EXPECT_EQ(desk_.config().dropout, before_.config.dropout);
  desk_.press_control('Z');
  EXPECT_EQ(desk_.document(), before_);
  EXPECT_TRUE(desk_.session().shown().undo_label.empty());
}

TEST_P(TypedIntoControls, KeepWhatIsTypedWhenABoxIsTicked) {
  type_into(desk_, GetParam(), GetParam().typed);
  desk_.click("setup/qkv_bias");
  EXPECT_EQ(now(), GetParam().typed);
  EXPECT_TRUE(desk_.config().qkv_bias);
  EXPECT_EQ(undo_count(desk_), 2);
  EXPECT_EQ(desk_.document(), before_);
}

TEST_P(TypedIntoControls, KeepWhatIsTypedWhenTheDocumentIsReplaced) {
  type_into(desk_, GetParam(), GetParam().typed);
  const BuiltinDocument& other = builtin_documents().front();
  desk_.session().push(OpenBuiltin{std::string(other.id)});
  desk_.settle();
  const Document opened = desk_.document();
  EXPECT_EQ(opened, parse_document(other.json)) << "what was typed is of the document before";
  desk_.type("3");
  EXPECT_EQ(desk_.document(), opened) << "no field of that document has the keys";
  desk_.press_control('Z');
  EXPECT_EQ(now(), GetParam().typed);
  desk_.press_control('Z');
  EXPECT_EQ(desk_.document(), before_);
}

TEST_P(TypedIntoControls, AreLeftWhenTheirEditIsUndone) {
  type_into(desk_, GetParam(), GetParam().typed);
  desk_.session().push(Undo{});
  desk_.frames(5);
  EXPECT_EQ(desk_.document(), before_);
  desk_.type("3");
  EXPECT_EQ(desk_.document(), before_);
  desk_.press_control('Y');
  EXPECT_EQ(now(), GetParam().typed);
}

TEST_P(TypedIntoControls, DoNothingByEscape) {
  type_into(desk_, GetParam(), GetParam().typed);
  desk_.press_key(keys::named(ImGuiKey_Escape));
  desk_.drag("setup/dropout", 0.3F, 0.5F);
  EXPECT_EQ(undo_count(desk_), 1);
  EXPECT_EQ(desk_.document(), before_);
}

// Dear ImGui would take back steps of the text that is not there any more, and write before the one that is.
TEST_P(TypedIntoControls, ForgetTheirStepsWithTheTextThatTheProgramReplaced) {
  type_into(desk_, GetParam(), GetParam().typed);
  desk_.press_key(keys::named(ImGuiKey_Enter));
  desk_.press_control('Z');
  ASSERT_EQ(desk_.document(), before_);
  type_into(desk_, GetParam(), "");
  for (int step = 0; step < 20; ++step) desk_.press_control('Z');
  desk_.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(desk_.document(), before_) << "only what was typed since is taken back";
  type_into(desk_, GetParam(), "");
  desk_.type(GetParam().typed);
  desk_.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(now(), GetParam().typed);
}

INSTANTIATE_TEST_SUITE_P(All, TypedIntoControls, testing::ValuesIn(typed_controls()),
                         [](const auto& each) { return each.param.name; });

TEST(Palette, ForgetsTheStepsOfWhatWasTypedBefore) {
  Desk desk;
  const auto typed = [&] { return desk.view().passing.palette->typed; };
  desk.press_control('K');
  desk.type("attention weights");
  desk.press_key(keys::named(ImGuiKey_Enter));
  ASSERT_FALSE(desk.view().passing.palette);
  desk.press_control('K');
  for (int step = 0; step < 20; ++step) {
    desk.press_control('Z');
    EXPECT_EQ(typed(), "");
  }
  desk.type("x");
  EXPECT_EQ(typed(), "x");
  desk.press_control('Z');
  EXPECT_EQ(typed(), "") << "its own steps are there";
}

TEST(Sentence, ThatIsTypedIsSavedAndAskedAbout) {
  Desk desk;
  desk.replace_text("tokens/sentence", "one two");
  EXPECT_EQ(desk.document(), default_document()) << "it changes nothing while it is typed";
  EXPECT_FALSE(desk.session().shown().is_modified);
  desk.session().push(Quit{});
  desk.frames(3);
  EXPECT_FALSE(desk.session().quit_requested());
  EXPECT_EQ(desk.session().shown().dialog.kind, ShowDialog::Kind::unsaved);
  EXPECT_EQ(sentence_of(desk.document()), "one two");
}

TEST(Sentence, ThatCannotBeAppliedStaysInItsFieldToBeMended) {
  Desk desk;
  desk.replace_text("tokens/sentence", " ");
  desk.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(desk.document(), default_document());
  EXPECT_FALSE(desk.message().empty());
  ASSERT_TRUE(desk.session().shown().typed);
  EXPECT_EQ(desk.session().shown().typed->text, " ");
  desk.replace_text("tokens/sentence", "one two");
  desk.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(sentence_of(desk.document()), "one two");
  EXPECT_FALSE(desk.session().shown().typed);
  EXPECT_EQ(undo_count(desk), 1);
}

TEST(SeedField, AndItsSliderAreTwoEdits) {
  Desk desk;
  desk.replace_text("setup/seed", "77");
  desk.drag("setup/seed_slider", 0.1F, 0.9F);
  EXPECT_NE(desk.config().seed, 77U);
  desk.press_control('Z');
  EXPECT_EQ(desk.config().seed, 77U);
  desk.press_control('Z');
  EXPECT_EQ(desk.config().seed, 123U);
}

TEST(TextOfAModel, IsKeptWhenSomethingElseIsDone) {
  set_model_reader([](const std::string&) { return letters(); });
  const Document before = parse_document(R"({"model": "/models/letters", "text": "dbcae", "layer": 1})");
  set_model_reader(read_model_as_documents_do);  // as it is without tests
  Desk desk(before, tall());
  desk.replace_text("model/text", "abc");
  EXPECT_EQ(desk.document(), before);
  desk.drag("setup/dropout", 0.3F, 0.5F);
  EXPECT_EQ(desk.document().text, "abc");
  desk.replace_text("model/text", "abcdefghijklm");
  desk.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(desk.document().text, "abc");
  EXPECT_NE(desk.message().find("at most 12"), std::string::npos) << desk.message();
  EXPECT_EQ(desk.session().shown().typed->text, "abcdefghijklm");
  EXPECT_EQ(undo_count(desk), 2);
  EXPECT_EQ(desk.document(), before);
}

TEST(TextOfAModel, LeavesTheBatchAtOneText) {
  set_model_reader([](const std::string&) { return letters(); });
  const Document before = parse_document(R"({"model": "/models/letters", "text": "dbcae", "layer": 1})");
  set_model_reader(read_model_as_documents_do);
  Desk desk(before, tall());
  EXPECT_FALSE(desk.enables("setup/batch_size"));
  desk.session().push(EditDocument{"batch size", [](Document& document) { set_batch_size(document, 2); }});
  desk.change_view([](ViewState& state) { state.layout = Layout::model; });
  desk.settle();
  EXPECT_EQ(desk.document(), before);
  EXPECT_TRUE(desk.session().shown().model.run);
}

TEST(BlocksOfAMask, AreKeptWhenTheListIsLeft) {
  Desk desk(default_document(), tall());
  desk.click("setup/mask_preset");
  desk.click("setup/mask_preset/blocks");
  desk.type("3, 5");
  EXPECT_EQ(desk.document(), default_document());
  desk.move_away();
  desk.press();
  desk.release();
  EXPECT_FALSE(desk.shows("setup/mask_preset/blocks"));
  EXPECT_EQ(desk.config().mask, MaskRoute::custom);
  EXPECT_EQ(undo_count(desk), 1);
  EXPECT_EQ(desk.document(), default_document());
}

TEST(FunctionKeys, WithAnotherKeyHeldAreNotTheirs) {
  Desk desk;
  const auto press = [&](int number, bool control, bool shift, bool alt) {
    give_modifiers(control, shift, alt);
    desk.press_key(keys::function(number));
    give_modifiers(false, false);
    desk.frames(2);
  };
  const ViewState before = desk.view();
  for (int number = 1; number <= 12; ++number) {
    for (int held = 1; held < 8; ++held) press(number, (held & 1) != 0, (held & 2) != 0, (held & 4) != 0);
  }
  EXPECT_EQ(desk.view(), before);
  EXPECT_EQ(desk.session().shown().dialog.kind, ShowDialog::Kind::none);
  EXPECT_FALSE(desk.session().take_screenshot_request());
  press(4, false, false, false);
  EXPECT_NE(desk.view(), before);
}

}  // namespace
}  // namespace attnscope::test
