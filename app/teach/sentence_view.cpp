#include <fmt/format.h>

#include <algorithm>

#include "teach/teaching_view_support.h"

namespace attnscope {
namespace {

constexpr Index most_tokens = 16;  // a slide has no room for more names
constexpr Index most_arc_heads = 12;

}  // namespace

void build_sentence(Board& board, const TeachingViewSubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Stage stage = subject.result.imported ? Stage::weights : normalized_weights_stage(config);
  const Index keys = key_count(config);
  const Index shown = std::min(keys, most_tokens);
  const Index first = std::clamp<Index>(subject.query - shown + 6, 0, keys - shown);
  const Index heads = std::min(head_count(config), most_arc_heads);
  const auto only_head = std::clamp<Index>(static_cast<Index>(subject.choice.value("head", 0)) - 1, -1, heads - 1);
  const bool can_show_all = query_count(config) == keys;
  BoardArcs arcs{.query = std::min(subject.query, keys - 1) - first,
                 .shows_all = can_show_all && subject.choice.value("all", 1) > 0};
  const Visibility seen = visibility(config);
  for (Index key = first; key < first + shown; ++key) {
    if (seen.hides(subject.query, key)) arcs.hidden.insert(key - first);
    arcs.tokens.push_back(key_name(subject, key));
    arcs.sources.push_back({.stage = stage, .batch = subject.batch, .head = subject.head, .row = key, .col = key});
  }
  const std::string query = query_name(subject, subject.query);
  BoardTable table{.title = fmt::format("Where “{}” looks", query),
                   .header = {"head", "most at", "weight", "effective keys"}};
  for (Index head = 0; head < heads; ++head) {
    if (only_head >= 0 && head != only_head) continue;
    const TeachingViewSubject of_head = with_head(subject, head);
    const std::vector<float> row = read_row(of_head, stage, subject.query);
    const auto largest = std::ranges::max_element(row) - row.begin();
    const float weight = row[static_cast<std::size_t>(largest)];
    table.rows.push_back({fmt::format("{}", head + 1), weight > 0 ? key_name(subject, largest) : "nothing",
                          number(weight), number(effective_keys(row), 1)});
    BoardArcs::Head arc{fmt::format("head {}", head + 1), static_cast<int>(head), {}};
    arc.weights = arcs.shows_all ? read_window(of_head, stage, {first, first, shown, shown})
                                 : std::vector<float>(row.begin() + first, row.begin() + first + shown);
    arcs.heads.push_back(std::move(arc));
  }
  const std::size_t said = only_head < 0 && subject.head < heads ? static_cast<std::size_t>(subject.head) : 0;
  board.headline = seen.count(subject.query) == 0
                       ? fmt::format("“{}” looks at nothing: every key is hidden from it.", query)
                       : fmt::format("In head {} “{}” gives “{}” the largest weight, {}.", table.rows[said][0], query,
                                     table.rows[said][1], table.rows[said][2]);
  board.details =
      "An arc leads from the query to each token that it gives weight: the thicker, the more; its colour is the "
      "head's. Below a token stands the weight that each head gives it. Weights below a tenth of the query's largest "
      "have no arc, and tokens that the mask hides from the query are hatched.";
  if (shown < keys || heads < head_count(config))
    board.note = fmt::format("Shown are tokens {} to {} of {} and {} of {} heads.", first + 1, first + shown, keys,
                             heads, head_count(config));
  board.lines.push_back({std::move(arcs)});
  board.lines.push_back({std::move(table)});
  if (can_show_all)
    board.controls.push_back({.id = "all",
                              .label = "arcs of all queries",
                              .kind = BoardControl::Kind::toggle,
                              .value = subject.choice.value("all", 1),
                              .help = "Draws the arcs of every query; those of the others are faint"});
  if (heads < 2) return;
  std::vector<std::string> choices = head_names(heads);
  choices.insert(choices.begin(), "all heads");
  board.controls.push_back({.id = "head",
                            .label = "heads",
                            .kind = BoardControl::Kind::choice,
                            .value = static_cast<double>(only_head + 1),
                            .choices = std::move(choices),
                            .help = "The heads whose arcs are drawn"});
}

}  // namespace attnscope
