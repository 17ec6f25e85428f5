#include "document/json_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/error.h"
#include "core/number_field.h"
#include "core/shown_text.h"
#include "document/json_document.h"

namespace attnscope {
namespace {

bool set_index(Index& target, const JsonValue& value) {
  const std::optional<Index> number = value.whole();
  target = number.value_or(target);
  return number.has_value();
}

bool set_boolean(bool& target, const JsonValue& value) {
  if (!value.is_boolean()) return false;
  target = value.flag();
  return true;
}

bool set_mechanism_word(Mechanism& target, const JsonValue& value) {
  const auto found = std::ranges::find(every_mechanism(), value.is_text() ? value.text() : "", &MechanismInfo::id);
  if (found == every_mechanism().end()) return false;
  target = found->mechanism;
  return true;
}

bool set_scale(ParsedDocument& parsed, const JsonValue& value) {
  AttentionConfig& config = parsed.document.config;
  parsed.has_scale = true;
  if (!value.is_number()) return set_boolean(config.scale, value);
  config.scale = true;
  config.scale_factor = value.number();
  return true;
}

bool set_number(const NumberField& field, AttentionConfig& config, const JsonValue& value) {
  const bool is_off = field.can_be_off && value.is_null();
  if (!is_off && !value.is_number()) return false;
  field.set(config, is_off ? std::nullopt : std::optional(value.number()));
  return true;
}

bool set_whole(const WholeField& field, AttentionConfig& config, const JsonValue& value) {
  const bool is_off = !field.off.empty() && value.is_null();
  const std::optional<std::uint64_t> number = value.natural();
  if (is_off || number) field.set(config, number);
  return is_off || number;
}

bool read_compared(ParsedDocument& parsed, const JsonValue& value) {
  if (!value.is_object() || parsed.is_compared) return false;
  parsed.compared = std::make_shared<ParsedDocument>();
  parsed.compared->is_compared = true;
  read_fields(*parsed.compared, value);
  return true;
}

std::string list_of_words(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text += fmt::format("\"{}\"", words[i]);
  }
  return text;
}

template <typename Enum, std::size_t count>
std::string list_of_words(const Words<Enum, count>& words) {
  std::vector<std::string_view> names;
  for (const auto& entry : words) names.push_back(entry.second);
  return list_of_words(names);
}

std::string list_of_mechanisms() {
  std::vector<std::string_view> names;
  for (const MechanismInfo& mechanism : every_mechanism()) names.push_back(mechanism.id);
  return list_of_words(names);
}

std::string whole_number(std::uint64_t smallest, std::uint64_t largest) {
  return fmt::format("a whole number from {} to {}", smallest, largest);
}

using Parsed = ParsedDocument;
using Value = JsonValue;
constexpr const char* flag_words = "true or false";

// The fields of the document as a whole and of its inputs.
std::vector<DocumentField> first_fields() {
  return {
      {"format", "\"attnscope\"", [](Parsed&, const Value& v) { return v.is_text() && v.text() == "attnscope"; }},
      {"version", "1, the only version there is", [](Parsed&, const Value& v) { return v.whole() == 1; }},
      {"tokens", "an array of strings",
       [](Parsed& p, const Value& v) { return p.has_tokens = read_names(p.tokens, v); }},
      {"query_tokens", "an array of strings", [](Parsed& p, const Value& v) { return read_names(p.query_tokens, v); }},
      {"inputs", R"(an array of rows of numbers, or {"randn": [T, d_in]})", read_inputs},
      {"given", R"(an object, {"queries": …, "keys": …, "values": …}, or the name of an .npz or .safetensors)",
       read_given},
  };
}

std::vector<DocumentField> config_fields() {
  using Config = AttentionConfig;
  const auto of_config = [](bool (*read)(Config & config, const Value& value)) {
    return [read](Parsed& parsed, const Value& value) { return read(parsed.document.config, value); };
  };
  std::vector<DocumentField> fields = {
      {"batch_size", whole_number(1, max_batch),
       of_config([](Config& c, const Value& v) { return set_index(c.batch_size, v); })},
      {"mechanism", list_of_mechanisms(),
       of_config([](Config& c, const Value& v) { return set_mechanism_word(c.mechanism, v); })},
      {"d_out", whole_number(1, max_features),
       of_config([](Config& c, const Value& v) { return set_index(c.d_out, v); })},
      {"num_heads", whole_number(1, max_heads),
       of_config([](Config& c, const Value& v) { return set_index(c.num_heads, v); })},
      {"qkv_bias", flag_words, of_config([](Config& c, const Value& v) { return set_boolean(c.qkv_bias, v); })},
      {"normalization", list_of_words(normalization_words),
       of_config([](Config& c, const Value& v) { return take_word(c.normalization, normalization_words, v); })},
      {"mask", list_of_words(mask_words),
       [](Parsed& p, const Value& v) { return p.has_mask = take_word(p.document.config.mask, mask_words, v); }},
      {"hidden", "an array that has an array of ranges of hidden keys for each query", of_config(read_hidden)},
      {"mask_alignment", list_of_words(alignment_words),
       of_config([](Config& c, const Value& v) { return take_word(c.mask_alignment, alignment_words, v); })},
      {"scale", "true, false or a number above 0", set_scale},
      {"bias", "nested arrays of numbers (\"-inf\" hides a key), or the name of a .npy", read_bias},
      {"training", flag_words, of_config([](Config& c, const Value& v) { return set_boolean(c.training, v); })},
      {"dropout_kernel", list_of_words(kernel_words),
       of_config([](Config& c, const Value& v) { return take_word(c.dropout_kernel, kernel_words, v); })},
      {"dropout_edits", R"(an object of cells, {"drop": [[batch, head, query, key], …], "keep": […]})",
       of_config(read_dropout_edits)},
      {"heads_off", "an array of heads' numbers, counted from 0", of_config(read_heads_off)},
      {"weight_order", R"(an array of "query", "key" and "value" in any order)", of_config(read_weight_order)},
      {"weights", "an object of weights by name", of_config(read_weights)},
  };
  for (const NumberField& number : number_fields()) {
    const std::string allowed = fmt::format("{}{}", number.allowed, number.can_be_off ? ", or null for none" : "");
    fields.push_back({number.key, allowed,
                      [&number](Parsed& p, const Value& v) { return set_number(number, p.document.config, v); }});
  }
  for (const WholeField& whole : whole_fields()) {
    fields.push_back({whole.key, whole.allowed() + (whole.off.empty() ? "" : ", or null for none"),
                      [&whole](Parsed& p, const Value& v) { return set_whole(whole, p.document.config, v); }});
  }
  return fields;
}

// In the order in which messages name them.
const std::vector<DocumentField>& document_fields() {
  static const std::vector<DocumentField> all = [] {
    std::vector<DocumentField> fields = first_fields();
    std::ranges::move(config_fields(), std::back_inserter(fields));
    fields.push_back({"compared_with", "a document without compared_with", read_compared});
    return fields;
  }();
  return all;
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
  const std::vector<DocumentField>& fields = document_fields();
  for (JsonItems items(object); const JsonValue* item = items.next();) {
    const auto field = std::ranges::find(fields, item->key(), &DocumentField::key);
    if (field == fields.end()) {
      std::vector<std::string_view> known;
      for (const DocumentField& other : fields) known.push_back(other.key);
      throw Error(item->path(), unknown_key(item->key(), "a document", known));
    }
    if (!field->read(parsed, *item)) item->refuse(field->allowed);
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
