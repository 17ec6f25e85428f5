#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluate.h"
#include "document/file_formats.h"
#include "document/sweep.h"
#include "view/figure_options.h"

namespace attnscope {

// A row of values as it is typed; `first` may be single values with commas between them, and then `last` is empty.
struct SweepRange {
  std::string first;
  std::string last;
  std::string step;  // empty: a usual one
  bool operator==(const SweepRange&) const = default;
};

// The parameter that an animation goes through, and how its frames are shown.
struct SweepChoices {
  bool is_on = false;  // false: the figure is still
  std::string parameter = "seed";
  Index token = 0;  // the token whose embedding is swept
  Index feature = 0;
  std::map<std::string, SweepRange> ranges;  // the range of each parameter, also of those that are not swept now
  bool is_series = false;                    // numbered pictures instead of an animation
  double frames_per_second = 4;
  bool plays_once = false;  // false: the animation repeats
  std::size_t frame = 0;    // the frame that the preview shows
  bool is_playing = false;  // the preview plays the frames

  SweepRange& range() { return ranges[parameter]; }
  bool operator==(const SweepChoices&) const = default;
};

inline PictureUse use_of(const SweepChoices& sweep) {
  if (!sweep.is_on) return PictureUse::still;
  return sweep.is_series ? PictureUse::series : PictureUse::animation;
}

// The choices in the dialog that exports a figure.
struct FigureChoices {
  FigureOptions options;
  FixedRange fixed_range;       // The range that was typed last is kept while another one is chosen.
  ColourEnds colour_ends;       // the two colours that were chosen last
  bool has_footer = false;      // the line that says how the picture can be made again
  bool shows_pinned = false;    // the pinned cell is marked
  bool has_arithmetic = false;  // the pinned cell's arithmetic stands below the figure
  SweepChoices sweep;
  bool name_follows_stage = true;  // the proposed name changes with the stage until one is typed
  bool is_browsing = false;        // a listing of the folder replaces the preview
  float preview_width = 0;         // room for the preview, in pixels of the screen
  float preview_height = 0;
  float pixels_per_unit = 1;  // scale of the screen
  bool operator==(const FigureChoices&) const = default;
};

inline PictureUse use_of(const FigureChoices& choices) {
  if (!choices.options.film) return use_of(choices.sweep);
  return choices.sweep.is_series ? PictureUse::series : PictureUse::film;
}

// The progress of a drawing, written by the thread that draws.
struct DrawingProgress {
  bool is_of_frames = false;              // counts the frames of a sweep; false: the matrices of a figure
  std::atomic<std::size_t> count = 0;     // 0: not known yet
  std::atomic<std::size_t> computed = 0;  // frames whose numbers were looked at, before any is drawn
  std::atomic<std::size_t> drawn = 0;
  std::atomic<float> encoded = 0;  // the encoded part of the picture, from 0 to 1
};

// The previewed figure, as large as its room allows.
struct FigurePreview {
  FigureTheme theme = FigureTheme::light;
  FigureImage image;  // empty where it could not be drawn
  double width = 0;   // of the figure, in pixels of 1/96 inch
  double height = 0;
  float pixels_per_unit = 1;             // scale of the screen that the image is for
  std::string error;                     // why there is no image
  std::vector<std::string> scenes = {};  // names of the scenes of a film; none for any other figure
};

// The progress of figures that are drawn in the background.
struct FigureState {
  struct Export {
    std::string name;  // name of the file, or "the clipboard"
    double since = 0;  // seconds since start, when its drawing began
    std::shared_ptr<const DrawingProgress> progress = {};
  };

  std::shared_ptr<const FigurePreview> preview;             // shows the current choices, or the ones before
  bool is_late = false;                                     // the preview of the choices takes a while
  std::shared_ptr<const DrawingProgress> preview_progress;  // progress of a sweep; null for a still figure
  std::size_t frame_count = 0;                              // 0 for a still figure or a bad sweep
  std::string frame_name;                                   // the chosen frame: "seed 7", or the scene of a film
  std::optional<Export> under_way;
  std::string said;             // the outcome of the last export
  std::string obstacle;         // why no figure can be drawn now; empty if one can
  bool replaces_files = false;  // the export would replace existing files
  std::string video_problem;    // why a sweep cannot be a video; empty where it can
};

// The subject of a figure decides whether a choice applies, and which values it has.
struct ChoiceSubject {
  const AttentionConfig& config;
  const Result* result = nullptr;  // null: the figure can show every stage of the configuration
  bool has_pinned_cell = false;
};

struct ChoiceValue {
  std::string word;   // what is typed and kept: "dark"
  std::string title;  // how the dialog names it
  std::string item;   // the end of its widget's name; empty: the word
};

// A switch of the command line that stands for a word of a choice.
struct ChoiceFlag {
  std::string_view name;  // "--no-arrows"
  const char* word = "on";
  const char* help = "";
};

// The words of a choice.
struct ChoiceWay {
  // Chooses what a word means. Returns nothing, or the rest of the sentence that refuses the word: "it must be 1 to 6".
  std::function<std::string(FigureChoices& choices, const std::string& word, const ChoiceSubject& subject)> choose;
  // Returns the word of the value that is chosen, where somebody reads it.
  std::function<std::string(const FigureChoices& choices)> word = {};
  // Returns all values in the order of the dialog; none for text and numbers.
  std::function<std::vector<ChoiceValue>(const ChoiceSubject& subject)> values = {};
  bool has_fixed_values = false;  // the same for every document
};

// One thing that can be chosen about a figure. The dialog, the settings and the command line read this row.
struct FigureChoice {
  std::string_view key;        // names it in settings and, with dashes, on the command line: "font_size"
  std::string label = {};      // label of its row in the dialog: "font size"; empty in the table: the key
  std::string_view help = {};  // help of its option on the command line; empty: it has none
  std::string tip = {};        // its tooltip in the dialog
  bool is_of_film = false;     // applies to the film of a number, which has titles and colours of its own
  bool is_kept = false;        // kept in the settings, because it does not belong to a document
  ChoiceWay way;
  // Returns why the choice changes nothing of this figure; empty if it does. The command line refuses it, and the
  // dialog disables it.
  std::function<std::string(const FigureChoices& choices, const ChoiceSubject& subject)> idle = {};
  // Returns why the dialog does not offer it, though the command line takes it; empty if it does.
  std::function<std::string(const FigureChoices& choices, const ChoiceSubject& subject)> obstacle = {};
  std::span<const ChoiceFlag> flags = {};  // switches of the command line that replace its option
};

// The choices in the order in which they are made: which cells there are depends on the stage that was chosen before.
std::span<const FigureChoice> figure_choice_table();
const FigureChoice& figure_choice(std::string_view key);

std::string idleness_of(const FigureChoice& choice, const FigureChoices& choices, const ChoiceSubject& subject);
std::string obstacle_to(const FigureChoice& choice, const FigureChoices& choices, const ChoiceSubject& subject);

constexpr std::size_t most_figure_text = 2000;  // bytes of a title or a caption: more than any page has room for

}  // namespace attnscope
