// A trained model on a app: what its panel says of the next word and of each head, against the model itself.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "compute/computation.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/compare.h"
#include "document/edit.h"
#include "document/json.h"
#include "features/lessons/lesson_controller.h"
#include "features/shared/panel/calls.h"
#include "files/checkpoint.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "teach/lesson.h"
#include "tests/support/letters_model.h"

namespace attnscope::test {
namespace {

constexpr Index layers = 3;
constexpr Index heads = 2;

Document letters_document() {
  set_model_reader([](const std::string&) { return letters(); });
  Document document = parse_document(R"({"model": "/models/letters", "text": "dbcae"})");
  set_model_reader(read_model_as_documents_do);  // as it is without tests
  return document;
}

TEST(SmallScreen, HasTheHeadsOfAModelAboveItsWords) {
  ViewState view;
  view.mode = ViewMode::model;
  HeadlessApp app(letters_document(), {390, 844}, view);
  app.settle();
  ASSERT_TRUE(app.session().shown().model.run);
  const WidgetRegistry::Entry& head = app.widget("model/0/0");
  EXPECT_GE(head.max_screen.x - head.min_screen.x, 48);
  EXPECT_LE(app.widget("model/0/1").max_screen.x, 390);
  const std::vector<VisibleText> texts = app.texts();
  const auto says_words = [](const VisibleText& text) { return text.text.starts_with("Next word"); };
  const auto words = std::ranges::find_if(texts, says_words);
  ASSERT_NE(words, texts.end());
  EXPECT_GT(words->min_screen.y, head.max_screen.y);
}

// The same letters read by a model that sees later tokens, with "c" for the word that is asked for; `has_words` says
// whether it has the layers that say it.
template <bool has_words>
std::shared_ptr<const TrainedModel> bert_of_letters() {
  auto made = std::make_shared<TrainedModel>(*letters());
  const auto weights = std::const_pointer_cast<Transformer>(small_model(shapes_of_every_order()[3]));
  weights->mask_token = made->encode("c").front();
  if (!has_words) weights->transform = {};
  made->weights = weights;
  return made;
}

template <bool has_words>
Document bert_document() {
  set_model_reader([](const std::string&) { return bert_of_letters<has_words>(); });
  Document document = parse_document(R"({"model": "/models/bert", "text": "dbcae"})");
  set_model_reader(read_model_as_documents_do);
  return document;
}

std::string percent(float probability) { return fmt::format("{:.1f} %", 100 * static_cast<double>(probability)); }

class ModelPanel : public testing::Test {
protected:
  const ModelShown& shown() {
    app_.settle();
    return app_.session().shown().model;
  }
  const ModelRun& run() { return *shown().run; }
  // The text beside the words, whose lines are broken as their column is wide.
  std::string drawn_text() {
    std::string text;
    for (const std::string& line : app_.drawn_lines()) text += line + " ";
    return text;
  }
  // The app's font lacks these characters.
  static std::string as_drawn(std::string text) {
    for (const std::string_view lacking : {"−", "“", "”", "→"}) {
      for (std::size_t at = text.find(lacking); at != std::string::npos; at = text.find(lacking))
        text.replace(at, lacking.size(), "?");
    }
    return text;
  }
  void expect_drawn(const std::string& part) {
    const std::string text = drawn_text();
    EXPECT_NE(text.find(as_drawn(part)), std::string::npos) << part << " in\n" << text;
  }
  static std::string name(Index token) { return letters()->shown(token); }

  ModelPanel() : ModelPanel(letters_document()) {}
  explicit ModelPanel(const Document& document) : app_(document, {1600, 1000}) {}

  HeadlessApp app_;
};

TEST_F(ModelPanel, RanksHeadsForTheWordThatTheTextGoesOnWith) {
  EXPECT_EQ(shown().ranking->token, run().next.likeliest.front()) << "nothing comes after the last token";
  app_.click("model/token/1");
  EXPECT_EQ(shown().ranking->token, run().pass->tokens[2]);
  EXPECT_EQ(shown().ranking->falls, rank_heads(run(), run().pass->tokens[2], {}).falls);
}

// It asks about the word whose probability falls, not about the one that takes its place.
TEST_F(ModelPanel, AsksAboutTheSameWordAfterHeadsAreSwitchedOff) {
  const Index word = run().next.likeliest.front();
  app_.edit({"off", [&](Document& document) {
               for (Index layer = 0; layer < layers; ++layer)
                 for (Index head = 0; head < heads; ++head) set_head_off(document, layer, head, true);
             }});
  ASSERT_NE(run().next.likeliest.front(), word) << "without any head another word is likely";
  EXPECT_EQ(shown().ranking->token, word);
}

TEST_F(ModelPanel, SaysWhatSpaceDoes) {
  app_.settle();
  app_.move_to("model/1/0");
  expect_drawn("A click opens its diagram; Space or a right click switches it off.");
  app_.press_key(keys::function(11));
  app_.move_to("model/1/0");
  expect_drawn("Space switches it off or on");
}

TEST_F(ModelPanel, RanksHeadsAnewForAWordThatIsClicked) {
  const std::vector<float> before = shown().ranking->falls;
  const Index other = run().next.likeliest[2];
  app_.click(fmt::format("model/next/{}", other));
  EXPECT_EQ(shown().ranking->token, other);
  EXPECT_EQ(shown().ranking->falls, rank_heads(run(), other, {}).falls);
  EXPECT_NE(shown().ranking->falls, before);
}

TEST_F(ModelPanel, LooksAtTheEndAfterAWordWasAppended) {
  app_.click("model/token/1");
  app_.settle();
  const Index likeliest = run_whole_model(app_.config(), {}, nullptr, {})->next.likeliest.front();
  app_.click("model/append");
  ASSERT_EQ(run().pass->tokens.size(), 6U);
  EXPECT_EQ(run().pass->tokens.back(), likeliest) << "what is likely at the end, not at the position";
  EXPECT_EQ(run().next.position, 5);
  EXPECT_EQ(app_.session().shown().undo_label, "next word");
}

// Less probability without a head is a change with a minus sign, below its picture and in the list.
TEST_F(ModelPanel, WritesHowALogarithmChangesWithoutAHead) {
  const HeadRanking ranking = *shown().ranking;
  const std::vector<std::string> lines = app_.drawn_lines();
  const auto has = [&](const std::string& text) { return std::ranges::find(lines, as_drawn(text)) != lines.end(); };
  for (Index layer = 0; layer < layers; ++layer) {
    for (Index head = 0; head < heads; ++head) {
      const double change = -static_cast<double>(ranking.of(layer, head));
      const std::string sign = change > 0 ? "+" : "";
      EXPECT_TRUE(has(sign + format_fixed(change, 2))) << "below head " << head + 1 << " of layer " << layer + 1;
    }
  }
  const auto largest = std::ranges::max_element(ranking.falls, {}, [](float fall) { return std::abs(fall); });
  const double change = -static_cast<double>(*largest);
  EXPECT_TRUE(has((change > 0 ? "+" : "") + format_fixed(change, 3))) << "the first of the list";
}

TEST_F(ModelPanel, SaysWhichWordAChangeMovedMostAndFromWhereToWhere) {
  app_.edit({"off", [](Document& document) { set_head_off(document, 2, 1, true); }});
  const std::vector<float> now = run().next.probabilities;
  const std::vector<float> before = run().original.probabilities;
  std::size_t most = 0;
  for (std::size_t i = 0; i < now.size(); ++i)
    if (std::abs(now[i] - before[i]) > std::abs(now[most] - before[most])) most = i;
  EXPECT_NE(percent(before[most]), percent(now[most]));
  expect_drawn(fmt::format("Changed most: “{}”, {} → {}.", name(static_cast<Index>(most)), percent(before[most]),
                           percent(now[most])));
}

TEST(UnknownWords, AreCountedBelowTheText) {
  const auto model = std::make_shared<TrainedModel>(*letters());
  model->unknown = 2;
  Document document = letters_document();
  document.model = model;
  set_text(document, "acc");
  HeadlessApp app(document, {1600, 1000});
  const auto text = [&] {
    app.settle();
    return fmt::format("{}", fmt::join(app.drawn_lines(), " "));
  };
  EXPECT_NE(text().find("The model does not know 2 of the words: it reads c instead."), std::string::npos) << text();
  edit_document(app.session().queue(), {"text", [](Document& edited) { set_text(edited, "ab"); }});
  EXPECT_EQ(text().find("does not know"), std::string::npos) << text();
}

// A low temperature leaves likely words alone, a high one makes all of them alike.
TEST(Temperature, SpreadsTheWordsThatAreDrawn) {
  const NextWords next{.probabilities = {0.8F, 0.2F}, .likeliest = {0, 1}};
  const auto unlikely = [&](double temperature) {
    int count = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) count += draw_token(next, temperature, seed) == 1 ? 1 : 0;
    return count;
  };
  EXPECT_NEAR(unlikely(1), 80, 30);
  EXPECT_LT(unlikely(0.25), 10) << "one of 257";
  EXPECT_NEAR(unlikely(4), 166, 40) << "0.41 of them";
}

TEST(Temperature, DrawsTheWordOfEachPositionByANumberOfItsOwn) {
  NextWords next{.probabilities = {0.5F, 0.5F}, .likeliest = {0, 1}};
  std::set<Index> drawn;
  for (next.position = 0; next.position < 32; ++next.position) drawn.insert(draw_token(next, 1, 7));
  EXPECT_EQ(drawn, (std::set<Index>{0, 1}));
}

TEST_F(ModelPanel, SaysWhatTheTextGoesOnWith) {
  app_.click("model/token/1");
  const Index next = run().pass->tokens[2];
  expect_drawn(fmt::format("The text goes on with “{}”, {}.", name(next),
                           percent(run().next.probabilities[static_cast<std::size_t>(next)])));
}

// Layers stand above each other, the first one lowest.
TEST_F(ModelPanel, ArrowsLeadToTheHeadThatStandsThere) {
  const auto head = [&] { return *app_.view().transient.picture; };
  app_.settle();
  app_.press_key(keys::named(ImGuiKey_RightArrow));
  EXPECT_EQ(head(), (LayerPicture{.layer = 0, .head = 0})) << "shows first where the keys are";
  app_.press_key(keys::named(ImGuiKey_RightArrow));
  EXPECT_EQ(head(), (LayerPicture{.layer = 0, .head = 1}));
  const float low = app_.widget("model/0/1").min_screen.y;
  app_.press_key(keys::named(ImGuiKey_UpArrow));
  EXPECT_EQ(head(), (LayerPicture{.layer = 1, .head = 1}));
  EXPECT_LT(app_.widget("model/1/1").min_screen.y, low);
  app_.press_key(keys::named(ImGuiKey_DownArrow));
  EXPECT_EQ(head(), (LayerPicture{.layer = 0, .head = 1}));
}

TEST_F(ModelPanel, TheMouseAloneSwitchesAHeadOff) {
  app_.settle();
  for (const bool is_on : {false, true}) {
    app_.move_to("model/1/0");
    app_.frames(2);
    give_button(ImGuiMouseButton_Right, true);
    app_.frames(2);
    give_button(ImGuiMouseButton_Right, false);
    app_.frames(2);
    app_.click("model/head/switch");
    app_.settle();
    EXPECT_EQ(app_.widget("model/1/0").is_on, is_on);
    EXPECT_EQ(run().pass->configs[1].heads_off.empty(), is_on);
  }
  EXPECT_EQ(app_.view().mode, ViewMode::model) << "a right click opens no diagram";
}

TEST_F(ModelPanel, AHeadThatIsSwitchedOffIsNamedByLayerAndHead) {
  app_.settle();
  app_.press_key(keys::named(ImGuiKey_RightArrow));
  app_.press_key(keys::named(ImGuiKey_UpArrow));
  app_.press_key(keys::named(ImGuiKey_UpArrow));
  app_.press_key(keys::named(ImGuiKey_Space));
  app_.settle();
  EXPECT_EQ(app_.session().shown().undo_label, "switching layer 3, head 1 off");
  EXPECT_TRUE(app_.document().is_whole_model) << "it is looked at as a whole still";
  EXPECT_EQ(app_.widget("model/2/0").is_on, false);
  EXPECT_EQ(app_.widget("model/2/1").is_on, true);
  EXPECT_EQ(run().pass->configs[2].heads_off, std::vector<Index>{0});
  EXPECT_TRUE(run().pass->configs[0].heads_off.empty());
}

// What a step of a lesson switches off is the large head before an audience, in one step after the other.
TEST_F(ModelPanel, APresentedStepShowsTheHeadThatIsOff) {
  Lesson lesson{.id = "off", .title = "Off"};
  for (const LayerPicture& off : {LayerPicture{.layer = 2, .head = 1}, LayerPicture{.layer = 1, .head = 0}}) {
    Document document = letters_document();
    set_head_off(document, off.layer, off.head, true);
    lesson.steps.push_back({.id = "step",
                            .document = std::make_shared<const Document>(std::move(document)),
                            .view = {.mode = std::string(ViewMode::model.id)}});
  }
  app_.call([made = std::make_shared<const Lesson>(lesson)](const Controllers& to) { to.lessons.try_out(made, 0); });
  app_.press_key(keys::function(11));
  app_.settle();
  EXPECT_EQ(app_.view().transient.picture, (LayerPicture{.layer = 2, .head = 1}));
  app_.press_key(keys::named(ImGuiKey_RightArrow));
  app_.settle();
  EXPECT_EQ(app_.view().transient.picture, (LayerPicture{.layer = 1, .head = 0}));
  app_.press_key(keys::named(ImGuiKey_Space));
  EXPECT_TRUE(run().pass->configs[1].heads_off.empty());
  EXPECT_EQ(app_.view().transient.picture, (LayerPicture{.layer = 1, .head = 0}));
  app_.press_key(keys::letter('O'));
  EXPECT_EQ(run().pass->configs[1].heads_off, std::vector<Index>{0});
}

TEST_F(ModelPanel, WPlaysTheFilmOfTheChosenHeadAndEscLeadsBack) {
  app_.settle();
  app_.change_view([](ViewState& view) { view.transient.picture = LayerPicture{.layer = 2, .head = 1}; });
  app_.press_key(keys::letter('W'));
  app_.settle();
  ASSERT_TRUE(app_.session().shown().film.is_open()) << app_.message();
  EXPECT_EQ(app_.view().mode, ViewMode::diagram);
  const Source& cell = app_.session().shown().film.watching->cell;
  EXPECT_EQ(cell.head, 1);
  EXPECT_EQ(cell.row, run().next.position);
  std::vector<float> weights(static_cast<std::size_t>(cell.row + 1));
  read_cells(weights, app_.result(), Stage::weights, 1, {cell.row, 0, 1, cell.row + 1});
  EXPECT_EQ(cell.col, std::ranges::max_element(weights) - weights.begin()) << "the largest weight of its row";
  EXPECT_EQ(std::get<ModelInputs>(app_.config().inputs).layer, 2);
  for (int press = 0; press < 2; ++press) {
    app_.press_key(keys::named(ImGuiKey_Escape));
    app_.settle();
  }
  EXPECT_EQ(app_.view().mode, ViewMode::model);
}

TEST_F(ModelPanel, BeforeAnAudienceTheFilmOfAHeadLeadsBackToTheModel) {
  app_.settle();
  app_.press_key(keys::function(11));
  app_.settle();
  app_.press_key(keys::letter('W'));
  app_.settle();
  ASSERT_TRUE(app_.session().shown().film.is_open()) << app_.message();
  const std::vector<std::string> lines = app_.drawn_lines();
  EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) { return line.starts_with("layer "); }))
      << "it says whose film it is";
  app_.press_key(keys::named(ImGuiKey_Escape));
  app_.settle();
  EXPECT_EQ(app_.view().mode, ViewMode::model);
  EXPECT_TRUE(app_.view().transient.presenting);
  EXPECT_FALSE(app_.session().shown().film.watching);
}

// A model that sees later tokens says the word in the place of one.
class MaskedWordPanel : public ModelPanel {
protected:
  MaskedWordPanel() : ModelPanel(bert_document<true>()) {}
};

TEST_F(MaskedWordPanel, AsksForTheMaskedWordAndPutsOneIn) {
  EXPECT_EQ(run().next.position, 2);
  EXPECT_EQ(shown().ranking->token, run().next.likeliest.front()) << "the text does not say the word";
  expect_drawn("Word in place of “c”");
  const Index likeliest = run().next.likeliest.front();
  app_.click("model/append");
  ASSERT_EQ(run().pass->tokens.size(), 5U);
  EXPECT_EQ(run().pass->tokens[2], likeliest);
  EXPECT_EQ(run().next.position, 2);
  EXPECT_EQ(app_.session().shown().undo_label, "word");
  app_.click("model/token/4");
  const Index last = run().pass->tokens[4];
  EXPECT_EQ(shown().ranking->token, last) << "the word that stands there";
  expect_drawn(fmt::format("The text has “{}”, {}.", name(last),
                           percent(run().next.probabilities[static_cast<std::size_t>(last)])));
}

// A classifier's checkpoint has attention, but says no words.
TEST(ModelWithoutWords, ShowsItsHeadsAndSaysWhyThereAreNoWords) {
  HeadlessApp app(bert_document<false>(), {1600, 1000});
  app.settle();
  const ModelShown& model = app.session().shown().model;
  ASSERT_TRUE(model.run) << model.error;
  EXPECT_TRUE(model.run->next.likeliest.empty());
  EXPECT_FALSE(model.ranking);
  EXPECT_EQ(model.run->layers.size(), 3U);
  const std::vector<std::string> lines = app.drawn_lines();
  EXPECT_NE(std::ranges::find(lines, "No words"), lines.end());
}

// The letters read by a model of as many heads and layers as published ones have.
template <Index heads, Index layers>
std::shared_ptr<const TrainedModel> letters_of_many_heads() {
  TransformerShape shape = small_shape();
  shape.layers = layers;
  shape.heads = shape.key_value_heads = heads;
  shape.head_dim = 1;
  shape.features = heads;
  auto made = std::make_shared<TrainedModel>(*letters());
  made->weights = small_model(shape);
  return made;
}

template <Index heads, Index layers>
void expect_words_beside_heads(ImVec2 size) {
  set_model_reader([](const std::string&) { return letters_of_many_heads<heads, layers>(); });
  const Document document = parse_document(R"({"model": "/models/many", "text": "dbcae"})");
  set_model_reader(read_model_as_documents_do);
  HeadlessApp app(document, size);
  app.settle();
  const Index likeliest = app.session().shown().model.run->next.likeliest.front();
  const WidgetRegistry::Entry& last = app.widget("model/residual/1");
  EXPECT_LT(last.max_screen.x, app.widget(fmt::format("model/next/{}", likeliest)).min_screen.x);
  EXPECT_LT(app.widget(fmt::format("model/0/{}", heads - 2)).max_screen.x,
            app.widget(fmt::format("model/0/{}", heads - 1)).min_screen.x);
}

TEST(ModelOfManyHeads, ShowsItsWordsBesideItsHeads) {
  expect_words_beside_heads<32, 22>({1440, 900});
  expect_words_beside_heads<48, 2>({1920, 1080});
}

class StoriesPanel : public ModelPanel {
protected:
  StoriesPanel() : ModelPanel(document_of(read_model("example:stories"))) {}
};

// Names get smaller before every second one is left out, and a narrow screen has the head above the words.
TEST(PresentedModel, NamesAllTokensOfItsLargeHeadBesideALesson) {
  const std::vector<std::shared_ptr<const Lesson>> lessons = shipped_lessons();
  const auto trained = std::ranges::find(lessons, "trained", &Lesson::id);
  ASSERT_NE(trained, lessons.end());
  for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1024, 768}}) {
    HeadlessApp app(opening_document(), size);
    app.session().push([lesson = *trained](const Controllers& to) { to.lessons.try_out(lesson, 0); });
    app.settle();
    app.press_key(keys::function(11));
    app.settle();
    app.frames(20);  // the text gets the width that it needs
    const WidgetRegistry::Entry& head = app.widget("model/large");
    EXPECT_GT(head.max_screen.x - head.min_screen.x, 0.4F * size.y) << size.x;
    const std::vector<VisibleText> texts = app.texts();
    const auto is_name = [&](const VisibleText& text) {
      return text.min_screen.x > 0.23F * size.x && text.max_screen.x < head.min_screen.x &&
             text.min_screen.y >= head.min_screen.y - 2 && text.max_screen.y <= head.max_screen.y + 2;
    };
    EXPECT_EQ(std::ranges::count_if(texts, is_name), std::ssize(app.session().shown().document.tokens)) << size.x;
  }
}

// The line below a presentation leaves keys out, whole, where the name of the head needs their room.
TEST(PresentedModel, NamesTheKeysThatHaveRoomBesideTheHead) {
  HeadlessApp app(document_of(read_model("example:stories")), {760, 700});
  app.change_view([](ViewState& view) { view.mode = ViewMode::model; });
  app.press_key(keys::function(11));
  app.settle();
  const WidgetRegistry::Entry& line = app.widget("presenting/line");
  std::vector<VisibleText> texts = app.texts();
  std::erase_if(texts, [&](const VisibleText& text) { return text.min_screen.y < line.min_screen.y; });
  ASSERT_EQ(texts.size(), 2U);
  std::ranges::sort(texts, {}, [](const VisibleText& text) { return text.min_screen.x; });
  EXPECT_LT(texts[0].max_screen.x, texts[1].min_screen.x);
  EXPECT_EQ(texts[0].text, "layer 4, head 4 (subject of the verb)");
  EXPECT_TRUE(texts[1].text.ends_with(" back, Space switches it off or on")) << texts[1].text;
}

// Both models are run and their heads tried, and each stands in its half under its name.
TEST_F(StoriesPanel, StandsBesideItsUntrainedTwin) {
  edit_document(app_.session().queue(),
                {"pair", [](Document& document) { make_telling_pair(document, *ready_pair_named("untrained"), 0); }});
  app_.change_view([](ViewState& view) {
    view.mode = ViewMode::model;
    view.side = ComparedSide::side_by_side;
  });
  app_.settle();
  const UiState& now = app_.session().shown();
  ASSERT_TRUE(now.model.run && now.compared_model.run);
  EXPECT_EQ(now.model.run->pass->model, now.document.model->weights);
  EXPECT_EQ(now.compared_model.run->pass->model, now.compared->model->weights);
  EXPECT_TRUE(now.model.ranking && now.compared_model.ranking);
  expect_drawn("A: trained");
  expect_drawn("B: untrained");
  const WidgetRegistry::Entry& head = app_.widget("model/3/0");
  EXPECT_GT(head.max_screen.x - head.min_screen.x, 80) << "the words below leave the heads the width";
  app_.change_view([](ViewState& view) { view.side = ComparedSide::now; });
  app_.edit({"stop", stop_comparing});
  EXPECT_FALSE(app_.session().shown().compared_model.run);
}

// Asks for a weight of a head of layer 3 while all heads are shown.
class AskedModel : public ModelPanel {
protected:
  AskedModel() : ModelPanel(notebook_document()) {
    const Lesson lesson = parse_lesson(R"({"id": "a", "title": "A", "steps": [{"id": "a", "title": "A", "text": "x",
      "document": {"model": "example:stories", "text": "Mia puts the ball in the box .", "layer": 2},
      "show": {"layout": "model", "head": 0},
      "question": {"kind": "number", "ask": "?", "answer": "weights[0,0,5,4]", "tolerance": 0.01}}]})");
    app_.call([lesson](const Controllers& to) { to.lessons.open({std::make_shared<const Lesson>(lesson)}); });
  }
  static int corners_between(ImVec2 low, ImVec2 high) {
    int corners = 0;
    const ImDrawData& drawn = *ImGui::GetDrawData();
    for (int list = 0; list < drawn.CmdListsCount; ++list) {
      for (const ImDrawVert& at : drawn.CmdLists[list]->VtxBuffer)
        corners += at.pos.x > low.x && at.pos.x < high.x && at.pos.y > low.y && at.pos.y < high.y ? 1 : 0;
    }
    return corners;
  }
  // Returns whether dots stand in a row of a head's picture, and only there; cells are parts of one texture.
  bool covers(const std::string& name, Index row) {
    const WidgetRegistry::Entry& head = app_.widget(name);
    const auto corners_in = [&](Index at) {
      const float side = (head.max_screen.y - head.min_screen.y) / 8;
      const float y = head.min_screen.y + static_cast<float>(at) * side;
      return corners_between({head.min_screen.x + 2, y + 1}, {head.min_screen.x + 2 * side, y + side - 1});
    };
    return corners_in(row) > 0 && corners_in(row - 1) == 0;
  }
  bool has_arcs(Index query) {
    const WidgetRegistry::Entry& token = app_.widget(fmt::format("model/token/{}", query));
    const float y = (token.min_screen.y + token.max_screen.y) / 2;
    return corners_between({token.max_screen.x - 1, y - 3}, {token.max_screen.x + 12, y + 3}) > 0;
  }
};

TEST_F(AskedModel, CoversWhatItIsAskedForInAllHeads) {
  app_.change_view([](ViewState& view) { view.model.position = 5; });
  app_.settle();
  EXPECT_TRUE(covers("model/2/0", 5));
  EXPECT_FALSE(covers("model/1/0", 5)) << "another layer";
  EXPECT_FALSE(has_arcs(5));
  EXPECT_TRUE(has_arcs(7));
  app_.press_key(keys::function(11));
  app_.settle();
  EXPECT_TRUE(covers("model/large", 5));
  EXPECT_FALSE(has_arcs(5));
  app_.call([](const Controllers& to) { to.lessons.reveal(); });
  EXPECT_FALSE(covers("model/large", 5));
  EXPECT_TRUE(has_arcs(5));
}

}  // namespace
}  // namespace attnscope::test
