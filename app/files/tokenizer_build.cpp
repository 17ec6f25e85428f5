#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/text.h"
#include "files/tokenizer_parts.h"

// A tokenizer made of the parts that its files describe, which are checked against each other here.
namespace attnscope {
namespace {

constexpr std::size_t longest_token = std::size_t{1} << 12;  // in bytes

// Gives each token its place.
void place_token(std::vector<std::string>& texts, std::vector<bool>& is_there, const std::string& text, Index id) {
  const auto place = static_cast<std::size_t>(id);
  if (is_there[place]) {
    throw Error(
        fmt::format("the tokens {} and {} both have the number {}.", in_quotes(texts[place]), in_quotes(text), id));
  }
  is_there[place] = true;
  texts[place] = text;
}

void build_vocabulary(TokenizerDraft& draft) {
  if (draft.vocabulary.empty()) throw Error("the model has no vocabulary.");
  TokenIds& ids = draft.parts.model.ids;
  ids.reserve(draft.vocabulary.size());
  for (auto& [text, id] : draft.vocabulary) {
    draft.budget.work(steps_of_a_token);
    check_bucket(ids, ids.emplace(std::move(text), id).first->first);
  }
  draft.vocabulary = {};
  std::vector<const AddedToken*> others;
  for (const AddedToken& token : draft.added) {
    const auto known = ids.find(token.text);
    if (known == ids.end()) others.push_back(&token);
    if (known != ids.end() && known->second != token.id) {
      throw Error(fmt::format("the added token {} has the number {}, but {} in the vocabulary.", in_quotes(token.text),
                              token.id, known->second));
    }
  }
  const std::size_t tokens = ids.size() + others.size();
  if (tokens > most_tokens) {
    throw Error(fmt::format("there are {} tokens, but a vocabulary may have at most {}.", tokens, most_tokens));
  }
  Index largest = 0;
  for (const auto& [text, id] : ids) largest = std::max(largest, id);
  for (const AddedToken* token : others) largest = std::max(largest, token->id);
  const auto count = static_cast<std::size_t>(largest) + 1;
  if (count > tokens) draft.budget.hold((count - tokens) * sizeof(std::string));
  std::vector<bool>& is_there = draft.parts.exists;
  is_there.resize(count);
  draft.parts.texts.resize(count);
  for (const auto& [text, id] : ids) {
    draft.budget.work(steps_of_a_token);
    place_token(draft.parts.texts, is_there, text, id);
  }
  for (const AddedToken* token : others) place_token(draft.parts.texts, is_there, token->text, token->id);
}

void build_added(TokenizerDraft& draft, PatternWork& work) {
  for (AddedToken& token : draft.added) {
    draft.budget.work(steps_of_a_token);
    if (token.is_normalized) token.text = draft.parts.normalized(std::move(token.text), work);
    AddedTokens& tokens = token.is_normalized ? draft.parts.normalized_added : draft.parts.raw_added;
    tokens.add(std::move(token));
  }
  draft.parts.raw_added.finish();
  draft.parts.normalized_added.finish();
}

// The byte that a token such as <0xE2> stands for.
std::optional<char> named_byte(std::string_view text) {
  constexpr std::string_view beginning = "<0x";
  unsigned byte = 0;
  if (text.size() != 6 || !text.starts_with(beginning) || text.back() != '>') return std::nullopt;
  const char* const end = text.data() + 5;
  const auto read = std::from_chars(text.data() + beginning.size(), end, byte, 16);
  return read.ec == std::errc() && read.ptr == end ? std::optional(static_cast<char>(byte)) : std::nullopt;
}

// Makes of each token's spelling the bytes that decoding gives for it, so that this is counted once.
void build_decoding(TokenizerDraft& draft, PatternWork& work) {
  TokenDecoding& decoding = draft.parts.decoding;
  // Without a decoder tokens would show as they spell bytes: Ġthe.
  if (draft.has_byte_level && !draft.has_decoder) {
    decoding.is_byte_level = true;
    decoding.between.clear();
  }
  for (std::string& text : draft.parts.texts) {
    if (decoding.is_byte_level) {
      text = bytes_of_spelling(text).value_or(text);
    } else if (const std::optional<char> byte = decoding.has_bytes ? named_byte(text) : std::nullopt) {
      text = *byte;
    } else {
      for (const NormalizerStep& step : decoding.replacements) text = step(std::move(text), work);
    }
    if (text.size() <= longest_token) continue;
    throw Error(fmt::format("the token {} has {} bytes, but no tool writes tokens of more than {}.", in_quotes(text),
                            text.size(), longest_token));
  }
}

// Returns the number of a token by its text as the file spells it.
std::optional<Index> id_in(const TokenizerDraft& draft, std::string_view text) {
  if (text.empty()) return {};
  const auto known = draft.parts.model.ids.find(text);
  if (known != draft.parts.model.ids.end()) return known->second;
  const auto added = std::ranges::find(draft.added, text, &AddedToken::text);
  return added == draft.added.end() ? std::nullopt : std::optional(added->id);
}

// Puts the tokens around a text, or takes them away, as the folder's other files say.
void follow(TokenizerDraft& draft, const TokenizerOptions& options, bool can_add) {
  TokenizerParts& parts = draft.parts;
  const auto change = [&](std::vector<Index>& side, std::optional<bool> adds, const std::string& text, bool is_before) {
    const std::optional<Index> token = id_in(draft, text);
    if (!adds || !token) return;
    const bool has_it = !side.empty() && (is_before ? side.front() : side.back()) == *token;
    const auto place = is_before ? side.begin() : side.end();
    if (*adds && can_add && !has_it) side.insert(place, *token);
    if (!*adds && has_it) side.erase(is_before ? place : place - 1);
  };
  change(parts.before, options.adds_beginning, options.beginning, true);
  change(parts.after, options.adds_end, options.end, false);
  for (const std::string_view text :
       {std::string_view(options.mask), std::string_view("[MASK]"), std::string_view("<mask>")}) {
    if (!parts.mask) parts.mask = id_in(draft, text);
  }
}

}  // namespace

std::shared_ptr<const Tokenizer> built(TokenizerDraft draft, const TokenizerOptions& options, bool can_add) {
  TokenizerParts& parts = draft.parts;
  parts.model.has_whole_words = draft.model_type == "WordLevel";
  const bool has_pieces = draft.model_type == "WordPiece";
  if (!parts.model.has_whole_words && !has_pieces && draft.model_type != "BPE") {
    throw Error(fmt::format("the model {} is not known; known ones are BPE, WordPiece and WordLevel.",
                            in_quotes(draft.model_type)));
  }
  if (has_pieces && !parts.model.continuing) parts.model.continuing = "##";
  if (has_pieces && !parts.model.unknown) parts.model.unknown = "[UNK]";
  if (!has_pieces && parts.model.continuing) {
    throw Error(
        fmt::format("model.continuing_subword_prefix is {}, but it must be null: tokenizers with it are not read.",
                    in_quotes(*parts.model.continuing)));
  }
  for (const auto& [text, id] : options.added) {
    if (std::ranges::find(draft.added, text, &AddedToken::text) == draft.added.end())
      draft.added.push_back({.text = text, .id = id});
  }
  build_vocabulary(draft);
  parts.model.merges.reserve(draft.merges.size());
  for (const auto& [left, right] : draft.merges) {
    draft.budget.work(steps_of_a_token);
    parts.model.add_merge(left, right);
  }
  follow(draft, options, can_add);
  PatternWork work(draft.budget);
  build_added(draft, work);
  build_decoding(draft, work);
  for (const std::vector<Index>* side : {&parts.before, &parts.after}) {
    for (const Index id : *side) {
      if (id >= static_cast<Index>(parts.texts.size()) || !parts.exists[static_cast<std::size_t>(id)])
        throw Error(
            fmt::format("the post-processor adds the token {}, but there are only {}.", id, parts.texts.size()));
    }
  }
  return std::make_shared<const Tokenizer>(std::make_unique<const TokenizerParts>(std::move(parts)));
}

}  // namespace attnscope
