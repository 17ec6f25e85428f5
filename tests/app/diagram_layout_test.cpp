#include "view/diagram.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include "core/results.h"
#include "diagram_rules.h"
#include "document/builtin.h"
#include "document/compare.h"
#include "document/edit.h"
#include "document/json.h"
#include "document/sweep.h"

namespace attnscope::test {
namespace {

using scene::BlockKind;
using scene::DiagramCanvas;
using scene::DiagramLayout;
using scene::DiagramShape;
using scene::DiagramWrap;
using scene::PlacedMatrix;
using scene::PlacedRole;

// Every so many documents of the grid; a prime, so that every option has its turn.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t sampled = 61;
#else
constexpr std::size_t sampled = 17;
#endif

constexpr std::size_t parts = 16;  // of the whole grid, as in CMakeLists.txt

// Windows, each as large as the one before it in both directions or, the last one, upright.
constexpr std::pair<double, double> windows[] = {{1024, 700},  {1280, 720},  {1366, 768},  {1440, 900}, {1600, 1000},
                                                 {1920, 1080}, {2240, 1260}, {2560, 1440}, {1080, 1920}};

struct GridDocument {
  AttentionConfig config;
  std::string name;
};

std::vector<std::string> words_of(Index count) {
  const std::vector<std::string> sentence = {"Your", "journey", "starts", "with", "one",   "step", "over", "the",
                                             "lazy", "dog",     "while",  "a",    "small", "cat",  "in",   "sunshine"};
  std::vector<std::string> words;
  for (Index i = 0; i < count; ++i)
    words.push_back(count <= std::ssize(sentence) ? sentence[static_cast<std::size_t>(i)] : fmt::format("t{}", i));
  return words;
}

Tensor numbers_of(std::vector<Index> shape) {
  Tensor tensor(std::move(shape));
  for (std::size_t i = 0; i < tensor.values.size(); ++i) tensor.values[i] = 0.37F * static_cast<float>(i % 5) - 0.6F;
  return tensor;
}

AttentionConfig config_of(Mechanism mechanism, MaskRoute mask, Index d_out, Index tokens, double dropout = 0) {
  AttentionConfig config;
  config.inputs = RandnInputs{tokens, 3};
  config.mechanism = mechanism;
  config.mask = mask;
  config.d_out = d_out;
  config.num_heads = 2;
  config.dropout = dropout;
  config.scale = info(mechanism).scales_by_default;
  if (mechanism == Mechanism::scaled_dot_product_attention) {
    const Tensor heads = numbers_of({1, 2, tokens, std::max<Index>(1, d_out / 2)});
    config.heads = {heads, heads, heads, ""};
  }
  return config;
}

std::vector<GridDocument> documents() {
  std::vector<GridDocument> all;
  for (const MechanismInfo& mechanism : every_mechanism()) {
    for (const MaskRoute mask :
         {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized}) {
      for (const double dropout : {0.0, 0.5}) {
        for (const bool has_cap : {false, true}) {
          for (const bool has_bias : {false, true}) {
            for (const Index d_out : {2, 4, 8, 64}) {
              for (const Index tokens : {2, 6, 12, 16, 64, 1024}) {
                if (dropout > 0 && !mechanism.has_dropout) continue;
                if (d_out != 2 && mechanism.weight_style == WeightStyle::none && mechanism.has_heads == false) continue;
                if (tokens == 1024 && (d_out != 64 || has_cap || has_bias || dropout > 0)) continue;
                GridDocument& document = all.emplace_back();
                document.config = config_of(mechanism.mechanism, mask, d_out, tokens, dropout);
                if (has_cap) document.config.softcap = 2;
                if (has_bias) document.config.bias = numbers_of({tokens, tokens});
                document.name = fmt::format("{}, mask {}, dropout {}{}{}, d_out {}, {} tokens", mechanism.id,
                                            static_cast<int>(mask), dropout, has_cap ? ", cap" : "",
                                            has_bias ? ", bias" : "", d_out, tokens);
              }
            }
          }
        }
      }
    }
  }
  return all;
}

DiagramShape shape_of(const AttentionConfig& config, const scene::DiagramChoice& choice = {}) {
  const Result result = evaluate(config);
  return scene::diagram_shape(result, words_of(key_count(config)), {}, choice);
}

// Lays out every n-th document in every window. With ATTNSCOPE_PART_OF_GRID, a number below `parts`, it is that part of
// the grid: all parts together are every document, which takes minutes.
TEST(DiagramLayoutGrid, KeepsEveryRuleInEveryWindow) {
  const char* const part = std::getenv("ATTNSCOPE_PART_OF_GRID");
  const std::size_t step = part ? parts : sampled;
  const std::vector<GridDocument> all = documents();
  std::map<std::string, std::vector<std::string>> broken;  // by rule: where
  std::size_t layouts = 0;
  for (std::size_t number = part ? std::stoul(part) : 0; number < all.size(); number += step) {
    const RuledDocument document = {shape_of(all[number].config)};
    std::optional<DiagramLayout> before;
    std::vector<DiagramCanvas> canvases = page_canvases();
    for (const auto& [width, height] : windows) canvases.push_back(window_canvas(width, height));
    for (const DiagramCanvas& canvas : canvases) {
      std::optional<DiagramLayout> layout = layout_diagram(document.shape, canvas, letter_width);
      ++layouts;
      std::vector<std::string> faults;
      if (!layout) {
        if (!canvas.wants_card) continue;  // a page says how wide it has to be
        faults.emplace_back("a layout exists: there is none");
      } else {
        faults = broken_rules(document, canvas, *layout);
        const bool is_larger = before && canvas.wants_card && canvas.box.width >= before->canvas.width &&
                               canvas.box.height >= before->canvas.height;
        // Of wide matrices the search for widths is not monotone: they take room from the weights as they get it.
        if (is_larger && head_features(all[number].config) < 32)
          std::ranges::copy(broken_by_growing(*before, *layout), std::back_inserter(faults));
      }
      for (const std::string& fault : faults) {
        const std::string rule = fault.substr(0, fault.find(':'));
        broken[rule].push_back(
            fmt::format("{:.0f}x{:.0f}: {}: {}", canvas.box.width, canvas.box.height, all[number].name, fault));
      }
      if (canvas.wants_card) before = std::move(layout);
    }
  }
  EXPECT_GT(layouts, 10 * (all.size() / step));
  for (const auto& [rule, where] : broken) {
    std::string examples;
    for (std::size_t i = 0; i < where.size(); i += 1 + where.size() / 12) examples += "\n  " + where[i];
    ADD_FAILURE() << rule << ": broken " << where.size() << " times in " << layouts << " layouts" << examples;
  }
}

constexpr std::pair<double, double> landscapes[] = {{1024, 700}, {1280, 720}, {1440, 900}, {1920, 1080}, {2560, 1440}};

// The documents of a mechanism that sliders and menus lead to from each other.
std::vector<GridDocument> reached_by_sliders(const MechanismInfo& mechanism, Index tokens) {
  std::vector<GridDocument> all;
  for (const MaskRoute mask :
       {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_after_softmax, MaskRoute::causal_renormalized}) {
    for (const auto& [d_out, heads] : {std::pair<Index, Index>{2, 2}, {4, 2}, {6, 1}, {24, 12}}) {
      for (const double dropout : {0.0, 0.5}) {
        for (const bool has_options : {false, true}) {
          AttentionConfig config = config_of(mechanism.mechanism, mask, d_out, tokens, dropout);
          if (!begins_with_heads(config)) config.num_heads = heads;
          if (has_options) config.softcap = 2;
          if (has_options) config.bias = numbers_of({tokens, tokens});
          all.push_back({config, fmt::format("mask {}, d_out {}, {} heads, dropout {}{}", static_cast<int>(mask), d_out,
                                             heads, dropout, has_options ? ", cap and bias" : "")});
        }
      }
    }
  }
  return all;
}

// A slider moves numbers, not the weights.
TEST(DiagramLayout, KeepsThePlaceOfTheWeightsWhateverTheSlidersSay) {
  for (const MechanismInfo& mechanism : every_mechanism()) {
    for (const Index tokens : {3, 6, 16}) {
      std::map<double, Box> places;  // by the window's width
      for (const GridDocument& document : reached_by_sliders(mechanism, tokens)) {
        const DiagramShape shape = shape_of(document.config);
        for (const auto& [width, height] : landscapes) {
          const std::string where =
              fmt::format("{:.0f}x{:.0f}: {}, {} tokens, {}", width, height, mechanism.id, tokens, document.name);
          const std::optional<DiagramLayout> layout = layout_diagram(shape, window_canvas(width, height), letter_width);
          ASSERT_TRUE(layout) << where;
          const Box& cells = layout->main_matrix()->box;
          EXPECT_EQ(cells, places.try_emplace(width, cells).first->second) << where;
        }
      }
    }
  }
}

// The weights are the picture: their share of the canvas with six tokens.
TEST(DiagramLayout, GivesTheWeightsTheirShareOfTheCanvas) {
  constexpr std::pair<double, double> least_shares[] = {
      {1024, 0.08}, {1280, 0.08}, {1440, 0.11}, {1920, 0.13}, {2560, 0.13}};
  for (const MechanismInfo& mechanism : every_mechanism()) {
    for (const auto& [width, height] : landscapes) {
      const DiagramCanvas canvas = window_canvas(width, height);
      const DiagramShape shape = shape_of(config_of(mechanism.mechanism, MaskRoute::causal, 4, 6));
      const std::optional<DiagramLayout> layout = layout_diagram(shape, canvas, letter_width);
      ASSERT_TRUE(layout);
      const Box& cells = layout->main_matrix()->box;
      const auto promised = std::ranges::find(least_shares, width, &std::pair<double, double>::first);
      const double least = promised == std::end(least_shares) ? 0.065 : promised->second;
      EXPECT_GE(cells.width * cells.height / (canvas.box.width * canvas.box.height), least)
          << mechanism.id << " " << width;
      EXPECT_DOUBLE_EQ(layout->main_matrix()->cell_width(), layout->main_matrix()->row_height());
    }
  }
}

// A lecturer's own sentence, with dropout, on a small projector: patterns and other lines make room for the weights.
TEST(DiagramLayout, KeepsRoomForTheWeightsOfElevenTokens) {
  for (const Index tokens : {10, 11, 12}) {
    const DiagramShape shape = shape_of(config_of(Mechanism::multi_head_attention, MaskRoute::causal, 4, tokens, 0.3));
    const std::optional<DiagramLayout> layout = layout_diagram(shape, window_canvas(1280, 720), letter_width);
    ASSERT_TRUE(layout);
    EXPECT_GE(layout->main_matrix()->row_height(), 11) << tokens << " tokens";
  }
}

// Four decimals that have no room beside the weights are rounded to two, before numbers are left out.
TEST(DiagramLayout, RoundsNumbersBeforeItLeavesThemOut) {
  const AttentionConfig config = config_of(Mechanism::multi_head_attention, MaskRoute::causal, 4, 6);
  const auto laid_out = [&](int decimals, double width, double height) {
    return layout_diagram(shape_of(config, {.decimals = decimals, .left_out = {}}), window_canvas(width, height),
                          letter_width)
        .value();
  };
  const auto has_numbers = [](const PlacedMatrix& matrix) { return matrix.is_operand() || matrix.text > 0; };
  const DiagramLayout small = laid_out(4, 1440, 900);
  EXPECT_EQ(scene::decimals_of(small.main_matrix()->widest), 4);
  EXPECT_EQ(scene::decimals_of(small.matrices.front().widest), 2);
  EXPECT_TRUE(std::ranges::all_of(small.matrices, has_numbers));
  const DiagramLayout large = laid_out(4, 3840, 2160);
  EXPECT_EQ(scene::decimals_of(large.matrices.front().widest), 4) << "there is room";
  EXPECT_TRUE(std::ranges::all_of(large.matrices, has_numbers));
  EXPECT_EQ(scene::decimals_of(laid_out(1, 1280, 720).matrices.front().widest), 1) << "as was asked for";
}

// Where four decimals have no room but two have, nothing is rounded to one: as many as if two had been asked for.
TEST(DiagramLayout, RoundsFourDecimalsToTwoBeforeOne) {
  AttentionConfig config = default_document().config;
  config.d_out = 4;
  for (const auto& [width, height] : {std::pair(1440.0, 900.0), std::pair(1920.0, 1080.0)}) {
    const auto laid_out = [&](int decimals) {
      return layout_diagram(shape_of(config, {.decimals = decimals, .left_out = {}}), window_canvas(width, height),
                            letter_width)
          .value();
    };
    const scene::DiagramLayout two = laid_out(2);
    const scene::DiagramLayout four = laid_out(4);
    for (const Stage stage : {Stage::scores, Stage::masked_scores, Stage::scaled_scores}) {
      const auto decimals = [&](const scene::DiagramLayout& layout) {
        const auto found = std::ranges::find(layout.matrices, stage, &scene::PlacedMatrix::stage);
        return found == layout.matrices.end() || found->text == 0 ? 0 : scene::decimals_of(found->widest);
      };
      EXPECT_GE(decimals(four), decimals(two)) << info(stage).id << " at " << width;
    }
  }
}

// The window's opening: all results have numbers beside the weights, the output's with fewer decimals if need be.
TEST(DiagramLayout, KeepsTheNumbersOfTheOutputBesideTheWeights) {
  const Document document = opening_document();
  const Result result = evaluate(document.config);
  const DiagramShape shape = scene::diagram_shape(result, token_labels(document.tokens), {}, {});
  const auto has_numbers = [](const PlacedMatrix& matrix) {
    return matrix.is_operand() || matrix.is_thumb || matrix.text >= 11;
  };
  const picture::TextMeasure as_inter = [](std::string_view text, double size, scene::Face face) {
    return 0.95 * letter_width(text, size, face);  // the rules' letters are wider than the program's
  };
  for (const auto& [width, height] : {std::pair{1440.0, 900.0}, {1920.0, 1080.0}, {2560.0, 1440.0}}) {
    const std::optional<DiagramLayout> layout = layout_diagram(shape, window_canvas(width, height), as_inter);
    ASSERT_TRUE(layout);
    for (const PlacedMatrix& matrix : layout->matrices)
      EXPECT_TRUE(has_numbers(matrix)) << width << ": " << info(matrix.stage).title;
  }
}

// In a small window with dropout the card that explains numbers has its corner: scores make way as thumbnails.
TEST(DiagramLayout, KeepsTheCardOfASmallWindowWithDropout) {
  std::vector<AttentionConfig> all = {opening_document().config, notebook_document().config,
                                      config_of(Mechanism::causal_attention, MaskRoute::causal, 2, 6)};
  for (AttentionConfig& config : all) {
    config.dropout = 0.3;
    const DiagramShape shape = shape_of(config);
    for (const auto& [width, height] : {std::pair{1024.0, 700.0}, {1280.0, 720.0}, {1440.0, 900.0}}) {
      const std::optional<DiagramLayout> layout = layout_diagram(shape, window_canvas(width, height), letter_width);
      ASSERT_TRUE(layout);
      EXPECT_TRUE(layout->card) << width << ", " << info(config.mechanism).id;
    }
  }
}

// The notebooks' document, whose output has minus signs: no decimal is given up while the context's columns, which have
// none, can be narrower.
TEST(DiagramLayout, KeepsBothDecimalsOfTheNotebooksOutput) {
  const Document document = notebook_document();
  const DiagramShape shape = scene::diagram_shape(evaluate(document.config), token_labels(document.tokens), {}, {});
  const picture::TextMeasure as_inter = [](std::string_view text, double size, scene::Face face) {
    return 0.95 * letter_width(text, size, face);
  };
  for (const auto& [width, height] : {std::pair{1440.0, 900.0}, {1920.0, 1080.0}}) {
    const std::optional<DiagramLayout> layout = layout_diagram(shape, window_canvas(width, height), as_inter);
    ASSERT_TRUE(layout);
    for (const Stage stage : {Stage::context, Stage::output}) {
      const auto found = std::ranges::find(layout->matrices, stage, &PlacedMatrix::stage);
      ASSERT_NE(found, layout->matrices.end());
      EXPECT_GE(found->text, 11) << info(stage).title;
      EXPECT_EQ(scene::decimals_of(found->widest), 2) << info(stage).title << " at " << width;
    }
  }
}

// Where a small window leaves no room for two decimals, numbers lose their sign if none is negative, then a decimal.
TEST(DiagramLayout, ShowsTheNumbersOfTheFeaturesInASmallWindow) {
  const Document document = opening_document();
  const DiagramShape shape = scene::diagram_shape(evaluate(document.config), token_labels(document.tokens), {}, {});
  const picture::TextMeasure as_inter = [](std::string_view text, double size, scene::Face face) {
    return 0.95 * letter_width(text, size, face);
  };
  const std::optional<DiagramLayout> layout = layout_diagram(shape, window_canvas(1024, 700), as_inter);
  ASSERT_TRUE(layout);
  for (const Stage stage : {Stage::inputs, Stage::queries, Stage::keys, Stage::values}) {
    const auto found = std::ranges::find_if(layout->matrices, [stage](const PlacedMatrix& matrix) {
      return matrix.stage == stage && matrix.role == scene::PlacedRole::result;
    });
    ASSERT_NE(found, layout->matrices.end());
    EXPECT_GE(found->text, 11) << info(stage).id;
    EXPECT_LE(as_inter(found->widest, found->text, scene::Face::number) + 4, found->cell_width() + 0.01)
        << info(stage).id;
    EXPECT_EQ(found->widest.starts_with("−"), stage == Stage::keys) << info(stage).id << ": " << found->widest;
  }
}

// Letters of the same font are a few percent wider or narrower on another system: nothing is given up for that.
TEST(DiagramLayout, OfTheOpeningDocumentKeepsItsNumbersAndNamesWithWiderLetters) {
  const Document document = opening_document();
  const DiagramShape shape = scene::diagram_shape(evaluate(document.config), token_labels(document.tokens), {}, {});
  for (const double stretch : {0.97, 0.98, 0.99, 1.0, 1.01, 1.02, 1.03}) {
    const picture::TextMeasure measure = [stretch](std::string_view text, double size, scene::Face face) {
      constexpr double as_inter = 0.98;  // of the rules' letters
      return stretch * as_inter * letter_width(text, size, face);
    };
    const std::optional<DiagramLayout> layout = layout_diagram(shape, window_canvas(1280, 720), measure);
    ASSERT_TRUE(layout);
    for (const PlacedMatrix& matrix : layout->matrices) {
      if (matrix.is_operand() || matrix.is_thumb) continue;
      EXPECT_GE(matrix.text, 11) << info(matrix.stage).id << " × " << stretch;
      EXPECT_EQ(scene::decimals_of(matrix.widest), 2) << info(matrix.stage).id << " × " << stretch;
      EXPECT_LE(measure(matrix.widest, matrix.text, scene::Face::number) + 4, matrix.cell_width() + 0.01)
          << info(matrix.stage).id << " × " << stretch;
    }
    const PlacedMatrix& inputs = layout->matrices.front();
    ASSERT_EQ(inputs.stage, Stage::inputs);
    for (const std::string& name : shape.dimensions) {
      const auto is_above_inputs = [&](const scene::PlacedText& text) {
        return text.text == name && text.box.x >= inputs.box.x - 4 && text.box.right() <= inputs.box.right() + 4;
      };
      EXPECT_EQ(std::ranges::count_if(layout->texts, is_above_inputs), 1) << name << " × " << stretch;
    }
  }
}

// Letters of whole pixels are wider at some sizes than at others: the numbers keep clear of their cells' edges at each.
TEST(DiagramLayout, OfTheOpeningDocumentKeepsAirBesideNumbersOfWholePixels) {
  const Document document = opening_document();
  const DiagramShape shape = scene::diagram_shape(evaluate(document.config), token_labels(document.tokens), {}, {});
  const picture::TextMeasure measure = [](std::string_view text, double size, scene::Face face) {
    if (face != scene::Face::number) return letter_width(text, size, face);
    double width = 0;
    for (const char letter : text) width += std::round(0.95 * letter_width(letter == '.' ? "." : "0", size, face));
    return width;
  };
  int numbers = 0;
  for (int width = 1280; width <= 1920; width += 8) {
    const std::optional<DiagramLayout> layout = layout_diagram(shape, window_canvas(width, 849), measure);
    ASSERT_TRUE(layout) << width;
    for (const PlacedMatrix& matrix : layout->matrices) {
      if (matrix.text == 0 || matrix.is_operand() || matrix.is_thumb) continue;
      ++numbers;
      EXPECT_LE(measure(matrix.widest, matrix.text, scene::Face::number) + 4, matrix.cell_width() + 0.05)
          << info(matrix.stage).id << " at " << width;
    }
  }
  EXPECT_GT(numbers, 300);
}

// Beside the text of a lesson not all scores have room for numbers: those that the step is about have them.
TEST(DiagramLayout, ShowsAnAudienceTheNumbersOfTheStageThatIsToldAbout) {
  const Document document = opening_document();
  const DiagramShape shape = scene::diagram_shape(evaluate(document.config), token_labels(document.tokens), {}, {});
  DiagramCanvas canvas;
  canvas.box = {0, 0, 805, 550};
  canvas.is_presented = true;
  for (const Stage told : {Stage::scores, Stage::scaled_scores}) {
    canvas.told = told;
    const std::optional<DiagramLayout> layout = layout_diagram(shape, canvas, letter_width);
    ASSERT_TRUE(layout);
    for (const Stage stage : {Stage::scores, Stage::scaled_scores}) {
      const auto is_stage = [&](const PlacedMatrix& each) { return each.stage == stage && !each.is_operand(); };
      const auto found = std::ranges::find_if(layout->matrices, is_stage);
      ASSERT_NE(found, layout->matrices.end());
      EXPECT_EQ(found->text > 0, stage == told) << info(stage).id << ", told about " << info(told).id;
    }
  }
}

// A sentence of seven words with all stages before an audience: the weights have their digits first.
TEST(DiagramLayout, ShowsTheNumbersOfTheWeightsBeforeThoseOfTheInputsToAnAudience) {
  Document document = opening_document();
  for (const char* const sentence : {"my dog barked because it was hungry", "she ate it and then she slept"}) {
    set_sentence(document, sentence);
    const DiagramShape shape = scene::diagram_shape(evaluate(document.config), token_labels(document.tokens), {}, {});
    for (const auto& [width, height] :
         {std::pair{1023.0, 536.0}, {1029.0, 541.0}, {1030.0, 553.0}, {922.0, 546.0}, {926.0, 557.0}}) {
      for (const double stretch : {0.95, 0.98, 1.01}) {
        DiagramCanvas canvas;
        canvas.box = {0, 0, width, height};
        canvas.is_presented = true;
        const picture::TextMeasure measure = [stretch](std::string_view text, double size, scene::Face face) {
          return stretch * letter_width(text, size, face);
        };
        const std::optional<DiagramLayout> layout = layout_diagram(shape, canvas, measure);
        ASSERT_TRUE(layout);
        EXPECT_GT(layout->main_matrix()->text, 0) << sentence << ", " << width << "x" << height << " × " << stretch;
      }
    }
  }
}

// All stages before an audience: scores and weights have numbers, and the weights are the largest. Where one of the
// steps between them has no room for its numbers, it is small.
TEST(DiagramLayout, ShowsTheNumbersOfScoresAndFeaturesToAnAudience) {
  int with_all = 0;
  for (const BuiltinDocument& example : builtin_documents()) {
    const Document document = parse_document(example.json);
    if (document.tokens.size() != 6) continue;
    const DiagramShape shape = scene::diagram_shape(evaluate(document.config), token_labels(document.tokens), {}, {});
    for (const auto& [width, height] : {std::pair{1023.0, 540.0}, {926.0, 557.0}}) {
      const std::string where = fmt::format("{}, {}", example.id, width);
      DiagramCanvas canvas;
      canvas.box = {0, 0, width, height};
      canvas.is_presented = true;
      const std::optional<DiagramLayout> layout = layout_diagram(shape, canvas, letter_width);
      ASSERT_TRUE(layout) << where;
      EXPECT_EQ(broken_rules({shape}, canvas, *layout), std::vector<std::string>()) << where;
      EXPECT_GE(layout->main_matrix()->text, 11) << where;
      const bool has_steps_after = !shape.mix.empty() && shape.mix.front().kind == BlockKind::square;
      bool has_all = true;
      for (const PlacedMatrix& matrix : layout->matrices) {
        if (matrix.role != PlacedRole::result) continue;
        has_all = has_all && matrix.text > 0;
        const bool is_needed = matrix.kind == BlockKind::feature || (matrix.stage == Stage::scores && !has_steps_after);
        EXPECT_TRUE(matrix.text >= 11 || !is_needed) << where << ": " << info(matrix.stage).id;
      }
      with_all += has_all ? 1 : 0;
    }
  }
  EXPECT_GT(with_all, 10);
}

// Whatever is shown to an audience on a line of squares keeps the rules of every diagram.
TEST(DiagramLayoutGrid, KeepsEveryRuleOnALineOfSquares) {
  int squares = 0;
  const std::vector<GridDocument> all = documents();
  for (std::size_t number = 0; number < all.size(); number += 7) {
    if (key_count(all[number].config) > 12 || all[number].config.d_out > 8) continue;
    const RuledDocument document = {shape_of(all[number].config)};
    for (const auto& [width, height] : {std::pair{1023.0, 540.0}, {926.0, 557.0}, {760.0, 550.0}}) {
      DiagramCanvas canvas;
      canvas.box = {0, 0, width, height};
      canvas.is_presented = true;
      const std::optional<DiagramLayout> layout = layout_diagram(document.shape, canvas, letter_width);
      if (!layout || layout->wrap != DiagramWrap::squares) continue;
      ++squares;
      EXPECT_EQ(broken_rules(document, canvas, *layout), std::vector<std::string>())
          << all[number].name << ", " << width;
    }
  }
  EXPECT_GT(squares, 100);
}

// Heads as wide as those of trained models: their features make way for the numbers of the weights.
TEST(DiagramLayout, ShowsTheNumbersOfTheWeightsOfWideHeadsToAnAudience) {
  for (const Index d_out : {32, 64, 128, 256}) {
    AttentionConfig config = config_of(Mechanism::multi_head_attention, MaskRoute::causal, d_out, 6);
    config.inputs = RandnInputs{6, d_out};
    const DiagramShape shape = shape_of(config);
    for (const auto& [width, height] : {std::pair{1023.0, 536.0}, {1030.0, 553.0}, {926.0, 557.0}}) {
      DiagramCanvas canvas;
      canvas.box = {0, 0, width, height};
      canvas.is_presented = true;
      const std::optional<DiagramLayout> layout = layout_diagram(shape, canvas, letter_width);
      ASSERT_TRUE(layout);
      EXPECT_GE(layout->main_matrix()->text, 11) << d_out << ", " << width << "x" << height;
    }
  }
}

// Five squares have no room on one line: the scores stand beside the projections, and the weights keep their numbers.
TEST(DiagramLayout, ShowsANarrowAudienceTheNumbersOfTheWeightsBesideWhatFollowsFromThem) {
  for (const auto& [mask, dropout] : {std::pair{MaskRoute::causal, 0.5}, {MaskRoute::causal_renormalized, 0.0}}) {
    const DiagramShape shape = shape_of(config_of(Mechanism::self_attention_v2, mask, 2, 6, dropout));
    for (const auto& [width, height] : {std::pair{770.0, 553.0}, {926.0, 557.0}}) {
      DiagramCanvas canvas;
      canvas.box = {0, 0, width, height};
      canvas.is_presented = true;
      const std::optional<DiagramLayout> layout = layout_diagram(shape, canvas, letter_width);
      ASSERT_TRUE(layout);
      EXPECT_GT(layout->main_matrix()->text, 0) << static_cast<int>(mask) << " at " << width;
    }
  }
}

// Four columns of two heads, all equally wide, are no matrix of one head.
TEST(DiagramLayout, SaysTheShapeOfTheColumnsThatAnAudienceSees) {
  const DiagramShape shape = shape_of(config_of(Mechanism::multi_head_attention, MaskRoute::causal, 4, 6));
  DiagramCanvas canvas;
  canvas.box = {0, 0, 1030, 553};
  canvas.is_presented = canvas.may_grow = true;
  const std::optional<DiagramLayout> layout = layout_diagram(shape, canvas, letter_width);
  ASSERT_TRUE(layout);
  std::vector<std::string> words;
  for (const scene::PlacedText& text : layout->texts)
    if (text.stage == Stage::context) words.push_back(text.text);
  EXPECT_EQ(std::ranges::count(words, "Z (6, 4)"), 1) << fmt::format("{}", fmt::join(words, ", "));
}

// A difference of a few thousandths is not 0.00 in a coloured cell.
TEST(DiagramLayout, WritesDifferencesWithDigitsThatAreSeen) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention, MaskRoute::causal, 4, 6);
  const auto a = std::make_shared<const Result>(evaluate(config));
  config.scale_factor = 0.7;
  const auto b = std::make_shared<const Result>(evaluate(config));
  const std::shared_ptr<const Result> difference = difference_of(b, a);
  const DiagramShape shape = scene::diagram_shape(*difference, words_of(6), {}, {});
  float largest = 0;
  for (const float each : difference->find(Stage::weights)->values) largest = std::max(largest, std::abs(each));
  const int decimals = scene::decimals_of(shape.main_matrix.front().widest);
  EXPECT_GE(static_cast<double>(largest) * std::pow(10.0, decimals), 9.5) << decimals;
  EXPECT_EQ(shape.main_matrix.front().bar_low, "");
  EXPECT_TRUE(shape.main_matrix.front().bar_high.starts_with("±")) << "the bar goes from −max to max";
}

// B's matrices stand below A's, on the same columns.
TEST(DiagramLayout, ComparesOnSharedColumns) {
  const DiagramShape shape = shape_of(config_of(Mechanism::multi_head_attention, MaskRoute::causal, 4, 6));
  for (const auto& [width, height] : windows) {
    SCOPED_TRACE(testing::Message() << width << " × " << height);
    const std::optional<DiagramLayout> layout =
        layout_compared(shape, shape, window_canvas(width, height), letter_width);
    ASSERT_TRUE(layout);
    int below = 0;
    for (const PlacedMatrix& b : layout->matrices) {
      const auto a = std::ranges::find_if(layout->matrices, [&](const PlacedMatrix& each) {
        return !each.is_second && each.stage == b.stage && each.result == b.result && each.role == b.role;
      });
      ASSERT_NE(a, layout->matrices.end());
      EXPECT_NEAR(a->box.x, b.box.x, 1e-6) << info(b.stage).id;
      EXPECT_NEAR(a->box.width, b.box.width, 1e-6) << info(b.stage).id;
      below += b.is_second ? 1 : 0;
    }
    EXPECT_GT(below, 2);
  }
}

const PlacedMatrix* placed(const DiagramLayout& layout, Stage stage, bool is_second) {
  const auto found = std::ranges::find_if(layout.matrices, [&](const PlacedMatrix& each) {
    return each.stage == stage && !each.is_operand() && each.is_second == is_second;
  });
  return found == layout.matrices.end() ? nullptr : &*found;
}

// What both documents share makes way until the weights of both are large and have numbers.
TEST(DiagramLayout, ComparesLargeWeights) {
  const auto shape = [](MaskRoute mask, double dropout) {
    AttentionConfig config = config_of(Mechanism::multi_head_attention, mask, 4, 6);
    config.training = true;
    config.dropout = dropout;
    return shape_of(config);
  };
  const DiagramShape a = shape(MaskRoute::causal, 0);
  for (const DiagramShape& b : {a, shape(MaskRoute::causal, 0.5), shape(MaskRoute::causal_after_softmax, 0)}) {
    for (const auto& [width, height] : {std::pair{1280.0, 720.0}, {1440.0, 900.0}, {1920.0, 1080.0}}) {
      SCOPED_TRACE(testing::Message() << width << " × " << height);
      const DiagramCanvas canvas = window_canvas(width, height);
      const std::optional<DiagramLayout> layout = layout_compared(a, b, canvas, letter_width);
      ASSERT_TRUE(layout);
      for (const bool is_second : {false, true}) {
        const PlacedMatrix& weights = *placed(*layout, Stage::weights, is_second);
        EXPECT_GT(weights.text, 0);
        EXPECT_GT(weights.box.width * weights.box.height, 0.065 * canvas.box.width * canvas.box.height / 2);
        EXPECT_GE(weights.box.width * 1.01, weights.box.height);
      }
    }
  }
}

// Contexts of both keep their numbers, and the card that explains a number has a place, whatever only one of them has.
TEST(DiagramLayout, ComparesContextsWithNumbersAndHasACard) {
  const auto shape = [](MaskRoute mask, double dropout) {
    Document document = opening_document();
    document.config.mask = mask;
    document.config.training = true;
    document.config.dropout = dropout;
    DiagramShape made = scene::diagram_shape(evaluate(document.config), token_labels(document.tokens), {}, {});
    made.compare.clear();
    return made;
  };
  const picture::TextMeasure as_inter = [](std::string_view text, double size, scene::Face face) {
    return 0.95 * letter_width(text, size, face);
  };
  const DiagramShape a = shape(MaskRoute::causal, 0);
  for (const DiagramShape& b : {shape(MaskRoute::causal, 0.5), shape(MaskRoute::causal_after_softmax, 0),
                                shape(MaskRoute::causal_renormalized, 0)}) {
    for (const auto& [width, height] : {std::pair{1280.0, 720.0}, {1440.0, 900.0}}) {
      SCOPED_TRACE(testing::Message() << width << " × " << height);
      const std::optional<DiagramLayout> layout = layout_compared(a, b, window_canvas(width, height), as_inter);
      ASSERT_TRUE(layout);
      EXPECT_TRUE(layout->card);
      for (const bool is_second : {false, true})
        for (const Stage stage : {Stage::weights, Stage::context, Stage::output})
          EXPECT_GT(placed(*layout, stage, is_second)->text, 0) << info(stage).id;
    }
  }
}

// Width that the squares cannot use, because they are as high as they are wide, makes room for the numbers of contexts.
TEST(DiagramLayout, ComparesContextsOfTwoSeedsWithNumbers) {
  const Document document = ready_pair_named("two_seeds")->example();
  DiagramShape shape = scene::diagram_shape(evaluate(document.config), token_labels(document.tokens), {}, {});
  shape.compare.clear();
  const picture::TextMeasure as_inter = [](std::string_view text, double size, scene::Face face) {
    return 0.95 * letter_width(text, size, face);
  };
  for (const auto& [width, height] : {std::pair{1280.0, 720.0}, {1440.0, 900.0}}) {
    const std::optional<DiagramLayout> layout = layout_compared(shape, shape, window_canvas(width, height), as_inter);
    ASSERT_TRUE(layout);
    for (const Stage stage : {Stage::weights, Stage::context})
      EXPECT_GT(placed(*layout, stage, true)->text, 0) << info(stage).id << " at " << width;
  }
}

// An audience sees what was divided: scores beside the weights, in the same columns for both, and what B does instead.
TEST(DiagramLayout, ComparesTheScoresThatLeadToTheWeights) {
  AttentionConfig config = config_of(Mechanism::multi_head_attention, MaskRoute::causal, 4, 6);
  const auto shape = [&] {
    DiagramShape made = shape_of(config);
    std::erase_if(made.compare, [](const scene::DiagramBlock& block) {
      return block.stage != Stage::masked_scores && block.stage != Stage::scaled_scores;
    });
    return made;
  };
  const DiagramShape a = shape();
  config.scale = false;
  const DiagramShape b = shape();
  for (const auto& [width, height] : {std::pair{1280.0, 720.0}, {1440.0, 900.0}, {1920.0, 1080.0}}) {
    SCOPED_TRACE(testing::Message() << width << " × " << height);
    const std::optional<DiagramLayout> layout = layout_compared(a, b, window_canvas(width, height), letter_width);
    ASSERT_TRUE(layout);
    for (const Stage stage : {Stage::masked_scores, Stage::scaled_scores}) {
      ASSERT_TRUE(placed(*layout, stage, false)) << info(stage).id;
      EXPECT_GT(placed(*layout, stage, false)->text, 0);
      EXPECT_EQ(placed(*layout, stage, false)->is_rounded, width < 1440);
    }
    EXPECT_TRUE(layout->card) << "where B has no scaled scores";
    EXPECT_FALSE(placed(*layout, Stage::scaled_scores, true));
    ASSERT_TRUE(placed(*layout, Stage::masked_scores, true));
    EXPECT_NEAR(placed(*layout, Stage::masked_scores, true)->box.x, placed(*layout, Stage::masked_scores, false)->box.x,
                1e-6);
    std::vector<Stage> before;  // A's and B's arrows into the weights
    for (const scene::PlacedArrow& arrow : layout->arrows)
      if (arrow.to == Stage::weights && arrow.text == "softmax") before.push_back(arrow.from.value());
    EXPECT_EQ(before, (std::vector{Stage::scaled_scores, Stage::masked_scores}));
    EXPECT_EQ(std::ranges::count(layout->texts, "not scaled", &scene::PlacedText::text), 1);
  }
}

bool lies_within(const Box& inner, const Box& outer) {
  return inner.x >= outer.x && inner.y >= outer.y && inner.right() <= outer.right() && inner.bottom() <= outer.bottom();
}

// An audience sees the stage of each step whole, most often with its numbers, and nothing of it smaller than on the
// screen.
TEST(DiagramLayoutGrid, ShowsTheStageThatIsPresented) {
  std::size_t with_operands = 0;
  std::size_t all = 0;
  std::size_t bare = 0;
  for (const GridDocument& document : documents()) {
    const AttentionConfig& config = document.config;
    if (config.softcap || config.bias.rank() > 0 || config.d_out != 4 || key_count(config) != 6) continue;
    const DiagramShape shape = shape_of(config);
    // 594 units are the height of every screen before an audience.
    for (const double width : {760.0, 930.0, 1034.0}) {
      const DiagramCanvas screen{.box = {0, 0, width, 550}, .may_grow = true};
      const std::optional<DiagramLayout> layout = layout_diagram(shape, screen, letter_width);
      ASSERT_TRUE(layout) << document.name;
      DiagramCanvas grown = screen;
      grown.box = layout->canvas;
      // Whatever part of it is in sight on the way from stage to stage: nothing overlaps, and nothing is too small.
      for (const std::string& broken : broken_rules({shape}, grown, *layout))
        EXPECT_TRUE(broken.starts_with("weights are wider")) << document.name << ": " << broken;
      for (const Stage stage : stages_one_by_one(config)) {
        const auto placed = std::ranges::find_if(layout->matrices, [&](const PlacedMatrix& matrix) {
          return matrix.stage == stage && matrix.role == PlacedRole::result;
        });
        if (placed == layout->matrices.end()) continue;  // scores that are divided by 1 have no place
        const std::string where = fmt::format("{}, {:.0f}: {}", document.name, width, info(stage).id);
        ++all;
        bare += placed->text < 11 ? 1 : 0;
        const scene::StageFrame frame = frame_of_stage(*layout, config, stage, width, 550);
        EXPECT_TRUE(lies_within(placed->box, frame.box)) << where;
        EXPECT_LE(frame.box.width, width + 1e-6) << where;
        EXPECT_NEAR(frame.box.width / frame.box.height, width / 550, 1e-9) << where;
        EXPECT_GE(placed->box.x, frame.box.x + frame.names) << where << ": names cover it";
        for (const PlacedMatrix& operand : layout->matrices) {
          const bool is_above = operand.result == stage && operand.is_operand();
          if (is_above) {
            EXPECT_TRUE(lies_within(operand.box, frame.box)) << where;
          }
          with_operands += is_above ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(with_operands, 20U);
  EXPECT_LT(bare, all / 6) << "stages without numbers, of " << all;
}

// Names of dimensions stand where they have room, so a diagram with them keeps every rule that it kept without.
TEST(DiagramDimensions, StandAboveTheInputsAndBreakNoRule) {
  const std::vector<GridDocument> all = documents();
  std::size_t named = 0;
  for (std::size_t number = 0; number < all.size(); number += 3 * sampled) {
    AttentionConfig config = all[number].config;
    if (begins_with_heads(config) || input_features(config) > 8) continue;
    const std::vector<std::string> names = words_of(input_features(config));
    const RuledDocument without = {shape_of(config)};
    config.dimensions = names;
    const RuledDocument with = {shape_of(config)};
    ASSERT_EQ(with.shape.dimensions, names);
    for (const auto& [width, height] : windows) {
      const DiagramCanvas canvas = window_canvas(width, height);
      const std::optional<DiagramLayout> before = layout_diagram(without.shape, canvas, letter_width);
      const std::optional<DiagramLayout> after = layout_diagram(with.shape, canvas, letter_width);
      ASSERT_EQ(before.has_value(), after.has_value());
      if (!after) continue;
      EXPECT_EQ(broken_rules(with, canvas, *after), broken_rules(without, canvas, *before)) << all[number].name;
      EXPECT_EQ(after->main_matrix()->box, before->main_matrix()->box) << "names move no matrix";
      named += after->texts.size() > before->texts.size() ? 1 : 0;
    }
  }
  EXPECT_GT(named, 0U);
}

TEST(DiagramDimensions, OfTheOpeningDocumentAreThereInEveryWindow) {
  const AttentionConfig config = opening_document().config;
  const DiagramShape shape = shape_of(config);
  for (const auto& [width, height] : windows) {
    const std::optional<DiagramLayout> layout = layout_diagram(shape, window_canvas(width, height), letter_width);
    ASSERT_TRUE(layout);
    for (const char* const name : {"thing", "action", "pronoun", "glue"})
      EXPECT_GE(std::ranges::count(layout->texts, std::string(name), &scene::PlacedText::text), 1)
          << name << " in " << width << "x" << height;
  }
}

}  // namespace
}  // namespace attnscope::test
