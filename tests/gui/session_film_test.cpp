// Sweeps as files that play: GIF and MP4, and the stages of a diagram one by one.

#include <cstdlib>

#include "interchange/document_file.h"
#include "paint_file/figure.h"
#include "sweep_desk.h"

namespace attnscope::test {
namespace {

TEST_F(SweepDialog, WritesAGifThatIsTheDocument) {
  open_sweep();
  EXPECT_FALSE(desk_.shows("figure/format/svg"));
  desk_.click("figure/format/gif");
  desk_.frames(2);
  EXPECT_EQ(dialog().name, "attention-weights-seed.gif");
  desk_.choose("figure/parameter", "tokens");
  EXPECT_EQ(dialog().name, "attention-weights-tokens.gif");
  export_as("a.gif");
  EXPECT_TRUE(says(desk_.message(), {"Exported ", "a.gif", "6 frames"})) << dialog().error;
  EXPECT_EQ(text_of(folder_ / "a.gif").substr(0, 6), "GIF89a");
  EXPECT_EQ(load_document(folder_ / "a.gif"), desk_.document());
  desk_.click("figure/series");
  desk_.frames(2);
  EXPECT_FALSE(desk_.shows("figure/format/gif"));
}

TEST_F(SweepDialog, OffersVideosOnlyWhereTheyCanBeMade) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder_.path().c_str(), 1);
  open_sweep();
  EXPECT_FALSE(desk_.enables("figure/format/mp4"));
  export_as("a.mp4");
  EXPECT_TRUE(says(dialog().error, {"a.mp4", "ffmpeg is missing"}));
  put_text(folder_ / "ffmpeg", "#!/bin/sh\nfor word; do out=$word; done; /bin/cat >\"$out\"\n");
  std::filesystem::permissions(folder_ / "ffmpeg", std::filesystem::perms::owner_all);
  open_sweep("seed", "2");
  EXPECT_TRUE(desk_.enables("figure/format/mp4"));
  desk_.click("figure/format/mp4");
  desk_.frames(2);
  EXPECT_FALSE(desk_.enables("figure/repeat"));
  export_as("a.mp4");
  EXPECT_TRUE(says(desk_.message(), {"Exported ", "a.mp4", "2 frames"})) << dialog().error;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "a.mp4"));
  setenv("PATH", path.c_str(), 1);
}

TEST_F(SweepDialog, ShowsStagesOneByOneInThePipeline) {
  open_sweep("stages", "");
  EXPECT_EQ(options().stage, std::nullopt);
  EXPECT_FALSE(desk_.shows("figure/sweep/last"));
  EXPECT_EQ(figure().obstacle, "");
  EXPECT_EQ(figure().frame_name, "inputs");
  EXPECT_EQ(dialog().name, "attention-pipeline-stages.png");
  const std::shared_ptr<const FigurePreview> first = preview();
  desk_.click("figure/frame", {0.99f, 0.5f});
  EXPECT_EQ(figure().frame_name, "output");
  EXPECT_NE(preview()->image.pixels, first->image.pixels);
  desk_.choose("figure/stage", "weights");
  desk_.frames(2);
  EXPECT_TRUE(says(figure().obstacle, {"in the diagram"}));
}

TEST_F(SweepDialog, ShowsTheStagesOfADiagramThatAreChosen) {
  open();
  EXPECT_FALSE(desk_.shows("figure/stages"));
  desk_.choose("figure/stage", "pipeline");
  desk_.frames(2);
  const std::shared_ptr<const FigurePreview> all = preview();
  desk_.click("figure/stages");
  desk_.frames(2);
  desk_.click("figure/stages/project");
  desk_.click("figure/stages/scores");
  desk_.frames(2);
  EXPECT_EQ(options().left_out, (StageSet{Stage::inputs, Stage::queries, Stage::keys, Stage::values, Stage::scores}));
  desk_.click("figure/stages/project");
  EXPECT_EQ(options().left_out, StageSet{Stage::scores});
  desk_.press_key(keys::named(ImGuiKey_Escape));
  desk_.frames(2);
  ASSERT_EQ(dialog().kind, DialogState::Kind::figure);
  desk_.click("figure/arrows");
  desk_.frames(2);
  EXPECT_FALSE(options().has_arrows);
  EXPECT_NE(preview()->image.pixels, all->image.pixels);
}

}  // namespace
}  // namespace attnscope::test
