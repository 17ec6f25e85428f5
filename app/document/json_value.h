#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config.h"
#include "core/error.h"
#include "core/tensor.h"
#include "core/text.h"
#include "document/reading_budget.h"

// The reader of all JSON: of documents, lessons, scripts, progress, settings and headers of tensors. It reads a text
// from its beginning to its end and holds no tree of it, because a document may have hundreds of megabytes of numbers;
// what stands where is decided by the functions that ask.
//
//   const JsonText text(bytes);
//   const JsonValue document = text.root();
//   for (JsonItems fields(document); const JsonValue* field = fields.next();) read_field(*field);
//   text.finish(document);
//
// Every sentence about a value begins with its path: "inputs[3][1] is null, but it must be a finite number."

namespace attnscope {

using Json = nlohmann::ordered_json;  // a tree; keys keep their order

// Trees are read and written here alone, because each file that does it compiles the library's parser anew.
Json parse_json(std::string_view text);  // what is no JSON is_discarded()
// On one line without an indent. Bytes that are no UTF-8 are replaced.
std::string json_text(const Json& tree, int indent = -1);

class JsonText;

// A value, by its place in the text. It points to the value that it is in, which has to stay where it is.
class JsonValue {
public:
  enum class Kind { null, boolean, number, text, array, object };

  bool is_null() const { return kind_ == Kind::null; }
  bool is_boolean() const { return kind_ == Kind::boolean; }
  bool is_number() const { return kind_ == Kind::number; }
  bool is_text() const { return kind_ == Kind::text; }
  bool is_array() const { return kind_ == Kind::array; }
  bool is_object() const { return kind_ == Kind::object; }

  const std::string& key() const { return key_; }  // empty for an element of an array
  std::string path() const;                        // "steps[3].click"
  std::string spelled() const;                     // for messages: "a", 0.5, an array
  std::string_view raw() const;                    // the value's own text
  Json tree() const;                               // only for small texts

  // Throws Error: the value is this, or `what`, but it must be `allowed`.
  [[noreturn]] void refuse(std::string_view allowed) const { refuse_as(spelled(), allowed); }
  [[noreturn]] void refuse_as(std::string_view what, std::string_view allowed) const;

  // Throws Error: the value is none of the known names. The sentence says the closest name, else all names.
  [[noreturn]] void refuse_name(std::span<const std::string_view> known) const;

  // Each throws Error if the value is of another kind.
  std::string text(std::string_view allowed = "a text") const;
  bool flag() const;
  float number(double lowest, double highest) const;
  Index whole(Index lowest, Index highest) const;

  double number() const;  // throws Error if it is too large for a double
  // Nothing for other values, for numbers spelled with a point or an exponent, and for those that are too large.
  std::optional<Index> whole() const { return is_number() ? number_of<Index>(raw()) : std::nullopt; }
  std::optional<std::uint64_t> natural() const { return is_number() ? number_of<std::uint64_t>(raw()) : std::nullopt; }

  // The parts of a value that is small: each call looks from its beginning.
  Index size() const;
  JsonValue element(Index index) const&;
  std::optional<JsonValue> find(std::string_view key) const&;
  bool has(std::string_view key) const { return find(key).has_value(); }
  JsonValue operator[](std::string_view key) const& { return find(key).value(); }
  JsonValue needed(std::string_view key) const&;  // throws Error if it is not there
  JsonValue element(Index) const&& = delete;
  std::optional<JsonValue> find(std::string_view) const&& = delete;
  JsonValue operator[](std::string_view) const&& = delete;
  JsonValue needed(std::string_view) const&& = delete;

  // Throws Error if a small text has another key here than these.
  void check_keys(std::span<const std::string_view> known) const;
  void check_keys(std::initializer_list<std::string_view> known) const {
    check_keys(std::span(known.begin(), known.size()));
  }

private:
  friend class JsonText;
  friend class JsonItems;

  std::size_t end() const;

  const JsonText* text_ = nullptr;
  const JsonValue* parent_ = nullptr;  // null for the whole text
  std::string key_;
  Index index_ = 0;
  int depth_ = 0;
  Kind kind_ = Kind::null;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;  // 0 for arrays and objects, whose ends are not known before they are read
};

constexpr std::size_t most_json_keys = 110'000;  // an object has no more; a file of tensors has up to 100000

// The elements of an array or the members of an object, one after the other. Throws Error if a key occurs twice, or if
// there are more keys than `most`.
class JsonItems {
public:
  explicit JsonItems(const JsonValue& owner, std::size_t most = most_json_keys) : owner_(owner), most_(most) {}

  const JsonValue* next();                // null after the last; what it points to is another value after each call
  Index count() const { return count_; }  // items that were returned so far

private:
  std::size_t read_key(std::size_t at);

  const JsonValue& owner_;
  std::size_t most_;
  JsonValue item_;
  Index count_ = 0;
  std::set<std::string, std::less<>> keys_;
};

class JsonText {
public:
  // Throws Error if the text is too long, is not UTF-8, or has a NUL byte in it. A text with a name, such as
  // "The script", is small: all of it is checked here, and messages name it. `watch` follows who reads the text.
  explicit JsonText(std::string_view text, std::string_view name = "", PartWatch watch = {});

  JsonValue root() const;
  ReadingBudget& budget() const { return budget_; }  // counts what is read again, too
  void finish(const JsonValue& root) const;          // throws Error if something follows the root

private:
  friend class JsonValue;
  friend class JsonItems;

  bool is_small() const { return !name_.empty(); }
  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
  std::size_t after_blanks(std::size_t place) const;
  std::size_t string_end(std::size_t begin) const;
  std::string decoded(std::size_t begin, std::size_t end) const;
  std::string_view between(std::size_t begin, std::size_t end) const { return text_.substr(begin, end - begin); }
  void put(JsonValue& value, std::size_t begin) const;
  [[noreturn]] void refuse(std::size_t place, std::string_view problem) const;
  [[noreturn]] void expected(std::string_view what, std::size_t place) const;

  std::string_view text_;
  std::string_view name_;
  // The array or object that was last read to its end, so that its end is not searched again.
  mutable std::size_t last_begin_ = std::string_view::npos;
  mutable std::size_t last_end_ = 0;
  mutable ReadingBudget budget_;
};

// The words that stand in documents for the values of an enumeration, for reading and writing alike.
template <typename Enum, std::size_t count>
using Words = std::array<std::pair<Enum, std::string_view>, count>;

constexpr Words<Projection, 3> projection_words = {
    {{Projection::query, "query"}, {Projection::key, "key"}, {Projection::value, "value"}}};

constexpr Words<RopeLayout, 2> rope_words = {{{RopeLayout::half, "half"}, {RopeLayout::interleaved, "interleaved"}}};
constexpr Words<RopeScalingKind, 2> rope_scaling_words = {
    {{RopeScalingKind::linear, "linear"}, {RopeScalingKind::llama3, "llama3"}}};

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

// Returns the stage whose id the text is. Throws Error for other ids and values.
Stage named_stage(const JsonValue& value);

// These write a text in quotation marks, and "tokens": [...] without a comma or line end behind it.
std::string json_string(std::string_view text);
void write_tokens(std::string& json, const std::vector<std::string>& tokens, std::string_view key = "tokens");

}  // namespace attnscope
