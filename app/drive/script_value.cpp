#include "drive/script_value.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/shown_text.h"
#include "document/json_fields.h"
#include "document/json_syntax.h"

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

Json parse_script_json(std::string_view text) {
  check_json_text(text);
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      throw ScriptError(fmt::format("The key {} stands twice in one object.", in_quotes(value.get<std::string>())));
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::parse_error& error) {
    const std::size_t place = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
    throw ScriptError(fmt::format("The script is not JSON: {} is wrong.", line_and_column(text, place)));
  }
}

}  // namespace attnscope
