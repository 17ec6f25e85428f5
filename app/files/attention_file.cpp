#include "files/attention_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "files/import.h"

namespace attnscope {
namespace {

constexpr std::size_t most_axes = 5;
constexpr std::size_t max_unpacked = std::size_t{1} << 28;  // bytes of unpacked entries that may be held in memory

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "layers.#.attn" of "layers.11.attn": the same for the names of all layers.
std::string pattern_of(std::string_view name) {
  std::string pattern;
  for (const char c : name) {
    if (!is_digit(c)) pattern += c;
    if (is_digit(c) && !pattern.ends_with('#')) pattern += '#';
  }
  return pattern;
}

// Numbers in names count as numbers: layer 2 comes before layer 10.
bool comes_before(std::string_view left, std::string_view right) {
  while (!left.empty() && !right.empty()) {
    if (is_digit(left.front()) && is_digit(right.front())) {
      const auto number = [](std::string_view& text) {
        text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
        const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
        text.remove_prefix(digits.size());
        return std::pair(digits.size(), digits);
      };
      const auto order = number(left) <=> number(right);
      if (order != std::strong_ordering::equal) return order < 0;
    } else {
      if (left.front() != right.front()) return left.front() < right.front();
      left.remove_prefix(1);
      right.remove_prefix(1);
    }
  }
  return left.empty() && !right.empty();
}

// Returns the shape without leading axes of size 1 if it has more axes than any known one.
std::vector<Index> shown_shape(std::vector<Index> shape) {
  while (shape.size() > most_axes && shape.front() == 1) shape.erase(shape.begin());
  return shape;
}

bool is_square(const ArrayView& array) {
  const std::vector<Index> shape = shown_shape(array.shape);
  if (!array.problem.empty() || shape.size() < 2 || shape.size() > most_axes) return false;
  return shape.back() == shape[shape.size() - 2] && std::ranges::none_of(shape, [](Index size) { return size < 1; });
}

Index matrices_in(const std::vector<Index>& shape) {
  Index count = 1;
  for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) count *= shape[axis];
  return count;
}

// Files of `attnscope eval` have the batch first, (B, H, T, T).
bool is_own_stage(std::string_view name) { return std::ranges::find(stages(), name, &StageInfo::id) != stages().end(); }

void take_axes(AttentionTensors& tensors, bool takes_other_axes) {
  const std::vector<Index> shape = shown_shape(tensors.shape);
  const bool is_many = tensors.arrays.size() > 1;
  tensors.layers = is_many ? std::ssize(tensors.arrays) : 1;
  tensors.tokens = shape.back();
  const auto axis = [&](std::size_t from_end) { return shape.size() >= from_end ? shape[shape.size() - from_end] : 1; };
  tensors.heads = axis(3);
  tensors.batch_size = axis(4);
  tensors.axes = "query, key";
  if (shape.size() >= 3) tensors.axes = "head, " + tensors.axes;
  if (shape.size() >= 4) tensors.axes = "batch, " + tensors.axes;
  if (shape.size() == 5) {
    tensors.layers = shape.front();
    tensors.axes = "layer, " + tensors.axes;
  }
  if (is_many || shape.size() == 2 || shape.size() == 5) return;
  tensors.other_axes = shape.size() == 3 ? "layer, query, key" : "layer, head, query, key";
  const bool has_layers_first = shape.size() == 4 && !is_own_stage(tensors.name);
  if (has_layers_first == takes_other_axes) return;
  std::swap(tensors.axes, tensors.other_axes);
  tensors.layers = std::exchange(shape.size() == 3 ? tensors.heads : tensors.batch_size, 1);
}

// Names that attention usually has come first; among equals, tensors of several matrices.
int likelihood(const AttentionTensors& tensors) {
  const bool is_named = tensors.name.find("attn") != std::string::npos ||
                        tensors.name.find("attention") != std::string::npos || tensors.name.starts_with("weights");
  return (is_named ? 2 : 0) + (tensors.layers * tensors.batch_size * tensors.heads > 1 ? 1 : 0);
}

void check_size(const AttentionTensors& tensors) {
  const auto refuse = [&](Index count, const char* what, Index most, const char* advice) {
    if (count <= most) return;
    const std::string name = tensors.name.empty() ? "" : " " + in_quotes(tensors.name);  // .npy has none
    throw Error(fmt::format("The tensor{} has the shape {}, and so {} {}, but at most {} are shown: {}.", name,
                            shape_text(tensors.shape), count, what, most, advice));
  };
  refuse(tensors.tokens, "tokens", max_tokens, "save a part of it");
  refuse(tensors.heads, "heads", max_heads, "save it as (layers, heads, T, T)");
  refuse(tensors.batch_size, "batch entries", max_batch, "save some of them");
}

bool is_place_in_list(std::string_view name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns whether the name is one that attention has, or that says nothing: that of a place in a list.
bool may_name_attention(std::string_view name) {
  const std::string words = lower_case(name.substr(0, name.find(" … ")));
  constexpr std::string_view of_attention[] = {"attn", "attention", "weights", "score", "prob"};
  const bool is_place = words.find_first_not_of("0123456789") == std::string::npos || words.starts_with("arr_");
  return is_place || is_own_stage(words) || std::ranges::any_of(of_attention, [&](std::string_view word) {
           return words.find(word) != std::string::npos;
         });
}

// Masks and other buffers of models are square, too.
bool is_buffer(const NamedArrays& file, const AttentionTensors& tensors) {
  const ArrayView& array = file.arrays[tensors.arrays.front()];
  const std::string_view own = std::string_view(array.name).substr(array.name.rfind('.') + 1);  // npos + 1 is 0
  const bool is_unnamed_mask = array.type == NumberType::boolean && !may_name_attention(array.name);
  return is_unnamed_mask || own.ends_with("mask") || own == "tril" || own == "causal";
}

// Throws Error if attention has as many axes, but not as many keys as queries.
void refuse_other_keys(const ArrayView& array) {
  const std::vector<Index> shape = shown_shape(array.shape);
  const bool is_named = !array.name.empty() && may_name_attention(array.name);
  if (shape.size() < 2 || shape.size() > most_axes || (shape.size() < 4 && !is_named)) return;
  const Index queries = shape[shape.size() - 2];
  const Index keys = shape.back();
  if (queries < 1 || keys < 1 || queries == keys) return;
  throw Error(
      fmt::format("The array{} has the shape {}: {} {} and {} {}, as in attention to another text or in a step of "
                  "generation. Only attention of a text to itself is shown, with as many keys as queries.",
                  array.name.empty() ? "" : " " + in_quotes(array.name), shape_text(array.shape), queries,
                  queries == 1 ? "query" : "queries", keys, keys == 1 ? "key" : "keys"));
}

[[noreturn]] void refuse_shapes(const NamedArrays& file, const std::string& wanted) {
  for (const ArrayView& array : file.arrays) {
    if (wanted.empty() || array.name == wanted) refuse_other_keys(array);
  }
  constexpr std::size_t shown = 6;
  std::vector<std::string> texts;
  for (const ArrayView& array : file.arrays) {
    if (!wanted.empty() && array.name != wanted) continue;
    if (texts.size() == shown) texts.push_back("and so on");
    if (texts.size() > shown) break;
    texts.push_back((array.name.empty() ? "" : in_quotes(array.name) + " ") + shape_text(array.shape));
  }
  throw Error(
      fmt::format("There is no attention in it: attention weights have the shape (…, T, T), with at most {} axes and "
                  "at least one token, but the file has {}.",
                  most_axes, fmt::join(texts, ", ")));
}

std::vector<AttentionTensors> grouped(const NamedArrays& file, const std::string& wanted) {
  std::map<std::pair<std::string, std::vector<Index>>, std::size_t> places;
  std::vector<AttentionTensors> all;
  for (std::size_t i = 0; i < file.arrays.size(); ++i) {
    const ArrayView& array = file.arrays[i];
    if (!is_square(array) || (!wanted.empty() && array.name != wanted)) continue;
    const bool has_layers = shown_shape(array.shape).size() == most_axes;
    const std::string pattern = has_layers ? array.name : pattern_of(array.name);
    const auto [place, is_new] = places.try_emplace({pattern, array.shape}, all.size());
    if (is_new) all.emplace_back().shape = array.shape;
    all[place->second].arrays.push_back(i);
  }
  for (AttentionTensors& tensors : all) {
    std::ranges::sort(tensors.arrays, comes_before,
                      [&](std::size_t i) { return std::string_view(file.arrays[i].name); });
    tensors.name = file.arrays[tensors.arrays.front()].name;
    if (tensors.arrays.size() > 1) tensors.name += " … " + file.arrays[tensors.arrays.back()].name;
  }
  return all;
}

ArrayView held_array(const NamedArrays& file, std::size_t index, const UnpackWatch& watch) {
  ArrayView held = file.arrays.at(index);
  if (!held.problem.empty()) throw Error(held.problem);
  if (held.bytes.is_there() || !file.unpack) return held;
  if (const std::uint64_t size = claimed_bytes(held.shape, held.type); size > max_unpacked) {
    throw Error(
        fmt::format("{} is packed and takes {} bytes unpacked, but at most {} are held in memory: save it with "
                    "numpy.savez or numpy.save, which need no unpacking.",
                    in_quotes(held.name), size, max_unpacked));
  }
  held.bytes = load(file, index, watch_of(watch, held.name)).bytes;
  return held;
}

// "[2, 0, 4, 17, 3]": the cell as Python would ask for it.
std::string place_in(const ArrayView& array, Index matrix, Index row, Index col) {
  std::vector<Index> indices(array.shape.size());
  indices[indices.size() - 1] = col;
  indices[indices.size() - 2] = row;
  for (std::size_t axis = indices.size() - 2; axis-- > 0;) {
    indices[axis] = matrix % array.shape[axis];
    matrix /= array.shape[axis];
  }
  return fmt::format("{}[{}]", array.name, fmt::join(indices, ", "));
}

// Returns whether the rows of a matrix sum to `whole`, judged by some of them.
bool has_shares(const ArrayView& array, float whole) {
  constexpr Index looks = 64;
  const float slack = 0.02F * whole;  // allowed error of sums of numbers with few digits
  const Index tokens = array.shape.back();
  std::vector<float> row(static_cast<std::size_t>(tokens));
  const Index step = std::max<Index>(1, tokens / looks);
  for (Index place = 0; place < tokens; place += step) {
    if (!read_matrix(row, array, 0, {place, 0, 1, tokens})) return false;
    double sum = 0;
    for (const float value : row) {
      if (!(value >= 0 && value <= whole + slack)) return false;
      sum += static_cast<double>(value);
    }
    if (std::abs(sum - static_cast<double>(whole)) > static_cast<double>(slack)) return false;
  }
  return true;
}

constexpr float percent = 100;

bool has_shares(const ArrayView& array) { return has_shares(array, 1) || has_shares(array, percent); }

}  // namespace

bool is_slow_to_read(const NamedArrays& file) {
  constexpr std::uint64_t quickly_unpacked = std::uint64_t{1} << 18;
  return file.unpack && std::ranges::any_of(file.arrays, [](const ArrayView& array) {
           return array.problem.empty() && !array.bytes.is_there() &&
                  claimed_bytes(array.shape, array.type) > quickly_unpacked;
         });
}

namespace {

// Throws Error if nothing shows that a file with several square arrays holds attention: no name says so, and the
// rows of the first do not sum to 1.
void check_is_attention(const NamedArrays& file, const std::vector<AttentionTensors>& all) {
  const bool is_named = std::ranges::any_of(all, [&](const AttentionTensors& tensors) {
    return may_name_attention(tensors.name) && !is_buffer(file, tensors);
  });
  const std::size_t first = all.front().arrays.front();
  const bool has_numbers = file.unpack || file.arrays[first].bytes.is_there();
  if (is_named || file.arrays.size() == 1 || !has_numbers || has_shares(held_array(file, first, {}))) return;
  throw Error(
      fmt::format("It has several square arrays, but neither are their names those of attention, nor do the rows of {} "
                  "sum to 1: save attention alone, or name it attention.",
                  in_quotes(file.arrays[first].name)));
}

}  // namespace

std::vector<AttentionTensors> find_attention(const NamedArrays& file, const std::string& wanted,
                                             bool takes_other_axes) {
  if (!wanted.empty() && !file.find(wanted)) {
    throw Error(fmt::format("There is no tensor {} in the file.", in_quotes(wanted)));
  }
  if (wanted.empty() && holds_parameters(file)) refuse_parameters(file);
  std::vector<AttentionTensors> all = grouped(file, wanted);
  if (all.empty()) refuse_shapes(file, wanted);
  for (AttentionTensors& tensors : all) take_axes(tensors, takes_other_axes);
  std::ranges::stable_sort(all, std::ranges::greater(), likelihood);
  std::stable_partition(all.begin(), all.end(),
                        [&](const AttentionTensors& tensors) { return !is_buffer(file, tensors); });
  if (wanted.empty()) {
    check_is_attention(file, all);
    for (const ArrayView& array : file.arrays) {  // the steps of a generation are a list, whose first alone is square
      if (array.shape.size() > 3 && is_place_in_list(array.name)) refuse_other_keys(array);
    }
  }
  return all;
}

bool is_square_table(const NamedArrays& file) {
  return file.arrays.size() == 1 && is_square(file.arrays.front()) && matrices_in(file.arrays.front().shape) == 1;
}

bool holds_attention(const NamedArrays& file, const UnpackWatch& watch) {
  const std::vector<AttentionTensors> all = grouped(file, {});
  if (all.empty() || holds_parameters(file)) return false;
  if (!file.row_names.empty() && file.row_names == file.column_names) return true;
  const auto is_stated = [&](const AttentionTensors& tensors) {
    return matrices_in(tensors.shape) > 1 && may_name_attention(tensors.name) && !is_buffer(file, tensors);
  };
  if (std::ranges::any_of(all, is_stated)) return true;
  const auto first = std::ranges::find_if(
      all, [&](const AttentionTensors& tensors) { return file.arrays.size() == 1 || !is_buffer(file, tensors); });
  return first != all.end() && has_shares(held_array(file, first->arrays.front(), watch));
}

std::shared_ptr<const ImportedAttention> read_layer(const std::shared_ptr<const NamedArrays>& file,
                                                    const AttentionTensors& tensors, Index layer, Stage stage,
                                                    const std::string& origin, const UnpackWatch& watch) {
  const bool is_many = tensors.arrays.size() > 1;
  const ArrayView array = held_array(*file, tensors.arrays.at(is_many ? static_cast<std::size_t>(layer) : 0), watch);
  const Index first = is_many ? 0 : layer * tensors.batch_size * tensors.heads;
  auto attention = std::make_shared<ImportedAttention>();
  attention->stage = stage;
  attention->batch_size = tensors.batch_size;
  attention->heads = tensors.heads;
  attention->tokens = tensors.tokens;
  attention->origin = origin;
  attention->number_type = name_of(array.type);
  attention->read_for_a_cell = read_for_a_cell(array);
  const bool divides = tensors.is_in_percent;
  attention->read = [array, first, divides](std::span<float> cells, Index matrix, const CellRect& rect) {
    (void)read_matrix(cells, array, first + matrix, rect);  // what cannot be read any more is NaN
    if (!divides) return;
    for (float& cell : cells) cell /= percent;
  };
  attention->place = [array, first, divides](Index matrix, Index row, Index col) {
    return place_in(array, first + matrix, row, col) + (divides ? " / 100" : "");
  };
  attention->is_causal = hides_later_keys(*attention);
  return attention;
}

bool are_percent(const NamedArrays& file, const AttentionTensors& tensors, const UnpackWatch& watch) {
  check_size(tensors);
  return has_shares(held_array(file, tensors.arrays.front(), watch), percent);
}

Stage stage_of(const std::shared_ptr<const NamedArrays>& file, const AttentionTensors& tensors,
               const UnpackWatch& watch) {
  check_size(tensors);
  constexpr float slack = 0.001F;
  for (const Index layer : {tensors.layers - 1, Index{0}}) {  // the first is what is shown next
    const StageSummary::Extremes extremes =
        sample_imported(*read_layer(file, tensors, layer, Stage::weights, "", watch))->overall;
    if (extremes.low < -slack || extremes.high > 1 + slack) return Stage::scores;
  }
  return Stage::weights;
}

namespace {

constexpr std::size_t sample_bytes = 256;
constexpr std::size_t most_pieces = 1024;

uLong add(uLong sum, std::string_view bytes) {
  return crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

uLong add_samples(uLong sum, const Bytes& bytes, std::size_t pieces) {
  if (bytes.size() <= pieces * sample_bytes) return add(sum, bytes.copy(0, bytes.size()));
  const std::uint64_t last = bytes.size() - sample_bytes;  // where the last piece begins
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::uint64_t begin = pieces == 1 ? last / 2 : last * i / (pieces - 1);
    sum = add(sum, bytes.copy(begin, sample_bytes));
  }
  return sum;
}

uLong add_number(uLong sum, std::uint32_t number) {
  std::array<char, sizeof number> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(number >> (8 * i) & 0xFF);
  return add(sum, {bytes.data(), bytes.size()});
}

}  // namespace

std::string checksum_of(const NamedArrays& file, std::span<const std::size_t> arrays) {
  const std::size_t pieces = std::max<std::size_t>(1, most_pieces / std::max<std::size_t>(1, arrays.size()));
  uLong sum = crc32_z(0, nullptr, 0);
  for (const std::size_t index : arrays) {
    const ArrayView& array = file.arrays.at(index);
    if (!array.bytes.is_there() && !array.packed_sum) return "";
    sum = array.bytes.is_there() ? add_samples(sum, array.bytes, pieces) : add_number(sum, *array.packed_sum);
  }
  return fmt::format("{:08x}", sum);
}

}  // namespace attnscope
