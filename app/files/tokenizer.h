#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "platform/system/file.h"

namespace attnscope {

struct TokenizerParts;

constexpr std::size_t max_tokenizer_bytes = std::size_t{1} << 26;

// A trained model's own way to cut text into tokens. Immutable; any number of threads may use it.
class Tokenizer {
public:
  // Reads the text of a tokenizer.json as Hugging Face's library writes it. Throws Error.
  static std::shared_ptr<const Tokenizer> parse(std::string_view json, const PartWatch& watch = {});
  // Reads GPT-2's tokenizer from the texts of vocab.json and merges.txt. Throws Error.
  static std::shared_ptr<const Tokenizer> parse_gpt2(std::string_view vocabulary, std::string_view merges,
                                                     const PartWatch& watch = {});

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

  Index size() const;  // number of tokens, added ones included

private:
  std::unique_ptr<const TokenizerParts> parts_;
};

}  // namespace attnscope
