#pragma once

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/shown_text.h"
#include "drive/script.h"

// Private to this folder.
namespace attnscope {

using Json = nlohmann::json;

// A value of the script, with where it stands: every sentence on what is wrong with it begins with that.
class Value {
public:
  Value(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  const Json& json() const { return json_; }
  const std::string& path() const { return path_; }

  [[noreturn]] void refuse(std::string_view allowed) const {
    const std::string spelled = json_.is_string()
                                    ? in_quotes(json_.get_ref<const std::string&>())
                                    : shown_text(json_.dump(-1, ' ', false, Json::error_handler_t::replace), 60);
    throw ScriptError(path_, fmt::format("{} is {}, but it must be {}.", path_, spelled, allowed));
  }

  std::string text(std::string_view allowed) const {
    if (!json_.is_string()) refuse(allowed);
    return json_.get<std::string>();
  }
  bool flag() const {
    if (!json_.is_boolean()) refuse("true or false");
    return json_.get<bool>();
  }
  float number(double lowest, double highest) const {
    const double value = json_.is_number() ? json_.get<double>() : std::nan("");
    if (!(value >= lowest && value <= highest)) refuse(fmt::format("a number from {} to {}", lowest, highest));
    return static_cast<float>(value);
  }
  Index whole(Index lowest, Index highest) const {
    const bool is_whole = json_.is_number_integer() && json_.get<double>() >= static_cast<double>(lowest) &&
                          json_.get<double>() <= static_cast<double>(highest);
    if (!is_whole) refuse(fmt::format("a whole number from {} to {}", lowest, highest));
    return json_.get<Index>();
  }
  Value element(std::size_t index) const { return {json_[index], fmt::format("{}[{}]", path_, index)}; }
  Value operator[](const std::string& key) const { return {json_[key], path_.empty() ? key : path_ + "." + key}; }
  bool has(const std::string& key) const { return json_.contains(key); }

  // Throws where there is another key than these.
  void check_keys(const std::vector<std::string_view>& known) const;

private:
  const Json& json_;
  std::string path_;
};

// Throws ScriptError, also where a key stands twice in an object.
Json parse_script_json(std::string_view text);

}  // namespace attnscope
