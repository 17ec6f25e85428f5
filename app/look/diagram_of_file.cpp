#include "look/diagram_of_file.h"

#include <fmt/format.h>

#include "core/external_attention.h"

namespace attnscope {
namespace {

// Columns of outlines: enough for a few words, and no more than a diagram has of any.
Index outline_features(const ExternalAttention& attention) { return attention.tokens > 16 ? 8 : 4; }

}  // namespace

DiagramLayout layout_diagram(const Result& result, const DiagramText& text, float width, float height) {
  if (!result.external) return layout_diagram(result.config, text, width, height);
  AttentionConfig config = result.config;
  config.inputs = RandnInputs{result.external->tokens, outline_features(*result.external)};
  config.num_heads = 1;
  config.d_out = outline_features(*result.external);
  DiagramLayout layout = layout_diagram(config, text, width, height);
  for (PlacedMatrix& placed : layout.matrices) {
    DiagramMatrix& matrix = placed.matrix;
    const bool is_read = matrix.role == DiagramRole::result && matrix.stage == result.external->stage;
    if (is_read) continue;
    matrix.is_present = false;
    const bool is_own_place = matrix.role == DiagramRole::result;
    matrix.absence = is_own_place ? fmt::format("{}: not in the file", info(matrix.stage).title) : std::string();
  }
  return layout;
}

}  // namespace attnscope
