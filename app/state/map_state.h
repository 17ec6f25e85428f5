#pragma once

#include <optional>
#include <vector>

#include "core/stage.h"
#include "picture/cell_window.h"

namespace attnscope {

// The part of the matrices that the heatmaps show. All move in step. The query-by-key matrices show the same window. A
// matrix with a row per token shows the rows of the queries (keys and values: of the keys) in that window, and all such
// matrices show the same part of their columns.
struct MapState {
  struct Own {
    Stage stage = Stage::weights;
    Index head = 0;
    CellWindow window;
    bool operator==(const Own&) const = default;
  };

  std::optional<CellWindow> window;  // of every query-by-key matrix; none: all of it
  double first_feature = 0;          // of matrices with a row per token: where the part of their columns begins
  double feature_share = 1;          // and how much of them it is, both as shares of all columns
  std::vector<Own> own;              // of heatmaps that were moved alone
  bool operator==(const MapState&) const = default;
};

// The matrix behind a heatmap.
struct MapPlace {
  Stage stage = Stage::weights;
  Index head = 0;
  Index rows = 0;
  Index cols = 0;
};

CellWindow window_of(const MapState& map, bool is_alone, const MapPlace& place);
// Shows `window` of a matrix, and of the others what goes with it.
void set_window(MapState& map, bool is_alone, const MapPlace& place, const CellWindow& window);

}  // namespace attnscope
