// The values of a document as its reader takes them in, each for its place.

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/error.h"
#include "document/json_reader.h"

namespace attnscope {

void DocumentReader::take_field(const JsonScalar& value) {
  const ScalarField* field = find_scalar_field(frames_.back().key);
  if (!field || !field->take(parsed_, value)) refuse(value.spelled());
}

void DocumentReader::take_token(const JsonScalar& value) {
  if (value.kind != JsonScalar::Kind::text) refuse(value.spelled());
  const std::string& key = field_name();
  std::vector<std::string>& names = key == "tokens" ? parsed_.tokens : parsed_.query_tokens;
  if (std::ssize(names) == max_tokens)
    throw Error(key, fmt::format("{} has more than {} names, the most that a document has.", key, max_tokens));
  names.push_back(value.text);
}

void DocumentReader::take_projection(const JsonScalar& value) {
  const Index index = frames_.back().index;
  auto& order = parsed_.document.config.weight_order;
  for (const auto& [projection, word] : projection_words) {
    if (value.kind != JsonScalar::Kind::text || value.text != word || index >= std::ssize(order)) continue;
    order[static_cast<std::size_t>(index)] = projection;
    return;
  }
  refuse(value.spelled());
}

void DocumentReader::take_randn_size(const JsonScalar& value) {
  const Index index = frames_.back().index;
  const bool fits = value.kind == JsonScalar::Kind::whole && value.whole <= std::numeric_limits<std::int64_t>::max();
  if (!fits || index > 1) refuse(value.spelled());
  auto& inputs = parsed_.document.config.inputs;
  if (index == 0) inputs = RandnInputs{};
  (index == 0 ? std::get<RandnInputs>(inputs).tokens : std::get<RandnInputs>(inputs).features) =
      static_cast<Index>(value.whole);
  parsed_.has_inputs = true;
}

void DocumentReader::take_number(const JsonScalar& value) {
  if (frames_.back().place == Place::tensor) {
    if (field_name() == "inputs" || grid_.rank == 2) refuse(value.spelled());
    grid_.rank = 1;
  }
  grid_.values.push_back(float_of(value));
}

void DocumentReader::end_row() {
  const Index count = std::ssize(grid_.values) - grid_.rows * grid_.cols;
  if (count == 0) throw Error(path(), path() + " is empty, but it must hold at least one number.");
  if (grid_.rows == 0) grid_.cols = count;
  if (count != grid_.cols) {
    throw Error(path(),
                fmt::format("{} has {} numbers, but the rows before it have {}: all rows must have the same length.",
                            path(), count, grid_.cols));
  }
  ++grid_.rows;
}

void DocumentReader::end_tensor() {
  if (grid_.values.empty()) throw Error(path(), path() + " is empty, but it must hold at least one number.");
  std::vector<Index> shape = {std::ssize(grid_.values)};
  if (grid_.rank == 2) shape = {grid_.rows, grid_.cols};
  Tensor tensor(std::move(shape), std::move(grid_.values));
  if (field_name() == "inputs") {
    parsed_.document.config.inputs = std::move(tensor);
    parsed_.has_inputs = true;
  } else {
    parsed_.document.config.weight_overrides[frames_.back().key] = std::move(tensor);
  }
}

float DocumentReader::float_of(const JsonScalar& value) const {
  if (!value.is_number()) refuse(value.spelled());
  const auto number = static_cast<float>(value.number());
  if (std::isfinite(number)) return number;
  throw Error(path(), fmt::format("{} is {}, but numbers are float32: they must lie between -3.4e38 and 3.4e38.",
                                  path(), value.spelled()));
}

void DocumentReader::take_nested_number(const JsonScalar& value) {
  const bool hides = value.kind == JsonScalar::Kind::text && value.text == "-inf" && field_name() == "bias";
  const float number = hides ? -std::numeric_limits<float>::infinity() : float_of(value);
  if (const auto problem = nested_.add(number)) refuse(*problem);
}

void DocumentReader::end_nested() {
  if (const auto problem = nested_.close()) throw Error(path(), fmt::format("{} is {}.", path(), *problem));
  if (!nested_.is_done()) return;
  AttentionConfig& config = parsed_.document.config;
  const std::string& key = frames_.back().key;
  SharedTensor& target = key == "queries"  ? config.heads.queries
                         : key == "keys"   ? config.heads.keys
                         : key == "values" ? config.heads.values
                                           : config.bias;
  target = nested_.take();
}

void DocumentReader::begin_hidden_query() {
  if (std::ssize(hidden_) == max_tokens)
    throw Error("hidden", fmt::format("hidden has lists for more than {} queries, the most there are.", max_tokens));
  hidden_.emplace_back();
}

void DocumentReader::take_hidden_key(const JsonScalar& value) {
  const Index index = frames_.back().index;
  if (value.kind != JsonScalar::Kind::whole || value.whole > max_tokens || index > 1) refuse(value.spelled());
  KeyRange& range = hidden_.back().back();
  (index == 0 ? range.first : range.last) = static_cast<Index>(value.whole);
}

void DocumentReader::end_hidden_range(Index numbers) {
  const KeyRange& range = hidden_.back().back();
  if (numbers != 2) refuse(fmt::format("{} long", numbers));
  if (range.first > range.last) {
    throw Error(path(), fmt::format("{} is [{}, {}], but a range must not end before it begins: [1, 3] hides "
                                    "the keys 1 and 2.",
                                    path(), range.first, range.last));
  }
  constexpr Index most_apart = 4096;  // ranges of a query that are held before they are put together
  if (frames_.back().index % most_apart == most_apart - 1) hidden_.back() = merged(std::move(hidden_.back()));
}

void DocumentReader::end_hidden_query() {
  hidden_.back() = merged(std::move(hidden_.back()));
  hidden_.back().shrink_to_fit();
  hidden_ranges_ += std::ssize(hidden_.back());
  if (hidden_ranges_ <= max_hidden_ranges) return;
  throw Error("hidden", fmt::format("hidden has more than {} ranges, the most there may be.", max_hidden_ranges));
}

}  // namespace attnscope
