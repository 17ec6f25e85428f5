#pragma once

#include <string>
#include <string_view>

#include "interchange/code_text.h"

namespace attnscope {

// The stages of a configuration in the code of one library.
struct StageCode {
  const AttentionConfig& config;
  const CodeDialect& dialect;
  bool has_head_axis;

  std::string name(Stage stage) const;
  std::string shape(Stage stage) const;  // "(B, H, T, T)"
  // Returns what computes a stage; empty where its name stands for something that is there already.
  std::string expression(Stage stage) const;
};

// "S^{(h)}"; without the superscript where there is one head, or where the stage has no heads.
std::string latex_symbol(const AttentionConfig& config, Stage stage, std::string_view superscript);

// The formula of a stage and the words behind it: "A = \operatorname{softmax}(\tilde{S})".
std::string latex_formula(const AttentionConfig& config, Stage stage);

}  // namespace attnscope
