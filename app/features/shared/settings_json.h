#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/stage.h"
#include "look/colour_range.h"
#include "look/diagram.h"

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

// The names of the values of a setting in its file. Earlier files have a value's place in the list instead.
template <typename Value, std::size_t count>
using Names = std::array<std::pair<Value, std::string_view>, count>;

template <typename Value, std::size_t count>
std::string_view name_of(const Names<Value, count>& names, const Value& value) {
  for (const auto& [named, name] : names) {
    if (named == value) return name;
  }
  return "";
}

template <typename Value, std::size_t count, typename Target>
void take_named(const nlohmann::json& json, const char* key, const Names<Value, count>& names, Target& target) {
  std::string chosen;
  std::size_t place = count;
  take(json, key, chosen);
  take(json, key, place);
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i].second == chosen || i == place) target = names[i].first;
  }
}

// A function names each field once, with its key, and calls this to read and to write it.
struct SettingReader {
  const nlohmann::json& json;

  // By their ids; those that name no stage of the diagram are left out.
  void operator()(const char* key, StageSet& stages) const {
    if (!json.contains(key)) return;
    std::vector<std::string> ids;
    take(json, key, ids);
    stages = {};
    for (const std::string& id : ids) {
      const std::optional<Stage> stage = stage_named(id);
      if (stage && has_place(*stage)) stages.add(*stage);
    }
  }

  template <typename Value>
  void operator()(const char* key, Value& value) const {
    take(json, key, value);
  }
  template <typename Value, typename Choices>
  void operator()(const char* key, Value& value, const Choices& names) const {
    take_named(json, key, names, value);
  }
};
struct SettingWriter {
  nlohmann::ordered_json& json;

  void operator()(const char* key, const StageSet& chosen) const {
    json[key] = nlohmann::ordered_json::array();
    for (const StageInfo& row : stages()) {
      if (chosen.contains(row.stage)) json[key].push_back(row.id);
    }
  }

  template <typename Value>
  void operator()(const char* key, const Value& value) const {
    json[key] = value;
  }
  template <typename Value, typename Choices>
  void operator()(const char* key, const Value& value, const Choices& names) const {
    json[key] = name_of(names, value);
  }
};

// Earlier files have "standard", which nobody had chosen, where automatic is now; in the same place of the list.
constexpr auto range_names = [] {
  Names<RangeMode, range_modes.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = {range_modes[i].mode, range_modes[i].id};
  return names;
}();

// A stage is called by its id.
inline void take_stage(const nlohmann::json& json, const char* key, Stage& stage) {
  static constexpr std::array earlier = {Stage::inputs,
                                         Stage::queries,
                                         Stage::keys,
                                         Stage::values,
                                         Stage::scores,
                                         Stage::mask,
                                         Stage::masked_scores,
                                         Stage::scaled_scores,
                                         Stage::weights,
                                         Stage::masked_weights,
                                         Stage::renormalized_weights,
                                         Stage::dropout_factors,
                                         Stage::dropped_weights,
                                         Stage::head_context,
                                         Stage::context,
                                         Stage::output};
  std::string id;
  std::size_t place = earlier.size();
  take(json, key, id);
  take(json, key, place);
  stage = place < earlier.size() ? earlier[place] : stage_named(id).value_or(stage);
}

}  // namespace attnscope
