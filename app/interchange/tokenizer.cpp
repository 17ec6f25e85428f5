#include "interchange/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/utf8.h"
#include "interchange/tokenizer_parts.h"

namespace attnscope {
namespace {

// Returns what bytes that are no UTF-8 become by `write`; all other text stays.
template <typename Write>
std::string with_bytes_written(std::string_view bytes, Write write) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = utf8_character(bytes, i).length;
    text += length > 0 ? std::string(bytes.substr(i, length)) : write(static_cast<unsigned char>(bytes[i]));
    i += std::max<std::size_t>(1, length);
  }
  return text;
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

std::string bytes_of(const TokenizerParts& parts, Index token, PatternWork& work) {
  const auto count = static_cast<Index>(parts.texts.size());
  if (token < 0 || token >= count) {
    throw Error(fmt::format("There is no token {}: the vocabulary has those from 0 to {}.", token, count - 1));
  }
  std::string text = parts.texts[static_cast<std::size_t>(token)];
  if (parts.decoding.is_byte_level) return bytes_of_spelling(text).value_or(text);
  if (const std::optional<char> byte = parts.decoding.has_bytes ? named_byte(text) : std::nullopt) return {*byte};
  for (const NormalizerStep& step : parts.decoding.replacements) text = step(std::move(text), work);
  return text;
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
  parts.raw_added.split(segments, {std::move(text), true});
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
    parts.normalized_added.split(to, std::move(segment));
  });
  for (const PreTokenizerStep& step : parts.pre_tokenizers) through(step);
  return segments;
}

}  // namespace

std::string TokenizerParts::normalized(std::string text, PatternWork& work) const {
  for (const NormalizerStep& step : normalizers) text = step(std::move(text), work);
  return text;
}

Tokenizer::Tokenizer(std::unique_ptr<const TokenizerParts> parts) : parts_(std::move(parts)) {}
Tokenizer::~Tokenizer() = default;

std::vector<Index> Tokenizer::encode(std::string_view text) const {
  if (text.size() > max_tokenizer_bytes || find_invalid_utf8(text)) {
    throw Error(fmt::format("A text is cut into tokens if it is UTF-8 and has at most {} bytes.", max_tokenizer_bytes));
  }
  PatternWork work(text.size());
  std::vector<Index> tokens = parts_->before;
  for (const TextSegment& segment : segments_of(std::string(text), *parts_, work)) {
    if (segment.token >= 0) {
      tokens.push_back(segment.token);
    } else {
      parts_->model.encode(tokens, segment.text);
    }
  }
  tokens.insert(tokens.end(), parts_->after.begin(), parts_->after.end());
  return tokens;
}

std::optional<Index> Tokenizer::unknown() const { return parts_->model.unknown_id(); }

std::string Tokenizer::decode(std::span<const Index> tokens) const {
  PatternWork work(tokens.size() * most_usual_token);
  std::string bytes;
  for (const Index token : within_template(tokens, *parts_)) {
    if (!bytes.empty()) bytes += parts_->decoding.between;
    bytes += bytes_of(*parts_, token, work);
  }
  if (parts_->decoding.strips_first_space && bytes.starts_with(' ')) bytes.erase(0, 1);
  return with_bytes_written(bytes, [](unsigned char) { return std::string("\uFFFD"); });
}

std::string Tokenizer::shown(Index token) const {
  PatternWork work(most_usual_token);
  return with_bytes_written(bytes_of(*parts_, token, work),
                            [](unsigned char byte) { return fmt::format("<0x{:02X}>", byte); });
}

Index Tokenizer::size() const { return static_cast<Index>(parts_->texts.size()); }

}  // namespace attnscope
