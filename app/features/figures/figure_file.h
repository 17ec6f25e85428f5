#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/evaluate.h"
#include "document/document.h"
#include "document/picture_format.h"
#include "features/figures/animation.h"
#include "files/picture_document.h"
#include "platform/system/desktop.h"
#include "session/figure_state.h"
#include "view/figure_options.h"

// Figures and animations as files: the drawing with its document in it. What the dialog and the command line share.
namespace attnscope {

// A figure of a document's result; `result` is of `document`.
struct FigureSubject {
  std::shared_ptr<const Result> result;
  Document document;
  FigureOptions options;
  // The picture carries this for attention from a file, of which `document` only names the tokens.
  std::optional<ImportedDocument> viewing = {};
  std::filesystem::path carrier = {};  // the file that the picture will be; empty for none
};

// The bytes of its file. Throws Error as make_figure(), the renderers and with_document() do, and Cancelled.
std::string figure_file(const FigureSubject& subject, PictureKind kind, const DrawWatch& watch = {});

// The bytes of all frames, with the document that was swept if the format carries one. What is transparent in a PNG is
// white in other formats. Throws Error, also when there are too many bytes to be opened again, and Cancelled.
std::string animation_file(Animation& animation, PictureKind kind, const Playback& playback, const FrameWatch& watch,
                           const Execution& execution);

// The bytes of a PNG of one frame; carries the frame's document. Throws Error and Cancelled.
std::string frame_file(Animation& animation, std::size_t frame, const FrameWatch& watch, const Execution& execution);

// A sweep of the subject's document, and what becomes of its frames.
struct SweepJob {
  Sweep sweep;
  bool is_series = false;  // numbered pictures instead of one that is animated
  Playback playback;
  std::size_t frame = 0;  // that goes to the clipboard
};
struct ExportJob {
  FigureSubject subject;
  std::optional<SweepJob> sweep;  // none: the figure is still
  std::filesystem::path path;     // of the file, or of a series "name-%03d.png"; empty for the clipboard
  CopyPicture copy;
  std::shared_ptr<DrawingProgress> progress = std::make_shared<DrawingProgress>();
};
struct ExportOutcome {
  std::string said;
  bool is_error = false;
};
// Draws a figure, or all of a sweep, and writes or copies it. Throws Cancelled, and then nothing was written.
ExportOutcome export_figure(const ExportJob& job, const std::stop_token& stop);

struct PreviewJob {
  std::shared_ptr<const Result> result;
  std::vector<std::string> labels;
  FigureOptions options;
  float width = 0;  // room, in pixels of the screen
  float height = 0;
  float pixels_per_unit = 1;
  std::shared_ptr<SweepPreview> sweep = {};  // null: the figure is still
  std::size_t frame = 0;
  bool operator==(const PreviewJob&) const = default;
};
// Throws Cancelled.
std::shared_ptr<const FigurePreview> draw_preview(const PreviewJob& job, const std::stop_token& stop);

}  // namespace attnscope
