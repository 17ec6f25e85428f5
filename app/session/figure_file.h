#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/evaluate.h"
#include "document/document.h"
#include "figure/figure_options.h"
#include "interchange/picture_document.h"
#include "views/figure_dialog.h"

// Figures as files: the drawing with its document in it. What the dialog and the command line share.
namespace attnscope {

// A figure of a document's result; `result` is of `document`.
struct FigureSubject {
  std::shared_ptr<const Result> result;
  Document document;
  FigureOptions options;
  // Of attention from a file, which `document` only names the tokens of: what the picture carries.
  std::optional<ViewingDocument> viewing = {};
  std::filesystem::path carrier = {};  // the file that the picture will be; empty for none
};

// The bytes of its file. Throws Error as make_figure(), the renderers and with_document() do, and Cancelled.
std::string figure_file(const FigureSubject& subject, PictureKind kind, const std::stop_token& stop = {});

// How pictures get into the clipboard: takes the bytes of a PNG, on any thread; throws Error and Cancelled.
using CopyPicture = std::function<void(const std::string& png, const std::stop_token& stop)>;

struct ExportJob {
  FigureSubject subject;
  std::filesystem::path path;  // empty for the clipboard
  CopyPicture copy;
};
struct ExportOutcome {
  std::string said;
  bool is_error = false;
};
// Draws a figure and writes or copies it. Throws Cancelled, and then nothing was written.
ExportOutcome export_figure(const ExportJob& job, const std::stop_token& stop);

struct PreviewJob {
  std::shared_ptr<const Result> result;
  std::vector<std::string> labels;
  FigureOptions options;
  float width = 0;  // room, in pixels of the screen
  float height = 0;
  float pixels_per_unit = 1;
  bool operator==(const PreviewJob&) const = default;
};
// Throws Cancelled.
std::shared_ptr<const FigurePreview> draw_preview(const PreviewJob& job, const std::stop_token& stop);

}  // namespace attnscope
