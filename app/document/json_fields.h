#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config.h"
#include "document/json_value.h"

// The words of documents, for reading and writing alike.
namespace attnscope {

// The words that stand in documents for the values of an enumeration.
template <typename Enum, std::size_t count>
using Words = std::array<std::pair<Enum, std::string_view>, count>;

constexpr Words<Projection, 3> projection_words = {
    {{Projection::query, "query"}, {Projection::key, "key"}, {Projection::value, "value"}}};

constexpr Words<RopeLayout, 2> rope_words = {{{RopeLayout::half, "half"}, {RopeLayout::interleaved, "interleaved"}}};

// Fields whose keys stand in the object "rope" of a document: "rope.base".
constexpr std::string_view rope_prefix = "rope.";
constexpr bool is_of_rope(std::string_view key) { return key.starts_with(rope_prefix); }

template <typename List, typename Value>
std::string_view word_of(const List& words, const Value& value) {
  for (const auto& [candidate, word] : words) {
    if (candidate == value) return word;
  }
  return {};
}

// Sets what the text stands for; returns false for other texts and values.
template <typename Enum, std::size_t count>
bool take_word(Enum& target, const Words<Enum, count>& words, const JsonValue& value) {
  if (!value.is_text()) return false;
  const std::string text = value.text();
  const auto found = std::ranges::find(words, text, &Words<Enum, count>::value_type::second);
  if (found == words.end()) return false;
  target = found->first;
  return true;
}

// For writing: a text in quotation marks; "tokens": [...] without the comma or line end behind it.
std::string json_string(std::string_view text);
void write_tokens(std::string& json, const std::vector<std::string>& tokens, std::string_view key = "tokens");

}  // namespace attnscope
