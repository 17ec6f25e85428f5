#include "document/json_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "core/shown_text.h"

namespace attnscope {
namespace {

constexpr std::size_t most_keys = 10'000;  // of an object: three weights and biases of each head, and more

bool is_object(Place place) {
  return place == Place::document || place == Place::randn_object || place == Place::weights ||
         place == Place::dropout_edits || place == Place::given;
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

// Names what may stand where the parser is, for messages.
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
    case Place::given:
      return frames_.back().key == "origin" ? "a string"
                                            : "nested arrays of numbers, (T, d), (H, T, d) or (B, H, T, d)";
    case Place::nested:
      return R"(a finite number, or "-inf" in a bias, at the same depth in arrays of the same length)";
    case Place::hidden:
      return "a query's array of ranges of hidden keys, such as [[1, 6]]";
    case Place::hidden_query:
      return "a range of hidden keys, [first, last]";
    case Place::hidden_range:
      return fmt::format("a whole number from 0 to {}", max_tokens);
    case Place::heads_off:
      return "a head's number, counted from 0";
    case Place::dropout_edits:
      return "an array of cells, [[batch, head, query, key], …]";
    case Place::edited_cells:
      return "a cell, [batch, head, query, key]";
    case Place::edited_cell:
      return "a whole number from 0 up";
  }
  const std::string& key = frames_.back().key;
  if (const ScalarField* field = find_scalar_field(key)) return field->allowed;
  if (key == "tokens" || key == "query_tokens") return "an array of strings";
  if (key == "inputs") return R"(an array of rows of numbers, or {"randn": [T, d_in]})";
  if (key == "hidden") return "an array that has an array of ranges of hidden keys for each query";
  if (key == "weight_order") return R"(an array of "query", "key" and "value" in any order)";
  if (key == "heads_off") return "an array of heads' numbers, counted from 0";
  if (key == "dropout_edits") return R"(an object of cells, {"drop": [[batch, head, query, key], …], "keep": […]})";
  if (key == "compared_with") return "a document without compared_with";
  return "an object of weights by name";
}

void DocumentReader::refuse(const std::string& what) const {
  if (frames_.empty()) throw Error(fmt::format("The document is {}, but it must be a JSON object, {{…}}.", what));
  throw Error(path(), fmt::format("{} is {}, but it must be {}.", path(), what, allowed_here()));
}

std::optional<Place> DocumentReader::object_here() const {
  if (frames_.empty()) return Place::document;
  if (frames_.size() == 1 && frames_.back().key == "compared_with") return Place::document;
  if (frames_.back().place != Place::document) return std::nullopt;
  if (frames_.back().key == "inputs") return Place::randn_object;
  if (frames_.back().key == "weights") return Place::weights;
  if (frames_.back().key == "dropout_edits") return Place::dropout_edits;
  if (frames_.back().key == "given") return Place::given;
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
    case Place::hidden:
      return Place::hidden_query;
    case Place::hidden_query:
      return Place::hidden_range;
    case Place::nested:
      return Place::nested;
    case Place::dropout_edits:
      return Place::edited_cells;
    case Place::edited_cells:
      return Place::edited_cell;
    case Place::given:
      return frame.key == "origin" ? std::nullopt : std::optional(Place::nested);
    case Place::document:
      break;
    default:
      return std::nullopt;
  }
  if (frame.key == "hidden") return Place::hidden;
  if (frame.key == "bias") return Place::nested;
  if (frame.key == "tokens" || frame.key == "query_tokens") return Place::tokens;
  if (frame.key == "weight_order") return Place::weight_order;
  if (frame.key == "inputs") return Place::tensor;
  if (frame.key == "heads_off") return Place::heads_off;
  return std::nullopt;
}

const Frame& DocumentReader::within_document(std::size_t depth) const {
  const bool is_compared = frames_.size() > 1 && frames_[1].place == Place::document;
  return frames_[depth + (is_compared ? 1 : 0)];
}

bool DocumentReader::open(std::optional<Place> place, std::string_view what) {
  if (!place) refuse(std::string(what));
  if (*place == Place::tensor) grid_ = {};
  if (*place == Place::row) grid_.rank = 2;
  if (*place == Place::nested) {
    if (const auto problem = nested_.open()) refuse(*problem);
  }
  if (*place == Place::hidden_query) begin_hidden_query();
  if (*place == Place::hidden_range) hidden_.back().push_back({});
  if (*place == Place::tokens && frames_.back().key == "tokens") parsed_.has_tokens = true;
  if (*place == Place::edited_cell) add_dropout_edit();
  if (*place == Place::document) outer_ = std::exchange(parsed_, {});
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
  static constexpr std::array<std::string_view, 1> randn_keys = {"randn"};
  static constexpr std::array<std::string_view, 2> edit_keys = {"drop", "keep"};
  Frame& frame = frames_.back();
  static constexpr std::array<std::string_view, 4> given_keys = {"queries", "keys", "values", "origin"};
  const std::span<const std::string_view> known = frame.place == Place::randn_object    ? std::span(randn_keys)
                                                  : frame.place == Place::dropout_edits ? std::span(edit_keys)
                                                  : frame.place == Place::given         ? std::span(given_keys)
                                                                                        : document_keys();
  if (frame.place != Place::weights && std::ranges::find(known, name) == known.end()) {
    frame.key.clear();
    const std::string owner = frame.place == Place::document ? "a document" : path();
    frame.key = name;
    const std::string hint = suggestion(name, known);
    const std::string end = hint.empty() ? "; it may have " + fmt::format("{}", fmt::join(known, ", ")) + "." : hint;
    throw Error(path(), fmt::format("{} is not a key of {}{}", in_quotes(name), owner, end));
  }
  frame.key = name;
  if (frame.keys.size() == most_keys)
    throw Error(path(), fmt::format("There are more than {} weights, which no mechanism has.", most_keys));
  if (!frame.keys.insert(name).second) {
    throw Error(path(), fmt::format("{} occurs twice, but a key may occur only once.", path()));
  }
  after_ = After::key;
  return true;
}

bool DocumentReader::end_object() {
  if (frames_.back().place == Place::randn_object) {
    frames_.back().key.clear();
    if (!parsed_.has_inputs) throw Error(path(), R"(inputs is an object without "randn": write {"randn": [T, d_in]}.)");
  }
  if (frames_.back().place == Place::document && frames_.size() > 1) {
    outer_.compared = std::make_shared<ParsedDocument>(std::move(parsed_));
    parsed_ = std::move(outer_);
  }
  frames_.pop_back();
  element_done();
  return true;
}

bool DocumentReader::end_array() {
  const auto [place, count] = std::pair(frames_.back().place, frames_.back().index);
  frames_.pop_back();
  if (place == Place::nested) end_nested();
  if (place == Place::hidden_range) end_hidden_range(count);
  if (place == Place::hidden_query) end_hidden_query();
  if (place == Place::hidden) parsed_.document.config.hidden = HiddenKeys(std::exchange(hidden_, {}));
  if (place == Place::row) end_row();
  if (place == Place::tensor) end_tensor();
  if (place == Place::weight_order && count != 3) refuse(fmt::format("{} long", count));
  if (place == Place::randn && count != 2) refuse(fmt::format("{} long", count));
  if (place == Place::edited_cell && count != 4) refuse(fmt::format("{} long", count));
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
    case Place::hidden_range:
      take_hidden_key(value);
      break;
    case Place::nested:
      take_nested_number(value);
      break;
    case Place::heads_off:
      take_head_off(value);
      break;
    case Place::edited_cell:
      take_place_of_edit(value);
      break;
    case Place::given:
      if (frames_.back().key != "origin" || value.kind != JsonScalar::Kind::text) refuse(value.spelled());
      parsed_.document.config.heads.origin = value.text;
      break;
    case Place::randn_object:
    case Place::weights:
    case Place::dropout_edits:
    case Place::edited_cells:
    case Place::hidden:
    case Place::hidden_query:
      refuse(value.spelled());
  }
  element_done();
  return true;
}

bool DocumentReader::parse_error(std::size_t position, const std::string& token,
                                 const nlohmann::json::exception& problem) {
  constexpr int number_too_large = 406;
  if (problem.id == number_too_large) {
    throw Error(path(), fmt::format("{} is {}, but that number is too large.", path(), shown_text(token)));
  }
  const bool in_object = !frames_.empty() && is_object(frames_.back().place);
  throw syntax_error(text_, position, token, {after_, in_object, path()});
}

}  // namespace attnscope
