#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config_fields.h"
#include "core/stage.h"
#include "document/document.h"

namespace attnscope {

// A sweep goes through a field of the configuration, or through one of these.
constexpr std::string_view swept_embedding = "embedding";  // one number of one token's embedding
constexpr std::string_view swept_tokens = "tokens";  // how many of the document's tokens there are, from the first on
constexpr std::string_view swept_stages = "stages";  // how much of the diagram is there: the document stays as it is

struct SweptParameter {
  std::string_view name;                     // typed as "num_heads"
  std::string_view label;                    // in the dialog
  bool is_real = false;                      // a number with decimals; other numbers are whole
  std::vector<std::string_view> words = {};  // its values, if they are words
  const ConfigField* field = nullptr;

  // Returns why it changes nothing in this document; no words if it changes something.
  std::string_view reason(const AttentionConfig& config) const;
};
std::span<const SweptParameter> swept_parameters();            // fields in the order of documents, then the others
const SweptParameter* swept_parameter(std::string_view name);  // null if there is none

// One parameter of a document goes through a list of values; each gives a frame.
struct Sweep {
  std::string parameter = "seed";
  Index token = 0;                  // this token's embedding is swept; counts from 0
  Index feature = 0;                // this number of the embedding
  std::vector<std::string> values;  // as typed; a range's values have equally many decimals
  bool operator==(const Sweep&) const = default;
};

constexpr std::size_t max_frames = 1000;

// Returns the stages that have a place in the diagram and change something, in the order of computation. With one head,
// head context and context count once.
std::vector<Stage> stages_one_by_one(const AttentionConfig& config);

// A sweep as it is typed: "dropout=0..0.9", "seed=1..20", "num_heads=1..4", "mask=none,causal",
// "embedding[2,1]=-1..1:0.1", "tokens=1..6", or "stages", whose values are those that the document has a place for in
// its diagram, as they are computed. Values are words, or numbers and ranges, with commas between them; a range
// includes both ends as far as its step (behind the colon) meets the last one. Without a step, whole numbers go by 1,
// num_heads goes to what it can be in this document, and other numbers take at most 20 steps. Token and feature count
// from 1. Throws Error that says what is allowed, as the edits do where they do not take a value, and also when the
// document has no use for the parameter, so that all frames would be the same.
Sweep parse_sweep(std::string_view text, const Document& document);

// Returns a sweep through stages without the frames of these.
Sweep without_stages(Sweep sweep, const StageSet& left_out);

// Returns the document of a frame, by the edit that a user would make. Throws Error as the edits do if the sweep was
// made for another document.
Document frame_document(const Document& document, const Sweep& sweep, std::size_t frame);

// Returns the stage that a frame shows last; none if it shows all of them.
std::optional<Stage> last_stage(const Sweep& sweep, std::size_t frame);

// Returns the name in a frame's picture: "dropout 0.50", "seed 7", "2 heads", "mask causal", "journey, dimension 1:
// −0.30", "3 tokens", "masked scores".
std::string frame_name(const Document& document, const Sweep& sweep, std::size_t frame);

}  // namespace attnscope
