#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluate.h"
#include "view/board.h"
#include "view/view_address.h"

namespace attnscope {

// The subject of a teaching view.
struct TeachingViewSubject {
  const Result& result;  // finished
  const std::vector<std::string>& labels;
  Index head = 0;
  Index batch = 0;
  Index query = 0;  // the view is about this row
  const TeachingViewChoice& choice;
  std::stop_token stop = {};
  const std::vector<std::string>* query_labels = nullptr;  // null: the names of the keys, if there are as many
  std::optional<Index> feature = {};                       // the column of the inputs that somebody looks at or changed
};

// A teaching view: one row of the table. `build` stands in the file of its subject.
struct TeachingViewInfo {
  std::string_view id;        // "mask_routes", in settings, scripts and commands
  std::string_view title;     // "Mask routes"
  std::string_view question;  // the question that it answers
  // Returns a sentence why a document has nothing to show; empty if it has.
  std::string (*obstacle)(const AttentionConfig& config);
  void (*build)(Board& board, const TeachingViewSubject& subject);
  bool follows_pointer = false;  // the query under the pointer, if any, is the subject's
};

std::span<const TeachingViewInfo> studies();
const TeachingViewInfo* study_named(std::string_view id);               // null if there is none
const TeachingViewInfo& shown_study(const TeachingViewChoice& choice);  // the first view if none was chosen

// Returns the query that shows most, for a view without a chosen one: the row of the head's most telling weight. With
// dropout, and where all shares are equal, it is a row with a visible, a hidden and a dropped cell, as far as the
// document has such cells, and of these the one with most entropy.
Index telling_query(const Result& result, Index head, Index batch);

// Returns a sentence why a view shows nothing of a result; empty if it shows something.
std::string obstacle_to(const TeachingViewInfo& study, const Result& result);

// Builds the chosen view. If it has nothing to show, the board says why. Throws Cancelled.
Board make_board(const TeachingViewSubject& subject);

}  // namespace attnscope
