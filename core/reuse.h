#pragma once

// The stages of an earlier result that a change of the configuration leaves as they are.

#include "core/config.h"
#include "core/stage.h"

namespace attnscope {

// The stages that a change from one configuration to another can alter: those that read what changed, and those that
// follow from them or from other stages than before.
StageSet stale_stages(const AttentionConfig& before, const AttentionConfig& after);

// They differ by the numbers of their typed embeddings at the most, so that they draw the same weights.
bool differ_by_typed_inputs(const AttentionConfig& before, const AttentionConfig& after);

// They draw the same weights from the same numbers: what a previous result has of them stays.
bool keeps_parameters(const AttentionConfig& before, const AttentionConfig& after);

// They drop the same weights, where they draw alike before.
bool drop_alike(const AttentionConfig& left, const AttentionConfig& right);

}  // namespace attnscope
