// Teaching views against the engine: whatever they show is computed, and says what it is of.

#include "teach/teaching_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "boards.h"
#include "core/evaluate.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/edit.h"
#include "document/json.h"
#include "tests/support/small_model.h"

namespace attnscope::test {
namespace {

Document example(std::string_view id) {
  return parse_document(std::ranges::find(builtin_documents(), id, &BuiltinDocument::id)->json);
}

struct Studied {
  Document document;
  Result result;
  std::vector<std::string> labels;

  explicit Studied(Document of)
      : document(std::move(of)), result(evaluate(document.config)), labels(token_labels(document.tokens)) {}
  Board board(const TeachingViewChoice& choice, Index query = 1) const {
    return make_board({result, labels, 0, 0, query, choice});
  }
  Tensor stage(Stage of) const { return read_stage(result, of); }
};

void expect_first_head(const BoardMatrix& shown, const Tensor& stage, float tolerance = 1e-6F) {
  ASSERT_EQ(shown.rows, stage.rows());
  ASSERT_EQ(shown.cols, stage.cols());
  for (Index cell = 0; cell < shown.rows * shown.cols; ++cell)
    EXPECT_NEAR(shown.values[static_cast<std::size_t>(cell)], stage.values[static_cast<std::size_t>(cell)], tolerance);
}

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

TEST(SplittingStudy, HeadsAreTheQueriesAndTheWrongOnesMixTokens) {
  Document document = default_document();
  document.config.d_out = 4;
  const Studied of(document);
  const Board board = of.board({.id = "splitting"});
  const std::vector<BoardMoving> all = shown_items<BoardMoving>(board);
  ASSERT_EQ(all.size(), 2U);
  const Tensor queries = of.stage(Stage::queries);
  const auto at = [](const BoardMoving& moving, std::size_t step, Index row, Index col) {
    const auto& places = moving.arrangements[step].places;
    const auto found = std::ranges::find_if(
        places, [&](const BoardMoving::Place& place) { return place.row == row && place.col == col; });
    return moving.numbers[static_cast<std::size_t>(found - places.begin())];
  };
  for (Index head = 0; head < 2; ++head) {
    for (Index token = 0; token < 6; ++token) {
      for (Index i = 0; i < 2; ++i) {
        EXPECT_EQ(at(all[0], 1, token, head * 2 + i).value, queries.matrix(head)(token, i));
        EXPECT_EQ(at(all[0], 2, head * 6 + token, i).value, queries.matrix(head)(token, i));
        EXPECT_EQ(at(all[0], 2, head * 6 + token, i).head, head);
      }
    }
  }
  const BoardMoving::Number second_row = at(all[1], 1, 1, 0);
  EXPECT_EQ(second_row.token, 0) << "the second row is of the first token still";
  EXPECT_EQ(second_row.value, queries.matrix(1)(0, 0)) << "and of its second head";
  expect_first_head(shown_matrix(board, "right split"), of.stage(Stage::weights));
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

// Weights that the mask cut count as their shares of what is left: one key of weight 0.2 is one key.
TEST(SharpnessStudy, CountsOneKeyAsOneWhateverItsWeight) {
  Document document = default_document();
  document.config.mask = MaskRoute::causal_after_softmax;
  const Board board = Studied(document).board({.id = "sharpness"}, 0);
  EXPECT_EQ(board.headline, "“Your” spreads its weight over 1.0 of 1 key; scores × 10 make it 1.0.");
}

TEST(ShapesStudy, DoublesAllThatIsOfTheText) {
  Document document = default_document();
  Tensor bias({6, 6});
  bias.values.assign(36, 1);
  document.config.bias = bias;
  for (const BoardTable& table : shown_items<BoardTable>(Studied(document).board({.id = "shapes"}))) {
    for (const std::vector<std::string>& row : table.rows) {
      if (row.front() != "T") continue;
      document.config.bias = Tensor();
      double bytes[2] = {};
      for (const Index tokens : {6, 12}) {
        AttentionConfig config = document.config;
        config.inputs = RandnInputs{tokens, 3};
        for (const StageInfo& stage : stages())
          if (has_stage(config, stage.stage))
            bytes[tokens / 6 - 1] += static_cast<double>(element_count(stage_shape(config, stage.stage)));
      }
      EXPECT_EQ(row.back(), "× " + format_fixed(bytes[1] / bytes[0], 2));
      return;
    }
  }
  FAIL() << "no row of T";
}

TEST(ShapesStudy, CountsTheMultiplicationsOfHiddenKeys) {
  const Board board = Studied(example("who_is_it")).board({.id = "shapes"});
  int found = 0;
  for (const BoardTable& table : shown_items<BoardTable>(board)) {
    for (const std::vector<std::string>& row : table.rows) {
      if (row.front() != "scores" && row.front() != "head context") continue;
      EXPECT_EQ(row[4], "144") << row.front() << ": 2 heads × 6 × 6 × 2";
      ++found;
    }
  }
  EXPECT_EQ(found, 2);
  EXPECT_NE(board.details.find("672 multiplications, 120 of these for hidden keys"), std::string::npos)
      << board.details;
}

TEST(SymmetryStudy, IsZeroWithoutWeights) {
  const Studied of(default_document());
  const Board board = of.board({.id = "symmetry"});
  for (const float each : shown_matrix(board, "its transpose").values) EXPECT_EQ(each, 0);
  EXPECT_GT(std::ranges::max(shown_matrix(board, "S − Sᵀ").values), 1e-3F);
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

TEST(DrawsStudy, AWordThrownAwayShiftsEverythingAndNoneNothing) {
  const Studied of(default_document());
  const auto differing = [&](double inserted) {
    Index count = 0;
    for (const BoardMark& mark :
         shown_matrix(of.board({.id = "draws", .values = {{"inserted", inserted}}}), "changed").marks)
      count += mark.differs ? 1 : 0;
    return count;
  };
  EXPECT_EQ(differing(0), 0);
  EXPECT_GT(differing(1), 0);
}

TEST(DrawsStudy, SaysThatWeightsThatAreSetAreNotDrawn) {
  Document document = opening_document();
  const auto headline = [&] { return Studied(document).board({.id = "draws"}).headline; };
  EXPECT_EQ(headline(), "This document draws nothing: all of its weights are set, not drawn.");
  document.config.dropout = 0.5;
  EXPECT_EQ(headline(), "This document draws only the dropout mask: all of its weights are set, not drawn.");
  document.config.weight_overrides.erase("W_key.weight");
  EXPECT_NE(headline().find("of 5 weight tensors get other numbers"), std::string::npos) << headline();
}

TEST(DrawsStudy, CountsTheDrawsFromOne) {
  const Board board = Studied(default_document()).board({.id = "draws"});
  const BoardMatrix strip = shown_matrix(board, "this document");
  ASSERT_GE(strip.row_labels.size(), 2U);
  EXPECT_EQ(strip.row_labels[0], "1");
  EXPECT_EQ(strip.row_labels[1], std::to_string(strip.cols + 1));
}

// Intel's generator takes one word to begin, PyTorch's own two for each weight.
TEST(DrawsStudy, CountsTheWordsOfDropout) {
  Document document = default_document();
  document.config.dropout = 0.5;
  document.config.batch_size = 3;
  const auto words = [&](DropoutKernel kernel) {
    document.config.dropout_kernel = kernel;
    const BoardTable table = shown_items<BoardTable>(Studied(document).board({.id = "draws"})).front();
    for (const std::vector<std::string>& row : table.rows) {
      if (row[0] == "dropout mask") return row[2];
    }
    return std::string();
  };
  EXPECT_EQ(words(DropoutKernel::mkl), "1");
  EXPECT_EQ(words(DropoutKernel::standard), "432") << "3 entries, 2 heads, 6 queries and 6 keys";
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

// Its picture is a product that can be recomputed, and columns have the numbers of their heads: colours are of numbers.
TEST(ShapesStudy, InputsTimesWeightsAreTheQueriesOfAllHeads) {
  Document document = default_document();
  document.config.d_out = 4;
  const Studied of(document);
  const Board board = of.board({.id = "shapes"});
  const BoardMatrix inputs = shown_matrix(board, "inputs");
  const BoardMatrix weight = shown_matrix(board, "W_query");
  const BoardMatrix queries = shown_matrix(board, "queries");
  const Tensor expected = of.stage(Stage::queries);
  ASSERT_EQ(queries.cols, 4);
  EXPECT_EQ(queries.column_labels, (std::vector<std::string>{"head 1", "head 1", "head 2", "head 2"}));
  EXPECT_TRUE(queries.tints.empty() && weight.tints.empty());
  for (Index row = 0; row < queries.rows; ++row) {
    for (Index col = 0; col < queries.cols; ++col) {
      const auto cell = static_cast<std::size_t>(row * queries.cols + col);
      float sum = 0;
      for (Index in = 0; in < inputs.cols; ++in)
        sum += inputs.values[static_cast<std::size_t>(row * inputs.cols + in)] *
               weight.values[static_cast<std::size_t>(in * weight.cols + col)];
      EXPECT_NEAR(queries.values[cell], sum, 1e-6);
      EXPECT_EQ(queries.values[cell], expected.matrix(col / 2)(row, col % 2));
    }
  }
}

// As PyTorch prints them: a class with one head has no axis for it.
TEST(ShapesStudy, AreThoseOfTheClass) {
  Document document = default_document();
  document.config.batch_size = 2;
  for (const auto& [mechanism, shape] : {std::pair(Mechanism::causal_attention, "(2, 6, 6)"),
                                         std::pair(Mechanism::multi_head_attention, "(2, 2, 6, 6)")}) {
    set_mechanism(document, mechanism);
    const BoardTable table = shown_items<BoardTable>(Studied(document).board({.id = "shapes"})).front();
    const auto scores = std::ranges::find(table.rows, "scores", [](const auto& row) { return row[0]; });
    ASSERT_NE(scores, table.rows.end());
    EXPECT_EQ((*scores)[2], shape);
    EXPECT_EQ((*scores)[1], mechanism == Mechanism::causal_attention ? "(B, T, T)" : "(B, H, T, T)");
  }
}

TEST(ShapesStudy, CountsWhatThereIs) {
  Document document = default_document();
  document.config.d_out = 4;
  document.config.batch_size = 3;
  const Studied of(document);
  const std::vector<BoardTable> tables = shown_items<BoardTable>(of.board({.id = "shapes"}));
  ASSERT_EQ(tables.size(), 2U);
  std::size_t stages_there = 0;
  for (const StageInfo& stage : stages()) stages_there += has_stage(document.config, stage.stage) ? 1 : 0;
  EXPECT_EQ(tables[0].rows.size(), stages_there + 2) << "with the queries before and after view";
  const auto viewed = std::ranges::find(tables[0].rows, "(B, T, H, head_dim)", [](const auto& row) { return row[1]; });
  ASSERT_NE(viewed, tables[0].rows.end());
  EXPECT_EQ((*viewed)[2], "(3, 6, 2, 2)");
  EXPECT_EQ((*(viewed + 1))[2], "(3, 2, 6, 2)") << "the next row is transposed";
  const auto twice = std::ranges::find(tables[1].rows, "B", [](const auto& row) { return row[0]; });
  ASSERT_NE(twice, tables[1].rows.end());
  EXPECT_EQ((*twice)[1], "× 1.00") << "a batch needs no more weights";
}

TEST(LinearStudy, BothStoragesGiveTheQueries) {
  for (const char* const id : {"self_attention_v1", "self_attention_v2"}) {
    const Studied of(example(id));
    const Board board = of.board({.id = "linear"});
    const BoardMatrix product = shown_matrix(board, "x @ W of the query");
    for (Index out = 0; out < product.cols; ++out)
      EXPECT_NEAR(product.values[static_cast<std::size_t>(out)], of.stage(Stage::queries).matrix()(1, out), 1e-5) << id;
    const BoardMatrix plain = shown_matrix(board, "as x @ W");
    const BoardMatrix stored = shown_matrix(board, "nn.Linear stores");
    EXPECT_EQ(plain.values[1], stored.values[static_cast<std::size_t>(stored.cols)]);
  }
}

TEST(Draws, AreNoneInATrainedModel) {
  const Result result = evaluate(small_layer(small_model(), 1));
  EXPECT_EQ(obstacle_to(*study_named("draws"), result),
            "Nothing is drawn here: the weights are those of a trained model.");
}

// The heads of a list and the one class are computed each by itself.
TEST(ListOrClass, GivesTheSameContextsOfOneLargeMatrixAndOfItsParts) {
  const Studied of(opening_document());
  const Board board = of.board({.id = "wrapper"}, 4);
  EXPECT_EQ(board.headline, "With equal weights, a list of heads and one class give the same contexts.");
  for (const char* const name : {"context", "W_query"}) {
    const BoardMatrix whole = shown_matrix(board, std::string(name) + " of the class");
    for (Index head = 0; head < 2; ++head) {
      const BoardMatrix part = shown_matrix(board, fmt::format("{}, head {}", name, head + 1));
      ASSERT_EQ(2 * part.cols, whole.cols);
      ASSERT_EQ(part.rows, whole.rows);
      EXPECT_EQ(part.high, whole.high) << "the same number has the same colour";
      for (Index row = 0; row < part.rows; ++row)
        for (Index col = 0; col < part.cols; ++col)
          EXPECT_FLOAT_EQ(part.values[static_cast<std::size_t>(row * part.cols + col)],
                          whole.values[static_cast<std::size_t>(row * whole.cols + head * part.cols + col)]);
    }
  }
  expect_first_head(shown_matrix(board, "context, head 1"), of.stage(Stage::head_context));
}

TEST(ListOrClass, NeedsHeads) {
  Document document = opening_document();
  document.config.num_heads = 1;
  EXPECT_NE(obstacle_to(*study_named("wrapper"), Studied(document).result), "");
}

TEST(WhatChanges, FramesTheNumbersThatAnotherInputChanges) {
  const Studied of(opening_document());
  const Board board = of.board({.id = "changes"}, 4);  // the largest number of "it" is its pronoun
  const auto framed = [&](std::string_view title) {
    const BoardMatrix shown = shown_matrix(board, title);
    std::set<std::pair<Index, Index>> cells;
    for (std::size_t i = 0; i < shown.marks.size(); ++i)
      if (shown.marks[i].differs) cells.emplace(static_cast<Index>(i) / shown.cols, static_cast<Index>(i) % shown.cols);
    return cells;
  };
  EXPECT_EQ(framed("inputs"), (std::set<std::pair<Index, Index>>{{4, 2}}));
  for (const auto& [row, col] : framed("scores")) EXPECT_TRUE(row == 4 || col == 4);
  EXPECT_FALSE(framed("scores").empty());
  EXPECT_EQ(framed("attention weights"), (std::set<std::pair<Index, Index>>{{4, 0}, {4, 1}, {4, 2}, {4, 3}, {4, 4}}));
  for (const auto& [row, col] : framed("context")) EXPECT_GE(row, 4) << "the mask hides it from the words before it";
  Document changed = of.document;
  set_input(changed, 4, 2, 1.0F);
  expect_first_head(shown_matrix(board, "attention weights"), Studied(changed).stage(Stage::weights));
}

TEST(TrainedOrRandom, ShowsTheWeightsThatTheSeedDrawsBesideThoseThatWereSet) {
  const Studied of(opening_document());
  const Board board = of.board({.id = "trained"}, 4);
  const std::vector<BoardMatrix> shown = shown_items<BoardMatrix>(board);
  ASSERT_EQ(shown.size(), 4U);
  expect_first_head(shown[0], of.stage(Stage::weights));
  Document drawn = of.document;
  drawn.config.weight_overrides.clear();
  expect_first_head(shown[1], Studied(drawn).stage(Stage::weights));
  EXPECT_NE(shown[2].values, shown[3].values);
  EXPECT_EQ(shown_items<BoardMatrix>(Studied(drawn).board({.id = "trained"}, 4)).size(), 2U) << "nothing was set";
}

TEST(TrainedOrRandom, SaysWhatMadeAModel) {
  const Result result = evaluate(small_layer(small_model(), 1));
  const std::vector<std::string> labels(static_cast<std::size_t>(key_count(result.config)), "word");
  const TeachingViewChoice choice{.id = "trained"};
  EXPECT_EQ(make_board({result, labels, 0, 0, 1, choice}).headline, "Training found the weights of this model.");
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
