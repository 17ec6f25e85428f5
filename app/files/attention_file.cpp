
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <iterator>
#include <map>
#include <optional>
#include <span>
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

bool has_matrices(const ArrayView& array) {
  const std::vector<Index> shape = shown_shape(array.shape);
  if (!array.problem.empty() || shape.size() < 2 || shape.size() > most_axes) return false;
  return std::ranges::none_of(shape, [](Index size) { return size < 1; });
}

Index rows_of(const std::vector<Index>& shape) { return shape[shape.size() - 2]; }

bool is_square(const ArrayView& array) { return has_matrices(array) && rows_of(array.shape) == array.shape.back(); }

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
  tensors.layers = is_many ? std::ssize(tensors.arrays) / tensors.steps : 1;
  tensors.queries = rows_of(shape);
  tensors.keys = shape.back();
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
  const bool is_square = tensors.queries == tensors.keys;
  refuse(tensors.queries, is_square ? "tokens" : "queries", max_tokens, "save a part of it");
  refuse(tensors.keys, "keys", max_tokens, "save a part of it");
  refuse(tensors.heads, "heads", max_heads, "save it as (layers, heads, T, T)");
  refuse(tensors.batch_size, "batch entries", max_batch, "save some of them");
}

bool names_attention(std::string_view name) {
  const std::string words = lower_case(name.substr(0, name.find(" … ")));
  constexpr std::string_view of_attention[] = {"attn", "attention", "weights", "score", "prob"};
  return is_own_stage(words) || std::ranges::any_of(of_attention, [&](std::string_view word) {
           return words.find(word) != std::string::npos;
         });
}

// Returns whether the name is one that attention has, or that says nothing: that of a place in a list.
bool may_name_attention(std::string_view name) {
  const std::string_view words = name.substr(0, name.find(" … "));
  const bool is_place = words.find_first_not_of("0123456789.") == std::string::npos;
  return is_place || lower_case(words).starts_with("arr_") || names_attention(name);
}

// Masks and other buffers of models are square, too.
bool is_buffer(const NamedArrays& file, const AttentionTensors& tensors) {
  const ArrayView& array = file.arrays[tensors.arrays.front()];
  const std::string_view own = std::string_view(array.name).substr(array.name.rfind('.') + 1);  // npos + 1 is 0
  const bool is_unnamed_mask = array.type == NumberType::boolean && !may_name_attention(array.name);
  return is_unnamed_mask || own.ends_with("mask") || own == "tril" || own == "causal";
}

[[noreturn]] void refuse_shapes(const NamedArrays& file, const std::string& wanted) {
  constexpr std::size_t shown = 6;
  std::vector<std::string> texts;
  for (const ArrayView& array : file.arrays) {
    if (!wanted.empty() && array.name != wanted) continue;
    if (texts.size() == shown) texts.push_back("and so on");
    if (texts.size() > shown) break;
    texts.push_back((array.name.empty() ? "" : in_quotes(array.name) + " ") + shape_text(array.shape));
  }
  throw Error(fmt::format(
      "There is no attention in it: attention weights have the shape (…, T, T), or are named attention and "
      "have the shape (…, T_query, T_key), with at most {} axes and at least one token, but the file has {}.",
      most_axes, fmt::join(texts, ", ")));
}

// Returns whether an array may be attention: a square one, or one that is asked for or has such a name.
bool may_be_attention(const ArrayView& array, const std::string& wanted) {
  if (!has_matrices(array) || (!wanted.empty() && array.name != wanted)) return false;
  return is_square(array) || !wanted.empty() || may_name_attention(array.name);
}

// Returns what the names of all layers of a step of generation begin with: "attn.4." of "attn.4.11". A name with one
// number is that of a step.
std::string_view step_of(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  const bool has_two = last != std::string_view::npos && last > 0 && name[last] == '.' && is_digit(name[last - 1]);
  return has_two ? name.substr(0, last + 1) : name;
}

// Returns the shape of all steps of a generation, their rows below each other; nothing if the arrays are no steps. Each
// step sees the keys of the one before it and its own, or, in another text, always the same ones.
std::optional<std::vector<Index>> shape_of_steps(const NamedArrays& file, std::span<const std::size_t> arrays,
                                                 Index layers) {
  std::vector<Index> shape = file.arrays[arrays.front()].shape;
  const bool is_in_lists = step_of(file.arrays[arrays.front()].name) != file.arrays[arrays.front()].name;
  bool grows = rows_of(shape) <= shape.back();
  bool stays = is_in_lists && rows_of(shape) == 1 && shape.back() > 1;
  for (std::size_t i = static_cast<std::size_t>(layers); i < arrays.size(); ++i) {
    const ArrayView& array = file.arrays[arrays[i]];
    const bool is_first = static_cast<Index>(i) % layers == 0;
    const auto axes_of = [](const std::vector<Index>& all) { return std::span(all).first(all.size() - 2); };
    if (array.shape.size() != shape.size() || !std::ranges::equal(axes_of(array.shape), axes_of(shape))) return {};
    if (!is_first) {
      const ArrayView& before = file.arrays[arrays[i - 1]];
      if (array.shape != before.shape || step_of(array.name) != step_of(before.name)) return {};
      continue;
    }
    const Index queries = rows_of(array.shape);
    grows = grows && array.shape.back() == shape.back() + queries;
    stays = stays && array.shape.back() == shape.back() && queries == 1;
    shape.back() = array.shape.back();
    shape[shape.size() - 2] += queries;
  }
  return grows || stays ? std::optional(shape) : std::nullopt;
}

// Makes the steps of a generation one tensor. `arrays` have names that differ in numbers alone, in their order.
std::optional<AttentionTensors> united_steps(const NamedArrays& file, const std::vector<std::size_t>& arrays) {
  const auto first = step_of(file.arrays[arrays.front()].name);
  const Index layers =
      std::ranges::count_if(arrays, [&](std::size_t i) { return step_of(file.arrays[i].name) == first; });
  const Index count = std::ssize(arrays);
  const std::size_t axes = shown_shape(file.arrays[arrays.front()].shape).size();
  if (count < 2 * layers || count % layers != 0 || axes >= most_axes) return {};
  const auto in_first = std::span(arrays).first(static_cast<std::size_t>(layers));
  const auto is_other = [&](std::size_t i) { return file.arrays[i].shape != file.arrays[arrays.front()].shape; };
  if (std::ranges::any_of(in_first, is_other)) return {};
  const std::optional<std::vector<Index>> shape = shape_of_steps(file, arrays, layers);
  if (!shape) return {};
  AttentionTensors united;
  united.arrays = arrays;
  united.shape = *shape;
  united.steps = count / layers;
  return united;
}

std::vector<AttentionTensors> grouped(const NamedArrays& file, const std::string& wanted) {
  std::map<std::string, std::vector<std::size_t>> alike;  // by their names without numbers
  std::vector<std::string> patterns;                      // in the order of the file
  for (std::size_t i = 0; i < file.arrays.size(); ++i) {
    const ArrayView& array = file.arrays[i];
    if (!may_be_attention(array, wanted)) continue;
    const bool has_layers = shown_shape(array.shape).size() == most_axes;
    std::vector<std::size_t>& group = alike[has_layers ? array.name : pattern_of(array.name)];
    if (group.empty()) patterns.push_back(has_layers ? array.name : pattern_of(array.name));
    group.push_back(i);
  }
  std::vector<AttentionTensors> all;
  for (const std::string& pattern : patterns) {
    std::vector<std::size_t>& group = alike[pattern];
    std::ranges::sort(group, comes_before, [&](std::size_t i) { return std::string_view(file.arrays[i].name); });
    if (std::optional<AttentionTensors> steps = united_steps(file, group)) {
      all.push_back(*std::move(steps));
      continue;
    }
    std::map<std::vector<Index>, std::size_t> places;
    for (const std::size_t i : group) {
      const auto [place, is_new] = places.try_emplace(file.arrays[i].shape, all.size());
      if (is_new) all.emplace_back().shape = file.arrays[i].shape;
      all[place->second].arrays.push_back(i);
    }
  }
  for (AttentionTensors& tensors : all) {
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

// Returns whether the rows of a matrix sum to `whole`, judged by some of them. Rows of zeros with a single `whole` are
// attention in a square matrix, where they may be an identity; in another one they mark words, as one-hot rows do.
bool has_shares(const ArrayView& array, float whole) {
  constexpr Index looks = 64;
  const float slack = 0.02F * whole;  // allowed error of sums of numbers with few digits
  const Index rows = rows_of(array.shape);
  const Index cols = array.shape.back();
  std::vector<float> row(static_cast<std::size_t>(cols));
  const Index step = std::max<Index>(1, rows / looks);
  bool is_shared = rows == cols;
  for (Index place = 0; place < rows; place += step) {
    if (!read_matrix(row, array, 0, {place, 0, 1, cols})) return false;
    double sum = 0;
    for (const float value : row) {
      if (!(value >= 0 && value <= whole + slack)) return false;
      is_shared |= value > slack && value < whole - slack;
      sum += static_cast<double>(value);
    }
    if (std::abs(sum - static_cast<double>(whole)) > static_cast<double>(slack)) return false;
  }
  return is_shared;
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

// Throws ChoiceNeeded if nothing shows that a file with several square arrays holds attention: no name says so, and the
// rows of the first do not sum to 1.
void check_is_attention(const NamedArrays& file, const std::vector<AttentionTensors>& all) {
  const bool is_named = std::ranges::any_of(all, [&](const AttentionTensors& tensors) {
    return may_name_attention(tensors.name) && !is_buffer(file, tensors);
  });
  const std::size_t first = all.front().arrays.front();
  const bool has_numbers = file.unpack || file.arrays[first].bytes.is_there();
  if (is_named || file.arrays.size() == 1 || !has_numbers || has_shares(held_array(file, first, {}))) return;
  throw ChoiceNeeded(
      ChoiceNeeded::Of::numbers,
      fmt::format("It has several square arrays, but neither are their names those of attention, nor do the rows of {} "
                  "sum to 1: they may be scores, or shares once each row is divided by its sum.",
                  in_quotes(file.arrays[first].name)),
      {"scores", "shares"});
}

}  // namespace

std::vector<AttentionTensors> find_attention(const NamedArrays& file, const std::string& wanted, bool takes_other_axes,
                                             bool is_stated) {
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
  if (wanted.empty() && !is_stated) check_is_attention(file, all);
  return all;
}

bool is_table(const NamedArrays& file) {
  return file.arrays.size() == 1 && may_be_attention(file.arrays.front(), {}) &&
         matrices_in(file.arrays.front().shape) == 1;
}

bool holds_attention(const NamedArrays& file, const UnpackWatch& watch) {
  const std::vector<AttentionTensors> all = grouped(file, {});
  if (all.empty() || holds_parameters(file)) return false;
  if (!file.row_names.empty() && file.row_names == file.column_names) return true;
  const auto is_stated = [&](const AttentionTensors& tensors) {
    const bool is_square = rows_of(tensors.shape) == tensors.shape.back();
    const bool is_named = names_attention(tensors.name) || (is_square && may_name_attention(tensors.name));
    return matrices_in(tensors.shape) > 1 && is_named && !is_buffer(file, tensors);
  };
  if (std::ranges::any_of(all, is_stated)) return true;
  const auto first = std::ranges::find_if(
      all, [&](const AttentionTensors& tensors) { return file.arrays.size() == 1 || !is_buffer(file, tensors); });
  return first != all.end() && has_shares(held_array(file, first->arrays.front(), watch));
}

namespace {

// Rows of a layer that stand in one array: all, or those of a step of generation, which has fewer keys than the last.
struct LayerRows {
  ArrayView array;
  Index first_matrix = 0;
  Index first_row = 0;

  Index rows() const { return rows_of(array.shape); }
  Index keys() const { return array.shape.back(); }

  // Writes the cells of these rows that are in the rectangle; those of later keys are 0.
  void read(std::span<float> cells, Index matrix, const CellRect& rect) const {
    const Index first = std::max(rect.row, first_row);
    const Index last = std::min(rect.row + rect.rows, first_row + rows());
    if (first >= last) return;
    const auto width = static_cast<std::size_t>(rect.cols);
    const std::span<float> own = cells.subspan(static_cast<std::size_t>(first - rect.row) * width,
                                               static_cast<std::size_t>(last - first) * width);
    const Index shown = std::clamp<Index>(keys() - rect.col, 0, rect.cols);
    if (shown == rect.cols) {  // what cannot be read any more is NaN
      (void)read_matrix(own, array, first_matrix + matrix, {first - first_row, rect.col, last - first, shown});
      return;
    }
    std::ranges::fill(own, 0.0F);
    for (Index row = first; shown > 0 && row < last; ++row) {
      const auto begin = static_cast<std::size_t>(row - first) * width;
      (void)read_matrix(own.subspan(begin, static_cast<std::size_t>(shown)), array, first_matrix + matrix,
                        {row - first_row, rect.col, 1, shown});
    }
  }
};

std::vector<LayerRows> rows_of_layer(const NamedArrays& file, const AttentionTensors& tensors, Index layer,
                                     const UnpackWatch& watch) {
  const bool is_many = tensors.arrays.size() > 1;
  std::vector<LayerRows> all;
  Index row = 0;
  for (Index step = 0; step < tensors.steps; ++step) {
    const auto place = static_cast<std::size_t>(is_many ? step * tensors.layers + layer : 0);
    all.push_back({held_array(file, tensors.arrays.at(place), watch),
                   is_many ? 0 : layer * tensors.batch_size * tensors.heads, row});
    row += all.back().rows();
  }
  return all;
}

// Returns a function that divides each row by the sum of its finite numbers. A row that sums to 0 stays as it is.
auto divided_by_sums(const std::function<void(std::span<float>, Index, const CellRect&)>& read, Index keys) {
  return [read, keys](std::span<float> cells, Index matrix, const CellRect& rect) {
    std::vector<float> whole(static_cast<std::size_t>(keys));
    const auto width = static_cast<std::size_t>(rect.cols);
    for (Index row = 0; row < rect.rows; ++row) {
      read(whole, matrix, {rect.row + row, 0, 1, keys});
      double sum = 0;
      for (const float cell : whole) sum += std::isfinite(cell) ? static_cast<double>(cell) : 0;
      for (std::size_t col = 0; col < width; ++col) {
        const auto cell = static_cast<double>(whole[static_cast<std::size_t>(rect.col) + col]);
        cells[static_cast<std::size_t>(row) * width + col] = static_cast<float>(sum == 0 ? cell : cell / sum);
      }
    }
  };
}

}  // namespace

std::shared_ptr<const ImportedAttention> read_layer(const std::shared_ptr<const NamedArrays>& file,
                                                    const AttentionTensors& tensors, Index layer, Stage stage,
                                                    const std::string& origin, const UnpackWatch& watch) {
  const auto parts = std::make_shared<const std::vector<LayerRows>>(rows_of_layer(*file, tensors, layer, watch));
  auto attention = std::make_shared<ImportedAttention>();
  attention->stage = stage;
  attention->batch_size = tensors.batch_size;
  attention->heads = tensors.heads;
  attention->queries = tensors.queries;
  attention->keys = tensors.keys;
  attention->origin = origin;
  attention->number_type = name_of(parts->front().array.type);
  attention->read_for_a_cell = read_for_a_cell(parts->front().array);
  const bool is_in_percent = tensors.is_in_percent && !tensors.divides_rows;
  attention->read = [parts, is_in_percent](std::span<float> cells, Index matrix, const CellRect& rect) {
    for (const LayerRows& part : *parts) part.read(cells, matrix, rect);
    if (!is_in_percent) return;
    for (float& cell : cells) cell /= percent;
  };
  const std::string_view after = is_in_percent ? " / 100" : tensors.divides_rows ? " / sum of its row" : "";
  if (tensors.divides_rows) attention->read = divided_by_sums(attention->read, tensors.keys);
  attention->place = [parts, after](Index matrix, Index row, Index col) {
    const LayerRows& part = *std::prev(std::ranges::upper_bound(*parts, row, {}, &LayerRows::first_row));
    if (col >= part.keys()) return fmt::format("{} has no key {}", in_quotes(part.array.name), col + 1);
    return place_in(part.array, part.first_matrix + matrix, row - part.first_row, col).append(after);
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
