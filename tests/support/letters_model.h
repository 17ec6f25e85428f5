#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "tests/support/small_model.h"

namespace attnscope::test {

// A small model whose tokens are the letters from a on.
inline std::shared_ptr<const TrainedModel> letters() {
  static const std::shared_ptr<const TrainedModel> model = [] {
    auto made = std::make_shared<TrainedModel>();
    made->path = "/models/letters";
    made->name = "letters";
    made->weights = small_model();
    made->checkpoint.sha256 = [](const PartWatch&) { return std::string(64, 'a'); };
    made->encode = [](std::string_view text) {
      std::vector<Index> tokens;
      for (const char letter : text) tokens.push_back(letter - 'a');
      return tokens;
    };
    made->text_of = [](const std::vector<Index>& tokens) {
      std::string text;
      for (const Index token : tokens) text += static_cast<char>('a' + token);
      return text;
    };
    made->shown = [](Index token) { return std::string(1, static_cast<char>('a' + token)); };
    return made;
  }();
  return model;
}

}  // namespace attnscope::test
