#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/imported_attention.h"
#include "core/shown_text.h"
#include "document/edit.h"
#include "features/import/import_controller.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "ui/imgui_keys.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr std::size_t token_bytes = 256;
constexpr std::size_t tokens_text_bytes = 65536;
constexpr float line_number_width = 44;
constexpr float least_list_height = 120;

void draw_file(const ViewContext& context) {
  const ImportedView& viewing = *context.now.viewing;
  section_heading(context, "Attention from a file");
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::TextUnformatted(fit_text(context.fonts.text, shown_path(viewing.file.filename()), room).c_str());
  register_item(context, "viewing/file");
  item_tooltip(context, shown_path(viewing.file));
  dim_text(context, fmt::format("{} {}", viewing.shape, viewing.number_type));
  dim_text(context, fmt::format("({})", viewing.axes));
}

void change_viewing(CallQueue& queue, std::function<void(ImportedView&)> change) {
  queue.push([change = std::move(change)](const Controllers& to) { to.viewing.change(change); });
}

void draw_tensor(const ViewContext& context, CallQueue& queue) {
  const ImportedView& viewing = *context.now.viewing;
  if (viewing.tensors.size() < 2) return;
  std::vector<Choice> choices;
  for (const std::string& title : viewing.tensors) choices.push_back({title});
  const int chosen = choose(context, "tensor", "viewing/tensor", choices, static_cast<int>(viewing.tensor), {},
                            "Chooses the tensors that are shown; those that belong together are one layer each.");
  if (chosen < 0) return;
  change_viewing(queue, [chosen](ImportedView& state) { state.tensor = static_cast<std::size_t>(chosen); });
}

std::string first_axis(const std::string& axes) { return axes.substr(0, axes.find(',')); }

// A shape does not say what its first axis is.
void draw_axes(const ViewContext& context, CallQueue& queue) {
  const ImportedView& viewing = *context.now.viewing;
  const std::string_view reason = viewing.other_axes.empty() ? "This shape has only one reading." : "";
  const std::string help =
      fmt::format("What the axes of the tensor stand for: {}, or {}.", viewing.axes, viewing.other_axes);
  std::vector<Choice> names = {{first_axis(viewing.axes)}};
  if (reason.empty()) names.push_back({first_axis(viewing.other_axes)});
  if (choose(context, "first axis", "viewing/axes", names, 0, reason, help) < 0) return;
  change_viewing(queue, [](ImportedView& state) { state.takes_other_axes = !state.takes_other_axes; });
}

void draw_layer(const ViewContext& context, CallQueue& queue) {
  const ImportedView& viewing = *context.now.viewing;
  const std::string_view reason = viewing.layers == 1 ? "The file has one layer." : "";
  int layer = static_cast<int>(context.now.wanted_layer.value_or(viewing.layer)) + 1;
  const std::string shown = fmt::format("{} of {}", layer, viewing.layers);
  begin_row(context, "layer", reason);
  if (step_slider("##layer", layer, 1, static_cast<int>(viewing.layers), shown.c_str())) {
    change_viewing(queue, [layer](ImportedView& state) { state.layer = layer - 1; });
  }
  end_row(context, "viewing/layer", reason,
          "The layer that is shown; heads and batch entries are chosen above the picture.");
}

// Names that are typed or pasted: one a line, or with blanks between them.
void draw_token_names(const ViewContext& context, CallQueue& queue) {
  ImGui::SetNextItemWidth(-1);
  document_text_field(context, queue, "##names", "All names, then Enter", "", tokens_text_bytes, "token names",
                      [](Document& document, const std::string& text) {
                        document.tokens = tokens_from_text(text, std::ssize(document.tokens));
                      });
  register_item(context, "viewing/names");
  item_tooltip(context, "Type one name for each token, with blanks between them, and press Enter.");
  if (push_button(context, "viewing/paste", "Paste", {},
                  "Pastes names from the clipboard, one a line or separated by blanks")) {
    const char* const pasted = ImGui::GetClipboardText();
    queue.push([text = std::string(pasted ? pasted : "")](const Controllers& to) { to.viewing.name_tokens(text); });
  }
  ImGui::SameLine(0, 4 * unit(context));
  if (push_button(
          context, "viewing/open_names", "From a text file…", {},
          "Reads a .txt with one name a line, or names separated by blanks; it can also be dropped on the window.")) {
    show_dialog(queue, DialogState::Kind::open);
  }
}

void draw_name(const ViewContext& context, CallQueue& queue, Index token) {
  ImGui::PushID(static_cast<int>(token));
  std::string name = context.now.document.tokens[static_cast<std::size_t>(token)];
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("%lld", static_cast<long long>(token) + 1);
  ImGui::SameLine(line_number_width * unit(context));
  ImGui::SetNextItemWidth(-1);
  if (text_field("##name", "", name, token_bytes)) {
    edit_document(queue,
                  held_edit("token name", [token, name](Document& document) { rename_token(document, token, name); }));
  }
  finish_when_let_go(queue);
  register_item(context, fmt::format("viewing/name/{}", token));
  ImGui::PopID();
}

void draw_names(const ViewContext& context, CallQueue& queue) {
  section_heading(context, "Tokens");
  draw_token_names(context, queue);
  const float height = std::max(ImGui::GetContentRegionAvail().y, least_list_height * unit(context));
  begin_flat_child("names", {0, height});
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(context.now.document.tokens.size()));
  while (clipper.Step()) {
    for (int token = clipper.DisplayStart; token < clipper.DisplayEnd; ++token) draw_name(context, queue, token);
  }
  ImGui::EndChild();
}

}  // namespace

void draw_viewing_setup(const ViewContext& context, CallQueue& queue) {
  draw_file(context);
  ImGui::Dummy({0, 2 * unit(context)});
  draw_tensor(context, queue);
  draw_axes(context, queue);
  draw_layer(context, queue);
  ImGui::Dummy({0, 2 * unit(context)});
  const Result* const result = context.now.result();
  if (result && result->imported && result->imported->is_causal)
    dim_text(context,
             "Every weight above the diagonal is exactly 0: these cells are shown as hidden by a causal mask.");
  dim_text(context,
           "The file has neither embeddings nor weight matrices, so mechanism, d_out, dropout and seed change nothing: "
           "the numbers are shown as they are.");
  ImGui::Dummy({0, 2 * unit(context)});
  draw_names(context, queue);
}

}  // namespace attnscope
