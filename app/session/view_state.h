#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compute/pixels.h"
#include "core/execution.h"
#include "core/source.h"
#include "session/figure_choices.h"
#include "view/colours.h"
#include "view/matrix.h"
#include "view/view_address.h"

namespace attnscope {

// The part of the matrices that the heatmaps show. All move in step. The query-by-key matrices show the same window. A
// matrix with a row per token shows the rows of the queries (keys and values: of the keys) in that window, and all such
// matrices show the same part of their columns.
struct MapState {
  struct Own {
    Stage stage = Stage::weights;
    Index head = 0;
    CellWindow window;
    bool operator==(const Own&) const = default;
  };

  std::optional<CellWindow> window;  // of every query-by-key matrix; none: all of it
  double first_feature = 0;          // of matrices with a row per token: where the part of their columns begins
  double feature_share = 1;          // and how much of them it is, both as shares of all columns
  std::vector<Own> own;              // of heatmaps that were moved alone
  bool operator==(const MapState&) const = default;
};

// The matrix behind a heatmap.
struct MapPlace {
  Stage stage = Stage::weights;
  Index head = 0;
  Index rows = 0;
  Index cols = 0;
};

CellWindow window_of(const MapState& map, bool is_alone, const MapPlace& place);
// Shows `window` of a matrix, and of the others what goes with it.
void set_window(MapState& map, bool is_alone, const MapPlace& place, const CellWindow& window);

// The numbers that were looked at one after the other, as a browser keeps its pages: Back and Forward go through them.
// Stepping from a cell to the next one within a matrix is one place, the last of these cells.
struct NavigationHistory {
  std::optional<Source> here;   // that was pinned last
  std::vector<Source> back;     // the newest last
  std::vector<Source> forward;  // likewise
  bool operator==(const NavigationHistory&) const = default;
};

// A way to look at a document; state/layouts.cpp has what panels say of each.
struct ViewMode {
  static const ViewMode diagram;
  static const ViewMode heads;
  static const ViewMode focus;
  static const ViewMode model;
  static const ViewMode layers;
  static const ViewMode study;

  std::string_view id;
  bool shows_one_stage = false;
  bool shows_one_head = false;

  bool operator==(const ViewMode&) const = default;
};
inline constexpr ViewMode ViewMode::diagram{"diagram", false, true};
inline constexpr ViewMode ViewMode::heads{"heads", true, false};
inline constexpr ViewMode ViewMode::focus{"focus", true, true};
inline constexpr ViewMode ViewMode::model{"model", false, false};
inline constexpr ViewMode ViewMode::layers{"layers", false, false};
inline constexpr ViewMode ViewMode::study{"study", false, true};

// The panels, in the order of Tab.
enum class Panel { stages, inspector, setup, tools };

// A head of a layer, as Layers shows them.
struct LayerPicture {
  Index layer = 0;
  Index head = 0;

  bool operator==(const LayerPicture&) const = default;
};

// A number that follows the pointer, or cells that the pointer paints.
struct CellDrag {
  Source cell = {};  // where it began; of cells that are painted, the last one
  float number = 0;  // that stood there; of cells that are painted, what they become

  bool operator==(const CellDrag&) const = default;
};

// The text that finds a command, and which of the found ones is chosen.
struct Palette {
  std::string typed;
  int chosen = 0;

  bool operator==(const Palette&) const = default;
};

// The document before an audience: the screen is the picture's alone, and its stages appear one after the other.
struct Presenting {
  Index step = 0;                // of the stages in turn: what comes after it is not there yet
  bool has_moved = false;        // to another step; until then the line says which keys do
  bool is_blank = false;         // nothing is seen
  std::optional<ViewMode> spot;  // where all is darker but what is around the pointer; another layout ends it

  bool operator==(const Presenting&) const = default;
};

// The places where pointer and keys are at work.
struct TransientState {
  std::optional<Panel> keyboard;         // that has the keys, since Tab was pressed last; none: since the pointer was
  bool is_entering = false;              // they are to come to it
  bool opens_menu = false;               // likewise to the menu
  std::optional<Source> edited;          // a number that is typed: an input in the table, another one in its cell
  std::optional<CellDrag> drag;          // what the pointer changes as it is dragged
  bool opens_cell_menu = false;          // that of the pinned cell
  std::optional<Source> pinned_before;   // what was pinned before the last click: a double click is not meant to pin
  NavigationHistory history;             // what was pinned, for Back and Forward
  std::optional<LayerPicture> picture;   // that the keys are at; none: the one that is shown elsewhere
  bool leads_to_model = false;           // Esc does: a head was opened from there
  std::set<std::string> opened;          // lines of the inspector below which their numbers are explained, too
  std::optional<Source> term;            // of an explanation, that the pointer rests on
  std::optional<std::string> question;   // that is answered, by its id; empty: the list of them; none: it is closed
  std::string question_search;           // what was typed to find one
  std::optional<Palette> palette;        // of all commands by name; none: closed
  bool keys_lead = false;                // they moved the pinned cell since the pointer was moved: it is explained
  bool opens_setup = false;              // over the stages, where it is a rail otherwise
  std::string pointed;                   // a control of the setup that is framed until the next click, by its name
  bool opens_tokens = false;             // their table, in a window of its own
  std::optional<Presenting> presenting;  // none: the window with everything in it

  bool operator==(const TransientState&) const = default;
};

// The place in a trained model's text that is looked at.
struct ModelLook {
  std::optional<Index> position;  // whose next word is asked for; none: the last one
  std::optional<Index> token;     // whose probability is followed; none: the one that comes next, or the likeliest
  float temperature = 1;          // of words that are drawn

  bool operator==(const ModelLook&) const = default;
};

// How the document is looked at: saved between runs, not part of the document, not undoable.
struct ViewState {
  ViewMode mode = ViewMode::diagram;
  Stage stage = Stage::weights;           // shown in Heads and Focus
  ModelLook model;                        // of the layout Model
  TeachingViewChoice study;               // the teaching view that is shown, or was last
  Index head = 0;                         // shown in Diagram and Focus
  Index batch = 0;                        // batch entry shown
  std::optional<Source> pinned;           // cell that the inspector stays on
  ComparedSide side = ComparedSide::now;  // where the document is compared with another one
  bool shows_changes = false;             // it is compared with what it was before the last edit
  StageSet not_presented;                 // left out before an audience
  TransientState transient;               // of this moment: neither saved nor chosen
  MapState map;                           // which part of the matrices is shown
  float diagram_zoom = 1;    // 1: the diagram fits the window, if its numbers can be read; less: without them
  bool show_reach = true;    // frames around what the pinned number follows from, and what follows from it
  bool zoom_alone = false;   // only the heatmap under the pointer zooms and pans
  bool show_minimap = true;  // in a corner of large heatmaps that are zoomed
  Pooling pooling = Pooling::largest_magnitude;
  RangeMode range = RangeMode::automatic;  // what the ends of the colour bars stand for
  int decimals = 2;                        // in cells: 2, or 4 to match a notebook
  bool numbers = true;                     // in cells where they fit
  bool reduces_motion = false;             // stages change places at once
  ThemeId theme = ThemeId::light;          //
  float interface_scale = 1.0f;            // 0.75 to 3
  std::optional<bool> show_options;        // more options of the setup; none: where the window is tall
  float setup_width = 0;                   // in units; 0: as wide as suits the window
  float inspector_width = 0;               // likewise
  std::optional<bool> show_setup;          // as a column, else as a rail; none: a column where the window is wide
  bool show_inspector = true;
  bool docks_inspector = false;  // a column at the right; else a card in the picture
  bool shows_start = false;      // the line that says where to begin; true when the program starts for the first time
  bool show_timing = false;
  Backend backend = has_openmp ? Backend::openmp : Backend::serial;
  int threads = 0;                      // 0: as many as the machine has
  int screenshot_scale = 2;             // pixels per unit of F12
  bool screenshot_footer = false;       // below screenshots: what they show, in a line
  std::string screenshot_folder;        // empty: not chosen yet
  std::string document_folder;          // where the file dialogs open
  std::string figure_folder;            // where figures were exported to last
  std::optional<FigureChoices> figure;  // of the figure that was looked at last
  int window_width = 1280;
  int window_height = 800;

  bool operator==(const ViewState&) const = default;
};

// To be called when something was pinned or unpinned; `before` is what was pinned until then. The head of what was
// pinned becomes the one that is shown.
void note_pinned(ViewState& view, const std::optional<Source>& before);

bool can_go_back(const ViewState& view);
bool can_go_forward(const ViewState& view);
void go_back(ViewState& view);
void go_forward(ViewState& view);

// Pins a number and, where one stage is shown, shows its stage.
void look_at(ViewState& view, const Source& source);

// Shows a stage in Heads and Focus. What is pinned in one matrix of queries by keys is pinned in the next one, too.
void show_stage(ViewState& view, Stage stage);

constexpr float least_column_window = 1400;  // units: where the window is narrower, the setup is a rail

// Whether the setup stands beside the stages as a column; otherwise it is a rail, which opens over them.
inline bool has_setup_column(const ViewState& view, float window_units) {
  return view.show_setup.value_or(window_units >= least_column_window);
}

constexpr float min_panel_width = 200;
constexpr float max_panel_width = 900;
constexpr float min_diagram_zoom = 1;
constexpr float max_diagram_zoom = 8;
constexpr float min_interface_scale = 0.75f;
constexpr float max_interface_scale = 3.0f;

}  // namespace attnscope
