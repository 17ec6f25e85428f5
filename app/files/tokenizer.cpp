#include "files/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <queue>

#include "core/error.h"
#include "core/text.h"
#include "files/tokenizer_parts.h"

namespace attnscope {

namespace {

// Returns what bytes that are no UTF-8 become by `write`; all other text stays.
template <typename Write>
std::string with_bytes_written(std::string_view bytes, Write write) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t valid = find_invalid_utf8(bytes).value_or(bytes.size());
    text += bytes.substr(0, valid);
    bytes.remove_prefix(valid);
    if (bytes.empty()) break;
    text += write(static_cast<unsigned char>(bytes.front()));
    bytes.remove_prefix(1);
  }
  return text;
}

const std::string& bytes_of(const TokenizerParts& parts, Index token) {
  const auto count = static_cast<Index>(parts.texts.size());
  if (token < 0 || token >= count || !parts.exists[static_cast<std::size_t>(token)]) {
    throw Error(fmt::format("There is no token {}: the vocabulary has {}those from 0 to {}.", token,
                            token >= 0 && token < count ? "not all of " : "", count - 1));
  }
  return parts.texts[static_cast<std::size_t>(token)];
}

// Without what a template puts around a text.
std::span<const Index> within_template(std::span<const Index> tokens, const TokenizerParts& parts) {
  const auto begin = tokens.first(std::min(tokens.size(), parts.before.size()));
  if (std::ranges::equal(begin, parts.before)) tokens = tokens.subspan(begin.size());
  const auto end = tokens.last(std::min(tokens.size(), parts.after.size()));
  if (std::ranges::equal(end, parts.after)) tokens = tokens.first(tokens.size() - end.size());
  return tokens;
}

TextSegments segments_of(std::string text, const TokenizerParts& parts, PatternWork& work) {
  TextSegments segments;
  parts.raw_added.split(segments, {std::move(text), true}, work.budget());
  const auto through = [&](const PreTokenizerStep& step) {
    TextSegments before = std::exchange(segments, {});
    for (TextSegment& segment : before) {
      if (segment.token >= 0) {
        segments.push_back(std::move(segment));
      } else {
        step(segments, std::move(segment), work);
      }
    }
  };
  through([&](TextSegments& to, TextSegment segment, PatternWork&) {
    segment.text = parts.normalized(std::move(segment.text), work);
    parts.normalized_added.split(to, std::move(segment), work.budget());
  });
  for (const PreTokenizerStep& step : parts.pre_tokenizers) through(step);
  return segments;
}

// Removes the blanks that decoding of WordPiece puts before punctuation.
std::string tidied(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> replaced = {{{" .", "."},
                                                                                       {" ?", "?"},
                                                                                       {" !", "!"},
                                                                                       {" ,", ","},
                                                                                       {" ' ", "'"},
                                                                                       {" n't", "n't"},
                                                                                       {" 'm", "'m"},
                                                                                       {" 's", "'s"},
                                                                                       {" 've", "'ve"},
                                                                                       {" 're", "'re"}}};
  for (const auto& [from, to] : replaced) {
    std::string result;
    std::size_t end = 0;
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, end)) {
      result.append(text, end, at - end).append(to);
      end = at + from.size();
    }
    text = std::move(result.append(text, end));
  }
  return text;
}

std::uint64_t pair_key(Index left, Index right) {
  return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint64_t>(right);
}

// A token on its way through merges, with its neighbours.
struct Symbol {
  Index token = 0;
  std::size_t previous = 0;
  std::size_t next = 0;
  bool is_merged = false;  // into the one before it
};

struct Candidate {
  Index rank = 0;
  std::size_t place = 0;  // of the left one
  Index result = 0;

  // std::priority_queue gives the greatest first: that of the lowest rank, and the leftmost of these.
  bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : place > other.place; }
};

}  // namespace

std::string TokenizerParts::normalized(std::string text, PatternWork& work) const {
  for (const NormalizerStep& step : normalizers) text = step(std::move(text), work);
  return text;
}

Tokenizer::Tokenizer(std::unique_ptr<const TokenizerParts> parts) : parts_(std::move(parts)) {}
Tokenizer::~Tokenizer() = default;

std::vector<Index> Tokenizer::encode(std::string_view text) const {
  constexpr std::size_t most_bytes = std::size_t{1} << 20;
  if (text.size() > most_bytes || find_invalid_utf8(text)) {
    throw Error(fmt::format("A text is cut into tokens if it is UTF-8 and has at most {} bytes.", most_bytes));
  }
  ReadingBudget budget = ReadingBudget::of_text(text.size());
  PatternWork work(budget);
  std::vector<Index> tokens = parts_->before;
  for (const TextSegment& segment : segments_of(std::string(text), *parts_, work)) {
    if (segment.token >= 0) {
      tokens.push_back(segment.token);
    } else {
      parts_->model.encode(tokens, segment.text, budget);
    }
  }
  tokens.insert(tokens.end(), parts_->after.begin(), parts_->after.end());
  return tokens;
}

std::optional<Index> Tokenizer::unknown() const { return parts_->model.unknown_id(); }

std::optional<Index> Tokenizer::mask() const { return parts_->mask; }

bool Tokenizer::has(Index token) const {
  return token >= 0 && token < size() && parts_->exists[static_cast<std::size_t>(token)];
}

std::string Tokenizer::decode(std::span<const Index> tokens) const {
  std::string bytes;
  for (const Index token : within_template(tokens, *parts_)) {
    const std::string_view text = bytes_of(*parts_, token);
    const std::string& joining = parts_->decoding.joining;
    const bool joins = !joining.empty() && !bytes.empty() && text.starts_with(joining);
    if (!bytes.empty() && !joins) bytes += parts_->decoding.between;
    bytes += joins ? text.substr(joining.size()) : text;
  }
  if (parts_->decoding.is_tidied) bytes = tidied(std::move(bytes));
  if (parts_->decoding.strips_first_space && bytes.starts_with(' ')) bytes.erase(0, 1);
  return with_bytes_written(bytes, [](unsigned char) { return std::string("\uFFFD"); });
}

std::string Tokenizer::shown(Index token) const {
  return with_bytes_written(bytes_of(*parts_, token),
                            [](unsigned char byte) { return fmt::format("<0x{:02X}>", byte); });
}

Index Tokenizer::size() const { return static_cast<Index>(parts_->texts.size()); }

void TokenModel::add_merge(std::string_view left, std::string_view right) {
  const auto needed = [&](std::string_view text) {
    if (const std::optional<Index> id = id_of(text)) return *id;
    throw Error(fmt::format("the merge of {} and {} needs the token {}, which is not in the vocabulary.",
                            in_quotes(left), in_quotes(right), in_quotes(text)));
  };
  const std::uint64_t key = pair_key(needed(left), needed(right));
  merges[key] = {merge_count_++, needed(std::string(left).append(right))};
  check_bucket(merges, key);
}

std::optional<Index> TokenModel::id_of(std::string_view text) const {
  const auto found = ids.find(text);
  return found == ids.end() ? std::nullopt : std::optional(found->second);
}

Index TokenModel::unknown_or_refuse(std::string_view text) const {
  const std::optional<Index> id = unknown_id();
  if (!id) throw Error(fmt::format("The vocabulary has no token for {}, and none for unknown words.", in_quotes(text)));
  return *id;
}

void TokenModel::encode(std::vector<Index>& tokens, std::string_view text, ReadingBudget& budget) const {
  constexpr std::uint64_t bytes_of_a_character = sizeof(Symbol) + 3 * sizeof(Candidate) + 2 * sizeof(Index);
  constexpr std::uint64_t steps_of_a_character = 16;
  budget.work(steps_of_a_character * (1 + text.size()));
  budget.hold(bytes_of_a_character * (1 + text.size()));
  const std::optional<Index> whole = has_whole_words || ignores_merges ? id_of(text) : std::nullopt;
  if (whole || has_whole_words) {
    tokens.push_back(whole ? *whole : unknown_or_refuse(text));
    return;
  }
  std::vector<Index> parts = continuing ? pieces_of(text, budget) : characters_of(text);
  if (!continuing) merge_all(parts);
  tokens.insert(tokens.end(), parts.begin(), parts.end());
}

// The longest token that begins the word, then the longest that begins the rest, and so on; one unknown token if the
// rest begins with none.
std::vector<Index> TokenModel::pieces_of(std::string_view word, ReadingBudget& budget) const {
  std::vector<std::size_t> ends;  // of the characters
  for (std::size_t i = 0; i < word.size(); i += utf8_character(word, i).length)
    ends.push_back(i + utf8_character(word, i).length);
  if (ends.size() > most_characters) return {unknown_or_refuse(word)};
  std::vector<Index> pieces;
  std::size_t begin = 0;
  for (std::size_t first = 0; first < ends.size();) {
    std::optional<Index> longest;
    std::size_t last = ends.size();
    for (; !longest && last > first; --last) {
      const std::string_view part = word.substr(begin, ends[last - 1] - begin);
      budget.work(1 + part.size());
      longest = id_of(begin == 0 ? std::string(part) : std::string(*continuing).append(part));
    }
    if (!longest) return {unknown_or_refuse(word)};
    pieces.push_back(*longest);
    begin = ends[last];
    first = last + 1;
  }
  return pieces;
}

// Characters that are no tokens become tokens of their bytes, or unknown ones, or nothing.
std::vector<Index> TokenModel::characters_of(std::string_view text) const {
  std::vector<Index> tokens;
  bool was_unknown = false;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view character = text.substr(i, utf8_character(text, i).length);
    i += character.size();
    const std::optional<Index> id = id_of(character);
    std::vector<Index> bytes;
    for (std::size_t k = 0; !id && falls_back_to_bytes && k < character.size(); ++k) {
      const auto byte = id_of(fmt::format("<0x{:02X}>", static_cast<unsigned char>(character[k])));
      if (byte) bytes.push_back(*byte);
    }
    const bool is_unknown = !id && bytes.size() < character.size();
    if (id) {
      tokens.push_back(*id);
    } else if (!is_unknown) {
      tokens.insert(tokens.end(), bytes.begin(), bytes.end());
    } else if (unknown && !(was_unknown && fuses_unknown)) {
      tokens.push_back(unknown_or_refuse(character));
    }
    was_unknown = is_unknown;
  }
  return tokens;
}

const TokenModel::Merge* TokenModel::merge_of(Index left, Index right) const {
  const auto found = merges.find(pair_key(left, right));
  return found == merges.end() ? nullptr : &found->second;
}

// Merges the pair of the lowest rank, then the next, until none is left. Candidates wait in a queue, because looking
// for the lowest rank anew would take a time that grows with the square of the length.
void TokenModel::merge_all(std::vector<Index>& tokens) const {
  const std::size_t count = tokens.size();
  std::vector<Symbol> symbols(count);
  std::priority_queue<Candidate> candidates;
  const auto consider = [&](std::size_t place) {
    const std::size_t next = symbols[place].next;
    if (next >= count) return;
    const Merge* const merge = merge_of(symbols[place].token, symbols[next].token);
    if (merge) candidates.push({merge->rank, place, merge->result});
  };
  for (std::size_t i = 0; i < count; ++i) symbols[i] = {tokens[i], i - 1, i + 1};
  for (std::size_t i = 0; i < count; ++i) consider(i);
  while (!candidates.empty()) {
    const Candidate best = candidates.top();
    candidates.pop();
    Symbol& left = symbols[best.place];
    if (left.is_merged || left.next >= count) continue;
    Symbol& right = symbols[left.next];
    const Merge* const merge = merge_of(left.token, right.token);
    if (!merge || merge->result != best.result) continue;  // one of them was merged with another meanwhile
    left.token = best.result;
    left.next = right.next;
    right.is_merged = true;
    if (left.next < count) symbols[left.next].previous = best.place;
    if (left.previous < count) consider(left.previous);
    consider(best.place);
  }
  tokens.clear();
  for (const Symbol& symbol : symbols) {
    if (!symbol.is_merged) tokens.push_back(symbol.token);
  }
}

}  // namespace attnscope
