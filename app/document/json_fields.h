#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/number_field.h"
#include "document/document.h"

// The keys of a document, for reading and writing alike. For those who read documents and scripts.
namespace attnscope {

// The words that stand in documents for the values of an enumeration.
template <typename Enum, std::size_t count>
using Words = std::array<std::pair<Enum, std::string_view>, count>;

constexpr Words<Normalization, 2> normalization_words = {
    {{Normalization::softmax, "softmax"}, {Normalization::sum, "sum"}}};
constexpr Words<MaskRoute, 5> mask_words = {{{MaskRoute::none, "none"},
                                             {MaskRoute::causal, "causal"},
                                             {MaskRoute::causal_after_softmax, "causal_after_softmax"},
                                             {MaskRoute::causal_renormalized, "causal_renormalized"},
                                             {MaskRoute::custom, "custom"}}};
constexpr Words<MaskAlignment, 2> alignment_words = {
    {{MaskAlignment::lower_right, "lower_right"}, {MaskAlignment::upper_left, "upper_left"}}};
constexpr Words<DropoutKernel, 2> kernel_words = {{{DropoutKernel::mkl, "mkl"}, {DropoutKernel::standard, "default"}}};
constexpr Words<Projection, 3> projection_words = {
    {{Projection::query, "query"}, {Projection::key, "key"}, {Projection::value, "value"}}};

template <typename Enum, std::size_t count>
std::string_view word_of(const Words<Enum, count>& words, Enum value) {
  for (const auto& [candidate, word] : words) {
    if (candidate == value) return word;
  }
  return {};
}

// A JSON value that is neither array nor object.
struct JsonScalar {
  enum class Kind { null, boolean, whole, negative, real, text };
  Kind kind = Kind::null;
  bool boolean = false;
  std::uint64_t whole = 0;    // 0 and above, exact up to 2^64 - 1
  std::int64_t negative = 0;  // below 0
  double real = 0;            // any other number
  std::string text = {};      // a string, or a real number as it was spelled

  bool is_number() const { return kind == Kind::whole || kind == Kind::negative || kind == Kind::real; }
  double number() const;
  std::string spelled() const;  // for messages
};

// A document as it was read, before defaults that depend on other keys are filled in.
struct ParsedDocument {
  Document document;                      // its tokens are the ones below
  std::vector<std::string> tokens;        // as far as read
  std::vector<std::string> query_tokens;  // the same
  std::shared_ptr<ParsedDocument> compared;
  bool has_tokens = false;
  bool has_inputs = false;
  bool has_mask = false;
  bool has_scale = false;
  std::string bias_file;   // where the bias is in a file
  std::string given_file;  // where queries, keys and values are
};

// A key whose value is a scalar.
struct ScalarField {
  std::string_view key;
  std::string allowed;                                           // "true or false"
  bool (*set)(ParsedDocument& parsed, const JsonScalar& value);  // false when the value is of the wrong kind
  const NumberField* number = nullptr;                           // else what the value is of
  const WholeField* whole = nullptr;                             // or of this

  bool take(ParsedDocument& parsed, const JsonScalar& value) const;
};

std::span<const ScalarField> scalar_fields();
const ScalarField* find_scalar_field(std::string_view key);  // null when there is none

// Every key that a document may have, in the order in which it is written.
std::span<const std::string_view> document_keys();

// For writing: a text in quotation marks; "tokens": [...] without the comma or line end behind it.
std::string json_string(std::string_view text);
void write_tokens(std::string& json, const std::vector<std::string>& tokens, std::string_view key = "tokens");

// ", did you mean "mask"?" when one of the known words is close to `word`, else nothing.
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace attnscope
