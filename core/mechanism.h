#pragma once

#include <span>
#include <string_view>

namespace attnscope {

// The six mechanisms, in the order of the ladder: each adds one idea to the one before it. Then one that begins with
// queries, keys and values from elsewhere.
enum class Mechanism {
  simple_self_attention,
  self_attention_v1,
  self_attention_v2,
  causal_attention,
  multi_head_attention_wrapper,
  multi_head_attention,
  scaled_dot_product_attention,
};

// How W_query, W_key and W_value are declared in the notebook's class.
enum class WeightStyle {
  none,       // the mechanism has no weights
  parameter,  // nn.Parameter(torch.rand(d_in, d_out)), used as x @ W
  linear,     // nn.Linear(d_in, d_out), weight (d_out, d_in), used as x @ W.T + bias
};

// A mechanism and what it has: one row of the table that views, files and the command line iterate over.
struct MechanismInfo {
  Mechanism mechanism;
  std::string_view id;                   // in documents and on the command line
  std::string_view title;                // on the screen
  std::string_view short_title = {};     // in a narrow list; empty: the title
  std::string_view notebook_class = {};  // empty where the notebook has only cells
  std::string_view adds;                 // what it adds to the step below, one line
  WeightStyle weight_style;
  bool has_mask_by_default = false;  // causal unless the document says otherwise
  bool scales_by_default = false;    // divides by sqrt(head_dim) unless the document says otherwise
  bool has_dropout = false;
  bool has_heads = false;              // num_heads matters
  bool splits_heads = false;           // head_dim = d_out / num_heads, else head_dim = d_out
  bool has_output_projection = false;  // out_proj, with bias
};

std::span<const MechanismInfo> mechanisms();       // of the ladder
std::span<const MechanismInfo> every_mechanism();  // the one without inputs, too
const MechanismInfo& info(Mechanism mechanism);
int rung_of(Mechanism mechanism);  // 1 to 7, as lists number them

}  // namespace attnscope
