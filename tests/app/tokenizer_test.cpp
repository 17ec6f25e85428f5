// Tokens as Hugging Face's own library makes them: tests/data/make_tokenizers.mjs has written down what they are.

#include "files/tokenizer.h"
#include "files/tokenizer_parts.h"

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

constexpr const char* too_much = "than any that a tool writes";

// A tokenizer of three letters, with other parts.
Json letters(const Json& parts) {
  Json json = {{"model", {{"type", "BPE"}, {"vocab", {{"a", 0}, {"b", 1}, {" ", 2}}}, {"merges", Json::array()}}}};
  json.update(parts);
  return json;
}

Json sequence(const char* list, const Json& step, int count) {
  return {{"type", "Sequence"}, {list, std::vector<Json>(static_cast<std::size_t>(count), step)}};
}

const Json twice = {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}};

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
  EXPECT_TRUE(says(error_of([&] { Tokenizer::parse(json.dump())->encode("a"); }).what(), {too_much}));
  std::string accents = "a";
  for (int i = 0; i < 2000; ++i) accents += i % 2 == 0 ? "\u0301" : "\u0316";
  EXPECT_TRUE(says(error_of([&] { tokenizer("qwen")->encode(accents); }).what(), {"accents"}));
}

TEST(Tokenizer, StepsThatDoMoreThanThoseOfAnyToolAreRefused) {
  const auto of = [](const Json& parts, const std::string& text) {
    return std::string(error_of([&] { Tokenizer::parse(letters(parts).dump())->encode(text); }).what());
  };
  Json steps = sequence("normalizers", twice, 22);
  for (int i = 0; i < 500; ++i) steps["normalizers"].push_back({{"type", "Lowercase"}});
  EXPECT_TRUE(says(of({{"normalizer", steps}}, "a"), {"For this text the tokenizer takes more", too_much}));
  const std::string sixty(60, 'a');
  std::string accents = "a";
  for (int i = 0; i < 900; ++i) accents += i % 2 == 0 ? "\u0301" : "\u0316";
  const std::string letters_of_two_bytes = [] {
    std::string text;
    for (int i = 0; i < 30'000; ++i) text += "\u00E9";
    return text;
  }();
  const Json each = {{"type", "Split"}, {"pattern", {{"Regex", "."}}}, {"behavior", "Isolated"}};
  const Json bytes = {{"type", "ByteLevel"}, {"use_regex", false}};
  const Json long_blank = {{"type", "Metaspace"}, {"replacement", std::string(100'000, 'x')}};
  const Json long_start = {{"type", "Prepend"}, {"prepend", std::string(10'000, 'x')}};
  for (const auto& [parts, text] : std::vector<std::pair<Json, std::string>>{
           {{{"normalizer", sequence("normalizers", {{"type", "Lowercase"}}, 40'000)}}, sixty},
           {{{"normalizer", sequence("normalizers", {{"type", "NFC"}}, 1000)}}, accents},
           {{{"normalizer", sequence("normalizers", long_start, 90)}}, " "},
           {{{"pre_tokenizer", sequence("pretokenizers", each, 1000)}}, std::string(20'000, 'a')},
           {{{"pre_tokenizer", sequence("pretokenizers", bytes, 30)}}, letters_of_two_bytes},
           {{{"pre_tokenizer", long_blank}}, std::string(10'000, ' ')},
           {{{"added_tokens", {{{"id", 3}, {"content", std::string(4000, 'a') + "b"}}}}}, std::string(100'000, 'a')}})
    EXPECT_TRUE(says(of(parts, text), {"For this text the tokenizer takes more", too_much}));
  const Json large = {
      {"type", "Split"}, {"pattern", {{"Regex", "(?:[\\p{L}\\p{M}x]{2,9}a){800}"}}}, {"behavior", "Isolated"}};
  EXPECT_TRUE(says(of({{"pre_tokenizer", sequence("pretokenizers", large, 3000)}}, ""),
                   {"tokenizer.json: This file takes more", too_much}));
}

TEST(Tokenizer, DecodersThatMakeLongTokensAreRefusedAsTheyAreRead) {
  const auto of = [](const Json& parts) { return refusal_of(letters(parts)); };
  EXPECT_TRUE(says(of({{"decoder", sequence("decoders", twice, 40)}}), {"This file takes more", too_much}));
  EXPECT_TRUE(says(of({{"decoder", sequence("decoders", twice, 13)}}),
                   {"has 8192 bytes, but no tool writes tokens of more than 4096"}));
  EXPECT_EQ(Tokenizer::parse(letters({{"decoder", sequence("decoders", twice, 12)}}).dump())->shown(0).size(), 4096U);
  EXPECT_TRUE(says(of({{"added_tokens", {{{"id", 3}, {"content", std::string(4097, 'c')}}}}}), {"4097 bytes"}));
}

TEST(Tokenizer, TemplatesAreBoundedAndTheirTokensAreFoundAtOnce) {
  const auto of = [](int uses, int names, std::vector<Index> ids) {
    Json single = std::vector<Json>(static_cast<std::size_t>(uses), {{"SpecialToken", {{"id", "z"}}}});
    single.push_back({{"Sequence", {{"id", "A"}}}});
    Json special = {{"z", {{"ids", std::move(ids)}}}};
    for (int i = 0; i < names; ++i) special["k" + std::to_string(i)] = {{"ids", {1}}};
    return letters(
        {{"post_processor", {{"type", "TemplateProcessing"}, {"single", single}, {"special_tokens", special}}}});
  };
  EXPECT_EQ(Tokenizer::parse(of(4'000, 20'000, {0}).dump())->encode("b").size(), 4'001U);
  EXPECT_EQ(refusal_of(of(1000, 0, std::vector<Index>(1000, 0))),
            "tokenizer.json: the template puts more than 4096 tokens around a text, which is more than any that a "
            "tool writes.");
  Json other = of(1, 0, {0});
  other["post_processor"]["special_tokens"] = Json::object();
  EXPECT_TRUE(says(refusal_of(other), {"single[0].SpecialToken.id is \"z\"", "one of special_tokens"}));
}

// Merges whose two tokens have one hash would be looked for among all others.
TEST(Tokenizer, MergesThatShareABucketAreRefused) {
  constexpr std::size_t count = 70;
  std::unordered_map<std::uint64_t, int, PairHash> same;
  same.reserve(count);
  Json vocabulary = Json::object();
  for (int i = 0; i < 200; ++i) {
    vocabulary["l" + std::to_string(i)] = vocabulary.size();
    vocabulary["r" + std::to_string(i)] = vocabulary.size();
  }
  const auto merges_in = [&](auto is_wanted) {
    Json merges = Json::array();
    Json all = vocabulary;
    for (std::uint64_t left = 0; left < 400 && merges.size() < count; left += 2) {
      for (std::uint64_t right = 1; right < 400 && merges.size() < count; right += 2) {
        if (!is_wanted(same.bucket(left << 32 | right))) continue;
        const std::string pair[] = {"l" + std::to_string(left / 2), "r" + std::to_string(right / 2)};
        merges.push_back(pair[0] + " " + pair[1]);
        all[pair[0] + pair[1]] = all.size();
      }
    }
    return letters({{"model", {{"type", "BPE"}, {"vocab", all}, {"merges", merges}}}});
  };
  EXPECT_NO_THROW(Tokenizer::parse(merges_in([](std::size_t) { return true; }).dump()));
  EXPECT_TRUE(says(refusal_of(merges_in([](std::size_t bucket) { return bucket == 0; })),
                   {"tokenizer.json: the tokens are chosen so that looking for one takes long"}));
}

TEST(Tokenizer, WhatIsNotKnownIsNamed) {
  const Json foo = {{"type", "Foo"}};
  EXPECT_EQ(
      refusal_of(changed("gpt2", "/pre_tokenizer", foo)),
      "tokenizer.json: the pre-tokenizer \"Foo\" is not known; known ones are BertPreTokenizer, ByteLevel, Split, "
      "Metaspace, Whitespace, WhitespaceSplit, Punctuation, Digits and Sequence.");
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/normalizer", foo)), {"the normalizer \"Foo\" is not known"}));
  EXPECT_TRUE(says(refusal_of(changed("qwen", "/pre_tokenizer/pretokenizers/1", foo)), {"the pre-tokenizer \"Foo\""}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/post_processor", foo)), {"the post-processor \"Foo\" is not known"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/decoder", foo)), {"the decoder \"Foo\" is not known"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/model/type", "Unigram")), {"the model \"Unigram\" is not known"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/model/dropout", 0.1)), {"model.dropout is 0.1"}));
  EXPECT_TRUE(says(refusal_of(changed("gpt2", "/model/end_of_word_suffix", "</w>")), {"model.end_of_word_suffix"}));
  EXPECT_TRUE(says(refusal_of(changed("split_Removed", "/pre_tokenizer/pretokenizers/0/behavior", "Foo")),
                   {"behavior is \"Foo\"", "Isolated"}));
}

TEST(Tokenizer, FilesThatContradictThemselvesAreRefused) {
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
