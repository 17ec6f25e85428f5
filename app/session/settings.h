#pragma once

#include <filesystem>
#include <string>

#include "views/view_state.h"

namespace attnscope {

// ViewState between runs, as JSON. A missing file gives the defaults; one that cannot be read gives them too and says
// why in `problem`. What the pointer does at the moment (the pinned cell) is not kept.
ViewState load_settings(const std::filesystem::path& path, std::string& problem);
void save_settings(const ViewState& view, const std::filesystem::path& path);  // throws Error

}  // namespace attnscope
