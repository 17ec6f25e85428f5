// `attnscope figure --film`, through the program.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "files/image.h"
#include "program.h"
#include "support.h"
#include "tests/support/png.h"

namespace attnscope::test {
namespace {

const std::string weight = "weights[0,0,3,1]";

ProgramRun film(const std::string& out, std::vector<std::string> more = {}, const std::string& cell = weight,
                const std::string& document = "multi_head_attention") {
  std::vector<std::string> arguments = {"figure", builtin_path(document), "--film", cell, "-o", out};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(FilmCommand, WritesAGifThatIsItsDocument) {
  const TemporaryFolder folder;
  const ProgramRun run = film((folder / "a.gif").string(), {"--seconds", "0.5", "--loop", "2"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out + run.err, "");
  const std::string bytes = text_of(folder / "a.gif");
  EXPECT_EQ(bytes.substr(0, 6), "GIF89a");
  EXPECT_EQ(bytes.substr(6, 4), std::string("\xC0\x03\x1C\x02", 4)) << "960 by 540 pixels";
  EXPECT_EQ(run_program({"eval", (folder / "a.gif").string()}).out,
            run_program({"eval", builtin_path("multi_head_attention")}).out);
  ASSERT_EQ(film((folder / "b.gif").string(), {"--seconds", "0.5", "--loop", "2"}).status, 0);
  EXPECT_TRUE(text_of(folder / "b.gif") == bytes);
}

// Its key frames, scene by scene.
TEST(FilmCommand, WritesKeyFramesAsPagesAndNumberedPictures) {
  const TemporaryFolder folder;
  ASSERT_EQ(film((folder / "a.pdf").string(), {"--size", "slide-16x9"}).status, 0);
  const ProgramRun run = film((folder / "b-%d.png").string());
  ASSERT_EQ(run.status, 0) << run.err;
  const std::size_t scenes = folder.names().size() - 1;
  EXPECT_GE(scenes, 4U);
  const std::string words = (folder / "words.txt").string();
  ASSERT_EQ(std::system(fmt::format("pdftotext '{}' '{}'", (folder / "a.pdf").string(), words).c_str()), 0);
  EXPECT_EQ(count_of(text_of(words), "\f"), scenes) << "a form feed ends each page";
  const auto picture = read_png(folder / "b-1.png");
  EXPECT_EQ(picture.width, 960);
  EXPECT_EQ(picture.height, 540);
  EXPECT_NE(text_of(folder / "b-1.png"), text_of(folder / "b-2.png"));
  const std::string numbers = run_program({"eval", builtin_path("multi_head_attention")}).out;
  for (const char* const name : {"a.pdf", "b-1.png", "b-2.png"})
    EXPECT_EQ(run_program({"eval", (folder / name).string()}).out, numbers) << name;
}

TEST(FilmCommand, WritesAnAnimatedPngWithoutEqualFrames) {
  const TemporaryFolder folder;
  ASSERT_EQ(film((folder / "a.png").string(), {"--seconds", "0.5", "--fps", "4", "--width", "480px"}).status, 0);
  const std::string bytes = text_of(folder / "a.png");
  EXPECT_NE(bytes.find("acTL"), std::string::npos);
  ASSERT_EQ(film((folder / "b-%d.png").string(), {"--seconds", "0.5", "--fps", "4", "--width", "480px"}).status, 0);
  const std::size_t frames = folder.names().size() - 1;
  EXPECT_LE(count_of(bytes, "fcTL"), frames - 7) << "the end stays two seconds";
  EXPECT_EQ(read_png(folder / "a.png").width, 480);
  EXPECT_EQ(run_program({"eval", (folder / "a.png").string()}).status, 0);
}

// What is handed to ffmpeg: a picture for each frame.
TEST(FilmCommand, HandsEveryFrameToTheVideo) {
  const TemporaryFolder folder;
  put_text(folder / "ffmpeg", "#!/bin/sh\nfor word; do out=$word; done; /bin/cat >\"$out\"\n");
  std::filesystem::permissions(folder / "ffmpeg", std::filesystem::perms::owner_all);
  const ProgramRun run =
      run_program({"figure", builtin_path("multi_head_attention"), "--film", weight, "-o", (folder / "a.mp4").string(),
                   "--seconds", "0.5", "--fps", "4", "--width", "480px"},
                  "", "PATH=" + folder.path().string() + ":$PATH ");
  ASSERT_EQ(run.status, 0) << run.err;
  ASSERT_EQ(film((folder / "b-%d.png").string()).status, 0);
  const std::size_t scenes = folder.names().size() - 2;
  const std::size_t frames = 2 * scenes + 8;  // and the end stays two seconds
  EXPECT_EQ(text_of(folder / "a.mp4").size(), frames * 480 * 270 * 4);
}

TEST(FilmCommand, ThemesAndDecimalsChangeIt) {
  const TemporaryFolder folder;
  const auto bytes = [&](std::vector<std::string> more) {
    const ProgramRun run = film((folder / "a-%d.png").string(), std::move(more));
    EXPECT_EQ(run.status, 0) << run.err;
    return text_of(folder / "a-1.png");
  };
  const std::vector<std::string> all = {bytes({}), bytes({"--theme", "dark"}), bytes({"--theme", "high-contrast"}),
                                        bytes({"--decimals", "4"})};
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
}

TEST(FilmCommand, OpenedAgainThePictureShowsItsCell) {
  const TemporaryFolder folder;
  ASSERT_EQ(film((folder / "a-%d.png").string()).status, 0);
  put_text(folder / "script.json", R"({"document": ")" + (folder / "a-1.png").string() +
                                       R"(", "steps": [{"expect": "inspector/watch", "enabled": true}]})");
  const ProgramRun run = run_program({"drive", (folder / "script.json").string(), "-o", (folder / "out").string()});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(FilmCommand, SaysWhatIsWrongAndWritesNothing) {
  struct Case {
    std::string out;
    std::string cell;
    std::vector<std::string> options;
    std::vector<std::string> fragments;
  };
  const TemporaryFolder folder;
  for (const Case& wrong :
       std::vector<Case>{{"a.svg", weight, {}, {"a.svg", "--film", ".pdf", "out-%03d.png"}},
                         {"a.gif", "wieghts[0,0,1,1]", {}, {"--film is \"wieghts[0,0,1,1]\"", "weights[0,0,1,0]"}},
                         {"a.gif", "weights[1,1]", {}, {"--film is \"weights[1,1]\""}},
                         {"a.gif", "weights[0,0,9,1]", {}, {"weights[0,0,9,1]", "2 × 2 × 6 × 6"}},
                         {"a.gif", "capped_scores[0,0,1,1]", {}, {"multi_head_attention", "capped scores"}},
                         {"a.gif", "inputs[0,1,1]", {}, {"There is no film of inputs[0,1,1]"}},
                         {"a.gif", "W_query[1,1]", {}, {"There is no film of W_query[1,1]"}},
                         {"a.gif", weight, {"--sweep", "seed=1..3"}, {"--film and --sweep"}},
                         {"a.gif", weight, {"--stage", "weights"}, {"--stage changes nothing here"}},
                         {"a.gif", weight, {"--study", "dropout"}, {"--study changes nothing here"}},
                         {"a.gif", weight, {"--cell", "2,1"}, {"--cell changes nothing here"}},
                         {"a.gif", weight, {"--title", "Mine"}, {"--title changes nothing here"}},
                         {"a.gif", weight, {"--decimals", "none"}, {"--decimals is \"none\"", "0 to 4"}},
                         {"a.gif", weight, {"--seconds", "0.1"}, {"--seconds", "0.5 to 60"}},
                         {"a.gif", weight, {"--seconds", "nan"}, {"--seconds"}},
                         {"a.gif", weight, {"--fps", "0"}, {"--fps", "0.1 to 50"}},
                         {"a.pdf", weight, {"--fps", "5"}, {"--fps", "a.pdf", "pages"}},
                         {"a.mp4", weight, {"--loop", "3"}, {"--loop", "a.mp4"}},
                         {"a-%d.png", weight, {"--loop", "3"}, {"--loop", "a-%d.png"}},
                         {"a-%d.gif", weight, {}, {"a-%d.gif", "numbered", ".png"}}}) {
    const ProgramRun run = film((folder / wrong.out).string(), wrong.options, wrong.cell);
    EXPECT_EQ(run.status, 2) << wrong.cell << " " << run.err;
    EXPECT_TRUE(says(run.err.substr(0, run.err.size() - 1), wrong.fragments)) << run.err;
    EXPECT_EQ(count_of(run.err, "\n"), 1U) << run.err;
  }
  const ProgramRun still = run_program(
      {"figure", builtin_path("multi_head_attention"), "-o", (folder / "a.png").string(), "--seconds", "2"});
  EXPECT_EQ(still.status, 2);
  EXPECT_TRUE(says(still.err.substr(0, still.err.size() - 1), {"--seconds changes nothing here", "--film"}))
      << still.err;
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace attnscope::test
