#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/pixels.h"
#include "core/execution.h"
#include "core/source.h"
#include "session/figure_state.h"
#include "view/colours.h"
#include "view/figure_options.h"
#include "view/picture.h"
#include "view/view_address.h"

namespace attnscope {

struct Document;

// The part of the matrices that the heatmaps show. All move in step. The query-by-key matrices show the same window. A
// matrix with a row per token shows the rows of the queries (keys and values: of the keys) in that window, and all such
// matrices show the same part of their columns.
struct MapState {
  std::optional<CellWindow> window;  // the window over every query-by-key matrix; none: all of it
  double first_feature = 0;          // where the shown columns begin in matrices with a row per token
  double feature_share = 1;          // the share of these columns that is shown
  bool operator==(const MapState&) const = default;
};

// The matrix behind a heatmap.
struct MapPlace {
  Stage stage = Stage::weights;
  Index rows = 0;
  Index cols = 0;
};

CellWindow window_of(const MapState& map, const MapPlace& place);
// Shows `window` of a matrix, and the matching part of the others.
void set_window(MapState& map, const MapPlace& place, const CellWindow& window);

// The numbers that were looked at one after the other, as a browser keeps its pages: Back and Forward go through them.
// Stepping from a cell to the next one within a matrix is one place, the last of these cells.
struct NavigationHistory {
  std::optional<Source> here;   // the number pinned last
  std::vector<Source> back;     // the newest last
  std::vector<Source> forward;  // likewise
  bool operator==(const NavigationHistory&) const = default;
};

// A way to look at a document; view_modes() says what panels show of each.
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
  Source cell = {};  // where the drag began; when cells are painted, the last one
  float number = 0;  // the number before the drag; when cells are painted, what they become

  bool operator==(const CellDrag&) const = default;
};

// The text that finds a command, and which of the found ones is chosen.
struct Palette {
  std::string typed;
  int chosen = 0;

  bool operator==(const Palette&) const = default;
};

// A presentation: the picture fills the screen, and its stages appear one after the other.
struct Presenting {
  Index step = 0;          // the stage that was reached; later ones are hidden
  bool has_moved = false;  // the user went to another step; until then a line names the keys for it
  bool is_blank = false;
  bool began_in_editor = false;  // in the editor of lessons, where it ends, too
  bool hides_lesson = false;     // the text of the lesson does not stand beside the picture
  std::optional<ViewMode> spot;  // the mode that is dark except around the pointer; another one ends it

  bool operator==(const Presenting&) const = default;
};

// The document and the view that a ready pair replaced; × Back restores them.
struct BeforePair {
  std::shared_ptr<const Document> document;
  std::shared_ptr<const Document> a;  // the pair's; a document with another A, or with none, is not that pair
  ViewMode mode = ViewMode::diagram;
  Index head = 0;
  std::optional<Source> pinned;
  ComparedSide side = ComparedSide::now;

  bool operator==(const BeforePair&) const = default;
};

// The places where pointer and keys are at work.
struct TransientState {
  std::optional<Panel> keyboard;          // the panel that has the keys since Tab; none: the pointer was used since
  bool is_entering = false;               // the keys are about to come to this panel
  bool opens_menu = false;                // the keys are about to come to the menu
  std::optional<Source> edited;           // the number being typed: an input in the table, another one in its cell
  std::optional<CellDrag> drag;           // what the pointer changes as it is dragged
  bool opens_cell_menu = false;           // opens the menu of the pinned cell
  std::optional<Source> pinned_before;    // what was pinned before the last click: a double click is not meant to pin
  NavigationHistory history;              // what was pinned, for Back and Forward
  std::optional<LayerPicture> picture;    // the picture that the keys reached; none: the head that other modes show
  bool leads_to_model = false;            // Esc leads back to Model, where the shown head was opened
  std::set<std::string> opened;           // lines of the inspector with their numbers explained below
  std::optional<Source> term;             // the term of an explanation under the pointer
  std::optional<std::string> question;    // id of the answered question; empty: their list; none: closed
  bool has_answer_beside = false;         // beside the diagram, which shows what its button changed
  std::string question_search;            // the text typed to find a question
  std::optional<Palette> palette;         // nothing while it is closed
  bool keys_lead = false;                 // keys moved the pinned cell last, so it is explained
  bool opens_setup = false;               // opens the setup over the stages if it is a rail
  std::string pointed;                    // name of the control that is framed until the next click
  bool opens_tokens = false;              // opens the table of tokens in a window of its own
  std::optional<Presenting> presenting;   // nothing outside of a presentation
  std::optional<BeforePair> before_pair;  // of the pair that was opened last

  bool operator==(const TransientState&) const = default;
};

// The place in a trained model's text that is looked at.
struct ModelLook {
  std::optional<Index> position;  // the position whose next word is shown; none: the last one
  std::optional<Index> token;     // whose probability is followed; none: the one that comes next, or the likeliest
  float temperature = 1;          // flattens the distribution that words are drawn from

  bool operator==(const ModelLook&) const = default;
};

// How the document is looked at: saved between runs, not part of the document, not undoable.
struct ViewState {
  ViewMode mode = ViewMode::diagram;
  Stage stage = Stage::weights;  // shown in Heads and Focus
  ModelLook model;
  TeachingViewChoice study;  // the teaching view that is shown, or was last
  Index head = 0;            // shown in Diagram and Focus
  Index batch = 0;
  std::optional<Source> pinned;           // cell that the inspector stays on
  ComparedSide side = ComparedSide::now;  // the shown side of a comparison
  bool shows_changes = false;             // compares the document with itself before the last edit
  StageSet not_presented;                 // stages that a presentation skips
  TransientState transient;               // belongs to this moment: neither saved nor chosen
  MapState map;                           // which part of the matrices is shown
  float diagram_zoom = 1;  // 1: the diagram fits the window, if its numbers can be read; less: without them
  bool show_reach = true;  // frames around what the pinned number follows from, and what follows from it
  RangeMode range = RangeMode::automatic;  // what the ends of the colour bars stand for
  int decimals = 2;                        // of the numbers in cells: 2, or 4 to match a notebook
  bool numbers = true;                     // Cells show their numbers where these fit.
  bool reduces_motion = false;             // stages change places at once
  ThemeId theme = ThemeId::light;
  float interface_scale = 1.0f;      // 0.75 to 3
  std::optional<bool> show_options;  // more options of the setup; none: where the window is tall
  float setup_width = 0;             // units; 0: the setup is as wide as suits the window
  float inspector_width = 0;         // units; 0: the inspector is as wide as suits the window
  std::optional<bool> show_setup;    // The setup is a column, or a rail; none: a column where the window is wide.
  bool show_inspector = true;
  bool docks_inspector = false;  // The inspector is a column at the right, or a card in the picture.
  bool shows_start = false;      // the line that says where to begin; true when the program starts for the first time
  bool shows_drag_hint = false;  // says which number of the opening document to drag first; likewise true at the start
  bool show_timing = false;
  bool handout_has_answers = true;
  Backend backend = has_openmp ? Backend::openmp : Backend::serial;
  int threads = 0;                      // 0: as many as the machine has
  int screenshot_scale = 2;             // pixels per unit of F12
  bool screenshot_footer = false;       // below screenshots: what they show, in a line
  std::string screenshot_folder;        // empty: not chosen yet
  std::string document_folder;          // where the file dialogs open
  std::string figure_folder;            // where figures were exported to last
  std::optional<FigureChoices> figure;  // choices of the last figure
  int window_width = 1280;
  int window_height = 800;

  bool operator==(const ViewState&) const = default;
};

// Call after a cell was pinned or unpinned; `before` is the cell pinned until then. The newly pinned cell's head
// becomes the shown one.
void note_pinned(ViewState& view, const std::optional<Source>& before);

bool can_go_back(const ViewState& view);
bool can_go_forward(const ViewState& view);
void go_back(ViewState& view);
void go_forward(ViewState& view);

// Pins a number and, where one stage is shown, shows its stage.
void look_at(ViewState& view, const Source& source);

// Shows a stage in Heads and Focus. What is pinned in one matrix of queries by keys is pinned in the next one, too.
void show_stage(ViewState& view, Stage stage);

// Returns how a picture looks at its document, as address_text() writes it.
std::string view_text(const ViewState& view);
std::string view_text(const FigureOptions& options);  // the view that shows what the figure does

// Changes the view as the address says; what it does not name stays.
void look_at(ViewState& view, const ViewAddress& address);
// Looks at a document as a picture did, as far as it says so and the document has what it names.
void look_as(ViewState& view, const AttentionConfig& config, std::string_view text);

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

struct UiState;

// One way to look at a document. Buttons, menu, keys, help and settings go through the table: Ctrl+1 is its first row.
struct ViewModeInfo {
  ViewMode mode;
  const char* title;                                      // title of its button: "Heads"
  const char* help;                                       // "one stage of all heads"
  const char* (*obstacle)(const UiState& now) = nullptr;  // why there is nothing to show; empty if there is something

  bool keeps_button = false;  // its button stays, disabled, while there is nothing to show; others leave the tool bar

  std::string_view obstacle_in(const UiState& now) const { return obstacle ? obstacle(now) : ""; }
  int number() const;        // the digit of its key: 1 for the first row
  std::string keys() const;  // "Ctrl+1"
};

std::span<const ViewModeInfo> view_modes();
const ViewModeInfo& info(ViewMode mode);
const ViewModeInfo* view_mode_named(std::string_view id);  // null where there is none

}  // namespace attnscope
