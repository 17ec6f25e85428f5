// Films of numbers: they say what the number's own derivation says, and every frame of them can be read.

#include "teach/film.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <regex>
#include <set>

#include "core/evaluate.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/json.h"
#include "teach/film_scenes.h"
#include "tests/support/hard_documents.h"
#include "tests/support/small_model.h"
#include "view/number_words.h"
#include "view/view_address.h"

namespace attnscope::test {
namespace {

// Letters are as wide as those of a wide typeface.
double wide_letters(std::string_view text, double size, picture::Face face) {
  return (face == picture::Face::bold ? 0.58 : 0.55) * size * static_cast<double>(character_count(text));
}

FilmCanvas canvas_of(double width, double height, ThemeId theme = ThemeId::light) {
  const ThemeColours& colours = colours_of(theme);
  return {.box = {0, 0, width, height}, .theme = &colours, .paper = colours.inks.card, .measure = wide_letters};
}

struct Filmed {
  Result result;
  std::vector<std::string> labels;
  std::vector<std::string> query_labels = labels;

  explicit Filmed(const Document& document)
      : result(evaluate(document.config)), labels(token_labels(document.tokens)), query_labels(labels) {
    if (document.query_tokens.size() > 0) query_labels = token_labels(document.query_tokens);
  }
  RowNames names() const { return {query_labels, labels}; }
  Film film(const Source& cell, int decimals = 2) const { return make_film({result, names(), cell, decimals}); }
};

Filmed filmed(std::string_view json) { return Filmed(parse_document(json)); }

Source cell(std::string_view name) { return *cell_named(name); }

std::vector<std::string> ids_of(const Film& film) {
  std::vector<std::string> ids;
  for (const FilmScene& scene : film.scenes) ids.push_back(scene.id);
  return ids;
}

// What is read at the end of a scene.
std::vector<std::string> words_of(const FilmScene& scene) {
  std::vector<std::string> texts = {scene.title, scene.caption};
  for (const FilmActor& actor : scene.actors) {
    if (!actor.keys.empty() && actor.keys.back().opacity <= 0) continue;
    for (const FilmWord& word : actor.words) {
      std::string text;
      for (const FilmRun& run : word.runs) text += run.text;
      texts.push_back(std::move(text));
    }
  }
  if (!scene.note.empty()) texts.push_back(scene.note);
  return texts;
}

// The numbers of a text that have decimals, as they are written.
std::set<std::string> numbers_in(const std::string& text) {
  static const std::regex number("(\u2212)?[0-9][0-9,]*\\.[0-9]+");
  std::set<std::string> found;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), number); at != std::sregex_iterator(); ++at) {
    found.insert(at->str());
  }
  return found;
}

bool do_overlap(const Box& a, const Box& b) {
  constexpr double touching = 0.6;
  return std::min(a.right(), b.right()) - std::max(a.x, b.x) > touching &&
         std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y) > touching;
}

bool lies_in(const Box& inner, const Box& outer) {
  constexpr double touching = 0.6;
  return inner.x >= outer.x - touching && inner.y >= outer.y - touching && inner.right() <= outer.right() + touching &&
         inner.bottom() <= outer.bottom() + touching;
}

// Whether everything of a frame lies on the canvas, no text is too small, and no two words touch.
testing::AssertionResult is_tidy(const picture::Picture& picture, const FilmCanvas& canvas) {
  const std::vector<const picture::Word*> words = picture.all<picture::Word>();
  std::vector<Box> boxes;
  for (const picture::Word* const word : words) {
    boxes.push_back(picture::box_of(*word, canvas.measure));
    if (!lies_in(boxes.back(), canvas.box)) return testing::AssertionFailure() << "outside: " << word->text;
    if (word->size < canvas.least_text - 1e-6) return testing::AssertionFailure() << "too small: " << word->text;
    for (std::size_t i = 0; i + 1 < boxes.size(); ++i)
      if (do_overlap(boxes[i], boxes.back()))
        return testing::AssertionFailure() << "“" << words[i]->text << "” and “" << word->text << "” overlap";
  }
  const auto is_inside = [&](const Box& box) { return lies_in(box, canvas.box); };
  for (const picture::Fill* const fill : picture.all<picture::Fill>())
    if (!is_inside(fill->box)) return testing::AssertionFailure() << "a fill lies outside";
  for (const picture::Outline* const outline : picture.all<picture::Outline>())
    if (!is_inside(outline->box)) return testing::AssertionFailure() << "a frame lies outside";
  for (const picture::Hatch* const hatch : picture.all<picture::Hatch>())
    if (!is_inside(hatch->box)) return testing::AssertionFailure() << "a hatch lies outside";
  for (const picture::Stroke* const stroke : picture.all<picture::Stroke>())
    for (const picture::Point& point : stroke->points)
      if (!is_inside({point.x, point.y, 0, 0})) return testing::AssertionFailure() << "a line lies outside";
  return testing::AssertionSuccess();
}

// Counts the pieces of text of the actors that stay to the end of a scene.
std::size_t runs_at_end(const FilmScene& scene) {
  std::size_t count = 0;
  for (const FilmActor& actor : scene.actors) {
    if (actor.keys.back().opacity <= 0) continue;
    for (const FilmWord& word : actor.words) count += word.runs.size();
  }
  return count;
}

void expect_tidy(const Film& film, const FilmCanvas& canvas, const std::string& what) {
  constexpr int moments = 10;
  for (std::size_t scene = 0; scene < film.scenes.size(); ++scene) {
    for (int moment = 0; moment <= moments; ++moment) {
      const picture::Picture frame = frame_of(film, scene, static_cast<double>(moment) / moments, canvas);
      EXPECT_TRUE(is_tidy(frame, canvas)) << what << ", " << film.scenes[scene].id << " at " << moment;
    }
    // No word of a key frame is left out to keep it tidy.
    FilmScene alone = film.scenes[scene];
    alone.title = alone.caption = alone.note = alone.name = "";
    const picture::Picture key_frame = frame_of({.cell = film.cell, .scenes = {alone}}, 0, 1, canvas);
    const std::size_t heading = 3;  // empty words: title, caption and the name on the strip
    EXPECT_EQ(key_frame.all<picture::Word>().size(), runs_at_end(alone) + heading) << what << ", " << alone.id;
  }
}

// The scenes that make the cell: those of its stage, or the last one where the stage only passes it on.
std::set<std::string> numbers_of_making(const Film& film) {
  std::set<std::string> numbers;
  const auto add = [&](const FilmScene& scene) {
    for (const std::string& word : words_of(scene)) numbers.merge(numbers_in(word));
  };
  for (const FilmScene& scene : film.scenes)
    if (scene.stage == film.cell.stage) add(scene);
  if (numbers.empty() && !film.scenes.empty()) add(film.scenes.back());
  return numbers;
}

void expect_says_derivation(const Filmed& of, const Film& film, const std::string& what) {
  const std::set<std::string> shown = numbers_of_making(film);
  for (const ExplanationLine& line : explanation_lines(of.result, film.cell, of.names(), film::most_terms)) {
    const bool is_hidden_term = line.source && is_query_by_key(info(line.source->stage).axes) &&
                                line.source->kind == SourceKind::cell && is_masked(of.result, *line.source);
    if (line.is_words || is_hidden_term) continue;
    if (line.is_rest && numbers_in(line.text).contains("0.0000")) continue;  // of hidden keys
    for (const std::string& number : numbers_in(line.text))
      EXPECT_TRUE(shown.contains(number)) << what << ": " << number << " of “" << line.text << "” is not shown";
  }
  const float value = value_at(of.result, film.cell);
  if (!std::isfinite(value)) return;
  for (const std::string& number : numbers_in(format_fixed(static_cast<double>(value), CellWords::places)))
    EXPECT_TRUE(shown.contains(number)) << what << ": its value " << number << " is not shown";
}

// Every number that stands for a cell of the document is the document's.
void expect_true_numbers(const Filmed& of, const Film& film, int decimals, const std::string& what) {
  for (const FilmScene& scene : film.scenes) {
    for (const FilmActor& actor : scene.actors) {
      if (!actor.source) continue;
      const auto value = static_cast<double>(value_at(of.result, *actor.source));
      const std::string& shown = actor.words.front().runs.front().text;
      bool is_true = false;
      for (int more = decimals; more <= CellWords::places; ++more)
        is_true = is_true || shown == format_fixed(value, more);
      EXPECT_TRUE(is_true) << what << ", " << scene.id << ": " << shown << " for " << cell_name(*actor.source);
    }
  }
}

// Cells of every stage: the first, the last, and one between them.
std::vector<Source> cells_of(const Result& result, Index last_rows = 1) {
  std::vector<Source> cells;
  for (const StageInfo& stage : stages()) {
    if (!has_stage(result.config, stage.stage) || !has(result, stage.stage)) continue;
    const std::vector<Index> shape = stage_shape(result.config, stage.stage);
    const Index rows = shape[shape.size() - 2];
    const Index cols = shape.back();
    const Index head = is_per_head(result.config, stage.stage) ? head_count(result.config) - 1 : 0;
    cells.push_back({.stage = stage.stage});
    cells.push_back({.stage = stage.stage, .head = head, .row = rows - last_rows, .col = cols - 1});
    cells.push_back({.stage = stage.stage, .head = head, .row = rows / 2, .col = cols / 3});
  }
  return cells;
}

void expect_good_films(const Document& document, const std::string& name) {
  const Filmed of(document);
  for (const Source& each : cells_of(of.result)) {
    const std::string what = name + " " + cell_name(each);
    const std::string obstacle = obstacle_to_film(of.result, each);
    const Film film = of.film(each, CellWords::places);
    EXPECT_EQ(film.scenes.empty(), !obstacle.empty()) << what << ": " << obstacle;
    if (film.scenes.empty()) continue;
    expect_says_derivation(of, film, what);
    expect_tidy(film, canvas_of(960, 540), what);
    const Film rounded = of.film(each);
    expect_true_numbers(of, film, CellWords::places, what);
    expect_true_numbers(of, rounded, 2, what);
    expect_tidy(rounded, canvas_of(1280, 640), what);
  }
}

TEST(Film, OfEveryStageOfEveryExampleSaysItsDerivationAndIsTidy) {
  for (const BuiltinDocument& builtin : builtin_documents())
    expect_good_films(parse_document(builtin.json), std::string(builtin.id));
}

TEST(Film, OfEveryStageOfHardDocumentsSaysItsDerivationAndIsTidy) {
  expect_good_films(hard_document(), "hard");
  expect_good_films(hard_given(5, 3), "more queries");
  expect_good_films(hard_given(2, 9), "more keys");
}

// A document with options at random.
AttentionConfig random_config(std::mt19937& random) {
  const auto pick = [&](int most) { return static_cast<Index>(random() % static_cast<unsigned>(most + 1)); };
  const auto flips = [&] { return random() % 2 == 0; };
  AttentionConfig config;
  config.inputs = RandnInputs{1 + pick(12), 1 + pick(11)};
  config.mechanism = mechanisms()[random() % mechanisms().size()].mechanism;
  config.num_heads = Index{1} << pick(3);
  config.d_out = config.num_heads * 2 * (1 + pick(5));
  config.seed = random();
  config.mask = std::array{MaskRoute::none, MaskRoute::causal, MaskRoute::causal_after_softmax,
                           MaskRoute::causal_renormalized}[random() % 4];
  config.scale = pick(3) > 0;
  if (pick(3) == 0) config.scale_factor = 0.25;
  if (pick(2) == 0) config.softcap = 3;
  if (pick(2) == 0) config.dropout = 0.5;
  if (pick(3) == 0) config.normalization = Normalization::sum;
  if (pick(3) == 0 && config.mask == MaskRoute::causal) config.sliding_window = 2;
  config.qkv_bias = flips();
  if (config.mechanism == Mechanism::multi_head_attention) {
    if (flips()) config.rope = Rope{};
    if (flips()) config.qk_norm = QkNorm::rms;
    if (flips()) config.num_kv_heads = 1;
  }
  return config;
}

TEST(Film, OfEveryStageOfRandomDocumentsSaysItsDerivationAndIsTidy) {
  constexpr int documents = 50;
  std::mt19937 random(48);
  int tried = 0;
  for (int i = 0; i < 4 * documents && tried < documents; ++i) {
    Document document = default_document();
    document.config = random_config(random);
    document.tokens = std::vector<std::string>();
    try {
      check(document.config);
    } catch (const Error&) {
      continue;
    }
    const Index tokens = token_count(document.config);
    std::vector<std::string> names;
    for (Index token = 0; token < tokens; ++token)
      names.push_back(token % 4 == 3 ? "unquestionably" : "w" + std::to_string(token));
    document.tokens = names;
    expect_good_films(document, "random " + std::to_string(i));
    ++tried;
  }
  EXPECT_EQ(tried, documents);
}

constexpr std::string_view plain = R"({"mechanism": "multi_head_attention", "d_out": 4})";

TEST(Film, OfAWeightHasASceneForEachStepAndForWhatItMixes) {
  const Film film = filmed(plain).film(cell("weights[0,0,4,1]"));
  EXPECT_EQ(ids_of(film),
            (std::vector<std::string>{"meet", "add_up", "masked_scores", "scaled_scores", "softmax", "mix"}));
  EXPECT_EQ(film.scenes[0].title, "“one” meets “journey”");
  EXPECT_EQ(film.scenes[3].name, "÷ √2");
}

TEST(Film, LeavesOutWhatTheMechanismLacksAndHasWhatItAdds) {
  const Film simple =
      filmed(R"({"mechanism": "simple_self_attention", "mask": "none"})").film(cell("weights[0,0,1,2]"));
  EXPECT_EQ(ids_of(simple), (std::vector<std::string>{"meet", "add_up", "softmax", "mix"}));
  const Film rich = filmed(R"({"mechanism": "multi_head_attention", "d_out": 4, "softcap": 5, "qk_norm": "rms",
                               "rope": {}, "num_kv_heads": 1, "dropout": 0.5})")
                        .film(cell("weights[0,0,4,1]"));
  EXPECT_EQ(ids_of(rich), (std::vector<std::string>{"share", "normalized_queries", "rotated_queries", "meet", "add_up",
                                                    "scaled_scores", "capped_scores", "masked_scores", "softmax",
                                                    "dropped_weights", "mix"}));
}

TEST(Film, EndsAtItsOwnStageAndDoesNotSayWhatAScoreIsUsedFor) {
  EXPECT_EQ(ids_of(filmed(plain).film(cell("masked_scores[0,0,4,1]"))),
            (std::vector<std::string>{"meet", "add_up", "masked_scores"}));
  EXPECT_EQ(ids_of(filmed(plain).film(cell("queries[0,0,4,1]"))), (std::vector<std::string>{"project", "add_up"}));
  EXPECT_EQ(ids_of(filmed(plain).film(cell("output[0,4,1]"))),
            (std::vector<std::string>{"softmax", "mix", "context", "project", "add_up"}));
}

TEST(Film, OfATypedOrDrawnNumberIsRefusedWithASentence) {
  const Filmed of = filmed(plain);
  for (const std::string_view name : {"inputs[0,1,1]", "W_query[1,1]", "mask[1,1]", "dropout_factors[0,0,1,1]"}) {
    const std::string obstacle = obstacle_to_film(of.result, cell(name));
    EXPECT_TRUE(obstacle.starts_with("No arithmetic made this number, so that it has no film.")) << name << obstacle;
    EXPECT_TRUE(of.film(cell(name)).scenes.empty()) << name;
  }
  EXPECT_EQ(obstacle_to_film(of.result, cell("weights[0,9,1,1]")),
            "The document has no such number, or it is still being computed.");
  EXPECT_EQ(obstacle_to_film(of.result, cell("weights[0,0,4,1]")), "");
}

TEST(Film, OfAHeadThatIsOffSaysSo) {
  const Filmed of = filmed(R"({"mechanism": "multi_head_attention", "d_out": 4, "heads_off": [1]})");
  EXPECT_NE(obstacle_to_film(of.result, cell("context[0,1,2]")).find("Head 2 is switched off"), std::string::npos);
  EXPECT_EQ(obstacle_to_film(of.result, cell("output[0,1,2]")), "");
}

// Of many tokens and dimensions, the largest terms stand by name and the others as one number: sums come out.
TEST(Film, OfManyNumbersKeepsOnlyThoseThatItShows) {
  const Filmed few = filmed(R"({"inputs": {"randn": [12, 64]}, "mechanism": "multi_head_attention", "d_out": 128})");
  const Filmed many = filmed(R"({"inputs": {"randn": [1024, 64]}, "mechanism": "multi_head_attention", "d_out": 128})");
  const Film of_few = few.film(cell("weights[0,0,9,4]"), 4);
  const Film of_many = many.film(cell("weights[0,0,900,4]"), 4);
  ASSERT_EQ(ids_of(of_few), ids_of(of_many));
  for (std::size_t i = 0; i < of_few.scenes.size(); ++i)
    EXPECT_LE(of_many.scenes[i].actors.size(), of_few.scenes[i].actors.size() + 12) << of_few.scenes[i].id;
  expect_tidy(of_many, canvas_of(960, 540), "many tokens");
  const std::vector<std::string> words = words_of(of_many.scenes.front());
  EXPECT_EQ(std::ranges::count(words, "58 more"), 1);
  expect_says_derivation(many, many.film(cell("scores[0,0,900,4]"), 4), "scores of many");
  expect_says_derivation(many, many.film(cell("head_context[0,0,900,4]"), 4), "context of many");
}

// The window's face of numbers has these letters, and ASCII.
TEST(Film, SetsInTheFaceOfNumbersOnlyWhatItHas) {
  const Filmed of = filmed(R"({"mechanism": "multi_head_attention", "d_out": 4, "softcap": 5, "dropout": 0.5})");
  const Film film = of.film(cell("weights[0,0,4,1]"));
  std::size_t divided = 0;
  for (std::size_t scene = 0; scene < film.scenes.size(); ++scene) {
    const picture::Picture frame = frame_of(film, scene, 1, canvas_of(960, 540));
    for (const picture::Word* const word : frame.all<picture::Word>()) {
      if (word->text.find("÷") != std::string::npos) ++divided;
      if (word->face != picture::Face::number) continue;
      const std::string others = std::regex_replace(word->text, std::regex("×|\u2212|∞"), "");
      EXPECT_TRUE(std::ranges::all_of(others, [](char letter) { return letter >= ' ' && letter <= '~'; })) << others;
    }
  }
  EXPECT_GT(divided, 5U);
}

// A warning about the numbers stands in every frame beside the title, which is shortened for it.
TEST(Film, KeepsAMarkBesideItsTitles) {
  const Film film = filmed(plain).film(cell("weights[0,0,4,1]"));
  for (const auto& [width, height] : {std::pair(960.0, 540.0), std::pair(700.0, 500.0), std::pair(500.0, 800.0)}) {
    FilmCanvas canvas = canvas_of(width, height);
    canvas.mark = "these numbers mean nothing";
    for (std::size_t scene = 0; scene < film.scenes.size(); ++scene) {
      const picture::Picture frame = frame_of(film, scene, 0.5, canvas);
      EXPECT_TRUE(is_tidy(frame, canvas)) << width << " wide, " << scene;
      const auto is_mark = [&](const picture::Word* word) { return word->text == canvas.mark; };
      EXPECT_EQ(std::ranges::count_if(frame.all<picture::Word>(), is_mark), 1) << scene;
    }
  }
}

// Letters that may not be smaller stand on lines that are further apart.
TEST(Film, KeepsItsLinesApartOnANarrowCanvas) {
  const Film film = filmed(plain).film(cell("weights[0,0,4,1]"));
  const FilmCanvas canvas = canvas_of(390, 600);
  for (std::size_t scene = 0; scene < film.scenes.size(); ++scene) {
    const picture::Picture frame = frame_of(film, scene, 1, canvas);
    std::vector<const picture::Word*> lines;  // title, caption and note, which begin at the same place
    for (const picture::Word* const word : frame.all<picture::Word>()) {
      const bool goes_on = lines.empty() || (word->x == lines.front()->x && word->y > lines.back()->y);
      if (!goes_on) break;
      lines.push_back(word);
    }
    ASSERT_GE(lines.size(), 2U);
    for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_GE(lines[i]->y - lines[i - 1]->y, lines[i]->size) << scene;
  }
}

// With the diagram behind it, the query's cells begin where they stand there.
TEST(Film, BeginsInTheDiagram) {
  const Film film = filmed(plain).film(cell("weights[0,0,4,1]"));
  FilmCanvas canvas = canvas_of(960, 540);
  const Box there{700, 400, 40, 24};
  canvas.origin = [&](const Source& source) {
    return source.stage == Stage::queries && source.col == 0 ? std::optional(there) : std::nullopt;
  };
  const picture::Picture frame = frame_of(film, 0, 0, canvas);
  const auto fills = frame.all<picture::Fill>();
  EXPECT_EQ(std::ranges::count_if(fills, [&](const picture::Fill* fill) { return lies_in(fill->box, there); }), 1);
  for (int moment = 0; moment <= 20; ++moment)
    EXPECT_TRUE(is_tidy(frame_of(film, 0, moment / 20.0, canvas), canvas)) << moment;
}

// The number flies from its place in the last key frame to its cell, and nothing else stays.
TEST(Film, LandsInTheDiagram) {
  const Filmed of = filmed(plain);
  for (const std::string_view name : {"weights[0,0,4,1]", "scores[0,0,4,1]", "queries[0,0,4,1]", "output[0,4,1]"}) {
    const Film film = of.film(cell(name));
    FilmCanvas canvas = canvas_of(960, 540);
    const Box there{700, 400, 60, 30};
    canvas.origin = [&](const Source& source) { return source == film.cell ? std::optional(there) : std::nullopt; };
    const std::size_t last = film.scenes.size() - 1;
    for (int moment = 0; moment <= 10; ++moment)
      EXPECT_TRUE(is_tidy(landing_of(film, last, moment / 10.0, canvas), canvas)) << name << moment;
    const picture::Picture landed = landing_of(film, last, 1, canvas);
    ASSERT_EQ(landed.all<picture::Word>().size(), 1U) << name;
    EXPECT_EQ(landed.all<picture::Word>().front()->text,
              format_fixed(static_cast<double>(value_at(of.result, film.cell)), 2));
    EXPECT_TRUE(lies_in(landed.all<picture::Fill>().front()->box, there)) << name;
  }
}

// A number of another stage is not the film's number, and flies nowhere.
TEST(Film, LandsWithNoOtherNumber) {
  const Film film = filmed(plain).film(cell("weights[0,0,4,1]"));
  FilmCanvas canvas = canvas_of(960, 540);
  canvas.origin = [](const Source&) { return std::optional(Box{700, 400, 60, 30}); };
  const auto scaled = std::ranges::find(film.scenes, "scaled_scores", &FilmScene::id);
  ASSERT_NE(scaled, film.scenes.end());
  const auto scene = static_cast<std::size_t>(scaled - film.scenes.begin());
  EXPECT_TRUE(landing_of(film, scene, 1, canvas).all<picture::Word>().empty());
}

TEST(Film, NamesTheInputsDimensions) {
  const Filmed of =
      filmed(R"({"mechanism": "multi_head_attention", "d_out": 4, "dimensions": ["thing", "action", "glue"]})");
  const RowNames names = of.names();
  const Film film = make_film({of.result, names, cell("keys[0,0,4,1]"), 2});
  const std::vector<std::string> words = words_of(film.scenes.front());
  for (const char* const name : {"thing", "action", "glue"}) EXPECT_EQ(std::ranges::count(words, name), 1) << name;
  expect_tidy(film, canvas_of(960, 540), "named");
}

TEST(Film, StripLeadsToEachMoment) {
  const Film film = filmed(plain).film(cell("weights[0,0,4,1]"));
  for (const auto& [width, height] : {std::pair{960.0, 540.0}, {1280.0, 640.0}, {500.0, 900.0}}) {
    const FilmCanvas canvas = canvas_of(width, height);
    const Box strip = strip_of(canvas);
    EXPECT_TRUE(lies_in(strip, canvas.box));
    EXPECT_EQ(moment_at(film, canvas, strip.x, strip.middle_y()), (FilmMoment{0, 0}));
    const std::optional<FilmMoment> end = moment_at(film, canvas, strip.right() - 1e-6, strip.middle_y());
    ASSERT_TRUE(end);
    EXPECT_EQ(end->scene, film.scenes.size() - 1);
    EXPECT_NEAR(end->t, 1, 1e-6);
    EXPECT_FALSE(moment_at(film, canvas, strip.middle_x(), strip.y - 1));
    // What has passed ends at the place that leads back to the moment.
    const picture::Picture frame = frame_of(film, 2, 0.5, canvas);
    double passed = 0;
    for (const picture::Fill* const fill : frame.all<picture::Fill>())
      if (fill->ink.colour == canvas.theme->inks.accent) passed = std::max(passed, fill->box.right());
    const std::optional<FilmMoment> now = moment_at(film, canvas, passed, strip.middle_y());
    ASSERT_TRUE(now);
    EXPECT_EQ(now->scene, 2U);
    EXPECT_NEAR(now->t, 0.5, 1e-6);
  }
}

TEST(Film, StopsWhenItIsNoLongerWanted) {
  const Filmed of = filmed(plain);
  std::stop_source stop;
  stop.request_stop();
  const RowNames names = of.names();
  EXPECT_THROW(make_film({of.result, names, cell("weights[0,0,4,1]"), 2, stop.get_token()}), Cancelled);
}

}  // namespace
}  // namespace attnscope::test
