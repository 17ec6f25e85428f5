#include "document/json.h"
#include "headless_app.h"
#include "headless_app_input.h"

namespace attnscope::test {
namespace {

// An item of a combo and what the document must be after it was chosen.
struct OptionCase {
  std::string combo;
  int item;
  void (*before)(AttentionConfig&);
  bool (*holds)(const AttentionConfig&);
};

void PrintTo(const OptionCase& option, std::ostream* out) { *out << option.combo << "/" << option.item; }

class Option : public testing::TestWithParam<OptionCase> {};

TEST_P(Option, SetsItsField) {
  Document document = default_document();
  document.config.dropout = 0.5;
  GetParam().before(document.config);
  HeadlessApp app(document, tall());
  ASSERT_FALSE(GetParam().holds(app.config()));
  app.choose(GetParam().combo, std::to_string(GetParam().item));
  EXPECT_TRUE(GetParam().holds(app.config()));
  EXPECT_EQ(app.result().config, app.config());
  EXPECT_EQ(undo_count(app), 1);
  EXPECT_EQ(app.document(), document);
}

using Config = AttentionConfig;
constexpr auto as_it_is = [](Config&) {};
constexpr auto unmasked_simple = [](Config& c) {
  c.mechanism = Mechanism::simple_self_attention;
  c.mask = MaskRoute::none;
};
constexpr Projection q = Projection::query;
constexpr Projection k = Projection::key;
constexpr Projection v = Projection::value;
using Order = std::array<Projection, 3>;

const std::vector<OptionCase> option_cases = {
    {"setup/mask", 0, as_it_is, [](const Config& c) { return c.mask == MaskRoute::none; }},
    {"setup/mask", 1, [](Config& c) { c.mask = MaskRoute::none; },
     [](const Config& c) { return c.mask == MaskRoute::causal; }},
    {"setup/mask", 2, as_it_is, [](const Config& c) { return c.mask == MaskRoute::causal_after_softmax; }},
    {"setup/mask", 3, as_it_is, [](const Config& c) { return c.mask == MaskRoute::causal_renormalized; }},
    {"setup/rope.layout", 1, as_it_is, [](const Config& c) { return c.rope == Rope{}; }},
    {"setup/rope.layout", 2, as_it_is,
     [](const Config& c) { return c.rope && c.rope->layout == RopeLayout::interleaved; }},
    {"setup/rope.layout", 0, [](Config& c) { c.rope = Rope{}; }, [](const Config& c) { return !c.rope; }},
    {"setup/normalization", 1, unmasked_simple, [](const Config& c) { return c.normalization == Normalization::sum; }},
    {"setup/training", 1, as_it_is, [](const Config& c) { return !c.training; }},
    {"setup/training", 0, [](Config& c) { c.training = false; }, [](const Config& c) { return c.training; }},
    {"setup/dropout_kernel", 1, as_it_is, [](const Config& c) { return c.dropout_kernel == DropoutKernel::standard; }},
    {"setup/weight_order", 1, as_it_is,
     [](const Config& c) {
       return c.weight_order == Order{q, v, k};
     }},
    {"setup/weight_order", 2, as_it_is,
     [](const Config& c) {
       return c.weight_order == Order{k, q, v};
     }},
    {"setup/weight_order", 3, as_it_is,
     [](const Config& c) {
       return c.weight_order == Order{k, v, q};
     }},
    {"setup/weight_order", 4, as_it_is,
     [](const Config& c) {
       return c.weight_order == Order{v, q, k};
     }},
    {"setup/weight_order", 5, as_it_is, [](const Config& c) {
       return c.weight_order == Order{v, k, q};
     }}};

INSTANTIATE_TEST_SUITE_P(All, Option, testing::ValuesIn(option_cases));

TEST(DropoutKernel, IsNamedByTheMachineThatDrawsSo) {
  Document document = default_document();
  document.config.dropout_kernel = DropoutKernel::standard;
  HeadlessApp app(document, tall());
  EXPECT_NE(app.text().find("dropout as on"), std::string::npos) << app.text();
  EXPECT_NE(app.text().find("any other"), std::string::npos) << app.text();
}

TEST(OptionCheckbox, TogglesTheBias) {
  HeadlessApp app(default_document(), tall());
  app.click("setup/qkv_bias");
  EXPECT_TRUE(app.config().qkv_bias);
  app.click("setup/qkv_bias");
  EXPECT_FALSE(app.config().qkv_bias);
}

TEST(OptionCheckbox, TogglesTheScaling) {
  HeadlessApp app(default_document(), tall());
  app.click("setup/scale");
  EXPECT_FALSE(app.config().scale);
  EXPECT_EQ(app.result().find(Stage::scaled_scores)->values, app.result().find(Stage::masked_scores)->values);
}

TEST(ScaleFactor, IsDraggedAndOffAtZero) {
  HeadlessApp app(default_document(), tall());
  app.drag("setup/scale_factor", 0.05f, 0.5f);
  ASSERT_TRUE(app.config().scale_factor);
  EXPECT_EQ(undo_count(app), 1);
  app.drag("setup/scale_factor", 0.5f, 0.0f);
  EXPECT_FALSE(app.config().scale_factor);
  EXPECT_TRUE(app.config().scale);
  app.click("setup/scale");
  EXPECT_FALSE(app.enables("setup/scale_factor"));
}

TEST(MaskAlignment, IsChosenWhereThereAreMoreKeysThanQueries) {
  EXPECT_FALSE(HeadlessApp(default_document(), tall()).enables("setup/mask_alignment"));
  const Document document = parse_document(R"({"mechanism": "scaled_dot_product_attention", "mask": "causal",
      "given": {"queries": [[1]], "keys": [[1], [2]], "values": [[1], [2]]}})");
  HeadlessApp app(document, tall());
  app.choose("setup/mask_alignment", "1");
  EXPECT_EQ(app.config().mask_alignment, MaskAlignment::upper_left);
}

TEST(Bias, IsChosenAndTakenAway) {
  HeadlessApp app(default_document(), tall());
  app.choose("setup/bias", "distance");
  ASSERT_EQ(app.config().bias.shape(), (std::vector<Index>{6, 6}));
  EXPECT_EQ(app.config().bias.row(5)[3], -1.0F);
  EXPECT_EQ(app.result().config, app.config());
  app.choose("setup/bias", "none");
  EXPECT_EQ(app.config(), default_document().config);
}

TEST(BatchSize, IsDraggedAndShownInTheToolBar) {
  HeadlessApp app(default_document(), tall());
  EXPECT_FALSE(app.shows("view/batch"));
  app.drag("setup/batch_size", 0.05f, 1);
  EXPECT_EQ(app.config().batch_size, 8);
  EXPECT_EQ(undo_count(app), 1);
  app.press_control('Y');
  app.settle();
  app.drag("view/batch", 0.05f, 1);
  EXPECT_EQ(app.view().batch, 7);
}

TEST(Engine, IsChosenAndItsThreadsAreLimited) {
  HeadlessApp app(default_document(), tall());
  const AlignedFloats before = app.result().find(Stage::output)->values;
  app.open_settings();
  app.choose("settings/backend", "serial");
  EXPECT_EQ(app.view().backend, Backend::serial);
  EXPECT_FALSE(app.enables("settings/threads"));
  app.settle();
  EXPECT_EQ(app.result().backend, Backend::serial);
  EXPECT_EQ(app.result().find(Stage::output)->values, before);
  EXPECT_FALSE(app.session().shown().is_modified);
  if (!has_openmp) return;
  app.choose("settings/backend", "openmp");
  app.choose("settings/threads", "4");
  EXPECT_EQ(app.view().threads, 4);
}

TEST(ImpossibleOption, CannotBeChosen) {
  Document document = default_document();
  document.config.mechanism = Mechanism::simple_self_attention;
  document.config.mask = MaskRoute::causal;
  HeadlessApp masked(document, tall());
  masked.choose("setup/normalization", "1");
  EXPECT_EQ(masked.document(), document);
}

TEST(ImpossibleOption, IsRegisteredAsDisabled) {
  Document document = default_document();
  document.config.mechanism = Mechanism::simple_self_attention;
  document.config.mask = MaskRoute::none;
  document.config.normalization = Normalization::sum;
  HeadlessApp app(document, tall());
  app.click("setup/mask");
  EXPECT_FALSE(app.enables("setup/mask/1"));
  EXPECT_TRUE(app.enables("setup/mask/2"));
}

TEST(MoreOptions, OpenWhereTheWindowIsTallAndOnRequest) {
  EXPECT_TRUE(HeadlessApp(default_document(), tall()).shows("setup/mask"));
  HeadlessApp app;
  EXPECT_FALSE(app.shows("setup/mask"));
  app.click("setup/options");
  EXPECT_TRUE(app.shows("setup/mask"));
  EXPECT_EQ(app.view().show_options, true);
  app.click("setup/options");
  EXPECT_FALSE(app.shows("setup/mask"));
}

TEST(PositionOptions, StandBelowTheirLayoutOnceThereIsOne) {
  Document document = default_document();
  document.config.d_out = 8;
  HeadlessApp app(document, tall());
  EXPECT_FALSE(app.shows("setup/rope.base"));
  app.choose("setup/rope.layout", "1");
  EXPECT_TRUE(app.shows("setup/rope.base"));
  EXPECT_TRUE(app.shows("stages/rotated_queries"));
  app.replace_text("setup/rope.dims", "2");
  EXPECT_EQ(app.config().rope->dims, 2);
  app.replace_text("setup/rope.dims", "3");
  EXPECT_NE(app.result().config.rope->dims, 3) << "the last picture stays";
}

TEST(KeyHeads, AreTyped) {
  Document document = default_document();
  document.config.d_out = 12;
  document.config.num_heads = 4;
  HeadlessApp app(document, tall());
  app.replace_text("setup/num_kv_heads", "2");
  EXPECT_EQ(app.config().num_kv_heads, 2);
  EXPECT_EQ(stage_shape(app.result().config, Stage::keys)[1], 2);
}

}  // namespace
}  // namespace attnscope::test
