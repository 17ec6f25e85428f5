// The harness itself: it must see what the program says and how it ends.

#include "program.h"

#include "document/document.h"
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

TEST(Licenses, HaveTheProgramsOwnAndTheNoticesOfWhatIsCompiledIn) {
  const ProgramRun run = run_program({"--licenses"});
  EXPECT_EQ(run.status, 0);
  for (const char* const text : {"Copyright (c) 2026 The attnscope authors", "Permission is hereby granted",
                                 "Dear ImGui: MIT\n    Copyright 2014", "CLI11: BSD-3-Clause", "    shared: libcairo\n",
                                 "Redistributions in binary form must reproduce"}) {
    EXPECT_NE(run.out.find(text), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace attnscope::test
