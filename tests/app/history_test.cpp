#include "document/document.h"

#include "support.h"

namespace attnscope::test {
namespace {

Document with_seed(std::uint64_t seed) {
  Document document = default_document();
  document.config.seed = seed;
  return document;
}

std::uint64_t seed_of(const History& history) { return history.current().config.seed; }

TEST(History, BeginsWithNothingToUndo) {
  History history(with_seed(1));
  EXPECT_EQ(history.undo_label(), "");
  EXPECT_EQ(history.redo_label(), "");
  EXPECT_FALSE(history.undo());
  EXPECT_FALSE(history.redo());
  EXPECT_EQ(history.undo_label(), "");
  EXPECT_EQ(history.redo_label(), "");
}

TEST(History, ADragIsOneEntry) {
  History history(with_seed(1));
  for (std::uint64_t seed = 2; seed <= 9; ++seed) EXPECT_TRUE(history.edit(with_seed(seed), "Seed"));
  history.finish();
  EXPECT_EQ(seed_of(history), 9U);
  EXPECT_EQ(history.undo_label(), "Seed");
  EXPECT_TRUE(history.undo());
  EXPECT_EQ(seed_of(history), 1U);
  EXPECT_EQ(history.undo_label(), "");
  EXPECT_EQ(history.redo_label(), "Seed");
  EXPECT_TRUE(history.redo());
  EXPECT_EQ(seed_of(history), 9U);
}

// The last edit made the document 2, and the joined one makes it 3: Undo leads to 1. Back at 1, nothing is to be
// undone.
TEST(History, AnEditCanJoinTheLastOne) {
  for (const std::uint64_t joined : {3U, 1U}) {
    History history(with_seed(1));
    history.edit(with_seed(2), "pair");
    history.finish();
    history.edit(with_seed(joined), "end");
    history.join();
    history.finish();
    EXPECT_EQ(seed_of(history), joined);
    EXPECT_EQ(history.undo_label(), joined == 1 ? "" : "pair");
    EXPECT_EQ(history.undo(), joined != 1);
    EXPECT_EQ(seed_of(history), 1U);
  }
}

TEST(History, AnEditThatChangedNothingIsNone) {
  History history(with_seed(1));
  EXPECT_FALSE(history.edit(with_seed(1), "Seed"));
  history.finish();
  EXPECT_EQ(history.undo_label(), "");
  history.edit(with_seed(2), "Seed");
  history.edit(with_seed(1), "Seed");  // dragged back to where it was
  history.finish();
  EXPECT_EQ(history.undo_label(), "");
}

TEST(History, UndoFinishesAnEditUnderWay) {
  History history(with_seed(1));
  history.edit(with_seed(2), "Seed");
  EXPECT_NE(history.undo_label(), "");
  EXPECT_EQ(history.undo_label(), "Seed");
  EXPECT_TRUE(history.undo());
  EXPECT_EQ(seed_of(history), 1U);
  EXPECT_TRUE(history.redo());
  EXPECT_EQ(seed_of(history), 2U);
}

TEST(History, BeforeADragIsWhatItBeganWith) {
  History history(with_seed(1));
  history.edit(with_seed(2), "Seed");
  history.finish();
  ASSERT_TRUE(history.before());
  EXPECT_EQ(*history.before(), with_seed(1));
  history.edit(with_seed(3), "Seed");
  history.edit(with_seed(4), "Seed");
  EXPECT_EQ(*history.before(), with_seed(2));
}

TEST(History, ANewEditForgetsWhatWasUndone) {
  History history(with_seed(1));
  history.edit(with_seed(2), "Two");
  history.finish();
  history.undo();
  history.edit(with_seed(3), "Three");
  history.finish();
  EXPECT_EQ(history.redo_label(), "");
  EXPECT_EQ(history.undo_label(), "Three");
}

TEST(History, ANothingKeepsWhatWasUndone) {
  History history(with_seed(1));
  history.edit(with_seed(2), "Two");
  history.finish();
  history.undo();
  history.edit(with_seed(1), "Nothing");
  history.finish();
  EXPECT_NE(history.redo_label(), "");
}

TEST(History, KeepsTheNewestTwoHundred) {
  History history(with_seed(0));
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    history.edit(with_seed(seed), "Seed");
    history.finish();
  }
  int undone = 0;
  while (history.undo()) ++undone;
  EXPECT_EQ(undone, 200);
  EXPECT_EQ(seed_of(history), 100U);
}

TEST(History, ForgetsTheOldestOfVeryLargeDocumentsAndCountsWhatSnapshotsShareOnce) {
  for (const bool shares_inputs : {false, true}) {
    Document large = default_document();
    large.config.inputs = Tensor({6, 1000});  // 24 kB
    History history(large, 50'000);
    for (std::uint64_t seed = 1; seed <= 9; ++seed) {
      if (!shares_inputs) large.config.inputs = Tensor({6, 1000});
      large.config.seed = seed;
      history.edit(large, "Seed");
      history.finish();
    }
    int undone = 0;
    while (history.undo()) ++undone;
    EXPECT_EQ(undone, shares_inputs ? 9 : 2);
  }
}

TEST(History, KeepsTheNewestHoweverLarge) {
  History history(with_seed(1), 1);
  history.edit(with_seed(2), "Two");
  history.finish();
  EXPECT_TRUE(history.undo());
  EXPECT_EQ(seed_of(history), 1U);
}

TEST(History, ResetStartsOver) {
  History history(with_seed(1));
  history.edit(with_seed(2), "Two");
  history.reset(with_seed(7));
  EXPECT_EQ(seed_of(history), 7U);
  EXPECT_EQ(history.undo_label(), "");
  EXPECT_EQ(history.redo_label(), "");
}

}  // namespace
}  // namespace attnscope::test
