// Sweeps as files that play: GIF and MP4, and the stages of a diagram one by one.

#include <cstdlib>

#include "files/document_file.h"
#include "paint/file/figure.h"
#include "sweep_app.h"

namespace attnscope::test {
namespace {

TEST_F(SweepDialog, WritesAGifThatIsTheDocument) {
  open_sweep();
  EXPECT_FALSE(app_.shows("figure/format/svg"));
  app_.click("figure/format/gif");
  EXPECT_EQ(dialog().name, "attention-weights-seed.gif");
  app_.choose("figure/parameter", "tokens");
  EXPECT_EQ(dialog().name, "attention-weights-tokens.gif");
  export_as("a.gif");
  EXPECT_TRUE(says(app_.message(), {"Exported ", "a.gif", "6 frames"})) << dialog().error;
  EXPECT_EQ(text_of(folder_ / "a.gif").substr(0, 6), "GIF89a");
  EXPECT_EQ(load_document(folder_ / "a.gif"), app_.document());
  app_.click("figure/series");
  EXPECT_FALSE(app_.shows("figure/format/gif"));
}

TEST_F(SweepDialog, OffersVideosOnlyWhereTheyCanBeMade) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder_.path().c_str(), 1);
  open_sweep();
  EXPECT_FALSE(app_.enables("figure/format/mp4"));
  export_as("a.mp4");
  EXPECT_TRUE(says(dialog().error, {"a.mp4", "ffmpeg is missing"}));
  put_text(folder_ / "ffmpeg", "#!/bin/sh\nfor word; do out=$word; done; /bin/cat >\"$out\"\n");
  std::filesystem::permissions(folder_ / "ffmpeg", std::filesystem::perms::owner_all);
  open_sweep("seed", "2");
  EXPECT_TRUE(app_.enables("figure/format/mp4"));
  app_.click("figure/format/mp4");
  EXPECT_FALSE(app_.enables("figure/repeat"));
  export_as("a.mp4");
  EXPECT_TRUE(says(app_.message(), {"Exported ", "a.mp4", "2 frames"})) << dialog().error;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "a.mp4"));
  setenv("PATH", path.c_str(), 1);
}

TEST_F(SweepDialog, ShowsStagesOneByOneInThePipeline) {
  open_sweep("stages", "");
  EXPECT_EQ(options().stage, std::nullopt);
  EXPECT_FALSE(app_.shows("figure/sweep/last"));
  EXPECT_EQ(figure().obstacle, "");
  EXPECT_EQ(figure().frame_name, "inputs");
  EXPECT_EQ(dialog().name, "attention-pipeline-stages.png");
  const std::shared_ptr<const FigurePreview> first = preview();
  app_.drag("figure/frame", 0.05f, 0.99f);
  EXPECT_EQ(figure().frame_name, "output");
  EXPECT_NE(preview()->image.pixels, first->image.pixels);
  app_.choose("figure/stage", "weights");
  EXPECT_TRUE(says(figure().obstacle, {"in the diagram"}));
}

TEST_F(SweepDialog, ShowsTheStagesOfADiagramThatAreChosen) {
  open();
  EXPECT_FALSE(app_.shows("figure/stages"));
  app_.choose("figure/stage", "pipeline");
  const std::shared_ptr<const FigurePreview> all = preview();
  app_.click("figure/stages");
  app_.click("figure/stages/project");
  app_.click("figure/stages/scores");
  EXPECT_EQ(options().left_out, (StageSet{Stage::inputs, Stage::queries, Stage::keys, Stage::values, Stage::scores}));
  app_.click("figure/stages/project");
  EXPECT_EQ(options().left_out, StageSet{Stage::scores});
  app_.press_key(keys::named(ImGuiKey_Escape));
  ASSERT_EQ(dialog().kind, DialogState::Kind::figure);
  app_.click("figure/arrows");
  EXPECT_FALSE(options().has_arrows);
  EXPECT_NE(preview()->image.pixels, all->image.pixels);
}

}  // namespace
}  // namespace attnscope::test
