#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.h"
#include "teach/teaching_view_support.h"

namespace attnscope {
namespace {

constexpr Index most_dims = 8;
constexpr Index most_keys = 6;

// Weight × value of each key that the query looks at: the parts of its context vector. If there are many keys, it holds
// those with the largest weights, in the order of the text, and adds the others up.
struct Parts {
  std::vector<Index> keys;
  std::vector<float> weights;
  std::vector<float> values;  // all dimensions, key by key
  std::vector<float> rest;    // sum of weight × value over the other keys
  Index others = 0;
  Index dims = 0;

  float product(std::size_t key, Index dim) const {
    return weights[key] * values[key * static_cast<std::size_t>(dims) + static_cast<std::size_t>(dim)];
  }
};

Parts parts_of(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::vector<double> weights = as_double(read_row(subject, final_weights_stage(config), subject.query));
  const Stage stage = values_stage(config);
  Parts parts;
  parts.dims = stage_shape(config, stage).back();
  std::vector<double> rest(static_cast<std::size_t>(parts.dims));
  const std::vector<std::size_t> largest = largest_terms(weights, most_keys);
  for (std::size_t key = 0; key < weights.size(); ++key) {
    if (weights[key] == 0) continue;
    const std::vector<float> row = read_row(subject, stage, static_cast<Index>(key));
    if (std::ranges::binary_search(largest, key)) {
      parts.keys.push_back(static_cast<Index>(key));
      parts.weights.push_back(static_cast<float>(weights[key]));
      parts.values.insert(parts.values.end(), row.begin(), row.end());
      continue;
    }
    ++parts.others;
    for (std::size_t dim = 0; dim < rest.size(); ++dim) rest[dim] += weights[key] * static_cast<double>(row[dim]);
  }
  parts.rest = as_float(rest);
  return parts;
}

// Returns each key's value times its weight, and below them their sum: the context vector.
BoardMatrix sum_of_parts(const TeachingViewSubject& subject, const Parts& parts, Index dims) {
  BoardMatrix matrix{.title = fmt::format("context of “{}”", query_name(subject, subject.query)),
                     .caption = "each weight × value, and their sum",
                     .rows = std::ssize(parts.keys) + (parts.others > 0 ? 2 : 1),
                     .cols = dims};
  std::vector<float> sums(static_cast<std::size_t>(dims));
  for (std::size_t key = 0; key < parts.keys.size(); ++key) {
    matrix.row_labels.push_back(fmt::format("{} × {}", number(parts.weights[key]), key_name(subject, parts.keys[key])));
    for (Index dim = 0; dim < dims; ++dim) {
      matrix.values.push_back(parts.product(key, dim));
      sums[static_cast<std::size_t>(dim)] += matrix.values.back();
    }
  }
  if (parts.others > 0) {
    matrix.row_labels.push_back(fmt::format("{} more", parts.others));
    matrix.values.insert(matrix.values.end(), parts.rest.begin(), parts.rest.begin() + dims);
    for (Index dim = 0; dim < dims; ++dim)
      sums[static_cast<std::size_t>(dim)] += matrix.values[matrix.values.size() - static_cast<std::size_t>(dims - dim)];
  }
  matrix.row_labels.emplace_back("sum");
  matrix.marked_row = matrix.rows - 1;
  matrix.values.insert(matrix.values.end(), sums.begin(), sums.end());
  for (Index dim = 0; dim < dims; ++dim) matrix.column_labels.push_back(fmt::format("{}", dim + 1));
  fit_signed_range(matrix);
  return matrix;
}

// Returns two heads that look at different words, side by side or averaged. If the words change places, the average
// stays the same.
BoardMatrix averaging_example(bool is_averaged) {
  constexpr float words[2][2] = {{1, 0}, {0, 1}};  // the values of "dog" and "man"
  BoardMatrix example{.title = is_averaged ? "their average" : "side by side",
                      .caption = is_averaged ? "the two are the same" : "the two sentences differ",
                      .rows = 2,
                      .cols = is_averaged ? 2 : 4,
                      .row_labels = {"dog bites man", "man bites dog"},
                      .column_labels = {"h1", "h1", "h2", "h2"}};
  if (is_averaged) example.column_labels = {"mean", "mean"};
  // Head 1 looks at the first word, head 2 at the last one.
  example.values = collect(2, example.cols, [&](Index sentence, Index col) {
    const float of_head_1 = words[sentence][col % 2];
    const float of_head_2 = words[1 - sentence][col % 2];
    return is_averaged ? (of_head_1 + of_head_2) / 2 : col < 2 ? of_head_1 : of_head_2;
  });
  return example;
}

// Returns this document's heads for the query: concatenated, and their average.
std::vector<BoardItem> heads_of(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  std::vector<BoardItem> line;
  const Index heads = std::min<Index>(head_count(config), 6);
  if (heads < 2) return line;
  const Index dims = std::min<Index>(value_features(config), 6);
  BoardMatrix each{.title = "heads of this document",
                   .caption = fmt::format("context of “{}”", query_name(subject, subject.query)),
                   .rows = heads,
                   .cols = dims,
                   .row_labels = head_names(heads)};
  BoardMatrix mean{.title = "average of all heads", .caption = "keeps none of them", .rows = 1, .cols = dims};
  mean.values.resize(static_cast<std::size_t>(dims));
  for (Index head = 0; head < head_count(config); ++head) {
    const std::vector<float> row = read_row(with_head(subject, head), Stage::head_context, subject.query);
    for (Index dim = 0; dim < dims; ++dim) {
      const float value = row[static_cast<std::size_t>(dim)];
      if (head < heads) each.values.push_back(value);
      mean.values[static_cast<std::size_t>(dim)] += value / static_cast<float>(head_count(config));
    }
  }
  fit_signed_range(each);
  mean.is_signed = true;
  mean.high = each.high;
  line.emplace_back(std::move(each));
  line.emplace_back(std::move(mean));
  return line;
}

// Names the keys of the largest weight: several may have it.
std::string largest_weights_of(const TeachingViewSubject& subject, const Parts& parts) {
  const float largest = std::ranges::max(parts.weights);
  std::vector<std::string> keys;
  for (std::size_t at = 0; at < parts.keys.size(); ++at)
    if (parts.weights[at] == largest) keys.push_back(fmt::format("“{}”", key_name(subject, parts.keys[at])));
  const std::string query = query_name(subject, subject.query);
  if (keys.size() == 1)
    return fmt::format("In this document “{}” gives its largest weight to {} ({}).", query, keys[0], number(largest));
  return fmt::format("In this document “{}” gives its largest weight to {} keys, {} each: {}.", query, keys.size(),
                     number(largest), fmt::join(keys, ", "));
}

}  // namespace

void build_mix(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Parts parts = parts_of(subject);
  const Index dims = std::min(parts.dims, most_dims);
  board.headline = "With equal values, averaged heads would confuse “dog bites man” with “man bites dog”.";
  board.details =
      "With values of its own each head could mark what it found, but an average would mix the marks. Heads are "
      "therefore concatenated: each keeps what it found. ";
  std::vector<BoardItem> line = heads_of(subject);
  if (parts.keys.empty()) {
    board.details += fmt::format("“{}” looks at nothing: all of its weights are 0, and so is its context vector.",
                                 query_name(subject, subject.query));
  } else {
    board.details += largest_weights_of(subject, parts);
    line.insert(line.begin(), sum_of_parts(subject, parts, dims));
  }
  if (dims < parts.dims || parts.others > 0)
    board.note =
        fmt::format("Shown are {} of {} numbers of the vector, and at most {} keys, those of the largest weights.",
                    dims, parts.dims, most_keys);
  if (is_off(config, subject.head)) board.details += " This head is switched off: its context is zero in the document.";
  board.lines.push_back({averaging_example(false), averaging_example(true),
                         BoardText{"Who bites whom?",
                                   "Head 1 looks at the first word, head 2 at the last one; in both heads “dog” has "
                                   "the value (1, 0), “man” (0, 1). No matrix after the average can tell the two "
                                   "sentences apart."}});
  if (!line.empty()) board.lines.push_back(std::move(line));
}

}  // namespace attnscope
