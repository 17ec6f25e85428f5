#pragma once

#include <nlohmann/json.hpp>

namespace attnscope {

// Takes a value when it is there and of the right type, else leaves what is.
template <typename Value>
void take(const nlohmann::json& json, const char* key, Value& value) {
  const auto at = json.find(key);
  if (at == json.end()) return;
  try {
    value = at->get<Value>();
  } catch (const nlohmann::json::exception&) {
  }
}

template <typename Enum>
void take_enum(const nlohmann::json& json, const char* key, Enum& value, int count) {
  int number = static_cast<int>(value);
  take(json, key, number);
  if (number >= 0 && number < count) value = static_cast<Enum>(number);
}

}  // namespace attnscope
