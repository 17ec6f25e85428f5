// `attnscope code`, through the program.

#include "program.h"
#include "support.h"

namespace attnscope::test {
namespace {

TEST(CodeCommand, WritesToStandardOutputOrAFile) {
  const TemporaryFolder folder;
  const std::string document = builtin_path("causal_dropout");
  for (const char* language : {"pytorch", "numpy", "latex"}) {
    const ProgramRun printed = run_program({"code", document, "--language", language});
    EXPECT_EQ(printed.status, 0) << printed.err;
    EXPECT_NE(printed.out, "");
    const std::string target = (folder / language).string();
    const ProgramRun written = run_program({"code", document, "--language", language, "-o", target});
    EXPECT_EQ(written.status, 0) << written.err;
    EXPECT_EQ(written.out, "");
    EXPECT_EQ(text_of(target), printed.out);
  }
  EXPECT_EQ(run_program({"code", document}).out, text_of(folder / "pytorch"));
  EXPECT_EQ(run_program({"code", "-"}, "< '" + document + "'").out, text_of(folder / "pytorch"));
}

TEST(CodeCommand, RefusesOtherLanguagesAndBadDocuments) {
  const ProgramRun language = run_program({"code", builtin_path("causal_dropout"), "--language", "julia"});
  EXPECT_EQ(language.status, 2);
  EXPECT_NE(language.err.find("julia"), std::string::npos) << language.err;
  EXPECT_EQ(run_program({"code", "no/such.json"}).status, 2);
}

TEST(CodeCommand, TooManyNumbersAreOneSentence) {
  const ProgramRun run = run_program({"code", builtin_path("gpt2_sized"), "--language", "numpy"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("3146496 numbers"), std::string::npos) << run.err;
}

TEST(CodeCommand, ATargetThatCannotBeWrittenIsStatusOne) {
  const ProgramRun run = run_program({"code", builtin_path("causal_dropout"), "-o", "no/such/folder/a.py"});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("no/such/folder/a.py"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace attnscope::test
