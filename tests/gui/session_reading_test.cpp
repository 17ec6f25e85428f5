// Embeddings, weights and documents that take a while to read are read in the background, as attention is.

#include <cstdlib>
#include <set>

#include "desk_input.h"
#include "document/edit.h"
#include "interchange/image.h"
#include "interchange/import.h"
#include "interchange/picture_document.h"
#include "viewing_desk.h"

namespace attnscope::test {
namespace {

constexpr const char* script = R"(
import sys, numpy
folder, wanted = sys.argv[1:]
generator = numpy.random.default_rng(3)
random = lambda *shape: generator.standard_normal(shape).astype("float32")
if wanted == "table.npz":
    numpy.savez_compressed(folder + "/table.npz", table=random(8000, 500))
if wanted == "table.csv":
    numpy.savetxt(folder + "/table.csv", random(20000, 12)[:16000], fmt="%.6f", delimiter=",")
if wanted == "qkv.npz":
    numpy.savez(folder + "/qkv.npz", q=random(2, 4, 6, 8), k=random(2, 2, 9, 8), v=random(2, 2, 9, 5))
if wanted == "v1.npz":
    numpy.savez_compressed(folder + "/v1.npz", **{f"W_{name}": random(768, 768) for name in ["query", "key", "value"]})
if wanted == "heads.npz":
    names = ["W_query.weight", "W_key.weight", "W_value.weight", "out_proj.weight"]
    numpy.savez_compressed(folder + "/heads.npz", **{name: random(300, 300) for name in names})
)";

class Reading : public Viewing {
protected:
  void make(const std::string& name) {
    put_text(folder_ / "make.py", script);
    const std::string command =
        "/usr/bin/python3 '" + (folder_ / "make.py").string() + "' '" + folder_.path().string() + "' " + name;
    ASSERT_EQ(std::system(command.c_str()), 0) << "NumPy writes these files: is python3-numpy installed?";
  }
  void begin(const std::string& name) {
    desk_.frames(3);  // the first ones take a while
    desk_.session().push(OpenFile{folder_ / name});
    desk_.frames(1);
  }
  // Every percentage that is shown until the file is there.
  std::set<int> percentages() {
    std::set<int> seen;
    int last = 0;
    wait_until([&] {
      if (desk_.session().seconds_to_next_change(0) <= 0 || desk_.session().shown().reading.empty()) return true;
      const std::string text = desk_.session().shown().reading;
      const std::size_t end = text.rfind(" %");
      if (end != std::string::npos) {
        const int percent = std::atoi(text.c_str() + text.rfind(' ', end - 1));
        EXPECT_GE(percent, last) << text;
        seen.insert(last = percent);
      }
      desk_.session().poll_evaluation();
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
  EXPECT_EQ(desk_.document(), default_document());
  EXPECT_TRUE(desk_.shows("setup/seed"));
  ASSERT_TRUE(desk_.shows("status/stop"));
  EXPECT_NE(desk_.session().shown().reading.find("Reading table.npz"), std::string::npos);
  EXPECT_GT(percentages().size(), 1U);
  settle();
  EXPECT_EQ(inputs_of(desk_.document()), to_tensor(load(read_arrays(folder_ / "table.npz"), 0)));
  EXPECT_TRUE(says(desk_.message(), {"Imported 8000 tokens of 500 numbers from "})) << desk_.message();
  desk_.press_control('Z');
  EXPECT_EQ(desk_.document(), default_document());
}

TEST_F(Reading, QueriesKeysAndValuesBecomeADocumentThatBeginsWithThem) {
  make("qkv.npz");
  begin("qkv.npz");
  settle();
  const AttentionConfig& config = desk_.document().config;
  EXPECT_EQ(config.mechanism, Mechanism::scaled_dot_product_attention);
  EXPECT_EQ(config.heads.origin, "qkv.npz");
  EXPECT_EQ(stage_shape(config, Stage::scores), (std::vector<Index>{2, 4, 6, 9}));
  EXPECT_EQ(stage_shape(config, Stage::context), (std::vector<Index>{2, 6, 20}));
  EXPECT_TRUE(says(desk_.message(), {"queries, keys and values of ", "qkv.npz"})) << desk_.message();
  for (const char* const view : {"diagram", "heads", "focus"}) {
    desk_.click("menu/view");
    desk_.click(std::string("menu/view/") + view);
    desk_.frames(3);
  }
  desk_.press_control('Z');
  EXPECT_EQ(desk_.document(), default_document());
}

TEST_F(Reading, ALargeTableOfTextToo) {
  make("table.csv");
  begin("table.csv");
  EXPECT_EQ(desk_.document(), default_document());
  EXPECT_GT(percentages().size(), 1U);
  settle();
  EXPECT_EQ(inputs_of(desk_.document()), to_tensor(read_arrays(folder_ / "table.csv").arrays.front()));
}

TEST_F(Reading, StopLosesNothing) {
  desk_.drag("setup/dropout", 0.1f, 0.5f);
  const Document edited = desk_.document();
  for (const char* const name : {"table.npz", "table.csv"}) {
    make(name);
    begin(name);
    ASSERT_TRUE(desk_.shows("status/stop")) << name;
    desk_.click("status/stop");
    EXPECT_TRUE(says(desk_.message(), {"Stopped reading ", name})) << desk_.message();
    settle();
    EXPECT_EQ(desk_.document(), edited) << name;
    EXPECT_TRUE(desk_.session().shown().is_modified);
  }
}

TEST_F(Reading, WhatIsEditedMeanwhileStays) {
  make("table.npz");
  begin("table.npz");
  desk_.session().push(EditDocument{"seed", [](Document& document) { document.config.seed = 7; }});
  desk_.frames(1);
  ASSERT_FALSE(desk_.session().shown().reading.empty()) << "it was there too soon for this test";
  settle();
  settle();
  EXPECT_EQ(desk_.config().seed, 7U);
  EXPECT_EQ(token_count(desk_.config()), 8000);
  desk_.press_control('Z');
  EXPECT_EQ(desk_.config().seed, 7U);
  EXPECT_EQ(token_count(desk_.config()), 6);
}

TEST_F(Reading, PackedWeightsComeInTheBackground) {
  make("v1.npz");
  desk_.session().push(
      EditDocument{"heads", [](Document& document) { set_mechanism(document, Mechanism::self_attention_v1); }});
  begin("v1.npz");
  EXPECT_TRUE(desk_.config().weight_overrides.empty());
  EXPECT_NE(desk_.session().shown().reading.find("Reading v1.npz"), std::string::npos);
  settle();
  ASSERT_EQ(desk_.config().weight_overrides.size(), 3U) << desk_.message();
  EXPECT_EQ(desk_.config().weight_overrides.at("W_key"), to_tensor(load(read_arrays(folder_ / "v1.npz"), 1)));
  EXPECT_TRUE(says(desk_.message(), {"Imported the weights of "})) << desk_.message();
}

TEST_F(Reading, WhatIsWrongIsTheSameSentence) {
  make("heads.npz");
  make("table.npz");
  const Document before = desk_.document();
  const NamedArrays weights = read_arrays(folder_ / "heads.npz");
  Document document = before;
  const std::string sentence = error_of([&] { import_arrays(document, weights, {}); }).what();
  begin("heads.npz");
  settle();
  EXPECT_EQ(desk_.message(), (folder_ / "heads.npz").string() + ": " + sentence);
  std::string bytes = text_of(folder_ / "table.npz");
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 64; ++i) bytes[i] = static_cast<char>(i);
  put_text(folder_ / "table.npz", bytes);
  begin("table.npz");
  settle();
  EXPECT_TRUE(says(desk_.message(), {"table.npz: "})) << desk_.message();
  EXPECT_EQ(desk_.document(), before);
}

TEST_F(Reading, ADocumentOfAnotherModelLeavesTheOneThatIsShown) {
  const Document before = desk_.document();
  put_text(folder_ / "story.json",
           R"({"model": "example:stories", "text": "Mia", "model_sha256": ")" + std::string(64, '0') + "\"}");
  begin("story.json");
  settle();
  EXPECT_TRUE(says(desk_.message(), {"story.json: ", "model_sha256 with 000000000000"})) << desk_.message();
  EXPECT_EQ(desk_.document(), before);
}

TEST_F(Reading, LargeDocumentsComeInTheBackground) {
  const Document document = large_document();
  save_document(document, folder_ / "large.json");
  Image image{4, 4, {}};
  image.pixels.resize(64);
  put_text(folder_ / "large.png", with_document(encode_png(image), PictureKind::png, document));
  for (const char* const name : {"large.json", "large.png"}) {
    const Document before = desk_.document();
    begin(name);
    EXPECT_EQ(desk_.document(), before);
    EXPECT_NE(desk_.session().shown().reading.find("Reading large."), std::string::npos);
    settle();
    EXPECT_EQ(desk_.document(), document);
    EXPECT_FALSE(desk_.session().shown().is_modified);
    EXPECT_EQ(desk_.session().shown().file, folder_ / name);
    EXPECT_EQ(desk_.session().shown().file_is_picture, std::string(name) == "large.png");
    desk_.session().push(NewDocument{});
    settle();
  }
}

TEST_F(Reading, ALargeDocumentAsksAboutWhatWasChangedMeanwhile) {
  save_document(large_document(), folder_ / "large.json");
  begin("large.json");
  desk_.session().push(EditDocument{"seed", [](Document& document) { document.config.seed = 7; }});
  settle();
  ASSERT_EQ(desk_.session().shown().dialog.kind, DialogState::Kind::unsaved);
  desk_.click("dialog/cancel");
  EXPECT_EQ(desk_.config().seed, 7U);
}

TEST_F(Reading, EmbeddingsInThePlaceOfAttentionAskAboutNamesOfItsTokens) {
  put_text(folder_ / "words.csv", "1,2\n3,4\n");
  open({2, 3, 3});
  desk_.session().push(NameTokens{"a b c"});
  desk_.settle();
  ASSERT_TRUE(desk_.session().shown().is_modified);
  drop("words.csv");
  ASSERT_EQ(desk_.session().shown().dialog.kind, DialogState::Kind::unsaved);
  desk_.click("dialog/cancel");
  ASSERT_NE(viewing(), nullptr);
  EXPECT_EQ(desk_.document().tokens, (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace attnscope::test
