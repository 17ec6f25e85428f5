#pragma once

#include "core/config.h"

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

// The fields of a configuration that are one value each, said once: documents, checks, sweeps and the setup read this
// table.
// A label stands before a control, `help` is its tooltip, and `reason` returns why the field does nothing now: no words
// if it does something.
namespace attnscope {

using FieldReason = std::string_view (*)(const AttentionConfig& config);

// A whole number from 1 up.
struct CountField {
  std::string_view key;  // in documents: "num_heads"
  std::string_view label;
  Index highest;
  FieldReason reason;
  Index AttentionConfig::*member;
  std::string_view help = {};
  bool is_option = true;  // The setup shows the field among its options, not above them.

  std::string allowed() const;
};

struct FlagField {
  std::string_view key;
  std::string_view label;
  std::string_view on;   // stands beside its box
  std::string_view off;  // if given, a list of both words replaces the box
  std::string_view help;
  FieldReason reason;
  bool AttentionConfig::*member;
  static constexpr bool is_option = true;
};

// One of several words.
struct ChoiceField {
  struct Value {
    std::string_view word;  // in documents: "causal"
    std::string_view label;
    std::string_view short_label = {};  // for narrow places
  };

  std::string_view key;
  std::string_view label;
  std::span<const Value> values;  // in the order of the enumeration
  int (*get)(const AttentionConfig& config);
  void (*set)(AttentionConfig& config, int value);
  bool is_rare = false;                  // documents leave it out if it has the first value
  bool is_first_without_effect = false;  // if the field does nothing, the first value acts
  std::string_view help;
  FieldReason reason;
  // Says why a value cannot be chosen now.
  std::string_view (*obstacle)(const AttentionConfig& config, int value) = nullptr;
  bool is_option = true;  // as of CountField

  std::string allowed() const;  // "\"softmax\" or \"sum\""
};

// A real number with a slider.
struct NumberField {
  std::string_view key;
  std::string_view label;
  std::string_view what;     // "the share of weights to drop"
  std::string_view allowed;  // "a number from 0 to 1"
  double lowest;
  double highest;
  std::optional<double> (*get)(const AttentionConfig& config);  // nothing: off
  void (*set)(AttentionConfig& config, std::optional<double> value);
  std::string_view off;  // its slider shows this at 0, which means off; empty: 0 is a number
  double slider_end;
  std::string_view help;
  FieldReason reason;
  // Documents may write true (the usual value) or false in place of such a number. Other fields are null if they are
  // off.
  const FlagField* flag = nullptr;
  bool is_option = true;  // as of CountField

  bool can_be_null() const { return !off.empty() && !flag; }
};

// A typed whole number, such as a seed.
struct IntegerField {
  std::string_view key;
  std::string_view label;
  std::uint64_t lowest = 0;
  std::uint64_t highest;
  std::optional<std::uint64_t> (*get)(const AttentionConfig& config);  // nothing: off
  void (*set)(AttentionConfig& config, std::optional<std::uint64_t> value);
  std::string_view off;  // stands in its empty field; empty if it cannot be off
  bool is_rare = false;  // documents leave it out if it is off
  std::string_view help;
  FieldReason reason;
  bool is_option = true;  // as of CountField

  std::string allowed() const;  // "a whole number from 0 to 9"
};

using ConfigField = std::variant<CountField, FlagField, ChoiceField, NumberField, IntegerField>;
std::span<const ConfigField> config_fields();  // in the order of documents

template <typename Visit>
void visit_fields(const Visit& visit) {
  for (const ConfigField& field : config_fields()) std::visit(visit, field);
}

// Returns the field of this kind with this key, which must exist.
template <typename Field>
const Field& config_field(std::string_view key) {
  for (const ConfigField& field : config_fields()) {
    if (const auto* const found = std::get_if<Field>(&field); found && found->key == key) return *found;
  }
  throw std::logic_error("There is no field " + std::string(key) + ".");
}

}  // namespace attnscope
