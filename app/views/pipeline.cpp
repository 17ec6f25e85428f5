#include <algorithm>
#include <cmath>
#include <vector>

#include "views/axis_labels.h"
#include "views/panels.h"
#include "views/stage_card.h"
#include "views/text.h"
#include "views/widgets.h"

namespace attnscope {
namespace {

constexpr float stage_gap = 8;
constexpr float max_cell_height = 34;
constexpr float min_heat_height = 72;
constexpr float max_cell_width = 46;
constexpr float min_cell_width = 17;
constexpr float comfortable_cell_width = 36;
constexpr float comfortable_cell_height = 19;  // below it the cards' headers give way
constexpr Index few_tokens = 16;
constexpr float few_rows = 8;
constexpr float most_slack = 0.5f;  // of a row's own width, to fill its line: cards are not mostly empty

using CardRow = std::vector<CardSpec>;

std::vector<CardRow> collect_rows(const ViewContext& context) {
  std::vector<CardRow> rows;
  if (!context.result()) return rows;
  for (const std::vector<Stage>& line : stage_lines(context.result()->config)) {
    CardRow row;
    for (const Stage stage : line) {
      const std::optional<StageView> view = stage_view(context, stage, context.view.head);
      if (!view) continue;
      CardSpec card = make_card(context, *view);
      card.row_labels = row.empty() || !is_query_by_key(view->info->axes);
      row.push_back(card);
    }
    if (!row.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

// Width of one cell against that of the row's widest: a mask has room for its 0 and 1 in less.
float cell_share(const StageView& view) { return view.info->range == StageRange::boolean ? 0.5f : 1.0f; }

float card_width(const ViewContext& context, const CardSpec& card) {
  const CardMargins margins = card_margins(context, card);
  return std::max(margins.left + card.heat_size.x + margins.right, min_card_width(context, card));
}

float row_width(const ViewContext& context, const CardRow& row) {
  float width = stage_gap * unit(context) * static_cast<float>(row.size() - 1);
  for (const CardSpec& card : row) width += card_width(context, card);
  return width;
}

float heat_width(const StageView& view, float cell, float heat_height, bool few) {
  if (few) return std::floor(cell * cell_share(view)) * static_cast<float>(view.cols);
  const float full = is_query_by_key(view.info->axes) ? heat_height : heat_height * 0.7f;
  return std::min(full, cell * static_cast<float>(view.cols));
}

// The widest cells for which the cards of a row have room; whole pixels, so that cells look alike.
void fit_widths(const ViewContext& context, CardRow& row, float heat_height, float available) {
  const bool few = row.front().stage.rows <= few_tokens;
  float cell = max_cell_width * unit(context);
  const float smallest =
      few ? min_cell_width * unit(context) : heat_height * 0.5f / static_cast<float>(row.front().stage.rows);
  for (int attempt = 0; attempt < 60; ++attempt) {
    for (CardSpec& card : row) {
      card.heat_size = {std::max(heat_width(card.stage, cell, heat_height, few), 8.0f), heat_height};
    }
    if (row_width(context, row) <= available || cell <= smallest) return;
    cell = few ? cell - 1 : cell * 0.9f;
  }
}

// Short rows share a line where both fit with comfortable cells: simple mechanisms have few stages.
void merge_rows(const ViewContext& context, std::vector<CardRow>& rows, float available) {
  for (std::size_t index = 0; index + 1 < rows.size();) {
    CardRow merged = rows[index];
    merged.insert(merged.end(), rows[index + 1].begin(), rows[index + 1].end());
    for (CardSpec& card : merged) {
      card.heat_size.x = heat_width(card.stage, comfortable_cell_width * unit(context), 0, true);
    }
    if (row_width(context, merged) > available) {
      ++index;
      continue;
    }
    rows[index] = std::move(merged);
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(index) + 1);
  }
}

float row_top_margin(const ViewContext& context, const CardRow& row) {
  float top = 0;
  for (const CardSpec& card : row) top = std::max(top, card_margins(context, card).top);
  return top;
}

// Height of the heatmaps such that all rows fit; column labels depend on widths and widths on height, so twice.
float fit_heights(const ViewContext& context, std::vector<CardRow>& rows, ImVec2 available) {
  const float tokens = static_cast<float>(rows.front().front().stage.rows);
  float heat_height = std::min(tokens * max_cell_height, 300.0f) * unit(context);
  for (int pass = 0; pass < 3; ++pass) {
    float overhead = stage_gap * unit(context) * static_cast<float>(rows.size() - 1);
    for (CardRow& row : rows) {
      fit_widths(context, row, heat_height, available.x);
      overhead += row_top_margin(context, row) + card_margins(context, row.front()).bottom;
    }
    const float fair = (available.y - overhead) / static_cast<float>(rows.size());
    const float highest = tokens <= few_tokens ? tokens * max_cell_height * unit(context) : available.y;
    heat_height = std::clamp(fair, min_heat_height * unit(context), std::max(highest, min_heat_height * unit(context)));
    if (tokens <= few_tokens) heat_height = std::floor(heat_height / tokens) * tokens;
  }
  for (CardRow& row : rows) fit_widths(context, row, heat_height, available.x);
  return heat_height;
}

float row_height(const ViewContext& context, const CardRow& row, float heat_height) {
  return row_top_margin(context, row) + heat_height + card_margins(context, row.front()).bottom;
}

float total_height(const ViewContext& context, const std::vector<CardRow>& rows, float heat_height) {
  float height = stage_gap * unit(context) * static_cast<float>(rows.size() - 1);
  for (const CardRow& row : rows) height += row_height(context, row, heat_height);
  return height;
}

void make_compact(std::vector<CardRow>& rows) {
  for (CardRow& row : rows) {
    for (CardSpec& card : row) card.is_compact = true;
  }
}

// Rows that are too wide for readable cells are broken in halves, each with row labels of its own.
std::vector<CardRow> wrap_rows(const ViewContext& context, const std::vector<CardRow>& rows, float heat_height,
                               float available) {
  std::vector<CardRow> wrapped;
  for (CardRow row : rows) {
    fit_widths(context, row, heat_height, available);
    if (row.size() < 2 || row_width(context, row) <= available) {
      wrapped.push_back(std::move(row));
      continue;
    }
    const auto middle = row.begin() + static_cast<std::ptrdiff_t>((row.size() + 1) / 2);
    CardRow second(middle, row.end());
    second.front().row_labels = true;
    row.erase(middle, row.end());
    const std::vector<CardRow> halves = wrap_rows(context, {row, second}, heat_height, available);
    wrapped.insert(wrapped.end(), halves.begin(), halves.end());
  }
  return wrapped;
}

void draw_row(const ViewContext& context, CommandQueue& queue, const CardRow& row, ImVec2 pos, float height,
              float available) {
  const float top = row_top_margin(context, row);
  const float natural = row_width(context, row);
  const float slack = std::clamp(available - natural, 0.0f, natural * most_slack) / static_cast<float>(row.size());
  for (CardSpec card : row) {
    card.min_top = top;
    const ImVec2 size{std::floor(card_width(context, card) + slack), height};
    draw_stage_card(context, queue, card, pos, size);
    pos.x += size.x + stage_gap * unit(context);
  }
}

void draw_rows(const ViewContext& context, CommandQueue& queue, const std::vector<CardRow>& rows, float heat_height,
               float available) {
  ImVec2 pos = ImGui::GetCursorScreenPos();
  const float left = pos.x;
  for (const CardRow& row : rows) {
    const float height = row_height(context, row, heat_height);
    draw_row(context, queue, row, {left, pos.y}, height, available);
    pos.y += height + stage_gap * unit(context);
  }
  ImGui::SetCursorScreenPos({left, pos.y - stage_gap * unit(context)});
  ImGui::Dummy({1, 0});
}

}  // namespace

void draw_pipeline(const ViewContext& context, CommandQueue& queue) {
  std::vector<CardRow> rows = collect_rows(context);
  if (rows.empty()) return;
  const ImVec2 available = ImGui::GetContentRegionAvail();
  const float tokens = static_cast<float>(rows.front().front().stage.rows);
  const float comfortable = std::min(tokens, few_rows) * comfortable_cell_height * unit(context);
  if (rows.front().front().stage.rows <= few_tokens) merge_rows(context, rows, available.x);
  float heat_height = fit_heights(context, rows, available);
  if (heat_height < comfortable) {
    make_compact(rows);
    rows = wrap_rows(context, rows, heat_height, available.x);
    heat_height = fit_heights(context, rows, available);
  }
  // Where there must be scrolling anyway, nothing need be small.
  if (total_height(context, rows, heat_height) > available.y + 1) heat_height = comfortable;
  for (CardRow& row : rows) fit_widths(context, row, heat_height, available.x);
  draw_rows(context, queue, rows, heat_height, available.x);
}

}  // namespace attnscope
