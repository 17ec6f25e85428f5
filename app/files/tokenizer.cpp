#include "files/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/utf8.h"
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
  if (token < 0 || token >= count) {
    throw Error(fmt::format("There is no token {}: the vocabulary has those from 0 to {}.", token, count - 1));
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

std::string Tokenizer::decode(std::span<const Index> tokens) const {
  std::string bytes;
  for (const Index token : within_template(tokens, *parts_)) {
    if (!bytes.empty()) bytes += parts_->decoding.between;
    bytes += bytes_of(*parts_, token);
  }
  if (parts_->decoding.strips_first_space && bytes.starts_with(' ')) bytes.erase(0, 1);
  return with_bytes_written(bytes, [](unsigned char) { return std::string("\uFFFD"); });
}

std::string Tokenizer::shown(Index token) const {
  return with_bytes_written(bytes_of(*parts_, token),
                            [](unsigned char byte) { return fmt::format("<0x{:02X}>", byte); });
}

Index Tokenizer::size() const { return static_cast<Index>(parts_->texts.size()); }

}  // namespace attnscope
