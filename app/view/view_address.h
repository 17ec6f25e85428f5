#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/evaluate.h"
#include "core/source.h"
#include "core/tensor.h"
#include "view/colours.h"

namespace attnscope {

// The window shows a compared document itself, the other one, the difference of the two, or both side by side.
enum class ComparedSide { now, baseline, difference, side_by_side };

// Their names in commands, files and the views that pictures carry.
inline constexpr std::array<std::pair<ComparedSide, std::string_view>, 4> compared_sides = {
    {{ComparedSide::now, "B"},
     {ComparedSide::baseline, "A"},
     {ComparedSide::difference, "difference"},
     {ComparedSide::side_by_side, "side-by-side"}}};

// The teaching view that is looked at, and the choices in it.
struct TeachingViewChoice {
  std::string id = {};                        // names the view; empty: none
  std::map<std::string, double> values = {};  // values of moved controls, by their ids
  std::optional<Index> query = std::nullopt;  // the view is about this query; none: the pinned one

  double value(std::string_view control, double otherwise) const {
    const auto found = values.find(std::string(control));
    return found == values.end() ? otherwise : found->second;
  }
  bool operator==(const TeachingViewChoice&) const = default;
};

// Says how to look at a document: which layout shows which stage of which head, and which cell is pinned. Steps of
// lessons and pictures that reopen hold one; a member that is not set changes nothing.
struct ViewAddress {
  std::string mode = {};  // id of the layout; empty: keeps the present one
  std::optional<Stage> stage = {};
  std::optional<Index> head = {};
  std::optional<Index> batch = {};
  std::optional<RangeMode> range = {};
  std::optional<Source> pinned = {};
  std::optional<ComparedSide> side = {};
  std::optional<int> decimals = {};
  TeachingViewChoice study = {};  // without an id: opens no teaching view
  bool film = false;              // plays the film of the pinned number; steps of lessons alone say this

  bool operator==(const ViewAddress&) const = default;
};

// Returns a line of text: "layout=focus stage=weights head=2 batch=1 range=own cell=weights[0,1,1,0] side=A". Heads and
// batch entries count from 1, the indices of the cell from 0. Decimals are left out.
std::string address_text(const ViewAddress& address);
// Reads such a line; ignores what says nothing about how to look, and what the document lacks.
ViewAddress address_in(std::string_view text, const AttentionConfig& config);

// Names a cell by the axes of its stage, counted from 0, as lessons, scripts, pictures and commands do:
// "weights[0,0,1,2]".
std::string cell_name(const Source& cell);
std::optional<Source> cell_named(std::string_view name);

// Returns the cell as its name tells it, without the head that is shown beside a stage that has none. Returns nothing
// if the name does not tell it, such as a row's sum.
std::optional<Source> as_named(const AttentionConfig& config, const Source& cell);
std::size_t axis_count(StageAxes axes);  // number of the indices that name a cell
Source cell_at(Stage stage, std::span<const Index> index);
bool has_place_of(const AttentionConfig& config, const Source& cell);  // returns whether the document has this cell

// Returns the attention weight that tells most: the one that exceeds an equal share of its row by most, among the rows
// in which at least three keys are visible (two, where no row sees three). Searches one head, or all of them; of many
// tokens a few rows of one head, so that it costs little. Returns nothing if all shares are equal, or if the result has
// no weights. Ties go to the first.
std::optional<Source> most_telling_cell(const Result& result, std::optional<Index> head = {});

// Returns whether every weight of every head lies close to an equal share of its row, and some row has two keys to
// share among. False for results of many numbers, which are not searched.
bool has_nearly_equal_shares(const Result& result);

// Returns a round number by which the scores have to be multiplied before softmax so that some row's shares differ
// clearly: its largest share becomes about 50 times its smallest. Nothing where a factor changes nothing, because all
// scores of each row are equal or no softmax reads them, and for results of many numbers.
std::optional<double> telling_factor(const Result& result);

}  // namespace attnscope
