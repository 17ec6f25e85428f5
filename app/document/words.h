#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/spelled_number.h"

namespace attnscope {

// How many characters there are in UTF-8 text.
std::ptrdiff_t character_count(std::string_view text);

// Without the blanks at its ends.
std::string_view trimmed(std::string_view text);

// ASCII letters in lower case, everything else unchanged.
std::string lower_case(std::string_view text);
std::string lower_ending(const std::filesystem::path& path);  // ".png" of "a.PNG"; empty where there is none

}  // namespace attnscope
