#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "document/edit.h"
#include "document/json.h"
#include "files/import.h"

namespace attnscope {
namespace {

std::string list_of_tables(const NamedArrays& file) {
  constexpr std::size_t shown = 8;
  std::vector<std::string> texts;
  for (const ArrayView& array : file.arrays) {
    if (texts.size() == shown) {
      texts.push_back(fmt::format("{} more", file.arrays.size() - shown));
      break;
    }
    texts.push_back(in_quotes(array.name) + " " + shape_text(array.shape));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::size_t chosen_array(const NamedArrays& file, const std::string& name) {
  if (name.empty() && file.arrays.size() == 1) return 0;
  if (name.empty()) {
    std::vector<std::string> names;
    for (const ArrayView& array : file.arrays) {
      if (array.shape.size() == 2 && array.problem.empty()) names.push_back(array.name);
    }
    throw ChoiceNeeded(
        ChoiceNeeded::Of::tensor,
        fmt::format("The file has several tensors, and one of them can be the embeddings: {}.", list_of_tables(file)),
        std::move(names));
  }
  const ArrayView* found = file.find(name);
  if (!found) {
    throw Error(fmt::format("There is no tensor {} in the file: it has {}.", in_quotes(name), list_of_tables(file)));
  }
  return static_cast<std::size_t>(found - file.arrays.data());
}

// Axes of one before the table say nothing: (1, T, d) is a table too.
void drop_leading_ones(ArrayView& array) {
  while (array.shape.size() > 2 && array.shape.front() == 1) array.shape.erase(array.shape.begin());
}

struct Rows {
  Index first = 0;
  Index count = 0;
};

Rows chosen_rows(const ArrayView& array, const ImportChoice& choice) {
  const Index there = array.shape[0];
  const Rows rows = choice.first_row ? Rows{*choice.first_row, choice.row_count} : Rows{0, there};
  if (rows.first < 0 || rows.count < 1 || rows.first >= there || rows.count > there - rows.first) {
    if (there == 0)
      throw Error(fmt::format("The table has the shape {}: there is no row in it.", shape_text(array.shape)));
    throw Error(fmt::format("Rows {} to {} were asked for, but the table has rows 1 to {}.", rows.first + 1,
                            rows.first + rows.count, there));
  }
  if (rows.count > max_tokens) {
    throw ChoiceNeeded(
        ChoiceNeeded::Of::rows,
        fmt::format("{} rows would become tokens, but a document has at most {}.", rows.count, max_tokens));
  }
  return rows;
}

void check_table(const ArrayView& array) {
  if (array.shape.size() != 2) {
    throw Error(
        fmt::format("The array has the shape {}, but embeddings are a table of T rows, one per token, with d_in "
                    "numbers each: save one such table.",
                    shape_text(array.shape)));
  }
  if (array.shape[1] < 1 || array.shape[1] > max_features) {
    throw Error(
        fmt::format("The table has rows of {} numbers, but d_in must be from 1 to {}.", array.shape[1], max_features));
  }
}

// Returns these rows of a table. The others of a packed one are not kept in memory, unless its columns are stored one
// after the other.
Tensor load_rows(const NamedArrays& file, std::size_t index, const ArrayView& table, Rows rows,
                 const LoadWatch& parts) {
  ArrayView array = table;
  if (!array.problem.empty()) throw Error(array.problem);
  if (!file.unpack || array.bytes.is_there() || array.is_fortran) {
    array.bytes = load(file, index, parts.unpacking).bytes;
    return rows_to_tensor(array, rows.first, rows.count, parts.converting);
  }
  const std::uint64_t before = claimed_bytes(std::array{rows.first, array.shape[1]}, array.type);
  array.shape[0] = rows.count;
  array.bytes = file.unpack(index, {before, claimed_bytes(array.shape, array.type)}, parts.unpacking);
  return to_tensor(array, parts.converting);
}

}  // namespace

void import_embeddings(Document& document, const NamedArrays& file, const ImportChoice& choice,
                       const UnpackWatch& watch) {
  const std::size_t index = chosen_array(file, choice.tensor);
  ArrayView described = file.arrays[index];
  drop_leading_ones(described);
  if (described.problem.empty()) check_table(described);
  const Rows rows = described.problem.empty() ? chosen_rows(described, choice) : Rows{};
  if (described.problem.empty()) check_fits_document(static_cast<std::uint64_t>(rows.count * described.shape[1]));
  const LoadWatch parts(watch, described);
  Tensor inputs = load_rows(file, index, described, rows, parts);
  if (file.forget_unpacked) file.forget_unpacked();
  std::vector<std::string> names = numbered_tokens(rows.count);
  if (!file.row_names.empty()) {
    std::copy_n(file.row_names.begin() + rows.first, rows.count, names.begin());
  } else if (std::ssize(document.tokens) == rows.count) {
    names = document.tokens;
  }
  Document changed = document;
  set_inputs(changed, std::move(inputs), std::move(names));
  if (changed.config.weight_overrides != document.config.weight_overrides) {
    throw Error(
        fmt::format("The embeddings have {} dimensions, but the document's own weights take {}: use embeddings of "
                    "{}, or a document without weights of its own.",
                    described.shape[1], input_features(document.config), input_features(document.config)));
  }
  document = std::move(changed);
}

void check_fits_document(std::uint64_t numbers) {
  constexpr std::uint64_t least_bytes = 3;  // a number in a document takes at least "0, "
  if (numbers <= max_document_bytes / least_bytes) return;
  throw Error(
      fmt::format("{} numbers make a document of {} bytes or more, but at most {} can be read again: take "
                  "fewer.",
                  numbers, numbers * least_bytes, max_document_bytes));
}

std::string import_arrays(Document& into, const NamedArrays& file, const ImportChoice& choice,
                          const UnpackWatch& watch) {
  Document document = into;
  std::string note;
  if (holds_weights(file, choice)) {
    note = import_weights(document, file, choice, watch);
  } else if (choice.tensor.empty() && holds_parameters(file)) {
    refuse_parameters(file);
  } else {
    import_embeddings(document, file, choice, watch);
  }
  into = std::move(document);
  return note;
}

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> head_names = {
    {{"queries", "q"}, {"keys", "k"}, {"values", "v"}}};

const ArrayView* find_of(const NamedArrays& file, const std::pair<std::string_view, std::string_view>& names) {
  const ArrayView* const found = file.find(names.first);
  return found ? found : file.find(names.second);
}

const ArrayView* find_mask(const NamedArrays& file) {
  for (const std::string_view name : {"attn_mask", "attention_mask", "key_padding_mask", "mask", "bias"}) {
    if (const ArrayView* const found = file.find(name)) return found;
  }
  return nullptr;
}

// Returns whether 1 in a mask of ones and zeros means that a query may see the key.
bool lets_ones_through(const Tensor& mask, const std::string& name) {
  if (name == "attn_mask" || name == "attention_mask" || name == "bias") return true;
  if (name == "key_padding_mask") return false;
  const Index side = mask.shape.empty() ? 0 : mask.shape.back();
  const bool is_square = mask.shape.size() >= 2 && mask.shape[mask.shape.size() - 2] == side;
  Index seen = 0;
  for (Index i = 0; is_square && i < side; ++i)
    seen += mask.values[static_cast<std::size_t>(i * side + i)] != 0 ? 1 : 0;
  if (is_square && side > 0 && (seen == 0 || seen == side)) return seen == side;  // each token sees itself
  throw Error(
      fmt::format("It does not show whether True in its array {} of the shape {} means that a query sees the "
                  "key: call the array attn_mask if it does, and key_padding_mask if it does not.",
                  in_quotes(name), shape_text(mask.shape)));
}

// Takes a mask beside queries, keys and values as the bias that says the same.
void take_mask(AttentionConfig& config, Tensor mask, const ArrayView& described) {
  config.mask = MaskRoute::none;
  const std::vector<Index>& queries = config.heads.queries.shape();
  if (!is_floating(described.type)) {
    if (std::ranges::any_of(mask.values, [](float cell) { return cell != 0 && cell != 1; }))
      throw Error(
          fmt::format("Its array {} has whole numbers, but a mask has only 0 and 1.", in_quotes(described.name)));
    const bool shows_ones = lets_ones_through(mask, described.name);
    for (float& cell : mask.values) cell = (cell != 0) == shows_ones ? 0 : -std::numeric_limits<float>::infinity();
  }
  const bool is_of_batch =
      mask.shape.size() == 2 && queries[0] > 1 && mask.shape[0] == queries[0] && mask.shape[0] != queries[2];
  if (is_of_batch || (described.name == "key_padding_mask" && mask.shape.size() == 2))
    mask.shape = {mask.shape[0], 1, 1, mask.shape[1]};  // (B, T_key)
  config.bias = std::move(mask);
}

}  // namespace

bool holds_heads(const NamedArrays& file) {
  if (file.arrays.size() != head_names.size() + (find_mask(file) ? 1 : 0)) return false;
  for (const auto& names : head_names) {
    const ArrayView* const array = find_of(file, names);
    if (!array || array->shape.size() < 2 || array->shape.size() > 4) return false;
  }
  return true;
}

Document document_of_heads(const NamedArrays& file, const std::string& name, const UnpackWatch& watch) {
  std::uint64_t numbers = 0;
  for (const ArrayView& array : file.arrays) numbers += claimed_bytes(array.shape, NumberType::uint8);
  check_fits_document(numbers);
  std::array<SharedTensor, 3> tensors;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const ArrayView* const array = find_of(file, head_names.at(i));
    const LoadWatch parts(watch, *array);
    const auto index = static_cast<std::size_t>(array - file.arrays.data());
    tensors.at(i) = to_tensor(load(file, index, parts.unpacking), parts.converting);
  }
  Document document = document_of({tensors[0], tensors[1], tensors[2], name});
  if (const ArrayView* const mask = find_mask(file)) {
    const LoadWatch parts(watch, *mask);
    const auto index = static_cast<std::size_t>(mask - file.arrays.data());
    take_mask(document.config, to_tensor(load(file, index, parts.unpacking), parts.converting), *mask);
    check(document);
  }
  return document;
}

std::vector<std::string> likely_heads(Index features) {
  constexpr double usual_width = 64;
  std::vector<Index> numbers;
  for (Index heads = 1; heads <= std::min(features, max_heads); ++heads) {
    if (features % heads == 0) numbers.push_back(heads);
  }
  std::ranges::stable_sort(numbers, {}, [&](Index heads) {
    return std::abs(std::log(static_cast<double>(features) / static_cast<double>(heads) / usual_width));
  });
  std::vector<std::string> options;
  for (const Index heads : numbers) options.push_back(fmt::format("{}", heads));
  return options;
}

std::string listed_options(const std::vector<std::string>& options) {
  if (options.size() < 2) return fmt::format("{}", fmt::join(options, ""));
  return fmt::format("{} or {}", fmt::join(options.begin(), options.end() - 1, ", "), options.back());
}

}  // namespace attnscope
