#pragma once

#include "core/config.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attnscope {

// A real number that a document may set: said once for its file, its check and its slider.
struct NumberField {
  std::string_view key;      // in documents: "dropout"
  std::string_view label;    // in the window
  std::string_view what;     // "the share of weights to drop"
  std::string_view allowed;  // "a number from 0 to 1"
  double lowest;
  double highest;
  std::optional<double> (*get)(const AttentionConfig& config);  // nothing: off
  void (*set)(AttentionConfig& config, std::optional<double> value);
  bool can_be_off;  // by null in documents, by 0 on the slider
  double slider_end;
  std::string_view help;
  std::string_view (*reason)(const AttentionConfig& config);  // why it does nothing now; empty where it does
};

std::span<const NumberField> number_fields();
const NumberField* find_number_field(std::string_view key);  // null when there is none

// A typed whole number from 0 upwards, such as a seed.
struct WholeField {
  std::string_view key;
  std::string_view label;
  std::uint64_t highest;
  std::optional<std::uint64_t> (*get)(const AttentionConfig& config);  // nothing: off
  void (*set)(AttentionConfig& config, std::optional<std::uint64_t> value);
  std::string_view off;  // what stands in its empty field; none where it cannot be off
  std::string_view help;
  std::string_view (*reason)(const AttentionConfig& config);

  std::string allowed() const;  // "a whole number from 0 to 9"
};

std::span<const WholeField> whole_fields();  // in the order of documents
const WholeField& seed_field();

}  // namespace attnscope
