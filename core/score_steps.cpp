#include "core/stage_rules.h"

#include "core/attention.h"
#include "core/kernels/kernels.h"

#include <cmath>

namespace attnscope {

namespace {

using Config = AttentionConfig;

float root_of_features(const Config& config) {
  return static_cast<float>(std::sqrt(static_cast<double>(head_features(config))));
}

void make_scaled(Tensor& out, const Tensor& scores, const Config& config, const Execution& execution) {
  scale_scores(out, scores, head_features(config), execution);
}

void scale(std::span<float> scores, const Config& config) {
  const float factor = score_scale(config);
  for (float& score : scores) score *= factor;
}

float softcap_of(const Config& config) { return static_cast<float>(*config.softcap); }

void cap(std::span<float> scores, const Config& config) {
  const float c = softcap_of(config);
  for (float& score : scores) score = c * std::tanh(score / c);
}

void make_capped(Tensor& out, const Tensor& scores, const Config& config, const Execution& execution) {
  cap_scores(out, scores, softcap_of(config), execution);
}

void make_multiplied(Tensor& out, const Tensor& scores, const Config& config, const Execution& execution) {
  multiply_scores(out, scores, score_scale(config), execution);
}

constexpr std::string_view why_scaled =
    "With more dimensions in a head, its scores lie further apart, and softmax gives nearly all to one key. Dividing "
    "by "
    "√head_dim keeps their spread about the same.";

constinit const ScoreStep divided = {.acts = [](const Config& config) { return config.scale; },
                                     .amount = root_of_features,
                                     .factor = score_scale,
                                     .apply = scale,
                                     .make = make_scaled,
                                     .words = "Divided by √head_dim:",
                                     .why = why_scaled,
                                     .pytorch = "{0} / {2}**0.5",
                                     .numpy = "{0} / {2}**0.5",
                                     .latex = "{0} / \\sqrt{{{2}}}",
                                     .arithmetic = "{0} / {1}"};

constinit const ScoreStep multiplied = {.acts = [](const Config& config) { return config.scale; },
                                        .amount = score_scale,
                                        .factor = score_scale,
                                        .apply = scale,
                                        .make = make_multiplied,
                                        .words = "Multiplied by scale:",
                                        .why =
                                            "The larger scale is, the further apart the scores lie and the more "
                                            "softmax gives all to one; 1/√head_dim is usual.",
                                        .pytorch = "{0} * {1}",
                                        .numpy = "{0} * {1}",
                                        .latex = "{1} \\cdot {0}",
                                        .arithmetic = "{0} × {1}"};

constinit const ScoreStep capped = {.acts = [](const Config&) { return true; },
                                    .amount = softcap_of,
                                    .factor = nullptr,
                                    .apply = cap,
                                    .make = make_capped,
                                    .words = "Capped at c = softcap:",
                                    .why = "No score is further from 0 than c, so that no key gets everything.",
                                    .pytorch = "{1} * torch.tanh({0} / {1})",
                                    .numpy = "{1} * np.tanh({0} / {1})",
                                    .latex = "{1} \\tanh\\bigl( {0} / {1} \\bigr)",
                                    .arithmetic = "{1} · tanh({0} / {1})"};

}  // namespace

const ScoreStep* stage_rules::scaling(const Config& config) { return config.scale_factor ? &multiplied : &divided; }

const ScoreStep* stage_rules::capping(const Config&) { return &capped; }

ScoreMap score_map(const Config& config) {
  return {.scale = score_scale(config), .cap = config.softcap ? softcap_of(config) : 0};
}

}  // namespace attnscope
