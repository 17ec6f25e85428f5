#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/shown_text.h"
#include "document/edit.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr std::size_t most_text_bytes = 65'536;

Index unknown_words(const Document& document) {
  const std::vector<Index>& tokens = std::get<ModelInputs>(document.config.inputs).tokens;
  return document.model->unknown ? std::ranges::count(tokens, *document.model->unknown) : 0;
}

void draw_text_of_model(const ViewContext& context, CallQueue& queue) {
  const Document& document = context.now.document;
  const std::string_view reason =
      document.model->encode ? "" : "The model has no tokenizer: its tokens have numbers only.";
  section_heading(context, "Text");
  ImGui::BeginDisabled(!reason.empty());
  ImGui::SetNextItemWidth(-1);
  document_text_field(context, queue, "##text", "A text for the model", document.text, most_text_bytes, "text",
                      [](Document& edited, const std::string& text) { set_text(edited, text); });
  ImGui::EndDisabled();
  register_item(context, "model/text", {.enabled = reason.empty()});
  item_tooltip(context, reason.empty() ? "Type a text and press Enter: the model's tokenizer cuts it into tokens."
                                       : std::string(reason));
  dim_text(context, fmt::format("{} tokens of at most {}", document.tokens.size(),
                                document.model->weights->shape.context_length));
  if (const Index unknown = unknown_words(document); unknown > 0)
    warning_text(context, fmt::format("The model does not know {}: it reads {} instead.",
                                      unknown == 1 ? "one of the words" : fmt::format("{} of the words", unknown),
                                      document.model->shown(*document.model->unknown)));
}

}  // namespace

void draw_model_setup(const ViewContext& context, CallQueue& queue) {
  const TrainedModel& model = *context.now.document.model;
  const TransformerShape& shape = model.weights->shape;
  section_heading(context, "Trained model");
  draw_setup_switch(context, queue);
  ImGui::TextUnformatted(
      fit_text(context.fonts.small_text, shown_text(model.name), ImGui::GetContentRegionAvail().x).c_str());
  register_item(context, "model/name");
  item_tooltip(context, shown_text(model.path));
  dim_text(context, fmt::format("{} layers of {} heads, {} features, {} words", shape.layers, shape.heads,
                                shape.features, shape.vocabulary));
  const Index shown = std::get<ModelInputs>(context.now.document.config.inputs).layer;
  int layer = static_cast<int>(shown) + 1;
  const std::string text = fmt::format("{} of {}", layer, shape.layers);
  begin_row(context, "layer");
  if (step_slider("##layer", layer, 1, static_cast<int>(shape.layers), text.c_str())) {
    edit_document(queue, held_edit("layer", [layer](Document& document) { show_layer(document, layer - 1); }));
  }
  finish_when_let_go(queue);
  end_row(context, "model/layer", {}, "The layer whose attention Diagram, Heads and Focus show");
  ImGui::Dummy({0, 2 * unit(context)});
  draw_text_of_model(context, queue);
}

}  // namespace attnscope
