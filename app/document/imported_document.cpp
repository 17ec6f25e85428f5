#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "document/imported_document.h"
#include "document/json_document.h"
#include "document/json_value.h"
#include "platform/system/process.h"

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

using Value = JsonValue;

bool set_name(std::string& target, const Value& value) {
  if (value.is_text()) target = value.text();
  return value.is_text() && !target.empty() && target.find('\0') == std::string::npos;
}

// Sets a whole number from 1 to `most`; returns false for another value.
bool set_count(Index& target, const Value& value, Index most) {
  target = value.whole().value_or(0);
  return target >= 1 && target <= most;
}

bool read_shape(ImportedDocument& viewing, const Value& value) {
  if (!value.is_array()) return false;
  for (JsonItems items(value); const Value* item = items.next();) {
    if (viewing.shape.size() == most_axes)
      throw Error("shape", fmt::format("shape has more than {} sizes, the most axes there are.", most_axes));
    if (!set_count(viewing.shape.emplace_back(), *item, std::numeric_limits<Index>::max()))
      item->refuse("a whole number from 1 up");
  }
  return true;
}

// A key and the values that it may have.
struct Field {
  std::string_view key;
  bool is_needed;
  std::string_view allowed;
  bool (*read)(ImportedDocument& viewing, const Value& value);  // returns false for a value that is not allowed
};

constexpr std::array<Field, 14> fields = {{
    {"format", true, "\"attnscope-viewing\"",
     [](ImportedDocument&, const Value& v) { return v.is_text() && v.text() == format_word; }},
    {"version", false, "1, the only version there is",
     [](ImportedDocument&, const Value& v) { return v.whole() == 1; }},
    {"file", true, "the path of a file of arrays",
     [](ImportedDocument& viewing, const Value& v) {
       std::string name;
       const bool is_name = set_name(name, v);
       if (is_name) viewing.file = name;
       return is_name;
     }},
    {"tensor", false, "the name of a tensor in the file",
     [](ImportedDocument& viewing, const Value& v) { return set_name(viewing.tensor, v); }},
    {"shape", true, "an array of whole numbers from 1 up", read_shape},
    {"number_type", true, "the name of a type, as \"float32\"",
     [](ImportedDocument& viewing, const Value& v) { return set_name(viewing.number_type, v); }},
    {"axes", true, "what the axes stand for, as \"layer, head, query, key\" or \"batch, head, query, key\"",
     [](ImportedDocument& viewing, const Value& v) {
       return set_name(viewing.axes, v) && std::ranges::find(axes_words, viewing.axes) != axes_words.end();
     }},
    {"layers", false, "a whole number from 1 to 1000000",
     [](ImportedDocument& viewing, const Value& v) { return set_count(viewing.layers, v, most_layers); }},
    {"layer", false, "a whole number from 1 to the number of layers",
     [](ImportedDocument& viewing, const Value& v) { return set_count(viewing.layer, v, most_layers); }},
    {"steps", false, "a whole number from 1 to 1000000",
     [](ImportedDocument& viewing, const Value& v) { return set_count(viewing.steps, v, most_layers); }},
    {"numbers", false, "\"weights\", \"scores\" or \"shares\"",
     [](ImportedDocument& viewing, const Value& v) {
       const auto word = std::ranges::find(numbers_words, v.is_text() ? v.text() : "");
       if (word != numbers_words.end()) viewing.numbers = static_cast<NumbersAs>(word - numbers_words.begin());
       return viewing.numbers != NumbersAs::suggested;
     }},
    {"checksum", false, "eight hexadecimal digits, as \"8d3e1f06\"",
     [](ImportedDocument& viewing, const Value& v) {
       return set_name(viewing.checksum, v) && viewing.checksum.size() == 8 &&
              viewing.checksum.find_first_not_of("0123456789abcdef") == std::string::npos;
     }},
    {"tokens", false, "an array of strings",
     [](ImportedDocument& viewing, const Value& v) { return read_names(viewing.tokens, v); }},
    {"query_tokens", false, "an array of strings",
     [](ImportedDocument& viewing, const Value& v) { return read_names(viewing.query_tokens, v); }},
}};

const Field* find_field(std::string_view key) {
  const auto found = std::ranges::find(fields, key, &Field::key);
  return found == fields.end() ? nullptr : &*found;
}

void check_shape(const std::vector<Index>& shape) {
  if (shape.size() < 2 || shape.size() > most_axes) {
    throw Error("shape", fmt::format("shape has {} sizes, but attention has 2 to {} axes.", shape.size(), most_axes));
  }
  if (std::max(shape.back(), shape[shape.size() - 2]) <= max_tokens) return;
  throw Error("shape", fmt::format("shape is [{}], but it must end with the numbers of queries and of keys, 1 to {}.",
                                   fmt::join(shape, ", "), max_tokens));
}

// Reads the fields, and returns the keys that there are.
std::set<std::string_view> read_viewing_fields(ImportedDocument& viewing, const Value& object) {
  std::set<std::string_view> seen;
  for (JsonItems items(object); const Value* item = items.next();) {
    const Field* const field = find_field(item->key());
    if (!field) {
      std::array<std::string_view, fields.size()> known;
      std::ranges::transform(fields, known.begin(), &Field::key);
      throw Error(unknown_key(item->key(), "a viewing", known));
    }
    if (!field->read(viewing, *item)) item->refuse(field->allowed);
    seen.insert(field->key);
  }
  return seen;
}

// Throws Error if a needed field was left out; fills in defaults for the others.
ImportedDocument with_defaults(ImportedDocument viewing, const std::set<std::string_view>& seen) {
  for (const Field& field : fields) {
    if (field.is_needed && !seen.contains(field.key)) {
      throw Error(std::string(field.key),
                  fmt::format("{} is missing, but a viewing needs it: {}.", field.key, field.allowed));
    }
  }
  check_shape(viewing.shape);
  if (viewing.layer > viewing.layers) {
    throw Error("layer", fmt::format("layer is {}, but layers is {}.", viewing.layer, viewing.layers));
  }
  --viewing.layer;
  const Index queries = viewing.shape[viewing.shape.size() - 2];
  if (!seen.contains("tokens")) viewing.tokens = numbered_tokens(viewing.shape.back());
  if (std::ssize(viewing.tokens) != viewing.shape.back()) {
    throw Error("tokens", fmt::format("tokens has {} names, but the shape has {} {}.", viewing.tokens.size(),
                                      viewing.shape.back(), queries == viewing.shape.back() ? "tokens" : "keys"));
  }
  if (!viewing.query_tokens.empty() && std::ssize(viewing.query_tokens) != queries) {
    throw Error("query_tokens", fmt::format("query_tokens has {} names, but the shape has {} queries.",
                                            viewing.query_tokens.size(), queries));
  }
  for (const auto* const names : {&viewing.tokens, &viewing.query_tokens})
    for (std::size_t i = 0; i < names->size(); ++i) check_token((*names)[i], i);
  return viewing;
}

ImportedDocument read_viewing(const JsonText& text) {
  const Value root = text.root();
  if (!root.is_object()) root.refuse("");
  ImportedDocument viewing;
  viewing.layer = 1;  // it counts from 1 in the text
  const std::set<std::string_view> seen = read_viewing_fields(viewing, root);
  text.finish(root);
  return with_defaults(std::move(viewing), seen);
}

// A viewing document has arrays of numbers and names, and no objects.
bool may_be_in_viewing(const Value& value) {
  if (value.is_object()) return false;
  if (!value.is_array()) return true;
  for (JsonItems items(value); const Value* item = items.next();) {
    if (item->is_array() || item->is_object()) return false;
  }
  return true;
}

namespace fs = std::filesystem;

std::string path_text(const fs::path& file, const fs::path& carrier) {
  const fs::path path = absolute_path(file);
  const fs::path relative =
      carrier.empty() ? fs::path() : path.lexically_relative(absolute_path(carrier).parent_path());
  const bool is_below = !relative.empty() && *relative.begin() != "..";
  const std::string text = is_below ? relative.string() : path.string();
  if (!find_invalid_utf8(text)) return text;
  throw Error("file", fmt::format("The name of the file {} is no UTF-8 text, and cannot be written: give it another.",
                                  in_quotes(text)));
}

}  // namespace

// Looks for "format", and stops at the first key that a viewing document cannot have: in a document mostly at once.
bool is_viewing_document(const JsonText& text) {
  try {
    const Value root = text.root();
    if (!root.is_object()) return false;
    for (JsonItems items(root); const Value* item = items.next();) {
      if (item->key() == "format") return item->is_text() && item->text() == format_word;
      if (!find_field(item->key()) || !may_be_in_viewing(*item)) return false;
    }
  } catch (const Error&) {  // who reads it says what is wrong
  }
  return false;
}

ImportedDocument parse_viewing_document(std::string_view text) { return read_viewing(JsonText(text)); }

AnyDocument parse_any_document(std::string_view text, const DocumentFiles& files) {
  const JsonText json(text, "", files.watch);
  if (is_viewing_document(json)) return read_viewing(json);
  return parse_document(json, files);
}

std::string to_json(const ImportedDocument& viewing, const fs::path& carrier) {
  std::string json = "{\n  \"format\": \"attnscope-viewing\",\n  \"version\": 1,\n";
  const auto out = std::back_inserter(json);
  fmt::format_to(out, "  \"file\": {},\n", json_string(path_text(viewing.file, carrier)));
  if (!viewing.tensor.empty()) fmt::format_to(out, "  \"tensor\": {},\n", json_string(viewing.tensor));
  fmt::format_to(out, "  \"shape\": [{}],\n", fmt::join(viewing.shape, ", "));
  fmt::format_to(out, "  \"number_type\": {},\n", json_string(viewing.number_type));
  fmt::format_to(out, "  \"axes\": {},\n", json_string(viewing.axes));
  fmt::format_to(out, "  \"layers\": {},\n  \"layer\": {},\n", viewing.layers, viewing.layer + 1);
  if (viewing.steps > 1) fmt::format_to(out, "  \"steps\": {},\n", viewing.steps);
  if (viewing.numbers != NumbersAs::suggested)
    fmt::format_to(out, "  \"numbers\": \"{}\",\n", numbers_words.at(static_cast<std::size_t>(viewing.numbers)));
  if (!viewing.checksum.empty()) fmt::format_to(out, "  \"checksum\": \"{}\",\n", viewing.checksum);
  write_tokens(json, viewing.tokens);
  if (!viewing.query_tokens.empty()) {
    json += ",\n";
    write_tokens(json, viewing.query_tokens, "query_tokens");
  }
  json += "\n}\n";
  return json;
}

fs::path file_of(const ImportedDocument& viewing, const fs::path& carrier) {
  return (absolute_path(carrier).parent_path() / viewing.file).lexically_normal();
}

std::string to_json(const AnyDocument& document, const fs::path& carrier, ModelSha256 sha256) {
  if (const auto* viewing = std::get_if<ImportedDocument>(&document)) return to_json(*viewing, carrier);
  return to_json(std::get<Document>(document), sha256);
}

}  // namespace attnscope
