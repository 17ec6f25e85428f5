// Tokens as Hugging Face's own library makes them: tests/data/make_tokenizers.mjs has written down what they are.

#include "interchange/tokenizer.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "support.h"

namespace attnscope::test {
namespace {

using Json = nlohmann::json;

std::string tokenizer_text(const std::string& name) { return data_text("tokenizers/" + name); }

const Json& expected() {
  static const Json json = Json::parse(tokenizer_text("expected.json"));
  return json;
}

std::shared_ptr<const Tokenizer> tokenizer(const std::string& name) {
  return Tokenizer::parse(tokenizer_text(name + ".json"));
}

Json changed(const std::string& name, const std::string& pointer, const Json& value) {
  Json json = Json::parse(tokenizer_text(name + ".json"));
  json[Json::json_pointer(pointer)] = value;
  return json;
}

std::string refusal_of(const Json& json) {
  return error_of([&] { Tokenizer::parse(json.dump()); }).what();
}

TEST(Tokenizer, TokensAreThoseOfTheReference) {
  const auto& lines = expected().at("lines");
  for (const auto& file : expected().at("files").items()) {
    const auto tokens = tokenizer(file.key());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto ids = file.value()[i].at("ids").get<std::vector<Index>>();
      EXPECT_EQ(tokens->encode(lines[i].get<std::string>()), ids) << file.key() << ": " << lines[i];
    }
  }
}

TEST(Tokenizer, DecodingGivesTheTextBack) {
  const auto& lines = expected().at("lines");
  for (const std::string name : {"gpt2", "llama3", "sentencepiece"}) {
    const auto tokens = tokenizer(name);
    for (const Json& line : lines) {
      const auto text = line.get<std::string>();
      const bool loses_blanks = text.find("▁") != std::string::npos || text.find("<s>") != std::string::npos;
      if (name == "sentencepiece" && loses_blanks) continue;
      EXPECT_EQ(tokens->decode(tokens->encode(text)), text) << name;
    }
  }
}

TEST(Tokenizer, DecodingIsThatOfTheReference) {
  for (const auto& file : expected().at("files").items()) {
    const auto tokens = tokenizer(file.key());
    for (const Json& line : file.value()) {
      const auto ids = line.at("ids").get<std::vector<Index>>();
      EXPECT_EQ(tokens->decode(ids), line.at("decoded").get<std::string>()) << file.key();
    }
  }
}

TEST(Tokenizer, DecodingLeavesOutWhatATemplatePutsBeforeOrAfterATextOrBoth) {
  const Json begin = {{"SpecialToken", {{"id", "[CLS]"}, {"type_id", 0}}}};
  const Json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const Json end = {{"SpecialToken", {{"id", "[SEP]"}, {"type_id", 0}}}};
  for (const Json& around : {Json{begin, text, end}, Json{text, end}, Json{begin, text}}) {
    const auto tokens = Tokenizer::parse(changed("words_split", "/post_processor/single", around).dump());
    const std::vector<Index> encoded = tokens->encode("café 10");
    EXPECT_EQ(encoded.size(), around.size() + 1) << around;
    EXPECT_EQ(tokens->decode(encoded), "café 10") << around;
  }
}

TEST(Tokenizer, Gpt2sTwoFilesMakeTheSameTokens) {
  const auto tokens = Tokenizer::parse_gpt2(tokenizer_text("gpt2_vocab.json"), tokenizer_text("gpt2_merges.txt"));
  const auto same = tokenizer("gpt2");
  EXPECT_EQ(tokens->size(), same->size());
  for (const Json& line : expected().at("lines")) {
    const auto text = line.get<std::string>();
    EXPECT_EQ(tokens->encode(text), same->encode(text)) << line;
  }
}

TEST(Tokenizer, TokensAreShownAsPeopleReadThem) {
  const auto shown = [](const char* name, const char* text) {
    std::vector<std::string> all;
    const auto tokens = tokenizer(name);
    for (const Index token : tokens->encode(text)) all.push_back(tokens->shown(token));
    return all;
  };
  EXPECT_EQ(shown("gpt2", " the ☕\n"), (std::vector<std::string>{" the", " ", "<0xE2>", "<0x98>", "<0x95>", "\n"}));
  EXPECT_EQ(shown("llama3", "a"), (std::vector<std::string>{"<|begin_of_text|>", "a"}));
  EXPECT_EQ(shown("sentencepiece", "the the☕"),
            (std::vector<std::string>{"<s>", " the", " the", "<0xE2>", "<0x98>", "<0x95>"}));
  EXPECT_EQ(tokenizer("gpt2")->decode(std::vector<Index>{159, 159, 159, 64}), "\uFFFD\uFFFD\uFFFDa");
}

TEST(Tokenizer, NumbersThatAreNoTokensAreRefused) {
  const auto tokens = tokenizer("gpt2");
  const std::vector<Index> beyond = {tokens->size()};
  EXPECT_TRUE(says(error_of([&] { tokens->decode(beyond); }).what(), {"There is no token"}));
  EXPECT_TRUE(says(error_of([&] { tokens->shown(-1); }).what(), {"There is no token -1"}));
}

TEST(Tokenizer, TextsThatCannotBeCutAreRefused) {
  EXPECT_TRUE(says(error_of([] { tokenizer("gpt2")->encode("\xFF"); }).what(), {"UTF-8"}));
  const Json without = changed("words", "/model/unk_token", "gone");
  const auto tokens = Tokenizer::parse(without.dump());
  EXPECT_EQ(tokens->encode("the the").size(), 2u);
  EXPECT_TRUE(says(error_of([&] { tokens->encode("xylophone"); }).what(), {"\"xylophone\"", "unknown words"}));
  EXPECT_EQ(tokens->unknown(), std::nullopt);
}

TEST(Tokenizer, OneTokenStandsForUnknownWords) {
  const auto tokens = tokenizer("words");
  ASSERT_TRUE(tokens->unknown());
  EXPECT_EQ(tokens->encode("the xylophone").back(), *tokens->unknown());
  EXPECT_NE(tokens->encode("the xylophone").front(), *tokens->unknown());
}

// As Hugging Face's library: a character of which a byte is no token is unknown as a whole.
TEST(Tokenizer, ACharacterFallsBackToAllOfItsBytesOrToNone) {
  const auto tokens = Tokenizer::parse(
      R"({"version": "1.0", "added_tokens": [], "normalizer": null, "pre_tokenizer": null, "post_processor": null,
          "decoder": null, "model": {"type": "BPE", "dropout": null, "unk_token": "<unk>",
          "continuing_subword_prefix": null, "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": true,
          "ignore_merges": false, "vocab": {"<unk>": 0, "a": 1, "<0xC3>": 2, "<0xA9>": 3}, "merges": []}})");
  EXPECT_EQ(tokens->encode("aé"), (std::vector<Index>{1, 2, 3}));
  EXPECT_EQ(tokens->encode("aèa"), (std::vector<Index>{1, 0, 1})) << "there is a token for the first of its bytes only";
}

TEST(Tokenizer, OneWordOfAMillionLettersTakesNoTime) {
  Json json = Json::parse(tokenizer_text("sentencepiece.json"));
  Json& vocabulary = json["model"]["vocab"];
  for (int length = 2; length <= 64; length *= 2) {
    const std::string half(static_cast<std::size_t>(length / 2), 'a');
    if (!vocabulary.contains(half + half)) vocabulary[half + half] = vocabulary.size();
    json["model"]["merges"].push_back({half, half});
  }
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& tokens : {Tokenizer::parse(json.dump()), tokenizer("llama3")}) {
    for (const char letter : {'a', ' '}) {
      const std::string text(1'000'000, letter);
      EXPECT_EQ(tokens->decode(tokens->encode(text)), text);
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(2));  // by squares it would take hours
}

TEST(Tokenizer, PatternsThatTakeTooMuchWorkAreRefused) {
  for (const char* pattern : {"(a*)*b", "(?:[^b]*+b|.)*", "(a|aa)+$", "(?=(a+))a*b\\1", "(?:a?){50}a{50}b",
                              "[^b]*+[bc]", "(?<=a{200})(?:a+)+b", "((?:a|a)*)+b", "(?R)?a+b"}) {
    Json json = changed("llama3", "/pre_tokenizer/pretokenizers/0/pattern/Regex", pattern);
    const auto begin = std::chrono::steady_clock::now();
    try {
      Tokenizer::parse(json.dump())->encode(std::string(200'000, 'a'));
    } catch (const Error& error) {
      EXPECT_TRUE(says(error.what(), {"pattern", "a"}));
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60)) << pattern;
  }
}

TEST(Tokenizer, TextsThatGrowWithoutEndAreRefused) {
  Json steps = Json::array();
  const Json doubled = {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", std::string(1000, 'a')}};
  for (int i = 0; i < 10; ++i) steps.push_back(doubled);
  const Json json = changed("sentencepiece", "/normalizer/normalizers", steps);
  EXPECT_TRUE(says(error_of([&] { Tokenizer::parse(json.dump())->encode("a"); }).what(), {"too long"}));
  std::string accents = "a";
  for (int i = 0; i < 2000; ++i) accents += i % 2 == 0 ? "\u0301" : "\u0316";
  EXPECT_TRUE(says(error_of([&] { tokenizer("qwen")->encode(accents); }).what(), {"accents"}));
}

TEST(Tokenizer, WhatIsNotKnownIsNamed) {
  const Json foo = {{"type", "Foo"}};
  EXPECT_EQ(refusal_of(changed("gpt2", "/pre_tokenizer", foo)),
            "tokenizer.json: the pre-tokenizer \"Foo\" is not known; known ones are ByteLevel, Split, Metaspace, "
            "Whitespace, WhitespaceSplit, Punctuation, Digits and Sequence.");
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/normalizer", foo)), {"the normalizer \"Foo\" is not known"}));
  EXPECT_TRUE(says(refusal_of(changed("qwen", "/pre_tokenizer/pretokenizers/1", foo)), {"the pre-tokenizer \"Foo\""}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/post_processor", foo)), {"the post-processor \"Foo\" is not known"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/decoder", foo)), {"the decoder \"Foo\" is not known"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/model/type", "Unigram")), {"the model \"Unigram\" is not known"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/model/dropout", 0.1)), {"model.dropout is 0.1"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/model/end_of_word_suffix", "</w>")), {"model.end_of_word_suffix"}));
  EXPECT_TRUE(says(refusal_of(changed("split_Removed", "/pre_tokenizer/pretokenizers/0/behavior", "Foo")),
                   {"behavior is \"Foo\"", "\"Isolated\""}));
}

TEST(Tokenizer, FilesThatContradictThemselvesAreRefused) {
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/model/vocab/A", 5000)), {"\"A\"", "5000", "only"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/model/vocab/A", 1)), {"\"A\"", "both have the number 1"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/model/vocab/A", -1)), {"model.vocab.A is -1"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/model/vocab/A", 1'000'000)), {"model.vocab.A", "999999"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/model/vocab", Json::object())), {"has no vocabulary"}));
  EXPECT_TRUE(says(refusal_of(changed("words", "/model/vocab", Json::array())), {"has no vocabulary"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/model/merges/0", "a b c")), {"model.merges[0]", "two tokens"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/model/merges/0", {"a"})), {"model.merges[0]"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/model/merges/0", "日 本")), {"\"日\"", "not in the vocabulary"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/added_tokens/0/id", 3)), {"\"<|endoftext|>\"", "the number 3"}));
  EXPECT_TRUE(
      says(refusal_of(changed("llama3", "/post_processor/processors/1/special_tokens/<|begin_of_text|>/ids/0", 9999)),
           {"9999"}));
  EXPECT_TRUE(says(refusal_of(changed("llama3", "/pre_tokenizer/pretokenizers/0/pattern/Regex", "(a")),
                   {"the pattern \"(a\" cannot be read at its byte 3", "parenthes"}));
  for (const char* pattern : {"a[^(\\s|[.,])]", "[a-z&&[aeiou]]", "a{,3}", "\\h+", "(?m).", "[]a[b]]"}) {
    EXPECT_TRUE(says(refusal_of(changed("llama3", "/pre_tokenizer/pretokenizers/0/pattern/Regex", pattern)),
                     {"the pattern", "Oniguruma"}))
        << pattern;
  }
  EXPECT_NO_THROW(Tokenizer::parse(
      changed("llama3", "/pre_tokenizer/pretokenizers/0/pattern/Regex", "[]\\[&[:alpha:]x]|[^]]|\\[\\\\h").dump()));
  EXPECT_TRUE(says(refusal_of(changed("sentencepiece", "/decoder/decoders/3/start", 2)), {"start is 2"}));
  EXPECT_TRUE(says(refusal_of(Json::array()), {"tokenizer.json: "}));
  EXPECT_TRUE(says(refusal_of(Json::object()), {"the model \"\" is not known"}));
}

TEST(Tokenizer, TextsThatAreNoTokenizersAreRefused) {
  const std::string good = tokenizer_text("sentencepiece.json");
  for (std::size_t size = 0; size + 2 < good.size(); size += 37) {
    EXPECT_TRUE(says(error_of([&] { Tokenizer::parse(good.substr(0, size)); }).what(), {"tokenizer.json: "}));
  }
  std::string nested = R"({"pre_tokenizer": )";
  for (int i = 0; i < 100'000; ++i) nested += R"({"type": "Sequence", "pretokenizers": [)";
  EXPECT_TRUE(says(error_of([&] { Tokenizer::parse(nested); }).what(), {"nested too deeply"}));
  const std::string large(max_tokenizer_bytes + 1, ' ');
  EXPECT_TRUE(says(error_of([&] { Tokenizer::parse(large); }).what(), {"at most 67108864"}));
  const std::string merges = tokenizer_text("gpt2_merges.txt");
  EXPECT_TRUE(says(error_of([&] { Tokenizer::parse_gpt2("[]", merges); }).what(), {"vocab.json: "}));
  EXPECT_TRUE(says(error_of([&] { Tokenizer::parse_gpt2(tokenizer_text("gpt2_vocab.json"), "a b\na\n"); }).what(),
                   {"merges.txt: line 2 is \"a\""}));
}

}  // namespace
}  // namespace attnscope::test
