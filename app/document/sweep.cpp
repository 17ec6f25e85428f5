#include "document/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>
#include <utility>

#include "core/error.h"
#include "document/edit.h"

namespace attnscope {
namespace {

// The number that a value spells; the largest of the type when it is out of range.
template <typename Number>
Number limited(const std::string& value) {
  Number number = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  return problem == std::errc::result_out_of_range ? std::numeric_limits<Number>::max() : number;
}

void set_dropout(Document& document, double dropout) {
  document.config.dropout = dropout;
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

}  // namespace

Document frame_document(const Document& document, const Sweep& sweep, std::size_t frame) {
  assert(frame < sweep.values.size());
  const std::string& value = sweep.values[frame];
  Document changed = document;
  switch (sweep.parameter) {
    case SweptParameter::dropout:
      set_dropout(changed, limited<double>(value));
      break;
    case SweptParameter::seed:
      changed.config.seed = limited<std::uint64_t>(value);
      break;
    case SweptParameter::num_heads:
      set_num_heads(changed, limited<Index>(value));
      break;
    case SweptParameter::embedding:
      set_input(changed, sweep.token, sweep.feature, static_cast<float>(limited<double>(value)));
      break;
    case SweptParameter::tokens:
      keep_first_tokens(changed, limited<Index>(value));
      break;
    case SweptParameter::stages:
      break;
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
  if (sweep.parameter != SweptParameter::stages) return sweep;
  std::erase_if(sweep.values, [&](const std::string& value) { return left_out.contains(*stage_named(value)); });
  return sweep;
}

std::optional<Stage> last_stage(const Sweep& sweep, std::size_t frame) {
  const bool shows_all = sweep.parameter != SweptParameter::stages || frame + 1 == sweep.values.size();
  return shows_all ? std::nullopt : stage_named(sweep.values[frame]);
}

std::string frame_name(const Document& document, const Sweep& sweep, std::size_t frame) {
  assert(frame < sweep.values.size());
  const std::string& value = sweep.values[frame];
  switch (sweep.parameter) {
    case SweptParameter::dropout:
      return "dropout " + value;
    case SweptParameter::seed:
      return "seed " + value;
    case SweptParameter::num_heads:
      return counted(value, "head");
    case SweptParameter::tokens:
      return counted(value, "token");
    case SweptParameter::stages:
      return std::string(info(*stage_named(value)).title);
    default:
      return fmt::format("{}, dimension {}: {}", token_labels(document.tokens)[static_cast<std::size_t>(sweep.token)],
                         sweep.feature + 1, typeset(value));
  }
}

}  // namespace attnscope
