// The forms of .csv that other programs write, and the whole sentence for each that is none.

#include <gtest/gtest.h>

#include <sstream>

#include "core/error.h"
#include "files/arrays.h"
#include "support.h"

namespace attnscope::test {
namespace {

// A table as text: its shape, then each row behind the name that it has. Or the sentence that refuses it.
std::string csv_outcome(const std::string& text) {
  std::ostringstream outcome;
  try {
    const NamedArrays file = parse_csv(text);
    const Tensor table = to_tensor(load(file, 0));
    outcome << shape_text(table.shape);
    for (Index row = 0; row < table.rows(); ++row) {
      outcome << " |";
      if (!file.row_names.empty()) outcome << " " << file.row_names.at(static_cast<std::size_t>(row)) << ":";
      for (const float number : table.matrix().row(row)) outcome << " " << number;
    }
    EXPECT_TRUE(file.row_names.empty() || std::ssize(file.row_names) == table.rows());
  } catch (const Error& error) {
    outcome << error.what();
  }
  return outcome.str();
}

struct CsvCase {
  std::string text;
  std::string outcome;
};

TEST(CsvForms, LinesEndAndSeparatorsStandInManyWays) {
  const std::string table = "(2, 2) | 1 2 | 3 4";
  const CsvCase cases[] = {
      {"1,2\n3,4", table},
      {"1,2\r\n3,4\r\n", table},
      {"1,2\r3,4\r", table},
      {"\xEF\xBB\xBF"
       "1,2\n3,4\n",
       table},
      {"1\t2\n3\t4\n", table},
      {"1;2\n3;4\n", table},
      {"1, 2\n 3 ,4 \n", table},
      {"1,2,\n3,4,\n", table},
      {"1,2\n3,4,\n", table},
      {"1,2,\n3,4\n", table},
      {"1,2, \n3,4, \n", table},
      {"a,b,\n1,2,\n3,4,\n", table},
      {"\n\n1,2\n\n   \n\t\n3,4\n\n  \n", table},
      {"\n\r\n1;2\n3;4\n", table},
      {"# written by numpy\n# d1 d2\r\n1,2\n3,4\n", table},
      {"# \n1,2\n3,4\n", table},
      {"a\tb;c\n1\t2\n3\t4\n", table},     // a tab before a semicolon
      {"a,b;c\n1;2\n3;4\n", table},        // a semicolon before a comma
      {"\"a;b\",c\n1,2\n3,4\n", table},    // no separator in quotation marks
      {"\"a\n;b\",c\n1,2\n3,4\n", table},  // nor on a further line of a name
      {"1;2\n\"3\";4\n", "(2, 1) | 1: 2 | 3: 4"},
      {"1\n2\n", "(2, 1) | 1 | 2"},
      {"1", "(1, 1) | 1"},
      {"1,\n2,\n", "(2, 1) | 1 | 2"},
      {"1 2\n3 4\n", table},  // blanks, as numpy.savetxt writes them
      {"  1.0e+00   2 \r\n 3  4  \r\n", table},
      {"# a b\n1 2\n3 4", table},
      {"a b\n1 2\n3 4\n", table},
      {"the 1 2\ncat 3 4\n", "(2, 2) | the: 1 2 | cat: 3 4"},
      {"\"the\" 1 2\n\"the cat\" 3 4\n", "(2, 2) | the: 1 2 | the cat: 3 4"},
  };
  for (const CsvCase& each : cases) EXPECT_EQ(csv_outcome(each.text), each.outcome) << each.text;
  EXPECT_EQ(parse_csv(",The,cat\nThe,1,0\ncat,0.5,0.5\n").column_names, (std::vector<std::string>{"The", "cat"}));
  EXPECT_EQ(parse_csv("The,cat\nThe,1,0\ncat,0.5,0.5\n").column_names, (std::vector<std::string>{"The", "cat"}));
  EXPECT_EQ(parse_csv("d1,d2\n1,0\n").column_names, (std::vector<std::string>{"d1", "d2"}));
  EXPECT_TRUE(parse_csv("1,2\n").column_names.empty());
}

TEST(CsvForms, NumbersAreSpelledInManyWays) {
  EXPECT_EQ(csv_outcome("1e3,-2.5E-2,+4,.5,5.,inf,-inf,Infinity,1e400,-1e400,1e-400,007,-0\n"),
            "(1, 13) | 1000 -0.025 4 0.5 5 inf -inf inf inf -inf 0 7 -0");
  for (const std::string text : {"++1", "+-1", "+", "-", "0x10", "1e", "1 2", "1_000", "True", "1f", "e5"}) {
    EXPECT_EQ(csv_outcome("1,2\n3," + text + "\n"), "Line 2, column 2 holds \"" + text +
                                                        "\", which is not a number: only the first line and the first "
                                                        "column may hold names.");
  }
}

TEST(CsvForms, BetweenTabsAndSemicolonsDecimalsMayHaveACommaAllOfThem) {
  const CsvCase cases[] = {
      {"0,25;0,75\n1;-2,5e-1\n", "(2, 2) | 0.25 0.75 | 1 -0.25"},
      {"0,25\t,75\n1,\t+2,5E1\n", "(2, 2) | 0.25 0.75 | 1 25"},
      {"a;b\n0,5;1\n", "(1, 2) | 0.5 1"},
      {"the;0,5;1\n\",\";1;0,5\n", "(2, 2) | the: 0.5 1 | ,: 1 0.5"},
      {",;0,5\n.;1\n", "(2, 1) | ,: 0.5 | .: 1"},
      {"token;1;2\na;0,5;1\n", "(1, 2) | a: 0.5 1"},
      {"0,5;1\n0.25;1\n",
       "Line 2, column 1 holds \"0.25\", but numbers before it have a decimal comma: write all of them with a point."},
      {"0.5;1,234\n",
       "Line 1, column 2 holds \"1,234\", but numbers before it have a decimal point: write all of them with a point."},
      {"1,000,000;2\n", "Line 1, column 1 holds \"1,000,000\", which is not a number: write decimals with a point."},
  };
  for (const CsvCase& each : cases) EXPECT_EQ(csv_outcome(each.text), each.outcome) << each.text;
}

TEST(CsvForms, NamesKeepEveryCharacter) {
  const CsvCase cases[] = {
      {"\"two\nlines\",1\nend,2\n", "(2, 1) | two\nlines: 1 | end: 2"},
      {"\"two\r\n\r\nlines\",1\nend,2\n", "(2, 1) | two\r\n\r\nlines: 1 | end: 2"},
      {"\"say \"\"hi\"\"\",1\n\"\"\"\",2\n\"a\"\"b\"\"c\",3\n", "(3, 1) | say \"hi\": 1 | \": 2 | a\"b\"c: 3"},
      {"\"\",5\n\"a,b\",2\n", "(2, 1) | : 5 | a,b: 2"},
      {" the ,1\n\" the \",2\n  \"cat\"  ,3\n", "(3, 1) | the: 1 |  the : 2 | cat: 3"},
      {"3\" disk,1\nb\"c\"d,2\n", "(2, 1) | 3\" disk: 1 | b\"c\"d: 2"},
      {"#a,1\n#,2\n", "(2, 1) | #a: 1 | #: 2"},
      {"a,1\n# b,2\n", "(2, 1) | a: 1 | # b: 2"},  // comments stand at the beginning only
      {"日本,1\n🙂,2\n", "(2, 1) | 日本: 1 | 🙂: 2"},
      {"1,2\n,3\nx,4\n", "(3, 1) | 1: 2 | : 3 | x: 4"},
      {"a,b;1\n\"x;y\";2\n", "(2, 1) | a,b: 1 | x;y: 2"},
  };
  for (const CsvCase& each : cases) EXPECT_EQ(csv_outcome(each.text), each.outcome) << each.text;
}

TEST(CsvForms, AFirstLineIsAHeaderOrARow) {
  const CsvCase cases[] = {
      {"a,b,c\n1,2,3\n", "(1, 3) | 1 2 3"},
      {"1,b,c\n1,2,3\n", "(1, 3) | 1 2 3"},
      {"token,b,c\n1,2,3\n", "(1, 2) | 1: 2 3"},
      {"b,c\n1,2,3\n", "(1, 2) | 1: 2 3"},
      {",0,1\n1,2,3\n", "(1, 2) | 1: 2 3"},
      {",1,2\na,5,6\n", "(1, 2) | a: 5 6"},
      {",2,3\na,5,6\n", "(2, 2) | : 2 3 | a: 5 6"},
      {",1,3\na,5,6\n", "(2, 2) | : 1 3 | a: 5 6"},
      {",1,b\na,5,6\n",
       "Line 1, column 3 holds \"b\", which is not a number: only the first line and the first column "
       "may hold names."},
      {" Token ,0,1\na,5,6\n", "(1, 2) | a: 5 6"},
      {"TOKENS,0,1\na,5,6\n", "(1, 2) | a: 5 6"},
      {"query,0,1\na,5,6\n", "(1, 2) | a: 5 6"},
      {"name,0,1\na,5,6\n", "(1, 2) | a: 5 6"},
      {"word,0,1\na,5,6\n", "(1, 2) | a: 5 6"},
      {"\"index\",0,1\na,5,6\n", "(1, 2) | a: 5 6"},
      {"names,0,1\na,5,6\n", "(2, 2) | names: 0 1 | a: 5 6"},
      {"0,1,2\n3,4,5\n", "(2, 3) | 0 1 2 | 3 4 5"},
      {"x\n1\n2\n", "(2, 1) | 1 | 2"},
      {"\"1\"\n2\n", "(1, 1) | 2"},
      {"token\n1\n", "(1, 1) | 1"},
      {"token,\"0\",\"1\"\n1,2,3\n", "(1, 2) | 1: 2 3"},
  };
  for (const CsvCase& each : cases) EXPECT_EQ(csv_outcome(each.text), each.outcome) << each.text;
}

TEST(CsvForms, WhatIsNoTableIsRefusedInAWholeSentence) {
  const std::string lengths = ": all lines must have the same length.";
  const std::string comma = ", which is not a number: write decimals with a point.";
  const std::string no_numbers = "There are no numbers in this .csv file: it needs a line for each token.";
  const std::string no_text = "This .csv file is not UTF-8 text: save it as UTF-8.";
  const CsvCase cases[] = {
      {"1,2\n3\n", "Line 2 has 1 fields, but the lines before it have 2" + lengths},
      {"1,2\n3,4,5\n", "Line 2 has 3 fields, but the lines before it have 2" + lengths},
      {"1,2\n3,4,,\n", "Line 2 has 4 fields, but the lines before it have 2" + lengths},
      {"# a\n\n1,2\n  \n3\n", "Line 5 has 1 fields, but the lines before it have 2" + lengths},
      {"\"a\r\nb\",1\r\n\r\n\"c\",x\r\n",
       "Line 4, column 2 holds \"x\", which is not a number: only the first line and "
       "the first column may hold names."},
      {"1,,3\n", "Line 1, column 2 is empty, but a number must stand there."},
      {"1,2\n3,\n", "Line 2, column 2 is empty, but a number must stand there."},
      {"1,2,\"\"\n", "Line 1, column 3 is empty, but a number must stand there."},
      {"1,2\n3,\"4\"\n",
       "Line 2, column 2 holds \"4\", which is not a number: only the first line and the first column "
       "may hold names."},
      {"a\tb\n1\t-1.000,5e+3\n", "Line 2, column 2 holds \"-1.000,5e+3\"" + comma},
      {"a;b\n1;0,5x\n",
       "Line 2, column 2 holds \"0,5x\", which is not a number: only the first line and the first "
       "column may hold names."},
      {"1,2\n3,\"x\n\n", "Line 2 opens a quotation mark that nothing closes."},
      {"1,2\n3,\"x\"\"\n", "Line 2 opens a quotation mark that nothing closes."},
      {"1,2\n\"4\" 5,6\n", "Line 2 goes on after a closing quotation mark: put the whole field in quotation marks."},
      {"a,b,c\n1\n", "The first line has 3 names, but the lines below it have 1 fields: give each a name."},
      {"a,b,c\n1,2,3,4,5\n", "The first line has 3 names, but the lines below it have 5 fields: give each a name."},
      {"", no_numbers},
      {"\n \n", no_numbers},
      {"a,b\n", no_numbers},
      {"the\ncat\n", "Each line holds one name or number alone, but a line needs at least one number beside its name."},
      {"1\n2\ncat\n",
       "Each line holds one name or number alone, but a line needs at least one number beside its name."},
      {"1,\xFF\n", no_text},
      {std::string("1,\0", 3), no_text},
      {"\xEF\xBB\xBF", no_numbers},
  };
  for (const CsvCase& each : cases) EXPECT_EQ(csv_outcome(each.text), each.outcome) << each.text;
}

TEST(CsvForms, ALineHasAtMostTwentyThousandFields) {
  std::string line = "1";
  for (int i = 1; i < 20'000; ++i) line += ",1";
  EXPECT_EQ(parse_csv(line + "\n").arrays.at(0).shape, (std::vector<Index>{1, 20'000}));
  EXPECT_EQ(csv_outcome("\n" + line + ",1\n"), "Line 2 has more than 20000 fields, the most that are read.");
}

TEST(CsvForms, AWatchHearsOfEachLine) {
  std::vector<float> parts;
  parse_csv("x,y\n1,2\n3,4\n", [&](float part) { parts.push_back(part); });
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_NEAR(parts[0], 1.0F / 3, 1e-6);
  EXPECT_NEAR(parts[1], 2.0F / 3, 1e-6);
  EXPECT_EQ(parts[2], 1);
}

}  // namespace
}  // namespace attnscope::test
