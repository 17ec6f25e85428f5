#pragma once

#include "core/model/transformer.h"

// Whether a trained model says words at all.
namespace attnscope {

// Returns false for a checkpoint of BERT's kind that was saved without the head of its training, such as a
// classifier's: it has attention and hidden states, but no logits.
inline bool says_words(const Transformer& model) {
  return !model.shape.has_last_transform || model.transform.out() > 0;
}

constexpr const char* no_words =
    "This checkpoint was saved without the layers that say words, as those of classifiers are: it has no logits.";

}  // namespace attnscope
