// Teaching views against the engine: whatever they show is computed, and says what it is of.

#include "teach/teaching_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "boards.h"
#include "core/text.h"
#include "document/edit.h"
#include "studied.h"

namespace attnscope::test {
namespace {

void expect_whole(const BoardMatrix& each) {
  const auto cells = static_cast<std::size_t>(each.rows * each.cols);
  EXPECT_GT(cells, 0U) << each.title;
  EXPECT_TRUE(each.values.size() == cells || each.texts.size() == cells) << each.title;
  EXPECT_TRUE(each.marks.empty() || each.marks.size() == cells) << each.title;
  EXPECT_TRUE(each.tints.empty() || each.tints.size() == cells) << each.title;
  EXPECT_TRUE(each.row_labels.empty() || std::ssize(each.row_labels) == each.rows) << each.title;
  EXPECT_TRUE(each.column_labels.empty() || std::ssize(each.column_labels) == each.cols) << each.title;
  EXPECT_TRUE(each.row_sums.empty() || std::ssize(each.row_sums) == each.rows) << each.title;
  for (const float value : each.values) EXPECT_TRUE(std::isfinite(value)) << each.title;
}

std::size_t characters_in(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char each) { return (static_cast<unsigned char>(each) & 0xC0) != 0x80; }));
}

TEST(Study, EachShowsFiniteNumbersOfEveryExampleOrSaysWhyNot) {
  constexpr std::size_t longest_headline = 90;  // in characters, with names as short as those of the examples
  for (const BuiltinDocument& builtin : builtin_documents()) {
    if (builtin.id == "gpt2_sized") continue;
    const Studied of(example(builtin.id));
    for (const TeachingViewInfo& study : studies()) {
      SCOPED_TRACE(std::string(builtin.id) + ", " + std::string(study.id));
      const Board board = of.board({.id = std::string(study.id)});
      EXPECT_EQ(board.id, study.id);
      EXPECT_FALSE(board.headline.empty());
      if (!board.lines.empty()) {
        EXPECT_LE(characters_in(board.headline), longest_headline) << board.headline;
      }
      EXPECT_EQ(board.lines.empty(), !obstacle_to(study, of.result).empty());
      for (const BoardMatrix& each : shown_items<BoardMatrix>(board)) expect_whole(each);
      EXPECT_EQ(board.headline.find("nan"), std::string::npos) << board.headline;
    }
  }
}

TEST(Study, BarsSideBySideHaveColoursOfTheirOwn) {
  Document document = default_document();
  document.config.mechanism = Mechanism::multi_head_attention;
  document.config.d_out = 4;
  const Studied of(document);
  std::size_t several = 0;
  for (const TeachingViewInfo& study : studies()) {
    for (const BoardBars& bars : shown_items<BoardBars>(of.board({.id = std::string(study.id)}))) {
      std::set<std::pair<int, int>> colours;
      for (const BoardBars::Part& part : bars.parts) colours.emplace(part.tint, part.grey);
      EXPECT_EQ(colours.size(), bars.parts.size()) << study.id << ": " << bars.title;
      several += bars.parts.size() > 2 ? 1 : 0;
    }
  }
  EXPECT_GT(several, 0U) << "what each head adds to the output";
}

TEST(Study, TheMixHasAsManyNumbersOfEachHead) {
  AttentionConfig config;
  config.inputs = RandnInputs{.tokens = 4, .features = 16};
  config.mechanism = Mechanism::multi_head_attention;
  config.d_out = 32;
  config.num_heads = 2;
  Document document = default_document();
  document.config = config;
  document.tokens = std::vector<std::string>{"a", "b", "c", "d"};
  const Studied of(document);
  const Board board = of.board({.id = "mix"});
  EXPECT_NE(board.note.find("8 of 16"), std::string::npos) << board.note;
  for (const char* const title : {"context of", "heads of this document", "average of all heads"})
    EXPECT_EQ(shown_matrix(board, title).cols, 8) << title;
}

TEST(Study, EachHasSomethingToShowOfADocumentOfItsOwn) {
  const Studied of(default_document());
  for (const TeachingViewInfo& study : studies()) EXPECT_EQ(obstacle_to(study, of.result), "") << study.id;
}

// The first row of causal attention sees one key alone, and the last one sees all of them.
TEST(Study, IsAboutARowThatShowsAllKindsOfCells) {
  for (const double dropout : {0.0, 0.5}) {
    Document document = default_document();
    document.config.dropout = dropout;
    const Studied of(document);
    const Index row = telling_query(of.result, 0, 0);
    const Visibility seen = visibility(document.config);
    EXPECT_GT(row, 0);
    EXPECT_LT(row, 5);
    if (dropout == 0) {
      EXPECT_EQ(row, most_telling_cell(of.result, 0)->row) << "the row of its most telling weight";
      continue;
    }
    const Tensor factors = of.stage(Stage::dropout_factors);
    Index dropped = 0;
    for (Index key = 0; key < 6; ++key) dropped += !seen.hides(row, key) && factors.matrix(0)(row, key) == 0 ? 1 : 0;
    EXPECT_GT(dropped, 0);
    EXPECT_LT(dropped, seen.count(row));
  }
}

// Equal shares tell nothing: the row that looks for something does.
TEST(Study, IsAboutTheRowOfTheMostTellingWeight) {
  const Studied of(opening_document());
  EXPECT_EQ(telling_query(of.result, 0, 0), 4) << "it looks for cat";
  EXPECT_EQ(telling_query(of.result, 1, 0), 2) << "slept looks for its doer";
}

// The products of each head's part of the context, and the bias, add up to the output.
TEST(Study, OutProjAddsUpWhatTheHeadsAndTheBiasGive) {
  for (const Index heads : {2, 12}) {
    Document document = default_document();
    document.config.d_out = 24;
    document.config.num_heads = heads;
    document.config.heads_off = {0};
    const Studied of(document);
    const BoardMatrix parts = shown_matrix(of.board({.id = "out_proj"}), "what each head adds");
    ASSERT_EQ(parts.rows, heads == 2 ? 4 : 9) << "the heads, all others, the bias and their sum";
    const Tensor output = of.stage(Stage::output);
    for (Index col = 0; col < parts.cols; ++col) {
      double sum = 0;
      for (Index row = 0; row + 1 < parts.rows; ++row)
        sum += static_cast<double>(parts.values[static_cast<std::size_t>(row * parts.cols + col)]);
      EXPECT_NEAR(sum, output.matrix()(1, col), 1e-5) << col;
      EXPECT_EQ(parts.values[static_cast<std::size_t>((parts.rows - 1) * parts.cols + col)], output.matrix()(1, col));
      EXPECT_EQ(parts.values[static_cast<std::size_t>(col)], 0) << "the head is off";
    }
  }
}

TEST(Study, OutProjShowsFewNumbersAsBarsToo) {
  const Studied of(opening_document());
  const Board board = of.board({.id = "out_proj"});
  const BoardMatrix parts = shown_matrix(board, "what each head adds");
  const std::vector<BoardBars> bars = shown_items<BoardBars>(board);
  ASSERT_EQ(bars.size(), 1U);
  ASSERT_EQ(std::ssize(bars[0].parts), parts.rows);
  for (Index row = 0; row < parts.rows; ++row) {
    const std::vector<float>& own = bars[0].parts[static_cast<std::size_t>(row)].values;
    EXPECT_TRUE(std::ranges::equal(
        own, std::span(parts.values).subspan(static_cast<std::size_t>(row * parts.cols), own.size())));
  }
  Document many = default_document();
  many.config.d_out = 24;
  EXPECT_TRUE(shown_items<BoardBars>(Studied(many).board({.id = "out_proj"})).empty());
}

TEST(Study, OfManyTokensShowsThoseAroundTheQueryAndSaysSo) {
  Document document = default_document();
  document.config.inputs = RandnInputs{300, 8};
  document.config.d_out = 8;
  document.tokens = numbered_tokens(300);
  const Studied of(document);
  const Board board = of.board({.id = "mask_routes"}, 200);
  const BoardMatrix first = shown_matrix(board, "−∞ before softmax");
  EXPECT_LE(first.rows, 12);
  EXPECT_NE(board.note.find("of 300"), std::string::npos) << board.note;
  EXPECT_NEAR(first.row_sums[static_cast<std::size_t>(first.marked_row)], 1, 1e-5);
}

// With a cap and a bias, whose minus infinity hides a key.
TEST(Study, ViewsCapScoresAndAddTheBiasAsTheDocumentDoes) {
  const Studied of(parse_document(R"({"softcap": 0.1, "bias": [[0.5, 0, 0.25, "-inf", 0, 0], [0.5, 0, 0, 0, 1, 0],
      [0.5, 0, 0.25, 0, 0, 0], [0.5, 0, 0, 0, 1, 0], [0, 0, 0.25, 0, 0, 0], [0.5, "-inf", 0, 0, 1, 0]]})"));
  const Tensor weights = of.stage(Stage::weights);
  expect_first_head(shown_matrix(of.board({.id = "mask_routes"}), "before softmax"), weights);
  expect_first_head(shown_matrix(of.board({.id = "softmax"}), "over keys"), weights);
  expect_first_head(shown_matrix(of.board({.id = "splitting"}), "right split"), weights);
  const Board scaling = of.board({.id = "scaling"});
  const BoardPlot largest = shown_items<BoardPlot>(scaling)[0];
  EXPECT_EQ(largest.title, "largest weight of a row");
  double mean = 0;
  for (Index row = 1; row < 6; ++row)
    mean += static_cast<double>(std::ranges::max(weights.matrix(0).row(row))) / 5;  // the first sees a key alone
  EXPECT_NEAR(largest.curves.back().y.front(), mean, 1e-6);
  EXPECT_NE(scaling.note.find("caps its scores and adds a bias"), std::string::npos);
}

TEST(RolesStudy, ANumberHasOneColourWhereverItStands) {
  const Studied studied(example("who_is_it"));
  const Board board = studied.board({.id = "roles"}, 4);
  for (const auto& [one, all] : {std::pair("its key", "keys"), std::pair("its value", "values")}) {
    const BoardMatrix own = shown_matrix(board, one);
    EXPECT_EQ(own.high, shown_matrix(board, all).high) << one;
    EXPECT_GT(own.high, *std::ranges::max_element(own.values)) << "another token has a larger number";
  }
}

TEST(DropoutStudy, HasTheMasksOfBothKernels) {
  Document document = example("causal_dropout");
  const Studied of(document);
  const Board board = of.board({.id = "dropout"});
  expect_first_head(shown_matrix(board, "dropped weights"), of.stage(Stage::dropped_weights));
  DropoutKernel& kernel = document.config.dropout_kernel;
  kernel = kernel == DropoutKernel::mkl ? DropoutKernel::standard : DropoutKernel::mkl;
  const Studied other(document);
  const BoardMatrix second = shown_matrix(board, "another mask");
  expect_first_head(second, other.stage(Stage::dropped_weights));
  const Tensor mine = of.stage(Stage::dropout_factors);
  const Tensor theirs = other.stage(Stage::dropout_factors);
  for (std::size_t cell = 0; cell < second.marks.size(); ++cell) {
    if (second.marks[cell].is_hidden) continue;
    EXPECT_EQ(second.marks[cell].differs, mine.values[cell] != theirs.values[cell]);
  }
}

TEST(DropoutStudy, AveragesComeToTheWeights) {
  const Studied of(example("causal_dropout"));
  const auto distance = [&](double masks) {
    const BoardPlot plot = shown_items<BoardPlot>(of.board({.id = "dropout", .values = {{"masks", masks}}})).front();
    return plot.curves.front().y.back();
  };
  EXPECT_LT(distance(10000), distance(10) / 5);
  EXPECT_LT(distance(10000), 0.05);
}

TEST(DropoutStudy, TheAverageIsAsFarFromTheWeightsAsItsCurveEnds) {
  const Studied of(example("causal_dropout"));
  const Tensor weights = of.stage(Stage::weights);
  for (const double masks : {1.0, 7.0, 100.0}) {
    const Board board = of.board({.id = "dropout", .values = {{"masks", masks}}});
    const BoardMatrix average = shown_matrix(board, "average of");
    double largest = 0;
    for (std::size_t cell = 0; cell < average.values.size(); ++cell)
      largest = std::max(largest, std::abs(static_cast<double>(average.values[cell] - weights.values[cell])));
    EXPECT_NEAR(largest, shown_items<BoardPlot>(board).front().curves.front().y.back(), 1e-6) << masks;
  }
}

TEST(MaskRoutes, FirstAndThirdAreTheSame) {
  Document document = default_document();
  document.config.mask = MaskRoute::causal;
  const Studied before(document);
  const Board board = before.board({.id = "mask_routes"});
  expect_first_head(shown_matrix(board, "before softmax"), before.stage(Stage::weights));
  for (const float each : shown_matrix(board, "first − third").values) EXPECT_NEAR(each, 0, 1e-6);
  document.config.mask = MaskRoute::causal_after_softmax;
  expect_first_head(shown_matrix(board, "× 0 after softmax"), Studied(document).stage(Stage::masked_weights));
}

TEST(SoftmaxStudy, OverTheWrongAxisColumnsSumToOne) {
  const Studied of(default_document());
  const Board board = of.board({.id = "softmax"});
  expect_first_head(shown_matrix(board, "over keys"), of.stage(Stage::weights));
  const BoardMatrix wrong = shown_matrix(board, "over queries");
  for (Index col = 0; col < wrong.cols; ++col) {
    float sum = 0;
    for (Index row = 0; row < wrong.rows; ++row) sum += wrong.values[static_cast<std::size_t>(row * wrong.cols + col)];
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST(SoftmaxStudy, ALowTemperatureGivesAllToOneKey) {
  const Studied of(default_document());
  const auto largest = [&](double temperature) {
    const Board board = of.board({.id = "softmax", .values = {{"temperature", temperature}}});
    return std::ranges::max(shown_items<BoardBars>(board).back().parts[0].values);
  };
  EXPECT_GT(largest(0.1), largest(1));
  EXPECT_LT(largest(10), largest(1));
}

// A mask after softmax hides nothing from it, so that the view shows the document's own weights.
TEST(SoftmaxStudy, IsOfAllKeysWhereTheMaskComesLater) {
  Document document = default_document();
  document.config.mask = MaskRoute::causal_after_softmax;
  const Studied of(document);
  expect_first_head(shown_matrix(of.board({.id = "softmax"}), "over keys"), of.stage(Stage::weights));
}

TEST(SoftmaxStudy, SaysWhatIsSummed) {
  const Studied of(default_document());
  const Board board = of.board({.id = "softmax"}, 5);
  const Tensor scaled = of.stage(Stage::scaled_scores);
  double largest = -1e9;
  for (Index key = 0; key < 6; ++key) largest = std::max(largest, static_cast<double>(scaled.matrix()(5, key)));
  double sum = 0;
  for (Index key = 0; key < 6; ++key) sum += std::exp(static_cast<double>(scaled.matrix()(5, key)) - largest);
  const std::string said =
      "The row's largest score is subtracted from each; e to the power of the result is divided by "
      "the sum of all of these, " +
      format_fixed(sum, 2) + ".";
  EXPECT_EQ(board.details.substr(0, said.size()), said);
}

TEST(SoftmaxStudy, ARowThatIsMaskedWhollyHasNothingToShare) {
  Document document = default_document();
  document.config.mask = MaskRoute::custom;
  document.config.hidden = HiddenKeys({{{0, 6}}, {}, {}, {}, {}, {}});
  const Studied of(document);
  for (const char* const id : {"softmax", "sentence", "sharpness"}) {
    const std::string said = of.board({.id = id}, 0).headline;
    EXPECT_NE(said.find("every key is hidden from it."), std::string::npos) << said;
  }
  EXPECT_NE(of.board({.id = "softmax"}, 0).details.find("NaN"), std::string::npos);
}

TEST(ScalingStudy, VarianceGrowsWithoutDividingAndStaysWithIt) {
  const BoardPlot variance = shown_items<BoardPlot>(Studied(default_document()).board({.id = "scaling"}))[1];
  EXPECT_NEAR(variance.curves[0].y.back() / 1024, 1, 0.15);
  EXPECT_NEAR(variance.curves[1].y.back(), 1, 0.15);
}

// As torch.var: of the scores that each query sees, averaged over the queries that see two or more.
TEST(ScalingStudy, TheVarianceOfTheDocumentIsThatOfItsRows) {
  const Studied of(default_document());
  const BoardPlot plot = shown_items<BoardPlot>(of.board({.id = "scaling"}))[1];
  const Tensor scores = of.stage(Stage::scores);
  double variance = 0;
  for (Index row = 1; row < 6; ++row) {
    double mean = 0;
    for (Index key = 0; key <= row; ++key)
      mean += static_cast<double>(scores.matrix(0)(row, key)) / static_cast<double>(row + 1);
    for (Index key = 0; key <= row; ++key)
      variance += std::pow(static_cast<double>(scores.matrix(0)(row, key)) - mean, 2) / static_cast<double>(row) / 5;
  }
  ASSERT_EQ(plot.curves[2].name, "this document, without");
  EXPECT_NEAR(plot.curves[2].y.front() / variance, 1, 1e-5);
}

// Of more keys than fit the largest are shown, and the others come to one row.
TEST(MixStudy, PartsOfManyKeysAddUpToTheContext) {
  Document document;
  document.config.inputs = RandnInputs{9, 3};
  document.tokens = numbered_tokens(9);
  const Studied of(document);
  const BoardMatrix parts = shown_matrix(of.board({.id = "mix"}, 8), "context of");
  ASSERT_EQ(parts.rows, 8) << "six keys, the others and the sum";
  EXPECT_EQ(parts.row_labels[6], "3 more");
  const Tensor context = of.stage(Stage::head_context);
  for (Index dim = 0; dim < parts.cols; ++dim) {
    float sum = 0;
    for (Index row = 0; row < 7; ++row) sum += parts.values[static_cast<std::size_t>(row * parts.cols + dim)];
    EXPECT_NEAR(sum, context.matrix()(8, dim), 1e-6);
    EXPECT_NEAR(parts.values[static_cast<std::size_t>(7 * parts.cols + dim)], context.matrix()(8, dim), 1e-6);
  }
}

TEST(MixStudy, PartsAddUpToTheContext) {
  const Studied of(default_document());
  const BoardMatrix parts = shown_matrix(of.board({.id = "mix"}), "context of");
  const Tensor context = of.stage(Stage::head_context);
  const auto at = [&](Index row, Index dim) { return parts.values[static_cast<std::size_t>(row * parts.cols + dim)]; };
  for (Index dim = 0; dim < parts.cols; ++dim) {
    float sum = 0;
    for (Index key = 0; key + 1 < parts.rows; ++key) sum += at(key, dim);
    EXPECT_NEAR(sum, context.matrix()(1, dim), 1e-6);
    EXPECT_NEAR(at(parts.rows - 1, dim), context.matrix()(1, dim), 1e-6);
  }
}

// Weights that the mask cut count as their shares of what is left: one key of weight 0.2 is one key.
TEST(SharpnessStudy, CountsOneKeyAsOneWhateverItsWeight) {
  Document document = default_document();
  document.config.mask = MaskRoute::causal_after_softmax;
  const Board board = Studied(document).board({.id = "sharpness"}, 0);
  EXPECT_EQ(board.headline, "“Your” spreads its weight over 1.0 of 1 key; scores × 10 make it 1.0.");
}

// Scores that are doubled square the weights before they are normalized.
TEST(SharpnessStudy, AFactorOfTheScoresIsAPowerOfTheWeights) {
  const Studied of(default_document());
  const BoardBars bars = shown_items<BoardBars>(of.board({.id = "sharpness", .values = {{"factor", 2}}})).front();
  const Tensor weights = of.stage(Stage::weights);
  double sum = 0;
  for (Index key = 0; key < 6; ++key) sum += std::pow(static_cast<double>(weights.matrix(0)(5, key)), 2);
  double bits = 0;
  for (Index key = 0; key < 6; ++key) {
    const double share = std::pow(static_cast<double>(weights.matrix(0)(5, key)), 2) / sum;
    bits -= share * std::log2(share);
  }
  EXPECT_NEAR(bars.parts[2].values[5], std::exp2(bits), 1e-4);
  EXPECT_EQ(bars.parts[0].values[5], 6);
}

TEST(SharpnessStudy, AKeyAloneHasNoEntropy) {
  const BoardMatrix entropy = shown_matrix(Studied(default_document()).board({.id = "sharpness"}), "entropy");
  EXPECT_EQ(entropy.values[0], 0);
  EXPECT_GT(entropy.values.back(), 0);
}

TEST(SymmetryStudy, IsZeroWithoutWeights) {
  const Studied of(default_document());
  const Board board = of.board({.id = "symmetry"});
  for (const float each : shown_matrix(board, "its transpose").values) EXPECT_EQ(each, 0);
  EXPECT_GT(std::ranges::max(shown_matrix(board, "S − Sᵀ").values), 1e-3F);
}

// In windows of 1280 to 1920 pixels, beside the questions.
TEST(TeachingView, TheWordsOfTheFirstDocumentAreWhole) {
  const Studied studied(opening_document());
  const auto measure = [](std::string_view text, double size, picture::Face) {
    return 0.56 * size * static_cast<double>(text.size());
  };
  for (const TeachingViewInfo& study : studies()) {
    if (study.id == "splitting") continue;  // a small square of weights names its columns where there is room
    const Board board = studied.board({.id = std::string(study.id)}, 4);
    for (const auto& [width, height] : {std::pair(760.0, 560.0), {1040.0, 700.0}, {1350.0, 900.0}}) {
      const scene::BoardLayout layout = scene::layout_board(board, {.width = width,
                                                                    .height = height,
                                                                    .text = 15,
                                                                    .theme = &colours_of(ThemeId::light),
                                                                    .paper = {},
                                                                    .line = {},
                                                                    .measure = measure});
      for (const picture::Word* const word : layout.picture.all<picture::Word>()) {
        for (const std::string& name : studied.labels)
          for (std::size_t cut = 1; cut < name.size(); ++cut)
            EXPECT_NE(word->text, name.substr(0, cut) + "…") << study.id << " in " << width;
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::test
