// Videos, made by a program of the test's own in place of ffmpeg.

#include "platform/system/other_programs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "core/error.h"
#include "platform/system/process.h"
#include "support.h"

namespace attnscope::test {
namespace {

class Video : public testing::Test {
protected:
  Video() {
    guard_standard_streams();  // as the program does: a program that has gone is an error with a sentence
    setenv("PATH", folder_.path().c_str(), 1);
  }
  ~Video() override { setenv("PATH", path_.c_str(), 1); }

  void install(const std::string& script) {
    put_text(folder_ / "ffmpeg", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(folder_ / "ffmpeg", std::filesystem::perms::owner_all);
  }
  // The file that the encoder makes of two frames.
  static std::string made() {
    VideoEncoder encoder(64, 32, 4);
    const std::vector<std::uint8_t> frame(std::size_t{64} * 32 * 4, 'a');
    encoder.add_frame(frame);
    encoder.add_frame(frame);
    return encoder.finish();
  }

  const std::string path_ = std::getenv("PATH");
  TemporaryFolder folder_;
};

TEST_F(Video, IsWhatTheProgramMakesOfAllFrames) {
  install("out=; for word; do out=$word; done; { echo \"$@\"; /bin/cat; } >\"$out\"");
  EXPECT_EQ(video_problem(), "");
  const std::string file = made();
  const std::size_t end = file.find('\n');
  EXPECT_NE(file.find("-video_size 64x32 -framerate 4 -i pipe:0"), std::string::npos) << file.substr(0, end);
  EXPECT_EQ(file.size() - end - 1, std::size_t{2} * 64 * 32 * 4);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"ffmpeg"});
}

TEST_F(Video, OfManyBytesIsTakenAsFastAsTheProgramCan) {
  install("for word; do out=$word; done; /usr/bin/wc -c >\"$out\"");
  VideoEncoder encoder(1024, 512, 4);
  const std::vector<std::uint8_t> frame(std::size_t{1024} * 512 * 4);
  for (int i = 0; i < 3; ++i) encoder.add_frame(frame);
  EXPECT_EQ(std::stoul(encoder.finish()), 3U * 1024 * 512 * 4);
}

TEST_F(Video, NeedsTheProgram) {
  EXPECT_EQ(video_problem(), "ffmpeg is missing: install it.");
  EXPECT_TRUE(says(error_of(made).what(), {"cannot be made", "ffmpeg is missing"}));
  put_text(folder_ / "ffmpeg", "not a program");
  EXPECT_NE(video_problem(), "");
}

TEST_F(Video, SaysWhatTheProgramSays) {
  install("echo 'No such encoder.' >&2; echo more >&2; exit 1");
  EXPECT_TRUE(says(error_of(made).what(), {"ffmpeg says: No such encoder."}));
  install("/bin/cat >/dev/null; exit 3");
  EXPECT_TRUE(says(error_of(made).what(), {"without saying why"}));
  install("/bin/cat >/dev/null");
  EXPECT_TRUE(says(error_of(made).what(), {"wrote nothing"}));
}

TEST_F(Video, EndsTheProgramWhenItIsStopped) {
  install("echo $$ >'" + (folder_ / "process").string() + "'; exec /bin/sleep 1000");
  std::stop_source source;
  VideoEncoder encoder(1024, 512, 4);
  const std::jthread stopper([&] {
    while (!std::filesystem::exists(folder_ / "process") || text_of(folder_ / "process").empty())
      std::this_thread::yield();
    source.request_stop();
  });
  const std::vector<std::uint8_t> frame(std::size_t{1024} * 512 * 4);  // more than a pipe takes
  EXPECT_THROW(encoder.add_frame(frame, source.get_token()), Cancelled);
}

}  // namespace
}  // namespace attnscope::test
