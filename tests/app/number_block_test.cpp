#include "document/edit.h"
#include "document/spelling.h"

#include <random>

#include "support.h"

namespace attnscope::test {
namespace {

using Rows = std::vector<std::vector<float>>;

TEST(NumberBlock, ReadsWhatSpreadsheetsAndFilesHave) {
  const Rows expected = {{0.43F, -0.15F}, {0.55F, 870}};
  for (const char* text : {"0.43\t-0.15\n0.55\t8.7e2\n", "0.43,-0.15\r\n0.55,870\r\n", "0.43; -0.15\n0.55; 870",
                           "0.43 -0.15\n\n  0.55    +870  \n", "0.43, -0.15,\n0.55, 870.,\n",
                           "# two rows\n0.43 -.15 # first\n0.55 870 # second"}) {
    EXPECT_EQ(parse_number_block(text), expected) << text;
  }
}

TEST(NumberBlock, ReadsPython) {
  const Rows expected = {{0.43F, -0.15F}, {0.55F, 870}};
  for (const char* text :
       {"[[0.43, -0.15], [0.55, 870]]", "torch.tensor([[0.43, -0.15],\n  [0.55, 8.7E+2]])",
        "inputs = torch.tensor(\n  [[0.43, -0.15], # Your (x^1)\n   [0.55, 870.]] # journey [x^2]\n)",
        "np.array([[0.43, -0.15], [0.55, 870]], dtype=np.float32)", "[[0.43 -0.15]\n [0.55 870]]",
        "tensor([[0.43, -0.15],\n        [0.55, 870.0],])", "print([[0.43, -0.15], [0.55, 870]]"}) {
    EXPECT_EQ(parse_number_block(text), expected) << text;
  }
}

TEST(NumberBlock, ReadsOneRowAndOneNumber) {
  EXPECT_EQ(parse_number_block("[1, 2, 3]"), (Rows{{1, 2, 3}}));
  EXPECT_EQ(parse_number_block("torch.tensor([1, 2, 3])"), (Rows{{1, 2, 3}}));
  EXPECT_EQ(parse_number_block("7"), (Rows{{7}}));
  EXPECT_EQ(parse_number_block("1e-400"), (Rows{{0}}));
}

TEST(NumberBlock, NamesTheRowAndWhatStandsThere) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"", {"no numbers"}},
      {" \n# nothing\n", {"no numbers"}},
      {"[]", {"Row 1 is empty"}},
      {"[[]]", {"Row 1 is empty"}},
      {"1 2\n3 x", {"Row 2", "\"x\"", "not a number"}},
      {"x,y,z\n1,2,3", {"Row 1", "\"x\""}},
      {"1 nan", {"Row 1", "\"nan\"", "finite"}},
      {"1\n-inf", {"Row 2", "\"-inf\"", "finite"}},
      {"1e39", {"Row 1", "\"1e39\"", "3.4e38"}},
      {"1e999", {"Row 1", "\"1e999\"", "3.4e38"}},
      {"1 2\n3", {"Row 2 has 1", "row 1 has 2"}},
      {"[[1, 2], [3]]", {"Row 2 has 1", "row 1 has 2"}},
      {"1,,2", {"Row 1", "nothing before", "number is missing"}},
      {",1", {"Row 1", "number is missing"}},
      {"1 - 2", {"Row 1", "\"-\""}},
      {"0x10", {"Row 1", "\"0x10\""}},
      {"1 2 ...", {"Row 1", "\"...\""}},
      {"0,43;0,15", {"Row 1", "decimals with a point"}},
      {"0,43\t0,15", {"Row 1", "decimals with a point"}},
      {"[[1, 2], [3, 4]", {"Row 2", "closing bracket"}},
      {"[1, 2], [3, 4]", {"Row 1", "brackets of its own"}},
      {"[[1, 2", {"closing bracket"}},
      {"1, 2]", {"closing bracket"}},
      {"[[[1, 2]]]", {"Row 1", "another list"}},
      {"[[1, 2], 3]", {"Row 2", "3"}},
      {"a + b [[1]]", {"\"a + b\"", "before the first bracket"}},
      {"[[1]] + 3", {"\"+ 3\"", "after the last bracket"}},
  };
  for (const auto& [text, fragments] : cases) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(says(error_of([&refused = text] { parse_number_block(refused); }).what(), fragments));
  }
}

TEST(NumberBlock, NeverCrashesOnNoise) {
  std::mt19937 engine(3);
  const std::string letters = "[](),;\t\n 0123456789.-+eE#=nainf_x\xFF";
  for (int round = 0; round < 20000; ++round) {
    std::string text(engine() % 40, ' ');
    for (char& c : text) c = letters[engine() % letters.size()];
    try {
      const Rows rows = parse_number_block(text);
      ASSERT_FALSE(rows.empty()) << text;
      for (const auto& row : rows) ASSERT_EQ(row.size(), rows.front().size()) << text;
    } catch (const Error& error) {
      ASSERT_TRUE(says(error.what(), {})) << text;
    }
  }
}

}  // namespace
}  // namespace attnscope::test
