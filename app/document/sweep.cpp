#include "document/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "document/edit.h"
#include "document/json_document.h"

namespace attnscope {
namespace {

constexpr int most_decimals_of_value = 9;
constexpr double largest_value = 1e9;  // up to here a double holds all decimals that may be typed
constexpr int most_default_steps = 20;

// A sweep while it is read.
struct Reading {
  std::string_view text;  // the whole text
  const Document& document;
  const SweptParameter* parameter = nullptr;
  Sweep sweep = {};

  [[noreturn]] void refuse_name() const {
    std::vector<std::string_view> names;
    for (const SweptParameter& each : swept_parameters()) names.push_back(each.name);
    const std::string_view name = text.substr(0, text.find_first_of("=["));
    const std::string near = swept_parameter(name) ? "" : suggestion(name, names);
    if (!near.empty()) throw Error(fmt::format("The sweep is {}{}", in_quotes(text), near));
    throw Error(
        fmt::format("The sweep is {}, but it must be a field of the document as in dropout=0..0.9, seed=1..20, "
                    "num_heads=1..4 or mask=none,causal, or one of embedding[2,1]=-1..1 (token and dimension, counted "
                    "from 1), tokens=1..6 and stages.",
                    in_quotes(text)));
  }
  [[noreturn]] void refuse_word(std::string_view word) const {
    const std::string near = suggestion(word, parameter->words);
    if (!near.empty())
      throw Error(fmt::format("The sweep is {}: {} is no value of {}{}", in_quotes(text), in_quotes(word),
                              parameter->name, near));
    throw Error(fmt::format("The sweep is {}, but its values must be of {}, with commas between them.", in_quotes(text),
                            fmt::join(parameter->words, ", ")));
  }
  [[noreturn]] void refuse_values() const {
    const bool real = parameter->is_real;
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

// Returns how many decimals a number has; nothing if too many.
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
  if (reading.sweep.parameter == "num_heads" && range.last) {
    for (const Index heads : allowed_head_counts(reading.document)) {
      const auto number = static_cast<std::uint64_t>(heads);
      if (number >= *first && number <= *last && (number - *first) % *step == 0) reading.add(fmt::format("{}", heads));
    }
    return;
  }
  if (steps >= max_frames) reading.refuse_number(static_cast<double>(steps) + 1);
  for (std::uint64_t i = 0; i <= steps; ++i) reading.add(fmt::format("{}", *first + i * *step));
}

// Returns the smallest step of 1, 2, 5, 10, ... hundredths that gives few frames.
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
  for (const std::string_view item : split(values, ',')) {
    if (!reading.parameter->words.empty()) {
      if (std::ranges::find(reading.parameter->words, item) == reading.parameter->words.end())
        reading.refuse_word(item);
      reading.add(std::string(item));
    } else if (reading.parameter->is_real) {
      add_real(reading, range_in(item));
    } else {
      add_whole(reading, range_in(item));
    }
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
  reading.parameter = swept_parameter(name.substr(0, bracket));
  if (!reading.parameter || reading.parameter->name == swept_stages) reading.refuse_name();  // stages take no values
  reading.sweep.parameter = reading.parameter->name;
  if (reading.sweep.parameter == swept_embedding) {
    read_cell(reading, name.substr(bracket));
  } else if (bracket < name.size()) {
    reading.refuse_name();
  }
}

void add_stages(Reading& reading) {
  for (const Stage stage : stages_one_by_one(reading.document.config)) reading.add(std::string(info(stage).id));
}

// Frames that are all the same would be an animation of nothing.
void check_effect(const Document& document, const SweptParameter& parameter) {
  const std::string_view reason = parameter.reason(document.config);
  if (reason.empty()) return;
  throw Error(std::string(parameter.name),
              fmt::format("{} cannot be swept in {}: {}", parameter.name, info(document.config.mechanism).id, reason));
}

// Makes every frame with one feature per token, which is quick and is refused for the same reasons as the real one.
void check_values(const Document& document, const Sweep& sweep) {
  if (sweep.parameter == swept_embedding) return;  // any number will do
  Document light = document;
  light.config.inputs = Tensor({token_count(document.config), 1});
  light.config.weight_overrides.clear();
  for (std::size_t frame = 0; frame < sweep.values.size(); ++frame) frame_document(light, sweep, frame);
}

// Returns the number that a value spells; the largest of the type if it is out of range.
template <typename Number>
Number limited(const std::string& value) {
  Number number = 0;
  const auto [end, problem] = from_chars(value.data(), value.data() + value.size(), number);
  return problem == std::errc::result_out_of_range ? std::numeric_limits<Number>::max() : number;
}

// Changes a field as the setup does: what follows from it changes, too.
void set_field(Document& document, const SweptParameter& parameter, const std::string& value) {
  if (parameter.name == "num_heads") return set_num_heads(document, limited<Index>(value));
  if (parameter.name == "d_out") return set_d_out(document, limited<Index>(value));
  if (parameter.name == "batch_size") return set_batch_size(document, limited<Index>(value));
  AttentionConfig config = document.config;
  const std::string spelled = std::holds_alternative<ChoiceField>(*parameter.field) ? "\"" + value + "\"" : value;
  const JsonText text(spelled);
  read_field(config, *parameter.field, text.root());
  if (parameter.name == "mechanism") return set_mechanism(document, config.mechanism);
  if (parameter.name == "mask") return set_mask(document, config.mask);
  document.config = std::move(config);
  check(document);
}

void keep_first_tokens(Document& document, Index count) {
  const Index all = token_count(document.config);
  if (count < 1 || count > all) {
    throw Error("tokens",
                fmt::format("{} tokens cannot be shown because the document has {}: use 1 to {}.", count, all, all));
  }
  make_inputs_explicit(document);
  const auto& inputs = std::get<SharedTensor>(document.config.inputs);
  Tensor kept({count, inputs.cols()});
  for (Index row = 0; row < count; ++row) {
    std::ranges::copy(inputs.row(row), kept.values.begin() + row * inputs.cols());
  }
  set_inputs(document, std::move(kept), {document.tokens.begin(), document.tokens.begin() + count});
}

std::string counted(const std::string& value, std::string_view what) {
  return fmt::format("{} {}{}", value, what, value == "1" ? "" : "s");
}

// With a minus sign, as figures have it, instead of a hyphen.
std::string typeset(const std::string& value) { return value.starts_with('-') ? "\u2212" + value.substr(1) : value; }

SweptParameter parameter_of(const ConfigField& field) {
  SweptParameter parameter;
  parameter.field = &field;
  parameter.is_real = std::holds_alternative<NumberField>(field);
  if (std::holds_alternative<FlagField>(field)) parameter.words = {"false", "true"};
  if (const auto* const choice = std::get_if<ChoiceField>(&field)) {
    for (const ChoiceField::Value& value : choice->values) parameter.words.push_back(value.word);
  }
  const auto name = [&](const auto& each) {
    parameter.name = each.key;
    parameter.label = each.label;
  };
  std::visit(name, field);
  return parameter;
}

}  // namespace

Sweep parse_sweep(std::string_view text, const Document& document) {
  Reading reading{text, document};
  if (text == swept_stages) {
    reading.sweep.parameter = swept_stages;
    add_stages(reading);
    return reading.sweep;
  }
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) reading.refuse_name();
  read_name(reading, text.substr(0, equals));
  check_effect(document, *reading.parameter);
  read_values(reading, text.substr(equals + 1));
  if (reading.sweep.values.empty()) {
    throw Error("num_heads", fmt::format("The sweep is {}, but no number in it divides d_out, which is {}.",
                                         in_quotes(text), document.config.d_out));
  }
  check_values(document, reading.sweep);
  return reading.sweep;
}

std::string_view SweptParameter::reason(const AttentionConfig& config) const {
  return field ? std::visit([&](const auto& each) { return each.reason(config); }, *field) : std::string_view();
}

std::span<const SweptParameter> swept_parameters() {
  static const std::vector<SweptParameter> parameters = [] {
    std::vector<SweptParameter> all;
    for (const ConfigField& field : config_fields()) all.push_back(parameter_of(field));
    all.push_back({.name = swept_embedding, .label = "embedding cell", .is_real = true});
    all.push_back({.name = swept_tokens, .label = "tokens, one by one"});
    all.push_back({.name = swept_stages, .label = "stages, one by one"});
    return all;
  }();
  return parameters;
}

const SweptParameter* swept_parameter(std::string_view name) {
  const auto found = std::ranges::find(swept_parameters(), name, &SweptParameter::name);
  return found == swept_parameters().end() ? nullptr : &*found;
}

Document frame_document(const Document& document, const Sweep& sweep, std::size_t frame) {
  assert(frame < sweep.values.size());
  const std::string& value = sweep.values[frame];
  Document changed = document;
  if (sweep.parameter == swept_embedding) {
    set_input(changed, sweep.token, sweep.feature, static_cast<float>(limited<double>(value)));
  } else if (sweep.parameter == swept_tokens) {
    keep_first_tokens(changed, limited<Index>(value));
  } else if (sweep.parameter != swept_stages) {
    set_field(changed, *swept_parameter(sweep.parameter), value);
  }
  return changed;
}

std::vector<Stage> stages_one_by_one(const AttentionConfig& config) {
  std::vector<Stage> shown = computed_stages(config);
  std::erase_if(shown, [&](Stage stage) { return info(stage).place.column < 0 || !acts_in(config, stage); });
  const bool is_same_twice = head_count(config) == 1 && std::ranges::find(shown, Stage::context) != shown.end();
  if (is_same_twice) std::erase(shown, Stage::head_context);  // the context of one head is that of all
  return shown;
}

Sweep without_stages(Sweep sweep, const StageSet& left_out) {
  if (sweep.parameter != swept_stages) return sweep;
  std::erase_if(sweep.values, [&](const std::string& value) { return left_out.contains(*stage_named(value)); });
  return sweep;
}

std::optional<Stage> last_stage(const Sweep& sweep, std::size_t frame) {
  const bool shows_all = sweep.parameter != swept_stages || frame + 1 == sweep.values.size();
  return shows_all ? std::nullopt : stage_named(sweep.values[frame]);
}

std::string frame_name(const Document& document, const Sweep& sweep, std::size_t frame) {
  assert(frame < sweep.values.size());
  const std::string& value = sweep.values[frame];
  if (sweep.parameter == swept_stages) return std::string(info(*stage_named(value)).title);
  if (sweep.parameter == swept_tokens) return counted(value, "token");
  if (sweep.parameter == "num_heads") return counted(value, "head");
  if (sweep.parameter != swept_embedding)
    return fmt::format("{} {}", swept_parameter(sweep.parameter)->label, typeset(value));
  return fmt::format("{}, dimension {}: {}", token_labels(document.tokens)[static_cast<std::size_t>(sweep.token)],
                     sweep.feature + 1, typeset(value));
}

}  // namespace attnscope
