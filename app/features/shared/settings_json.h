#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/stage.h"
#include "document/json_value.h"
#include "view/colours.h"
#include "view/stage_look.h"

// Fields of settings. A function names each once, with its key, and is called with a reader and with a writer.
namespace attnscope {

// Reads the fields that are there. A value of another type leaves what is.
struct SettingReader {
  const JsonValue& object;

  template <typename Value>
  void operator()(std::string_view key, Value& value) const {
    if (const std::optional<JsonValue> found = object.find(key)) take(*found, value);
  }
  // By the words of the values; in earlier files by their places in that list.
  template <typename Value, typename Words>
  void operator()(std::string_view key, Value& value, const Words& words) const {
    const std::optional<JsonValue> found = object.find(key);
    if (!found) return;
    const std::string word = found->is_text() ? found->text() : "";
    const Index place = found->whole().value_or(-1);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].second == word || std::cmp_equal(i, place)) value = words[i].first;
    }
  }

private:
  static void take(const JsonValue& json, bool& value) {
    if (json.is_boolean()) value = json.flag();
  }
  static void take(const JsonValue& json, std::optional<bool>& value) {
    if (json.is_boolean()) value = json.flag();
  }
  static void take(const JsonValue& json, int& value) {
    using Limits = std::numeric_limits<int>;
    if (const auto number = json.whole())
      value = static_cast<int>(std::clamp<Index>(*number, Limits::min(), Limits::max()));
  }
  template <std::floating_point Real>
  static void take(const JsonValue& json, Real& value) {
    if (json.is_number()) value = static_cast<Real>(json.number());
  }
  static void take(const JsonValue& json, std::string& value) {
    if (json.is_text()) value = json.text();
  }
  static void take(const JsonValue& json, std::vector<std::string>& values) {
    if (!json.is_array()) return;
    std::vector<std::string> texts;
    for (JsonItems items(json); const JsonValue* item = items.next();) {
      if (!item->is_text()) return;
      texts.push_back(item->text());
    }
    values = std::move(texts);
  }
  // By their ids; those that name no stage of the diagram are left out.
  static void take(const JsonValue& json, StageSet& chosen) {
    std::vector<std::string> ids;
    take(json, ids);
    chosen = {};
    for (const std::string& id : ids) {
      const std::optional<Stage> stage = stage_named(id);
      if (stage && has_place(*stage)) chosen.add(*stage);
    }
  }
};

struct SettingWriter {
  nlohmann::ordered_json& json;

  void operator()(std::string_view key, const StageSet& chosen) const {
    std::vector<std::string_view> ids;
    for (const StageInfo& row : stages()) {
      if (chosen.contains(row.stage)) ids.push_back(row.id);
    }
    json[std::string(key)] = ids;
  }
  void operator()(std::string_view key, const std::optional<bool>& choice) const {
    if (choice) json[std::string(key)] = *choice;
  }
  template <typename Value>
  void operator()(std::string_view key, const Value& value) const {
    json[std::string(key)] = value;
  }
  template <typename Value, typename Words>
  void operator()(std::string_view key, const Value& value, const Words& words) const {
    json[std::string(key)] = word_of(words, value);
  }
};

// The value and the id of each row of a table.
template <typename Rows, typename ValueOf, typename IdOf>
auto words_of(const Rows& rows, ValueOf value_of, IdOf id_of) {
  using Value = std::remove_cvref_t<std::invoke_result_t<ValueOf, decltype(*rows.begin())>>;
  std::vector<std::pair<Value, std::string_view>> words;
  for (const auto& row : rows) words.emplace_back(std::invoke(value_of, row), std::invoke(id_of, row));
  return words;
}

// Earlier files have "standard", which nobody had chosen, where automatic is now; in the same place of the list.
inline auto range_words() { return words_of(range_modes, &RangeModeName::mode, &RangeModeName::id); }

}  // namespace attnscope
