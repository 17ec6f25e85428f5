#include <map>
#include <random>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "document/edit.h"
#include "document/edit_support.h"

namespace attnscope {
namespace {

bool is_blank(char32_t code) {
  return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xA0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F ||
         code == 0x3000;
}

bool is_punctuation(char32_t code) {
  const auto within = [&](char32_t first, char32_t last) { return code >= first && code <= last; };
  return within('!', '/') || within(':', '@') || within('[', '`') || within('{', '~') || code == 0xA1 || code == 0xAB ||
         code == 0xBB || code == 0xBF || within(0x2010, 0x2027) || within(0x2030, 0x205E) || within(0x3001, 0x3003) ||
         within(0x3008, 0x3011) || within(0xFF01, 0xFF0F) || within(0xFF1A, 0xFF20);
}

// An apostrophe, a hyphen, a point or a comma between two letters or digits belongs to the word: don't, 3.5, e-mail.
bool joins_words(char32_t code) { return code == '\'' || code == 0x2019 || code == '-' || code == '.' || code == '_'; }

Utf8Character character_at(std::string_view text, std::size_t position) {
  return position < text.size() ? utf8_character(text, position) : Utf8Character{' ', 1};
}

std::vector<std::string> split_sentence(std::string_view sentence) {
  std::vector<std::string> words;
  bool in_word = false;
  for (std::size_t position = 0; position < sentence.size();) {
    const auto [code, length] = utf8_character(sentence, position);
    const std::string_view piece = sentence.substr(position, length);
    position += length;
    if (is_blank(code)) {
      in_word = false;
      continue;
    }
    const char32_t next = character_at(sentence, position).code;
    const bool joins = in_word && joins_words(code) && !is_blank(next) && !is_punctuation(next);
    const bool stands_alone = is_punctuation(code) && !joins;
    if (!in_word || stands_alone) words.emplace_back();
    words.back() += piece;
    in_word = !stands_alone;
  }
  return words;
}

// 64-bit FNV-1a, so that a word has the same numbers on every machine.
std::uint64_t hash_of(std::string_view word) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

void append_invented_row(AlignedFloats& values, std::string_view word, Index features) {
  std::mt19937_64 engine(hash_of(word));
  for (Index i = 0; i < features; ++i)
    values.push_back(static_cast<float>(static_cast<double>(engine() % 100) / 100.0));
}

}  // namespace

void set_sentence(Document& document, std::string_view sentence) {
  if (find_invalid_utf8(sentence)) throw Error("tokens", "The sentence is not UTF-8 text: type it again.");
  std::vector<std::string> words = split_sentence(sentence);
  if (words.empty()) throw Error("tokens", "The sentence is empty, but it must hold at least one word.");
  if (std::ssize(words) > max_tokens) {
    throw Error("tokens", "The sentence has " + std::to_string(words.size()) + " words, but there may be at most " +
                              std::to_string(max_tokens) + ".");
  }
  Document changed = document;
  make_inputs_explicit(changed);
  const SharedTensor known = std::get<SharedTensor>(changed.config.inputs);
  // A word that was there twice keeps both rows, in their order; a third one gets the first row again.
  std::map<std::string_view, std::vector<Index>> rows_by_word;
  for (std::size_t i = 0; i < document.tokens.size(); ++i)
    rows_by_word[document.tokens[i]].push_back(static_cast<Index>(i));
  std::map<std::string_view, std::size_t> uses;
  AlignedFloats values;
  for (const std::string& word : words) {
    const auto rows = rows_by_word.find(word);
    if (rows == rows_by_word.end()) {
      append_invented_row(values, word, known.cols());
      continue;
    }
    const std::size_t use = uses[word]++;
    const Index row = rows->second[use < rows->second.size() ? use : 0];
    const std::span<const float> numbers = known.row(row);
    values.insert(values.end(), numbers.begin(), numbers.end());
  }
  changed.config.inputs = Tensor({std::ssize(words), known.cols()}, std::move(values));
  changed.tokens = std::move(words);
  keep_fitting_interventions(changed.config);
  replace(document, std::move(changed));
}

}  // namespace attnscope
