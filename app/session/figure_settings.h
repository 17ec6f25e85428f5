#pragma once

#include <nlohmann/json.hpp>

#include "state/figure_choices.h"

namespace attnscope {

// What is remembered of the choices about figures: how they look and how they are swept; not which stage of which head,
// and no title, for these belong to a document.
nlohmann::ordered_json figure_settings(const FigureChoices& choices);

// What is not there or of a wrong type is as it is by default, and so is all of a figure that could not be drawn.
FigureChoices figure_choices(const nlohmann::json& settings);

}  // namespace attnscope
