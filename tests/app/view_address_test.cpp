#include "view/view_address.h"

#include <gtest/gtest.h>

#include "document/builtin.h"
#include "document/document.h"

namespace attnscope::test {
namespace {

const AttentionConfig& two_heads() {
  static const Document document = notebook_document();
  return document.config;
}

TEST(ViewAddress, ComesBackFromItsText) {
  const ViewAddress address{.mode = "study",
                            .stage = Stage::scores,
                            .head = 1,
                            .batch = 0,
                            .range = RangeMode::own,
                            .pinned = Source{.stage = Stage::weights, .head = 1, .row = 2, .col = 1},
                            .side = ComparedSide::difference,
                            .study = {.id = "sharpness", .values = {{"temperature", 0.5}}}};
  const std::string text = address_text(address);
  EXPECT_EQ(text,
            "layout=study stage=scores head=2 batch=1 range=own cell=weights[0,1,2,1] side=difference study=sharpness "
            "study.temperature=0.5");
  EXPECT_EQ(address_in(text, two_heads()), address);
}

TEST(ViewAddress, OfEarlierPicturesNamesItsCellByRowAndColumn) {
  const ViewAddress address = address_in("head=2 batch=1 cell=weights:3,2", two_heads());
  EXPECT_EQ(address.pinned, (Source{.stage = Stage::weights, .head = 1, .row = 2, .col = 1}));
}

TEST(ViewAddress, LeavesOutWhatTheDocumentDoesNotHave) {
  for (const char* const text :
       {"stage=renormalized_weights", "head=3", "head=0", "batch=9", "cell=weights[0,2,0,0]", "cell=weights[0,0,6,0]",
        "cell=weights:7,1", "cell=weights:0,1", "cell=weights:-9223372036854775808,1", "cell=weights", "range=none",
        "side=C", "head", "=", " "}) {
    EXPECT_EQ(address_in(text, two_heads()), ViewAddress()) << text;
  }
}

TEST(ViewAddress, IsOfEntriesAndHeadsThatThereAre) {
  AttentionConfig config = two_heads();
  config.batch_size = 3;
  EXPECT_EQ(address_in("cell=weights[2,1,3,1]", config).pinned,
            (Source{.stage = Stage::weights, .batch = 2, .head = 1, .row = 3, .col = 1}));
  EXPECT_EQ(address_in("cell=weights[2,2,3,1]", config), ViewAddress());
  EXPECT_EQ(address_in("cell=weights[3,1,3,1]", config), ViewAddress());
}

TEST(CellName, IsByTheAxesOfItsStage) {
  for (const char* const name : {"weights[0,1,2,3]", "inputs[0,2,1]", "mask[1,0]", "W_query[1,2]"}) {
    const std::optional<Source> cell = cell_named(name);
    ASSERT_TRUE(cell) << name;
    EXPECT_EQ(cell_name(*cell), name);
  }
  for (const char* const wrong : {"", "weights", "weights[]", "weights[0,1]", "weights[0,0,0,-1]", "weights[0,0,0,1",
                                  "heavy[0,0]", "mask[1,0]]", "mask[1,,0]", "mask[1,0] "}) {
    EXPECT_FALSE(cell_named(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace attnscope::test
