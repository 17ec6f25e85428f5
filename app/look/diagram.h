#pragma once

#include <string>
#include <string_view>

#include "core/evaluate.h"

namespace attnscope {

// The words at the stages of a diagram, and the order of the stages; scene/diagram_layout.h gives them their places.

bool has_place(Stage stage);  // of its own in the diagram; the others stand where they are used

// The results that are computed after `last`: in a picture that shows one stage after the other, what is not there yet.
StageSet places_after(const AttentionConfig& config, Stage last);

// The operation on the arrow between a stage and its predecessor: "÷ √2", and below it "= 1.414".
struct DiagramOperator {
  std::string sign;
  std::string note = {};
};
DiagramOperator diagram_operator(const AttentionConfig& config, Stage result);

// Says in a line what a stage does, for readers who see it for the first time.
std::string about(const AttentionConfig& config, Stage stage);

std::string_view id_of(Band band);     // as it is typed: "project"
std::string_view title_of(Band band);  // "1 Project"

}  // namespace attnscope
