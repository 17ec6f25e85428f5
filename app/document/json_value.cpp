#include "document/json_value.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "document/json_fields.h"
#include "document/json_syntax.h"

namespace attnscope {

JsonValue JsonValue::needed(const std::string& key) const {
  if (has(key)) return (*this)[key];
  throw Error(path_, path_.empty() ? fmt::format("\"{}\" is left out, but it is needed.", key)
                                   : fmt::format("{} lacks \"{}\".", path_, key));
}

void JsonValue::check_keys(const std::vector<std::string_view>& known, std::string_view whole) const {
  for (const auto& item : json_.items()) {
    if (std::ranges::find(known, item.key()) != known.end()) continue;
    const std::string near = suggestion(item.key(), known);
    const std::string hint = near.empty() ? fmt::format(": its keys are {}.", fmt::join(known, ", ")) : near;
    const std::string where = path_.empty() ? std::string(whole) : path_;
    throw Error(path_, fmt::format("{} has the unknown key {}{}", where, in_quotes(item.key()), hint));
  }
}

Json parse_whole_json(std::string_view text, std::string_view whole) {
  check_json_text(text);
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      throw Error(fmt::format("The key {} occurs twice in one object.", in_quotes(value.get<std::string>())));
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::parse_error& error) {
    const std::size_t place = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
    throw Error(fmt::format("{} is not JSON: the mistake is at {}.", whole, line_and_column(text, place)));
  } catch (const Json::out_of_range&) {
    throw Error(fmt::format("{} has a number beyond 1.8e308, which is larger than any that can be read.", whole));
  }
}

}  // namespace attnscope
