// How pictures get into the clipboard, with programs of the test's own in place of the desktop's.

#include "platform/system/other_programs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "support.h"

namespace attnscope::test {
namespace {

// Sets a variable of the environment until its end.
class Variable {
public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

private:
  const char* name_;
  std::optional<std::string> before_;
};

class Clipboard : public testing::Test {
protected:
  void install(const std::string& program, const std::string& script) {
    put_text(folder_ / program, "#!/bin/sh\n" + script);
    std::filesystem::permissions(folder_ / program, std::filesystem::perms::owner_all);
  }
  // Keeps what it was given, and its arguments.
  void install_keeper(const std::string& program) {
    install(program, "/bin/cat >'" + (folder_ / "picture").string() + "'\necho \"$@\" >'" +
                         (folder_ / "arguments").string() + "'\n");
  }

  TemporaryFolder folder_;
  Variable path_{"PATH", folder_.path().string()};
  Variable wayland_{"WAYLAND_DISPLAY", ""};
  Variable display_{"DISPLAY", ":77"};
  std::string png_ = std::string("\x89PNG\r\n\x1a\n") + std::string(3'000'000, '\0') + "end";
};

TEST_F(Clipboard, OfX11IsReachedByXclip) {
  install_keeper("xclip");
  copy_picture(png_);
  EXPECT_TRUE(text_of(folder_ / "picture") == png_);
  EXPECT_EQ(text_of(folder_ / "arguments"), "-selection clipboard -t image/png\n");
}

TEST_F(Clipboard, OfWaylandIsReachedByWlCopy) {
  const Variable wayland("WAYLAND_DISPLAY", "wayland-0");
  install_keeper("wl-copy");
  install("xclip", "exit 1\n");
  copy_picture(png_);
  EXPECT_TRUE(text_of(folder_ / "picture") == png_);
  EXPECT_EQ(text_of(folder_ / "arguments"), "--type image/png\n");
}

TEST_F(Clipboard, OfWaylandIsReachedThroughX11WhereWlCopyIsMissing) {
  const Variable wayland("WAYLAND_DISPLAY", "wayland-0");
  install_keeper("xclip");
  copy_picture(png_);
  EXPECT_TRUE(text_of(folder_ / "picture") == png_);
}

TEST_F(Clipboard, NamesThePackageToInstall) {
  EXPECT_TRUE(says(error_of([&] { copy_picture(png_); }).what(), {"xclip is missing", "install the package xclip"}));
  const Variable wayland("WAYLAND_DISPLAY", "wayland-0");
  EXPECT_TRUE(
      says(error_of([&] { copy_picture(png_); }).what(), {"wl-copy is missing", "install the package wl-clipboard"}));
}

TEST_F(Clipboard, SaysThatItWasRefused) {
  install("xclip", "exit 1\n");  // and does not read what it is given
  EXPECT_TRUE(says(error_of([&] { copy_picture(png_); }).what(), {"cannot be copied", "xclip"}));
}

TEST_F(Clipboard, ThatDoesNotAnswerCanBeGivenUp) {
  const std::filesystem::path started = folder_ / "started";
  install("xclip", "/bin/touch '" + started.string() + "'\nexec /bin/sleep 100000\n");
  std::stop_source stop;
  const std::jthread stopper([&] {
    while (!std::filesystem::exists(started)) std::this_thread::yield();
    stop.request_stop();
  });
  EXPECT_THROW(copy_picture(png_, stop.get_token()), Cancelled);
}

}  // namespace
}  // namespace attnscope::test
