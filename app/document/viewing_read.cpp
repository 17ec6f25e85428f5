#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/shown_text.h"
#include "document/json.h"
#include "document/json_events.h"
#include "document/json_syntax.h"
#include "document/viewing_document.h"

namespace attnscope {
namespace {

constexpr std::string_view format_word = "attnscope-viewing";
constexpr std::size_t most_axes = 32;  // NumPy's
constexpr Index most_layers = 1'000'000;
constexpr std::array<std::string_view, 6> axes_words = {"query, key",
                                                        "head, query, key",
                                                        "layer, query, key",
                                                        "batch, head, query, key",
                                                        "layer, head, query, key",
                                                        "layer, batch, head, query, key"};

bool is_text(const JsonScalar& value) { return value.kind == JsonScalar::Kind::text; }

bool set_name(std::string& target, const JsonScalar& value) {
  target = value.text;
  return is_text(value) && !target.empty() && target.find('\0') == std::string::npos;
}

// A whole number from 1 up.
bool set_count(Index& target, const JsonScalar& value, Index most) {
  if (value.kind != JsonScalar::Kind::whole || value.whole < 1 || value.whole > static_cast<std::uint64_t>(most)) {
    return false;
  }
  target = static_cast<Index>(value.whole);
  return true;
}

// A key and the values that it may have. For an array, `set` is called with one element after the other.
struct Field {
  std::string_view key;
  bool is_needed;
  std::string_view allowed;
  std::string_view allowed_element;  // empty when the value is no array
  bool (*set)(ViewingDocument& viewing, const JsonScalar& value);
};

using Viewing = ViewingDocument;
using Value = JsonScalar;

constexpr std::string_view count_words = "a whole number from 1 up";
constexpr std::array<Field, 11> fields = {{
    {"format", true, "\"attnscope-viewing\"", "", [](Viewing&, const Value& v) { return v.text == format_word; }},
    {"version", false, "1, the only version there is", "",
     [](Viewing&, const Value& v) { return v.kind == Value::Kind::whole && v.whole == 1; }},
    {"file", true, "the path of a file of arrays", "",
     [](Viewing& viewing, const Value& v) {
       std::string name;
       const bool is_name = set_name(name, v);
       if (is_name) viewing.file = name;
       return is_name;
     }},
    {"tensor", false, "the name of a tensor in the file", "",
     [](Viewing& viewing, const Value& v) { return set_name(viewing.tensor, v); }},
    {"shape", true, "an array of whole numbers from 1 up", count_words,
     [](Viewing& viewing, const Value& v) {
       if (viewing.shape.size() == most_axes)
         throw Error("shape", fmt::format("shape has more than {} sizes, the most axes there are.", most_axes));
       return set_count(viewing.shape.emplace_back(), v, std::numeric_limits<Index>::max());
     }},
    {"number_type", true, "the name of a type, as \"float32\"", "",
     [](Viewing& viewing, const Value& v) { return set_name(viewing.number_type, v); }},
    {"axes", true, "what the axes stand for, as \"layer, head, query, key\" or \"batch, head, query, key\"", "",
     [](Viewing& viewing, const Value& v) {
       viewing.axes = v.text;
       return is_text(v) && std::ranges::find(axes_words, v.text) != axes_words.end();
     }},
    {"layers", false, "a whole number from 1 to 1000000", "",
     [](Viewing& viewing, const Value& v) { return set_count(viewing.layers, v, most_layers); }},
    {"layer", false, "a whole number from 1 to the number of layers", "",
     [](Viewing& viewing, const Value& v) { return set_count(viewing.layer, v, most_layers); }},
    {"checksum", false, "eight hexadecimal digits, as \"8d3e1f06\"", "",
     [](Viewing& viewing, const Value& v) {
       viewing.checksum = v.text;
       return is_text(v) && v.text.size() == 8 && v.text.find_first_not_of("0123456789abcdef") == std::string::npos;
     }},
    {"tokens", false, "an array of strings", "a string",
     [](Viewing& viewing, const Value& v) {
       if (std::ssize(viewing.tokens) == max_tokens)
         throw Error("tokens", fmt::format("tokens has more than {} names, the most that are shown.", max_tokens));
       viewing.tokens.push_back(v.text);
       return is_text(v);
     }},
}};

const Field* find_field(std::string_view key) {
  const auto found = std::ranges::find(fields, key, &Field::key);
  return found == fields.end() ? nullptr : &*found;
}

std::vector<std::string_view> known_keys() {
  std::vector<std::string_view> keys;
  for (const Field& field : fields) keys.push_back(field.key);
  return keys;
}

void check_shape(const std::vector<Index>& shape) {
  if (shape.size() < 2 || shape.size() > most_axes) {
    throw Error("shape", fmt::format("shape has {} sizes, but attention has 2 to {} axes.", shape.size(), most_axes));
  }
  const Index tokens = shape.back();
  if (tokens == shape[shape.size() - 2] && tokens <= max_tokens) return;
  throw Error("shape", fmt::format("shape is [{}], but it must end with the number of tokens twice, 1 to {}.",
                                   fmt::join(shape, ", "), max_tokens));
}

// Takes the parser's events and fills in a viewing document. Throws Error with the path of the value that is wrong.
class ViewingReader : public JsonEvents {
public:
  explicit ViewingReader(std::string_view text) : text_(text) { viewing_.layer = 1; }

  bool start_object(std::size_t) override {
    if (is_open_) refuse("an object");
    is_open_ = true;
    after_ = After::opening;
    return true;
  }
  bool start_array(std::size_t) override {
    if (!is_open_ || element_ || field_->allowed_element.empty()) refuse("an array");
    element_ = 0;
    after_ = After::opening;
    return true;
  }
  bool end_array() override {
    element_.reset();
    after_ = After::value;
    return true;
  }
  bool end_object() override {
    after_ = After::everything;
    return true;
  }
  bool key(std::string& name) override;
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& problem) override;

  // Returns what was read, with defaults for what was left out. Throws Error.
  ViewingDocument finish();

private:
  using After = SyntaxContext::After;

  bool scalar(const JsonScalar& value) override;
  std::string path() const;
  [[noreturn]] void refuse(const std::string& what) const;

  std::string_view text_;
  ViewingDocument viewing_;  // its layer counts from 1 until finish()
  std::set<std::string_view> seen_;
  const Field* field_ = nullptr;  // whose value comes next
  std::optional<Index> element_;  // of its array, while inside one
  bool is_open_ = false;
  After after_ = After::nothing;
};

std::string ViewingReader::path() const {
  if (!field_) return "";
  return element_ ? fmt::format("{}[{}]", field_->key, *element_) : std::string(field_->key);
}

void ViewingReader::refuse(const std::string& what) const {
  if (!field_) throw Error(fmt::format("The document is {}, but it must be a JSON object, {{…}}.", what));
  throw Error(path(), fmt::format("{} is {}, but it must be {}.", path(), what,
                                  element_ ? field_->allowed_element : field_->allowed));
}

bool ViewingReader::key(std::string& name) {
  field_ = find_field(name);
  if (!field_) {
    const std::vector<std::string_view> known = known_keys();
    const std::string hint = suggestion(name, known);
    throw Error(fmt::format("{} is not a key of a viewing{}", in_quotes(name),
                            hint.empty() ? fmt::format("; it may have {}.", fmt::join(known, ", ")) : hint));
  }
  if (!seen_.insert(field_->key).second) {
    throw Error(path(), fmt::format("{} occurs twice, but a key may occur only once.", path()));
  }
  after_ = After::key;
  return true;
}

bool ViewingReader::scalar(const JsonScalar& value) {
  const bool may_stand = is_open_ && (element_ || field_->allowed_element.empty());
  if (!may_stand || !field_->set(viewing_, value)) refuse(value.spelled());
  if (element_) ++*element_;
  after_ = After::value;
  return true;
}

bool ViewingReader::parse_error(std::size_t position, const std::string& token,
                                const nlohmann::json::exception& problem) {
  constexpr int number_too_large = 406;
  if (problem.id == number_too_large) {
    throw Error(path(), fmt::format("{} is {}, but that number is too large.", path(), shown_text(token)));
  }
  throw syntax_error(text_, position, token, {after_, !element_, path()});
}

ViewingDocument ViewingReader::finish() {
  for (const Field& field : fields) {
    if (field.is_needed && !seen_.contains(field.key)) {
      throw Error(std::string(field.key),
                  fmt::format("{} is missing, but a viewing needs it: {}.", field.key, field.allowed));
    }
  }
  check_shape(viewing_.shape);
  if (viewing_.layer > viewing_.layers) {
    throw Error("layer", fmt::format("layer is {}, but layers is {}.", viewing_.layer, viewing_.layers));
  }
  --viewing_.layer;
  if (!seen_.contains("tokens")) viewing_.tokens = numbered_tokens(viewing_.shape.back());
  if (std::ssize(viewing_.tokens) != viewing_.shape.back()) {
    throw Error("tokens", fmt::format("tokens has {} names, but the shape has {} tokens.", viewing_.tokens.size(),
                                      viewing_.shape.back()));
  }
  for (std::size_t i = 0; i < viewing_.tokens.size(); ++i) check_token(viewing_.tokens[i], i);
  return std::move(viewing_);
}

// Looks for "format", and stops at the first key that a viewing document cannot have: in a document mostly at once.
class FormatFinder : public JsonEvents {
public:
  bool is_viewing() const { return is_viewing_; }

  bool start_object(std::size_t) override { return ++depth_ == 1; }
  bool start_array(std::size_t) override { return ++depth_ == 2; }
  bool end_array() override { return --depth_ > 0; }
  bool end_object() override { return false; }
  bool key(std::string& name) override {
    is_format_ = name == "format";
    return find_field(name) != nullptr;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

private:
  bool scalar(const JsonScalar& value) override {
    is_viewing_ = is_format_ && depth_ == 1 && is_text(value) && value.text == format_word;
    return !is_format_;
  }

  int depth_ = 0;
  bool is_format_ = false;
  bool is_viewing_ = false;
};

}  // namespace

bool is_viewing_document(std::string_view text) {
  FormatFinder finder;
  nlohmann::json::sax_parse(text, &finder);
  return finder.is_viewing();
}

ViewingDocument parse_viewing_document(std::string_view text) {
  check_json_text(text);
  ViewingReader reader(text);
  nlohmann::json::sax_parse(text, &reader);
  return reader.finish();
}

AnyDocument parse_any_document(std::string_view text, const ArrayFiles& files) {
  check_json_text(text);
  if (is_viewing_document(text)) return parse_viewing_document(text);
  return parse_document(text, files);
}

}  // namespace attnscope
