#pragma once

#include "core/evaluate.h"
#include "core/visibility.h"

#include <memory>

namespace attnscope {

// Two evaluations whose numbers are subtracted, cell by cell.
struct Difference {
  std::shared_ptr<const Result> now;
  std::shared_ptr<const Result> baseline;
};

// Whether a stage's numbers can be subtracted: both have it, in one shape, and its weights are not stored transposed in
// one of them.
bool is_comparable(const Result& now, const Result& baseline, Stage stage);

// Whether both are finished and hold a stage with the same numbers.
bool is_equal(const Result& now, const Result& baseline, Stage stage);

// `now` minus `baseline`, to be read, drawn and summarized like any other result: stages that both hold are subtracted
// here, those that are computed when read when they are read. Where both have the same infinity, nothing has changed:
// 0. Both must be finished. Throws Cancelled.
std::shared_ptr<const Result> difference_of(std::shared_ptr<const Result> now, std::shared_ptr<const Result> baseline,
                                            const Execution& execution = {});

// 0 where both differ by less than a millionth of the larger one: they are equal up to rounding.
float difference_of(float now, float baseline);

// Returns the keys that are hidden in the rows of a stage; in a difference, those that both hide.
Visibility visibility(const Result& result, Stage stage);

// Whether cells of a stage can be dropped, so that its picture needs the dropout factors; in a difference none are.
bool shows_dropped(const Result& result, Stage stage);

}  // namespace attnscope
