#include "document/json_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/config_fields.h"
#include "core/error.h"
#include "core/shown_text.h"
#include "document/json_document.h"

namespace attnscope {
namespace {

// Each returns false if the value is of the wrong kind.
bool set_field(AttentionConfig& config, const CountField& field, const JsonValue& value) {
  const std::optional<Index> number = value.whole();
  if (number) config.*field.member = *number;
  return number.has_value();
}

bool set_field(AttentionConfig& config, const FlagField& field, const JsonValue& value) {
  if (value.is_boolean()) config.*field.member = value.flag();
  return value.is_boolean();
}

bool set_field(AttentionConfig& config, const ChoiceField& field, const JsonValue& value) {
  const auto found = std::ranges::find(field.values, value.is_text() ? value.text() : "", &ChoiceField::Value::word);
  if (found != field.values.end()) field.set(config, static_cast<int>(found - field.values.begin()));
  return found != field.values.end();
}

bool set_field(AttentionConfig& config, const NumberField& field, const JsonValue& value) {
  if (field.flag && !value.is_number()) return set_field(config, *field.flag, value);
  const bool is_off = field.can_be_null() && value.is_null();
  if (!is_off && !value.is_number()) return false;
  field.set(config, is_off ? std::nullopt : std::optional(value.number()));
  return true;
}

bool set_field(AttentionConfig& config, const WholeField& field, const JsonValue& value) {
  const bool is_off = !field.off.empty() && value.is_null();
  const std::optional<std::uint64_t> number = value.natural();
  if (is_off || number) field.set(config, number);
  return is_off || number;
}

// Returns the words of messages for the values that a field may have.
std::string allowed(const CountField& field) { return field.allowed(); }
std::string allowed(const FlagField&) { return "true or false"; }
std::string allowed(const ChoiceField& field) { return field.allowed(); }
std::string allowed(const NumberField& field) {
  return fmt::format("{}{}", field.allowed, field.can_be_null() ? ", or null for none" : "");
}
std::string allowed(const WholeField& field) {
  return field.allowed() + (field.off.empty() ? "" : ", or null for none");
}

bool read_compared(ParsedDocument& parsed, const JsonValue& value) {
  if (!value.is_object() || parsed.is_compared) return false;
  parsed.compared = std::make_shared<ParsedDocument>();
  parsed.compared->is_compared = true;
  read_fields(*parsed.compared, value);
  return true;
}

using Parsed = ParsedDocument;
using Value = JsonValue;

// In the order in which messages name them.
std::vector<DocumentField> make_document_fields() {
  std::vector<DocumentField> fields = {
      {"format", "\"attnscope\"", [](Parsed&, const Value& v) { return v.is_text() && v.text() == "attnscope"; }},
      {"version", "1, the only version there is", [](Parsed&, const Value& v) { return v.whole() == 1; }},
      {"tokens", "an array of strings", [](Parsed& p, const Value& v) { return read_names(p.tokens, v); }},
      {"query_tokens", "an array of strings", [](Parsed& p, const Value& v) { return read_names(p.query_tokens, v); }},
      {"inputs", R"(an array of rows of numbers, or {"randn": [T, d_in]})", read_inputs},
      {"given", R"(an object, {"queries": …, "keys": …, "values": …}, or the name of an .npz or .safetensors)",
       read_given},
  };
  visit_fields([&](const auto& field) {
    fields.push_back({field.key, allowed(field), [&field](Parsed& parsed, const Value& value) {
                        return set_field(parsed.document.config, field, value);
                      }});
  });
  const auto add = [&](std::string_view key, std::string words, bool (*read)(AttentionConfig&, const Value&)) {
    fields.push_back({key, std::move(words),
                      [read](Parsed& parsed, const Value& value) { return read(parsed.document.config, value); }});
  };
  add("hidden", "an array that has an array of ranges of hidden keys for each query", read_hidden);
  add("dropout_edits", R"(an object of cells, {"drop": [[batch, head, query, key], …], "keep": […]})",
      read_dropout_edits);
  add("heads_off", "an array of heads' numbers, counted from 0", read_heads_off);
  add("weight_order", R"(an array of "query", "key" and "value" in any order)", read_weight_order);
  add("weights", "an object of weights by name", read_weights);
  fields.push_back({"bias", "nested arrays of numbers (\"-inf\" hides a key), or the name of a .npy", read_bias});
  fields.push_back({"compared_with", "a document without compared_with", read_compared});
  return fields;
}

// Levenshtein's distance: how many letters must be typed, deleted or replaced.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

void read_fields(ParsedDocument& parsed, const JsonValue& object) {
  static const std::vector<DocumentField> fields = make_document_fields();
  for (JsonItems items(object); const JsonValue* item = items.next();) {
    const auto field = std::ranges::find(fields, item->key(), &DocumentField::key);
    if (field == fields.end()) {
      std::vector<std::string_view> known;
      for (const DocumentField& other : fields) known.push_back(other.key);
      throw Error(item->path(), unknown_key(item->key(), "a document", known));
    }
    if (!field->read(parsed, *item)) item->refuse(field->allowed);
    parsed.keys.insert(field->key);
  }
}

std::string unknown_key(std::string_view key, std::string_view owner, std::span<const std::string_view> known) {
  const std::string hint = suggestion(key, known);
  return fmt::format("{} is not a key of {}{}", in_quotes(key), owner,
                     hint.empty() ? fmt::format("; it may have {}.", fmt::join(known, ", ")) : hint);
}

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t longest = 40;
  if (known.empty() || word.size() > longest) return "";
  const auto distance = [&](std::string_view candidate) { return edit_distance(word, candidate); };
  const std::string_view nearest = std::ranges::min(known, {}, distance);
  const std::size_t tolerated = std::max<std::size_t>(1, nearest.size() / 3);
  return distance(nearest) <= tolerated ? fmt::format(", did you mean \"{}\"?", nearest) : "";
}

}  // namespace attnscope
