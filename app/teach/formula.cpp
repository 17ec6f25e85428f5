#include "teach/formula.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "core/evaluate.h"
#include "core/model/forward.h"
#include "core/text.h"
#include "document/edit.h"
#include "view/view_address.h"

namespace attnscope {
namespace {

constexpr int deepest = 20;  // brackets within brackets

constexpr Index most_read = 4'000'000;

// The matrices of a stage that a slice covers, and its part of the first one.
struct Part {
  Index first_matrix = 0;
  Index matrices = 1;
  CellRect rect;
};

Part part_of(const Slice& slice, const std::vector<Index>& shape) {
  const std::size_t leading = shape.size() - 2;
  Part part{.first_matrix = 0, .matrices = 1, .rect = {0, 0, shape[leading], shape[leading + 1]}};
  for (std::size_t axis = 0; axis < leading; ++axis) {
    const bool is_chosen = axis < slice.index.size();
    part.first_matrix = part.first_matrix * shape[axis] + (is_chosen ? slice.index[axis] : 0);
    if (!is_chosen) part.matrices *= shape[axis];
  }
  if (slice.index.size() > leading) part.rect = {slice.index[leading], 0, 1, shape[leading + 1]};
  if (slice.index.size() > leading + 1) part.rect = {slice.index[leading], slice.index[leading + 1], 1, 1};
  return part;
}

void check_slice(const Slice& slice, const Result& result) {
  const std::string_view id = info(slice.stage).id;
  if (!has(result, slice.stage)) throw Error(fmt::format("This document has no {}.", id));
  const std::vector<Index> shape = stage_shape(result.config, slice.stage);
  if (slice.index.size() > shape.size())
    throw Error(fmt::format("{} has {} axes, but {} indices are named.", id, shape.size(), slice.index.size()));
  for (std::size_t axis = 0; axis < slice.index.size(); ++axis) {
    if (slice.index[axis] < shape[axis]) continue;
    throw Error(fmt::format("{} has the shape ({}), but index {} of axis {} is named: the last one is {}.", id,
                            fmt::join(shape, ", "), slice.index[axis], axis + 1, shape[axis] - 1));
  }
}

bool is_word_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '_' || letter == '.';
}

Values whole(double number) { return {.shape = {}, .numbers = {number}, .are_whole = true}; }
Values real(double number) { return {.shape = {}, .numbers = {number}}; }

double total_of(const Values& values) { return std::accumulate(values.numbers.begin(), values.numbers.end(), 0.0); }

Values row_sums(const Values& values) {
  if (values.shape.empty()) throw Error("row_sums() needs rows, but this is one number.");
  Values sums{.shape = {values.shape.begin(), values.shape.end() - 1}, .numbers = {}};
  const Index cols = values.shape.back();
  for (auto at = values.numbers.begin(); at != values.numbers.end(); at += cols)
    sums.numbers.push_back(std::accumulate(at, at + cols, 0.0));
  return sums;
}

// Returns the probability that a trained model, with the document's changes, gives to a word after its text.
Values chance_of(std::string_view word, const Document& document) {
  if (!document.model || !document.model->encode) throw Error("chance() needs a trained model that reads words.");
  const std::vector<Index> tokens = document.model->encode(word);
  if (tokens.size() != 1) throw Error(fmt::format("{} is not one token of the model.", in_quotes(word)));
  const std::shared_ptr<const ForwardPass> pass = run_model(document.config);
  Tensor last = logits(*pass, usual_position(*pass->model, pass->tokens), 1, {});
  softmax(last.values);
  return real(static_cast<double>(last.values[static_cast<std::size_t>(tokens.front())]));
}

struct Function {
  std::string_view name;
  std::string_view words;
  Values (*of)(const Values&);  // null: the reader computes it
};
constexpr Function functions[] = {
    {"sum", "the sum of", [](const Values& v) { return real(total_of(v)); }},
    {"max", "the largest number in", [](const Values& v) { return real(*std::ranges::max_element(v.numbers)); }},
    {"min", "the smallest number in", [](const Values& v) { return real(*std::ranges::min_element(v.numbers)); }},
    {"mean", "the mean of", [](const Values& v) { return real(total_of(v) / static_cast<double>(v.numbers.size())); }},
    {"count", "the count of", [](const Values& v) { return whole(static_cast<double>(v.numbers.size())); }},
    {"zeros", "the number of zeros in",
     [](const Values& v) { return whole(static_cast<double>(std::ranges::count(v.numbers, 0.0))); }},
    {"row_sums", "the row sums of", row_sums},
    {"sqrt", "the square root of", [](const Values& v) { return real(std::sqrt(v.numbers.front())); }},
    {"exp", "e to the power of", [](const Values& v) { return real(std::exp(v.numbers.front())); }},
    {"chance", "the probability of the next word", nullptr},
    {"shape", "the shape of", nullptr},
    {"A", "in A,", nullptr},
};

struct Setting {
  std::string_view name;
  std::string_view words;
  double (*of)(const Document&);
};
// Returns a setting that counts something.
template <Index (*count)(const AttentionConfig&)>
double number_of_setting(const Document& document) {
  return static_cast<double>(count(document.config));
}

double number_of_known_words(const Document& document) {
  if (!document.model || !document.model->shown) throw Error("document.words needs a trained model that knows words.");
  return static_cast<double>(known_words(*document.model).size());
}

constexpr Setting settings[] = {
    {"document.dropout", "the dropout rate", [](const Document& d) { return d.config.dropout; }},
    {"document.seed", "the seed", [](const Document& d) { return static_cast<double>(d.config.seed); }},
    {"document.d_in", "d_in", number_of_setting<input_features>},
    {"document.d_out", "d_out", [](const Document& d) { return static_cast<double>(d.config.d_out); }},
    {"document.num_heads", "the number of heads", number_of_setting<head_count>},
    {"document.head_dim", "head_dim", number_of_setting<head_features>},
    {"document.tokens", "the number of tokens", number_of_setting<token_count>},
    {"document.words", "the number of words that the model knows", number_of_known_words},
    {"document.batch_size", "the batch size",
     [](const Document& d) { return static_cast<double>(d.config.batch_size); }},
};

// Returns "attention weight of key “step” for query “journey”".
std::string slice_words(const Slice& slice, const StepNumbers& numbers) {
  const AttentionConfig& config = numbers.document.config;
  const StageInfo& stage = info(slice.stage);
  const std::vector<Index>& index = slice.index;
  const std::size_t axes = stage_shape(config, slice.stage).size();
  const bool has_keys = is_query_by_key(stage.axes);
  const bool is_cell = index.size() == axes;
  std::string words(stage.title);
  Source cell{.stage = slice.stage};
  if (index.size() + 1 >= axes) cell.row = index[axes - 2];
  if (is_cell) cell.col = index[axes - 1];
  if (is_cell && has_keys && words.ends_with('s')) words.pop_back();
  if (is_cell)
    words += fmt::format(fmt::runtime(has_keys ? " of {1} for {0}" : " in {0}, {1}"), row_name(cell, numbers),
                         column_name(cell, numbers));
  if (index.size() + 1 == axes) words += " of " + row_name(cell, numbers);
  if (is_per_head(config, slice.stage) && head_count(config) > 1 && index.size() > 1)
    words += fmt::format(" of head {}", index[1] + 1);
  if (is_per_batch(slice.stage) && config.batch_size > 1 && !index.empty())
    words += fmt::format(" of batch entry {}", index[0] + 1);
  return is_parameter(stage.axes) ? words : "the " + words;
}

// Reads a formula from left to right and computes as it goes.
class Reader {
public:
  Reader(std::string_view text, const StepNumbers* numbers) : text_(text), numbers_(numbers) {}

  Values all() {
    Values values = sum();
    if (!rest().empty()) refuse(fmt::format("{} is left over", in_quotes(rest())));
    return values;
  }
  std::optional<Slice> slice() {
    const std::string_view word = take_word();
    const std::optional<Stage> stage = stage_named(word);
    if (!stage) return {};
    Slice slice{*stage, take_indices()};
    return rest().empty() ? std::optional(slice) : std::nullopt;
  }
  // Puts functions, settings and slices into words, and copies signs; a function loses its brackets.
  std::string words() {
    std::string text;
    std::vector<bool> is_of_function;  // for each open bracket: whether a function opened it
    for (std::string_view left = rest(); !left.empty(); left = rest()) {
      const std::string_view word = take_word();
      const auto* const setting = std::ranges::find(settings, word, &Setting::name);
      const auto* const function = std::ranges::find(functions, word, &Function::name);
      if (setting != std::end(settings)) {
        text += setting->words;
      } else if (function != std::end(functions) && takes('(')) {
        is_of_function.push_back(true);
        text += fmt::format("{} ", function->words);
      } else if (!word.empty()) {
        text += stage_named(word) ? slice_words(named_slice(word), *numbers_) : std::string(word);
      } else if (takes('(')) {
        is_of_function.push_back(false);
        text += '(';
      } else if (takes(')')) {
        const bool has_bracket = is_of_function.empty() || !is_of_function.back();
        if (!is_of_function.empty()) is_of_function.pop_back();
        if (has_bracket) text += ')';
      } else {
        text += takes(',') ? ", " : takes('*') ? " × " : takes('-') ? " − " : fmt::format(" {} ", text_[at_++]);
      }
    }
    return text;
  }

private:
  std::string_view rest() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return text_.substr(at_);
  }
  bool takes(char sign) {
    const bool is_there = rest().starts_with(sign);
    if (is_there) ++at_;
    return is_there;
  }
  std::string_view take_word() {
    const std::string_view text = rest();
    const std::size_t length = static_cast<std::size_t>(std::ranges::find_if_not(text, is_word_letter) - text.begin());
    at_ += length;
    return text.substr(0, length);
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(fmt::format("{} is not a formula: {}{}", in_quotes(text_), why, why.ends_with('?') ? "" : "."));
  }
  static std::vector<std::string_view> known_words() {
    std::vector<std::string_view> known;
    for (const StageInfo& stage : stages()) known.push_back(stage.id);
    for (const Function& function : functions) known.push_back(function.name);
    for (const Setting& setting : settings) known.push_back(setting.name);
    return known;
  }

  std::vector<Index> take_indices() {
    std::vector<Index> indices;
    if (!takes('[')) return indices;
    do {
      const std::string_view word = take_word();
      const Index index = number_of<Index>(word).value_or(-1);
      if (index < 0) refuse("an index is a whole number from 0 up");
      indices.push_back(index);
    } while (takes(','));
    if (!takes(']')) refuse("a ] is missing");
    return indices;
  }

  Values sum() {
    Values left = product();
    for (;;) {
      if (takes('+')) {
        left = real(one(left) + one(product()));
      } else if (takes('-')) {
        left = real(one(left) - one(product()));
      } else {
        return left;
      }
    }
  }
  Values product() {
    Values left = factor();
    for (;;) {
      if (takes('*')) {
        left = real(one(left) * one(factor()));
      } else if (takes('/')) {
        left = real(one(left) / one(factor()));
      } else {
        return left;
      }
    }
  }
  double one(const Values& values) const {
    if (values.is_number()) return values.numbers.front();
    refuse("only single numbers are added, subtracted, multiplied and divided");
  }

  Values factor() {
    if (++depth_ > deepest) refuse("its brackets are nested too deeply");
    Values values = inner_factor();
    --depth_;
    return values;
  }
  Values inner_factor() {
    if (takes('-')) return real(-one(factor()));
    if (takes('(')) {
      Values values = sum();
      if (!takes(')')) refuse("a ) is missing");
      return values;
    }
    const std::string_view word = take_word();
    if (word.empty()) refuse("a stage, a function, a setting of the document or a number is missing");
    if (word[0] >= '0' && word[0] <= '9') return literal(word);
    if (takes('(')) return call(word);
    if (const auto* const setting = std::ranges::find(settings, word, &Setting::name); setting != std::end(settings))
      return {.shape = {}, .numbers = {setting->of(numbers_->document)}, .are_whole = word != "document.dropout"};
    return read_slice(named_slice(word), numbers_->result);
  }
  Values literal(std::string_view word) const {
    const std::optional<double> number = number_of<double>(word);
    if (!number) refuse(fmt::format("{} is not a number", in_quotes(word)));
    return word.find('.') == std::string_view::npos ? whole(*number) : real(*number);
  }
  Slice named_slice(std::string_view word) {
    const std::optional<Stage> stage = stage_named(word);
    if (!stage)
      refuse(fmt::format("{} is neither a stage, a function nor a setting of the document{}", in_quotes(word),
                         suggestion(word, known_words())));
    return {*stage, take_indices()};
  }
  Values call(std::string_view name) {
    if (name == "shape") {
      const Slice slice = named_slice(take_word());
      if (!takes(')')) refuse("a ) is missing");
      return shape_of(slice);
    }
    if (name == "A") return of_a();
    if (name == "chance") {
      const std::string_view word = take_word();
      if (!takes(')')) refuse("a ) is missing");
      return chance_of(word, numbers_->document);
    }
    const Values argument = sum();
    if (!takes(')')) refuse("a ) is missing");
    const auto* const function = std::ranges::find(functions, name, &Function::name);
    if (function == std::end(functions)) refuse(fmt::format("there is no function {}()", name));
    if (argument.numbers.empty()) refuse("there are no numbers in it");
    return function->of(argument);
  }
  // Reads the formula up to its bracket with the numbers of A.
  Values of_a() {
    const std::shared_ptr<const Document> a = numbers_->document.compared;
    if (!a) throw Error("A(…) needs a pair: this step's document is compared with none.");
    if (!numbers_->a) numbers_->a = std::make_shared<const Result>(evaluate(a->config));
    const StepNumbers of_a{*a, *numbers_->a};
    const StepNumbers* const of_b = std::exchange(numbers_, &of_a);
    Values values = sum();
    numbers_ = of_b;
    if (!takes(')')) refuse("a ) is missing");
    return values;
  }
  Values shape_of(const Slice& slice) const {
    if (!has_stage(numbers_->document.config, slice.stage))
      throw Error(fmt::format("This document has no {}.", info(slice.stage).id));
    std::vector<Index> shape = stage_shape(numbers_->document.config, slice.stage);
    if (slice.index.size() > shape.size()) refuse("it has more indices than the stage has axes");
    shape.erase(shape.begin(), shape.begin() + std::ssize(slice.index));
    return {.shape = {std::ssize(shape)}, .numbers = {shape.begin(), shape.end()}, .are_whole = true};
  }

  std::string_view text_;
  const StepNumbers* numbers_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

std::string label_of(const TokenNames& tokens, Index index) {
  const std::vector<std::string> labels = token_labels(tokens);
  const auto at = static_cast<std::size_t>(index);
  return at < labels.size() ? labels[at] : fmt::format("{}", index + 1);
}

}  // namespace

Values evaluate_formula(std::string_view formula, const StepNumbers& numbers) {
  return Reader(formula, &numbers).all();
}

double number_of_formula(std::string_view formula, const StepNumbers& numbers) {
  const Values values = evaluate_formula(formula, numbers);
  if (values.is_number()) return values.numbers.front();
  throw Error(fmt::format("{} is not one number but {}.", in_quotes(formula), values.numbers.size()));
}

std::string chance_formula(const TrainedModel& model, Index token) {
  if (!model.encode || !model.shown) return "";
  const std::string shown = model.shown(token);
  const std::string_view word = trimmed(shown);
  const bool is_named = std::ranges::all_of(word, is_word_letter) && model.encode(word) == std::vector{token};
  return is_named ? fmt::format("chance({})", word) : "";
}

std::optional<Slice> slice_of(std::string_view formula) { return Reader(formula, nullptr).slice(); }

std::string formula_words(std::string_view formula, const StepNumbers& numbers) {
  return Reader(formula, &numbers).words();
}

Values read_slice(const Slice& slice, const Result& result) {
  check_slice(slice, result);
  const std::vector<Index> shape = stage_shape(result.config, slice.stage);
  const Part part = part_of(slice, shape);
  const Index cells = part.rect.rows * part.rect.cols;
  if (part.matrices > most_read / std::max<Index>(cells, 1))
    throw Error(fmt::format("{} are too many numbers to read at once.", info(slice.stage).id));
  std::vector<float> read(static_cast<std::size_t>(part.matrices * cells));
  for (Index i = 0; i < part.matrices; ++i) {
    const std::span<float> place(read.data() + i * cells, static_cast<std::size_t>(cells));
    read_cells(place, result, slice.stage, part.first_matrix + i, part.rect);
  }
  return {.shape = {shape.begin() + std::ssize(slice.index), shape.end()}, .numbers = {read.begin(), read.end()}};
}

Source cell_of(const Slice& slice) {
  const std::size_t wanted = axis_count(info(slice.stage).axes);
  if (slice.index.size() == wanted) return cell_at(slice.stage, slice.index);
  throw Error(
      fmt::format("A cell of {} is named by {} indices, not {}.", info(slice.stage).id, wanted, slice.index.size()));
}

std::string row_name(const Source& cell, const StepNumbers& numbers) {
  if (!is_query_by_key(info(cell.stage).axes)) return fmt::format("row {}", cell.row + 1);
  const Document& document = numbers.document;
  return fmt::format("query “{}”",
                     label_of(document.query_tokens.size() > 0 ? document.query_tokens : document.tokens, cell.row));
}

std::string column_name(const Source& cell, const StepNumbers& numbers) {
  if (!is_query_by_key(info(cell.stage).axes)) return fmt::format("column {}", cell.col + 1);
  return fmt::format("key “{}”", label_of(numbers.document.tokens, cell.col));
}

std::string number_words(double number, int decimals) {
  std::string text = format_fixed(number, decimals);
  if (text.find('.') == std::string::npos) return text;
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace attnscope
