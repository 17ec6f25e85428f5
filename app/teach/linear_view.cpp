#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "teach/teaching_view_support.h"

namespace attnscope {
namespace {

constexpr Index most_features = 6;
constexpr std::size_t drawn_numbers = 4000;
constexpr int bins = 24;

// Returns bars that count numbers in equal parts of −1 to 1.
BoardBars histogram(const char* title, std::string caption, float from, float to, std::uint64_t seed, int tint) {
  Generator generator(seed);
  std::vector<float> numbers(drawn_numbers);
  fill_uniform(numbers, generator, from, to, {Backend::serial, 1, {}});
  BoardBars bars{.title = title, .caption = std::move(caption), .is_narrow = true};
  BoardBars::Part part{.tint = tint};
  part.values.resize(bins);
  for (const float each : numbers) {
    const auto bin = static_cast<int>((each + 1) / 2 * bins);
    part.values[static_cast<std::size_t>(std::clamp(bin, 0, bins - 1))] += 1;
  }
  bars.labels.resize(bins);
  bars.labels[0] = "−1";
  bars.labels[bins / 2] = "0";
  bars.labels[bins - 1] = "1";
  bars.parts.push_back(std::move(part));
  return bars;
}

BoardMatrix matrix_of_weight(const QueryWeight& weight, bool is_linear) {
  const Index ins = std::min(weight.in, most_features);
  const Index outs = std::min(weight.out, most_features);
  BoardMatrix matrix{.title = is_linear ? "as nn.Linear stores it" : "as x @ W has it",
                     .caption = is_linear ? fmt::format("({}, {}): (d_out, d_in), x @ weight.T", weight.out, weight.in)
                                          : fmt::format("({}, {}): (d_in, d_out), nn.Parameter", weight.in, weight.out),
                     .rows = is_linear ? outs : ins,
                     .cols = is_linear ? ins : outs,
                     .of = Stage::query_weight};
  matrix.values = collect(matrix.rows, matrix.cols,
                          [&](Index row, Index col) { return is_linear ? weight.at(row, col) : weight.at(col, row); });
  for (Index row = 1; row <= matrix.rows; ++row)
    matrix.row_labels.push_back(fmt::format("{} {}", is_linear ? "out" : "in", row));
  for (Index col = 1; col <= matrix.cols; ++col)
    matrix.column_labels.push_back(fmt::format("{} {}", is_linear ? "in" : "out", col));
  fit_signed_range(matrix);
  return matrix;
}

}  // namespace

void build_linear(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const QueryWeight weight = read_query_weight(subject);
  const std::vector<float> inputs = read_row(subject, Stage::inputs, subject.query);
  const Index outs = std::min(weight.out, most_features);
  BoardMatrix by_hand{.title = "x @ W of the query",
                      .caption = "from either storage, without the bias",
                      .rows = 1,
                      .cols = outs,
                      .row_labels = {query_name(subject, subject.query)},
                      .of = Stage::queries};
  for (Index out = 0; out < outs; ++out) {
    double sum = 0;
    for (Index in = 0; in < weight.in; ++in)
      sum += static_cast<double>(inputs[static_cast<std::size_t>(in)]) * static_cast<double>(weight.at(out, in));
    by_hand.values.push_back(static_cast<float>(sum));
  }
  fit_signed_range(by_hand);
  const auto reach = static_cast<float>(1 / std::sqrt(static_cast<double>(weight.in)));
  board.headline = fmt::format("Both compute the same: nn.Linear stores W transposed, ({}, {}), and returns x @ W.T.",
                               weight.out, weight.in);
  board.details = fmt::format(
      "To move weights from one to the other, transpose them. They begin differently: torch.rand draws from 0 to 1, "
      "nn.Linear from ±1/√{} = ±{}. This document's W_query is {}.",
      weight.in, number(reach), weight.is_linear ? "an nn.Linear" : "an nn.Parameter");
  if (weight.in > most_features || weight.out > most_features)
    board.note = fmt::format("Shown are {} of {} inputs and {} of {} outputs.", std::min(weight.in, most_features),
                             weight.in, outs, weight.out);
  board.lines.push_back(
      {matrix_of_weight(weight, false), BoardSign{"transposed"}, matrix_of_weight(weight, true), std::move(by_hand)});
  board.lines.push_back(
      {histogram("torch.rand", fmt::format("{} numbers, 0 to 1: only positive", drawn_numbers), 0, 1, config.seed, 1),
       histogram("nn.Linear", fmt::format("{} numbers, ±{}: both signs", drawn_numbers, number(reach)), -reach, reach,
                 config.seed, 0),
       BoardText{
           "Why it matters",
           "With weights from 0 to 1, queries and keys of positive inputs are positive and large, and so are scores. "
           "Around 0 they cancel out in part. The same seed therefore gives other attention in both forms."}});
}

}  // namespace attnscope
