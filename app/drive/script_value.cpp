#include "drive/script_value.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "document/json_fields.h"

namespace attnscope {

void Value::check_keys(const std::vector<std::string_view>& known) const {
  for (const auto& item : json_.items()) {
    if (std::ranges::find(known, item.key()) != known.end()) continue;
    const std::string near = suggestion(item.key(), known);
    const std::string hint = near.empty() ? fmt::format(": its keys are {}.", fmt::join(known, ", ")) : near;
    const std::string where = path_.empty() ? "The script" : path_;
    throw ScriptError(path_, fmt::format("{} has the unknown key {}{}", where, in_quotes(item.key()), hint));
  }
}

}  // namespace attnscope
