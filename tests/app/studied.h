#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/evaluate.h"
#include "document/builtin.h"
#include "document/json.h"
#include "teach/teaching_view.h"

namespace attnscope::test {

inline Document example(std::string_view id) {
  return parse_document(std::ranges::find(builtin_documents(), id, &BuiltinDocument::id)->json);
}

struct Studied {
  Document document;
  Result result;
  std::vector<std::string> labels;

  explicit Studied(Document of)
      : document(std::move(of)), result(evaluate(document.config)), labels(token_labels(document.tokens)) {}
  Board board(const TeachingViewChoice& choice, Index query = 1) const {
    return make_board({result, labels, 0, 0, query, choice});
  }
  Tensor stage(Stage of) const { return read_stage(result, of); }
};

inline void expect_first_head(const BoardMatrix& shown, const Tensor& stage, float tolerance = 1e-6F) {
  ASSERT_EQ(shown.rows, stage.rows());
  ASSERT_EQ(shown.cols, stage.cols());
  for (Index cell = 0; cell < shown.rows * shown.cols; ++cell)
    EXPECT_NEAR(shown.values[static_cast<std::size_t>(cell)], stage.values[static_cast<std::size_t>(cell)], tolerance);
}

}  // namespace attnscope::test
