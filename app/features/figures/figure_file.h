#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "compute/computation.h"
#include "core/evaluate.h"
#include "document/document.h"
#include "document/file_formats.h"
#include "document/sweep.h"
#include "files/picture_document.h"
#include "paint/file/figure.h"
#include "platform/system/other_programs.h"
#include "session/figure_state.h"
#include "view/figure_options.h"

// Figures and animations as files that carry their document, for the dialog and the command line.
namespace attnscope {

constexpr std::uint64_t kept_frames_bytes = 256ULL << 20;

// The results of a document with one parameter swept. Each is evaluated when it is first asked for, and kept until all
// kept ones take `kept_bytes`; further ones are evaluated each time.
class FrameResults {
public:
  FrameResults(Document document, Sweep sweep, std::uint64_t kept_bytes = kept_frames_bytes);

  std::size_t frame_count() const { return sweep_.values.size(); }
  const Document& document() const { return document_; }  // before the sweep
  Document document(std::size_t frame) const;             // throws Error where the value is not allowed
  std::string name(std::size_t frame) const;              // "seed 7"
  std::optional<Stage> last_stage(std::size_t frame) const { return attnscope::last_stage(sweep_, frame); }

  // Evaluates document(frame). Throws Error as evaluate() does, and Cancelled.
  std::shared_ptr<const Result> result(std::size_t frame, const Execution& execution);

private:
  Document document_;
  Sweep sweep_;
  std::uint64_t room_;  // bytes that may still be kept
  std::vector<std::shared_ptr<const Result>> kept_;
  Engine engine_;
  Computed latest_;  // shares with the next what the swept parameter does not change
};

enum class FrameStep { evaluated, drawn };
using FrameWatch = std::function<void(std::size_t frame, FrameStep step)>;  // called before each

// The pictures of a document with one parameter swept. First look() at all frames, then draw them: the colours and the
// page size of the first picture depend on the numbers of the last, so it takes two passes. Only one picture is in
// memory at a time.
class Animation {
public:
  // The options of one frame's figure; the frame's name is added to the title.
  using Choose = std::function<FigureOptions(const Document&)>;
  Animation(std::shared_ptr<FrameResults> frames, Choose choose);
  Animation(Document document, Sweep sweep, Choose choose);

  std::size_t frame_count() const { return frames_->frame_count(); }
  const Document& document() const { return frames_->document(); }  // before the sweep
  Document document(std::size_t frame) const { return frames_->document(frame); }

  void check_memory() const;  // throws Error when a frame needs more memory than there is

  // Evaluates every frame that it has not looked at; after a stop it goes on where it was. Errors of this and the next:
  // those of describe_figure() and evaluate(), and Cancelled.
  void look(const FrameWatch& watch = {}, const Execution& execution = {});
  void look_at_next(const FrameWatch& watch, const Execution& execution);  // at one frame, unless it has seen all
  Figure figure(std::size_t frame, const Execution& execution = {});       // all have the same size

private:
  FigureContent content(std::size_t frame, const Execution& execution);

  std::shared_ptr<FrameResults> frames_;
  Choose choose_;
  FigureSeries series_;
  std::size_t looked_at_ = 0;
};

// Returns the options of each frame's figure: these, with the footer of its own document where there is one.
Animation::Choose frame_choices(FigureOptions options);

// Draws frames of a sweep one by one while choices change. It keeps what was evaluated, and goes on after a stop. For
// one thread, except progress().
class SweepPreview {
public:
  SweepPreview(Document document, Sweep sweep);

  // Returns a frame as it will be drawn: all frames are looked at first. Throws Error and Cancelled.
  Figure figure(std::size_t frame, const FigureOptions& options, const Execution& execution);
  std::shared_ptr<const DrawingProgress> progress() const { return progress_; }

private:
  std::shared_ptr<FrameResults> frames_;
  std::optional<Animation> animation_;  // of `options_`
  FigureOptions options_;
  std::shared_ptr<DrawingProgress> progress_ = std::make_shared<DrawingProgress>();
};

// The subject of a figure; `result` belongs to `document`.
struct FigureSubject {
  std::shared_ptr<const Result> result;
  Document document;
  FigureOptions options;
  // The picture carries this for attention from a file, whose tokens `document` names.
  std::optional<ImportedDocument> viewing = {};
  std::filesystem::path carrier = {};  // the file that the picture will be; empty for none
};

// Returns the bytes of the figure's file. Throws Error as make_figure(), the renderers and with_document() do, and
// Cancelled.
std::string figure_file(const FigureSubject& subject, PictureKind kind, const DrawWatch& watch = {});

// Returns the bytes of all frames, with the swept document if the format carries one. What is transparent in a PNG is
// white in other formats. Throws Error, also when there are too many bytes to be opened again, and Cancelled.
std::string animation_file(Animation& animation, PictureKind kind, const Playback& playback, const FrameWatch& watch,
                           const Execution& execution);

// Returns a PNG of one frame, which carries the frame's document. Throws Error and Cancelled.
std::string frame_file(Animation& animation, std::size_t frame, const FrameWatch& watch, const Execution& execution);

// Adds the frames of an animation one after the other, then gives its bytes.
struct FrameWriter {
  std::size_t count = 0;
  std::function<void(std::size_t frame)> add;
  std::function<std::string()> finish;
};

// How a film is written.
struct FilmPlayback {
  std::optional<double> frames_per_second;  // none: as many as the format shows well
  std::uint32_t times = 0;                  // 0: without end
  bool operator==(const FilmPlayback&) const = default;
};
using FilmWatch = std::function<void(std::size_t frame, std::size_t count)>;  // called before each

// The film of `subject.options.film` as pictures that carry the document, with the cell pinned. Functions throw Error
// as FilmFigures, the renderers and with_document() do, also when there are too many bytes to be opened again; and
// Cancelled.
class FilmPictures {
public:
  FilmPictures(const FigureSubject& subject, const Execution& execution);

  const FilmFigures& figures() const { return figures_; }
  // Returns the bytes of an animation, or of a PDF with a page for each key frame.
  std::string file(PictureKind kind, const FilmPlayback& playback, const FilmWatch& watch);
  FrameWriter writer(PictureKind kind, const FilmPlayback& playback, const FilmWatch& watch);  // of an animation
  // Returns PNGs: key frames, or all frames if there is a rate.
  std::size_t picture_count(const FilmPlayback& playback) const;
  std::string picture(const FilmPlayback& playback, std::size_t number);

private:
  std::string with_subject(const std::string& bytes, PictureKind kind) const;

  const FigureSubject& subject_;  // outlives it
  Execution execution_;
  FilmFigures figures_;
};

// A sweep of the subject's document, and the kind of its files.
struct SweepJob {
  Sweep sweep;
  bool is_series = false;  // numbered pictures instead of one that is animated
  Playback playback;
  std::size_t frame = 0;  // the frame that goes to the clipboard
};
struct ExportOutcome {
  std::string said;
  bool is_error = false;
};
struct ExportSteps;
std::shared_ptr<ExportSteps> make_export_steps();
struct ExportJob {
  FigureSubject subject;
  std::optional<SweepJob> sweep;  // none: the figure is still, or a film
  FilmPlayback film = {};         // of a film, which is numbered if its path is
  std::size_t film_scene = 0;     // the scene whose key frame goes to the clipboard
  std::filesystem::path path;     // the file, or a series "name-%03d.png"; empty for the clipboard
  CopyPicture copy;
  std::shared_ptr<DrawingProgress> progress = std::make_shared<DrawingProgress>();
  std::shared_ptr<ExportSteps> steps = make_export_steps();  // how far it is
};
// Draws a figure or the next frame of a sweep or a film, and writes or copies what is drawn after the last. Returns
// what came of it then, and nothing before. Throws Cancelled, and then nothing was written.
std::optional<ExportOutcome> export_figure(const ExportJob& job, const std::stop_token& stop);

struct PreviewJob {
  std::shared_ptr<const Result> result;
  std::vector<std::string> labels;
  FigureOptions options;
  float width = 0;  // room, in pixels of the screen
  float height = 0;
  float pixels_per_unit = 1;
  std::vector<std::string> queries = {};     // names of the queries
  std::shared_ptr<SweepPreview> sweep = {};  // null: the figure is still
  std::size_t frame = 0;                     // of a sweep; of a film the scene, whose key frame is drawn
  bool operator==(const PreviewJob&) const = default;
};
// Throws Cancelled.
std::shared_ptr<const FigurePreview> draw_preview(const PreviewJob& job, const std::stop_token& stop);

}  // namespace attnscope
