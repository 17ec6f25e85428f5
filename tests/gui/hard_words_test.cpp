// What the inspector says of every cell of documents with two batch entries, three heads, a mask beside dropout and a
// bias: its words and numbers against the cells themselves.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/evaluate.h"
#include "core/model/forward.h"
#include "core/source.h"
#include "core/text.h"
#include "document/json.h"
#include "files/checkpoint.h"
#include "tests/support/hard_documents.h"
#include "view/number_words.h"

namespace attnscope::test {
namespace {

std::string number(double value) { return format_fixed(value, 4); }

// A document, and what is said of its cells.
struct Explained {
  Document document;
  Result result = evaluate(document.config);
  std::vector<std::string> keys = token_labels(document.tokens);
  std::vector<std::string> queries = document.query_tokens.size() > 0 ? token_labels(document.query_tokens)
                                                                      : token_labels(document.tokens);

  double at(const Source& of, Stage stage, Index row, Index col) const {
    Source cell = of;
    cell.stage = stage;
    cell.row = row;
    cell.col = col;
    return static_cast<double>(value_at(result, cell));
  }
  double at(const Source& of, Stage stage) const { return at(of, stage, of.row, of.col); }
  std::string query(const Source& cell) const {
    return fmt::format("“{}”", queries[static_cast<std::size_t>(cell.row)]);
  }
  std::string key(const Source& cell) const { return fmt::format("“{}”", keys[static_cast<std::size_t>(cell.col)]); }
  bool hides(const Source& cell, Index key_col) const { return at(cell, Stage::mask, cell.row, key_col) != 0; }
  Index seen(const Source& cell) const {
    Index count = 0;
    for (Index col = 0; col < std::ssize(keys); ++col) count += hides(cell, col) ? 0 : 1;
    return count;
  }
  std::string text(const Source& cell) const {
    std::string text;
    for (const ExplanationLine& line : explanation_lines(result, cell, {queries, keys}, 16)) text += line.text + "\n";
    return text;
  }
  void expect(const Source& cell, const std::vector<std::string>& parts) const {
    const std::string said = text(cell);
    for (const std::string& part : parts) EXPECT_NE(said.find(part), std::string::npos) << part << " in\n" << said;
  }
};

// Calls check(document, cell) for every cell of a stage, in every entry and head.
void at_every_cell(Stage stage, const std::function<void(const Explained&, const Source&)>& check) {
  for (const Document& document : {hard_document(), hard_given(3, 5), hard_given(5, 3)}) {
    const Explained explained{document};
    const std::vector<Index> shape = stage_shape(document.config, stage);
    Source cell{.stage = stage};
    for (cell.batch = 0; cell.batch < hard_entries; ++cell.batch) {
      for (cell.head = 0; cell.head < hard_heads; ++cell.head) {
        for (cell.row = 0; cell.row < shape[shape.size() - 2]; ++cell.row) {
          for (cell.col = 0; cell.col < shape.back(); ++cell.col) {
            SCOPED_TRACE(number_text(explained.result, cell, {explained.queries, explained.keys}));
            check(explained, cell);
          }
        }
      }
    }
  }
}

TEST(HardWords, OfScoresNameTheQueryAndTheKey) {
  at_every_cell(Stage::scores, [](const Explained& of, const Source& cell) {
    of.expect(cell, {fmt::format("How well the query of {} fits the key of {}: their 2 dimensions", of.query(cell),
                                 of.key(cell)),
                     fmt::format("{} × {}", number(of.at(cell, Stage::queries, cell.row, 1)),
                                 number(of.at(cell, Stage::keys, cell.col, 1))),
                     "= " + number(of.at(cell, Stage::scores))});
  });
}

TEST(HardWords, OfTheMaskSayWhoIsHiddenFromWhom) {
  at_every_cell(Stage::masked_scores, [](const Explained& of, const Source& cell) {
    const bool is_custom = of.document.config.mask == MaskRoute::custom;
    const bool is_square = of.keys.size() == of.queries.size();
    if (!of.hides(cell, cell.col)) {
      of.expect(cell, {fmt::format("{} may look at {}: the score stays as it is.", of.query(cell), of.key(cell))});
    } else if (is_custom || !is_square) {
      of.expect(cell, {fmt::format("The mask hides {} from {}: −∞ makes its weight 0.", of.key(cell), of.query(cell))});
    }
    Source mask = cell;
    mask.stage = Stage::mask;
    mask.batch = mask.head = 0;
    of.expect(mask,
              {of.hides(cell, cell.col) ? fmt::format("1: the mask hides {} from {}.", of.key(cell), of.query(cell))
                                        : fmt::format("0: {} may look at {}.", of.query(cell), of.key(cell))});
  });
}

TEST(HardWords, OfTheBiasHaveThatOfTheEntryAndHead) {
  at_every_cell(Stage::biased_scores, [](const Explained& of, const Source& cell) {
    if (of.hides(cell, cell.col)) return;
    const double bias = of.at(cell, Stage::biased_scores) - of.at(cell, Stage::scores) / std::sqrt(2.0);
    const std::string text = of.text(cell);
    const std::size_t plus = text.find(" + ");
    ASSERT_NE(plus, std::string::npos) << text;
    std::string said = text.substr(plus + 3, text.find('\n', plus) - plus - 3);
    if (said.starts_with("−")) said.replace(0, std::string("−").size(), "-");
    EXPECT_NEAR(std::stod(said), bias, 1e-4) << text;
  });
}

TEST(HardWords, OfWeightsCountTheKeysThatAreSeen) {
  at_every_cell(Stage::weights, [](const Explained& of, const Source& cell) {
    const Index seen = of.seen(cell);
    if (seen == 0) return of.expect(cell, {fmt::format("Every key is hidden from {},", of.query(cell))});
    if (of.hides(cell, cell.col))
      return of.expect(cell, {fmt::format("{} is hidden from {}:", of.key(cell), of.query(cell))});
    of.expect(cell, {fmt::format("{} shares its attention out among {} {}; {} gets {}\u00a0%.", of.query(cell), seen,
                                 seen == 1 ? "key" : "keys", of.key(cell),
                                 format_fixed(100 * of.at(cell, Stage::weights), 1)),
                     "= " + number(of.at(cell, Stage::weights))});
  });
}

TEST(HardWords, OfDroppedWeightsCountThoseThatStay) {
  at_every_cell(Stage::dropped_weights, [](const Explained& of, const Source& cell) {
    if (of.hides(cell, cell.col))
      return of.expect(cell, {fmt::format("{} is hidden from {}: 0 stays 0.", of.key(cell), of.query(cell))});
    Index kept = 0;
    for (Index col = 0; col < std::ssize(of.keys); ++col)
      kept += !of.hides(cell, col) && of.at(cell, Stage::dropout_factors, cell.row, col) > 0 ? 1 : 0;
    if (of.at(cell, Stage::dropout_factors) == 0)
      return of.expect(cell, {fmt::format("Dropped: with this mask {} adds nothing to the context of {}.", of.key(cell),
                                          of.query(cell))});
    of.expect(cell,
              {fmt::format("{} of the {} weights of {} {} kept, and each is divided by 1 − p = 0.50: {} becomes {}.",
                           kept, of.seen(cell), of.query(cell), kept == 1 ? "is" : "are",
                           number(of.at(cell, Stage::weights)), number(of.at(cell, Stage::dropped_weights)))});
  });
}

TEST(HardWords, OfContextsNameTheirDimensionAndTheirHead) {
  at_every_cell(Stage::head_context, [](const Explained& of, const Source& cell) {
    of.expect(cell, {fmt::format("Dimension {} of every value, multiplied by the weight that {} gives its token",
                                 cell.col + 1, of.query(cell)),
                     fmt::format("{} × {}", number(of.at(cell, Stage::dropped_weights, cell.row, 0)),
                                 number(of.at(cell, Stage::values, 0, cell.col))),
                     "= " + number(of.at(cell, Stage::head_context))});
    const Index width = value_features(of.document.config);
    Source joined = cell;
    joined.stage = Stage::context;
    joined.col = cell.head * width + cell.col;
    joined.head = 0;
    of.expect(joined, {fmt::format("Dimension {} of head {}, at position {} of {}.", cell.col + 1, cell.head + 1,
                                   joined.col + 1, hard_heads * width),
                       "= " + number(of.at(cell, Stage::head_context))});
    const std::string heading = number_text(of.result, cell, {of.queries, of.keys});
    EXPECT_EQ(heading, fmt::format("head context of head {}, {}, dimension {} = {}", cell.head + 1,
                                   of.queries[static_cast<std::size_t>(cell.row)], cell.col + 1,
                                   number(of.at(cell, Stage::head_context))));
  });
}

TEST(HardWords, OfProjectionsUseTheWeightsOfTheirHead) {
  const Explained of{hard_document()};
  for (Index head = 0; head < hard_heads; ++head) {
    for (Index col = 0; col < 2; ++col) {
      const Source cell{.stage = Stage::keys, .batch = 1, .head = head, .row = 3, .col = col};
      const auto weight =
          static_cast<double>(value_at(of.result, {.stage = Stage::key_weight, .row = 2 * head + col, .col = 1}));
      const auto bias =
          static_cast<double>(value_at(of.result, {.stage = Stage::key_bias, .row = 0, .col = 2 * head + col}));
      of.expect(cell, {fmt::format("Dimension {} of the key of “with”: its 3 inputs", col + 1),
                       fmt::format("0.5800 × {}", number(weight)), fmt::format("+ {} (bias)", number(bias)),
                       "= " + number(of.at(cell, Stage::keys))});
    }
  }
}

TEST(HardWords, OfAMaskAfterSoftmaxSayWhichKeyComesLater) {
  Document document = hard_document();
  document.config.mask = MaskRoute::causal_after_softmax;
  document.config.hidden = {};
  const Explained of{document};
  of.expect({.stage = Stage::masked_weights, .batch = 1, .head = 2, .row = 1, .col = 3},
            {"“with” comes after “journey”: its weight becomes 0."});
  of.expect({.stage = Stage::masked_weights, .batch = 1, .head = 2, .row = 3, .col = 1},
            {"“with” may look at “journey”: the weight stays."});
}

// A key that is too far back does not come after the query.
TEST(HardWords, OfAWindowSayThatTheMaskHidesAKey) {
  Document document = hard_document();
  document.config.mask = MaskRoute::causal_after_softmax;
  document.config.hidden = {};
  document.config.sliding_window = 2;
  const Explained of{document};
  of.expect({.stage = Stage::masked_weights, .batch = 1, .head = 2, .row = 3, .col = 1},
            {"The mask hides “journey” from “with”: its weight becomes 0."});
  of.expect({.stage = Stage::mask, .row = 3, .col = 1}, {"1: the mask hides “journey” from “with”."});
}

// A number of a trained model leads to the checkpoint, and its inputs to the layers below.
TEST(HardWords, OfATrainedModelNameCheckpointAndLayers) {
  set_model_reader(read_model_as_documents_do);
  const Explained of{
      parse_document(R"({"model": "example:stories", "text": "Mia puts the ball in the box .", "layer": 2})")};
  of.expect({.stage = Stage::key_weight, .row = 3, .col = 5},
            {"the model's checkpoint has it as transformer.h.2.attn.c_attn.weight[5, 67]"});
  const Source input = {.stage = Stage::inputs, .row = 4, .col = 7};
  of.expect(input,
            {"Dimension 8 of the residual stream of “in” before layer 3", "(embedding)", "(position)", "(attention 2)",
             "(feed-forward 2)", "(learned scale)", "= " + number(of.at(input, Stage::inputs))});
}

TEST(HardWords, OfTheInputsOfALayerSubtractTheMeanOfTheirRow) {
  set_model_reader(read_model_as_documents_do);
  bool was_negative = false;
  bool was_positive = false;
  const char* const text = "The old man had a red house near the river . Mia was tired because it rained all day .";
  for (const int layer : {1, 2, 3}) {
    const Explained of{
        parse_document(fmt::format(R"({{"model": "example:stories", "text": "{}", "layer": {}}})", text, layer))};
    for (Source input{.stage = Stage::inputs, .col = 3}; input.row < std::ssize(of.keys); ++input.row) {
      const NormalizedNumber parts = normalized_number(*of.result.below, input.row, input.col);
      (parts.mean < 0 ? was_negative : was_positive) = true;
      of.expect(input, {fmt::format("({} {} {}) / {}", number(parts.x), parts.mean < 0 ? "+" : "−",
                                    number(std::abs(parts.mean)), number(parts.deviation))});
    }
  }
  EXPECT_TRUE(was_negative && was_positive);
}

// Only the largest term is written out: the rest is the sum of the others.
TEST(HardWords, OfALongSumAddUpTheOtherTerms) {
  const Explained of{hard_document()};
  for (Source cell{.stage = Stage::queries, .batch = 1, .head = 2}; cell.row < 6; ++cell.row) {
    std::vector<double> terms;
    for (Index in = 0; in < 3; ++in)
      terms.push_back(of.at(cell, Stage::inputs, cell.row, in) * of.at(cell, Stage::query_weight, 4, in));
    const auto magnitude = [](double term) { return std::abs(term); };
    std::ranges::sort(terms, std::ranges::greater(), magnitude);
    std::string text;
    for (const ExplanationLine& line : explanation_lines(of.result, cell, {of.queries, of.keys}, 1))
      text += line.text + "\n";
    const std::string rest = fmt::format("+ {} (the other 2)", number(terms[1] + terms[2]));
    EXPECT_NE(text.find(rest), std::string::npos) << rest << " in\n" << text;
  }
}

TEST(HardWords, OfAWeightNameItsRowBeforeItsColumn) {
  const Explained of{hard_document()};
  const Source cell{.stage = Stage::query_weight, .row = 3, .col = 1};
  EXPECT_EQ(number_text(of.result, cell, {of.queries, of.keys}),
            "W_query.weight [4, 2] = " + number(of.at(cell, Stage::query_weight)));
}

TEST(HardWords, OfARotationNameItsAngleAndBothOfItsTerms) {
  Document document = default_document();
  document.config.d_out = 8;
  document.config.rope = Rope{.base = 100, .layout = RopeLayout::half, .offset = 5};
  const Explained of{document};
  for (const Index token : {0, 3}) {
    for (const Index col : {1, 3}) {  // the two of a pair, in a head of four dimensions
      const Source cell = {.stage = Stage::rotated_keys, .head = 1, .row = token, .col = col};
      const double angle = static_cast<double>(token + 5) / 10;  // 100^(−2/4) is a tenth
      const double own = of.at(cell, Stage::keys);
      const double partner = of.at(cell, Stage::keys, token, 4 - col);
      const double turned = partner * std::sin(angle);
      EXPECT_NEAR(own * std::cos(angle) + (col == 1 ? -turned : turned), of.at(cell, Stage::rotated_keys), 1e-6);
      of.expect(cell, {fmt::format("Position {} turns dimensions 2 and 4 of the key of “{}”", token + 5,
                                   of.keys[static_cast<std::size_t>(token)]),
                       number(angle) + " radians", number(own) + " × " + number(std::cos(angle)),
                       number(partner) + " × " + number(std::sin(angle)), "= " + number(of.at(cell, cell.stage))});
    }
  }
}

TEST(HardWords, OfANormNameTheRootMeanSquareAndTheGain) {
  Document document = default_document();
  document.config.d_out = 8;
  document.config.qk_norm = QkNorm::rms;
  document.config.weight_overrides["k_norm.weight"] = Tensor({4}, {1, 1.5F, -2, 3});
  const Explained of{document};
  const Source cell = {.stage = Stage::normalized_keys, .head = 1, .row = 3, .col = 2};
  double squares = 0;
  for (Index col = 0; col < 4; ++col) squares += std::pow(of.at(cell, Stage::keys, 3, col), 2);
  const double root = std::sqrt(squares / 4 + 1e-6);
  const double own = of.at(cell, Stage::keys);
  EXPECT_NEAR(own / root * -2, of.at(cell, cell.stage), 1e-6);
  of.expect(cell,
            {fmt::format("Dimension 3 of the key of “{}”", of.keys[3]), number(own), "÷ " + number(root) + " (RMS)",
             "× " + number(-2) + " (gain)", "= " + number(of.at(cell, cell.stage))});
  of.expect({.stage = Stage::query_gain, .col = 1}, {"starts with gains of 1"});
  of.expect({.stage = Stage::key_gain, .col = 3}, {"Set by hand: the norm begins with " + number(1)});
  of.expect({.stage = Stage::keys, .head = 1, .row = 3, .kind = SourceKind::row_rms},
            {(own < 0 ? "(" + number(own) + ")" : number(own)) + "² = " + number(own * own),
             "√(" + number(squares) + " / 4 + 0.000001)", "= " + number(root)});
}

}  // namespace
}  // namespace attnscope::test
