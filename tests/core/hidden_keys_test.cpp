#include "core/visibility.h"

#include <gtest/gtest.h>

#include <string>

namespace attnscope::test {
namespace {

// A line for each query, "#" for each key that is hidden from it.
std::vector<std::string> drawn(const HiddenKeys& hidden, Index keys) {
  std::vector<std::string> lines;
  for (Index query = 0; query < hidden.queries(); ++query) {
    std::string line(static_cast<std::size_t>(keys), '.');
    for (const KeyRange& range : hidden.of(query)) {
      for (Index key = range.first; key < range.last; ++key) line.at(static_cast<std::size_t>(key)) = '#';
    }
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

HiddenKeys hide_later(const MaskSize& size) { return hide_outside_window(size, size.queries + size.keys, true); }

TEST(HiddenKeys, AreSortedAndPutTogetherWhereTheyTouch) {
  const HiddenKeys hidden({{{4, 6}, {0, 1}, {1, 2}, {3, 3}}, {}, {{2, 5}, {3, 4}}});
  EXPECT_EQ(std::vector<KeyRange>(hidden.of(0).begin(), hidden.of(0).end()), (std::vector<KeyRange>{{0, 2}, {4, 6}}));
  EXPECT_TRUE(hidden.of(1).empty());
  EXPECT_EQ(drawn(hidden, 6), (Lines{"##..##", "......", "..###."}));
  EXPECT_TRUE(hidden.of(3).empty()) << "a query that there is not";
  EXPECT_EQ(hidden, HiddenKeys({{{0, 2}, {4, 6}}, {}, {{2, 5}}}));
  EXPECT_NE(hidden, HiddenKeys({{{0, 2}, {4, 6}}, {}, {{2, 4}}}));
  EXPECT_NE(hidden, HiddenKeys());
}

TEST(HiddenKeys, OfPresets) {
  const MaskSize size{4, 4};
  EXPECT_EQ(drawn(hide_later(size), 4), (Lines{".###", "..##", "...#", "...."}));
  EXPECT_EQ(drawn(hide_outside_window(size, 2, true), 4), (Lines{".###", "..##", "#..#", "##.."}));
  EXPECT_EQ(drawn(hide_outside_window(size, 2, false), 4), (Lines{"..##", "...#", "#...", "##.."}));
  EXPECT_EQ(drawn(hide_other_blocks(size, std::vector<Index>{1}, false), 4), (Lines{".###", "#...", "#...", "#..."}));
  EXPECT_EQ(drawn(hide_other_blocks(size, std::vector<Index>{2}, true), 4), (Lines{".###", "..##", "##.#", "##.."}));
  EXPECT_EQ(drawn(with_first_visible(hide_outside_window(size, 1, true)), 4), (Lines{".###", "..##", ".#.#", ".##."}));
  EXPECT_EQ(drawn(with_hidden_from(hide_later(size), size, 2), 4), (Lines{".###", "..##", "..##", "..##"}));
}

// The last query stands beside the last key.
TEST(HiddenKeys, OfPresetsWithOtherKeysThanQueries) {
  EXPECT_EQ(drawn(hide_later({2, 4}), 4), (Lines{"...#", "...."}));
  EXPECT_EQ(drawn(hide_later({4, 2}), 2), (Lines{"##", "##", ".#", ".."}));
  EXPECT_EQ(drawn(hide_outside_window({2, 4}, 2, true), 4), (Lines{"#..#", "##.."}));
  EXPECT_EQ(drawn(hide_other_blocks({4, 2}, std::vector<Index>{1}, true), 2), (Lines{"##", "##", ".#", "#."}));
}

TEST(HiddenKeys, CellsAreHiddenAndShown) {
  HiddenKeys hidden = with_cell(hide_later({3, 3}), 2, 1, true);
  EXPECT_EQ(drawn(hidden, 3), (Lines{".##", "..#", ".#."}));
  hidden = with_cell(hidden, 0, 1, false);
  EXPECT_EQ(drawn(hidden, 3), (Lines{"..#", "..#", ".#."}));
  EXPECT_EQ(with_cell(hidden, 0, 1, false), hidden);
  EXPECT_EQ(with_cell(hidden, 0, 2, true), hidden);
  EXPECT_EQ(drawn(with_cell(HiddenKeys({{{0, 5}}}), 0, 2, false), 5), (Lines{"##.##"}));
}

TEST(HiddenKeys, ComeAndGoWithTokens) {
  const HiddenKeys causal = hide_later({3, 3});
  EXPECT_EQ(with_tokens(causal, 1, 1), hide_later({4, 4}));
  EXPECT_EQ(with_tokens(causal, 3, 2), hide_later({5, 5}));
  EXPECT_EQ(without_tokens(causal, 0, 1), hide_later({2, 2}));
  const HiddenKeys first_hidden({{{0, 1}}, {{0, 1}}, {{0, 2}}});
  EXPECT_EQ(drawn(with_tokens(first_hidden, 1, 1), 4), (Lines{"#...", "....", "#...", "#.#."}));
  EXPECT_EQ(drawn(with_tokens(first_hidden, 0, 1), 4), (Lines{"....", ".#..", ".#..", ".##."}));
  EXPECT_EQ(drawn(without_tokens(first_hidden, 0, 1), 2), (Lines{"..", "#."}));
  EXPECT_EQ(without_tokens(with_tokens(first_hidden, 1, 2), 1, 2), first_hidden);
  // Several tokens go, and ranges begin or end among them.
  const HiddenKeys ends_there({{}, {{0, 4}}, {{0, 2}, {3, 4}, {5, 6}}, {{4, 6}}, {}, {{2, 3}, {4, 5}}});
  EXPECT_EQ(drawn(without_tokens(ends_there, 2, 3), 3), (Lines{"...", "##.", "..."}));
  EXPECT_EQ(drawn(without_tokens(ends_there, 3, 3), 3), (Lines{"...", "###", "##."}));
}

}  // namespace
}  // namespace attnscope::test
