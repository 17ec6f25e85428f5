#include "document/json_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/shown_text.h"

namespace attnscope {
namespace {

constexpr std::size_t most_keys = 10'000;  // of an object: three weights and biases of each head, and more

bool is_object(Place place) {
  return place == Place::document || place == Place::randn_object || place == Place::weights;
}

}  // namespace

std::string DocumentReader::path() const {
  std::string path;
  for (const Frame& frame : frames_) {
    if (!is_object(frame.place)) {
      path += fmt::format("[{}]", frame.index);
    } else if (!frame.key.empty()) {
      if (!path.empty()) path += '.';
      const std::string shown = in_quotes(frame.key);
      path += shown.size() == frame.key.size() + 2 ? frame.key : shown;
    }
  }
  return path;
}

// What may stand where the parser is, for messages.
std::string DocumentReader::allowed_here() const {
  const std::string row = "an array of numbers";
  switch (frames_.back().place) {
    case Place::document:
      break;
    case Place::tokens:
      return "a string";
    case Place::weight_order:
      return R"("query", "key" or "value")";
    case Place::randn_object:
      return "an array of two whole numbers, [T, d_in]";
    case Place::randn:
      return "a whole number from 1 up";
    case Place::weights:
      return "an array of numbers or of rows of numbers";
    case Place::tensor:
      return grid_.rank == 1 ? "a finite number" : row;
    case Place::row:
      return "a finite number";
  }
  const std::string& key = frames_.back().key;
  if (const ScalarField* field = find_scalar_field(key)) return field->allowed;
  if (key == "tokens") return "an array of strings";
  if (key == "inputs") return R"(an array of rows of numbers, or {"randn": [T, d_in]})";
  if (key == "weight_order") return R"(an array of "query", "key" and "value" in any order)";
  return "an object of weights by name";
}

void DocumentReader::refuse(const std::string& what) const {
  if (frames_.empty()) throw Error(fmt::format("The document is {}, but it must be a JSON object, {{…}}.", what));
  throw Error(path(), fmt::format("{} is {}, but it must be {}.", path(), what, allowed_here()));
}

std::optional<Place> DocumentReader::object_here() const {
  if (frames_.empty()) return Place::document;
  if (frames_.back().place != Place::document) return std::nullopt;
  if (frames_.back().key == "inputs") return Place::randn_object;
  if (frames_.back().key == "weights") return Place::weights;
  return std::nullopt;
}

std::optional<Place> DocumentReader::array_here() const {
  if (frames_.empty()) return std::nullopt;
  const Frame& frame = frames_.back();
  switch (frame.place) {
    case Place::randn_object:
      return Place::randn;
    case Place::weights:
      return Place::tensor;
    case Place::tensor:
      return grid_.rank == 1 ? std::nullopt : std::optional(Place::row);
    case Place::document:
      break;
    default:
      return std::nullopt;
  }
  if (frame.key == "tokens") return Place::tokens;
  if (frame.key == "weight_order") return Place::weight_order;
  if (frame.key == "inputs") return Place::tensor;
  return std::nullopt;
}

bool DocumentReader::open(std::optional<Place> place, std::string_view what) {
  if (!place) refuse(std::string(what));
  if (*place == Place::tensor) grid_ = {};
  if (*place == Place::row) grid_.rank = 2;
  if (*place == Place::tokens) parsed_.has_tokens = true;
  frames_.push_back({*place});
  after_ = After::opening;
  return true;
}

// A value is complete: the next one of its array, if there is one, is due.
void DocumentReader::element_done() {
  after_ = frames_.empty() ? After::everything : After::value;
  if (!frames_.empty()) ++frames_.back().index;
}

bool DocumentReader::key(std::string& name) {
  static constexpr std::string_view randn_key = "randn";
  Frame& frame = frames_.back();
  const auto known = frame.place == Place::randn_object ? std::span(&randn_key, 1) : document_keys();
  if (frame.place != Place::weights && std::ranges::find(known, name) == known.end()) {
    frame.key.clear();
    const std::string owner = frames_.size() == 1 ? "a document" : path();
    frame.key = name;
    const std::string hint = suggestion(name, known);
    const std::string end = hint.empty() ? "; it may have " + fmt::format("{}", fmt::join(known, ", ")) + "." : hint;
    throw Error(path(), fmt::format("{} is not a key of {}{}", in_quotes(name), owner, end));
  }
  frame.key = name;
  if (frame.keys.size() == most_keys)
    throw Error(path(), fmt::format("There are more than {} weights, which no mechanism has.", most_keys));
  if (!frame.keys.insert(name).second) {
    throw Error(path(), fmt::format("{} stands there twice, but a key may stand only once.", path()));
  }
  after_ = After::key;
  return true;
}

bool DocumentReader::end_object() {
  if (frames_.back().place == Place::randn_object) {
    frames_.back().key.clear();
    if (!parsed_.has_inputs) throw Error(path(), R"(inputs is an object without "randn": write {"randn": [T, d_in]}.)");
  }
  frames_.pop_back();
  element_done();
  return true;
}

bool DocumentReader::end_array() {
  const auto [place, count] = std::pair(frames_.back().place, frames_.back().index);
  frames_.pop_back();
  if (place == Place::row) end_row();
  if (place == Place::tensor) end_tensor();
  if (place == Place::weight_order && count != 3) refuse(fmt::format("{} long", count));
  if (place == Place::randn && count != 2) refuse(fmt::format("{} long", count));
  element_done();
  return true;
}

bool DocumentReader::scalar(const JsonScalar& value) {
  if (frames_.empty()) refuse(value.spelled());
  switch (frames_.back().place) {
    case Place::document:
      take_field(value);
      break;
    case Place::tokens:
      take_token(value);
      break;
    case Place::weight_order:
      take_projection(value);
      break;
    case Place::randn:
      take_randn_size(value);
      break;
    case Place::tensor:
    case Place::row:
      take_number(value);
      break;
    case Place::randn_object:
    case Place::weights:
      refuse(value.spelled());
  }
  element_done();
  return true;
}

void DocumentReader::take_field(const JsonScalar& value) {
  const ScalarField* field = find_scalar_field(frames_.back().key);
  if (!field || !field->take(parsed_, value)) refuse(value.spelled());
}

void DocumentReader::take_token(const JsonScalar& value) {
  if (value.kind != JsonScalar::Kind::text) refuse(value.spelled());
  if (std::ssize(parsed_.tokens) == max_tokens)
    throw Error("tokens", fmt::format("tokens has more than {} names, the most that a document has.", max_tokens));
  parsed_.tokens.push_back(value.text);
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
    if (in_inputs() || grid_.rank == 2) refuse(value.spelled());
    grid_.rank = 1;
  }
  if (!value.is_number()) refuse(value.spelled());
  const auto number = static_cast<float>(value.number());
  if (!std::isfinite(number)) {
    throw Error(path(), fmt::format("{} is {}, but numbers are float32: they must lie between -3.4e38 and 3.4e38.",
                                    path(), value.spelled()));
  }
  grid_.values.push_back(number);
}

void DocumentReader::end_row() {
  const Index count = std::ssize(grid_.values) - grid_.rows * grid_.cols;
  if (count == 0) throw Error(path(), path() + " is empty, but it must hold at least one number.");
  if (grid_.rows == 0) grid_.cols = count;
  if (count != grid_.cols) {
    throw Error(path(),
                fmt::format("{} has {} numbers, but the rows before it have {}: all rows must be of one length.",
                            path(), count, grid_.cols));
  }
  ++grid_.rows;
}

void DocumentReader::end_tensor() {
  if (grid_.values.empty()) throw Error(path(), path() + " is empty, but it must hold at least one number.");
  std::vector<Index> shape = {std::ssize(grid_.values)};
  if (grid_.rank == 2) shape = {grid_.rows, grid_.cols};
  Tensor tensor(std::move(shape), std::move(grid_.values));
  if (in_inputs()) {
    parsed_.document.config.inputs = std::move(tensor);
    parsed_.has_inputs = true;
  } else {
    parsed_.document.config.weight_overrides[frames_.back().key] = std::move(tensor);
  }
}

bool DocumentReader::parse_error(std::size_t position, const std::string& token,
                                 const nlohmann::json::exception& problem) {
  constexpr int number_too_large = 406;
  if (problem.id == number_too_large) {
    throw Error(path(),
                fmt::format("{} is {}, but it is too large a number for anything here.", path(), shown_text(token)));
  }
  const bool in_object = !frames_.empty() && is_object(frames_.back().place);
  throw syntax_error(text_, position, token, {after_, in_object, path()});
}

}  // namespace attnscope
