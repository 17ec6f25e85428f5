#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parameters.h"
#include "study/study_support.h"
#include "study/study_views.h"

namespace attnscope {
namespace {

constexpr Index most_split_heads = 4;

// One projection's numbers, (T, d_out) as they lie in memory.
struct Projected {
  Index tokens = 0;
  Index heads = 0;
  Index head_dim = 0;
  std::vector<float> numbers;

  Index d_out() const { return heads * head_dim; }
  float at(Index place) const { return numbers[static_cast<std::size_t>(place)]; }
  // Where number i of head h of token t lies: view(T, H, head_dim).transpose, or view(H, T, head_dim).
  Index place(Index head, Index token, Index i, bool is_wrong) const {
    return is_wrong ? (head * tokens + token) * head_dim + i : token * d_out() + head * head_dim + i;
  }
};

Projected projected_of(const StudySubject& subject, Stage stage) {
  const AttentionConfig& config = subject.result.config;
  Projected all{token_count(config), head_count(config), head_features(config), {}};
  all.numbers.resize(static_cast<std::size_t>(all.tokens * all.d_out()));
  for (Index head = 0; head < all.heads; ++head) {
    const std::vector<float> own = read_matrix(subject, stage, head);
    for (Index token = 0; token < all.tokens; ++token) {
      for (Index i = 0; i < all.head_dim; ++i)
        all.numbers[static_cast<std::size_t>(all.place(head, token, i, false))] =
            own[static_cast<std::size_t>(token * all.head_dim + i)];
    }
  }
  return all;
}

// Rows [0, rows) and some columns of a head, each cell in the colour of the token that it came from.
BoardMatrix head_matrix(const StudySubject& subject, const Projected& all, Index head, Index rows, bool is_wrong) {
  BoardMatrix matrix{.title = fmt::format("head {}", head + 1), .rows = rows, .cols = std::min<Index>(all.head_dim, 4)};
  for (Index token = 0; token < rows; ++token) {
    if (!is_wrong) matrix.row_labels.push_back(key_name(subject, token));
    if (is_wrong) matrix.row_labels.push_back(fmt::format("row {}", token + 1));
    for (Index i = 0; i < matrix.cols; ++i) {
      const Index place = all.place(head, token, i, is_wrong);
      matrix.values.push_back(all.at(place));
      matrix.tints.push_back(static_cast<int>(place / all.d_out()));
    }
  }
  matrix.columns_title = all.head_dim > matrix.cols ? fmt::format("{} of {} numbers", matrix.cols, all.head_dim) : "";
  return matrix;
}

BoardMatrix whole_matrix(const StudySubject& subject, const Projected& all, Index rows) {
  const Index cols = std::min<Index>(all.d_out(), 8);
  BoardMatrix matrix{.title = "1  queries, (T, d_out)", .caption = "one row for a token", .rows = rows, .cols = cols};
  for (Index token = 0; token < rows; ++token) {
    matrix.row_labels.push_back(key_name(subject, token));
    for (Index i = 0; i < cols; ++i) {
      matrix.values.push_back(all.at(token * all.d_out() + i));
      matrix.tints.push_back(static_cast<int>(token));
    }
  }
  for (Index i = 0; i < cols; ++i) matrix.column_labels.push_back(fmt::format("h{}", i / all.head_dim + 1));
  return matrix;
}

// Weights of a head that is split rightly or wrongly.
BoardMatrix attention_of(const StudySubject& subject, const Projected& queries, const Projected& keys,
                         const StudyWindow& window, bool is_wrong) {
  const Visibility seen = visibility(subject.result.config);
  std::vector<float> cells;
  for (Index row = 0; row < window.rows; ++row) {
    std::vector<double> scores;
    for (Index key = 0; key < keys.tokens; ++key) {
      double score = 0;
      for (Index i = 0; i < queries.head_dim; ++i)
        score += static_cast<double>(queries.at(queries.place(subject.head, window.first_row + row, i, is_wrong))) *
                 static_cast<double>(keys.at(keys.place(subject.head, key, i, is_wrong)));
      const bool is_hidden = seen.hides(window.first_row + row, key);
      scores.push_back(is_hidden ? -std::numeric_limits<double>::infinity()
                                 : score * static_cast<double>(score_scale(subject.result.config)));
    }
    const std::vector<float> shares = as_float(softmax(scores));
    cells.insert(cells.end(), shares.begin() + window.first_col, shares.begin() + window.first_col + window.cols);
  }
  BoardMatrix matrix =
      square(subject, window, is_wrong ? "weights of the wrong split" : "weights of the right split", cells);
  matrix.caption = fmt::format("head {}", subject.head + 1);
  mark_hidden(matrix, seen, window);
  return matrix;
}

Index parameter_count(const AttentionConfig& config) {
  Index count = 0;
  for (const ParameterShape& parameter : parameter_shapes(config)) count += element_count(parameter.shape);
  return count;
}

std::string shape_of(const AttentionConfig& config, std::string_view name) {
  for (const ParameterShape& parameter : parameter_shapes(config)) {
    if (!parameter.name.ends_with(name)) continue;
    return fmt::format("({}, {})", parameter.shape[0], parameter.shape[1]);
  }
  return "none";
}

BoardTable compared(const AttentionConfig& split) {
  AttentionConfig wrapper = split;
  wrapper.mechanism = Mechanism::multi_head_attention_wrapper;
  wrapper.d_out = head_features(split);
  wrapper.weight_overrides.clear();
  const Index out_projection =
      parameter_count(split) - head_count(split) * (parameter_count(wrapper) / head_count(split));
  return {
      .title = "The same size in two forms",
      .header = {"", "wrapper", "split"},
      .rows = {{"d_out of the constructor", std::to_string(wrapper.d_out), std::to_string(split.d_out)},
               {"W_query, as stored", fmt::format("{} × {}", head_count(split), shape_of(wrapper, "W_query.weight")),
                shape_of(split, "W_query.weight")},
               {"matrix products for queries", std::to_string(head_count(split)), "1"},
               {"parameters", thousands(static_cast<double>(parameter_count(wrapper))),
                thousands(static_cast<double>(parameter_count(split)))},
               {"of these out_proj", "0", thousands(static_cast<double>(out_projection))}}};
}

}  // namespace

void build_splitting(Board& board, const StudySubject& subject) {
  const Projected queries = projected_of(subject, Stage::queries);
  const Projected keys = projected_of(subject, Stage::keys);
  const Index rows = std::min<Index>(queries.tokens, 8);
  const Index heads = std::min(queries.heads, most_split_heads);
  Index strangers = 0;  // tokens in the first wrong head
  for (Index place = 0; place < queries.tokens * queries.head_dim; place += queries.d_out()) ++strangers;
  board.sentence = fmt::format(
      "d_out = {} is all heads together: each of the {} gets {} of a token's numbers. view(T, H, head_dim) cuts each "
      "row "
      "into heads, transpose brings the heads to the front, and each head still has all {} tokens. view(H, T, "
      "head_dim) has "
      "the same shape but cuts memory in the wrong places: its head 1 holds the first {} tokens alone, and its rows "
      "are no "
      "tokens any more.",
      queries.d_out(), counted(queries.heads, "head", "heads"), queries.head_dim, queries.tokens, strangers);
  if (rows < queries.tokens || heads < queries.heads)
    board.note = fmt::format("Shown are {} of {} tokens and {} of {} heads. A colour is a token.", rows, queries.tokens,
                             heads, queries.heads);
  std::vector<BoardItem> right;
  right.emplace_back(whole_matrix(subject, queries, rows));
  right.emplace_back(BoardSign{"→"});
  std::vector<BoardItem> wrong;
  for (Index head = 0; head < heads; ++head) {
    BoardMatrix matrix = head_matrix(subject, queries, head, rows, false);
    matrix.caption = head == 0 ? "2  view, 3  transpose" : "(T, head_dim)";
    right.emplace_back(std::move(matrix));
    wrong.emplace_back(head_matrix(subject, queries, head, rows, true));
    std::get<BoardMatrix>(wrong.back()).caption = "of the wrong view";
  }
  wrong.emplace_back(
      BoardText{"wrong: view(H, T, head_dim)",
                "The same numbers as they follow one another in memory, cut after every T × head_dim of "
                "them. A colour is a token: each head has all numbers of some tokens, and none of others."});
  const StudyWindow window = window_of(subject, 8);
  board.lines.push_back(std::move(right));
  board.lines.push_back(std::move(wrong));
  board.lines.push_back({attention_of(subject, queries, keys, window, false),
                         attention_of(subject, queries, keys, window, true), compared(subject.result.config)});
}

}  // namespace attnscope
