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

// Returns whether a stage's numbers can be subtracted: both have it in one shape, and neither stores its weights
// transposed.
bool is_comparable(const Result& now, const Result& baseline, Stage stage);

// Returns whether both are finished and hold a stage with the same numbers.
bool is_equal(const Result& now, const Result& baseline, Stage stage);

// Returns `now` minus `baseline` as a result like any other. Stages that both hold are subtracted here; other stages
// are subtracted when they are read. Two equal infinities give 0. Both must be finished. Throws Cancelled.
std::shared_ptr<const Result> difference_of(std::shared_ptr<const Result> now, std::shared_ptr<const Result> baseline,
                                            const Execution& execution = {});

// Returns 0 if both differ by less than a millionth of the larger one, because they are equal up to rounding.
float difference_of(float now, float baseline);

// Returns the keys that are hidden in the rows of a stage; in a difference, those that both hide.
Visibility visibility(const Result& result, Stage stage);

// Returns whether cells of a stage can be dropped, so that its picture needs the dropout factors; never in a
// difference.
bool shows_dropped(const Result& result, Stage stage);

}  // namespace attnscope
