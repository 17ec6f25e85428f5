#include "document/json_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/text.h"
#include "document/json.h"

namespace attnscope {
namespace {

constexpr int most_depth = 64;
constexpr std::size_t longest_word = std::size_t{1} << 20;
constexpr std::size_t most_of_a_value = 60;  // characters of a value in a message
constexpr std::uint64_t steps_of_value = 4;  // a value costs these and a step for each byte
constexpr std::uint64_t steps_of_key = 16;

constexpr std::string_view separators = " \t\r\n,:[]{}";

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool is_separator(char letter) { return separators.find(letter) != std::string_view::npos; }

// "line 3, column 5", counted in characters from 1.
std::string line_and_column(std::string_view text, std::size_t place) {
  const std::string_view before = text.substr(0, place);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::string_view in_line = newline == std::string_view::npos ? before : before.substr(newline + 1);
  return fmt::format("line {}, column {}", line, character_count(in_line) + 1);
}

// Returns the word that begins at `start`, up to a blank or a separator.
std::string_view word_at(std::string_view text, std::size_t start) {
  if (start >= text.size()) return {};
  const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
  return text.substr(start, std::max<std::size_t>(1, end - start));
}

bool is_infinity_or_nan(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  const std::string lower = lower_case(word);
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

std::size_t digits_end(std::string_view text, std::size_t start) {
  while (start < text.size() && is_digit(text[start])) ++start;
  return start;
}

// Returns where the number ends that begins at `start`; `start` itself if there is none. In "01" it ends after the 0,
// but 0x7b is no number at all.
std::size_t number_end(std::string_view text, std::size_t start) {
  const std::size_t first = start + (text[start] == '-' ? 1 : 0);
  std::size_t end = digits_end(text, first);
  if (end == first) return start;
  if (text[first] == '0') end = first + 1;
  const auto take_digits = [&](std::size_t from) {
    const std::size_t last = digits_end(text, from);
    end = last == from ? start : last;
    return last > from;
  };
  if (end < text.size() && text[end] == '.' && !take_digits(end + 1)) return start;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const bool has_sign = end + 1 < text.size() && (text[end + 1] == '+' || text[end + 1] == '-');
    if (!take_digits(end + (has_sign ? 2 : 1))) return start;
  }
  const bool ends_word = end == text.size() || is_separator(text[end]) || text[end] == '"' || is_digit(text[end]);
  return ends_word ? end : start;
}

}  // namespace

std::string JsonValue::path() const {
  if (!parent_) return "";
  std::string path = parent_->path();
  if (parent_->is_array()) return path + fmt::format("[{}]", index_);
  if (!path.empty() && !key_.empty()) path += '.';
  const std::string shown = in_quotes(key_);
  return path + (shown == "\"" + key_ + "\"" ? key_ : shown);
}

std::string JsonValue::spelled() const {
  if (is_text()) return in_quotes(text());
  if (is_number()) number();  // throws if it is too large
  if (!is_array() && !is_object()) return shown_text(raw(), most_of_a_value);
  if (!text_->is_small()) return is_array() ? "an array" : "an object";
  return shown_text(json_text(tree()), most_of_a_value);
}

Json parse_json(std::string_view text) { return Json::parse(text, nullptr, false); }

std::string json_text(const Json& tree, int indent) {
  return tree.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json JsonValue::tree() const { return Json::parse(raw()); }

std::string_view JsonValue::raw() const { return text_->between(begin_, end()); }

void JsonValue::refuse_as(std::string_view what, std::string_view allowed) const {
  if (!parent_) throw Error(fmt::format("The document is {}, but it must be a JSON object, {{…}}.", what));
  throw Error(path(), fmt::format("{} is {}, but it must be {}.", path(), what, allowed));
}

void JsonValue::refuse_name(std::span<const std::string_view> known) const {
  throw Error(path(), fmt::format("{} is {}{}", path(), spelled(),
                                  known_names(is_text() ? text() : "", known, ", but it must be one of ")));
}

std::string JsonValue::text(std::string_view allowed) const {
  if (!is_text()) refuse(allowed);
  return text_->decoded(begin_, end_);
}

bool JsonValue::flag() const {
  if (!is_boolean()) refuse("true or false");
  return raw() == "true";
}

float JsonValue::number(double lowest, double highest) const {
  if (!is_number() || !(number() >= lowest && number() <= highest))
    refuse(fmt::format("a number from {} to {}", lowest, highest));
  return static_cast<float>(number());
}

Index JsonValue::whole(Index lowest, Index highest) const {
  const std::optional<Index> value = whole();
  if (!value || *value < lowest || *value > highest)
    refuse(fmt::format("a whole number from {} to {}", lowest, highest));
  return *value;
}

double JsonValue::number() const {
  if (const std::optional<Index> value = whole()) return static_cast<double>(*value);
  const std::string_view spelling = raw();
  double value = 0;
  if (from_chars(spelling.data(), spelling.data() + spelling.size(), value).ec == std::errc()) return value;
  try {
    return tree().get<double>();  // almost 0
  } catch (const Json::out_of_range&) {
    if (!text_->is_small())
      throw Error(path(), fmt::format("{} is {}, but that number is too large.", path(), shown_text(spelling)));
    throw Error(
        fmt::format("{} has a number beyond 1.8e308, which is larger than any that can be read.", text_->name_));
  }
}

Index JsonValue::size() const {
  JsonItems items(*this);
  while (items.next()) continue;
  return items.count();
}

JsonValue JsonValue::element(Index index) const& {
  JsonItems items(*this);
  for (Index before = 0; before < index; ++before) items.next();
  return *items.next();
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const& {
  for (JsonItems items(*this); const JsonValue* item = items.next();) {
    if (item->key() == key) return *item;
  }
  return std::nullopt;
}

JsonValue JsonValue::needed(std::string_view key) const& {
  if (std::optional<JsonValue> value = find(key)) return *std::move(value);
  throw Error(path(), parent_ ? fmt::format("{} lacks \"{}\".", path(), key)
                              : fmt::format("\"{}\" is left out, but it is needed.", key));
}

void JsonValue::check_keys(std::span<const std::string_view> known) const {
  for (JsonItems items(*this); const JsonValue* item = items.next();) {
    if (std::ranges::find(known, item->key()) != known.end()) continue;
    throw Error(path(), fmt::format("{} has the unknown key {}{}", parent_ ? path() : std::string(text_->name_),
                                    in_quotes(item->key()), known_names(item->key(), known, ": its keys are ")));
  }
}

// Reads over arrays and objects that nobody has read.
std::size_t JsonValue::end() const {
  if (end_ > 0) return end_;
  if (text_->last_begin_ == begin_) return text_->last_end_;
  for (JsonItems items(*this); const JsonValue* item = items.next();) {
    if (item->is_text()) item->text();
    if (item->is_number()) item->number();
  }
  return text_->last_end_;
}

const JsonValue* JsonItems::next() {
  const JsonText& text = *owner_.text_;
  std::size_t at = text.after_blanks(count_ == 0 ? owner_.begin_ + 1 : item_.end());
  text.budget_.reach(at);
  if (text.at(at) == (owner_.is_object() ? '}' : ']')) {
    text.last_begin_ = owner_.begin_;
    text.last_end_ = at + 1;
    return nullptr;
  }
  if (count_ > 0) {
    if (text.at(at) != ',') text.expected(owner_.is_object() ? "a comma or }" : "a comma or ]", at);
    at = text.after_blanks(at + 1);
  }
  item_ = JsonValue();
  item_.text_ = owner_.text_;
  item_.parent_ = &owner_;
  item_.depth_ = owner_.depth_ + 1;
  item_.index_ = count_;
  text.put(item_, owner_.is_object() ? read_key(at) : at);
  ++count_;
  return &item_;
}

// Returns where the value of the key begins.
std::size_t JsonItems::read_key(std::size_t at) {
  const JsonText& text = *owner_.text_;
  if (text.at(at) != '"')
    text.expected(count_ == 0 ? "a key in double quotes or }" : "another key in double quotes", at);
  const std::size_t end = text.string_end(at);
  text.budget_.work(steps_of_key + end - at);
  item_.key_ = text.decoded(at, end);
  if (keys_.size() == most_)
    throw Error(owner_.path(), fmt::format("There are more than {} keys in one object, the most there may be.", most_));
  if (!keys_.insert(item_.key_).second) {
    if (text.is_small()) throw Error(fmt::format("The key {} occurs twice in one object.", in_quotes(item_.key_)));
    throw Error(item_.path(), fmt::format("{} occurs twice, but a key may occur only once.", item_.path()));
  }
  const std::size_t colon = text.after_blanks(end);
  if (text.at(colon) != ':') text.expected("a colon after the key " + item_.path(), colon);
  return text.after_blanks(colon + 1);
}

JsonText::JsonText(std::string_view text, std::string_view name, PartWatch watch)
    : text_(text), name_(name), budget_(ReadingBudget::of_file(text.size(), std::move(watch))) {
  if (text.size() > max_document_bytes) {
    throw Error(fmt::format("The document has {} bytes, but at most {} are read.", text.size(), max_document_bytes));
  }
  if (const auto place = find_invalid_utf8(text)) {
    throw Error(fmt::format("{}: not UTF-8 text: save the document as UTF-8.", line_and_column(text, *place)));
  }
  if (const std::size_t place = text.find('\0'); place != std::string_view::npos) {
    throw Error(fmt::format("{}: not JSON: a NUL byte, which no text has.", line_and_column(text, place)));
  }
  if (is_small()) finish(root());
}

JsonValue JsonText::root() const {
  JsonValue root;
  root.text_ = this;
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  put(root, after_blanks(text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0));
  return root;
}

void JsonText::finish(const JsonValue& root) const {
  const std::size_t end = after_blanks(root.end());
  if (end < text_.size()) expected("nothing more after the document's closing }", end);
}

std::size_t JsonText::after_blanks(std::size_t place) const {
  while (place < text_.size() &&
         (text_[place] == ' ' || text_[place] == '\n' || text_[place] == '\r' || text_[place] == '\t'))
    ++place;
  return place;
}

std::size_t JsonText::string_end(std::size_t begin) const {
  for (std::size_t i = begin + 1; i < text_.size(); ++i) {
    if (text_[i] == '"') return i + 1;
    if (i - begin > longest_word)
      refuse(begin, fmt::format("a string of more than {} bytes begins here", longest_word));
    if (static_cast<unsigned char>(text_[i]) < 0x20)
      refuse(begin, "a string holds a line break or another control character: write it as \\n, \\t or \\u00XX");
    if (text_[i] == '\\') ++i;
  }
  refuse(begin, "the text ends inside a string");
}

std::string JsonText::decoded(std::size_t begin, std::size_t end) const {
  const std::string_view letters = between(begin + 1, end - 1);
  if (letters.find('\\') == std::string_view::npos) return std::string(letters);
  const Json string = parse_json(between(begin, end));
  if (!string.is_string()) refuse(begin, "a string holds an escape that JSON does not have: write a backslash as \\\\");
  return string.get<std::string>();
}

// Finds out what begins there, and where it ends unless it is an array or an object.
void JsonText::put(JsonValue& value, std::size_t begin) const {
  using Kind = JsonValue::Kind;
  value.begin_ = begin;
  const std::string_view rest = text_.substr(std::min(begin, text_.size()));
  const char first = at(begin);
  budget_.work(steps_of_value);
  if (first == '{' || first == '[') {
    value.kind_ = first == '{' ? Kind::object : Kind::array;
    if (value.depth_ > most_depth) refuse(begin, "arrays and objects are nested too deeply");
    return;
  }
  if (first == '"') {
    value.kind_ = Kind::text;
    value.end_ = string_end(begin);
    budget_.work(value.end_ - begin);
    return;
  }
  if (first == '-' || is_digit(first)) {
    value.kind_ = Kind::number;
    value.end_ = number_end(text_, begin);
  }
  for (const std::string_view word : {"null", "true", "false"}) {
    if (!rest.starts_with(word)) continue;
    value.kind_ = word == "null" ? Kind::null : Kind::boolean;
    value.end_ = begin + word.size();
  }
  if (value.end_ > begin + longest_word)
    refuse(begin, fmt::format("a number of more than {} bytes begins here", longest_word));
  if (value.end_ > begin) return budget_.work(value.end_ - begin);
  const std::string path = value.path();
  if (const std::string_view word = word_at(text_, begin); is_infinity_or_nan(word) && !is_small()) {
    throw Error(path, fmt::format("{}: {} is {}, but every number must be finite.", line_and_column(text_, begin),
                                  path.empty() ? "a number" : path, shown_text(word)));
  }
  if (!value.parent_) expected("a document, which begins with {", begin);
  if (value.parent_->is_object()) expected("a value for " + path, begin);
  expected(value.index_ == 0 ? "a value or ]" : "another value", begin);
}

void JsonText::refuse(std::size_t place, std::string_view problem) const {
  const std::string where = line_and_column(text_, place);
  if (is_small()) throw Error(fmt::format("{} is not JSON: the mistake is at {}.", name_, where));
  throw Error(fmt::format("{}: not JSON: {}.", where, problem));
}

void JsonText::expected(std::string_view what, std::size_t place) const {
  const std::string_view word = word_at(text_, place);
  refuse(place, fmt::format("expected {}, but {}", what, word.empty() ? "the text ends" : "found " + in_quotes(word)));
}

Stage named_stage(const JsonValue& value) {
  const std::optional<Stage> stage = stage_named(value.text("the id of a stage"));
  if (stage) return *stage;
  std::vector<std::string_view> ids;
  for (const StageInfo& known : stages()) ids.push_back(known.id);
  value.refuse_name(ids);
}

}  // namespace attnscope
