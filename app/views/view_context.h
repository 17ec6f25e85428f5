#pragma once

#include <imgui.h>

#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compute/evaluator.h"
#include "compute/tile_store.h"
#include "document/document.h"
#include "document/viewing.h"
#include "views/command.h"
#include "views/fonts.h"
#include "views/heatmap_quad.h"
#include "views/theme.h"
#include "views/view_state.h"
#include "views/widget_registry.h"

namespace attnscope {

struct DialogState;
struct GoToState;
struct FigureState;

// A line of news for the user; the newest stands in the status line until it is old.
struct Message {
  std::string text;
  bool is_error = false;
  double time = 0;  // seconds since start, when it was said
};

// A file that was opened or saved not long ago.
struct RecentFile {
  std::filesystem::path path;
  bool is_there = true;  // when the list was last looked at
};

// Unsaved changes that a program left behind when it ended without being asked to.
struct LostDocument {
  std::filesystem::path kept_in;
  std::filesystem::path file;            // that they belong to; empty for a document without one
  std::filesystem::file_time_type time;  // when they were last kept
};

// Everything that panels read. Nothing in it changes while a frame is built.
struct ViewContext {
  const Document& document;
  const std::vector<std::string>& labels;  // token labels of `document`
  float label_width = 0;                   // of the widest of them, in the small font
  const Evaluation& evaluation;
  bool is_current = true;  // the evaluation is of `document`
  bool is_busy = false;
  std::optional<float> progress = {};  // of an evaluation that takes a while
  const Performance& performance;
  const ViewState& view;
  std::optional<Source> hovered = {};  // of the frame before
  const Fonts& fonts;
  const Theme& theme;
  TileStore* tiles = nullptr;       // makes estimates exact
  HeatmapSink* heatmaps = nullptr;  // null: no pictures (tests without graphics)
  WidgetRegistry* widgets = nullptr;
  const std::deque<Message>& messages;
  std::filesystem::path file = {};        // empty for a document without one
  const std::vector<RecentFile>& recent;  // newest first
  const std::vector<LostDocument>& lost;  // newest first
  bool is_modified = false;
  std::string undo_label = {};
  std::string redo_label = {};
  std::string_view footer = {};  // a line below everything; empty in the window, where the menus say the same
  const DialogState& dialog;
  const GoToState& go_to;
  const FigureState& figure;
  const Viewing* viewing = nullptr;        // attention of a file, which `document` only names the tokens of
  std::filesystem::path arrays = {};       // that were opened last, to be read as something else; empty for none
  std::optional<Index> wanted_layer = {};  // of it, while that is being read
  std::string reading = {};                // "Reading attention.npz: 43 %"; empty for nothing

  const Result* result() const { return evaluation.result.get(); }
};

}  // namespace attnscope
