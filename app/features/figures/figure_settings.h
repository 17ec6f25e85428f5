#pragma once

#include "document/json_value.h"
#include "session/figure_choices.h"

namespace attnscope {

// Returns the choices about figures that are remembered: how they look and how they are swept; not which stage of which
// head, and no title, for these belong to a document.
nlohmann::ordered_json figure_settings(const FigureChoices& choices);

// A value that is missing, or that cannot be chosen, takes its default.
FigureChoices figure_choices(const JsonValue& settings);

}  // namespace attnscope
