#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/evaluate.h"

namespace attnscope {

// The stages of one head as a diagram: which matrices stand where, in words and in columns. core/stage_table.cpp has
// the places; what each stage follows from makes the rest. Pixels are app/look/diagram_layout.h's.

enum class DiagramRole {
  result,  // a stage in its own place
  left,    // the left-hand operand of the first product of a band, before it
  above,   // the right-hand operand of a result, above it
  bias,    // what is added to that product, between the two
};

struct DiagramMatrix {
  Stage stage = Stage::inputs;   // that it shows
  Stage result = Stage::inputs;  // whose place it stands at: `stage` itself, or what that is an operand of
  DiagramRole role = DiagramRole::result;
  bool is_transposed = false;    // shown as it multiplies: keys above scores, what nn.Linear stores
  bool shows_all_heads = false;  // side by side, as the projection makes them
  bool is_present = true;        // else an outline, in which `absence` says why
  std::string absence = {};
};

constexpr float other_head_opacity = 0.32F;  // of those beside the head that is looked at

// Every place of the diagram, whether the configuration fills it or not, in the order in which they are computed.
std::vector<DiagramMatrix> diagram_matrices(const AttentionConfig& config);

bool has_place(Stage stage);  // of its own in the diagram; the others stand where they are used
StageSet absent_stages(const AttentionConfig& config);  // that have a place and are not there, or change nothing

// Those whose places come after that of `last`: in a picture that shows one stage after the other, what is not there
// yet.
StageSet places_after(const AttentionConfig& config, Stage last);

// What turns its predecessor into a stage, as it stands on the arrow between them: "÷ √2", and below it "= 1.414".
struct DiagramOperator {
  std::string sign;
  std::string note = {};
};
DiagramOperator diagram_operator(const AttentionConfig& config, Stage result);

// The stage that the arrow comes from: past those that do not act.
struct DiagramSource {
  Stage stage = Stage::inputs;
  bool skips = false;  // stages that were left out and do act: the arrow is of more than one operator
};
// None where that leads past a product. Stages that are left out are in no place of the diagram.
std::optional<DiagramSource> diagram_source(const AttentionConfig& config, Stage result, const StageSet& left_out = {});

}  // namespace attnscope
