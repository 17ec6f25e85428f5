#include "desk.h"
#include "desk_input.h"
#include "document/json.h"

namespace attnscope::test {
namespace {

ImVec2 tall() { return {1280, 1300}; }  // so that the options are open

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
  Desk desk(document, tall());
  ASSERT_FALSE(GetParam().holds(desk.config()));
  desk.choose(GetParam().combo, std::to_string(GetParam().item));
  EXPECT_TRUE(GetParam().holds(desk.config()));
  EXPECT_EQ(desk.result().config, desk.config());
  EXPECT_EQ(undo_count(desk), 1);
  EXPECT_EQ(desk.document(), document);
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
  Desk desk(document, tall());
  EXPECT_NE(desk.text().find("dropout as on"), std::string::npos) << desk.text();
  EXPECT_NE(desk.text().find("any other"), std::string::npos) << desk.text();
}

TEST(OptionCheckbox, TogglesTheBias) {
  Desk desk(default_document(), tall());
  desk.click("setup/qkv_bias");
  EXPECT_TRUE(desk.config().qkv_bias);
  desk.click("setup/qkv_bias");
  EXPECT_FALSE(desk.config().qkv_bias);
}

TEST(OptionCheckbox, TogglesTheScaling) {
  Desk desk(default_document(), tall());
  desk.click("setup/scale");
  EXPECT_FALSE(desk.config().scale);
  EXPECT_EQ(desk.result().find(Stage::scaled_scores)->values, desk.result().find(Stage::masked_scores)->values);
}

TEST(ScaleFactor, IsDraggedAndOffAtZero) {
  Desk desk(default_document(), tall());
  desk.drag("setup/scale_factor", 0.05f, 0.5f);
  ASSERT_TRUE(desk.config().scale_factor);
  EXPECT_EQ(undo_count(desk), 1);
  desk.drag("setup/scale_factor", 0.5f, 0.0f);
  EXPECT_FALSE(desk.config().scale_factor);
  EXPECT_TRUE(desk.config().scale);
  desk.click("setup/scale");
  EXPECT_FALSE(desk.enables("setup/scale_factor"));
}

TEST(MaskAlignment, IsChosenWhereThereAreMoreKeysThanQueries) {
  EXPECT_FALSE(Desk(default_document(), tall()).enables("setup/mask_alignment"));
  const Document document = parse_document(R"({"mechanism": "scaled_dot_product_attention", "mask": "causal",
      "given": {"queries": [[1]], "keys": [[1], [2]], "values": [[1], [2]]}})");
  Desk desk(document, tall());
  desk.choose("setup/mask_alignment", "1");
  EXPECT_EQ(desk.config().mask_alignment, MaskAlignment::upper_left);
}

TEST(Bias, IsChosenAndTakenAway) {
  Desk desk(default_document(), tall());
  desk.choose("setup/bias", "distance");
  ASSERT_EQ(desk.config().bias.shape(), (std::vector<Index>{6, 6}));
  EXPECT_EQ(desk.config().bias.row(5)[3], -1.0F);
  EXPECT_EQ(desk.result().config, desk.config());
  desk.choose("setup/bias", "none");
  EXPECT_EQ(desk.config(), default_document().config);
}

TEST(BatchSize, IsDraggedAndShownInTheToolBar) {
  Desk desk(default_document(), tall());
  EXPECT_FALSE(desk.shows("view/batch"));
  desk.drag("setup/batch_size", 0.05f, 1);
  EXPECT_EQ(desk.config().batch_size, 8);
  EXPECT_EQ(undo_count(desk), 1);
  desk.press_control('Y');
  desk.settle();
  desk.drag("view/batch", 0.05f, 1);
  EXPECT_EQ(desk.view().batch, 7);
}

TEST(Engine, IsChosenAndItsThreadsAreLimited) {
  Desk desk(default_document(), tall());
  const AlignedFloats before = desk.result().find(Stage::output)->values;
  desk.choose("setup/backend", "0");
  EXPECT_EQ(desk.view().backend, Backend::serial);
  EXPECT_FALSE(desk.enables("setup/threads"));
  desk.settle();
  EXPECT_EQ(desk.result().backend, Backend::serial);
  EXPECT_EQ(desk.result().find(Stage::output)->values, before);
  EXPECT_FALSE(desk.session().shown().is_modified);
  if (!has_openmp) return;
  desk.choose("setup/backend", "1");
  desk.drag("setup/threads", 0.05f, 0.5f);
  EXPECT_GT(desk.view().threads, 0);
}

TEST(ImpossibleOption, CannotBeChosen) {
  Document document = default_document();
  document.config.mechanism = Mechanism::simple_self_attention;
  document.config.mask = MaskRoute::causal;
  Desk masked(document, tall());
  masked.choose("setup/normalization", "1");
  EXPECT_EQ(masked.document(), document);
}

TEST(ImpossibleOption, IsRegisteredAsDisabled) {
  Document document = default_document();
  document.config.mechanism = Mechanism::simple_self_attention;
  document.config.mask = MaskRoute::none;
  document.config.normalization = Normalization::sum;
  Desk desk(document, tall());
  desk.click("setup/mask");
  EXPECT_FALSE(desk.enables("setup/mask/1"));
  EXPECT_TRUE(desk.enables("setup/mask/2"));
}

TEST(MoreOptions, OpenWhereTheWindowIsTallAndOnRequest) {
  EXPECT_TRUE(Desk(default_document(), tall()).shows("setup/mask"));
  Desk desk;
  EXPECT_FALSE(desk.shows("setup/mask"));
  desk.click("setup/options");
  EXPECT_TRUE(desk.shows("setup/mask"));
  EXPECT_EQ(desk.view().show_options, true);
  desk.click("setup/options");
  EXPECT_FALSE(desk.shows("setup/mask"));
}

TEST(PositionOptions, StandBelowTheirLayoutOnceThereIsOne) {
  Document document = default_document();
  document.config.d_out = 8;
  Desk desk(document, tall());
  EXPECT_FALSE(desk.shows("setup/rope.base"));
  desk.choose("setup/rope.layout", "1");
  desk.frames(2);
  EXPECT_TRUE(desk.shows("setup/rope.base"));
  EXPECT_TRUE(desk.shows("stages/rotated_queries"));
  desk.replace_text("setup/rope.dims", "2");
  EXPECT_EQ(desk.config().rope->dims, 2);
  desk.replace_text("setup/rope.dims", "3");
  EXPECT_NE(desk.result().config.rope->dims, 3) << "the last picture stays";
}

TEST(KeyHeads, AreTyped) {
  Document document = default_document();
  document.config.d_out = 12;
  document.config.num_heads = 4;
  Desk desk(document, tall());
  desk.replace_text("setup/num_kv_heads", "2");
  EXPECT_EQ(desk.config().num_kv_heads, 2);
  EXPECT_EQ(stage_shape(desk.result().config, Stage::keys)[1], 2);
}

}  // namespace
}  // namespace attnscope::test
