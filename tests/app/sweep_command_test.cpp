// `attnscope figure --sweep`, through the program; sweep_frames.py looks at the pictures.

#include <gtest/gtest.h>

#include "document/json.h"
#include "files/image.h"
#include "program.h"
#include "support.h"
#include "tests/support/png.h"

namespace attnscope::test {
namespace {

ProgramRun sweep(const std::string& out, const std::string& what, std::vector<std::string> more = {},
                 const std::string& document = "multi_head_attention") {
  std::vector<std::string> arguments = {"figure", builtin_path(document), "--sweep", what, "-o", out, "--scale", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

TEST(SweepCommand, WritesOneAnimationOrNumberedPictures) {
  const TemporaryFolder folder;
  const ProgramRun one = sweep((folder / "a.png").string(), "seed=1..3", {"--fps", "8", "--loop", "2"});
  EXPECT_EQ(one.status, 0) << one.err;
  const ProgramRun many = sweep((folder / "b-%02d.png").string(), "tokens=2..4");
  EXPECT_EQ(many.status, 0) << many.err;
  EXPECT_EQ(one.out + one.err + many.out + many.err, "");  // no progress where there is no terminal
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.png", "b-01.png", "b-02.png", "b-03.png"}));
  EXPECT_NE(text_of(folder / "a.png").find("acTL"), std::string::npos);
  EXPECT_EQ(text_of(folder / "b-01.png").find("acTL"), std::string::npos);
  EXPECT_EQ(read_png(folder / "b-01.png").height, read_png(folder / "b-03.png").height);
}

TEST(SweepCommand, AnAnimationOfASlideIs1920PixelsWideUnlessAScaleIsAskedFor) {
  const TemporaryFolder folder;
  const auto width = [&](const char* name, const char* file, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"figure",  builtin_path("multi_head_attention"),
                                          "--sweep", "seed=1..2",
                                          "-o",      (folder / name).string(),
                                          "--size",  "slide-16x9"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.status, 0) << run.err;
    return read_png(folder / file).width;
  };
  EXPECT_EQ(width("a.png", "a.png", {}), 1920);
  EXPECT_EQ(width("b.png", "b.png", {"--scale", "2"}), 2560);
  EXPECT_EQ(width("c-%d.png", "c-1.png", {}), 3840) << "pictures of their own are for print";
}

TEST(SweepCommand, WritesGifsThatAreTheirDocuments) {
  const TemporaryFolder folder;
  const ProgramRun run = sweep((folder / "a.gif").string(), "stages", {"--theme", "transparent"});
  EXPECT_EQ(run.status, 0) << run.err;
  const std::string bytes = text_of(folder / "a.gif");
  EXPECT_EQ(bytes.substr(0, 6), "GIF89a");
  EXPECT_EQ(run_program({"eval", (folder / "a.gif").string()}).out,
            run_program({"eval", builtin_path("multi_head_attention")}).out);
  ASSERT_EQ(sweep((folder / "b.gif").string(), "stages", {"--theme", "transparent"}).status, 0);
  EXPECT_TRUE(text_of(folder / "b.gif") == bytes);
}

TEST(SweepCommand, SaysWhichMaskASweepOfSeedsLeavesAlone) {
  const TemporaryFolder folder;
  Document document = default_document();
  document.config.dropout = 0.5;
  const auto said = [&](const char* what) {
    put_text(folder / "document.json", to_json(document));
    std::string err = run_program({"figure", (folder / "document.json").string(), "--sweep", what, "-o",
                                   (folder / "a.png").string(), "--scale", "1"})
                          .err;
    if (err.ends_with('\n')) err.pop_back();
    return err;
  };
  EXPECT_EQ(said("seed=1..2"), "");
  document.config.dropout_seed = 9;
  EXPECT_TRUE(says(said("seed=1..2"), {"seed of its own, 9", "sweep dropout_seed"}));
  EXPECT_EQ(said("dropout=0..0.5"), "");
}

TEST(SweepCommand, LooksAtAPictureAsThePictureDoes) {
  const TemporaryFolder folder;
  const std::string picture = (folder / "picture.png").string();
  const std::vector<std::string> choices = {"--stage", "scores", "--head", "2", "--range", "own", "--cell", "2,1"};
  std::vector<std::string> arguments = {"figure", builtin_path("multi_head_attention"), "-o", picture};
  arguments.insert(arguments.end(), choices.begin(), choices.end());
  ASSERT_EQ(run_program(arguments).status, 0);
  const auto of_picture = [&](const std::string& name, const std::string& what) {
    return run_program({"figure", picture, "--sweep", what, "-o", (folder / name).string(), "--scale", "1"});
  };
  ASSERT_EQ(of_picture("seen.png", "seed=1..2").status, 0);
  ASSERT_EQ(sweep((folder / "said.png").string(), "seed=1..2", choices).status, 0);
  EXPECT_TRUE(text_of(folder / "seen.png") == text_of(folder / "said.png"));
  for (const char* const what : {"num_heads=1,2", "tokens=1..3", "stages"}) {  // which not every frame has
    const ProgramRun run = of_picture("other.png", what);
    EXPECT_EQ(run.status, 0) << what << run.err;
  }
}

// With a program of the test's own in place of ffmpeg, and without one.
TEST(SweepCommand, WritesVideosWhereThereIsAProgramForThem) {
  const TemporaryFolder folder;
  const TemporaryFolder programs;
  std::filesystem::create_symlink("/usr/bin/env", programs / "env");  // that tests run the program by
  const std::string path = "PATH='" + programs.path().string() + "' ";
  const std::vector<std::string> arguments = {"figure",  builtin_path("multi_head_attention"),
                                              "--sweep", "seed=1..3",
                                              "-o",      (folder / "a.mp4").string(),
                                              "--scale", "1",
                                              "--width", "301px"};
  const ProgramRun without = run_program(arguments, "", path);
  EXPECT_EQ(without.status, 2);
  EXPECT_TRUE(says(without.err.substr(0, without.err.size() - 1), {"a.mp4 cannot be made", "ffmpeg is missing"}));
  EXPECT_TRUE(folder.names().empty());
  put_text(programs / "ffmpeg",
           "#!/bin/sh\nfor word; do out=$word; done; { echo \"$@\"; /usr/bin/wc -c; } >\"$out\"\n");
  std::filesystem::permissions(programs / "ffmpeg", std::filesystem::perms::owner_all);
  const ProgramRun with = run_program(arguments, "", path);
  EXPECT_EQ(with.status, 0) << with.err;
  const std::string video = text_of(folder / "a.mp4");
  const std::size_t at = video.find("-video_size 302x");  // even
  ASSERT_NE(at, std::string::npos) << video;
  const std::size_t height = std::stoul(video.substr(at + 16));
  EXPECT_EQ(height % 2, 0U);
  EXPECT_EQ(std::stoul(video.substr(video.find('\n') + 1)), 3 * 302 * height * 4);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.mp4"});
}

TEST(SweepCommand, AnimationIsItsDocumentAndNumberedPicturesAreTheirs) {
  const TemporaryFolder folder;
  ASSERT_EQ(sweep((folder / "a.png").string(), "tokens=2..3").status, 0);
  ASSERT_EQ(sweep((folder / "b-%d.png").string(), "tokens=2..3").status, 0);
  const auto numbers = [](const std::string& document) {
    const ProgramRun run = run_program({"eval", document});
    EXPECT_EQ(run.status, 0) << run.err;
    return run.out;
  };
  EXPECT_EQ(numbers((folder / "a.png").string()), numbers(builtin_path("multi_head_attention")));
  const std::string two = numbers((folder / "b-1.png").string());
  const std::string three = numbers((folder / "b-2.png").string());
  EXPECT_LT(two.size(), three.size());
  EXPECT_LT(three.size(), numbers((folder / "a.png").string()).size());
}

TEST(SweepCommand, SaysWhatIsWrongAndWritesNothing) {
  struct Case {
    std::string out;
    std::string sweep;
    std::vector<std::string> options;
    std::vector<std::string> fragments;
  };
  const TemporaryFolder folder;
  for (const Case& wrong :
       std::vector<Case>{{"a.svg", "seed=1..3", {}, {"a.svg", ".png", "out-%03d.png"}},
                         {"a.pdf", "seed=1..3", {}, {"a.pdf", ".png"}},
                         {"a-%d.gif", "seed=1..3", {}, {"a-%d.gif", "numbered", ".png"}},
                         {"a.mp4", "seed=1..3", {"--loop", "3"}, {"--loop", "a.mp4"}},
                         {"a-%d-%d.png", "seed=1..3", {}, {"%d", "once"}},
                         {"a-%3d.png", "seed=1..3", {}, {"%03d"}},
                         {"a-%d.png", "seed=1..3", {"--fps", "4"}, {"--fps", "a-%d.png"}},
                         {"a-%d.png", "seed=1..3", {"--loop", "4"}, {"--loop"}},
                         {"a.png", "", {}, {"--sweep is empty"}},
                         {"a.png", "sead=1..3", {}, {"sead=1..3", "did you mean \"seed\"?"}},
                         {"a.png", "stages", {"--stage", "weights"}, {"--sweep is stages", "\"weights\""}},
                         {"a.png", "stages", {"--stages", "masked_weights"}, {"None of the stages"}},
                         {"a.png", "seed=1..5000", {}, {"5000 values", "at most 1000"}},
                         {"a-%d.png", "dropout=0.5,1.5", {}, {"dropout is 1.5", "0 to 1"}},
                         {"a-%d.png", "num_heads=1,3", {}, {"num_heads is 3", "d_out"}},
                         {"a-%d.png", "tokens=6..7", {}, {"7 tokens"}},
                         {"a.png", "embedding[9,1]=0..1", {}, {"no token 9"}},
                         {"a-%d.png", "num_heads=2,1", {"--head", "2"}, {"--head", "\"2\"", "one head"}},
                         {"a.png", "seed=1..3", {"--fps", "0"}, {"--fps", "0.1 to 50"}},
                         {"a.png", "seed=1..3", {"--fps", "nan"}, {"--fps"}},
                         {"a.png", "seed=1..3", {"--loop", "0"}, {"--loop", "1 to 65535"}},
                         {"a.png", "seed=1..3", {"--stage", "wieghts"}, {"wieghts"}},
                         {"a.png", "seed=1..3", {"--width", "30mm", "--font-size", "36"}, {"no room"}}}) {
    const ProgramRun run = sweep((folder / wrong.out).string(), wrong.sweep, wrong.options);
    EXPECT_EQ(run.status, 2) << wrong.sweep;
    EXPECT_TRUE(says(run.err.substr(0, run.err.size() - 1), wrong.fragments)) << run.err;
  }
  EXPECT_EQ(
      run_program({"figure", builtin_path("causal_dropout"), "-o", (folder / "a.png").string(), "--fps", "4"}).status,
      2);
  const ProgramRun nowhere = sweep((folder / "no" / "a.png").string(), "seed=1..3");
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_TRUE(says(nowhere.err.substr(0, nowhere.err.size() - 1), {"Cannot write", "no/a.png"})) << nowhere.err;
  EXPECT_TRUE(folder.names().empty());
}

// Numbered pictures that are there already stay; beside them nothing does.
TEST(SweepCommand, StoppedByASignalLeavesNothing) {
  const TemporaryFolder folder;
  put_text(folder / "b-2.png", "mine");
  for (const char* const signal : {"INT", "TERM"}) {
    for (const char* const out : {"a.png", "b-%d.png"}) {
      const ProgramRun run =
          run_program({"figure", builtin_path("multi_head_attention"), "--sweep", "seed=1..1000", "-o",
                       (folder / out).string(), "--scale", "3"},
                      "", std::string("timeout --foreground --preserve-status -s ") + signal + " 2 ");
      EXPECT_EQ(run.status, 130) << run.err;
      EXPECT_TRUE(run.err.starts_with("attnscope: Stopped: ")) << run.err;
      EXPECT_TRUE(run.err.ends_with("is written.\n") || run.err.ends_with("is not written.\n")) << run.err;
      EXPECT_EQ(folder.names(), std::vector<std::string>{"b-2.png"});
    }
  }
  EXPECT_EQ(text_of(folder / "b-2.png"), "mine");
}

TEST(SweepCommand, SweepsWhatOtherMechanismsHave) {
  const TemporaryFolder folder;
  const std::string out = (folder / "a.png").string();
  EXPECT_EQ(sweep(out, "dropout=0,0.5", {}, "causal_dropout").status, 0);
  EXPECT_EQ(sweep(out, "tokens=1,6", {"--stage", "pipeline"}, "simple_self_attention").status, 0);
  EXPECT_EQ(sweep(out, "embedding[1,1]=0,1", {"--stage", "context"}, "self_attention_v1").status, 0);
  EXPECT_EQ(sweep(out, "stages", {"--size", "slide-16x9"}, "causal_dropout").status, 0);
  EXPECT_EQ(sweep(out, "stages", {"--stages", "compare"}, "causal_dropout").status, 0);
  EXPECT_EQ(sweep(out, "num_heads=1..3", {"--head", "all"}, "multi_head_attention_wrapper").status, 0);
  const ProgramRun none = sweep((folder / "b.png").string(), "dropout=0,0.5", {}, "simple_self_attention");
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("dropout cannot be swept"), std::string::npos) << none.err;
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.png"});
}

}  // namespace
}  // namespace attnscope::test
