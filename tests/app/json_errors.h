#pragma once

#include <string>
#include <vector>

#include "document/json.h"
#include "support.h"

// Documents that are refused, with the field and the sentence that they get.
namespace attnscope::test {

struct Case {
  std::string text;
  std::string field;
  std::vector<std::string> fragments;
};

inline void expect_all(const std::vector<Case>& cases) {
  for (const Case& broken : cases) {
    SCOPED_TRACE(broken.text.substr(0, 200));
    const Error error = error_of([&] { parse_document(broken.text); });
    EXPECT_EQ(error.field, broken.field);
    EXPECT_TRUE(says(error.what(), broken.fragments));
  }
}

}  // namespace attnscope::test
