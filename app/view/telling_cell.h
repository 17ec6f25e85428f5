#pragma once

#include <optional>

#include "core/evaluate.h"
#include "core/source.h"

namespace attnscope {

// Returns the attention weight that tells most: the one that exceeds an equal share of its row by most, among the rows
// in which at least three keys are visible (two, where no row sees three). Searches one head, or all of them; of many
// tokens a few rows of one head, so that it costs little. Returns nothing if all shares are equal, or if the result has
// no weights. Ties go to the first.
std::optional<Source> most_telling_cell(const Result& result, std::optional<Index> head = {});

// Returns whether every weight of every head lies within `by` of an equal share of its row, and some row has two keys
// to share among. False for results of many numbers, which are not searched.
bool has_nearly_equal_shares(const Result& result, double by = 0.1);

// Returns a round number by which the scores have to be multiplied before softmax so that some row's shares differ
// clearly: its largest share becomes about 50 times its smallest. Nothing where a factor changes nothing, because all
// scores of each row are equal or no softmax reads them, and for results of many numbers.
std::optional<double> telling_factor(const Result& result);

}  // namespace attnscope
