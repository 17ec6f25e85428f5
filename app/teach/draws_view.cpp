#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/parameters.h"
#include "core/text.h"
#include "teach/teaching_view_support.h"

namespace attnscope {
namespace {

constexpr std::ptrdiff_t most_named_a_row = 3;
constexpr std::size_t most_named = 12;
constexpr Index words_a_row = 12;  // a paper's column has no room for more
constexpr Index most_words = 5 * words_a_row;

std::string shape_text(const std::vector<Index>& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

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
    uses.push_back({"inputs, randn", shape_text({randn->tokens, randn->features}), words_of_randn(count)});
  }
  for (const ParameterShape& parameter : parameter_shapes(config)) {
    if (words_of(parameter) > 0) uses.push_back({parameter.name, shape_text(parameter.shape), words_of(parameter)});
  }
  const std::uint64_t dropout = config.dropout_seed ? 0 : words_of_dropout(config);
  if (dropout > 0) uses.push_back({"dropout mask", "", dropout});
  return uses;
}

namespace {

// Returns the first words as numbers from 0 to 1, each in the colour of the use in `names` that drew it.
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

// Returns the names of the uses that draw, each in its colour.
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
  now.caption = fmt::format("the first numbers of seed {}, from 0 to 1; the colour says who drew them", config.seed);
  then.caption = "the same numbers; framed: somebody else draws it now";
  for (std::size_t i = 0; i < std::min(now.tints.size(), then.tints.size()); ++i)
    then.marks[i].differs = now.tints[i] != then.tints[i] && then.tints[i] >= 0;
  const auto moved = std::ranges::count_if(then.marks, &BoardMark::differs);
  const Index lost = changed_parameters(config, changed);
  std::uint64_t words = 0;
  for (const GeneratorUse& use : uses) words += use.words;
  const Index tensors = std::ssize(parameter_shapes(config));
  board.headline = tensors == 0
                       ? "This document draws no weights: the seed changes nothing in them."
                       : fmt::format("Changed as below, {} of {} weight tensors get other numbers from the same seed.",
                                     lost, tensors);

  board.details = fmt::format(
      "A seed fixes one long row of random numbers; whoever draws first gets the first of them. This document draws {} "
      "numbers in the order of the table. Of the numbers shown, {} go to something else after the change.",
      format_integer(static_cast<double>(words)), moved);
  board.lines.emplace_back();
  if (!names.empty()) board.lines.back().emplace_back(key_of(names));
  board.lines.back().emplace_back(std::move(now));
  board.lines.back().emplace_back(std::move(then));
  board.lines.push_back({std::move(table)});
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

}  // namespace attnscope
