#pragma once

#include "core/config.h"
#include "core/phase_times.h"
#include "core/stage.h"

namespace attnscope {

// How much work the passes of an evaluation are expected to take, in operations of a matrix product that would take as
// long: what Progress is cut by. Rough, because a machine decides; each pass counts as if nothing of it were reused.

double expected_work(const AttentionConfig& config, Phase phase);  // by the kernels
double expected_work(const AttentionConfig& config, Stage stage);  // by the readable function that makes the stage
double expected_drawing_work(Index weights);

// Returns the work of an evaluation by the readable functions or by the engine; with `keeps_parameters` without that of
// drawing and packing them.
double expected_work(const AttentionConfig& config, bool is_readable, bool keeps_parameters = false);

}  // namespace attnscope
