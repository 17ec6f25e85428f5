// Embeddings, weights and documents that take a while to read are read in the background, as attention is.

#include <cstdlib>
#include <set>

#include "document/edit.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "features/import/import_controller.h"
#include "features/shared/panel/calls.h"
#include "files/image.h"
#include "files/import.h"
#include "files/picture_document.h"
#include "headless_app_input.h"
#include "tests/support/endless_model.h"
#include "viewing_app.h"

namespace attnscope::test {
namespace {

constexpr const char* script = R"(
import sys, numpy
folder, wanted = sys.argv[1:]
generator = numpy.random.default_rng(3)
random = lambda *shape: generator.standard_normal(shape).astype("float32")
if wanted == "table.npz":
    numpy.savez_compressed(folder + "/table.npz", table=random(4000, 1000))
if wanted == "table.csv":
    numpy.savetxt(folder + "/table.csv", random(4000, 48), fmt="%.6f", delimiter=",")
if wanted == "wide.csv":  # takes seconds to read
    open(folder + "/wide.csv", "w").write(("0.5," * 3999 + "0.5\n") * 4000)
if wanted == "qkv.npz":
    numpy.savez(folder + "/qkv.npz", q=random(2, 4, 6, 8), k=random(2, 2, 9, 8), v=random(2, 2, 9, 5))
if wanted == "v1.npz":
    numpy.savez_compressed(folder + "/v1.npz", **{f"W_{name}": random(768, 768) for name in ["query", "key", "value"]})
if wanted == "heads.npz":
    names = ["W_query.weight", "W_key.weight", "W_value.weight", "out_proj.weight"]
    arrays = {name: random(300, 300) for name in names}
    numpy.savez_compressed(folder + "/heads.npz", **arrays, **{"out_proj.bias": random(300)})
)";

class Reading : public ImportedFiles {
protected:
  void make(const std::string& name) {
    put_text(folder_ / "make.py", script);
    const std::string command =
        "/usr/bin/python3 '" + (folder_ / "make.py").string() + "' '" + folder_.path().string() + "' " + name;
    ASSERT_EQ(std::system(command.c_str()), 0) << "NumPy writes these files: is python3-numpy installed?";
  }
  void begin(const std::string& name) {
    app_.frames(3);  // the first ones take a while
    app_.session().push([this, name](const Controllers& to) { to.reading.open(folder_ / name); });
    app_.frames(1);
  }
  // Every percentage that is shown until the file is there.
  std::set<int> percentages() {
    std::set<int> seen;
    int last = 0;
    wait_until([&] {
      if (app_.session().seconds_to_next_change(0) <= 0 || app_.session().shown().reading.empty()) return true;
      const std::string text = app_.session().shown().reading;
      const std::size_t end = text.rfind(" %");
      if (end != std::string::npos) {
        const int percent = std::atoi(text.c_str() + text.rfind(' ', end - 1));
        EXPECT_GE(percent, last) << text;
        seen.insert(last = percent);
      }
      app_.session().poll();
      return false;
    });
    return seen;
  }
  Document large_document() {
    Document document = default_document();
    Tensor inputs({2000, 400});
    Generator generator(3);
    fill_uniform(inputs.values, generator, -1, 1);
    document.tokens = numbered_tokens(2000);
    document.config.inputs = inputs;
    return document;
  }
};

TEST_F(Reading, PackedEmbeddingsComeInTheBackground) {
  make("table.npz");
  begin("table.npz");
  EXPECT_EQ(app_.document(), default_document());
  EXPECT_TRUE(app_.shows("setup/seed"));
  ASSERT_TRUE(app_.shows("status/stop"));
  EXPECT_NE(app_.session().shown().reading.find("Reading table.npz"), std::string::npos);
  EXPECT_GT(percentages().size(), 1U);
  settle();
  EXPECT_EQ(inputs_of(app_.document()), to_tensor(load(read_arrays(folder_ / "table.npz"), 0)));
  EXPECT_TRUE(says(app_.message(), {"Imported 4000 tokens of 1000 numbers from "})) << app_.message();
  app_.press_control('Z');
  EXPECT_EQ(app_.document(), default_document());
}

TEST_F(Reading, QueriesKeysAndValuesBecomeADocumentThatBeginsWithThem) {
  make("qkv.npz");
  begin("qkv.npz");
  settle();
  const AttentionConfig& config = app_.document().config;
  EXPECT_EQ(config.mechanism, Mechanism::scaled_dot_product_attention);
  EXPECT_EQ(config.heads.origin, "qkv.npz");
  EXPECT_EQ(stage_shape(config, Stage::scores), (std::vector<Index>{2, 4, 6, 9}));
  EXPECT_EQ(stage_shape(config, Stage::context), (std::vector<Index>{2, 6, 20}));
  EXPECT_TRUE(says(app_.message(), {"queries, keys and values of ", "qkv.npz"})) << app_.message();
  for (const char* const view : {"diagram", "heads", "focus"}) {
    app_.click("menu/view");
    app_.click(std::string("menu/view/") + view);
  }
  app_.press_control('Z');
  EXPECT_EQ(app_.document(), default_document());
}

TEST_F(Reading, ALargeTableOfTextToo) {
  make("table.csv");
  begin("table.csv");
  EXPECT_EQ(app_.document(), default_document());
  EXPECT_GT(percentages().size(), 1U);
  settle();
  EXPECT_EQ(inputs_of(app_.document()), to_tensor(read_arrays(folder_ / "table.csv").arrays.front()));
}

TEST_F(Reading, StopLosesNothing) {
  app_.drag("setup/dropout", 0.1f, 0.5f);
  const Document edited = app_.document();
  for (const char* const name : {"table.npz", "wide.csv"}) {
    make(name);
    begin(name);
    ASSERT_TRUE(app_.shows("status/stop")) << name;
    app_.click("status/stop");
    EXPECT_TRUE(says(app_.message(), {"Stopped reading ", name})) << app_.message();
    settle();
    EXPECT_EQ(app_.document(), edited) << name;
    EXPECT_TRUE(app_.session().shown().is_modified);
  }
}

TEST_F(Reading, WhatIsEditedMeanwhileStays) {
  make("table.npz");
  begin("table.npz");
  edit_document(app_.session().queue(), {"seed", [](Document& document) { document.config.seed = 7; }});
  app_.frames(1);
  ASSERT_FALSE(app_.session().shown().reading.empty()) << "it was there too soon for this test";
  settle();
  settle();
  EXPECT_EQ(app_.config().seed, 7U);
  EXPECT_EQ(token_count(app_.config()), 4000);
  app_.press_control('Z');
  EXPECT_EQ(app_.config().seed, 7U);
  EXPECT_EQ(token_count(app_.config()), 6);
}

TEST_F(Reading, PackedWeightsComeInTheBackground) {
  make("v1.npz");
  edit_document(app_.session().queue(),
                {"heads", [](Document& document) { set_mechanism(document, Mechanism::self_attention_v1); }});
  begin("v1.npz");
  EXPECT_TRUE(app_.config().weight_overrides.empty());
  EXPECT_NE(app_.session().shown().reading.find("Reading v1.npz"), std::string::npos);
  settle();
  ASSERT_EQ(app_.config().weight_overrides.size(), 3U) << app_.message();
  EXPECT_EQ(app_.config().weight_overrides.at("W_key"), to_tensor(load(read_arrays(folder_ / "v1.npz"), 1)));
  EXPECT_TRUE(says(app_.message(), {"Imported the weights of "})) << app_.message();
}

TEST_F(Reading, WhatAFileLeavesOpenIsAsked) {
  make("heads.npz");
  begin("heads.npz");
  settle();
  const DialogState& dialog = app_.session().shown().dialog;
  ASSERT_EQ(dialog.kind, DialogState::Kind::choice) << app_.message();
  EXPECT_TRUE(says(dialog.question, {"heads.npz: ", "how many heads share d_out = 300"})) << dialog.question;
  EXPECT_EQ(dialog.question.find("--"), std::string::npos) << "an option of the command line";
  EXPECT_EQ(dialog.answers.front().first, "5") << "heads of 60 numbers are the likeliest";
  const auto chosen_after = [&](std::optional<ImGuiKey> key) {
    if (key) app_.press_key(keys::named(*key));
    app_.frames(4);
    const WidgetRegistry& widgets = app_.widgets();
    const ImGuiID id = shows_focus() ? ImGui::GetCurrentContext()->NavId : 0;
    const auto found = std::ranges::find(widgets.entries, id, &WidgetRegistry::Entry::id);
    return id == 0 || found == widgets.entries.end() ? std::string() : found->name;
  };
  EXPECT_EQ(chosen_after({}), "dialog/answer/0") << "the keys have the likeliest answer";
  EXPECT_EQ(chosen_after(ImGuiKey_RightArrow), "dialog/answer/1");
  EXPECT_EQ(chosen_after(ImGuiKey_Tab), "dialog/answer/2");
  EXPECT_EQ(chosen_after(ImGuiKey_LeftArrow), "dialog/answer/1");
  EXPECT_EQ(chosen_after(ImGuiKey_LeftArrow), "dialog/answer/0");
  app_.press_key(keys::named(ImGuiKey_Enter));
  settle();
  EXPECT_EQ(app_.config().num_heads, 5);
  EXPECT_EQ(app_.config().weight_overrides.size(), 5U) << app_.message();
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::none);
}

TEST_F(Reading, WhatIsWrongIsTheSameSentence) {
  make("table.npz");
  const Document before = app_.document();
  std::string bytes = text_of(folder_ / "table.npz");
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 64; ++i) bytes[i] = static_cast<char>(i);
  put_text(folder_ / "table.npz", bytes);
  begin("table.npz");
  settle();
  EXPECT_TRUE(says(app_.message(), {"table.npz: "})) << app_.message();
  EXPECT_EQ(app_.document(), before);
}

TEST_F(Reading, ADocumentOfAnotherModelLeavesTheOneThatIsShown) {
  const Document before = app_.document();
  put_text(folder_ / "story.json",
           R"({"model": "example:stories", "text": "Mia", "model_sha256": ")" + std::string(64, '0') + "\"}");
  begin("story.json");
  settle();
  EXPECT_TRUE(says(app_.message(), {"story.json: ", "model_sha256 with 000000000000"})) << app_.message();
  EXPECT_EQ(app_.document(), before);
}

TEST_F(Reading, LargeDocumentsComeInTheBackground) {
  const Document document = large_document();
  save_document(document, folder_ / "large.json");
  Image image{4, 4, {}};
  image.pixels.resize(64);
  put_text(folder_ / "large.png", with_document(encode_png(image), PictureKind::png, document));
  for (const char* const name : {"large.json", "large.png"}) {
    const Document before = app_.document();
    begin(name);
    EXPECT_EQ(app_.document(), before);
    EXPECT_NE(app_.session().shown().reading.find("Reading large."), std::string::npos);
    settle();
    EXPECT_EQ(app_.document(), document);
    EXPECT_FALSE(app_.session().shown().is_modified);
    EXPECT_EQ(app_.session().shown().file, folder_ / name);
    EXPECT_EQ(app_.session().shown().file_is_picture, std::string(name) == "large.png");
    app_.session().push([](const Controllers& to) { to.reading.new_document(); });
    settle();
  }
}

TEST_F(Reading, ALargeDocumentAsksAboutWhatWasChangedMeanwhile) {
  save_document(large_document(), folder_ / "large.json");
  begin("large.json");
  edit_document(app_.session().queue(), {"seed", [](Document& document) { document.config.seed = 7; }});
  settle();
  ASSERT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::unsaved);
  app_.click("dialog/cancel");
  EXPECT_EQ(app_.config().seed, 7U);
}

// Each test here would wait for an hour if the window waited for the file.
class EndlessReading : public Reading {
protected:
  EndlessReading() {
    write_endless_model(folder_ / "endless");
    put_text(folder_ / "a.json", endless_document);
  }
  bool is_reading() { return !app_.session().shown().reading.empty(); }
};

TEST_F(EndlessReading, CanBeStoppedAndGivesWayToAnotherFile) {
  const Document before = app_.document();
  begin("a.json");
  ASSERT_TRUE(is_reading());
  app_.click("status/stop");
  EXPECT_FALSE(is_reading());
  begin("a.json");
  put_text(folder_ / "b.json", "{\"seed\": 7}");
  begin("b.json");
  settle();
  EXPECT_EQ(app_.config().seed, 7U);
}

TEST_F(EndlessReading, EndsWithTheWindow) {
  begin("a.json");
  ASSERT_TRUE(is_reading());
  app_.press_control('Q');
  EXPECT_TRUE(app_.session().quit_requested());
}

TEST_F(EndlessReading, IsNotDoneByTheDialogThatShowsWhatAFileHolds) {
  app_.press_control('O');
  app_.click("dialog/entry/a.json");
  app_.settle();
  ASSERT_EQ(app_.session().shown().dialog.preview.size(), 3U);
  EXPECT_TRUE(app_.session().shown().dialog.preview[1].starts_with("A trained model: 4 layers"));
  app_.click("dialog/accept");
  ASSERT_TRUE(is_reading());
  EXPECT_TRUE(app_.session().shown().dialog.preview.empty() || app_.shows("dialog/preview"));
  app_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::none);
}

// A document is written with the checksum of its model's weights.
TEST_F(EndlessReading, OfAChecksumIsWaitedForWhenADocumentIsSavedAndCanBeStopped) {
  drop("endless");
  ASSERT_TRUE(app_.document().model) << app_.message();
  app_.session().push([this](const Controllers& to) { to.files.save(folder_ / "b.json"); });
  app_.frames(3);
  EXPECT_TRUE(is_reading());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b.json"));
  app_.click("status/stop");
  EXPECT_FALSE(is_reading());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b.json"));
}

TEST_F(EndlessReading, OfAChecksumIsNotWaitedForByWhatIsKeptInCaseOfACrash) {
  app_.session().keep_state_in(folder_ / "state", 4711);
  drop("endless");
  edit_document(app_.session().queue(), {"head", [](Document& document) { document.config.heads_off = {1}; }});
  app_.frames(3);
  ASSERT_TRUE(app_.session().shown().is_modified) << app_.message();
  app_.session().keep_unsaved();  // as when the program is made to end
  EXPECT_NE(text_of(folder_ / "state" / "autosave" / "4711.json").find("\"heads_off\": [1]"), std::string::npos);
}

TEST(ReadingAtTheStart, TakesWhatIsSmallAndLeavesTheRestToTheWindow) {
  const TemporaryFolder folder;
  write_endless_model(folder / "endless");
  put_text(folder / "model.json", endless_document);
  put_text(folder / "bias.json", R"({"bias": "b.npy"})");
  put_text(folder / "attn.npy", weights_npy({2, 3, 3}));
  const Document large = [] {
    Document document = default_document();
    document.tokens = numbered_tokens(400);
    document.config.inputs = Tensor({400, 400});
    return document;
  }();
  save_document(large, folder / "large.json");
  put_text(folder / "lesson.json", R"({"id": "one", "title": "One", "steps": [{"id": "a", "title": "A", "text": "B",
                                       "document": {"model": ")" +
                                       (folder / "endless").string() + R"(", "text": "Mia"}}]})");
  for (const char* const name : {"endless", "model.json", "bias.json", "attn.npy", "large.json", "lesson.json"})
    EXPECT_TRUE(std::holds_alternative<std::monostate>(load_quickly(folder / name))) << name;
  put_text(folder / "small.json", "{\"seed\": 7}");
  EXPECT_EQ(std::get<LoadedDocument>(load_quickly(folder / "small.json")).document.config.seed, 7U);
  put_text(folder / "lesson.json", R"({"id": "one", "title": "One", "steps": [{"id": "a", "title": "A", "text": "B",
                                       "document": {}}]})");
  EXPECT_EQ(std::get<LoadedLessons>(load_quickly(folder / "lesson.json")).lessons.size(), 1U);
  put_text(folder / "broken.json", "{");
  EXPECT_TRUE(says(error_of([&] { load_quickly(folder / "broken.json"); }).what(), {"broken.json"}));
  EXPECT_TRUE(says(error_of([&] { load_quickly(folder / "none.json"); }).what(), {"none.json", "No such file"}));
}

TEST_F(Reading, EmbeddingsInThePlaceOfAttentionAskAboutNamesOfItsTokens) {
  put_text(folder_ / "words.csv", "1,2\n3,4\n");
  open({2, 3, 3});
  app_.session().push([](const Controllers& to) { to.viewing.name_tokens("a b c"); });
  app_.settle();
  ASSERT_TRUE(app_.session().shown().is_modified);
  drop("words.csv");
  ASSERT_EQ(app_.session().shown().dialog.kind, DialogState::Kind::unsaved);
  app_.click("dialog/cancel");
  ASSERT_NE(viewing(), nullptr);
  EXPECT_EQ(app_.document().tokens, (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace attnscope::test
