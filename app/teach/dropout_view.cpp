#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/dropout.h"
#include "core/text.h"
#include "teach/teaching_view_support.h"

namespace attnscope {
namespace {

constexpr double usual_rate = 0.5;  // the rate that is shown if the document drops nothing
constexpr double most_masks = 10000;

const char* name_of(DropoutKernel kernel) { return kernel == DropoutKernel::mkl ? "with MKL" : "without MKL"; }
DropoutKernel other(DropoutKernel kernel) {
  return kernel == DropoutKernel::mkl ? DropoutKernel::standard : DropoutKernel::mkl;
}

// The subject of the view: weights before dropout, and the mask that a kernel draws for them.
struct Dropped {
  const TeachingViewSubject& subject;
  CellRect window;
  double rate = 0;
  std::vector<float> weights;  // whole rows, like every vector here

  Index keys() const { return key_count(subject.result.config); }
  std::vector<float> factors(DropoutKernel kernel) const {
    AttentionConfig config = subject.result.config;
    config.dropout = rate;
    config.training = true;
    config.dropout_kernel = kernel;
    Generator generator = subject.result.after_parameters;
    if (config.dropout_seed) generator = Generator(*config.dropout_seed);
    const DropoutMask mask(config, generator, {.backend = Backend::serial, .threads = 1, .stop = subject.stop});
    const Index matrix = subject.batch * head_count(config) + subject.head;
    DropoutRows rows(mask);
    std::vector<float> cells;
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(keys() / 64 + 2));
    for (Index row = 0; row < window.rows; ++row) {
      rows.read(bits, matrix, window.row + row, 0, keys());
      for (Index col = 0; col < keys(); ++col) {
        const bool is_kept = bits[static_cast<std::size_t>(col / 64)] >> (col % 64) & 1;
        cells.push_back(is_kept ? mask.factor() : 0);
      }
    }
    return cells;
  }
  std::vector<float> times(const std::vector<float>& by) const {
    std::vector<float> products = weights;
    for (std::size_t i = 0; i < products.size(); ++i) products[i] *= by[i];
    return products;
  }
  std::vector<float> row_sums(const std::vector<float>& cells) const {
    std::vector<float> sums;
    for (Index row = 0; row < window.rows; ++row) {
      const auto first = cells.begin() + row * keys();
      sums.push_back(static_cast<float>(sum_of({first, first + keys()})));
    }
    return sums;
  }
  // Returns the shown columns.
  std::vector<float> shown(const std::vector<float>& cells) const {
    std::vector<float> part;
    for (Index row = 0; row < window.rows; ++row) {
      const auto first = cells.begin() + row * keys() + window.col;
      part.insert(part.end(), first, first + window.cols);
    }
    return part;
  }
};

void mark_dropped(BoardMatrix& matrix, const Dropped& of, const std::vector<float>& factors) {
  mark_hidden(matrix, visibility(of.subject.result.config), of.window);
  const std::vector<float> part = of.shown(factors);
  for (std::size_t i = 0; i < part.size(); ++i) matrix.marks[i].is_dropped = part[i] == 0 && !matrix.marks[i].is_hidden;
}

BoardMatrix dropped_matrix(const Dropped& of, std::string title, const std::vector<float>& factors) {
  const std::vector<float> products = of.times(factors);
  BoardMatrix matrix = square(of.subject, of.window, std::move(title), of.shown(products));
  matrix.high = static_cast<float>(1 / (1 - of.rate));
  matrix.row_sums = of.row_sums(products);
  mark_dropped(matrix, of, factors);
  return matrix;
}

// The average over many masks, and its distance from the weights while masks are added.
struct Averaged {
  std::vector<double> factors;  // mean factors
  BoardCurve distance;
  double last = 0;
};

Averaged average_of(const Dropped& of, Index masks) {
  Averaged averaged;
  averaged.distance.name = "largest difference from the weights";
  averaged.distance.tint = 0;
  const DropoutKernel kernel = of.subject.result.config.dropout_kernel;
  Generator generator = of.subject.result.after_parameters;
  const std::vector<float> weights = of.shown(of.weights);
  std::vector<double> sums(weights.size(), 0);
  std::vector<float> factors(weights.size());
  double next = 1;
  for (Index mask = 1; mask <= masks; ++mask) {
    if (of.subject.stop.stop_requested()) throw Cancelled{};
    fill_dropout_factors(factors, generator, of.rate, kernel, {Backend::serial, 1, {}});
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(factors[i]);
    if (static_cast<double>(mask) < next && mask < masks) continue;
    next = std::max(next * 1.25, next + 1);
    double largest = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double mean = sums[i] / static_cast<double>(mask);
      largest = std::max(largest, std::abs(mean - 1) * static_cast<double>(weights[i]));
    }
    averaged.distance.x.push_back(static_cast<double>(mask));
    averaged.distance.y.push_back(largest);
    averaged.last = largest;
  }
  for (const double sum : sums) averaged.factors.push_back(sum / static_cast<double>(masks));
  return averaged;
}

// Returns the distance that chance alone gives the largest weight: its standard deviation, w · √(p / (1 − p)) / √N.
BoardCurve expected_distance(const Dropped& of, const BoardCurve& measured) {
  const double largest = static_cast<double>(std::ranges::max(of.shown(of.weights)));
  BoardCurve expected;
  expected.name = "expected: falls as 1/√N";
  expected.is_dashed = true;
  expected.x = measured.x;
  for (const double masks : expected.x) expected.y.push_back(largest * std::sqrt(of.rate / (1 - of.rate) / masks));
  return expected;
}

std::string headline_of(const Dropped& of, const std::vector<float>& factors, const std::vector<float>& sums) {
  const auto row = of.subject.query - of.window.row;
  const auto first = factors.begin() + row * of.keys();
  const Visibility seen = visibility(of.subject.result.config);
  const Index all = seen.count(of.subject.query);
  const Index kept = all - count_dropped({first, first + of.keys()}, seen, of.subject.query);
  const AttentionConfig& config = of.subject.result.config;
  const bool is_own_rate = dropout_is_active(config) && config.dropout == of.rate;
  return fmt::format("{}“{}” keeps {} of {}, each ÷ {}: the row sums to {}.",
                     is_own_rate ? "" : fmt::format("Assuming p = {}: ", format_dropout_rate(of.rate)),
                     query_name(of.subject, of.subject.query), kept, counted(all, "weight", "weights"),
                     format_dropout_rate(1 - of.rate), number(sums[static_cast<std::size_t>(row)]));
}

std::string details_of(const Dropped& of, const Averaged& averaged, Index masks, Index differing) {
  const DropoutKernel kernel = of.subject.result.config.dropout_kernel;
  const AttentionConfig& config = of.subject.result.config;
  return fmt::format(
      "{}{}Because each kept weight is divided by 1 − p, nothing changes on average: the mean of {} is at most {} away "
      "from the weights. From the same seed PyTorch {} draws {}.",
      dropout_is_active(config) ? "" : "This document drops nothing. ",
      config.dropout_edits.empty() ? "" : "Weights that were kept or dropped by hand are shown as they were drawn. ",
      counted(masks, "mask", "masks"), small_number(averaged.last), name_of(other(kernel)),
      differing == 0 ? "the same mask for these cells"
                     : fmt::format("another mask; {}", counted(differing, "cell differs", "cells differ")));
}

}  // namespace

void build_dropout(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const double own_rate = dropout_is_active(config) && config.dropout < 1 ? config.dropout : usual_rate;
  const double rate = std::clamp(subject.choice.value("rate", own_rate), 0.05, 0.95);
  const auto masks = static_cast<Index>(std::clamp(subject.choice.value("masks", 100), 1.0, most_masks));
  const CellRect window = window_of(subject, 8);
  const Stage stage = normalized_weights_stage(config);
  const Dropped of{subject, window, rate, read_window(subject, stage, {window.row, 0, window.rows, key_count(config)})};
  note_window(board, subject, window);

  const DropoutKernel kernel = config.dropout_kernel;
  const std::vector<float> factors = of.factors(kernel);
  const std::vector<float> others = of.factors(other(kernel));
  const Averaged averaged = average_of(of, masks);

  BoardMatrix weights = stage_matrix(subject, window, "weights", stage);
  weights.caption = "before dropout";
  weights.row_sums = of.row_sums(of.weights);
  mark_hidden(weights, visibility(config), window);
  BoardMatrix kept = square(subject, window, "kept / (1 − p)", of.shown(factors));
  kept.caption = fmt::format("0, or 1/(1 − {}) = {}", format_dropout_rate(rate), format_dropout_rate(1 / (1 - rate)));
  kept.high = static_cast<float>(1 / (1 - rate));
  mark_dropped(kept, of, factors);
  BoardMatrix dropped = dropped_matrix(of, "dropped weights", factors);
  dropped.caption = fmt::format("the seed's mask, {}", name_of(kernel));
  BoardMatrix second = dropped_matrix(of, "another mask", others);
  second.caption = fmt::format("{}; frames where it differs", name_of(other(kernel)));
  for (std::size_t i = 0; i < second.marks.size(); ++i)
    second.marks[i].differs = dropped.marks[i].is_dropped != second.marks[i].is_dropped;
  const auto differing = std::ranges::count_if(second.marks, &BoardMark::differs);
  board.headline = headline_of(of, factors, dropped.row_sums);
  board.details = details_of(of, averaged, masks, differing);

  std::vector<float> averages = of.shown(of.weights);
  for (std::size_t i = 0; i < averages.size(); ++i) averages[i] *= static_cast<float>(averaged.factors[i]);
  BoardMatrix mean = square(subject, window, fmt::format("average of {}", counted(masks, "mask", "masks")), averages);
  mean.caption = "weights × the mean of kept / (1 − p)";
  if (window.cols == of.keys()) mean.row_sums = of.row_sums(averages);
  mark_hidden(mean, visibility(config), window);
  BoardPlot plot{.title = "How the average nears the weights", .x_title = "masks, N", .is_log_y = true};
  plot.curves = {averaged.distance, expected_distance(of, averaged.distance)};
  board.lines.push_back({std::move(weights), BoardSign{"×"}, std::move(kept), BoardSign{"="}, std::move(dropped)});
  board.lines.push_back({std::move(second), std::move(mean), std::move(plot)});

  board.controls.push_back(
      slider("masks", "masks averaged", static_cast<double>(masks), 1, most_masks,
             "How many masks are drawn and averaged, one after the other from the same generator"));
  board.controls.back().is_logarithmic = board.controls.back().is_whole = true;
  board.controls.push_back(
      slider("rate", "p", rate, 0.05, 0.95, "The share that is dropped; the document's to begin with"));
}

}  // namespace attnscope
