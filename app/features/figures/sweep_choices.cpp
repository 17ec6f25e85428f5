#include "features/figures/sweep_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "document/edit.h"

namespace attnscope {
namespace {

constexpr const char* number_pattern = "-%03d";
constexpr Index most_usual_heads = 12;
constexpr Index most_usual_reveals = 32;

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

SweepRange usual_heads(const Document& document) {
  Index last = 1;
  for (const Index count : allowed_head_counts(document)) {
    if (count <= std::max(most_usual_heads, head_count(document.config))) last = count;
  }
  return {"1", fmt::format("{}", last), ""};
}

// All of few tokens, and equal steps up to the last of many.
SweepRange usual_tokens(const Document& document) {
  const Index count = token_count(document.config);
  const Index step = (count + most_usual_reveals - 1) / most_usual_reveals;
  const Index first = count - (count - 1) / step * step;
  return {fmt::format("{}", first), fmt::format("{}", count), step == 1 ? "" : fmt::format("{}", step)};
}

}  // namespace

std::string sweep_text(const SweepChoices& choices) {
  std::string text(name_of(choices.parameter));
  if (choices.parameter == SweptParameter::stages) return text;
  if (choices.parameter == SweptParameter::embedding) {
    text += fmt::format("[{},{}]", choices.token + 1, choices.feature + 1);
  }
  const SweepRange& range = choices.range();
  text += "=" + without_blanks(range.first);
  const std::string last = without_blanks(range.last);
  const std::string step = without_blanks(range.step);
  if (!last.empty()) text += ".." + last;
  if (!last.empty() && !step.empty()) text += ":" + step;
  return text;
}

void suggest_ranges(SweepChoices& choices, const Document& document) {
  const auto range_of = [&](SweptParameter parameter) -> SweepRange& {
    return choices.ranges[static_cast<std::size_t>(parameter)];
  };
  const std::pair<SweptParameter, SweepRange> usual[] = {{SweptParameter::dropout, {"0", "0.9", "0.1"}},
                                                         {SweptParameter::seed, {"1", "20", ""}},
                                                         {SweptParameter::embedding, {"-1", "1", "0.1"}}};
  for (const auto& [parameter, range] : usual) {
    if (range_of(parameter) == SweepRange()) range_of(parameter) = range;
  }
  range_of(SweptParameter::num_heads) = usual_heads(document);
  range_of(SweptParameter::tokens) = usual_tokens(document);
  choices.token = std::clamp<Index>(choices.token, 0, token_count(document.config) - 1);
  choices.feature = std::clamp<Index>(choices.feature, 0, input_features(document.config) - 1);
  choices.frame = 0;
  choices.is_playing = false;
}

std::string numbered_name(const std::string& name, bool is_series) {
  const std::filesystem::path path(name);
  std::string stem = path.stem().string();
  const bool is_numbered = stem.ends_with(number_pattern);
  if (is_series == is_numbered || (is_series && stem.find('%') != std::string::npos)) return name;
  if (is_series) {
    stem += number_pattern;
  } else {
    stem.resize(stem.size() - std::string(number_pattern).size());
  }
  return (path.parent_path() / (stem + path.extension().string())).string();
}

}  // namespace attnscope
