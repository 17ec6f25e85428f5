// A random walk of edits: each can be undone, undoing all of them leads back to the beginning, and what is saved on the
// way gives the same document and the same bits when it is loaded.

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "core/evaluate.h"
#include "document/compare.h"
#include "document/edit.h"
#include "document/json.h"
#include "features/session.h"
#include "features/setup/document_controller.h"
#include "support.h"

namespace attnscope::test {
namespace {

constexpr int steps = 2000;
constexpr int steps_between_returns = 100;  // as many as Undo leads back at least

class Walker {
public:
  explicit Walker(std::uint64_t seed) : random_(seed) {}

  std::function<void(Document&)> next_edit();

private:
  Index below(Index count) { return static_cast<Index>(random_() % static_cast<std::uint64_t>(count)); }
  bool coin() { return below(2) == 0; }
  float number() { return static_cast<float>(below(2001) - 1000) / 500; }
  Index token(const Document& document) { return below(token_count(document.config)); }

  void edit_tokens(Document& document);
  void edit_sizes(Document& document);
  void edit_mask(Document& document);
  void edit_dropout(Document& document);
  void edit_weights(Document& document);
  void edit_options(Document& document);
  void edit_draws(Document& document);
  void edit_pair(Document& document);

  std::mt19937_64 random_;
};

void Walker::edit_tokens(Document& document) {
  constexpr Index most_tokens = 10;
  constexpr Index most_features = 6;
  const Index tokens = token_count(document.config);
  if (std::holds_alternative<RandnInputs>(document.config.inputs) || coin()) make_inputs_explicit(document);
  switch (below(9)) {
    case 0:
      return tokens < most_tokens ? add_token(document) : delete_token(document, token(document));
    case 1:
      if (tokens > 1) delete_token(document, token(document));
      return;
    case 2:
      if (tokens < most_tokens) duplicate_token(document, token(document));
      return;
    case 3:
      return move_token(document, token(document), token(document));
    case 4:
      return rename_token(document, token(document), coin() ? "Über" : "the");
    case 5:
      if (input_features(document.config) < most_features) add_feature(document);
      return;
    case 6:
      if (input_features(document.config) > 1) remove_feature(document);
      return;
    case 7:
      return coin() ? fill_with_randn(document) : set_sentence(document, "a journey of a thousand steps");
    default:
      return set_input(document, token(document), below(input_features(document.config)), number());
  }
}

void Walker::edit_sizes(Document& document) {
  static constexpr Mechanism mechanisms[] = {Mechanism::simple_self_attention,
                                             Mechanism::self_attention_v1,
                                             Mechanism::self_attention_v2,
                                             Mechanism::causal_attention,
                                             Mechanism::multi_head_attention_wrapper,
                                             Mechanism::multi_head_attention};
  switch (below(4)) {
    case 0:
      return set_mechanism(document, mechanisms[below(std::ssize(mechanisms))]);
    case 1:
      return set_d_out(document, 1 + below(8));
    case 2: {
      const std::vector<Index> allowed = allowed_head_counts(document);
      return set_num_heads(document, std::min<Index>(allowed[static_cast<std::size_t>(below(std::ssize(allowed)))], 8));
    }
    default:
      return set_batch_size(document, 1 + below(3));
  }
}

void Walker::edit_mask(Document& document) {
  static constexpr MaskRoute routes[] = {MaskRoute::none, MaskRoute::causal, MaskRoute::causal_after_softmax,
                                         MaskRoute::causal_renormalized, MaskRoute::custom};
  static constexpr MaskPreset presets[] = {MaskPreset::window, MaskPreset::first_visible, MaskPreset::padding};
  switch (below(3)) {
    case 0:
      return set_mask(document, routes[below(std::ssize(routes))]);
    case 1:
      return set_mask_preset(
          document,
          {.preset = presets[below(std::ssize(presets))], .amount = 1 + token(document), .is_causal = coin()});
    default:
      return set_hidden(document, token(document), token(document), coin());
  }
}

void Walker::edit_dropout(Document& document) {
  const AttentionConfig& config = document.config;
  const DropoutEdit edit{.batch = below(config.batch_size),
                         .head = below(head_count(config)),
                         .query = token(document),
                         .key = token(document),
                         .keeps = coin()};
  switch (below(5)) {
    case 0:
      return remove_dropout_edit(document, edit);
    case 1:
      return set_head_off(document, below(head_count(config)), coin());
    case 2:
      document.config.dropout = static_cast<double>(below(5)) / 4;
      return;
    default:
      return set_dropout_edit(document, edit);
  }
}

void Walker::edit_weights(Document& document) {
  static constexpr Filling fillings[] = {Filling::zeros, Filling::identity, Filling::randn, Filling::orthogonal};
  static constexpr Stage weights[] = {Stage::query_weight, Stage::key_weight, Stage::value_weight};
  const Stage weight = weights[below(std::ssize(weights))];
  const Index head = below(head_count(document.config));
  if (!has_stage(document.config, weight)) return;
  const CellRect all = all_cells(document.config, weight);
  const Index row = below(all.rows);
  const Index col = below(all.cols);
  const CellRect part{row, col, 1 + below(all.rows - row), 1 + below(all.cols - col)};
  switch (below(6)) {
    case 0:
      return fill_weights(document, {weight, head, part}, fillings[below(std::ssize(fillings))], random_());
    case 1:
      return scale_weights(document, {weight, head, part}, static_cast<double>(number()));
    case 2:
      return restore_weights(document, {weight, head, part});
    case 3:
      return coin() ? restore_all_weights(document)
                    : copy_weights_of_head(document, weight, head, below(head_count(document.config)));
    default:
      return set_weight(document, weight, head, row, col, number());
  }
}

void Walker::edit_options(Document& document) {
  AttentionConfig& config = document.config;
  switch (below(7)) {
    case 0:
      config.qkv_bias = !config.qkv_bias;
      return;
    case 1:
      config.normalization = coin() ? Normalization::sum : Normalization::softmax;
      return;
    case 2:
      return set_scaling(document, !config.scale);
    case 3:
      config.softcap = coin() ? std::optional(0.5 + static_cast<double>(below(10))) : std::nullopt;
      return;
    case 4:
      config.training = !config.training;
      return;
    case 5:
      if (config.scale)
        config.scale_factor = coin() ? std::optional(0.5 + static_cast<double>(below(4))) : std::nullopt;
      return;
    default:
      std::ranges::shuffle(config.weight_order, random_);
  }
}

void Walker::edit_draws(Document& document) {
  AttentionConfig& config = document.config;
  switch (below(4)) {
    case 0:
      config.seed = random_();
      return;
    case 1:
      config.skip_draws = static_cast<std::uint64_t>(below(20));
      return;
    case 2:
      config.dropout_seed = coin() ? std::optional(random_()) : std::nullopt;
      return;
    default:
      config.dropout_kernel = coin() ? DropoutKernel::mkl : DropoutKernel::standard;
  }
}

void Walker::edit_pair(Document& document) {
  if (!document.compared || below(3) == 0) return keep_as_compared(document);
  coin() ? swap_compared(document) : stop_comparing(document);
}

// Rolled here: what is applied twice does the same twice.
std::function<void(Document&)> Walker::next_edit() {
  static constexpr void (Walker::*edits[])(Document&) = {
      &Walker::edit_tokens,  &Walker::edit_tokens,  &Walker::edit_sizes,   &Walker::edit_mask,
      &Walker::edit_dropout, &Walker::edit_dropout, &Walker::edit_weights, &Walker::edit_weights,
      &Walker::edit_options, &Walker::edit_draws,   &Walker::edit_pair};
  const auto edit = edits[below(std::ssize(edits))];
  return [edit, seed = random_()](Document& document) {
    Walker walker(seed);
    (walker.*edit)(document);
  };
}

class Walk : public testing::Test {
protected:
  void apply(const Call& call) {
    session_.push(call);
    session_.run_calls();
  }
  void undo() {
    apply([](const Controllers& to) { to.documents.undo(); });
  }
  void redo() {
    apply([](const Controllers& to) { to.documents.redo(); });
  }

  // What the session computed, step by step and with all that it kept, is what a fresh start computes.
  void expect_same_bits_when_loaded() {
    session_.wait_for_evaluation();
    const Document loaded = parse_document(to_json(session_.shown().document));
    ASSERT_TRUE(loaded == session_.shown().document) << to_json(loaded) << to_json(session_.shown().document);
    const Evaluation& evaluation = session_.shown().evaluation;
    ASSERT_EQ(evaluation.error, "");
    const Result fresh = evaluate(loaded.config);
    for (const StageInfo& stage : stages()) {
      ASSERT_EQ(has(fresh, stage.stage), has(*evaluation.result, stage.stage)) << stage.id;
      if (!has(fresh, stage.stage)) continue;
      ASSERT_TRUE(same_bits(read_stage(*evaluation.result, stage.stage), read_stage(fresh, stage.stage))) << stage.id;
    }
  }

  Session session_{default_document(), {}};
};

TEST_F(Walk, EveryStepCanBeUndoneAndLoaded) {
  Walker walker(20250607);
  std::vector<Document> past{session_.shown().document};
  int changed = 0;
  for (int step = 0; step < steps; ++step) {
    SCOPED_TRACE(step);
    apply([edit = walker.next_edit()](const Controllers& to) { to.documents.edit({"walk", edit}); });
    const bool is_changed = !(session_.shown().document == past.back());
    if (is_changed) {
      ++changed;
      const Document now = session_.shown().document;
      undo();
      ASSERT_TRUE(session_.shown().document == past.back());
      redo();
      ASSERT_TRUE(session_.shown().document == now);
      past.push_back(now);
    }
    ASSERT_NO_FATAL_FAILURE(expect_same_bits_when_loaded());
    if (step % steps_between_returns != steps_between_returns - 1) continue;
    for (std::size_t at = past.size() - 1; at > 0; --at) {
      undo();
      ASSERT_TRUE(session_.shown().document == past[at - 1]) << at;
    }
    for (std::size_t at = 1; at < past.size(); ++at) redo();
    ASSERT_TRUE(session_.shown().document == past.back());
    past = {past.back()};
  }
  EXPECT_GT(changed, steps / 2) << "a walk that stands still shows nothing";
}

}  // namespace
}  // namespace attnscope::test
