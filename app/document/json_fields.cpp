#include "document/json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/shown_text.h"

namespace attnscope {
namespace {

bool set_index(Index& target, const JsonScalar& value) {
  using Kind = JsonScalar::Kind;
  if (value.kind == Kind::negative) {
    target = value.negative;
    return true;
  }
  if (value.kind != Kind::whole || value.whole > std::numeric_limits<std::int64_t>::max()) return false;
  target = static_cast<Index>(value.whole);
  return true;
}

bool set_boolean(bool& target, const JsonScalar& value) {
  if (value.kind != JsonScalar::Kind::boolean) return false;
  target = value.boolean;
  return true;
}

template <typename Enum, std::size_t count>
bool set_word(Enum& target, const Words<Enum, count>& words, const JsonScalar& value) {
  if (value.kind != JsonScalar::Kind::text) return false;
  for (const auto& [candidate, word] : words) {
    if (word != value.text) continue;
    target = candidate;
    return true;
  }
  return false;
}

bool set_mechanism_word(Mechanism& target, const JsonScalar& value) {
  if (value.kind != JsonScalar::Kind::text) return false;
  for (const MechanismInfo& mechanism : every_mechanism()) {
    if (mechanism.id != value.text) continue;
    target = mechanism.mechanism;
    return true;
  }
  return false;
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

constexpr const char* given_words =
    R"(an object, {"queries": …, "keys": …, "values": …}, or the name of an .npz or .safetensors)";

std::vector<ScalarField> make_other_fields() {
  using Parsed = ParsedDocument;
  using Value = JsonScalar;
  return {
      {"format", "\"attnscope\"",
       [](Parsed&, const Value& v) { return v.kind == Value::Kind::text && v.text == "attnscope"; }},
      {"version", "1, the only version there is",
       [](Parsed&, const Value& v) { return v.kind == Value::Kind::whole && v.whole == 1; }},
      {"batch_size", whole_number(1, max_batch),
       [](Parsed& p, const Value& v) { return set_index(p.document.config.batch_size, v); }},
      {"mechanism", list_of_mechanisms(),
       [](Parsed& p, const Value& v) { return set_mechanism_word(p.document.config.mechanism, v); }},
      {"d_out", whole_number(1, max_features),
       [](Parsed& p, const Value& v) { return set_index(p.document.config.d_out, v); }},
      {"num_heads", whole_number(1, max_heads),
       [](Parsed& p, const Value& v) { return set_index(p.document.config.num_heads, v); }},
      {"qkv_bias", "true or false",
       [](Parsed& p, const Value& v) { return set_boolean(p.document.config.qkv_bias, v); }},
      {"normalization", list_of_words(normalization_words),
       [](Parsed& p, const Value& v) { return set_word(p.document.config.normalization, normalization_words, v); }},
      {"mask", list_of_words(mask_words),
       [](Parsed& p, const Value& v) {
         p.has_mask = true;
         return set_word(p.document.config.mask, mask_words, v);
       }},
      {"mask_alignment", list_of_words(alignment_words),
       [](Parsed& p, const Value& v) { return set_word(p.document.config.mask_alignment, alignment_words, v); }},
      {"scale", "true, false or a number above 0",
       [](Parsed& p, const Value& v) {
         p.has_scale = true;
         if (!v.is_number()) return set_boolean(p.document.config.scale, v);
         p.document.config.scale = true;
         p.document.config.scale_factor = v.number();
         return true;
       }},
      {"given", given_words,
       [](Parsed& p, const Value& v) {
         p.given_file = v.text;
         return v.kind == Value::Kind::text && !v.text.empty();
       }},
      {"bias", "nested arrays of numbers (\"-inf\" hides a key), or the name of a .npy",
       [](Parsed& p, const Value& v) {
         p.bias_file = v.text;
         return v.kind == Value::Kind::text && !v.text.empty();
       }},
      {"training", "true or false",
       [](Parsed& p, const Value& v) { return set_boolean(p.document.config.training, v); }},
      {"dropout_kernel", list_of_words(kernel_words),
       [](Parsed& p, const Value& v) { return set_word(p.document.config.dropout_kernel, kernel_words, v); }},
  };
}

std::vector<ScalarField> make_scalar_fields() {
  std::vector<ScalarField> fields = make_other_fields();
  for (const NumberField& number : number_fields()) {
    fields.push_back({number.key, fmt::format("{}{}", number.allowed, number.can_be_off ? ", or null for none" : ""),
                      nullptr, &number});
  }
  for (const WholeField& whole : whole_fields()) {
    fields.push_back(
        {whole.key, whole.allowed() + (whole.off.empty() ? "" : ", or null for none"), nullptr, nullptr, &whole});
  }
  return fields;
}

// The keys of the fields that can be off, which are written where they are on, stand behind scaling.
std::vector<std::string_view> make_document_keys() {
  std::vector<std::string_view> keys = {
      "format",         "version",        "tokens",        "query_tokens", "inputs",        "given",   "batch_size",
      "mechanism",      "d_out",          "num_heads",     "qkv_bias",     "normalization", "mask",    "hidden",
      "mask_alignment", "scale",          "bias",          "dropout",      "training",      "seed",    "skip_draws",
      "dropout_seed",   "dropout_kernel", "dropout_edits", "heads_off",    "weight_order",  "weights", "compared_with"};
  for (const NumberField& number : number_fields()) {
    if (number.can_be_off) keys.insert(std::ranges::find(keys, "dropout"), number.key);
  }
  return keys;
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

double JsonScalar::number() const {
  if (kind == Kind::whole) return static_cast<double>(whole);
  return kind == Kind::negative ? static_cast<double>(negative) : real;
}

std::string JsonScalar::spelled() const {
  constexpr std::size_t most_of_a_number = 60;
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return boolean ? "true" : "false";
    case Kind::whole:
      return std::to_string(whole);
    case Kind::negative:
      return std::to_string(negative);
    case Kind::real:
      return shown_text(text, most_of_a_number);
    case Kind::text:
      break;
  }
  return in_quotes(text);
}

bool ScalarField::take(ParsedDocument& parsed, const JsonScalar& value) const {
  const bool is_null = value.kind == JsonScalar::Kind::null;
  if (whole) {
    const bool turns_off = is_null && !whole->off.empty();
    if (!turns_off && value.kind != JsonScalar::Kind::whole) return false;
    whole->set(parsed.document.config, turns_off ? std::nullopt : std::optional(value.whole));
    return true;
  }
  if (!number) return set(parsed, value);
  const bool is_off = number->can_be_off && is_null;
  if (!is_off && !value.is_number()) return false;
  number->set(parsed.document.config, is_off ? std::nullopt : std::optional(value.number()));
  return true;
}

std::span<const ScalarField> scalar_fields() {
  static const std::vector<ScalarField> fields = make_scalar_fields();
  return fields;
}

const ScalarField* find_scalar_field(std::string_view key) {
  const auto found = std::ranges::find(scalar_fields(), key, &ScalarField::key);
  return found == scalar_fields().end() ? nullptr : &*found;
}

std::span<const std::string_view> document_keys() {
  static const std::vector<std::string_view> keys = make_document_keys();
  return keys;
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
