#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/dropout.h"
#include "core/model/transformer.h"
#include "core/parameters.h"
#include "core/text.h"
#include "teach/teaching_view_support.h"
#include "view/number_words.h"

// Teaching views of random numbers: dropout, and the order of draws.
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
    const Generator generator = dropout_generator(config, subject.result.after_parameters);
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
    draw_dropout_factors(factors, generator, of.rate, kernel, {Backend::serial, 1, {}});
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

namespace {

constexpr std::ptrdiff_t most_named_a_row = 3;
constexpr std::size_t most_named = 12;
constexpr Index words_a_row = 8;  // two strips side by side fill a window
constexpr Index most_words = 8 * words_a_row;

std::uint64_t words_of_dropout(const AttentionConfig& config) {
  if (!dropout_is_active(config) || config.dropout >= 1 || config.dropout <= 0) return 0;
  const auto cells = static_cast<std::uint64_t>(config.batch_size * head_count(config)) *
                     static_cast<std::uint64_t>(query_count(config)) * static_cast<std::uint64_t>(key_count(config));
  if (config.dropout_kernel == DropoutKernel::standard) return 2 * cells;
  return has_own_heads(config) ? static_cast<std::uint64_t>(head_count(config)) : 1;
}

}  // namespace

std::vector<GeneratorUse> generator_uses(const AttentionConfig& config) {
  std::vector<GeneratorUse> uses;
  if (config.skip_draws > 0) uses.push_back({"thrown away", "", config.skip_draws});
  if (const auto* const randn = std::get_if<RandnInputs>(&config.inputs)) {
    const Index count = randn->tokens * randn->features;
    uses.push_back({"inputs, randn", format_shape({randn->tokens, randn->features}), words_of_randn(count)});
  }
  for (const ParameterShape& parameter : parameter_shapes(config)) {
    if (words_of(parameter) > 0) uses.push_back({parameter.name, format_shape(parameter.shape), words_of(parameter)});
  }
  const std::uint64_t dropout = config.dropout_seed ? 0 : words_of_dropout(config);
  if (dropout > 0) uses.push_back({"dropout mask", "", dropout});
  return uses;
}

namespace {

// Returns the first words as numbers from 0 to 1, each in the shade of the use in `names` that drew it.
BoardMatrix strip_of(const AttentionConfig& config, const std::vector<std::string>& names, std::string title) {
  BoardMatrix strip{.title = std::move(title)};
  Generator generator(config.seed);
  for (const GeneratorUse& use : generator_uses(config)) {
    const auto tint = static_cast<int>(std::ranges::find(names, use.name) - names.begin());
    for (std::uint64_t word = 0; word < use.words && std::ssize(strip.tints) < most_words; ++word) {
      strip.tints.push_back(tint);
      strip.values.push_back(static_cast<float>(next_word(generator) & 0xFFFFFF) * 0x1p-24F);
      strip.texts.push_back(number(strip.values.back()));
    }
  }
  strip.cols = std::min<Index>(words_a_row, std::max<Index>(1, std::ssize(strip.tints)));
  strip.rows = std::max<Index>(1, (std::ssize(strip.tints) + strip.cols - 1) / strip.cols);
  const auto cells = static_cast<std::size_t>(strip.rows * strip.cols);
  strip.tints.resize(cells, -1);
  strip.values.resize(cells, 0);
  strip.texts.resize(cells);
  strip.marks.resize(cells);
  for (Index row = 0; row < strip.rows; ++row) strip.row_labels.push_back(fmt::format("{}", row * strip.cols + 1));
  return strip;
}

// Returns the names of the uses that draw, each in its shade.
BoardMatrix key_of(const std::vector<std::string>& names) {
  BoardMatrix key{.title = "drawn by", .cols = std::min(most_named_a_row, std::ssize(names)), .texts = names};
  key.texts.resize(std::min(names.size(), most_named));
  key.rows = (std::ssize(key.texts) + key.cols - 1) / key.cols;
  for (std::size_t i = 0; i < key.texts.size(); ++i) key.tints.push_back(static_cast<int>(i));
  const auto cells = static_cast<std::size_t>(key.rows * key.cols);
  key.tints.resize(cells, -1);
  key.texts.resize(cells);
  key.values.resize(cells);
  return key;
}

AttentionConfig changed_config(AttentionConfig config, const TeachingViewChoice& choice) {
  config.skip_draws += static_cast<std::uint64_t>(choice.value("inserted", 1));
  const auto order = static_cast<int>(choice.value("order", 0));
  using enum Projection;
  static constexpr std::array<Projection, 3> orders[] = {{query, key, value}, {key, query, value}, {value, key, query}};
  if (order > 0) config.weight_order = orders[std::clamp(order - 1, 0, 2)];
  if (choice.value("kernel", 0) > 0)
    config.dropout_kernel = config.dropout_kernel == DropoutKernel::mkl ? DropoutKernel::standard : DropoutKernel::mkl;
  return config;
}

}  // namespace

Index changed_parameters(const AttentionConfig& now, const AttentionConfig& then) {
  const auto draw = [](AttentionConfig config) {
    config.weight_overrides.clear();
    Generator generator = generator_before_parameters(config);
    return draw_parameters(config, generator);
  };
  const Parameters after = draw(then);
  return std::ranges::count_if(draw(now), [&](const Parameter& parameter) {
    if (now.weight_overrides.contains(parameter.name)) return false;  // typed numbers are drawn by nobody
    const Tensor* const other = find(after, parameter.name);
    return !other || !(*other == parameter.tensor);
  });
}

void build_draws(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const AttentionConfig changed = changed_config(config, subject.choice);
  std::vector<std::string> names;
  BoardTable table{.title = "Who draws when", .header = {"in order", "shape", "numbers", "from", "changed: from"}};
  const auto start_of = [](const std::vector<GeneratorUse>& uses, std::string_view name) {
    std::uint64_t start = 0;
    for (const GeneratorUse& use : uses) {
      if (use.name == name) return fmt::format("{}", start + 1);
      start += use.words;
    }
    return std::string("–");
  };
  const std::vector<GeneratorUse> uses = generator_uses(config);
  const std::vector<GeneratorUse> other_uses = generator_uses(changed);
  for (const std::vector<GeneratorUse>* const each : {&uses, &other_uses}) {
    for (const GeneratorUse& use : *each) {
      if (std::ranges::find(names, use.name) != names.end()) continue;
      names.push_back(use.name);
      table.rows.push_back({use.name, use.shape, format_integer(static_cast<double>(use.words)),
                            start_of(uses, use.name), start_of(other_uses, use.name)});
    }
  }
  BoardMatrix now = strip_of(config, names, "this document");
  BoardMatrix then = strip_of(changed, names, "changed");
  now.caption = fmt::format("the first numbers of seed {}, from 0 to 1; the shade says who drew them", config.seed);
  then.caption = "the same numbers; framed: somebody else draws it now";
  for (std::size_t i = 0; i < std::min(now.tints.size(), then.tints.size()); ++i)
    then.marks[i].differs = now.tints[i] != then.tints[i] && then.tints[i] >= 0;
  const auto moved = std::ranges::count_if(then.marks, &BoardMark::differs);
  const Index lost = changed_parameters(config, changed);
  std::uint64_t words = 0;
  for (const GeneratorUse& use : uses) words += use.words;
  const std::vector<ParameterShape> parameters = parameter_shapes(config);
  const bool is_set = !parameters.empty() && std::ranges::all_of(parameters, [&](const ParameterShape& parameter) {
    return config.weight_overrides.contains(parameter.name);
  });
  const bool drops = !config.dropout_seed && words_of_dropout(config) > 0;
  if (parameters.empty()) {
    board.headline = "This document draws no weights: the seed changes nothing in them.";
  } else if (is_set) {
    board.headline = fmt::format("This document draws {}: all of its weights are set, not drawn.",
                                 drops ? "only the dropout mask" : "nothing");
  } else {
    board.headline = fmt::format("Changed as below, {} of {} weight tensors get other numbers from the same seed.",
                                 lost, parameters.size());
  }

  BoardText told{
      "One long row",
      fmt::format("A seed fixes one long row of random numbers; whoever draws first gets the first of them. {} {} "
                  "numbers in the order of the table. {}",
                  is_set ? "PyTorch's module with these weights would first draw" : "This document draws",
                  format_integer(static_cast<double>(words)),
                  is_set ? "Then the numbers that were set take the place of those that were drawn for the weights."
                  : moved > 0 ? "A framed number goes to another tensor after the change; tensors whose first numbers "
                                "are not shown can change, too."
                              : "None of the numbers shown goes to another tensor after the change.")};
  board.lines.emplace_back();
  if (!names.empty()) board.lines.back().emplace_back(key_of(names));
  board.lines.back().emplace_back(std::move(now));
  board.lines.back().emplace_back(std::move(then));
  board.lines.push_back({std::move(table), std::move(told)});
  board.controls.push_back(slider("inserted", "numbers thrown away first", subject.choice.value("inserted", 1), 0, 16,
                                  "As if something else had drawn before, torch.rand(1) for one"));
  board.controls.back().is_whole = true;
  board.controls.push_back({.id = "order",
                            .label = "declared",
                            .kind = BoardControl::Kind::choice,
                            .value = subject.choice.value("order", 0),
                            .choices = {"as it is", "query, key, value", "key, query, value", "value, key, query"},
                            .help = "The order in which the module declares its weights, and so draws them"});
  board.controls.push_back(
      {.id = "kernel",
       .label = "other dropout kernel",
       .kind = BoardControl::Kind::toggle,
       .value = subject.choice.value("kernel", 0),
       .help = "With MKL a mask takes one number of the generator, without it two for each weight"});
}

namespace {

constexpr Index most_drawn_tokens = 256;
constexpr Index most_weight_numbers = 6;  // rows and columns of W_query that are shown

// Returns the document with weights as its seed draws them; nothing if none of its weights was set.
std::optional<Result> as_drawn(const TeachingViewSubject& subject) {
  const Result& result = subject.result;
  const bool is_own = !result.imported && !result.difference && !begins_with_heads(result.config) &&
                      !std::holds_alternative<ModelInputs>(result.config.inputs);
  if (!is_own || result.config.weight_overrides.empty() || key_count(result.config) > most_drawn_tokens) return {};
  AttentionConfig drawn = result.config;
  drawn.weight_overrides.clear();
  return evaluate(drawn, quietly(subject));
}

std::string origin_of(const AttentionConfig& config) {
  const auto* const inputs = std::get_if<ModelInputs>(&config.inputs);
  if (!inputs) return fmt::format("All weights are as seed {} drew them.", config.seed);
  return inputs->model->drawn_by
             ? fmt::format("This model is untrained: seed {} drew its weights.", *inputs->model->drawn_by)
             : "Training found the weights of this model.";
}

}  // namespace

void build_trained(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const bool has_weights = !subject.result.imported && !parameter_shapes(config).empty() && !begins_with_heads(config);
  const std::optional<Result> drawn = as_drawn(subject);
  const Stage stage = normalized_weights_stage(config);
  const CellRect window = window_of(subject);
  const Visibility seen = visibility(config);
  const std::string of_seed = fmt::format("drawn by seed {}", config.seed);
  const auto put = [&](BoardMatrix here, BoardMatrix other, const std::string& caption) {
    here.caption = caption;
    other.caption = of_seed;
    board.lines.push_back({std::move(here)});
    if (drawn) board.lines.back().emplace_back(std::move(other));
  };
  const TeachingViewSubject of_drawn{drawn ? *drawn : subject.result,
                                     subject.labels,
                                     subject.head,
                                     subject.batch,
                                     subject.query,
                                     subject.choice,
                                     subject.stop,
                                     subject.query_labels};
  if (has(subject.result, stage)) {
    BoardMatrix here = stage_matrix(subject, window, "attention weights", stage);
    BoardMatrix other = square(of_drawn, window, "attention weights", read_window(of_drawn, stage, window));
    mark_hidden(here, seen, window);
    mark_hidden(other, seen, window);
    put(std::move(here), std::move(other), drawn ? "with the weights that were set" : "");
  }
  if (has_weights)
    put(query_weight_matrix(subject, "W_query", most_weight_numbers),
        query_weight_matrix(of_drawn, "W_query", most_weight_numbers), drawn ? "as it was set" : "");
  board.headline = has_weights ? origin_of(config) : "This document has no weights that training could change.";
  board.details =
      "Drawn weights look for nothing in particular, so that every key gets nearly the same share. Training changes "
      "them until they look for what helps to predict the next word.";
  if (!drawn || !has(subject.result, stage)) return;
  const std::vector<float> row = read_row(subject, stage, subject.query);
  const auto key = std::ranges::max_element(row) - row.begin();
  const std::vector<float> other = read_row(of_drawn, stage, subject.query);
  board.headline = fmt::format("“{}” gives “{}” {} with the weights that were set, and {} with drawn ones.",
                               query_name(subject, subject.query), key_name(subject, key),
                               number(static_cast<double>(row[static_cast<std::size_t>(key)])),
                               number(static_cast<double>(other[static_cast<std::size_t>(key)])));
}

}  // namespace attnscope
