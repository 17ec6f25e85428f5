#pragma once

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/shown_text.h"
#include "core/tensor.h"

// JSON that is small and read as a whole: scripts and lessons.
namespace attnscope {

using Json = nlohmann::json;

// A value, with where it stands: every sentence on what is wrong with it begins with that. Throws Error.
class JsonValue {
public:
  JsonValue(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  const Json& json() const { return json_; }
  const std::string& path() const { return path_; }

  [[noreturn]] void refuse(std::string_view allowed) const {
    const std::string spelled = json_.is_string()
                                    ? in_quotes(json_.get_ref<const std::string&>())
                                    : shown_text(json_.dump(-1, ' ', false, Json::error_handler_t::replace), 60);
    throw Error(path_, fmt::format("{} is {}, but it must be {}.", path_, spelled, allowed));
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
  JsonValue element(std::size_t index) const { return {json_[index], fmt::format("{}[{}]", path_, index)}; }
  JsonValue operator[](const std::string& key) const { return {json_[key], path_.empty() ? key : path_ + "." + key}; }
  bool has(const std::string& key) const { return json_.contains(key); }
  JsonValue needed(const std::string& key) const;  // throws where it is not there

  // Throws where there is another key than these. `whole` is what the outermost object is called: "The script".
  void check_keys(const std::vector<std::string_view>& known, std::string_view whole) const;

private:
  const Json& json_;
  std::string path_;
};

// Throws Error, also where a key stands twice in an object. `whole` as above.
Json parse_whole_json(std::string_view text, std::string_view whole);

}  // namespace attnscope
