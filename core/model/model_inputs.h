#pragma once

#include "core/tensor.h"

#include <map>
#include <memory>
#include <vector>

namespace attnscope {

struct AttentionConfig;
struct Transformer;

// Layers whose attention the user has changed, by their numbers. Their inputs are ignored.
using ChangedLayers = std::map<Index, AttentionConfig>;

// The inputs of one layer of a trained model: what the layers below make of the tokens, normalized. The layer's weights
// are the model's, too, but for those that the configuration overrides.
struct ModelInputs {
  std::shared_ptr<const Transformer> model = {};
  std::vector<Index> tokens = {};  // their numbers in the model's vocabulary
  Index layer = 0;
  std::shared_ptr<const ChangedLayers> changed = {};  // other layers than this one; null: none

  friend bool operator==(const ModelInputs& left, const ModelInputs& right);
};

}  // namespace attnscope
