#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "session/view_state.h"

namespace attnscope {

// ViewState between runs, as JSON. A missing file gives the defaults; one that cannot be read gives them too and says
// why in `problem`. What the pointer does at the moment (the pinned cell) is not kept.
ViewState load_settings(const std::filesystem::path& path, std::string& problem);

// Writes what differs from `before`, as this program loaded or saved it last, and leaves the rest of the file as it is:
// another program that runs at the same time may have changed it. Returns false, and writes nothing, if another program
// keeps the file locked for so long: to be tried again. Throws Error.
bool save_settings(const ViewState& view, const ViewState& before, const std::filesystem::path& path,
                   std::chrono::milliseconds patience = std::chrono::milliseconds(500));

}  // namespace attnscope
