#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/source.h"
#include "look/themes.h"
#include "picture/picture.h"
#include "scene/diagram_layout.h"

namespace attnscope::scene {

// The numbers and colours of a diagram; its layout has the places.
struct DiagramData {
  std::shared_ptr<const Result> result;
  // The matrix of a head as it is stored; nothing where it is still to be computed. `is_second`: of B, beside A.
  std::function<std::optional<picture::Matrix>(Stage stage, Index head, bool is_second)> matrix;
  // The sum of a row; NaN where it is not known yet.
  std::function<float(Stage stage, Index row, bool is_second)> row_sum;
  std::function<bool(const Source& cell)> is_covered = {};  // to be predicted: not written anywhere
  const ThemeColours* theme = nullptr;
  std::optional<int> decimals = 2;  // none: no numbers
  std::optional<Source> marked;     // the pinned cell, or that under the pointer
  StageSet awaited;                 // presented later: neither their matrices nor their words are drawn
  std::optional<Rgb> ground = {};   // behind everything; none: the theme's window, below which crossings are hidden
  bool has_arrows = true;           //
  TextMeasure measure;
};

// Everything that is seen of a diagram.
picture::Picture diagram_picture(const DiagramLayout& layout, const DiagramData& data);

}  // namespace attnscope::scene
