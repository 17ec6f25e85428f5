// Documents that name a trained model.

#include <gtest/gtest.h>

#include <utility>

#include "core/error.h"
#include "document/compare.h"
#include "document/document.h"
#include "document/edit.h"
#include "document/json.h"
#include "support.h"
#include "tests/support/letters_model.h"

namespace attnscope::test {
namespace {

std::shared_ptr<const TrainedModel> read_letters(const std::string& path) {
  if (path == letters()->path) return letters();
  if (path == untrained_name(letters()->path, 123)) {
    auto drawn = std::make_shared<TrainedModel>(*letters());
    drawn->path = path;
    drawn->weights = untrained(*letters()->weights, 123);
    return drawn;
  }
  throw Error("model", path + " is not there.");
}

class ModelDocument : public testing::Test {
protected:
  ModelDocument() { set_model_reader(read_letters); }
  ~ModelDocument() override { set_model_reader(nullptr); }

  static Document parsed(const std::string& rest) {
    return parse_document(R"({"model": "/models/letters", )" + rest + "}");
  }
  static std::string refused(const std::string& rest) {
    return sentence_of([&] { parsed(rest); });
  }
  template <typename Action>
  static std::string sentence_of(const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  static const ModelInputs& inputs_of(const Document& document) {
    return std::get<ModelInputs>(document.config.inputs);
  }
};

TEST_F(ModelDocument, IsALayerOfTheModel) {
  const Document document = parsed(R"("text": "abcab", "layer": 2)");
  EXPECT_EQ(document.config, original_layer_config(inputs_of(document), 2));
  EXPECT_EQ(inputs_of(document).tokens, (std::vector<Index>{0, 1, 2, 0, 1}));
  EXPECT_EQ(document.tokens[2], "c");
  EXPECT_EQ(document.config.num_heads, 2);
  EXPECT_TRUE(document.config.qkv_bias);
  EXPECT_FALSE(document.is_whole_model);
  EXPECT_TRUE(parsed(R"("text": "abc")").is_whole_model);
  EXPECT_EQ(inputs_of(parsed(R"("token_ids": [4, 2])")).tokens, (std::vector<Index>{4, 2}));
}

TEST_F(ModelDocument, ComesBackFromItsJson) {
  for (const std::string rest :
       {R"("text": "abc")", R"("token_ids": [4, 2, 29], "layer": 1)",
        R"("text": "abcd", "layer": 1, "heads_off": [1], "mask": "none", "sliding_window": 2, "scale": false)",
        R"("text": "abcd", "layer": 0, "dropout": 0.5, "dropout_edits": {"drop": [[0, 1, 2, 1]], "keep": []})",
        R"("changed_layers": {"0": {"heads_off": [0]}, "2": {"softcap": 2}}, "text": "abcd", "layer": 1)",
        R"("text": "abc", "layer": 2, "rope": {"base": 50}, "weights": {"out_proj.bias": [1, 2, 3, 4, 5, 6, 7, 8]})"}) {
    const Document document = parsed(rest);
    const std::string json = to_json(document);
    EXPECT_EQ(parse_document(json), document) << json;
    EXPECT_EQ(to_json(parse_document(json)), json);
  }
}

// What is said of a layer stays that layer's, also if the document is looked at as a whole.
TEST_F(ModelDocument, NamesTheLayerThatItsKeysAreAbout) {
  Document document = parsed(R"("text": "abc", "layer": 2, "heads_off": [1])");
  document.is_whole_model = true;
  const Document read = parse_document(to_json(document));
  EXPECT_EQ(inputs_of(read).layer, 2);
  EXPECT_EQ(read.config.heads_off, std::vector<Index>{1});
}

// The order of keys does not matter, also not of those that change what the model's layer has.
TEST_F(ModelDocument, ReadsTheModelWhereverItIsNamed) {
  const Document document =
      parse_document(R"({"heads_off": [1], "layer": 1, "text": "abc", "model": "/models/letters"})");
  EXPECT_EQ(document, parsed(R"("text": "abc", "layer": 1, "heads_off": [1])"));
}

TEST_F(ModelDocument, IsMadeWithTheModelOfItsHash) {
  const std::string own(64, 'a');
  const Document document = parsed(R"("text": "abc", "model_sha256": ")" + own + "\"");
  EXPECT_EQ(document, parsed(R"("text": "abc")")) << "documents need no hash";
  EXPECT_NE(to_json(document).find("\"model_sha256\": \"" + own + "\""), std::string::npos);
  EXPECT_EQ(refused(R"("text": "abc", "model_sha256": ")" + std::string(64, '0') + "\""),
            "The weights of /models/letters are not those that the document was made with: their SHA-256 begins with "
            "aaaaaaaaaaaa, but model_sha256 with 000000000000. Let \"model\" name the model that it was made with, or "
            "remove \"model_sha256\".");
  for (const std::string& bad : {std::string("\"aa\""), '"' + std::string(64, 'A') + '"', std::string("7")})
    EXPECT_NE(refused(R"("text": "abc", "model_sha256": )" + bad).find("64 hexadecimal digits"), std::string::npos);
  EXPECT_EQ(sentence_of([&] { parse_document(R"({"model_sha256": ")" + own + "\"}"); }),
            "model_sha256 belongs to a trained model: add \"model\".");
}

TEST_F(ModelDocument, SaysWhatIsWrong) {
  EXPECT_EQ(sentence_of([] { parse_document(R"({"model": "/nowhere", "text": "a"})"); }), "/nowhere is not there.");
  EXPECT_EQ(refused(R"("layer": 1)"), "model needs a text that it reads: add \"text\".");
  EXPECT_EQ(refused(R"("text": "a", "token_ids": [1])"),
            "There are both text and token_ids, but the model reads one of them.");
  EXPECT_EQ(refused(R"("text": "")"), "text is empty, but the model needs at least one token: type a word.");
  EXPECT_EQ(refused(R"("text": "abcdefghijklm")"),
            "text has 13 tokens, but the model takes at most 12: make it shorter.");
  EXPECT_EQ(refused(R"("text": "a", "inputs": [[1]])"),
            "inputs cannot be given beside a model, whose layers compute them.");
  EXPECT_EQ(refused(R"("text": "a", "layer": 3)"), "layer is 3, but it must be a whole number from 0 to 2.");
  EXPECT_EQ(refused(R"("text": "a", "layer": 1, "changed_layers": {"1": {}})"),
            "changed_layers.1 is no other layer of the model: its layers are those from 0 to 2, and 1 is the one that "
            "the document shows.");
  EXPECT_EQ(refused(R"("text": "a", "changed_layers": {"1": {"tokens": ["b"]}})"),
            "changed_layers.1 cannot have tokens.");
  EXPECT_NE(refused(R"("text": "a", "mechanism": "causal_attention")"), "");
  EXPECT_EQ(sentence_of([] { parse_document(R"({"text": "a"})"); }), "text belongs to a trained model: add \"model\".");
  set_model_reader(nullptr);
  EXPECT_EQ(refused(R"("text": "a")"), "model is \"/models/letters\", but models cannot be read here.");
}

TEST_F(ModelDocument, KeepsWhatWasChangedInOtherLayers) {
  Document document = parsed(R"("text": "abcab", "layer": 1)");
  set_head_off(document, 1, true);
  show_layer(document, 2);
  EXPECT_TRUE(document.config.heads_off.empty());
  EXPECT_EQ(inputs_of(document).changed->at(1).heads_off, std::vector<Index>{1});
  set_head_off(document, 0, 0, true);
  EXPECT_EQ(inputs_of(document).layer, 2);
  EXPECT_EQ(inputs_of(document).changed->size(), 2U);
  show_layer(document, 1);
  EXPECT_EQ(document.config.heads_off, std::vector<Index>{1});
  EXPECT_EQ(inputs_of(document).changed->size(), 1U) << "the layer that is shown is not among the others";
  EXPECT_EQ(parse_document(to_json(document)), document);
  set_head_off(document, 1, 1, false);
  set_head_off(document, 0, 0, false);
  EXPECT_EQ(document, parsed(R"("text": "abcab", "layer": 1)")) << "nothing is changed any more";
}

// Nothing is drawn, so no seed stands below its pictures.
TEST_F(ModelDocument, IsNamedBelowPicturesByItsLayer) {
  const std::string footer = footer_text(parsed(R"("text": "abc", "layer": 1)"));
  EXPECT_TRUE(footer.starts_with("letters · layer 2 of 3 · 2 heads · no dropout")) << footer;
  EXPECT_TRUE(footer_text(parsed(R"("text": "abc")")).starts_with("letters · 3 layers · 2 heads · no dropout"));
}

TEST_F(ModelDocument, ReadsAnotherText) {
  Document document = parsed(R"("text": "abcab", "layer": 1, "dropout": 0.5)");
  set_dropout_edit(document, {.head = 1, .query = 4, .key = 3, .keeps = false});
  set_dropout_edit(document, {.head = 1, .query = 1, .key = 1, .keeps = false});
  set_sentence(document, "abx");
  EXPECT_EQ(document.text, "abx");
  EXPECT_EQ(document.tokens[2], "x");
  EXPECT_EQ(document.config.dropout_edits.size(), 1U) << "what lies behind the text's end is gone";
  append_token(document, 5);
  EXPECT_EQ(document.text, "abxf");
  replace_token(document, 1, 4);
  EXPECT_EQ(document.text, "aexf");
  replace_token(document, 1, 1);
  const Document before = document;
  EXPECT_NE(sentence_of([&] { set_text(document, ""); }), "");
  EXPECT_NE(sentence_of([&] { append_token(document, 99); }), "");
  EXPECT_EQ(document, before) << "what is refused changes nothing";
}

// Layers that are not shown read the same text.
TEST_F(ModelDocument, ReadsAnotherTextInEveryLayer) {
  Document document = parsed(R"("text": "abcab", "layer": 0, "dropout": 0.5, "heads_off": [1])");
  set_dropout_edit(document, {.head = 1, .query = 4, .key = 3, .keeps = false});
  set_dropout_edit(document, {.head = 0, .query = 1, .key = 1, .keeps = false});
  show_layer(document, 2);
  set_text(document, "abx");
  const AttentionConfig& other = inputs_of(document).changed->at(0);
  EXPECT_EQ(other.dropout_edits, (std::vector<DropoutEdit>{{0, 0, 1, 1, false}})) << "the other is behind the end";
  EXPECT_EQ(other.heads_off, std::vector<Index>{1});
  EXPECT_EQ(token_count(other), 3);
  show_layer(document, 0);
  EXPECT_EQ(parse_document(to_json(document)), document);
}

TEST_F(ModelDocument, AHeadOfAnyLayerIsSwitchedOffWhileTheWholeModelIsShown) {
  Document document = parsed(R"("text": "abc")");
  set_head_off(document, 2, 1, true);
  EXPECT_TRUE(document.is_whole_model);
  show_layer(document, 2);
  EXPECT_FALSE(document.is_whole_model);
  EXPECT_EQ(document.config.heads_off, std::vector<Index>{1});
}

TEST_F(ModelDocument, RefusesEditsOfItsInputs) {
  const Document before = parsed(R"("text": "abc", "layer": 1)");
  const std::string sentence =
      "The inputs of a trained model's layer are computed by the layers below: change the text instead.";
  for (const auto& edit : std::vector<std::function<void(Document&)>>{
           [](Document& d) { set_input(d, 0, 0, 1); }, [](Document& d) { rename_token(d, 0, "x"); },
           [](Document& d) { add_token(d); }, [](Document& d) { delete_token(d, 0); },
           [](Document& d) { fill_with_randn(d); },
           [](Document& d) {
             set_inputs(d, {{1, 2}});
           }}) {
    Document document = before;
    EXPECT_EQ(sentence_of([&] { edit(document); }), sentence);
    EXPECT_EQ(document, before);
  }
}

// Both models read the same text, and show the same layer, whatever is edited.
TEST_F(ModelDocument, StaysBesideItsUntrainedTwin) {
  Document document = parsed(R"("text": "dbcae")");
  make_pair(document, *ready_pair_named("untrained"), 0);
  ASSERT_TRUE(document.compared);
  EXPECT_EQ(document.model->path, "/models/letters#untrained=123");
  EXPECT_EQ(document.compared->model, letters());
  EXPECT_EQ(names_of_sides(document.compared->config, document.config),
            (std::pair<std::string, std::string>("trained", "untrained")));
  set_text(document, "abc");
  show_layer(document, 2);
  const auto expect_both = [&] {
    for (const Document* const each : {std::as_const(document).compared.get(), &std::as_const(document)}) {
      EXPECT_EQ(each->text, "abc");
      EXPECT_EQ(inputs_of(*each).layer, 2);
    }
  };
  expect_both();
  set_head_off(document, 1, 1, true);
  expect_both();
  EXPECT_TRUE(inputs_of(document).changed);
  EXPECT_FALSE(inputs_of(*document.compared).changed) << "A stays as it is";
  make_pair(document, *ready_pair_named("untrained"), 0);
  EXPECT_EQ(document.model->path, "/models/letters#untrained=123") << "an untrained model has the same trained one";
  EXPECT_EQ(document.compared->model, letters());
}

}  // namespace
}  // namespace attnscope::test
