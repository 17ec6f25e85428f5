#include <fmt/format.h>

#include <algorithm>

#include "document/builtin.h"
#include "features/files/reading_controller.h"
#include "headless_app.h"
#include "headless_app_input.h"

namespace attnscope::test {
namespace {

const std::vector<std::string> weight_controls = {"setup/d_out", "setup/weight_order"};
const std::vector<std::string> seed_controls = {"setup/seed", "setup/seed_slider", "setup/dice", "setup/skip_draws"};
const std::vector<std::string> dropout_controls = {"setup/dropout", "setup/training", "setup/dropout_kernel"};

Document document_of(Mechanism mechanism) {
  Document document = default_document();
  document.config.mechanism = mechanism;
  return document;
}

std::vector<std::string> controls_without_use(Mechanism id) {
  const MechanismInfo& mechanism = info(id);
  std::vector<std::string> names;
  if (mechanism.weight_style == WeightStyle::none) {
    names = weight_controls;
    names.insert(names.end(), seed_controls.begin(), seed_controls.end());
  }
  if (mechanism.weight_style != WeightStyle::linear) names.push_back("setup/qkv_bias");
  if (!mechanism.has_heads) names.push_back("setup/num_heads");
  if (id != Mechanism::multi_head_attention) {
    names.push_back("setup/num_kv_heads");
    names.push_back("setup/rope.layout");
  }
  if (!mechanism.has_dropout) names.insert(names.end(), dropout_controls.begin(), dropout_controls.end());
  if (id != Mechanism::simple_self_attention) names.push_back("setup/normalization");
  return names;
}

class EveryMechanism : public testing::TestWithParam<Mechanism> {};

TEST_P(EveryMechanism, DisablesJustWhatItHasNoUseFor) {
  const HeadlessApp app(document_of(GetParam()), {1280, 1300});
  const std::vector<std::string> useless = controls_without_use(GetParam());
  for (const char* name :
       {"setup/d_out", "setup/num_heads", "setup/dropout", "setup/seed", "setup/seed_slider", "setup/dice",
        "setup/skip_draws", "setup/qkv_bias", "setup/mask", "setup/scale", "setup/normalization", "setup/training",
        "setup/batch_size", "setup/dropout_kernel", "setup/weight_order", "setup/num_kv_heads", "setup/rope.layout"}) {
    EXPECT_EQ(app.enables(name), std::ranges::find(useless, name) == useless.end()) << name;
  }
}

TEST_P(EveryMechanism, DisabledControlsDoNothing) {
  HeadlessApp app(document_of(GetParam()), {1280, 1300});
  const Document before = app.document();
  for (const std::string& name : controls_without_use(GetParam())) {
    app.click(name);
    app.drag(name, 0.2f, 0.9f, 3);
    EXPECT_FALSE(app.shows(name + "/0")) << name << " opens";
  }
  EXPECT_EQ(app.document(), before);
}

TEST_P(EveryMechanism, IsChosenByAClickOnItsRung) {
  const bool is_last = GetParam() == Mechanism::multi_head_attention;
  HeadlessApp app(document_of(is_last ? Mechanism::causal_attention : Mechanism::multi_head_attention));
  app.click("setup/mechanism/" + std::string(info(GetParam()).id));
  EXPECT_EQ(app.config().mechanism, GetParam());
  EXPECT_EQ(app.result().config.mechanism, GetParam());
  EXPECT_EQ(undo_count(app), 1);
}

std::string id_of(const testing::TestParamInfo<Mechanism>& mechanism) { return std::string(info(mechanism.param).id); }

INSTANTIATE_TEST_SUITE_P(Ladder, EveryMechanism,
                         testing::Values(Mechanism::simple_self_attention, Mechanism::self_attention_v1,
                                         Mechanism::self_attention_v2, Mechanism::causal_attention,
                                         Mechanism::multi_head_attention_wrapper, Mechanism::multi_head_attention),
                         id_of);

TEST(Ladder, ClickOnTheRungOneStandsOnIsNoEdit) {
  HeadlessApp app;
  app.click("setup/mechanism/multi_head_attention");
  EXPECT_FALSE(app.session().shown().is_modified);
  EXPECT_EQ(undo_count(app), 0);
}

TEST(DropoutSlider, IsDisabledInEvaluation) {
  Document document = default_document();
  document.config.training = false;
  const HeadlessApp app(document);
  EXPECT_FALSE(app.enables("setup/dropout"));
}

TEST(WrapperSize, IsThatOfEachHead) {
  Document document = document_of(Mechanism::multi_head_attention_wrapper);
  document.config.d_out = 4;
  document.config.num_heads = 3;
  HeadlessApp app(document);
  EXPECT_NE(app.text().find("d_out per head"), std::string::npos) << app.text();
  EXPECT_NE(app.widget("setup/d_out").help.find("3 heads of 4 numbers give 12"), std::string::npos);
}

TEST(SeedField, TakesWhatIsTypedIfItIsASeedAndOneDoesNotGoBack) {
  const auto enter = [](HeadlessApp& app) { app.press_key(keys::named(ImGuiKey_Enter)); };
  const auto escape = [](HeadlessApp& app) { app.press_key(keys::named(ImGuiKey_Escape)); };
  const auto click_elsewhere = [](HeadlessApp& app) { app.click("view/diagram"); };
  const struct {
    const char* typed;
    void (*leave)(HeadlessApp& app);
    std::uint64_t seed;
  } cases[] = {{"18446744073709551615", enter, 18446744073709551615U},
               {"77", click_elsewhere, 77},
               {"77", escape, 123},
               {"seed", enter, 123}};
  for (const auto& [typed, leave, seed] : cases) {
    SCOPED_TRACE(fmt::format("{} gives {}", typed, seed));
    HeadlessApp app;
    app.replace_text("setup/seed", typed);
    leave(app);
    EXPECT_EQ(app.config().seed, seed);
    EXPECT_EQ(app.result().config.seed, seed);
    EXPECT_EQ(undo_count(app), seed == 123 ? 0 : 1);
    EXPECT_EQ(app.config().seed, 123U);
  }
}

TEST(SeedField, TypingDoesNotTriggerShortcuts) {
  HeadlessApp app;
  app.replace_text("setup/seed", "4");
  app.press_key(keys::digit(4));
  app.press_key(keys::right_bracket());
  EXPECT_EQ(app.view().decimals, 2);
  EXPECT_EQ(app.view().head, 0);
}

TEST(SeedField, IsOffWhereNothingIsDrawn) {
  Document document = document_of(Mechanism::simple_self_attention);
  EXPECT_FALSE(HeadlessApp(document).enables("setup/seed"));
  document.config.inputs = RandnInputs{};
  EXPECT_TRUE(HeadlessApp(document).enables("setup/seed"));
}

TEST(DropoutSeedField, SeedsTheMaskThatIsShown) {
  Document document = default_document();
  document.config.dropout = 0.5;
  HeadlessApp app(document, {1280, 1300});
  app.replace_text("setup/dropout_seed", "789");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.config().dropout_seed, 789U);
  EXPECT_EQ(app.config().seed, 123U);
  EXPECT_EQ(app.result().config.dropout_seed, 789U);
  EXPECT_EQ(undo_count(app), 1);
}

TEST(DropoutSeedField, IsNoneWhenItIsEmptied) {
  Document document = default_document();
  document.config.dropout = 0.5;
  document.config.dropout_seed = 789;
  HeadlessApp app(document, {1280, 1300});
  app.replace_text("setup/dropout_seed", "1");
  app.press_key(keys::named(ImGuiKey_Backspace));
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.config().dropout_seed, std::nullopt);
}

TEST(DropoutSeedField, IsOffWhereNothingIsDropped) {
  EXPECT_FALSE(HeadlessApp(default_document(), {1280, 1300}).enables("setup/dropout_seed"));
}

TEST(SkipDrawsField, TakesANumberWithinItsLimit) {
  HeadlessApp app(default_document(), {1280, 1300});
  app.replace_text("setup/skip_draws", "12");
  app.press_key(keys::named(ImGuiKey_Enter));
  EXPECT_EQ(app.config().skip_draws, 12U);
  EXPECT_EQ(app.result().config.skip_draws, 12U);
  EXPECT_EQ(undo_count(app), 1);
  app.replace_text("setup/skip_draws", "1000000001");
  EXPECT_NE(app.message().find("skip_draws is 1000000001, but it must be a whole number from 0 to 1000000000."),
            std::string::npos)
      << app.message();
}

TEST(NewDocuments, SplitTheirHeads) {
  HeadlessApp app;
  app.call([](const Controllers& to) { to.reading.new_document(); });
  EXPECT_EQ(app.document(), opening_document());
  EXPECT_EQ(head_count(app.config()), 2);
  EXPECT_EQ(head_features(app.config()), 2);
}

TEST(Dice, ThrowsAnotherSeed) {
  HeadlessApp app;
  for (int throws = 0; throws < 5 && app.config().seed == 123; ++throws) app.click("setup/dice");
  EXPECT_NE(app.config().seed, 123U);
  EXPECT_EQ(app.result().config.seed, app.config().seed);
}

}  // namespace
}  // namespace attnscope::test
