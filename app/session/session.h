#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "compute/background.h"
#include "compute/evaluator.h"
#include "compute/largest_cells.h"
#include "document/history.h"
#include "session/autosave.h"
#include "session/figure_file.h"
#include "session/moment.h"
#include "session/reading.h"
#include "session/recent_files.h"
#include "session/viewed_attention.h"
#include "views/dialog.h"
#include "views/go_to.h"
#include "views/view_context.h"

namespace attnscope {

struct ScreenshotRequest {
  int scale = 1;  // pixels per unit
  bool is_for_clipboard = false;
};

// The program's state and what commands do to it; no window, no OpenGL. A frame is: build() between ImGui::NewFrame and
// ImGui::Render, then apply_commands(), and once more while that changed what is on the screen, so that everything
// follows an edit in the frame that shows it.
class Session {
public:
  static constexpr std::string_view symbols = "⚄⋮▸▾‹›→↓Σ√∞ᵀ";  // what the panels draw beyond letters

  // `wake` is called from the background thread when an evaluation ended.
  Session(Document document, ViewState view, std::function<void()> wake = {});

  void build(const Fonts& fonts, const Theme& theme, HeatmapSink* heatmaps, WidgetRegistry* widgets);
  bool apply_commands();                                         // whether the frame must be built again
  Moment moment() const;                                         // with a footer when the settings ask for one
  void show_footer(bool is_shown) { shows_footer_ = is_shown; }  // in what is built from now on
  void push(Command command) { queue_.push_back(std::move(command)); }

  // Takes a document from a file: what the command line, the file dialog and a dropped file do. A file that cannot be
  // read becomes a message and changes nothing.
  void open_file(const std::filesystem::path& path);
  // The same for arrays of another program. Embeddings and weights are an edit of the document, which undo takes back;
  // attention takes its place.
  void import_file(const std::filesystem::path& path);
  void show_attention(LoadedAttention attention);  // in the document's place
  // The same of what is read in the background from now on; `load` may throw Error.
  void read_attention(const std::filesystem::path& path, std::function<LoadedAttention(const UnpackWatch&)> load);

  // From now on recent files and unsaved changes are kept in a folder, for the next start; `process` tells programs
  // that run at the same time apart. Offers what programs left there that crashed. What fails becomes a message.
  void keep_state_in(const std::filesystem::path& folder, int process);
  // Keeps unsaved changes when it is time; to be called now and then, at `now` seconds.
  void autosave(double now);
  double seconds_to_autosave(double now) const { return autosave_.seconds_to_update(now); }  // negative for never

  // How pictures get into the clipboard; without it they are not copied.
  void copy_pictures_with(CopyPicture copy) { copy_picture_ = std::move(copy); }

  // Waits until the current document's evaluation, what is searched in it and what is drawn of it ended. For pictures
  // made without a window.
  void wait_for_evaluation();
  // Takes over what the background threads finished; whether there was anything new.
  bool poll_evaluation();

  const Document& document() const { return history_.current(); }
  // Attention of a file that is looked at, null for none: then the document only names its tokens.
  const Viewing* viewing() const { return viewed_ ? &viewed_->viewing() : nullptr; }
  std::optional<ViewingDocument> viewing_document() const;                            // what is saved of it
  std::string reading() const { return reading_ ? reading_->progress->text() : ""; }  // in the background
  const Evaluation& evaluation() const { return evaluation_; }
  const Performance& performance() const { return *performance_; }
  ViewState& view() { return view_; }
  const ViewState& view() const { return view_; }
  const DialogState& dialog() const { return dialog_; }
  const GoToState& go_to() const { return go_to_; }
  const FigureState& figure() const { return figure_state_; }
  const std::optional<Source>& hovered() const { return hovered_; }
  const std::deque<Message>& messages() const { return messages_; }
  const std::filesystem::path& file() const { return file_; }
  bool file_is_picture() const { return file_is_picture_; }
  bool is_modified() const { return is_modified_; }
  bool is_current() const { return !waits_ && evaluation_.finished_ticket == ticket_; }
  bool is_busy() const { return evaluator_.busy(); }
  TileStore& tiles() { return tiles_; }  // what pictures are made of
  bool quit_requested() const { return quit_requested_; }
  std::string window_title() const;
  std::string glyph_text() const;  // every text that the fonts must be able to show
  std::string panel_text() const;  // that part of it which does not grow with the document
  // Changes whenever the document does.
  std::uint64_t revision() const { return ticket_; }
  // The screenshot that was asked for since the last call.
  std::optional<ScreenshotRequest> take_screenshot_request();
  void say(std::string text, bool is_error = false);
  void expire_messages(double now);  // forgets what was said long ago
  // Seconds until something on the screen changes by itself; negative for never.
  double seconds_to_next_change(double now) const;

private:
  void apply(const EditDocument& command);
  void apply(const FinishEdit&);
  void apply(const UpdateView& command);
  void apply(const Hover& command) { hovered_ = command.cell; }
  void apply(const Undo&);
  void apply(const Redo&);
  void apply(const NewDocument& command);
  void apply(const OpenBuiltin& command);
  void apply(const OpenFile& command);
  void apply(const OpenArrays& command);
  void apply(const UpdateViewing& command);
  void apply(const NameTokens& command);
  void apply(const StopReading&);
  void apply(const SaveFile& command);
  void apply(const RefreshRecent&) { recent_.refresh(); }
  void apply(const RestoreLost& command);
  void apply(const DiscardLost& command);
  void apply(const ExportWeights& command);
  void apply(const ShowDialog& command);
  void apply(const CloseDialog&);
  void apply(const CreateFolder&);
  void apply(const UpdateDialog& command);
  void apply(const UpdateGoTo& command) { command.change(go_to_); }
  void apply(const GoTo& command);
  void apply(const ChooseScreenshotFolder& command);
  void apply(const ExportFigure& command);
  void apply(const CopyFigure&);
  void apply(const StopFigure&);
  void apply(const AnswerUnsaved& command);
  void apply(const TakeScreenshot& command);
  void apply(const MeasureBackends&);
  void apply(const CopyText& command);
  void apply(const CopyCode& command);
  void apply(const CopyStage& command);
  void apply(const PasteNumbers&);
  void apply(const ShowMessage& command) { say(command.text); }
  void apply(const Quit& command);

  void show_figure_dialog();
  void choose_figure_of_view(FigureChoices& choices) const;
  FigureOptions figure_options() const;  // as chosen, with the footer
  std::string figure_obstacle() const;   // why no figure can be drawn now; empty when one can
  void update_preview();
  void end_preview();
  void follow_sweep();
  void play_sweep();
  double seconds_to_next_frame(double now) const;  // of a sweep that plays; negative for never
  std::string sweep_name_problem(const std::filesystem::path& path) const;
  void start_export(const std::filesystem::path& path, std::string name);
  void finish_export(const ExportOutcome& outcome);
  void show_preview(const std::shared_ptr<const FigurePreview>& preview);
  bool poll_figures();

  MapPlace go_to_map_place() const;
  Source go_to_origin() const;
  std::string go_to_cell(const Source& cell);  // says where that is
  void go_to_token();
  void go_to_largest();
  void go_along_diagonal();
  bool poll_search();

  void open_arrays(const std::filesystem::path& path, std::optional<OpenArrays::As> as,
                   std::shared_ptr<const NamedArrays> file = {});
  void take_import(ImportedArrays imported, const std::filesystem::path& path);
  // What to read, and what to do with it once it is there; both may throw Error, which is said.
  using Read = std::function<Loaded(const UnpackWatch&)>;
  using Take = std::function<void(Loaded)>;
  void read(const std::filesystem::path& path, bool is_slow, Read read, Take take);
  void stop_reading();
  bool poll_reading();
  void refuse_file(const std::filesystem::path& path, const std::string& sentence);
  void open_viewing(ViewingDocument saved, const std::filesystem::path& carrier, bool is_from_picture);
  void show_loaded(Loaded loaded, const std::filesystem::path& path);
  void show_changed(std::unique_ptr<ViewedAttention> changed);
  void use_viewed(std::unique_ptr<ViewedAttention> viewed);
  void submit_viewed();
  bool take_token_file(const std::filesystem::path& path);  // whether it is one
  void refuse_for_viewing(const Command& command) const;
  void check_viewed(const Document& edited) const;
  void watch_viewed();
  std::string footer() const;  // of pictures that have one

  void measure_labels(const Fonts& fonts);
  void document_changed();
  void show_document(Document document, std::filesystem::path file, std::unique_ptr<ViewedAttention> viewed = {});
  void start_over(Document document);
  bool differs_from_saved() const;
  bool shows_arrays_file() const;  // `file_` holds the arrays themselves
  AnyDocument any_document() const;
  void remember(const std::filesystem::path& path);
  void forget_missing(const std::filesystem::path& path);
  void open_restored(Document document, const std::filesystem::path& file);
  void open_restored(LoadedAttention attention, const std::filesystem::path& file);
  void restored(const LostDocument& lost);
  bool save_to(const std::filesystem::path& path);
  void preview_chosen_file();
  void follow_choices_with_name(const SweepChoices& before);  // the figure dialog's file name
  std::string name_to_save() const;                           // that the dialog proposes
  // True when `command` must wait for the answer to the question about unsaved changes.
  bool ask_before(Command command);
  void submit();

  History history_;
  std::optional<Document> edit_base_;  // the document as it was when the drag under way began
  ViewState view_;
  DialogState dialog_;
  GoToState go_to_;
  FigureState figure_state_;
  std::optional<FigureChoices> figure_choices_;  // of the dialog while it is open
  std::filesystem::path figure_file_name_;       // of the figure that was exported last
  std::optional<PreviewJob> previewed_;          // asked for last
  std::optional<double> preview_awaited_since_;
  struct Swept {
    std::uint64_t edition = 0;  // of the document
    std::string text;           // of the sweep
    Sweep sweep;                // empty where the text is wrong
    std::string error;          // why it is wrong
  };
  std::optional<Swept> swept_;                   // as chosen last in the figure dialog
  std::shared_ptr<SweepPreview> sweep_preview_;  // of it; null for a still figure
  double frame_since_ = 0;                       // seconds since start, when the frame shown while it plays came
  std::filesystem::path exported_;               // where the figure goes that is being drawn; empty for the clipboard
  CopyPicture copy_picture_;
  LargestQuery searched_;  // in the background, while go_to_.is_searching
  LargestQuery listed_;    // whose list is stepped through
  std::optional<Source> hovered_;
  std::vector<std::string> labels_;
  float label_width_ = -1;  // of the widest label, measured when they or the font change: there may be many
  std::size_t widest_label_ = 0;
  CommandQueue queue_;
  std::deque<Message> messages_;
  std::filesystem::path file_;
  bool file_is_picture_ = false;  // `file_` is a picture that carries the document: saving asks for another name
  RecentFiles recent_;
  Autosave autosave_;
  std::vector<LostDocument> lost_;
  std::uint64_t edition_ = 1;      // changes with the document
  Document saved_;                 // as last saved, opened or created
  ViewingDocument saved_viewing_;  // the same of attention that is looked at
  bool is_modified_ = false;
  std::optional<Command> deferred_;  // waits for the answer about unsaved changes
  std::optional<ScreenshotRequest> screenshot_;
  std::optional<int> wanted_screenshot_scale_;  // waits for a folder to be chosen
  bool shows_footer_ = false;
  bool quit_requested_ = false;
  std::unique_ptr<ViewedAttention> viewed_;
  std::pair<Layout, Stage> looked_at_before_;  // before attention of a file was
  std::uint64_t viewed_layers_ = 0;            // that were shown so far
  std::optional<Viewing> wanted_viewing_;      // of it, while that is being read
  bool was_shortened_ = false;                 // the file that is viewed, and that was said
  std::filesystem::path arrays_;               // that were opened last
  struct Reading {
    std::filesystem::path path;
    Take take;
    std::shared_ptr<const ReadingProgress> progress;
  };
  std::optional<Reading> reading_;  // under way
  Evaluation evaluation_;
  std::shared_ptr<const Performance> performance_ = std::make_shared<const Performance>();
  std::uint64_t ticket_ = 0;
  bool waits_ = false;  // the document's evaluation, for the one under way
  TileStore tiles_;
  Evaluator evaluator_;  // last, with its neighbours: their threads end before what they wake is gone
  LargestFinder finder_;
  Background<PreviewJob, std::shared_ptr<const FigurePreview>> previewer_;
  Background<ExportJob, ExportOutcome> exporter_;
  Background<ReadingJob, ReadingOutcome> reader_;
};

}  // namespace attnscope
