#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "core/error.h"
#include "core/text.h"
#include "files/tokenizer.h"
#include "files/tokenizer_parts.h"

namespace attnscope {
namespace {

constexpr std::string_view gpt2_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

constexpr std::uint64_t steps_of_a_segment = 16;  // beside a step for each of its bytes
constexpr std::uint64_t steps_of_a_character = 8;

// Counts a text that a step has made of another.
void count_made(PatternWork& work, const std::string& text) {
  work.budget().work(steps_of_a_segment + text.size());
  work.budget().hold(text.size());
}

// Accents are sorted in a time that grows with the square of their number.
void count_accents(std::string_view text, ReadingBudget& budget) {
  constexpr std::uint64_t most = 1000;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Character character = utf8_character(text, i);
    count = is_combining(character.code) ? count + 1 : 0;
    if (count > most) throw Error(fmt::format("The text has a letter with more than {} accents.", most));
    budget.work(steps_of_a_character + count);
    i += character.length;
  }
}

// The characters beside a place in a text; length 0 if there is none.
Utf8Character after(std::string_view text, std::size_t place) {
  return place < text.size() ? utf8_character(text, place) : Utf8Character();
}

Utf8Character before(std::string_view text, std::size_t place) {
  if (place == 0) return {};
  do --place;
  while (place > 0 && (text[place] & 0xC0) == 0x80);
  return utf8_character(text, place);
}

bool is_blank(const Utf8Character& character) {
  return is_space(character.code) || character.code == '\v' || character.code == 0x85;
}

constexpr char32_t capital_i_with_dot = 0x130;  // the one character that becomes two

// Roman numerals and circled letters are neither large nor small to every library.
char32_t lower(char32_t code) {
  if (code == capital_i_with_dot) return 'i';
  if (code >= 0x2160 && code <= 0x216F) return code + 16;
  if (code >= 0x24B6 && code <= 0x24CF) return code + 26;
  return small_letter(code);
}

// Bytes that are spelled as the character of the same number: printable ones of Latin-1.
constexpr bool spells_itself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct ByteSpelling {
  std::array<std::string, 256> spelled;
  std::array<int, 0x144> bytes;  // by the character; -1 for others

  ByteSpelling() {
    bytes.fill(-1);
    int next = 256;
    for (int byte = 0; byte < 256; ++byte) {
      const int code = spells_itself(byte) ? byte : next++;
      bytes[static_cast<std::size_t>(code)] = byte;
      std::string& text = spelled[static_cast<std::size_t>(byte)];
      if (code >= 0x80) text += static_cast<char>(0xC0 | code >> 6);
      text += static_cast<char>(code >= 0x80 ? 0x80 | (code & 0x3F) : code);
    }
  }
};

const ByteSpelling& byte_spelling() {
  static const ByteSpelling spelling;
  return spelling;
}

struct MatchedRange {
  TextRange range;
  bool is_match = false;
};

std::vector<MatchedRange> with_gaps(const std::vector<TextRange>& matches, std::size_t size) {
  std::vector<MatchedRange> ranges;
  std::size_t end = 0;
  for (const TextRange& match : matches) {
    if (match.begin > end) ranges.push_back({{end, match.begin}, false});
    ranges.push_back({match, true});
    end = match.end;
  }
  if (end < size) ranges.push_back({{end, size}, false});
  return ranges;
}

std::vector<TextRange> joined(const std::vector<MatchedRange>& ranges, SplitBehavior behavior) {
  std::vector<TextRange> result;
  bool was_match = false;  // the one before
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const bool is_match = ranges[i].is_match;
    const bool joins = i > 0 && ((behavior == SplitBehavior::contiguous && is_match == was_match) ||
                                 (behavior == SplitBehavior::merged_with_previous && is_match && !was_match) ||
                                 (behavior == SplitBehavior::merged_with_next && !is_match && was_match));
    if (joins) {
      result.back().end = ranges[i].range.end;
    } else if (behavior != SplitBehavior::removed || !is_match) {
      result.push_back(ranges[i].range);
    }
    was_match = is_match;
  }
  return result;
}

void append_part(TextSegments& segments, const TextSegment& segment, TextRange range, ReadingBudget& budget) {
  if (range.begin == range.end) return;
  budget.work(steps_of_a_segment);
  budget.hold(sizeof(TextSegment) + range.end - range.begin);
  segments.push_back(
      {segment.text.substr(range.begin, range.end - range.begin), segment.begins_text && range.begin == 0});
}

}  // namespace

NormalizerStep prepending(const std::string& beginning) {
  return [beginning](const std::string& text, PatternWork& work) {
    if (text.empty()) return text;
    std::string result = beginning + text;
    count_made(work, result);
    return result;
  };
}

NormalizerStep replacing(const TextPattern& pattern, const std::string& content) {
  return [pattern, content](const std::string& text, PatternWork& work) {
    std::string result;
    std::size_t end = 0;
    for (const TextRange& match : pattern.matches(text, work)) {
      work.budget().hold(match.begin - end + content.size());
      work.budget().work(match.begin - end + content.size());
      result.append(text, end, match.begin - end).append(content);
      end = match.end;
    }
    work.budget().hold(text.size() - end);
    return result.append(text, end);
  };
}

namespace {

// Returns the step that writes each character anew, as `write` appends it.
template <typename Write>
NormalizerStep rewriting(Write write) {
  return [write](const std::string& text, PatternWork& work) {
    std::string result;
    work.budget().work(steps_of_a_character * text.size());
    for (std::size_t i = 0; i < text.size();) {
      const Utf8Character character = utf8_character(text, i);
      write(result, character.code, std::string_view(text).substr(i, character.length));
      i += character.length;
    }
    count_made(work, result);
    return result;
  };
}

bool is_ideograph(char32_t code) {
  constexpr std::array<std::pair<char32_t, char32_t>, 8> ranges = {{{0x4E00, 0x9FFF},
                                                                    {0x3400, 0x4DBF},
                                                                    {0x20000, 0x2A6DF},
                                                                    {0x2A700, 0x2B73F},
                                                                    {0x2B740, 0x2B81F},
                                                                    {0x2B920, 0x2CEAF},
                                                                    {0xF900, 0xFAFF},
                                                                    {0x2F800, 0x2FA1F}}};
  return std::ranges::any_of(ranges, [code](const auto& range) { return code >= range.first && code <= range.second; });
}

}  // namespace

NormalizerStep lowering() {
  return rewriting([](std::string& result, char32_t code, std::string_view) {
    append_utf8(result, lower(code));
    if (code == capital_i_with_dot) result += "\u0307";
  });
}

NormalizerStep without_accents() {
  return rewriting([](std::string& result, char32_t code, std::string_view bytes) {
    if (!is_accent(code)) result += bytes;
  });
}

NormalizerStep cleaning() {
  return rewriting([](std::string& result, char32_t code, std::string_view bytes) {
    constexpr char32_t replacement_character = 0xFFFD;
    const bool is_white = code == '\t' || code == '\n' || code == '\r' || is_space(code);
    if (is_white) {
      result += ' ';
    } else if (!is_unwritten(code) && code != replacement_character) {
      result += bytes;
    }
  });
}

NormalizerStep spacing_ideographs() {
  return rewriting([](std::string& result, char32_t code, std::string_view bytes) {
    if (is_ideograph(code)) {
      result.append(" ").append(bytes).append(" ");
    } else {
      result += bytes;
    }
  });
}

NormalizerStep composing(UnicodeForm form) {
  return [form](const std::string& text, PatternWork& work) {
    count_accents(text, work.budget());
    std::string result = normal_form(text, form);
    count_made(work, result);
    return result;
  };
}

PreTokenizerStep splitting(const TextPattern& pattern, SplitBehavior behavior, bool is_inverted) {
  return [pattern, behavior, is_inverted](TextSegments& segments, const TextSegment& segment, PatternWork& work) {
    std::vector<MatchedRange> ranges = with_gaps(pattern.matches(segment.text, work), segment.text.size());
    work.budget().hold(ranges.size() * (sizeof(MatchedRange) + sizeof(TextRange)));
    if (is_inverted) {
      for (MatchedRange& range : ranges) range.is_match = !range.is_match;
    }
    for (const TextRange& range : joined(ranges, behavior)) append_part(segments, segment, range, work.budget());
  };
}

PreTokenizerStep metaspace(const Metaspace& options) {
  const NormalizerStep replace = replacing(TextPattern::literal(" "), options.replacement);
  const PreTokenizerStep split = splitting(TextPattern::literal(options.replacement), SplitBehavior::merged_with_next);
  return [options, replace, split](TextSegments& segments, TextSegment segment, PatternWork& work) {
    segment.text = replace(std::move(segment.text), work);
    const bool prepends =
        options.scheme == PrependScheme::always || (options.scheme == PrependScheme::first && segment.begins_text);
    if (prepends && !segment.text.starts_with(options.replacement)) segment.text.insert(0, options.replacement);
    count_made(work, segment.text);
    if (options.splits) {
      split(segments, std::move(segment), work);
    } else {
      segments.push_back(std::move(segment));
    }
  };
}

PreTokenizerStep byte_level(bool adds_prefix_space, bool splits_as_gpt2, ReadingBudget& budget) {
  const PreTokenizerStep split =
      splitting(TextPattern::regex(std::string(gpt2_pattern), budget), SplitBehavior::isolated);
  return [split, adds_prefix_space, splits_as_gpt2](TextSegments& segments, TextSegment segment, PatternWork& work) {
    if (adds_prefix_space && !segment.text.starts_with(' ')) segment.text.insert(0, " ");
    const std::size_t first = segments.size();
    if (splits_as_gpt2) {
      split(segments, std::move(segment), work);
    } else {
      segments.push_back(std::move(segment));
    }
    for (std::size_t i = first; i < segments.size(); ++i) {
      segments[i].text = spelled_bytes(segments[i].text);
      count_made(work, segments[i].text);
    }
  };
}

std::string spelled_bytes(std::string_view bytes) {
  std::string spelling;
  for (const char byte : bytes) spelling += byte_spelling().spelled[static_cast<unsigned char>(byte)];
  return spelling;
}

std::optional<std::string> bytes_of_spelling(std::string_view spelling) {
  std::string bytes;
  for (std::size_t i = 0; i < spelling.size();) {
    const Utf8Character character = utf8_character(spelling, i);
    const auto code = static_cast<std::size_t>(character.code);
    if (code >= byte_spelling().bytes.size() || byte_spelling().bytes[code] < 0) return std::nullopt;
    bytes += static_cast<char>(byte_spelling().bytes[code]);
    i += character.length;
  }
  return bytes;
}

void AddedTokens::add(AddedToken token) {
  if (token.text.empty()) return;
  begins_token_[static_cast<unsigned char>(token.text[0])] = true;
  tokens_.push_back(std::move(token));
}

void AddedTokens::finish() { std::ranges::stable_sort(tokens_, {}, &AddedToken::text); }

// The texts that begin as the text does are services, and become fewer with each byte.
const AddedToken* AddedTokens::longest_at(std::string_view text, std::size_t begin, ReadingBudget& budget) const {
  const AddedToken* longest = nullptr;
  auto first = tokens_.begin();
  auto last = tokens_.end();
  for (std::size_t i = 0; first != last && begin + i < text.size(); ++i) {
    const auto byte_at = [i](const AddedToken& token) {
      return i < token.text.size() ? static_cast<unsigned char>(token.text[i]) : -1;
    };
    const int byte = static_cast<unsigned char>(text[begin + i]);
    budget.work(steps_of_a_character);
    first = std::ranges::lower_bound(first, last, byte, {}, byte_at);
    last = std::ranges::upper_bound(first, last, byte, {}, byte_at);
    if (first != last && first->text.size() == i + 1) longest = &*first;
  }
  return longest;
}

void AddedTokens::split(TextSegments& segments, TextSegment segment, ReadingBudget& budget) const {
  budget.work(steps_of_a_segment + segment.text.size());
  if (tokens_.empty()) {
    if (!segment.text.empty()) segments.push_back(std::move(segment));
    return;
  }
  const std::string_view text = segment.text;
  std::size_t end = 0;  // of the last token, with the blanks that it takes
  for (std::size_t i = 0; i < text.size();) {
    const AddedToken* const token =
        begins_token_[static_cast<unsigned char>(text[i])] ? longest_at(text, i, budget) : nullptr;
    if (!token) {
      ++i;
      continue;
    }
    TextRange range{i, i + token->text.size()};
    i = range.end;
    if (token->is_single_word &&
        (is_word_part(before(text, range.begin).code) || is_word_part(after(text, range.end).code)))
      continue;
    while (token->strips_left && range.begin > end && is_blank(before(text, range.begin)))
      range.begin -= before(text, range.begin).length;
    while (token->strips_right && is_blank(after(text, range.end))) range.end += after(text, range.end).length;
    append_part(segments, segment, {end, range.begin}, budget);
    budget.hold(sizeof(TextSegment) + token->text.size());
    segments.push_back({token->text, false, token->id});
    end = i = range.end;
  }
  append_part(segments, segment, {end, text.size()}, budget);
}

}  // namespace attnscope
