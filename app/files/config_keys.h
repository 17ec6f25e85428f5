#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/transformer.h"
#include "core/rope.h"
#include "document/json_value.h"

// What a model's config.json says, key by key, and what families have in common. Private to this folder.
namespace attnscope {

// The keys of an object in a config.json, and which of them were asked for.
class Keys {
public:
  explicit Keys(const JsonValue& root) : root_(root) {}

  Index whole(std::string_view key) const {
    asked_.emplace(key);
    return root_.needed(key).whole(1, max_rope_offset);
  }
  Index whole(std::string_view key, Index otherwise) const {
    const std::optional<JsonValue> value = given(key);
    return value ? value->whole(1, max_rope_offset) : otherwise;
  }
  double number(std::string_view key, double otherwise) const {
    const std::optional<JsonValue> value = given(key);
    if (value && !value->is_number()) value->refuse("a number");
    return value ? value->number() : otherwise;
  }
  // Returns a number above 0 that null switches off, where a missing key means `usual`.
  std::optional<double> number_or_none(std::string_view key, std::optional<double> usual) const {
    const std::optional<JsonValue> value = given(key);
    if (!value) return has(key) ? std::nullopt : usual;
    if (!(number(key, 0) > 0)) value->refuse("a number above 0, or null for none");
    return number(key, 0);
  }
  bool flag(std::string_view key, bool otherwise) const {
    const std::optional<JsonValue> value = given(key);
    return value ? value->flag() : otherwise;
  }
  std::string text(std::string_view key, const std::string& otherwise) const {
    const std::optional<JsonValue> value = given(key);
    return value ? value->text() : otherwise;
  }
  bool has(std::string_view key) const { return root_.has(key); }
  bool is_asked(std::string_view key) const { return asked_.contains(key); }
  // A key that is there and not null.
  std::optional<JsonValue> given(std::string_view key) const {
    asked_.emplace(key);
    std::optional<JsonValue> value = root_.find(key);
    return value && !value->is_null() ? value : std::nullopt;
  }
  // Marks keys that tensors tell, or that say nothing in this family.
  void skip(std::initializer_list<std::string_view> keys) const { asked_.insert(keys.begin(), keys.end()); }

  // Throws Error if there is another key that may change a number: one that is neither null, false nor empty.
  void refuse_others() const;

private:
  const JsonValue& root_;
  mutable std::set<std::string, std::less<>> asked_;
};

// Throws Error: models with `what`, which the value asks for, are not known.
[[noreturn]] void refuse_key(const JsonValue& value, std::string_view what);

// Throws Error if a key that the family has not asked for changes the numbers in a way that is not computed.
void refuse_unknown_parts(const Keys& keys);

Activation activation_named(const std::string& name);

// What a family does with rotary positions.
struct RopeUse {
  double base = 10'000;              // where the file says none
  std::optional<double> share = {};  // likewise; nothing: all dimensions turn, whatever the file says
};

// Reads the rotary positions of a family; `within` names the layers' kind where the file has an object for each.
Rope rope_of(const Keys& keys, Index head_dim, const RopeUse& use, std::string_view within = {});

// Returns the same for every layer.
std::vector<bool> every_layer(const TransformerShape& shape, bool has_window);

// Gives the layers of a model a sliding window; layer_types may say which if `reads_types`, else only agree.
void set_windows(TransformerShape& shape, const Keys& keys, std::optional<Index> window, std::vector<bool> layers,
                 bool reads_types);

// Reads the keys of sliding windows as Hugging Face's library does. Llama's family has none of them.
void set_sliding_window(TransformerShape& shape, const Keys& keys, std::string_view family);

}  // namespace attnscope
