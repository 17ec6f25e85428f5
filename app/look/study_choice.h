#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace attnscope {

// A teaching view that is looked at, and what is chosen in it.
struct StudyChoice {
  std::string id = {};                        // of the view; empty: none
  std::map<std::string, double> values = {};  // of its controls, by their ids; those that were never moved are left out
  std::optional<Index> query = std::nullopt;  // that it is about; none: the pinned one

  double value(std::string_view control, double otherwise) const {
    const auto found = values.find(std::string(control));
    return found == values.end() ? otherwise : found->second;
  }
  bool operator==(const StudyChoice&) const = default;
};

}  // namespace attnscope
