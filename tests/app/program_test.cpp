// The harness itself: it must see what the program says and how it ends.

#include "program.h"

#include "document/version.h"
#include "support.h"

namespace attnscope::test {
namespace {

TEST(RunProgram, SeesStatusAndBothStreams) {
  EXPECT_EQ(run_program({"--version"}).out, "attnscope " + std::string(version()) + "\n");
  EXPECT_EQ(run_program({"--no-such-option"}).status, 2);
  EXPECT_NE(run_program({"--no-such-option"}).err, "");
  EXPECT_EQ(run_program({"eval", "-"}, "< /dev/null; kill -TERM $$").status, 128 + 15);
}

TEST(RunProgram, PassesWordsOnUnharmed) {
  EXPECT_NE(run_program({"eval", "it's $HOME *"}).err.find("it's $HOME *"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::test
