// How a number came to be as a tree: what opens, what folds, and that it leads down to what was typed or drawn.

#include "view/number_words.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "document/document.h"

namespace attnscope::test {
namespace {

class Derivation : public testing::Test {
protected:
  Derivation() {
    document_.config.dropout = 0.5;
    document_.config.d_out = 4;
    labels_ = token_labels(document_.tokens);
  }

  std::vector<DerivationLine> lines(const Source& source) const {
    return derivation(evaluate(document_.config), source, labels_, opened_);
  }
  // Opens the first line that is closed, again and again, until nothing is left to open.
  std::vector<DerivationLine> all_lines(const Source& source, std::size_t most) {
    while (opened_.size() < most) {
      const std::vector<DerivationLine> now = lines(source);
      const auto closed = std::ranges::find_if(
          now, [](const DerivationLine& each) { return each.can_open && !each.is_open && !each.line.is_rest; });
      if (closed == now.end()) return now;
      opened_.insert(closed->path);
    }
    return lines(source);
  }
  static bool has_text(const std::vector<DerivationLine>& lines, std::string_view text) {
    return std::ranges::any_of(
        lines, [&](const DerivationLine& each) { return each.line.text.find(text) != std::string::npos; });
  }
  static std::string path_of(const std::vector<DerivationLine>& lines, std::string_view text) {
    const auto found = std::ranges::find_if(
        lines, [&](const DerivationLine& each) { return each.line.text.find(text) != std::string::npos; });
    return found == lines.end() ? "none" : found->path;
  }

  Document document_ = default_document();
  std::vector<std::string> labels_;
  std::set<std::string> opened_;
};

TEST_F(Derivation, BeginsWithASentenceOfThisDocument) {
  const std::vector<DerivationLine> of_score = lines({.stage = Stage::scores, .row = 1, .col = 2});
  EXPECT_EQ(of_score.front().line.text,
            "How well the query of “journey” fits the key of “starts”: their 2 dimensions, multiplied and added.");
  EXPECT_TRUE(of_score.front().line.is_words);
}

TEST_F(Derivation, DropoutSaysHowManyOfTheRowAreKept) {
  const Result result = evaluate(document_.config);
  for (Index row = 0; row < 6; ++row) {
    Source cell{.stage = Stage::dropped_weights, .row = row};
    int kept = 0;
    for (Index col = 0; col <= row; ++col)
      kept += value_at(result, {.stage = Stage::dropout_factors, .row = row, .col = col}) > 0 ? 1 : 0;
    for (cell.col = 0; cell.col <= row; ++cell.col) {
      const std::string text = lines(cell).front().line.text;
      if (is_dropped(result, cell)) {
        EXPECT_TRUE(text.starts_with("Dropped: ")) << text;
      } else {
        const std::string counted = fmt::format("{} of the {} weights of", kept, row + 1);
        EXPECT_TRUE(text.starts_with(counted)) << text;
        EXPECT_TRUE(text.find("divided by 1 − p = 0.50") != std::string::npos) << text;
      }
    }
  }
}

TEST_F(Derivation, OpensInPlace) {
  const Source cell{.stage = Stage::scores, .row = 1, .col = 2};
  const std::vector<DerivationLine> closed = lines(cell);
  const std::string path = path_of(closed, " × −");
  opened_ = {path};
  const std::vector<DerivationLine> opened = lines(cell);
  EXPECT_GT(opened.size(), closed.size());
  EXPECT_EQ(path_of(opened, "queries of head 1, journey, dimension 1 ="), path + "/0");
  EXPECT_EQ(path_of(opened, "keys of head 1, starts, dimension 1 ="), path + "/1");
  EXPECT_TRUE(has_text(opened, "Dimension 1 of the query of “journey”"));
  for (const DerivationLine& line : opened) EXPECT_EQ(line.depth, line.path.starts_with(path + "/") ? 1 : 0);
  opened_ = {"17/0/3", "nonsense"};  // of another number
  EXPECT_EQ(lines(cell).size(), closed.size());
}

TEST_F(Derivation, EveryMechanismLeadsDownToWhatWasTypedOrDrawn) {
  for (const MechanismInfo& mechanism : mechanisms()) {
    SCOPED_TRACE(mechanism.id);
    document_.config.mechanism = mechanism.mechanism;
    opened_.clear();
    const bool has_output = has_stage(document_.config, Stage::output);
    const Source last{.stage = has_output ? Stage::output : Stage::context, .row = 1, .col = 0};
    const std::vector<DerivationLine> all = all_lines(last, 400);
    EXPECT_TRUE(has_text(all, "Typed: an embedding of this document, not computed.")) << all.size();
    const bool draws = mechanism.weight_style != WeightStyle::none;
    EXPECT_EQ(has_text(all, "draw 1: 0x"), draws);  // of W_query's first weight
  }
}

TEST_F(Derivation, WeightsNameTheirWordOfTheGenerator) {
  const std::vector<DerivationLine> of_weight = lines({.stage = Stage::query_weight, .row = 0, .col = 0});
  EXPECT_TRUE(has_text(of_weight, "draw 1: 0x")) << of_weight.size();
  EXPECT_TRUE(has_text(of_weight, "1/√3 = 0.5774"));
  EXPECT_TRUE(has_text(lines({.stage = Stage::dropout_factors, .row = 1, .col = 0}), "element 7 of its stream"));
  document_.config.dropout_kernel = DropoutKernel::standard;
  EXPECT_TRUE(has_text(lines({.stage = Stage::dropout_factors, .row = 1, .col = 0}), "draw 69: 0x"));
}

TEST_F(Derivation, LongSumsOpenPieceByPiece) {
  document_.config.d_out = 512;
  document_.config.num_heads = 2;
  const Source cell{.stage = Stage::scores, .row = 1, .col = 1};
  const auto rest = [](const std::vector<DerivationLine>& all) {
    return std::ranges::find_if(all, [](const DerivationLine& each) { return each.line.is_rest; });
  };
  std::vector<DerivationLine> now = lines(cell);
  EXPECT_TRUE(has_text(now, "(the other 240)"));
  opened_.insert(rest(now)->path);
  now = lines(cell);
  EXPECT_TRUE(has_text(now, "(the other 176)"));
  for (int i = 0; i < 3; ++i) {
    ASSERT_NE(rest(now), now.end());
    opened_.insert(rest(now)->path);
    now = lines(cell);
  }
  EXPECT_EQ(rest(now), now.end());
}

TEST_F(Derivation, IsCopiedAsText) {
  const Source cell{.stage = Stage::scores, .row = 1, .col = 2};
  opened_ = {path_of(lines(cell), " × −")};
  const auto text = [&](TextFormat format) {
    return derivation_text(evaluate(document_.config), cell, labels_, opened_, format);
  };
  const std::string plain = text(TextFormat::plain);
  EXPECT_TRUE(plain.starts_with("scores of head 1, journey → starts = ")) << plain;
  EXPECT_NE(plain.find("\n    queries of head 1, journey, dimension 1 = "), std::string::npos) << plain;
  const std::string markdown = text(TextFormat::markdown);
  EXPECT_TRUE(markdown.starts_with("- **scores of head 1, journey → starts = ")) << markdown;
  EXPECT_NE(markdown.find("\n  - **queries"), std::string::npos) << markdown;
  const std::string latex = text(TextFormat::latex);
  EXPECT_NE(latex.find("$\\times$"), std::string::npos) << latex;
  EXPECT_NE(latex.find("W\\_query"), std::string::npos) << latex;
  EXPECT_EQ(latex.find("×"), std::string::npos) << latex;
}

}  // namespace
}  // namespace attnscope::test
