#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/study_support.h"
#include "study/study_views.h"

namespace attnscope {
namespace {

constexpr Index most_sharp_heads = 8;

struct Measured {
  float entropy = 0;  // bits
  float keys = 0;     // 2 to that
  float first = 0;    // share of the first token
};

Measured measure(const std::vector<float>& row) {
  const double bits = entropy_bits(as_double(row));
  return {static_cast<float>(bits), static_cast<float>(std::exp2(bits)), row.front()};
}

}  // namespace

void build_sharpness(Board& board, const StudySubject& subject) {
  const AttentionConfig& config = subject.result.config;
  const Stage stage = subject.result.external ? Stage::weights : normalized_weights_stage(config);
  const StudyWindow window = window_of(subject);
  const Index heads = std::min(head_count(config), most_sharp_heads);
  BoardMatrix entropy{.title = "entropy, in bits", .caption = "0: one key has all the weight"};
  BoardMatrix keys{.title = "effective keys",
                   .caption = "2 to the power of the entropy: so many keys with equal weights"};
  BoardMatrix first{.title = "share of the first token", .caption = "where weight gathers that has no better place"};
  BoardMatrix* const all[] = {&entropy, &keys, &first};
  for (BoardMatrix* const each : all) {
    each->rows = window.rows;
    each->cols = heads;
    each->row_labels = query_names(subject, window);
    each->marked_row = subject.query - window.first_row;
    for (Index head = 0; head < heads; ++head) each->column_labels.push_back(fmt::format("head {}", head + 1));
  }
  Measured own;
  for (Index row = 0; row < window.rows; ++row) {
    for (Index head = 0; head < heads; ++head) {
      const StudySubject of_head{subject.result, subject.labels, head, subject.batch,
                                 subject.query,  subject.choice, {}};
      const Measured measured = measure(read_row(of_head, stage, window.first_row + row));
      entropy.values.push_back(measured.entropy);
      keys.values.push_back(measured.keys);
      first.values.push_back(measured.first);
      if (head == std::min(subject.head, heads - 1) && window.first_row + row == subject.query) own = measured;
    }
  }
  entropy.high = std::log2(static_cast<float>(key_count(config)));
  keys.low = 1;
  keys.high = static_cast<float>(key_count(config));
  if (entropy.high == 0) entropy.high = keys.high = 2;
  const Visibility seen = visibility(config);
  board.sentence = fmt::format(
      "“{}” may look at {} and, in head {}, spreads its weight as if evenly over {}: an entropy of {} bits. Its share "
      "of the "
      "first token is {}. A mask keeps early rows sharp: the first one has a single key to choose from.",
      query_name(subject, subject.query), counted(seen.count(subject.query), "key", "keys"),
      std::min(subject.head, heads - 1) + 1, number(static_cast<double>(own.keys), 1),
      number(static_cast<double>(own.entropy)), number(static_cast<double>(own.first)));
  if (window.rows < query_count(config) || heads < head_count(config))
    board.note = fmt::format("Shown are queries {} to {} of {} and {} of {} heads.", window.first_row + 1,
                             window.first_row + window.rows, query_count(config), heads, head_count(config));
  board.lines.push_back({std::move(entropy), std::move(keys), std::move(first)});
}

}  // namespace attnscope
