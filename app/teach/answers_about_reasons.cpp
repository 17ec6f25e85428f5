#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/evaluate.h"
#include "core/model/forward.h"
#include "core/rope.h"
#include "teach/questions.h"
#include "teach/teaching_view_support.h"

// Answers about why attention is as it is: minus infinity, positions, and what weights explain.
namespace attnscope {
namespace {

// The weights of a row whose hidden scores are minus infinity, and what they would be if these were 0.
struct ZeroedRow {
  Index query = 0;
  std::vector<double> right;
  std::vector<double> wrong;
  double taken = 0;  // by hidden keys
};

ZeroedRow zeroed_row(const TeachingViewSubject& subject, const Visibility& seen, Index query) {
  std::vector<double> scores = softmax_scores(subject, query, static_cast<double>(score_scale(subject.result.config)));
  std::vector<double> zeros = scores;
  for (std::size_t key = 0; key < scores.size(); ++key) {
    if (!seen.hides(query, static_cast<Index>(key))) continue;
    scores[key] = -std::numeric_limits<double>::infinity();
    zeros[key] = 0;
  }
  ZeroedRow row{query, softmax(scores), softmax(zeros)};
  for (std::size_t key = 0; key < zeros.size(); ++key)
    row.taken += seen.hides(query, static_cast<Index>(key)) ? row.wrong[key] : 0;
  return row;
}

// Returns the row of the subject's query, or another one if hidden keys would hardly take a share there.
std::optional<ZeroedRow> telling_zeroed_row(const TeachingViewSubject& subject, const Visibility& seen) {
  constexpr double telling = 0.1;
  constexpr Index most_tried = 64;
  const AttentionConfig& config = subject.result.config;
  std::optional<ZeroedRow> found;
  const auto try_row = [&](Index query) {
    const Index count = seen.count(query);
    if (count == 0 || count == key_count(config) || (found && found->taken >= telling)) return;
    ZeroedRow row = zeroed_row(subject, seen, query);
    if (!found || row.taken > found->taken) found = std::move(row);
  };
  try_row(subject.query);
  for (Index query = std::min(query_count(config), most_tried) - 1; query >= 0; --query) try_row(query);
  return found;
}

}  // namespace

std::string answer_minus_infinity(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Visibility seen = shown_mask(config);
  const std::string rule = fmt::format(
      "Because a hidden key{} must get no share, and softmax takes e to the power of each score: e^−∞ is 0, no share "
      "at "
      "all, but e⁰ is 1, a real share.",
      hides_all_later(seen, config) ? ", one right of the diagonal that comes later than the query," : "");
  if (normalizes_by_sum(config)) return rule;
  const std::optional<ZeroedRow> row = telling_zeroed_row(subject, seen);
  if (!row) return rule;
  const auto most = static_cast<std::size_t>(std::ranges::max_element(row->right) - row->right.begin());
  const Index hidden = key_count(config) - seen.count(row->query);
  return fmt::format(
      "{} With 0 in the place of −∞, the {} from “{}” would take {} of its weight, and “{}” would get {} instead of "
      "{}. A hidden key would even beat every key with a negative score.",
      rule, hidden == 1 ? "key hidden" : fmt::format("{} keys hidden", hidden), query_name(subject, row->query),
      number(row->taken), key_name(subject, static_cast<Index>(most)), number(row->wrong[most]),
      number(row->right[most]));
}

// Positions.

namespace {

// Returns the stage whose rows are rotated: queries or keys, normalized if the document does that.
Stage turned_from(const TeachingViewSubject& subject, Stage rotated) {
  return predecessors(subject.result.config, rotated)[0];
}

constexpr const char* no_order =
    "By itself it cannot: a score compares two rows of numbers, wherever their tokens stand, and only the mask knows "
    "their order.";

// Answers for a model that adds learned positions to its embeddings, with the number of the row that they move most.
std::string learned_positions(const TeachingViewSubject& subject, Index token, const char* opening) {
  const ForwardPass& below = *subject.result.below;
  const auto at = [&](Index row, Index dimension) { return normalized_number(below, row, dimension); };
  Index most = 0;
  for (Index i = 1; i < input_features(subject.result.config); ++i) {
    if (std::abs(at(token, i).position) > std::abs(at(token, most).position)) most = i;
  }
  return fmt::format(
      "{} So this model adds a learned row of numbers for its place to the embedding of each token, before the first "
      "layer. In dimension {}, “{}” has {} as a word and gets {} as token {}; as the first token it would get {}.",
      opening, most + 1, key_name(subject, token), number(at(token, most).embedding, 3),
      number(at(token, most).position, 3), token + 1, number(at(0, most).position, 3));
}

// Says how the document's positions come into the scores, after a sentence that answers the question.
std::string positions_of(const TeachingViewSubject& subject, const char* opening) {
  const Index query = subject.query > 0 ? subject.query : query_count(subject.result.config) - 1;
  if (!has_rope(subject.result.config)) return learned_positions(subject, query, opening);
  const std::vector<float> of_query = read_row(subject, turned_from(subject, Stage::rotated_queries), query);
  const std::vector<float> of_key = read_row(subject, turned_from(subject, Stage::rotated_keys), 0);
  double unturned = 0;
  for (std::size_t i = 0; i < of_query.size(); ++i)
    unturned += static_cast<double>(of_query[i]) * static_cast<double>(of_key[i]);
  const std::string turned = fmt::format(
      "{} So the rows are made to tell their positions: RoPE turns each pair of dimensions of a query or a key by an "
      "angle that grows from token to token.",
      opening);
  const double score = static_cast<double>(read_row(subject, Stage::scores, query).front());
  if (query == 0)
    return fmt::format("{} “{}” stands beside itself, and its score stays {}.", turned, query_name(subject, query),
                       number(score, 3));
  return fmt::format(
      "{} “{}” and “{}” stand {} apart, and their score becomes {} instead of {}. Moved along together, "
      "the two would keep it.",
      turned, query_name(subject, query), key_name(subject, 0), query, number(score, 3), number(unturned, 3));
}

}  // namespace

std::string answer_positions(const TeachingViewSubject& subject) { return positions_of(subject, no_order); }

namespace {

// Returns the document with the inputs of two tokens swapped and without a mask, or only the latter.
AttentionConfig with_swapped_rows(const TeachingViewSubject& subject, Index a, Index b) {
  Tensor inputs = read_inputs(subject);
  if (a != b) std::ranges::swap_ranges(inputs.matrix().row(a), inputs.matrix().row(b));
  AttentionConfig config = with_inputs(subject.result.config, std::move(inputs));
  config.mask = MaskRoute::none;
  config.hidden = {};
  config.sliding_window.reset();
  return config;
}

// The weights that the subject's query gives to two keys, before and after their tokens change places.
struct SwappedKeys {
  Index a = 0;
  Index b = 0;
  std::pair<double, double> before;
  std::pair<double, double> after;  // to the same tokens, where they stand now

  bool is_same() const {
    constexpr double rounding = 1e-5;
    return std::abs(before.first - after.first) < rounding && std::abs(before.second - after.second) < rounding;
  }
};

std::optional<SwappedKeys> swap_keys(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  if (subject.result.imported || begins_with_heads(config) || std::holds_alternative<ModelInputs>(config.inputs))
    return {};
  if (token_count(config) < 3 || token_count(config) > most_tokens_of_trial) return {};
  const auto weights = [&](Index a, Index b) {
    const Result result = evaluate(with_swapped_rows(subject, a, b), quietly(subject));
    return read_row({result, subject.labels, subject.head, subject.batch, subject.query, subject.choice},
                    normalized_weights_stage(result.config), subject.query);
  };
  const std::vector<float> before = weights(0, 0);
  SwappedKeys keys{subject.query == 0 ? 1 : 0, subject.query == 0 ? 1 : 0, {}, {}};
  for (Index key = 0; key < std::ssize(before); ++key) {
    if (key == subject.query) continue;
    if (number_at(before, key) > number_at(before, keys.a)) keys.a = key;
    if (number_at(before, key) < number_at(before, keys.b)) keys.b = key;
  }
  if (keys.a == keys.b) return {};
  const std::vector<float> after = weights(keys.a, keys.b);
  keys.before = {number_at(before, keys.a), number_at(before, keys.b)};
  keys.after = {number_at(after, keys.b), number_at(after, keys.a)};
  return keys;
}

}  // namespace

std::string answer_order(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const char* const rule =
      "From outside: attention has none of its own. A score compares two rows of numbers, wherever their tokens stand.";
  if (std::holds_alternative<ModelInputs>(config.inputs) && !subject.result.imported)
    return positions_of(subject, rule);
  const char* const models =
      "Models bring positions in: GPT-2 adds a learned row for each place to the embeddings; Llama turns queries and "
      "keys by an angle that grows with the place (RoPE).";
  const std::optional<SwappedKeys> keys = swap_keys(subject);
  if (!keys) return fmt::format("{} {}", rule, models);
  const std::string a = key_name(subject, keys->a);
  const std::string b = key_name(subject, keys->b);
  const std::string query = query_name(subject, subject.query);
  const std::string swapped =
      fmt::format("Swap “{}” and “{}”{}", a, b, has_mask(config) ? " and take the mask away" : "");
  const auto [to_a, to_b] = keys->before;
  if (keys->is_same())
    return fmt::format("{} {}: “{}” still gives them {} and {}, in the other order.{} {}", rule, swapped, query,
                       number(to_a, 3), number(to_b, 3), has_mask(config) ? " Here only the mask knows an order." : "",
                       models);
  return fmt::format("{} Here {} them in. {}: “{}” gives them {} and {} instead of {} and {}.", rule,
                     has_rope(config) ? "rotary positions bring" : "the bias brings", swapped, query,
                     number(keys->after.first, 3), number(keys->after.second, 3), number(to_a, 3), number(to_b, 3));
}

// Whether weights explain.

namespace {

// How far the context of a row moves if one key is left out and the others share its weight.
struct KeyEffect {
  Index key = 0;
  double weight = 0;
  double moved = 0;
};

std::vector<KeyEffect> effects_of_keys(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const std::vector<float> weights = read_row(subject, final_weights_stage(config), subject.query);
  const double total = sum_of(weights);
  std::vector<std::vector<float>> values;
  std::vector<double> context(static_cast<std::size_t>(value_features(config)));
  for (Index key = 0; key < std::ssize(weights); ++key) {
    values.push_back(read_row(subject, values_stage(config), key));
    for (std::size_t i = 0; i < context.size(); ++i)
      context[i] += number_at(weights, key) / total * static_cast<double>(values.back()[i]);
  }
  std::vector<KeyEffect> effects;
  for (Index key = 0; key < std::ssize(weights); ++key) {
    const double share = number_at(weights, key) / total;
    if (!(share > 0) || share >= 1) continue;
    double squares = 0;
    for (std::size_t i = 0; i < context.size(); ++i)
      squares += std::pow(static_cast<double>(values[static_cast<std::size_t>(key)][i]) - context[i], 2);
    effects.push_back({key, number_at(weights, key), share / (1 - share) * std::sqrt(squares)});
  }
  return effects;
}

// The pairs of keys of which one has more weight.
struct KeyPairs {
  Index all = 0;
  Index misleading = 0;                                       // the one with less weight moves the context more
  std::optional<std::pair<KeyEffect, KeyEffect>> clearest{};  // of these: more weight first
};

KeyPairs pairs_of(const std::vector<KeyEffect>& effects) {
  KeyPairs pairs;
  double most = 0;
  for (const KeyEffect& a : effects) {
    for (const KeyEffect& b : effects) {
      if (a.weight <= b.weight) continue;
      ++pairs.all;
      if (b.moved <= a.moved) continue;
      ++pairs.misleading;
      const double clear = std::min(a.weight - b.weight, b.moved - a.moved);
      if (clear <= most) continue;
      most = clear;
      pairs.clearest = {a, b};
    }
  }
  return pairs;
}

// Returns so many decimals that both pairs of numbers differ when they are printed.
std::optional<int> telling_decimals(const KeyEffect& a, const KeyEffect& b) {
  constexpr int most_decimals = 6;
  for (int decimals = 2; decimals <= most_decimals; ++decimals)
    if (number(a.weight, decimals) != number(b.weight, decimals) &&
        number(a.moved, decimals) != number(b.moved, decimals))
      return decimals;
  return {};
}

// Says whether more weight means more effect in a row, as far as it was computed.
std::string order_of_effects(const TeachingViewSubject& subject, const std::vector<KeyEffect>& effects) {
  const KeyPairs pairs = pairs_of(effects);
  if (pairs.all == 0) return "Its keys have equal weights.";
  if (pairs.misleading == 0)
    return fmt::format("{} less weight moves the context more; in other rows and documents this can fail.",
                       pairs.all == 1 ? "Here no key with"
                                      : fmt::format("In none of the row's {} pairs of keys the one with", pairs.all));
  const std::string count = pairs.all == 1 ? "The key with less weight moves the context more"
                                           : fmt::format(
                                                 "But in {} of {} pairs of keys the one with less weight moves "
                                                 "the context more",
                                                 pairs.misleading, pairs.all);
  const std::optional<int> decimals =
      pairs.clearest ? telling_decimals(pairs.clearest->first, pairs.clearest->second) : std::nullopt;
  if (!decimals) return count + ".";
  const auto& [more, less] = *pairs.clearest;
  const auto words = [&](const KeyEffect& key) {
    return fmt::format("“{}” with the weight {} moves the context by {}", key_name(subject, key.key),
                       number(key.weight, *decimals), number(key.moved, *decimals));
  };
  return fmt::format("{}: {}, but {}.", count, words(more), words(less));
}

// Returns how far the last row of numbers of the subject's query moves if its head is switched off.
double moved_by_head(const TeachingViewSubject& subject, const AttentionConfig& with, const AttentionConfig& without) {
  const Stage last = has_stage(without, Stage::output) ? Stage::output : Stage::context;
  const auto last_row = [&](const AttentionConfig& of) {
    const Result result = evaluate(of, quietly(subject));
    return read_row({result, subject.labels, subject.head, subject.batch, subject.query, subject.choice}, last,
                    subject.query);
  };
  const std::vector<float> was = last_row(with);
  const std::vector<float> is = last_row(without);
  double squares = 0;
  for (Index i = 0; i < std::ssize(was); ++i) squares += std::pow(number_at(was, i) - number_at(is, i), 2);
  return std::sqrt(squares);
}

// Says what is lost by the head that is looked at: by the model's next word, else by the row of the query.
std::string effect_of_head(const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const char* const test = "The test is to take something away";
  if (head_count(config) == 1 || subject.result.imported || subject.result.difference ||
      token_count(config) > most_tokens_of_trial)
    return fmt::format("{} and to see what changes.", test);
  AttentionConfig with = config;
  std::erase(with.heads_off, subject.head);
  AttentionConfig without = with;
  without.heads_off.insert(std::ranges::upper_bound(without.heads_off, subject.head), subject.head);
  const bool is_now_off = is_off(config, subject.head);
  const auto* const inputs = std::get_if<ModelInputs>(&config.inputs);
  if (!inputs || !says_words(*inputs->model))
    return fmt::format("{}: with head {} switched off ({}), the {} of “{}” moves by {}.", test, subject.head + 1,
                       is_now_off ? "as it is now; O switches it on again" : "O",
                       has_stage(config, Stage::output) ? "output" : "context", query_name(subject, subject.query),
                       number(moved_by_head(subject, with, without)));
  const Execution execution = quietly(subject);
  const auto probabilities = [&](const AttentionConfig& of) {
    const std::shared_ptr<const ForwardPass> pass = run_model(of, subject.result.below.get(), execution);
    Tensor row = logits(*pass, usual_position(*inputs->model, inputs->tokens), 1, execution);
    softmax(row.values);
    return std::vector<float>(row.values.begin(), row.values.end());
  };
  const std::vector<float> with_all = probabilities(with);
  const Index word = std::ranges::max_element(with_all) - with_all.begin();
  return fmt::format(
      "{}: with this head switched off{}, the model gives its likeliest next word the probability {} instead "
      "of {}.",
      test, is_now_off ? " as it is now" : "", number(number_at(probabilities(without), word), 3),
      number(number_at(with_all, word), 3));
}

// Says why a row has no two keys to compare.
std::string too_few_keys(const TeachingViewSubject& subject, Index left) {
  const std::string query = query_name(subject, subject.query);
  const Index seen = visibility(subject.result.config).count(subject.query);
  if (seen < 2) return fmt::format("“{}” sees {}.", query, seen == 0 ? "no key" : "only one key");
  if (has_stage(subject.result.config, Stage::dropped_weights))
    return fmt::format("“{}” sees {} keys, of which dropout left {}.", query, seen, left == 0 ? "none" : "one");
  return fmt::format("“{}” sees {} keys, and one of them has all of the weight.", query, seen);
}

// Returns the subject with the nearest row whose weights leave two keys to compare; the same subject if there is none.
TeachingViewSubject with_keys_to_compare(TeachingViewSubject subject) {
  constexpr Index most_tried = 64;
  const Index own = subject.query;
  const Index rows = query_count(subject.result.config);
  for (Index away = 0; away < std::min(rows, most_tried); ++away) {
    for (const Index row : {own + away, own - away}) {
      if (row < 0 || row >= rows) continue;
      subject.query = row;
      const std::vector<float> weights = read_row(subject, final_weights_stage(subject.result.config), row);
      if (std::ranges::count_if(weights, [](float each) { return each > 0; }) > 1) return subject;
    }
  }
  subject.query = own;
  return subject;
}

}  // namespace

std::string answer_explanation(const TeachingViewSubject& subject) {
  const std::string rule =
      "Only in part: a weight says how much of a value this head mixes in, not what that changes or what later layers "
      "make of it.";
  const TeachingViewSubject row = with_keys_to_compare(subject);
  const std::vector<KeyEffect> effects = effects_of_keys(row);
  std::string here;
  if (effects.size() < 2 || row.query != subject.query)
    here = " " + too_few_keys(subject, row.query == subject.query ? std::ssize(effects) : 1);
  if (effects.size() > 1) {
    const KeyEffect& most = *std::ranges::max_element(effects, {}, &KeyEffect::weight);
    if (is_off(subject.result.config, subject.head))
      here += fmt::format(" Head {} is switched off now, and its context is 0. With the head on:", subject.head + 1);
    here += fmt::format(
        " “{}” gives “{}” its largest weight, {}; if the other keys share this weight instead, its context moves by "
        "{}. {}",
        query_name(row, row.query), key_name(row, most.key), number(most.weight), number(most.moved),
        order_of_effects(row, effects));
  }
  return fmt::format("{}{} {}", rule, here, effect_of_head(subject));
}

}  // namespace attnscope
