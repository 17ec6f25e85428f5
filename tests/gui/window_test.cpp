#include "platform/window.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "core/error.h"

namespace attnscope {
namespace {

class WithoutDisplay : public testing::Test {
protected:
  WithoutDisplay() {
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
  }
};

TEST_F(WithoutDisplay, ThereIsNone) { EXPECT_FALSE(has_display()); }

TEST_F(WithoutDisplay, WindowNamesTheWayAroundIt) {
  try {
    const Window window(800, 600, "attnscope");
    FAIL() << "a window was opened without a display";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("attnscope screenshot"), std::string::npos) << error.what();
  }
}

TEST_F(WithoutDisplay, DisplayThatDoesNotAnswerIsNone) {
  setenv("DISPLAY", ":987", 1);
  EXPECT_FALSE(has_display());
}

}  // namespace
}  // namespace attnscope
