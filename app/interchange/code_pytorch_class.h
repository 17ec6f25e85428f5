#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "interchange/code_text.h"

// The notebook's class for a mechanism, in its simplest form, as PyTorch code.
namespace attnscope {

// Inside of a class: the mask is a buffer, dropout a layer.
inline constexpr CodeDialect in_class = {.transpose = ".transpose",
                                         .row_sum = ".sum(dim=-1, keepdim=True)",
                                         .softmax = "torch.softmax({}, dim=-1)",
                                         .zero_rows = ".masked_fill({}.isneginf().all(dim=-1, keepdim=True), 0.0)",
                                         .masked = "{}.masked_fill({}, -torch.inf)",
                                         .mask_is_made = "",
                                         .mask = "self.mask",
                                         .bias = "self.bias",
                                         .step = &ScoreStep::pytorch,
                                         .ones_like = "self.dropout(torch.ones_like({}))",
                                         .output = "self.out_proj(context)"};

// Whether the class has nn.Dropout; else it takes the factors as data, or has no dropout.
bool takes_dropout(const AttentionConfig& config);

// Parameters of a constructor, or what is passed to it: "d_in" or "d_in=3".
std::vector<std::string> constructor_words(const AttentionConfig& config, bool with_heads, bool with_values);

// Words with commas between them, in a call or a definition.
std::string signature(std::string_view begin, const std::vector<std::string>& words, std::string_view end);

// "queries=queries" for each stage that `forward` knows.
std::vector<std::string> stage_words(const AttentionConfig& config, const std::vector<CodeStep>& steps);

void append_class(std::string& code, const AttentionConfig& config);
void append_wrapper(std::string& code, const AttentionConfig& config);  // multi_head_attention_wrapper only

}  // namespace attnscope
