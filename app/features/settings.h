#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "document/json_value.h"
#include "session/figure_state.h"
#include "session/ui_state.h"
#include "session/view_state.h"

namespace attnscope {

// Reads the ViewState that is kept between runs, as JSON. A missing file gives the defaults; one that cannot be read
// gives them, too, and says why in `problem`. The pinned cell is not kept.
ViewState load_settings(const std::filesystem::path& path, std::string& problem);

// Returns what is to be saved of the view, given what was saved last: not what belongs to a document, and not how a
// file of attention or a lesson wants to be seen.
ViewState view_to_save(const UiState& now, const ViewState& saved);

// Writes what differs from `before`, as this program loaded or saved it last, and leaves the rest of the file as it is:
// another program that runs at the same time may have changed it. Returns false, and writes nothing, if another program
// keeps the file locked for so long: to be tried again. Throws Error.
bool save_settings(const ViewState& view, const ViewState& before, const std::filesystem::path& path,
                   std::chrono::milliseconds patience = std::chrono::milliseconds(500));

// Returns the choices about figures that are remembered: how they look and how they are swept; not which stage of which
// head, and no title, for these belong to a document.
Json figure_settings(const FigureChoices& choices);

// Reads these choices. A value that is missing, or that cannot be chosen, takes its default.
FigureChoices figure_choices(const JsonValue& settings);

}  // namespace attnscope
