#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "core/error.h"
#include "core/shown_text.h"
#include "document/edit.h"
#include "document/sweep.h"
#include "document/words.h"

namespace attnscope {
namespace {

constexpr int most_decimals_of_value = 9;
constexpr double largest_value = 1e9;  // up to here a double holds all decimals that may be typed
constexpr int most_default_steps = 20;

struct Name {
  SweptParameter parameter;
  std::string_view name;
};
constexpr Name names[] = {{SweptParameter::dropout, "dropout"},     {SweptParameter::seed, "seed"},
                          {SweptParameter::num_heads, "num_heads"}, {SweptParameter::embedding, "embedding"},
                          {SweptParameter::tokens, "tokens"},       {SweptParameter::stages, "stages"}};

bool is_real(SweptParameter parameter) {
  return parameter == SweptParameter::dropout || parameter == SweptParameter::embedding;
}

// A sweep while it is read.
struct Reading {
  std::string_view text;  // all of it
  const Document& document;
  Sweep sweep;

  [[noreturn]] void refuse_name() const {
    throw Error(
        fmt::format("The sweep is {}, but it must be one of dropout=0..0.9, seed=1..20, num_heads=1..4, "
                    "embedding[2,1]=-1..1 (token and dimension, counted from 1), tokens=1..6 and stages.",
                    in_quotes(text)));
  }
  [[noreturn]] void refuse_values() const {
    const bool real = is_real(sweep.parameter);
    throw Error(fmt::format(
        "The sweep is {}, but its values must be {}: a range that goes up, as in {}, one with a step, as "
        "in {}, or numbers with commas between them.",
        in_quotes(text), real ? fmt::format("numbers with up to {} decimals", most_decimals_of_value) : "whole numbers",
        real ? "0..0.9" : "1..20", real ? "0..0.9:0.1" : "1..20:2"));
  }
  [[noreturn]] void refuse_number(double count) const {
    throw Error(
        fmt::format("The sweep is {}, which is {:.0f} values, but at most {} frames are made: take fewer, or a "
                    "larger step behind a colon.",
                    in_quotes(text), count, max_frames));
  }

  void add(std::string value) {
    if (sweep.values.size() == max_frames) refuse_number(static_cast<double>(max_frames) + 1);
    sweep.values.push_back(std::move(value));
  }
};

// The decimals that a number has; none when it has too many.
std::optional<int> decimals_of(double number) {
  for (int decimals = 0; decimals <= most_decimals_of_value; ++decimals) {
    if (number_of<double>(fmt::format("{:.{}f}", number, decimals)) == number) return decimals;
  }
  return {};
}

// "1..20:2". A single value has no `last`; `step` may be left out.
struct Range {
  std::string_view first;
  std::optional<std::string_view> last;
  std::optional<std::string_view> step;
};
Range range_in(std::string_view item) {
  const std::size_t dots = item.find("..");
  if (dots == std::string_view::npos) return {item, {}, {}};
  const std::string_view rest = item.substr(dots + 2);
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return {item.substr(0, dots), rest, {}};
  return {item.substr(0, dots), rest.substr(0, colon), rest.substr(colon + 1)};
}

void add_whole(Reading& reading, const Range& range) {
  const auto first = number_of<std::uint64_t>(range.first);
  const auto last = range.last ? number_of<std::uint64_t>(*range.last) : first;
  const auto step = range.step ? number_of<std::uint64_t>(*range.step) : 1;
  if (!first || !last || !step || *step == 0 || *last < *first) reading.refuse_values();
  const std::uint64_t steps = (*last - *first) / *step;
  if (reading.sweep.parameter == SweptParameter::num_heads && range.last) {
    for (const Index heads : allowed_head_counts(reading.document)) {
      const auto number = static_cast<std::uint64_t>(heads);
      if (number >= *first && number <= *last && (number - *first) % *step == 0) reading.add(fmt::format("{}", heads));
    }
    return;
  }
  if (steps >= max_frames) reading.refuse_number(static_cast<double>(steps) + 1);
  for (std::uint64_t i = 0; i <= steps; ++i) reading.add(fmt::format("{}", *first + i * *step));
}

// The smallest of 1, 2, 5, 10, ... hundredths and so on that takes few steps.
double default_step(double length) {
  if (length == 0) return 1;
  for (int power = -most_decimals_of_value;; ++power) {
    for (const double unit : {1.0, 2.0, 5.0}) {
      const double step = *number_of<double>(fmt::format("{}e{}", unit, power));
      if (length / step <= most_default_steps * (1 + 1e-9)) return step;
    }
  }
}

void add_real(Reading& reading, const Range& range) {
  const auto first = number_of<double>(range.first);
  const auto last = range.last ? number_of<double>(*range.last) : first;
  // NaN compares false.
  if (!first || !last || !(*last >= *first) || !(std::abs(*first) <= largest_value && *last <= largest_value)) {
    reading.refuse_values();
  }
  const auto step = range.step ? number_of<double>(*range.step) : default_step(*last - *first);
  if (!step || !(*step > 0) || !(*step <= largest_value)) reading.refuse_values();
  const auto decimals_of_first = decimals_of(*first);
  const auto decimals_of_step = range.last ? decimals_of(*step) : 0;
  if (!decimals_of_first || !decimals_of_step) reading.refuse_values();
  const int decimals = std::max(*decimals_of_first, *decimals_of_step);
  const double steps = std::floor((*last - *first) / *step * (1 + 1e-12) + 1e-9);
  if (steps >= static_cast<double>(max_frames)) reading.refuse_number(steps + 1);
  for (int i = 0; i <= static_cast<int>(steps); ++i) {
    std::string value = fmt::format("{:.{}f}", *first + i * *step, decimals);
    if (number_of<double>(value) == 0.0 && value.starts_with('-')) value.erase(0, 1);
    reading.add(std::move(value));
  }
}

void read_values(Reading& reading, std::string_view values) {
  while (true) {
    const std::size_t comma = values.find(',');
    const Range range = range_in(values.substr(0, comma));
    if (is_real(reading.sweep.parameter)) {
      add_real(reading, range);
    } else {
      add_whole(reading, range);
    }
    if (comma == std::string_view::npos) return;
    values.remove_prefix(comma + 1);
  }
}

// "[2,1]"
void read_cell(Reading& reading, std::string_view cell) {
  const std::size_t comma = cell.find(',');
  if (!cell.starts_with('[') || !cell.ends_with(']') || comma == std::string_view::npos) reading.refuse_name();
  const auto token = number_of<Index>(cell.substr(1, comma - 1));
  const auto feature = number_of<Index>(cell.substr(comma + 1, cell.size() - comma - 2));
  if (!token || !feature) reading.refuse_name();
  constexpr Index far = std::numeric_limits<Index>::max() / 2;
  reading.sweep.token = std::clamp<Index>(*token, -far, far) - 1;
  reading.sweep.feature = std::clamp<Index>(*feature, -far, far) - 1;
  Document edited = reading.document;
  set_input(edited, reading.sweep.token, reading.sweep.feature, 0);  // throws Error when there is no such number
}

void read_name(Reading& reading, std::string_view name) {
  const std::size_t bracket = std::min(name.find('['), name.size());
  const auto found = std::ranges::find(names, name.substr(0, bracket), &Name::name);
  if (found == std::end(names)) reading.refuse_name();
  if (found->parameter == SweptParameter::stages) reading.refuse_name();  // it takes no values
  reading.sweep.parameter = found->parameter;
  if (found->parameter == SweptParameter::embedding) {
    read_cell(reading, name.substr(bracket));
  } else if (bracket < name.size()) {
    reading.refuse_name();
  }
}

void add_stages(Reading& reading) {
  for (const Stage stage : stages_one_by_one(reading.document.config)) reading.add(std::string(info(stage).id));
}

// Frames that are all the same would be an animation of nothing.
void check_effect(const Document& document, SweptParameter parameter) {
  const AttentionConfig& config = document.config;
  const MechanismInfo& mechanism = info(config.mechanism);
  const bool draws = mechanism.weight_style != WeightStyle::none || std::holds_alternative<RandnInputs>(config.inputs);
  if (parameter == SweptParameter::dropout && !mechanism.has_dropout) {
    throw Error("dropout",
                fmt::format("dropout cannot be swept: {} has none. Choose another mechanism.", mechanism.id));
  }
  if (parameter == SweptParameter::dropout && !config.training) {
    throw Error("training", "dropout cannot be swept in evaluation, where nothing is dropped: set training to true.");
  }
  if (parameter == SweptParameter::num_heads && !mechanism.has_heads) {
    throw Error("num_heads",
                fmt::format("num_heads cannot be swept: {} has one head. Choose another mechanism.", mechanism.id));
  }
  if (parameter == SweptParameter::seed && !draws) {
    throw Error("seed",
                fmt::format("seed cannot be swept: {} draws nothing for these inputs. Choose another mechanism, "
                            "or inputs that are drawn.",
                            mechanism.id));
  }
}

// Makes every frame with one feature per token, which is quick and is refused for the same reasons as the real one.
void check_values(const Document& document, const Sweep& sweep) {
  if (sweep.parameter == SweptParameter::embedding) return;  // any number will do
  Document light = document;
  light.config.inputs = Tensor({token_count(document.config), 1});
  light.config.weight_overrides.clear();
  for (std::size_t frame = 0; frame < sweep.values.size(); ++frame) frame_document(light, sweep, frame);
}

}  // namespace

std::string_view name_of(SweptParameter parameter) {
  return std::ranges::find(names, parameter, &Name::parameter)->name;
}

Sweep parse_sweep(std::string_view text, const Document& document) {
  Reading reading{text, document, {}};
  if (text == name_of(SweptParameter::stages)) {
    reading.sweep.parameter = SweptParameter::stages;
    add_stages(reading);
    return reading.sweep;
  }
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) reading.refuse_name();
  read_name(reading, text.substr(0, equals));
  check_effect(document, reading.sweep.parameter);
  read_values(reading, text.substr(equals + 1));
  if (reading.sweep.values.empty()) {
    throw Error("num_heads", fmt::format("The sweep is {}, but no number in it divides d_out, which is {}.",
                                         in_quotes(text), document.config.d_out));
  }
  check_values(document, reading.sweep);
  return reading.sweep;
}

}  // namespace attnscope
