#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tensor.h"
#include "platform/system/file.h"

namespace attnscope {

struct TokenizerParts;

constexpr std::size_t max_tokenizer_bytes = std::size_t{1} << 26;

// What the other files of a model's folder say of its tokenizer.
struct TokenizerOptions {
  // Throws Error if the text of tokenizer_config.json or added_tokens.json is not what Hugging Face's library writes.
  void read_config(std::string_view json);
  void read_added_tokens(std::string_view json);

  bool lowers = true;                  // for vocab.txt
  std::optional<bool> adds_beginning;  // whether a text begins with the token `beginning`, or ends with `end`
  std::optional<bool> adds_end;
  std::string beginning;
  std::string end;
  std::string mask;  // the token that stands for the word that is asked for
  std::vector<std::pair<std::string, Index>> added;
};

// A trained model's own way to cut text into tokens. Immutable; any number of threads may use it.
class Tokenizer {
public:
  // Reads the text of a tokenizer.json as Hugging Face's library writes it, whose own template tells what stands around
  // a text; the options can only switch that off. Throws Error.
  static std::shared_ptr<const Tokenizer> parse(std::string_view json, const PartWatch& watch = {},
                                                const TokenizerOptions& options = {});
  // Reads GPT-2's tokenizer from the texts of vocab.json and merges.txt. Throws Error.
  static std::shared_ptr<const Tokenizer> parse_gpt2(std::string_view vocabulary, std::string_view merges,
                                                     const PartWatch& watch = {}, const TokenizerOptions& options = {});
  // Reads BERT's tokenizer from the text of vocab.txt, a token in each line. Throws Error.
  static std::shared_ptr<const Tokenizer> parse_word_piece(std::string_view vocabulary, const PartWatch& watch = {},
                                                           const TokenizerOptions& options = {});

  explicit Tokenizer(std::unique_ptr<const TokenizerParts> parts);
  ~Tokenizer();
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  // Returns the tokens of a text, with those that the model expects around it, such as <|begin_of_text|>: the same as
  // tokenizer.encode(text).ids of Hugging Face's library. Throws Error if the text is not UTF-8, or has a word that no
  // token stands for.
  std::vector<Index> encode(std::string_view text) const;

  // Returns the text of tokens, without those that encode() adds around it. Bytes that are no UTF-8 become U+FFFD.
  // Throws Error if there is no such token.
  std::string decode(std::span<const Index> tokens) const;

  // Returns one token as a person reads it: " the"; bytes that are no UTF-8 as <0xE2>. Throws Error as decode().
  std::string shown(Index token) const;

  // Returns the token that stands for text that no other token stands for, if there is one.
  std::optional<Index> unknown() const;

  // Returns the token that stands for the word that is asked for, if there is one.
  std::optional<Index> mask() const;

  Index size() const;           // one more than the largest number of a token
  bool has(Index token) const;  // whether there is a token of this number: between others some may be missing

private:
  std::unique_ptr<const TokenizerParts> parts_;
};

}  // namespace attnscope
