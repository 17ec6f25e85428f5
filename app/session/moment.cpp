#include "session/moment.h"

#include "session/session.h"
#include "views/text.h"
#include "views/workspace.h"

namespace attnscope {

Moment Session::moment() const {
  return {.document = history_.current(),
          .labels = labels_,
          .widest_label = widest_label_,
          .evaluation = evaluation_,
          .performance = performance_,
          .view = view_,
          .hovered = hovered_,
          .messages = messages_,
          .file = file_,
          .recent = recent_.files(),
          .lost = lost_,
          .is_modified = is_modified_,
          .undo_label = history_.undo_label(),
          .redo_label = history_.redo_label(),
          .footer = view_.screenshot_footer ? footer() : "",
          .dialog = dialog_,
          .go_to = go_to_,
          .figure = figure_state_,
          .glyph_text = glyph_text(),
          .viewing = viewed_ ? std::optional(viewed_->viewing()) : std::nullopt,
          .viewing_document = viewing_document()};
}

void build_moment(const Moment& moment, TileStore& tiles, const Fonts& fonts, const Theme& theme,
                  HeatmapSink* heatmaps) {
  const bool has_labels = moment.widest_label < moment.labels.size();
  const Performance nothing_computed;
  const ViewContext context{
      .document = moment.document,
      .labels = moment.labels,
      .label_width = has_labels ? text_size(fonts.small_text, moment.labels[moment.widest_label]).x : 0,
      .evaluation = moment.evaluation,
      .is_current = true,
      .is_busy = false,
      .progress = {},
      .performance = moment.viewing ? nothing_computed : *moment.performance,
      .view = moment.view,
      .hovered = moment.hovered,
      .fonts = fonts,
      .theme = theme,
      .tiles = &tiles,
      .heatmaps = heatmaps,
      .widgets = nullptr,
      .messages = moment.messages,
      .file = moment.file,
      .recent = moment.recent,
      .lost = moment.lost,
      .is_modified = moment.is_modified,
      .undo_label = moment.undo_label,
      .redo_label = moment.redo_label,
      .footer = moment.footer,
      .dialog = moment.dialog,
      .go_to = moment.go_to,
      .figure = moment.figure,
      .viewing = moment.viewing ? &*moment.viewing : nullptr,
      .arrays = {},
      .wanted_layer = {},
      .reading = {}};
  CommandQueue nobody_listens;
  draw_workspace(context, nobody_listens);
}

}  // namespace attnscope
