#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/tensor.h"
#include "document/reading_budget.h"
#include "files/tokenizer.h"
#include "platform/system/glib_parts.h"

struct pcre2_real_code_8;
struct pcre2_real_match_context_8;
struct pcre2_real_match_data_8;

// The parts of a tokenizer, in the order in which a text goes through it: added tokens, normalizers, pre-tokenizers,
// the model. Named as in Hugging Face's library. Private to this folder.
namespace attnscope {

// Regular expressions of files that nobody vouches for.

// A part of a text, by its bytes.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Memory for matching patterns, and the budget that this and all other work on a text is counted in.
class PatternWork {
public:
  explicit PatternWork(ReadingBudget& budget);
  ~PatternWork();
  PatternWork(const PatternWork&) = delete;
  PatternWork& operator=(const PatternWork&) = delete;

  ReadingBudget& budget() const { return budget_; }

private:
  friend class TextPattern;

  ReadingBudget& budget_;
  std::size_t position_ = 0;  // position of the last step
  pcre2_real_match_data_8* data_;
  pcre2_real_match_context_8* context_;
};

// A regular expression, or a literal text. Copies share what was compiled.
class TextPattern {
public:
  static TextPattern literal(std::string text);
  static TextPattern regex(const std::string& pattern, ReadingBudget& budget);  // throws Error

  // Returns where the pattern matches in UTF-8 text, from left to right; matches may be empty, but never overlap.
  // Throws Error if that takes too much work.
  std::vector<TextRange> matches(std::string_view text, PatternWork& work) const;

private:
  std::string text_;                               // the pattern or text as written
  std::shared_ptr<const pcre2_real_code_8> code_;  // null: literal
};

// A part of a text on its way to tokens.
struct TextSegment {
  std::string text;
  bool begins_text = false;
  Index token = -1;  // the token that it is; -1: not known yet
};
using TextSegments = std::vector<TextSegment>;

// Steps count their work, and the memory of what they make of a text, in the budget of `work`.
using NormalizerStep = std::function<std::string(std::string text, PatternWork& work)>;
// Appends the parts into which a step cuts a segment.
using PreTokenizerStep = std::function<void(TextSegments& segments, TextSegment segment, PatternWork& work)>;

NormalizerStep prepending(const std::string& beginning);
NormalizerStep replacing(const TextPattern& pattern, const std::string& content);
NormalizerStep lowering();
NormalizerStep without_accents();     // leaves out marks that take no room, which NFD has made letters of their own
NormalizerStep cleaning();            // BERT's: leaves out control characters, and makes every white space a blank
NormalizerStep spacing_ideographs();  // BERT's: a blank on both sides of each Chinese character
NormalizerStep composing(UnicodeForm form);

// Says what a splitting step does with the matches of its pattern.
enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };
PreTokenizerStep splitting(const TextPattern& pattern, SplitBehavior behavior, bool is_inverted = false);

enum class PrependScheme { always, first, never };
struct Metaspace {
  std::string replacement;  // replaces a blank: ▁
  PrependScheme scheme = PrependScheme::always;
  bool splits = true;
};
PreTokenizerStep metaspace(const Metaspace& options);
// `budget` is that of the file.
PreTokenizerStep byte_level(bool adds_prefix_space, bool splits_as_gpt2, ReadingBudget& budget);

// Return bytes as byte-level tokens spell them, a printable character for each, and turn them back; nothing if a
// character is none of these.
std::string spelled_bytes(std::string_view bytes);
std::optional<std::string> bytes_of_spelling(std::string_view spelling);

struct AddedToken {
  std::string text;
  Index id = 0;
  bool is_normalized = false;  // searched in the normalized text
  bool is_single_word = false;
  bool strips_left = false;
  bool strips_right = false;
};

// Finds added tokens in a text: the leftmost, and the longest of those.
class AddedTokens {
public:
  void add(AddedToken token);
  void finish();  // call it after the last add()
  void split(TextSegments& segments, TextSegment segment, ReadingBudget& budget) const;

private:
  const AddedToken* longest_at(std::string_view text, std::size_t begin, ReadingBudget& budget) const;

  std::vector<AddedToken> tokens_;  // sorted by their texts
  std::array<bool, 256> begins_token_ = {};
};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
using TokenIds = std::unordered_map<std::string, Index, TextHash, std::equal_to<>>;

// Numbers of two tokens, so that no regular choice of them shares few buckets.
struct PairHash {
  std::size_t operator()(std::uint64_t pair) const {
    pair = (pair ^ pair >> 31) * 0x9E3779B97F4A7C15;
    return (pair ^ pair >> 29) * 0xBF58476D1CE4E5B9;
  }
};

// Throws Error if a key shares its bucket with many others, because a file can choose keys that all share one, and then
// each is searched among all others.
template <typename Table>
void check_bucket(const Table& table, const typename Table::key_type& key) {
  constexpr std::size_t most = 64;
  if (table.bucket_size(table.bucket(key)) > most)
    throw Error("the tokens are chosen so that looking for one takes long, which no tool does.");
}

// Cuts a segment into tokens of the vocabulary.
struct TokenModel {
  struct Merge {
    Index rank = 0;
    Index result = 0;
  };

  void add_merge(std::string_view left, std::string_view right);  // throws Error; ranks follow the order of calls
  void encode(std::vector<Index>& tokens, std::string_view text, ReadingBudget& budget) const;

  std::optional<Index> unknown_id() const { return unknown ? id_of(*unknown) : std::nullopt; }

  TokenIds ids;  // without added tokens
  bool has_whole_words = false;
  std::optional<std::string> continuing;  // of WordPiece: begins tokens that continue a word, such as ##s
  std::size_t most_characters = 100;      // of WordPiece: longer words are unknown
  std::unordered_map<std::uint64_t, Merge, PairHash> merges;  // found by both tokens
  std::optional<std::string> unknown;
  bool fuses_unknown = false;
  bool falls_back_to_bytes = false;
  bool ignores_merges = false;

private:
  Index merge_count_ = 0;

  std::optional<Index> id_of(std::string_view text) const;
  Index unknown_or_refuse(std::string_view text) const;
  std::vector<Index> characters_of(std::string_view text) const;
  std::vector<Index> pieces_of(std::string_view word, ReadingBudget& budget) const;
  const Merge* merge_of(Index left, Index right) const;
  void merge_all(std::vector<Index>& tokens) const;
};

// How tokens become text again.
struct TokenDecoding {
  bool is_byte_level = false;
  bool has_bytes = false;  // tokens such as <0xE2>
  bool strips_first_space = false;
  std::string between;
  std::string joining;                       // of WordPiece: a token that begins so joins the one before it
  bool is_tidied = false;                    // of WordPiece: no blank before a full stop, for example
  std::vector<NormalizerStep> replacements;  // applied to each token
};

struct TokenizerParts {
  TokenModel model;
  AddedTokens raw_added;
  AddedTokens normalized_added;
  std::vector<NormalizerStep> normalizers;
  std::vector<PreTokenizerStep> pre_tokenizers;
  std::vector<Index> before;  // the tokens that a template puts around a text
  std::vector<Index> after;
  TokenDecoding decoding;
  std::vector<std::string> texts;  // bytes of each token after decoding
  std::vector<bool> exists;        // whether there is a token of this number
  std::optional<Index> mask = {};

  std::string normalized(std::string text, PatternWork& work) const;
};

constexpr std::size_t most_tokens = 1'000'000;
constexpr std::uint64_t steps_of_a_token = 32;  // to put it into its table

// A file as it is read, before its parts are checked against each other.
struct TokenizerDraft {
  explicit TokenizerDraft(ReadingBudget& of_file) : budget(of_file) {}

  void normalize(NormalizerStep step) { parts.normalizers.push_back(std::move(step)); }
  void pre_tokenize(PreTokenizerStep step) { parts.pre_tokenizers.push_back(std::move(step)); }
  void split_at(const std::string& pattern, SplitBehavior behavior, bool is_inverted = false) {
    pre_tokenize(splitting(TextPattern::regex(pattern, budget), behavior, is_inverted));
  }
  void replace_decoded(const TextPattern& pattern, const std::string& content) {
    parts.decoding.replacements.push_back(replacing(pattern, content));
  }

  ReadingBudget& budget;
  TokenizerParts parts;
  std::string model_type;
  std::vector<std::pair<std::string, Index>> vocabulary;
  std::vector<std::pair<std::string, std::string>> merges;
  std::vector<AddedToken> added;
  bool fuses_decoded = false;
  bool has_decoder = false;
  bool has_byte_level = false;  // a text is spelled by its bytes before it becomes tokens
};

// Returns the tokenizer of what was read. `options` are those of the other files; `can_add` says whether they may put
// tokens around a text that the file does not put there. Throws Error if the parts contradict each other.
std::shared_ptr<const Tokenizer> built(TokenizerDraft draft, const TokenizerOptions& options = {},
                                       bool can_add = false);

}  // namespace attnscope
