#pragma once

#include <optional>
#include <string_view>

namespace attnscope {

// How well a text has what was typed, in any order and case: the higher the better. Each word is looked for at the
// beginning of a word, then anywhere, then as beginnings of words ("adm" in "attention dropout mask"). Nothing where a
// word is not there at all.
std::optional<int> fuzzy_score(std::string_view text, std::string_view typed);

}  // namespace attnscope
