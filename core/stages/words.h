#pragma once

#include "core/config.h"
#include "core/source.h"
#include "core/text.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

// Names the rows of queries and the rows of keys: both by the tokens, unless the document gives queries of its own.
struct RowNames {
  RowNames(const std::vector<std::string>& tokens) : RowNames(tokens, tokens) {}  // NOLINT(google-explicit-constructor)
  RowNames(const std::vector<std::string>& of_queries, const std::vector<std::string>& of_keys)
      : queries(of_queries), keys(of_keys) {}

  const std::vector<std::string>& of(Stage stage) const { return has_key_rows(stage) ? keys : queries; }

  const std::vector<std::string>& queries;
  const std::vector<std::string>& keys;
};

// One line of how a number came to be.
struct ExplanationLine {
  std::string text;
  std::optional<Source> source = {};  // the number that the line's first number is; a click goes there
  bool is_words = false;              // words rather than numbers
  std::optional<Source> second = {};  // what a click on the text from `second_begin` on goes to
  std::size_t second_begin = 0;
  bool is_rest = false;                  // the sum of the terms that are not shown
  std::optional<std::size_t> term = {};  // its place in a sum of which some terms are not shown
  bool is_note = false;                  // words that a card leaves out, because its lines are clear without them
};

// Tells how a number came to be: the names that sentences are made of, and the lines of arithmetic that are written.
struct CellWords {
  static constexpr int places = 4;

  const Result& result;
  const Explanation explanation;
  const Source& source;
  const RowNames& names;
  std::size_t max_terms;
  std::vector<ExplanationLine> lines = {};

  static std::string number(double value) { return format_fixed(value, places); }
  const AttentionConfig& config() const { return result.config; }
  const Source& from(std::size_t operand) const { return explanation.operands.at(operand).line.first; }
  float value(std::size_t operand) const { return explanation.operands.at(operand).values.front(); }
  std::string text(std::size_t operand) const { return number(value(operand)); }

  // Names for sentences. Tokens without a name are counted.
  static std::string named(const std::vector<std::string>& of, Index index, std::string_view kind);
  std::string query() const { return named(names.queries, source.row, "query"); }
  std::string key() const { return named(names.keys, source.col, "key"); }
  std::string token() const { return named(names.of(source.stage), source.row, "token"); }
  // Returns the name of the dimension that a factor of a product stands for; empty if it has none.
  std::string term_dimension(const Source& factor) const {
    return column_dimension(config(), factor.stage, factor.col);
  }
  std::string query_or_key() const { return named(names.of(source.stage), source.row, kind()); }
  std::string_view kind() const { return has_key_rows(source.stage) ? "key" : "query"; }
  std::size_t terms() const { return explanation.operands.front().values.size(); }
  // Returns “thing”, or the number of a dimension without a name.
  std::string dimension() const;
  // Fills in "{query}", "{key}" and "{dimension}".
  std::string say(std::string_view sentence) const;
  Index seen_keys() const;
  // Returns whether hidden keys come after the query; under a window others are hidden, too.
  bool is_causal() const;
  bool is_hidden() const { return is_masked(result, source); }

  std::string name_of(const Source& cell) const;   // "scores", "W_query.weight"
  std::string place_of(const Source& cell) const;  // "inputs of token 2 journey"

  void words(std::string text) { lines.push_back({std::move(text), {}, true}); }
  void note(std::string text) { lines.push_back({.text = std::move(text), .is_words = true, .is_note = true}); }
  void arithmetic(std::string text, std::optional<Source> origin = {}) { lines.push_back({std::move(text), origin}); }
  void two_numbers(std::string left, const Source& from_left, const std::string& right, const Source& from_right);
  void equals() { arithmetic("= " + number(explanation.value)); }
  // These write what the number equals, after a line that leads to the first operand, or to the first and the second.
  void leads_on(std::string text);
  void pair(std::string_view sign, float second);

  void write_count(std::string_view what, std::size_t count);
  // Writes the terms in order; where there are too many, the largest in magnitude and the sum of the rest.
  void write_sum(std::size_t count, const std::function<double(std::size_t)>& term,
                 const std::function<void(const char*, std::size_t)>& write_term);
};

// Arithmetic of several families.
void write_sum_of_products(CellWords& of);
void write_copied(CellWords& of);
void write_start(CellWords& of);  // how a number that is computed from no other came out of the generator
inline void write_equals(CellWords& of) { of.equals(); }

}  // namespace attnscope
