#include "core/mechanism.h"

#include <array>

namespace attnscope {

namespace {

constexpr std::array mechanism_table = {
    MechanismInfo{
        .mechanism = Mechanism::simple_self_attention,
        .id = "simple_self_attention",
        .title = "Simple self-attention",
        .adds = "Compares every token with every other by the dot product of their embeddings, with nothing to train.",
        .weight_style = WeightStyle::none,
    },
    MechanismInfo{
        .mechanism = Mechanism::self_attention_v1,
        .id = "self_attention_v1",
        .title = "Self-attention v1",
        .notebook_class = "SelfAttention_v1",
        .adds = "Learns three views of each token, query, key and value, and divides the scores by √head_dim.",
        .weight_style = WeightStyle::parameter,
        .scales_by_default = true,
    },
    MechanismInfo{
        .mechanism = Mechanism::self_attention_v2,
        .id = "self_attention_v2",
        .title = "Self-attention v2",
        .notebook_class = "SelfAttention_v2",
        .adds = "Makes the projections nn.Linear layers: smaller, centred starting weights and an optional bias.",
        .weight_style = WeightStyle::linear,
        .scales_by_default = true,
    },
    MechanismInfo{
        .mechanism = Mechanism::causal_attention,
        .id = "causal_attention",
        .title = "Causal attention",
        .notebook_class = "CausalAttention",
        .adds = "Hides later tokens from earlier ones, drops weights at random in training, and takes a batch.",
        .weight_style = WeightStyle::linear,
        .has_mask_by_default = true,
        .scales_by_default = true,
        .has_dropout = true,
    },
    MechanismInfo{
        .mechanism = Mechanism::multi_head_attention_wrapper,
        .id = "multi_head_attention_wrapper",
        .title = "Multi-head attention wrapper",
        .short_title = "Multi-head wrapper",
        .notebook_class = "MultiHeadAttentionWrapper",
        .adds = "Runs several causal attentions side by side, each with weights of its own, and joins their contexts.",
        .weight_style = WeightStyle::linear,
        .has_mask_by_default = true,
        .scales_by_default = true,
        .has_dropout = true,
        .has_heads = true,
    },
    MechanismInfo{
        .mechanism = Mechanism::multi_head_attention,
        .id = "multi_head_attention",
        .title = "Multi-head attention",
        .notebook_class = "MultiHeadAttention",
        .adds = "Projects once, splits the result into heads, and mixes their contexts with a last linear layer.",
        .weight_style = WeightStyle::linear,
        .has_mask_by_default = true,
        .scales_by_default = true,
        .has_dropout = true,
        .has_heads = true,
        .splits_heads = true,
        .has_output_projection = true,
    },
    MechanismInfo{
        .mechanism = Mechanism::scaled_dot_product_attention,
        .id = "scaled_dot_product_attention",
        .title = "Scaled dot-product attention",
        .short_title = "Given Q, K, V",
        .adds =
            "Begins with queries, keys and values from elsewhere, such as a model's, and has no weights of its own.",
        .weight_style = WeightStyle::none,
        .scales_by_default = true,
        .has_dropout = true,
        .has_heads = true,
        .splits_heads = true,
    },
};
constexpr std::size_t ladder_length = 6;

}  // namespace

std::span<const MechanismInfo> mechanisms() { return std::span(mechanism_table).first(ladder_length); }

std::span<const MechanismInfo> every_mechanism() { return mechanism_table; }

int rung_of(Mechanism mechanism) { return static_cast<int>(mechanism) + 1; }

const MechanismInfo& info(Mechanism mechanism) { return mechanism_table.at(static_cast<std::size_t>(mechanism)); }

}  // namespace attnscope
