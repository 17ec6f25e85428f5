#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/study_support.h"
#include "study/study_views.h"

namespace attnscope {
namespace {

constexpr Index most_tokens = 40;
constexpr Index most_arc_heads = 12;

}  // namespace

void build_sentence(Board& board, const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Stage stage = subject.result.external ? Stage::weights : normalized_weights_stage(config);
  const Index keys = key_count(config);
  const Index shown = std::min(keys, most_tokens);
  const Index first = std::clamp<Index>(subject.query - shown + 6, 0, keys - shown);
  const Index heads = std::min(head_count(config), most_arc_heads);
  BoardArcs arcs{.query = std::min(subject.query, keys - 1) - first};
  for (Index key = first; key < first + shown; ++key) {
    arcs.tokens.push_back(key_name(subject, key));
    arcs.sources.push_back({.stage = stage, .batch = subject.batch, .head = subject.head, .row = key, .col = key});
  }
  BoardTable table{.title = "What it looks at most", .header = {"head", "token", "weight", "effective keys"}};
  for (Index head = 0; head < heads; ++head) {
    const StudySubject of_head{subject.result, subject.labels, head, subject.batch, subject.query, subject.choice, {}};
    const std::vector<float> row = read_row(of_head, stage, subject.query);
    const auto largest = std::ranges::max_element(row) - row.begin();
    table.rows.push_back({fmt::format("{}", head + 1), key_name(subject, largest),
                          number(static_cast<double>(row[static_cast<std::size_t>(largest)])),
                          number(std::exp2(entropy_bits(as_double(row))), 1)});
    arcs.heads.push_back(
        {fmt::format("head {}", head + 1), static_cast<int>(head), {row.begin() + first, row.begin() + first + shown}});
  }
  board.sentence = fmt::format(
      "In head 1 “{}” gives “{}” the largest weight, {}. An arc leads to each word with a weight above 0.03: its "
      "thickness is the weight, its colour the head. Point at another word to see what it looks at; the strips below a "
      "word are the weights that each head gives it.",
      query_name(subject, subject.query), table.rows[0][1], table.rows[0][2]);
  if (shown < keys || heads < head_count(config))
    board.note = fmt::format("Shown are tokens {} to {} of {} and {} of {} heads.", first + 1, first + shown, keys,
                             heads, head_count(config));
  board.lines.push_back({std::move(arcs)});
  board.lines.push_back({std::move(table)});
}

}  // namespace attnscope
