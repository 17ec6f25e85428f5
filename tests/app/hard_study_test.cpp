// Teaching views and answers of documents with two batch entries, three heads, a mask beside dropout and a bias: every
// number is of the entry, the head and the query that are looked at.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "boards.h"
#include "core/evaluate.h"
#include "core/text.h"
#include "teach/questions.h"
#include "teach/teaching_view.h"
#include "tests/support/hard_documents.h"

namespace attnscope::test {
namespace {

using Row = std::vector<double>;

double sum_of(const Row& row) {
  double sum = 0;
  for (const double each : row) sum += each;
  return sum;
}

Row softmax_of(Row scores) {
  double sum = 0;
  for (double& each : scores) sum += each = std::exp(each);
  for (double& each : scores) each /= sum == 0 ? 1 : sum;
  return scores;
}

double entropy_of(const Row& shares) {
  double bits = 0;
  for (const double share : shares) bits -= share > 0 ? share * std::log2(share) : 0;
  return bits;
}

std::string number(double value, int decimals = 2) { return format_fixed(value, decimals); }

// A document and its result, looked at in one batch entry, one head and one row.
struct Spot {
  const Document& document;
  const Result& result;
  const std::vector<std::string>& labels;
  Index batch = 0;
  Index head = 0;
  Index query = 0;

  const AttentionConfig& config() const { return result.config; }
  Index keys() const { return key_count(config()); }
  Index queries() const { return query_count(config()); }
  double at(Stage stage, Index row, Index col) const { return at(stage, head, row, col); }
  double at(Stage stage, Index of_head, Index row, Index col) const {
    return static_cast<double>(
        value_at(result, {.stage = stage, .batch = batch, .head = of_head, .row = row, .col = col}));
  }
  Row row(Stage stage, Index of_head, Index of) const {
    Row numbers;
    for (Index col = 0; col < stage_shape(config(), stage).back(); ++col)
      numbers.push_back(at(stage, of_head, of, col));
    return numbers;
  }
  Row row(Stage stage) const { return row(stage, head, query); }
  // What softmax reads where nothing is masked.
  Row scores(Index of) const {
    Row numbers;
    for (Index key = 0; key < keys(); ++key) {
      const std::span<const float> bias = config().bias.row((batch * hard_heads + head) * queries() + of);
      numbers.push_back(at(Stage::scores, of, key) / std::sqrt(2.0) +
                        static_cast<double>(bias[static_cast<std::size_t>(key)]));
    }
    return numbers;
  }
  bool hides(Index of, Index key) const { return at(Stage::mask, of, key) != 0; }
  Index seen() const {
    Index count = 0;
    for (Index key = 0; key < keys(); ++key) count += hides(query, key) ? 0 : 1;
    return count;
  }
  std::string query_name(Index of) const {
    return queries() == keys() ? labels[static_cast<std::size_t>(of)] : fmt::format("query {}", of + 1);
  }
  std::string query_name() const { return query_name(query); }
  std::string key_name(Index of) const { return labels[static_cast<std::size_t>(of)]; }
  Board board(const std::string& id) const {
    const TeachingViewChoice choice{.id = id};
    return make_board({result, labels, head, batch, query, choice});
  }
  std::string answer(std::string_view id) const {
    const TeachingViewChoice choice;
    return answer_of(*question_named(id), {result, labels, head, batch, query, choice});
  }
};

void at_every_spot_of(const Document& document, const std::function<void(const Spot&)>& check) {
  const Result result = evaluate(document.config);
  const std::vector<std::string> labels = token_labels(document.tokens);
  for (Index batch = 0; batch < hard_entries; ++batch) {
    for (Index head = 0; head < hard_heads; ++head) {
      for (Index query = 0; query < query_count(document.config); ++query) {
        SCOPED_TRACE(fmt::format("{} queries, {} keys, entry {}, head {}, query {}", query_count(document.config),
                                 key_count(document.config), batch, head, query));
        check({document, result, labels, batch, head, query});
      }
    }
  }
}

void at_every_spot(const std::function<void(const Spot&)>& check) {
  for (const Document& document : {hard_document(), hard_given(3, 5), hard_given(5, 3)})
    at_every_spot_of(document, check);
}

// The cells of a matrix are those of the function.
void expect_cells(const BoardMatrix& shown, Index rows, Index cols,
                  const std::function<double(Index, Index)>& expected) {
  ASSERT_EQ(shown.rows, rows) << shown.title;
  ASSERT_EQ(shown.cols, cols) << shown.title;
  for (Index row = 0; row < rows; ++row) {
    for (Index col = 0; col < cols; ++col)
      ASSERT_NEAR(static_cast<double>(shown.values[static_cast<std::size_t>(row * cols + col)]), expected(row, col),
                  2e-6)
          << shown.title << " " << row << " " << col;
  }
}

void expect_stage(const BoardMatrix& shown, const Spot& spot, Stage stage) {
  expect_cells(shown, spot.queries(), spot.keys(), [&](Index row, Index col) { return spot.at(stage, row, col); });
  if (shown.row_sums.empty()) return;
  for (Index row = 0; row < spot.queries(); ++row)
    ASSERT_NEAR(static_cast<double>(shown.row_sums[static_cast<std::size_t>(row)]),
                sum_of(spot.row(stage, spot.head, row)), 1e-5)
        << shown.title;
}

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

Index largest_of(const Row& row) { return std::ranges::max_element(row) - row.begin(); }

TEST(HardStudy, DropoutIsOfTheHeadOfItsEntry) {
  at_every_spot([](const Spot& spot) {
    const Board board = spot.board("dropout");
    expect_stage(shown_matrix(board, "weights"), spot, Stage::weights);
    expect_stage(shown_matrix(board, "dropped weights"), spot, Stage::dropped_weights);
    const BoardMatrix kept = shown_matrix(board, "kept / (1 − p)");
    Index count = 0;
    for (Index key = 0; key < spot.keys(); ++key) {
      if (spot.hides(spot.query, key)) continue;
      const auto cell = static_cast<std::size_t>(spot.query * spot.keys() + key);
      EXPECT_EQ(static_cast<double>(kept.values[cell]), spot.at(Stage::dropout_factors, spot.query, key));
      EXPECT_EQ(kept.marks[cell].is_dropped, kept.values[cell] == 0);
      count += kept.values[cell] > 0 ? 1 : 0;
    }
    EXPECT_EQ(board.headline, fmt::format("“{}” keeps {} of {} {}, each ÷ 0.50: the row sums to {}.", spot.query_name(),
                                          count, spot.seen(), spot.seen() == 1 ? "weight" : "weights",
                                          number(sum_of(spot.row(Stage::dropped_weights)))));
  });
}

TEST(HardStudy, MaskRoutesAddTheBiasOfTheEntry) {
  at_every_spot([](const Spot& spot) {
    const Board board = spot.board("mask_routes");
    expect_stage(shown_matrix(board, "before softmax"), spot, Stage::weights);
    const auto after = [&](Index row, Index key) {
      return spot.hides(row, key) ? 0 : softmax_of(spot.scores(row))[static_cast<std::size_t>(key)];
    };
    expect_cells(shown_matrix(board, "after softmax"), spot.queries(), spot.keys(), after);
    const auto left = [&](Index row) {
      double sum = 0;
      for (Index key = 0; key < spot.keys(); ++key) sum += after(row, key);
      return sum;
    };
    const bool is_cut = spot.seen() > 0 && spot.seen() < spot.keys();
    if (is_cut) {
      expect_in(board.details,
                fmt::format("hidden from “{}” {} of the weight", spot.query_name(), number(1 - left(spot.query))));
      expect_in(board.details, fmt::format("sums to {};", number(left(spot.query))));
    } else {
      expect_in(board.details,
                fmt::format("{} key is hidden from “{}”", spot.seen() == 0 ? "Every" : "No", spot.query_name()));
      EXPECT_EQ(board.details.find("divided by that sum"), std::string::npos) << board.details;
    }
    double least = 1;
    for (Index row = 0; row < spot.queries(); ++row) least = std::min(least, left(row));
    const auto names_row = [&](Index row) {
      const std::string sentence =
          fmt::format("The row of “{}” loses most, {}.", spot.query_name(row), number(1 - least));
      return left(row) < least + 1e-9 && board.details.find(sentence) != std::string::npos;
    };
    bool names_one = false;  // of those that see nothing, any
    for (Index row = 0; row < spot.queries(); ++row) names_one = names_one || names_row(row);
    EXPECT_TRUE(names_one) << board.details;
    const std::string answer = spot.answer("mask_when");
    if (!is_cut) {
      EXPECT_EQ(answer.find("repairs it"), std::string::npos) << answer;
      return expect_in(answer,
                       fmt::format("From “{}” {} key is hidden", spot.query_name(), spot.seen() == 0 ? "every" : "no"));
    }
    expect_in(answer,
              fmt::format("in the row of “{}” the hidden keys have already taken {} of the weight, and the rest "
                          "sums to only {}.",
                          spot.query_name(), number(1 - left(spot.query)), number(left(spot.query))));
  });
}

TEST(HardStudy, SoftmaxIsOfTheRowThatIsLookedAt) {
  at_every_spot([](const Spot& spot) {
    if (spot.seen() == 0) return;
    const Board board = spot.board("softmax");
    expect_stage(shown_matrix(board, "over keys"), spot, Stage::weights);
    const Row weights = spot.row(Stage::weights);
    const std::vector<BoardBars> bars = shown_items<BoardBars>(board);
    ASSERT_EQ(bars.size(), 3U);
    for (Index key = 0; key < spot.keys(); ++key) {
      const auto at = static_cast<std::size_t>(key);
      EXPECT_NEAR(static_cast<double>(bars[2].parts[0].values[at]), weights[at], 1e-6);
      EXPECT_EQ(bars[2].labels[at], spot.key_name(key));
      EXPECT_EQ(bars[0].marks[at].is_hidden, spot.hides(spot.query, key));
      if (!spot.hides(spot.query, key)) {
        EXPECT_NEAR(static_cast<double>(bars[0].parts[0].values[at]), spot.scores(spot.query)[at], 1e-5);
      }
    }
    const Index largest = largest_of(weights);
    EXPECT_EQ(board.headline,
              fmt::format("“{}” gives “{}” the largest share, {}; the shares of its row sum to 1.", spot.query_name(),
                          spot.key_name(largest), number(weights[static_cast<std::size_t>(largest)])));
    expect_in(board.details, fmt::format("one of {} equal shares", number(std::exp2(entropy_of(weights)), 1)));
    const BoardMatrix wrong = shown_matrix(board, "over queries");
    for (Index row = 0; row < wrong.rows; ++row) {
      double sum = 0;
      for (Index col = 0; col < wrong.cols; ++col)
        sum += static_cast<double>(wrong.values[static_cast<std::size_t>(row * wrong.cols + col)]);
      EXPECT_NEAR(static_cast<double>(wrong.row_sums[static_cast<std::size_t>(row)]), sum, 1e-5);
    }
  });
}

TEST(HardStudy, SharpnessHasAColumnForEachHead) {
  at_every_spot([](const Spot& spot) {
    const Board board = spot.board("sharpness");
    const auto bits = [&](Index row, Index head) { return entropy_of(spot.row(Stage::weights, head, row)); };
    expect_cells(shown_matrix(board, "entropy"), spot.queries(), hard_heads, bits);
    const auto effective = [&](Index row, Index head) {  // none where every key is hidden
      return sum_of(spot.row(Stage::weights, head, row)) > 0.5 ? std::exp2(bits(row, head)) : 0;
    };
    expect_cells(shown_matrix(board, "effective keys"), spot.queries(), hard_heads, effective);
    expect_cells(shown_matrix(board, "weight of the first token"), spot.queries(), hard_heads,
                 [&](Index row, Index head) { return spot.at(Stage::weights, head, row, 0); });
    const BoardBars bars = shown_items<BoardBars>(board).front();
    EXPECT_EQ(bars.caption, fmt::format("head {}; effective keys: 2 to the power of the entropy", spot.head + 1));
    const auto query = static_cast<std::size_t>(spot.query);
    EXPECT_EQ(bars.parts[0].values[query], static_cast<float>(spot.seen()));
    EXPECT_NEAR(static_cast<double>(bars.parts[1].values[query]), effective(spot.query, spot.head), 1e-5);
    if (spot.seen() == 0) return expect_in(board.headline, "looks at nothing: every key is hidden from it");
    expect_in(board.headline, fmt::format("“{}” spreads its weight over {} of {} {}; scores × 10", spot.query_name(),
                                          number(std::exp2(bits(spot.query, spot.head)), 1), spot.seen(),
                                          spot.seen() == 1 ? "key" : "keys"));
    expect_in(board.details, fmt::format("has an entropy of {} bits", number(bits(spot.query, spot.head))));
  });
}

TEST(HardStudy, TheSentenceHasALineForEachHead) {
  at_every_spot([](const Spot& spot) {
    const Board board = spot.board("sentence");
    if (spot.queries() != spot.keys()) {
      EXPECT_EQ(board.headline, "Here queries and keys are of other tokens.");
      return;
    }
    const BoardTable table = shown_items<BoardTable>(board).front();
    const BoardArcs arcs = shown_items<BoardArcs>(board).front();
    ASSERT_EQ(std::ssize(table.rows), hard_heads);
    ASSERT_EQ(std::ssize(arcs.heads), hard_heads);
    EXPECT_TRUE(arcs.shows_all);
    for (Index head = 0; head < hard_heads; ++head) {
      const Row weights = spot.row(Stage::weights, head, spot.query);
      const Index largest = largest_of(weights);
      const bool looks = spot.seen() > 0;
      const std::vector<std::string> expected = {std::to_string(head + 1), looks ? spot.key_name(largest) : "nothing",
                                                 number(weights[static_cast<std::size_t>(largest)]),
                                                 number(looks ? std::exp2(entropy_of(weights)) : 0, 1)};
      EXPECT_EQ(table.rows[static_cast<std::size_t>(head)], expected);
      const BoardArcs::Head& arc = arcs.heads[static_cast<std::size_t>(head)];
      const Index first = spot.query * spot.keys();
      for (Index key = 0; key < spot.keys(); ++key)
        EXPECT_EQ(static_cast<double>(arc.weights[static_cast<std::size_t>(first + key)]),
                  weights[static_cast<std::size_t>(key)]);
    }
    for (Index key = 0; key < spot.keys(); ++key) {
      const Source expected{.stage = Stage::weights, .batch = spot.batch, .head = spot.head, .row = key, .col = key};
      EXPECT_EQ(arcs.sources[static_cast<std::size_t>(key)], expected);
      EXPECT_EQ(arcs.hidden.contains(key), spot.hides(spot.query, key));
    }
    const std::vector<std::string>& shown = table.rows[static_cast<std::size_t>(spot.head)];
    if (spot.seen() == 0) return expect_in(board.headline, "looks at nothing: every key is hidden from it.");
    EXPECT_EQ(board.headline, fmt::format("In head {} “{}” gives “{}” the largest weight, {}.", spot.head + 1,
                                          spot.query_name(), shown[1], shown[2]));
  });
}

TEST(HardStudy, TheMixIsOfWeightsAfterDropoutAndOfWholeValues) {
  at_every_spot([](const Spot& spot) {
    const Board board = spot.board("mix");
    const Row weights = spot.row(Stage::dropped_weights);
    const Row context = spot.row(Stage::head_context);
    const Index dims = std::ssize(context);
    std::vector<Index> looked_at;
    for (Index key = 0; key < spot.keys(); ++key)
      if (weights[static_cast<std::size_t>(key)] != 0) looked_at.push_back(key);
    const BoardMatrix each = shown_matrix(board, "heads of this document");
    expect_cells(each, hard_heads, dims,
                 [&](Index head, Index dim) { return spot.at(Stage::head_context, head, spot.query, dim); });
    expect_cells(shown_matrix(board, "average of all heads"), 1, dims, [&](Index, Index dim) {
      double sum = 0;
      for (Index head = 0; head < hard_heads; ++head) sum += spot.at(Stage::head_context, head, spot.query, dim);
      return sum / hard_heads;
    });
    const std::string average = spot.answer("average_heads");
    Index most = 0;
    const auto in_head = [&](Index head, Index dim) { return spot.at(Stage::head_context, head, spot.query, dim); };
    for (Index dim = 1; dim < dims; ++dim) {
      const auto apart = [&](Index at) { return std::abs(in_head(0, at) - in_head(1, at)); };
      if (apart(dim) > apart(most)) most = dim;
    }
    if (in_head(0, most) == in_head(1, most)) {
      EXPECT_EQ(average.find(fmt::format("the context of “{}”", spot.query_name())), std::string::npos);
    } else {
      expect_in(average, fmt::format("In dimension {}, the context of “{}” is {} in head 1 and {} in head 2;", most + 1,
                                     spot.query_name(), number(in_head(0, most), 3), number(in_head(1, most), 3)));
    }
    if (looked_at.empty()) return expect_in(board.details, "looks at nothing");
    const BoardMatrix parts = shown_matrix(board, fmt::format("context of “{}”", spot.query_name()));
    const Index rows = std::ssize(looked_at);
    expect_cells(parts, rows + 1, dims, [&](Index row, Index dim) {
      if (row == rows) return context[static_cast<std::size_t>(dim)];
      const Index key = looked_at[static_cast<std::size_t>(row)];
      return weights[static_cast<std::size_t>(key)] * spot.at(Stage::values, key, dim);
    });
    for (Index row = 0; row < rows; ++row) {
      const Index key = looked_at[static_cast<std::size_t>(row)];
      EXPECT_EQ(parts.row_labels[static_cast<std::size_t>(row)],
                fmt::format("{} × {}", number(weights[static_cast<std::size_t>(key)]), spot.key_name(key)));
    }
    const Index heaviest = largest_of(weights);
    const double largest = weights[static_cast<std::size_t>(heaviest)];
    if (const auto ties = std::ranges::count(weights, largest); ties > 1)
      return expect_in(board.details, fmt::format("its largest weight to {} keys, {} each", ties, number(largest)));
    expect_in(board.details,
              fmt::format("gives its largest weight to “{}” ({}).", spot.key_name(heaviest), number(largest)));
  });
}

TEST(HardStudy, SymmetryNamesTheQueryAndTheKeyThatDifferMost) {
  at_every_spot_of(hard_document(), [](const Spot& spot) {
    const Board board = spot.board("symmetry");
    expect_stage(shown_matrix(board, "scores S"), spot, Stage::scores);
    Index query = 0;
    Index key = 0;
    const auto difference = [&](Index row, Index col) {
      return spot.at(Stage::scores, row, col) - spot.at(Stage::scores, col, row);
    };
    for (Index row = 0; row < 6; ++row) {
      for (Index col = 0; col < 6; ++col)
        if (difference(row, col) > difference(query, key)) std::tie(query, key) = std::pair(row, col);
    }
    expect_cells(shown_matrix(board, "S − Sᵀ"), 6, 6, difference);
    EXPECT_EQ(board.headline,
              fmt::format("Rows are queries: “{0}” scores “{1}” {2}, “{1}” scores “{0}” {3}.", spot.key_name(query),
                          spot.key_name(key), number(spot.at(Stage::scores, query, key)),
                          number(spot.at(Stage::scores, key, query))));
    const Index other = spot.query > 0 ? spot.query : 5;
    expect_in(
        spot.answer("query_axis"),
        fmt::format("The query “{}” scores the key “Your” {}; the other way round it is {}.", spot.key_name(other),
                    number(spot.at(Stage::scores, other, 0), 3), number(spot.at(Stage::scores, 0, other), 3)));
  });
}

TEST(HardStudy, WeightsOfAllHeadsMakeTheQueriesOfTheRow) {
  at_every_spot_of(hard_document(), [](const Spot& spot) {
    const BoardMatrix product = shown_matrix(spot.board("linear"), "x @ W of the query");
    expect_cells(product, 1, 2 * hard_heads, [&](Index, Index out) {
      return spot.at(Stage::queries, out / 2, spot.query, out % 2) - spot.at(Stage::query_bias, 0, out);
    });
    EXPECT_EQ(product.row_labels.front(), spot.query_name());
    const Board splitting = spot.board("splitting");
    expect_stage(shown_matrix(splitting, "right split"), spot, Stage::weights);
    EXPECT_EQ(shown_matrix(splitting, "right split").caption, fmt::format("head {}", spot.head + 1));
    EXPECT_EQ(splitting.headline, "Each of 3 heads reads the whole input and makes 2 of the 6 numbers of a query.");
    const BoardTable sizes = shown_items<BoardTable>(splitting).front();
    EXPECT_EQ(sizes.rows[0], (std::vector<std::string>{"d_out of the constructor", "2", "6"}));
    EXPECT_EQ(sizes.rows[1], (std::vector<std::string>{"W_query, as stored", "3 × (2, 3)", "(6, 3)"}));
    EXPECT_EQ(sizes.rows[3], (std::vector<std::string>{"parameters", "72", "114"}));  // 3 (18 + 6), and 36 + 6
    EXPECT_EQ(sizes.rows[4], (std::vector<std::string>{"of these out_proj", "0", "42"}));
  });
}

TEST(HardStudy, AnswersAboutMasksAndDropoutHaveTheNumbersOfTheRow) {
  at_every_spot([](const Spot& spot) {
    const Row dropped = spot.row(Stage::dropped_weights);
    Index gone = 0;
    for (Index key = 0; key < spot.keys(); ++key) {
      const bool is_dropped = spot.at(Stage::dropout_factors, spot.query, key) == 0;
      gone += is_dropped && !spot.hides(spot.query, key) ? 1 : 0;
    }
    const std::string sums = spot.answer("row_sums");
    expect_in(sums, fmt::format("In the row of “{}” it drops {} of {} {}{}", spot.query_name(), gone, spot.seen(),
                                spot.seen() == 1 ? "weight" : "weights", gone < spot.seen() ? ";" : ","));
    if (gone < spot.seen()) expect_in(sums, fmt::format(" × 2.00 = {}", number(sum_of(dropped), 3)));
    expect_in(spot.answer("hide_or_show"),
              fmt::format("The query “{}” sees {} of {} key", spot.query_name(), spot.seen(), spot.keys()));
    double column = 0;
    for (Index row = 0; row < spot.queries(); ++row) column += spot.at(Stage::weights, row, 0);
    expect_in(spot.answer("softmax_axis"), fmt::format("The row of “{}” sums to {}{}; the column of “{}” sums to {},",
                                                       spot.query_name(), number(sum_of(spot.row(Stage::weights))),
                                                       spot.seen() == 0 ? ", because every key is hidden from it" : "",
                                                       spot.key_name(0), number(column)));
  });
}

TEST(HardStudy, AnswersAboutScoresAddTheBiasOfTheRow) {
  at_every_spot([](const Spot& spot) {
    const double score = spot.at(Stage::scores, spot.query, 0);
    const Row scores = spot.scores(spot.query);
    double sum = 0;
    for (Index key = 0; key < spot.keys(); ++key)
      sum += spot.hides(spot.query, key) ? 0 : std::exp(scores[static_cast<std::size_t>(key)]);
    const std::string text = spot.answer("scores_weights");
    // With as many digits as the products need.
    const auto has_decimals = [&](int decimals) {
      const std::string part = fmt::format("For “{}” and “{}” the score is {}, times {} it is the scaled score {}",
                                           spot.query_name(), spot.key_name(0), number(score, decimals),
                                           number(1 / std::sqrt(2.0), decimals), number(score / std::sqrt(2.0), 3));
      return text.find(part) != std::string::npos;
    };
    EXPECT_TRUE(has_decimals(3) || has_decimals(4) || has_decimals(5)) << text;
    if (spot.hides(spot.query, 0)) return expect_in(text, "hidden, it gets the weight 0");
    expect_in(text, fmt::format(", and {} as it enters softmax;", number(scores[0], 3)));
    const auto has_share = [&](int decimals) {
      const std::string part = fmt::format("the weight {} / {} = {}:", number(std::exp(scores[0]), decimals),
                                           number(sum, decimals), number(spot.at(Stage::weights, spot.query, 0), 3));
      return text.find(part) != std::string::npos;
    };
    EXPECT_TRUE(has_share(3) || has_share(4) || has_share(5)) << text;
  });
}

}  // namespace
}  // namespace attnscope::test
