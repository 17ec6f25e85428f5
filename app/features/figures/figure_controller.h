#pragma once

#include <optional>
#include <string>

#include "compute/background.h"
#include "features/figures/figure_file.h"
#include "features/shared/app_services.h"

namespace attnscope {

// The choices about a figure while its dialog is open, its preview, and its export. Preview and export are drawn in the
// background.
class FigureController {
public:
  FigureController(const AppServices& services, FigureState& shown, const std::function<void()>& wake)
      : to_(services), shown_(shown), previewer_(draw_preview, wake), exporter_(export_figure, wake) {}

  // Fills the dialog that was just opened from the view.
  void prepare();
  // Proposes a name that says what is chosen in the dialog.
  void propose_name();
  // Draws the figure that the dialog describes into a file, or for the clipboard.
  void export_to(const std::filesystem::path& path);
  void copy();
  // Stops the figure that is being drawn.
  void stop();

  void follow();  // previews what is chosen now
  bool poll();    // whether something was drawn
  void wait();
  double seconds_to_next_change(double now) const;  // negative for never

private:
  struct Swept {
    std::uint64_t edition = 0;  // of the document
    std::string text;           // of the sweep
    StageSet left_out;
    Sweep sweep;        // empty where the text is wrong
    std::string error;  // why it is wrong
  };

  void choose_figure_of_view(FigureChoices& choices) const;
  std::shared_ptr<const Result> drawn() const;
  std::optional<Source> film_of_view() const;
  FigureOptions options() const;  // returns the chosen options, with the footer
  std::string obstacle() const;   // why no figure can be drawn now; empty when one can
  void end_preview();
  void follow_film();
  void follow_sweep();
  void read_sweep(const SweepChoices& chosen);
  void end_sweep();
  void play_sweep();
  std::string name_problem(const std::filesystem::path& path) const;
  void start_export(const std::filesystem::path& path, std::string name);
  void finish_export(const ExportOutcome& outcome);
  void show_preview(const std::shared_ptr<const FigurePreview>& preview);

  AppServices to_;
  FigureState& shown_;
  std::optional<FigureChoices> choices_;  // the choices of the dialog while it is open
  bool named_series_ = false;             // the name in the dialog is for a series
  bool named_film_ = false;               // the name in the dialog is for a film
  std::filesystem::path file_name_;       // file of the figure that was exported last
  std::optional<PreviewJob> previewed_;   // asked for last
  std::optional<double> preview_awaited_since_;
  std::optional<Swept> swept_;                   // the sweep that was chosen last
  std::shared_ptr<SweepPreview> sweep_preview_;  // previews that sweep; null for a still figure
  double frame_since_ = 0;                       // seconds since start, when the frame shown while it plays came
  std::filesystem::path exported_;               // file of the figure that is being drawn; empty for the clipboard
  Background<PreviewJob, std::shared_ptr<const FigurePreview>> previewer_;
  Background<ExportJob, ExportOutcome> exporter_;
};

}  // namespace attnscope
