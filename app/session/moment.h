#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compute/evaluator.h"
#include "document/document.h"
#include "document/viewing.h"
#include "document/viewing_document.h"
#include "session/autosave.h"
#include "session/recent_files.h"
#include "views/dialog.h"
#include "views/figure_dialog.h"
#include "views/go_to.h"
#include "views/view_context.h"

namespace attnscope {

// What the screen shows at one moment, to be drawn again at another size while the session goes on.
struct Moment {
  Document document;
  std::vector<std::string> labels;
  std::size_t widest_label = 0;
  Evaluation evaluation;
  std::shared_ptr<const Performance> performance;
  ViewState view;
  std::optional<Source> hovered;
  std::deque<Message> messages;
  std::filesystem::path file;
  std::vector<RecentFile> recent;
  std::vector<LostDocument> lost;
  bool is_modified = false;
  std::string undo_label;
  std::string redo_label;
  std::string footer;  // empty for none
  DialogState dialog;
  GoToState go_to;
  FigureState figure;
  std::string glyph_text;  // every text that the fonts must be able to show
  std::optional<Viewing> viewing;
  std::optional<ViewingDocument> viewing_document;
};

void build_moment(const Moment& moment, TileStore& tiles, const Fonts& fonts, const Theme& theme,
                  HeatmapSink* heatmaps);

}  // namespace attnscope
