#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "core/parameters.h"
#include "document/edit.h"

namespace attnscope {
namespace {

std::string heads_followed(const AttentionConfig& before, const AttentionConfig& now) {
  if (now.num_heads == before.num_heads || !info(now.mechanism).splits_heads) return {};
  if (now.d_out == before.d_out && now.mechanism == before.mechanism) return {};
  return fmt::format("The number of heads changed from {} to {}: it must divide d_out, which is {}.", before.num_heads,
                     now.num_heads, now.d_out);
}

// Only where both had what is usual for their mechanism.
std::string defaults_followed(const AttentionConfig& before, const AttentionConfig& now) {
  if (now.mechanism == before.mechanism) return {};
  std::vector<std::string_view> changes;
  if (now.mask != before.mask) changes.push_back(now.mask == MaskRoute::none ? "no mask" : "a causal mask");
  if (now.scale != before.scale) changes.push_back(now.scale ? "scaled scores" : "unscaled scores");
  if (changes.empty()) return {};
  return fmt::format("{} comes with {}.", info(now.mechanism).title, fmt::join(changes, " and "));
}

bool are_alike(const ParameterShape& left, const ParameterShape& right) {
  return left.name == right.name && left.shape == right.shape;
}

// Weights that were set by the user and have no place any more: those of another size or of a layer that is gone.
std::string overrides_followed(const AttentionConfig& before, const AttentionConfig& now) {
  const std::size_t lost =
      before.weight_overrides.size() - std::min(before.weight_overrides.size(), now.weight_overrides.size());
  const bool is_of_the_same_shapes = std::ranges::equal(parameter_shapes(before), parameter_shapes(now), are_alike);
  if (lost == 0 || is_of_the_same_shapes) return {};
  return fmt::format("{} weight{} that {} set no longer fit{} and {} drawn again: undo brings {} back.", lost,
                     lost == 1 ? "" : "s", lost == 1 ? "was" : "were", lost == 1 ? "s" : "", lost == 1 ? "is" : "are",
                     lost == 1 ? "it" : "them");
}

// Says which of the user's settings went with heads, dropped weights or batch entries that are gone.
std::string interventions_followed(const AttentionConfig& before, const AttentionConfig& now) {
  const auto sizes = [](const AttentionConfig& config) {
    return std::tuple(config.num_heads, config.batch_size, token_count(config));
  };
  if (sizes(before) == sizes(now)) return {};
  std::vector<std::string> lost;
  const auto add = [&](std::size_t count_before, std::size_t count_now, std::string_view one, std::string_view more) {
    if (count_now >= count_before) return;
    const std::size_t gone = count_before - count_now;
    lost.push_back(fmt::format("{} {}", gone, gone == 1 ? one : more));
  };
  add(before.heads_off.size(), now.heads_off.size(), "head that was switched off", "heads that were switched off");
  add(before.dropout_edits.size(), now.dropout_edits.size(), "weight that was kept or dropped by hand",
      "weights that were kept or dropped by hand");
  if (lost.empty()) return {};
  return fmt::format("The edit also removed {}. Undo restores them.", fmt::join(lost, " and "));
}

}  // namespace

std::string what_followed(const AttentionConfig& before, const AttentionConfig& now) {
  std::string said;
  for (const std::string& sentence : {heads_followed(before, now), defaults_followed(before, now),
                                      overrides_followed(before, now), interventions_followed(before, now)}) {
    if (!sentence.empty()) said += (said.empty() ? "" : " ") + sentence;
  }
  return said;
}

}  // namespace attnscope
