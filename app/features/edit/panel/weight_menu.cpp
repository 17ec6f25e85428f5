#include <fmt/format.h>

#include <string>
#include <vector>

#include "document/edit.h"
#include "document/edit_weights.h"
#include "document/float_text.h"
#include "features/inspect/panel/cell_menu.h"
#include "features/shared/panel/menu.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float factor_width = 60;
constexpr std::size_t most_factor_letters = 32;

// Cells that are changed together.
struct Scope {
  const char* id;
  std::string label;
  std::string what;  // for undo: "row of W_query"
  WeightCells cells;
  bool is_matrix = false;  // or a head's part of one
};

// The head that the cell belongs to; nothing where it belongs to none or to the only one.
std::optional<Index> head_of(const AttentionConfig& config, const Source& cell) {
  if (head_count(config) == 1 || cell.stage == Stage::output_bias) return {};
  if (has_own_heads(config)) return cell.head;
  const bool are_rows = info(cell.stage).axes == StageAxes::weight && cell.stage != Stage::output_weight;
  return (are_rows ? cell.row : cell.col) / head_features(config);
}

std::vector<Scope> scopes_of(const AttentionConfig& config, const Source& cell) {
  const std::string title(info(cell.stage).title);
  const CellRect all = all_cells(config, cell.stage);
  const auto cells = [&](const CellRect& rect) { return WeightCells{cell.stage, cell.head, rect}; };
  std::vector<Scope> scopes;
  if (all.rows > 1) {
    scopes.push_back({"row", "This row", "row of " + title, cells({cell.row, 0, 1, all.cols})});
    scopes.push_back({"column", "This column", "column of " + title, cells({0, cell.col, all.rows, 1})});
  }
  const std::optional<Index> head = head_of(config, cell);
  if (head && !has_own_heads(config)) {
    scopes.push_back({"head", fmt::format("The part of head {}", *head + 1),
                      fmt::format("head {} of {}", *head + 1, title), cells(cells_of_head(config, cell.stage, *head)),
                      true});
  }
  scopes.push_back({"matrix", all.rows > 1 ? "The whole matrix" : "The whole bias", title, cells(all), true});
  return scopes;
}

template <typename Change>
void item(const ViewContext& context, CommandQueue& queue, const Scope& scope, const char* id, std::string_view label,
          const Change& change, bool is_enabled = true) {
  if (menu_item(context, fmt::format("cell/{}/{}", scope.id, id), label, {.is_enabled = is_enabled}))
    queue.push_back(
        EditDocument{scope.what, [change, cells = scope.cells](Document& document) { change(document, cells); }});
}

// Every time from other random numbers, but from the same ones in the same session.
void draw_fillings(const ViewContext& context, CommandQueue& queue, const Scope& scope, const Source& cell) {
  const std::uint64_t seed = context.now.edition;
  const auto fill = [seed](Filling filling) {
    return
        [seed, filling](Document& document, const WeightCells& cells) { fill_weights(document, cells, filling, seed); };
  };
  item(context, queue, scope, "zeros", "Zeros", fill(Filling::zeros));
  item(context, queue, scope, "one_hot", "1 here, 0 elsewhere",
       [cell](Document& document, const WeightCells& cells) { make_one_hot(document, cells, cell.row, cell.col); });
  item(context, queue, scope, "randn", "torch.randn", fill(Filling::randn));
  if (!scope.is_matrix || scope.cells.rect.rows == 1) return;
  item(context, queue, scope, "identity", "Identity", fill(Filling::identity));
  item(context, queue, scope, "orthogonal", "Orthogonal (torch.nn.init.orthogonal_)", fill(Filling::orthogonal));
}

void scale(CommandQueue& queue, const Scope& scope, double factor) {
  queue.push_back(EditDocument{
      scope.what, [factor, cells = scope.cells](Document& document) { scale_weights(document, cells, factor); }});
}

void draw_factors(const ViewContext& context, CommandQueue& queue, const Scope& scope) {
  static constexpr struct {
    const char* id;
    const char* label;
    double factor;
  } factors[] = {{"double", "× 2", 2}, {"half", "× ½", 0.5}, {"negate", "× −1", -1}};
  for (const auto& row : factors) {
    if (menu_item(context, fmt::format("cell/{}/{}", scope.id, row.id), row.label)) scale(queue, scope, row.factor);
  }
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("×");
  ImGui::SameLine(0, 4 * unit(context));
  ImGui::SetNextItemWidth(factor_width * unit(context));
  std::string typed;
  const bool is_entered =
      text_field("##factor", "factor", typed, most_factor_letters, ImGuiInputTextFlags_EnterReturnsTrue);
  register_item(context, fmt::format("cell/{}/factor", scope.id));
  const std::optional<double> factor = read_float(typed);
  if (!is_entered || !factor) return;
  scale(queue, scope, *factor);
  ImGui::CloseCurrentPopup();
}

void draw_head_copies(const ViewContext& context, CommandQueue& queue, const Scope& scope, const Source& cell) {
  const AttentionConfig& config = context.now.document.config;
  const std::optional<Index> head = head_of(config, cell);
  const bool is_whole_head = scope.is_matrix && (has_own_heads(config) || std::string_view(scope.id) == "head");
  if (!head || !is_whole_head || !begin_menu(context, fmt::format("cell/{}/copy", scope.id), "Copy from head")) return;
  for (Index from = 0; from < head_count(config); ++from) {
    if (from == *head) continue;
    item(context, queue, scope, fmt::format("copy/{}", from).c_str(), fmt::format("Head {}", from + 1),
         [from, to = *head](Document& document, const WeightCells& cells) {
           copy_weights_of_head(document, cells.stage, from, to);
         });
  }
  ImGui::EndMenu();
}

void draw_scope(const ViewContext& context, CommandQueue& queue, const Scope& scope, const Source& cell) {
  if (!begin_menu(context, fmt::format("cell/{}", scope.id), scope.label.c_str())) return;
  draw_fillings(context, queue, scope, cell);
  ImGui::Separator();
  draw_factors(context, queue, scope);
  ImGui::Separator();
  draw_head_copies(context, queue, scope, cell);
  item(context, queue, scope, "restore", "Back to the seed's", restore_weights,
       !context.now.document.config.weight_overrides.empty());
  ImGui::EndMenu();
}

}  // namespace

void draw_weight_menus(const ViewContext& context, CommandQueue& queue, const Source& cell) {
  const AttentionConfig& config = context.now.document.config;
  for (const Scope& scope : scopes_of(config, cell)) draw_scope(context, queue, scope, cell);
  if (menu_item(context, "cell/paste", "Paste numbers, beginning at this cell")) {
    const char* const clipboard = ImGui::GetClipboardText();
    queue.push_back(EditDocument{fmt::format("paste into {}", info(cell.stage).title),
                                 [cell, text = std::string(clipboard ? clipboard : "")](Document& document) {
                                   paste_weights(document, cell.stage, cell.head, cell.row, cell.col,
                                                 parse_number_block(text));
                                 }});
  }
  if (menu_item(context, "cell/restore_all", "All weights as the seed drew them",
                {.is_enabled = !config.weight_overrides.empty()}))
    queue.push_back(EditDocument{"all weights", restore_all_weights});
}

}  // namespace attnscope
