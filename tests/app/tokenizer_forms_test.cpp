// Forms of tokenizer.json that the files of Hugging Face's library have beside those that tests/data/tokenizers holds.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "files/tokenizer.h"
#include "support.h"

namespace attnscope::test {
namespace {

using Pieces = std::vector<std::string>;

// A tokenizer whose words are these, with more keys of the file in front.
std::string file_with_words(const std::string& keys, const Pieces& words, const std::string& options = "") {
  nlohmann::json vocabulary = {{"[none]", 0}};
  for (const std::string& word : words) vocabulary.emplace(word, vocabulary.size());
  return "{" + keys + (keys.empty() ? "" : ",") + R"("model":{"type":"WordLevel",)" + options +
         "\"vocab\":" + vocabulary.dump() + "}}";
}

// The pieces that a text is cut into, which are the only words of the tokenizer, as the file spells them. Or the
// sentence about another piece.
Pieces pieces_of(const std::string& keys, const std::string& text, const Pieces& words) {
  try {
    const std::string as_spelled = keys + (keys.empty() ? "" : ",") + R"("decoder":{"type":"Fuse"})";
    const auto tokenizer = Tokenizer::parse(file_with_words(as_spelled, words));
    Pieces pieces;
    for (const Index token : tokenizer->encode(text)) pieces.push_back(tokenizer->shown(token));
    return pieces;
  } catch (const Error& error) {
    return {error.what()};
  }
}

TEST(TokenizerForms, TextsAreCutIntoPieces) {
  const auto metaspace = [](const std::string& options) {
    return R"("pre_tokenizer":{"type":"Metaspace","replacement":"_")" + options + "}";
  };
  const auto split = [](const std::string& pattern, const std::string& behavior, const std::string& more = "") {
    return R"("pre_tokenizer":{"type":"Split","pattern":)" + pattern + R"(,"behavior":")" + behavior + "\"" + more +
           "}";
  };
  const auto step = [](const std::string& type, const std::string& more = "") {
    return R"("pre_tokenizer":{"type":")" + type + "\"" + more + "}";
  };
  const std::string added = R"("added_tokens":[{"id":1,"content":"<s>"}],)";
  const std::string second = R"("added_tokens":[{"id":2,"content":"<s>"}],)";
  const struct {
    std::string keys;
    std::string text;
    Pieces pieces;
  } cases[] = {
      {"", "a b", {"a b"}},
      {R"("pre_tokenizer":null)", "a b", {"a b"}},
      {"", "", {}},
      {metaspace(""), "", {}},
      {metaspace(""), "a b", {"_a", "_b"}},
      {metaspace(""), " a", {"_a"}},
      {metaspace(""), "_a", {"_a"}},
      {metaspace(""), "a  b", {"_a", "_", "_b"}},
      {metaspace(R"(,"add_prefix_space":true)"), "a b", {"_a", "_b"}},
      {metaspace(R"(,"add_prefix_space":false)"), "a b", {"a", "_b"}},
      {metaspace(R"(,"add_prefix_space":false,"prepend_scheme":"always")"), "a b", {"_a", "_b"}},
      {metaspace(R"(,"prepend_scheme":"never")"), "a b", {"a", "_b"}},
      {metaspace(R"(,"split":false)"), "a b", {"_a_b"}},
      {metaspace(R"(,"split":null)"), "a b", {"_a", "_b"}},
      {added + metaspace(""), "<s>a b", {"<s>", "_a", "_b"}},
      {added + metaspace(R"(,"prepend_scheme":"first")"), "<s>a b", {"<s>", "a", "_b"}},
      {second + metaspace(R"(,"prepend_scheme":"first")"), "a<s>b", {"_a", "<s>", "b"}},
      {split(R"({"String":"."})", "Isolated"), "a.b..", {"a", ".", "b", ".", "."}},
      {split(R"({"String":"ab"})", "Removed"), "xabyab", {"x", "y"}},
      {split(R"({"String":"ab"})", "MergedWithPrevious"), "xababy", {"xab", "ab", "y"}},
      {split(R"({"String":"ab"})", "MergedWithNext"), "xababy", {"x", "ab", "aby"}},
      {split(R"({"String":"ab"})", "Contiguous"), "xababy", {"x", "abab", "y"}},
      {split(R"({"String":""})", "Isolated"), "ab", {"ab"}},
      {split(R"({"Regex":"[0-9]+"})", "Removed", R"(,"invert":true)"), "a12b3", {"12", "3"}},
      {split(R"({"Regex":"[0-9]+"})", "Removed", R"(,"invert":null)"), "a12b3", {"a", "b"}},
      {split(R"({"Regex":"^a"})", "Isolated"), "aa\na", {"a", "a\n", "a"}},  // every line has a beginning
      {split(R"({"Regex":"x*"})", "Isolated"), "éxé", {"é", "x", "é"}},
      {step("Punctuation"), "a,b!?", {"a", ",", "b", "!", "?"}},
      {step("Punctuation", R"(,"behavior":"Contiguous")"), "a,b!?", {"a", ",", "b", "!?"}},
      {step("Punctuation", R"(,"behavior":"Removed")"), "a,b$c", {"a", "b", "c"}},
      {step("Digits"), "a12b", {"a", "12", "b"}},
      {step("Digits", R"(,"individual_digits":true)"), "a12b", {"a", "1", "2", "b"}},
      {step("WhitespaceSplit"), " a, b\t\nc ", {"a,", "b", "c"}},
      {step("Whitespace"), " a, b_1!? ", {"a", ",", "b_1", "!?"}},
      {step("ByteLevel"), "a b", {"Ġa", "Ġb"}},
      {step("ByteLevel"), " a", {"Ġa"}},
      {step("ByteLevel", R"(,"add_prefix_space":false)"), "a b\n", {"a", "Ġb", "Ċ"}},
      {step("ByteLevel", R"(,"use_regex":false)"), "a b1", {"Ġa\u0120b1"}},
      {step("ByteLevel", R"(,"add_prefix_space":false,"use_regex":false)"), "\u007f\u00a0\u00ad\u00ff", {"ġÂłÂŃÃ¿"}},
      {step("Sequence",
            R"(,"pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Sequence","pretokenizers":[{"type":"Digits"}]}])"),
       "a1 b",
       {"a", "1", "b"}},
      {step("Sequence", R"(,"pretokenizers":[])"), "a1 b", {"a1 b"}},
  };
  for (const auto& each : cases)
    EXPECT_EQ(pieces_of(each.keys, each.text, each.pieces), each.pieces) << each.keys << each.text;
}

TEST(TokenizerForms, TextsAreNormalized) {
  const auto normalizer = [](const std::string& step) { return "\"normalizer\":" + step; };
  const std::string accent = "e\u0301";
  const struct {
    std::string keys;
    std::string text;
    Pieces pieces;
  } cases[] = {
      {normalizer("null"), "Ab", {"Ab"}},
      {normalizer(R"({"type":"Lowercase"})"), "ÀBÇ İⅧⒶ", {"àbç i\u0307ⅷⓐ"}},
      {normalizer(R"({"type":"NFC"})"), accent, {"é"}},
      {normalizer(R"({"type":"NFC"})"), "ﬁ", {"ﬁ"}},
      {normalizer(R"({"type":"NFD"})"), "éﬁ", {accent + "ﬁ"}},
      {normalizer(R"({"type":"NFKC"})"), accent + "ﬁ", {"éfi"}},
      {normalizer(R"({"type":"NFKD"})"), "éﬁ", {accent + "fi"}},
      {normalizer(R"({"type":"NFC"})"), accent + std::string("\0", 1) + accent, {"é" + std::string("\0", 1) + "é"}},
      {normalizer(R"({"type":"NFC"})"), accent + std::string("\0", 1), {"é" + std::string("\0", 1)}},
      {normalizer(R"({"type":"Prepend","prepend":"_"})"), "a", {"_a"}},
      {normalizer(R"({"type":"Prepend","prepend":"_"})"), "", {}},
      {normalizer(R"({"type":"Replace","pattern":{"String":"."},"content":"!"})"), "a.b.", {"a!b!"}},
      {normalizer(R"({"type":"Replace","pattern":{"Regex":"\\s+"},"content":""})"), " a  b", {"ab"}},
      {normalizer(R"({"type":"Sequence","normalizers":[{"type":"Lowercase"},
                     {"type":"Replace","pattern":{"String":"a"},"content":"B"}]})"),
       "AB",
       {"Bb"}},
  };
  for (const auto& each : cases)
    EXPECT_EQ(pieces_of(each.keys, each.text, each.pieces), each.pieces) << each.keys << each.text;
}

TEST(TokenizerForms, AddedTokensAreFoundBeforeOrAfterTheTextIsNormalized) {
  const auto tokens = [](const std::string& normalized) {
    return R"("normalizer":{"type":"Lowercase"},"added_tokens":[{"id":1,"content":"AB","normalized":)" + normalized +
           "}]";
  };
  EXPECT_EQ(pieces_of(tokens("false"), "XABYabZ", {"AB", "x", "yabz"}), (Pieces{"x", "AB", "yabz"}));
  EXPECT_EQ(pieces_of(tokens("null"), "XABYabZ", {"AB", "x", "yabz"}), (Pieces{"x", "AB", "yabz"}));
  EXPECT_EQ(pieces_of(tokens("true"), "XABYabZ", {"AB", "x", "y", "z"}), (Pieces{"x", "AB", "y", "AB", "z"}));
  const std::string nested =
      R"("added_tokens":[{"id":1,"content":"ab"},{"id":2,"content":"abcd"},{"id":3,"content":"b"},
                                                {"id":4,"content":""}])";
  const Pieces words = {"ab", "abcd", "b", "", "c", "a"};
  EXPECT_EQ(pieces_of(nested, "abcabcdaab", words), (Pieces{"ab", "c", "abcd", "a", "ab"}));
  EXPECT_EQ(pieces_of(nested, "cb", words), (Pieces{"c", "b"}));
  const auto options = [](const std::string& more) {
    return R"("added_tokens":[{"id":1,"content":"m",)" + more + "}]";
  };
  EXPECT_EQ(pieces_of(options(R"("lstrip":true)"), "a \t m b", {"m", "a", " b"}), (Pieces{"a", "m", " b"}));
  EXPECT_EQ(pieces_of(options(R"("rstrip":true)"), "a m \u3000 b", {"m", "a ", "b"}), (Pieces{"a ", "m", "b"}));
  EXPECT_EQ(pieces_of(options(R"("lstrip":true,"rstrip":true)"), " m m ", {"m"}), (Pieces{"m", "m"}));
  EXPECT_EQ(pieces_of(options(R"("single_word":true)"), "am ma m1 m_ m", {"m", "am ma m1 m_ "}),
            (Pieces{"am ma m1 m_ ", "m"}));
  EXPECT_EQ(pieces_of(options(R"("single_word":true)"), "m,m", {"m", ","}), (Pieces{"m", ",", "m"}));
  EXPECT_EQ(pieces_of(options(R"("single_word":false)"), "am", {"m", "a"}), (Pieces{"a", "m"}));
}

TEST(TokenizerForms, DecodersPutTokensTogether) {
  const Pieces words = {"_a", "b", "<0xC3>", "<0xA9>", "<0x0>", "<0xZZ>", "<0x041>", " x"};
  const auto decoded = [&](const std::string& decoder, const std::vector<Index>& tokens) {
    return Tokenizer::parse(file_with_words("\"decoder\":" + decoder, words))->decode(tokens);
  };
  const std::string fallback = R"({"type":"ByteFallback"})";
  const auto metaspace = [](const std::string& more) {
    return R"({"type":"Metaspace","replacement":"_")" + more + "}";
  };
  const auto strip = [](int start) {
    return R"({"type":"Sequence","decoders":[{"type":"Fuse"},{"type":"Strip","content":" ","stop":0,"start":)" +
           std::to_string(start) + "}]}";
  };
  EXPECT_EQ(decoded("null", {1, 2, 1}), "_a b _a");
  EXPECT_EQ(decoded("null", {}), "");
  EXPECT_EQ(decoded(metaspace(""), {1, 2, 1}), "ab a");
  EXPECT_EQ(decoded(metaspace(R"(,"prepend_scheme":"first")"), {1, 2, 1}), "ab a");
  EXPECT_EQ(decoded(metaspace(R"(,"prepend_scheme":"never")"), {1, 2, 1}), " ab a");
  EXPECT_EQ(decoded(metaspace(R"(,"add_prefix_space":false)"), {1, 2, 1}), " ab a");
  EXPECT_EQ(decoded(fallback, {2, 3, 4, 2}), "béb");
  EXPECT_EQ(decoded(fallback, {3, 2, 4}), "\uFFFDb\uFFFD");
  EXPECT_EQ(decoded(fallback, {5, 6, 7}), "<0x0><0xZZ><0x041>");
  EXPECT_EQ(decoded(R"({"type":"Fuse"})", {3, 4}), "<0xC3><0xA9>");
  EXPECT_EQ(decoded(strip(1), {8, 8, 1}), "x x_a");
  EXPECT_EQ(decoded(strip(0), {8, 8}), " x x");
  EXPECT_EQ(decoded(R"({"type":"Replace","pattern":{"String":"_"},"content":"-"})", {1, 1}), "-a-a");
}

std::string refused_file(const std::string& keys, const std::string& options = "") {
  return error_of([&] { Tokenizer::parse(file_with_words(keys, {"a", "b"}, options)); }).what();
}

TEST(TokenizerForms, TemplatesPutTokensAroundATextWithEachOfTheirNumbers) {
  const auto with = [](const std::string& single, const std::string& special = "[1,2]") {
    return R"("post_processor":{"type":"TemplateProcessing","single":)" + single +
           R"(,"pair":[],"special_tokens":{"S":{"id":"S","ids":)" + special + R"(,"tokens":["S"]}}})";
  };
  const std::string special = R"({"SpecialToken":{"id":"S","type_id":0}})";
  const std::string text = R"({"Sequence":{"id":"A","type_id":0}})";
  const auto around = [&](const std::string& single, const std::string& numbers = "[1,2]") {
    return Tokenizer::parse(file_with_words(with(single, numbers), {"a", "b"}))->encode("b");
  };
  EXPECT_EQ(around("[" + special + "," + text + "]"), (std::vector<Index>{1, 2, 2}));
  EXPECT_EQ(around("[" + text + "," + special + "," + special + "]", "[0]"), (std::vector<Index>{2, 0, 0}));
  EXPECT_EQ(refused_file(with("[" + special + "]", "[3]")),
            "tokenizer.json: the post-processor adds the token 3, but there are only 3.");
  EXPECT_EQ(refused_file(with("[" + text + "," + special + "]", "[2,3]")),
            "tokenizer.json: the post-processor adds the token 3, but there are only 3.");
  EXPECT_EQ(
      refused_file(with("[" + special + "]", "[1000000]")),
      "tokenizer.json: post_processor.special_tokens.S.ids[0] is 1000000, but it must be a whole number from 0 to "
      "999999.");
  EXPECT_EQ(
      refused_file(with("[" + text + "," + text + "]")),
      "tokenizer.json: post_processor.single[1] is an object, but it must be a SpecialToken or the one Sequence.");
}

TEST(TokenizerForms, WhatIsNotReadIsSaidInAWholeSentence) {
  const std::string json = "tokenizer.json: ";
  const struct {
    std::string keys;
    std::string options;
    std::string outcome;
  } cases[] = {
      {"", R"("dropout":0.1,)", "model.dropout is 0.1, but it must be null: tokenizers with it are not read."},
      {"", R"("continuing_subword_prefix":"##",)",
       "model.continuing_subword_prefix is \"##\", but it must be null: tokenizers with it are not read."},
      {"", R"("end_of_word_suffix":"</w>",)",
       "model.end_of_word_suffix is \"</w>\", but it must be null: tokenizers with it are not read."},
      {R"("decoder":{"type":"Strip","content":" ","start":1,"stop":0})", "",
       "decoder is an object, but it must be one of the first blank, behind a Fuse."},
      {R"("decoder":{"type":"Sequence","decoders":[{"type":"Fuse"},{"type":"Strip","content":"_","start":1,"stop":0}]})",
       "", "decoder.decoders[1] is an object, but it must be one of the first blank, behind a Fuse."},
      {R"("pre_tokenizer":{"type":"Metaspace","replacement":""})", "",
       "pre_tokenizer.replacement is \"\", but it must be a character."},
      {R"("pre_tokenizer":{"type":"Metaspace","replacement":"_","prepend_scheme":"last"})", "",
       "pre_tokenizer.prepend_scheme is \"last\", but it must be one of always, first, never."},
      {R"("normalizer":{"type":"Precompiled"})", "",
       "the normalizer \"Precompiled\" is not known; known ones are BertNormalizer, StripAccents, Lowercase, NFC, NFD, "
       "NFKC, NFKD, Prepend, Replace and Sequence."},
      {R"("post_processor":{"type":"Other"})", "",
       "the post-processor \"Other\" is not known; known ones are BertProcessing, RobertaProcessing, ByteLevel, "
       "TemplateProcessing and Sequence."},
      {R"("post_processor":{"type":"BertProcessing","cls":["a",1],"sep":"b"})", "",
       "post_processor.sep is \"b\", but it must be a token and its number."},
      {R"("decoder":{"type":"CTC"})", "",
       "the decoder \"CTC\" is not known; known ones are WordPiece, ByteLevel, ByteFallback, Fuse, Replace, Metaspace, "
       "Strip and Sequence."},
      {R"("added_tokens":[{"id":2,"content":"a"}])", "",
       "the added token \"a\" has the number 2, but 1 in the vocabulary."},
      {R"("added_tokens":[{"id":1,"content":"x"}])", "", "the tokens \"a\" and \"x\" both have the number 1."},
      {R"("added_tokens":[{"id":1000000,"content":"x"}])", "",
       "added_tokens[0].id is 1000000, but it must be a whole number from 0 to 999999."},
  };
  for (const auto& each : cases) EXPECT_EQ(refused_file(each.keys, each.options), json + each.outcome) << each.keys;
  EXPECT_NO_THROW(
      Tokenizer::parse(file_with_words(R"("added_tokens":[{"id":3,"content":"x"}])", {"a", "b"},
                                       R"("dropout":0.0,"continuing_subword_prefix":"","end_of_word_suffix":null,)")));
}

// A byte-pair tokenizer of these tokens, numbered from 0.
std::vector<Index> merged_tokens(const std::string& text, const Pieces& tokens, const Pieces& merges,
                                 const std::string& options = "") {
  nlohmann::json vocabulary = nlohmann::json::object();
  for (const std::string& token : tokens) vocabulary.emplace(token, vocabulary.size());
  return Tokenizer::parse(R"({"model":{"type":"BPE",)" + options + "\"vocab\":" + vocabulary.dump() +
                          ",\"merges\":" + nlohmann::json(merges).dump() + "}}")
      ->encode(text);
}

TEST(TokenizerForms, PairsAreMergedInTheOrderOfTheirList) {
  const Pieces tokens = {"a", "b", "c", "ab", "bc", "aa", "aaaa", "abc"};
  EXPECT_EQ(merged_tokens("abc", tokens, {"b c", "a b"}), (std::vector<Index>{0, 4}));
  EXPECT_EQ(merged_tokens("abc", tokens, {"a b", "b c"}), (std::vector<Index>{3, 2}));
  EXPECT_EQ(merged_tokens("abc", tokens, {"b c", "a b", "a bc"}), (std::vector<Index>{7}));
  EXPECT_EQ(merged_tokens("abc", tokens, {}), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(merged_tokens("abc", tokens, {}, R"("ignore_merges":true,)"), (std::vector<Index>{7}));
  EXPECT_EQ(merged_tokens("abcb", tokens, {}, R"("ignore_merges":true,)"), (std::vector<Index>{0, 1, 2, 1}));
  EXPECT_EQ(merged_tokens("aaaaa", tokens, {"a a", "aa aa"}), (std::vector<Index>{6, 0}));  // from the left
  EXPECT_EQ(merged_tokens("aaa", tokens, {"a a"}), (std::vector<Index>{5, 0}));
  EXPECT_EQ(merged_tokens("", tokens, {"a a"}), std::vector<Index>{});
  EXPECT_EQ(merged_tokens("axxb", tokens, {}), (std::vector<Index>{0, 1}))
      << "there is no token for unknown characters";
  EXPECT_EQ(merged_tokens("axxbx", tokens, {}, R"("unk_token":"c",)"), (std::vector<Index>{0, 2, 2, 1, 2}));
  EXPECT_EQ(merged_tokens("axxbx", tokens, {}, R"("unk_token":"c","fuse_unk":true,)"),
            (std::vector<Index>{0, 2, 1, 2}));
  EXPECT_EQ(merged_tokens("axx", tokens, {}, R"("unk_token":null,"fuse_unk":null,)"), (std::vector<Index>{0}));
}

TEST(TokenizerForms, MergesOfGpt2StandOneToALine) {
  const std::string vocabulary = R"({"a":0,"b":1,"#":2,"ab":3,"##":4,"<|endoftext|>":5,"Ġ":6})";
  const auto tokens = Tokenizer::parse_gpt2(vocabulary, "#version: 0.2\r\n\r\na b\r\n\n# #");
  EXPECT_EQ(tokens->encode("ab##<|endoftext|> a"), (std::vector<Index>{3, 4, 5, 6, 0}));
  EXPECT_EQ(tokens->decode(std::vector<Index>{3, 6, 5}), "ab <|endoftext|>");
  const auto refused = [&](const std::string& merges) {
    return std::string(error_of([&] { Tokenizer::parse_gpt2(vocabulary, merges); }).what());
  };
  EXPECT_EQ(refused("#version\n\na b c\n"),
            "merges.txt: line 3 is \"a b c\", but it must be two tokens with a blank between.");
  EXPECT_EQ(refused("a  b\n"), "merges.txt: line 1 is \"a  b\", but it must be two tokens with a blank between.");
  EXPECT_EQ(refused("a x\n"),
            "merges.txt: the merge of \"a\" and \"x\" needs the token \"x\", which is not in the vocabulary.");
  EXPECT_EQ(refused("b a\n"),
            "merges.txt: the merge of \"b\" and \"a\" needs the token \"ba\", which is not in the vocabulary.");
}

// Some vocabularies leave numbers out: no text has these tokens.
TEST(TokenizerForms, NumbersBetweenTokensMayBeMissing) {
  const auto tokens = Tokenizer::parse(file_with_words(R"("added_tokens":[{"id":9,"content":"x"}])", {"a", "b"}));
  EXPECT_EQ(tokens->size(), 10);
  EXPECT_EQ(tokens->encode("x"), std::vector<Index>{9});
  EXPECT_EQ(tokens->shown(9), "x");
  EXPECT_TRUE(tokens->has(9) && tokens->has(2));
  EXPECT_FALSE(tokens->has(5) || tokens->has(10) || tokens->has(-1));
  EXPECT_EQ(std::string(error_of([&] { tokens->shown(5); }).what()),
            "There is no token 5: the vocabulary has not all of those from 0 to 9.");
  EXPECT_EQ(Tokenizer::parse_gpt2(R"({"a":0,"b":999999})", "")->encode("ab"), (std::vector<Index>{0, 999'999}));
}

// A tokenizer of these tokens as a vocab.txt has them.
std::shared_ptr<const Tokenizer> pieces(const std::string& lines, const TokenizerOptions& options = {}) {
  return Tokenizer::parse_word_piece(lines, {}, options);
}

const std::string bert_lines =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\n##s\n##at\nc\ncafe\n.\n,\n'\n中\nThe\ncafé\n";

TEST(TokenizerForms, WordsAreCutIntoTheLongestPiecesFromTheLeft) {
  const auto tokens = pieces(bert_lines);
  using Ids = std::vector<Index>;
  EXPECT_EQ(tokens->encode("The cats."), (Ids{2, 5, 6, 7, 11, 3}));
  EXPECT_EQ(tokens->encode("CAFÉ café, cats"), (Ids{2, 10, 10, 12, 6, 7, 3})) << "accents are left out";
  EXPECT_EQ(tokens->encode("catz the"), (Ids{2, 1, 5, 3})) << "the whole word is unknown if a piece of it is";
  EXPECT_EQ(tokens->encode("the [MASK]s"), (Ids{2, 5, 4, 1, 3}));
  EXPECT_EQ(tokens->encode("the\u00A0\tcat\u200B"), (Ids{2, 5, 6, 3})) << "a character of no width is left out";
  EXPECT_EQ(tokens->encode("中中"), (Ids{2, 14, 14, 3})) << "each is a word";
  EXPECT_EQ(tokens->encode(""), (Ids{2, 3}));
  EXPECT_EQ(tokens->encode(std::string(101, 'c')), (Ids{2, 1, 3}));
  EXPECT_EQ(tokens->decode(Ids{2, 5, 6, 7, 12, 5, 9, 8, 11, 3}), "the cats, the cat.");
  EXPECT_EQ(tokens->shown(7), "##s");
  EXPECT_EQ(tokens->mask(), 4);
  EXPECT_EQ(tokens->unknown(), 1);
  TokenizerOptions cased;
  cased.read_config(R"({"do_lower_case": false, "mask_token": {"content": "[MASK]"}})");
  EXPECT_EQ(pieces(bert_lines, cased)->encode("The café"), (Ids{2, 15, 16, 3}));
  EXPECT_EQ(std::string(error_of([] { pieces("a\nb\na\n"); }).what()),
            "vocab.txt: line 3 has the token \"a\" a second time.");
}

// The steps of a tokenizer.json that BERT's come as.
TEST(TokenizerForms, BertsStepsAreThoseOfItsFile) {
  const auto json = [](const std::string& normalizer) {
    return R"({"normalizer":{"type":"BertNormalizer",)" + normalizer +
           R"(},"pre_tokenizer":{"type":"BertPreTokenizer"},
           "post_processor":{"type":"BertProcessing","sep":["[SEP]",3],"cls":["[CLS]",2]},
           "decoder":{"type":"WordPiece","prefix":"##","cleanup":true},
           "model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##",
           "max_input_chars_per_word":4,"vocab":{"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"the":4,"##s":5,"É":6,"e":7,
           "é":8}}})";
  };
  using Ids = std::vector<Index>;
  const auto encoded = [&](const std::string& normalizer, const std::string& text) {
    return Tokenizer::parse(json(normalizer))->encode(text);
  };
  EXPECT_EQ(encoded(R"("lowercase":true)", "The,É thes thess"), (Ids{2, 4, 1, 7, 4, 5, 1, 3}));
  EXPECT_EQ(encoded(R"("lowercase":false)", "The É"), (Ids{2, 1, 6, 3}));
  EXPECT_EQ(encoded(R"("lowercase":true,"strip_accents":false)", "É"), (Ids{2, 8, 3}));
  EXPECT_EQ(encoded(R"("lowercase":false,"strip_accents":true)", "é"), (Ids{2, 7, 3}));
}

TEST(TokenizerForms, TheFolderSaysWhatStandsAroundAText) {
  using Ids = std::vector<Index>;
  const std::string words = R"({"a":0,"</s>":1,"b":2})";
  const auto encoded = [&](const std::string& config, const std::string& added = "{}") {
    TokenizerOptions options;
    options.read_config(config);
    options.read_added_tokens(added);
    return Tokenizer::parse_gpt2(words, "", {}, options)->encode("ab<x>");
  };
  EXPECT_EQ(encoded("{}"), (Ids{0, 2}));
  EXPECT_EQ(encoded(R"({"add_bos_token":true,"bos_token":{"content":"</s>"}})"), (Ids{1, 0, 2}));
  EXPECT_EQ(encoded(R"({"add_bos_token":false,"bos_token":"</s>"})"), (Ids{0, 2}));
  EXPECT_EQ(encoded(R"({"add_eos_token":true,"eos_token":"</s>"})"), (Ids{0, 2, 1}));
  EXPECT_EQ(encoded("{}", R"({"<x>":7})"), (Ids{0, 2, 7}));
  const std::string file = file_with_words(
      R"("post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"S","type_id":0}},
         {"Sequence":{"id":"A","type_id":0}}],"special_tokens":{"S":{"id":"S","ids":[1],"tokens":["S"]}}})",
      {"a", "b"});
  for (const auto& [config, ids] : {std::pair(R"({"add_bos_token":false,"bos_token":"a"})", Ids{2}),
                                    {R"({"add_bos_token":true,"bos_token":"b"})", Ids{1, 2}},
                                    {R"({"add_bos_token":false,"bos_token":"b"})", Ids{1, 2}},
                                    {R"({"bos_token":"a"})", Ids{1, 2}}}) {
    TokenizerOptions options;
    options.read_config(config);
    EXPECT_EQ(Tokenizer::parse(file, {}, options)->encode("b"), ids) << config;
  }
}

TEST(TokenizerForms, BytesShowAsTextWithoutADecoder) {
  const auto tokens = Tokenizer::parse(
      R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},"model":{"type":"BPE","merges":[],
          "vocab":{"a":0,"Ġ":1}}})");
  EXPECT_EQ(tokens->shown(1), " ");
  EXPECT_EQ(tokens->decode(tokens->encode("a a")), "a a");
}

}  // namespace
}  // namespace attnscope::test
