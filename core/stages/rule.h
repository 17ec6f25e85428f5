#pragma once

#include "core/config.h"
#include "core/evaluate.h"
#include "core/source.h"
#include "core/text.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attnscope {

// Names the rows of queries and the rows of keys: both by the tokens, unless the document gives queries of its own. It
// keeps names that are temporaries; others must outlive it.
struct RowNames {
  using Names = std::vector<std::string>;
  using NamesOfBoth = std::pair<Names, Names>;

  RowNames(const Names& tokens) : RowNames(tokens, tokens) {}  // NOLINT(google-explicit-constructor)
  RowNames(Names&& tokens)                                     // NOLINT(google-explicit-constructor)
      : kept(std::make_shared<const NamesOfBoth>(std::move(tokens), Names())), queries(kept->first), keys(queries) {}
  RowNames(const Names& of_queries, const Names& of_keys) : queries(of_queries), keys(of_keys) {}
  RowNames(Names&& of_queries, Names&& of_keys)
      : kept(std::make_shared<const NamesOfBoth>(std::move(of_queries), std::move(of_keys))),
        queries(kept->first),
        keys(kept->second) {}
  RowNames(const Names& of_queries, Names&& of_keys) = delete;
  RowNames(Names&& of_queries, const Names& of_keys) = delete;

  const Names& of(Stage stage) const { return has_key_rows(stage) ? keys : queries; }

  const std::shared_ptr<const NamesOfBoth> kept = nullptr;
  const Names& queries;
  const Names& keys;
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

// Returns the name of a stage in a document: scaled scores that are not scaled are "unscaled scores".
std::string_view title_in(const AttentionConfig& config, Stage stage);

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
  Index kept_keys() const;  // those of them that dropout kept
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

// The names or symbols of the stages that a stage follows from.
using Names = std::vector<std::string>;

// How a library spells data and the operations of the stages; the two differ in little else.
struct CodeDialect {
  std::string_view library;    // "PyTorch"
  std::string_view module;     // "torch", where both have a function of one name
  std::string_view imports;    // with how numbers are printed
  std::string_view array;      // opens one
  std::string_view array_end;  // closes it
  std::string_view zeros;      // a mask that hides nothing, a format of its sizes
  std::string_view later;      // a causal mask, a format of its sizes and its diagonal
  std::string_view arange;
  std::string_view transpose;     // ".transpose": swaps two axes
  std::string_view norm = {};     // of queries or keys {0} with the gains {1}
  std::string_view row_sum;       // behind a tensor: its sums along the keys, as a column
  std::string_view softmax;       // a format string with a place for the scores
  std::string_view zero_rows;     // the same, behind it: zeros in the rows whose scores are all minus infinity
  std::string_view masked;        // a format string with a place for the scores and the mask
  std::string_view mask_is_made;  // what makes the mask; empty where `mask` is there already
  std::string_view mask;
  std::string_view bias;
  std::string_view ones_like;  // dropout factors where nothing is drawn, a format of the weights
  std::string_view output;
};

// The stages of a configuration in the code of one library.
struct StageCode {
  const AttentionConfig& config;
  const CodeDialect& dialect;
  bool has_head_axis;

  std::string name(Stage stage) const;
  std::string shape(Stage stage) const;  // "(B, H, T, T)"
  // Returns what computes a stage; empty where its name stands for something that is there already.
  std::string expression(Stage stage) const;

  std::string transposed(const std::string& tensor) const;
  // Returns what stands behind keys and values that several heads share.
  std::string_view shared_heads() const;
};

// "S^{(h)}"; without the superscript where there is one head, or where the stage has no heads.
std::string latex_symbol(const AttentionConfig& config, Stage stage, std::string_view superscript);

// The formula of a stage and the words behind it: "A = \operatorname{softmax}(\tilde{S})".
std::string latex_formula(const AttentionConfig& config, Stage stage);

bool has_batch_axis(const AttentionConfig& config);  // causal attention and above take a batch, others one if asked to
bool draws_dropout(const AttentionConfig& config);   // dropout is active and does not drop everything
bool has_heads_off(const AttentionConfig& config);   // of those that it has
std::string_view input_name(const AttentionConfig& config);  // "batch" or "inputs"
// Whether some query sees no key: PyTorch's softmax gives NaN there.
bool has_empty_rows(const AttentionConfig& config);

struct Run;

// One of the things that a rule can do to make a cell: hide it, keep it, multiply it.
struct Operation {
  Text<const CellWords&> sentence = {};  // one that is always the same is for say(); empty: the arithmetic says it all
  void (*arithmetic)(CellWords& of);
  bool is_copy = false;  // of the first operand
  bool is_sum_of_products = false;
};

// How a stage follows from the ones before it.
struct StageWording {
  std::string formula;
  std::string pytorch;
};

// How the cells of a stage follow from those of the stages that it follows from. Stages that follow alike share a rule.
// The functions are given a stage of this rule, and the stages that it follows from or their names.
struct CellRule {
  // Makes the stage, or some rows of a head, by its readable function; null: it is typed, drawn or given.
  void (*make)(Tensor& out, const Run& run, Stage stage, const StageList& from) = nullptr;

  // Returns the operations of the matrix product that makes the stage; null: it is none.
  double (*operations)(const AttentionConfig& config, Stage stage) = nullptr;
  // Returns whether that product multiplies by the transposed matrix.
  bool (*is_turned)(const AttentionConfig& config) = nullptr;

  // Names what was done to make a cell that has operands, or none.
  const Operation& (*operation)(const Result& result, const Source& cell, bool has_operands);

  // Returns the numbers that a cell is computed from, as operands() (core/source.h) orders them; null: the cells of the
  // same place.
  std::vector<SourceLine> (*operands)(const AttentionConfig& config, const Source& cell,
                                      const StageList& from) = nullptr;

  // Returns the cells of the stage that follow from a rectangle of its operand number `place`; null: the same ones.
  CellRect (*dependents)(const AttentionConfig& config, const Reached& stage, std::size_t place,
                         const Reached& of) = nullptr;

  bool is_drawn = false;     // by the generator
  bool reads_row = false;    // a cell also depends on the sum of its row
  bool mixes_seen = false;   // a row of weights times a column of values, of which hidden keys contribute nothing
  bool joins_heads = false;  // the heads of a token stand in one row

  // The stage in the code of a library, and in LaTeX: formats of the names, or functions that write them; empty: its
  // name stands for something that is there already.
  Text<const StageCode&, Stage, const Names&> code = {};
  Text<const AttentionConfig&, Stage, const Names&> latex = {};

  // On the arrow that leads to it, and below the arrow: "÷ √2" and "= 1.414". Empty: no arrow leads to it.
  ConfigText sign = {};
  ConfigText note = {};
};

// Operations that are not of one family: of numbers that nothing computes, and of numbers that are no cells.
namespace operations {
extern const Operation typed;      // by the user, or given by the document
extern const Operation drawn;      // from the generator
extern const Operation read;       // as another program left it
extern const Operation masked;     // replaced by minus infinity
extern const Operation mask_rule;  // a cell of the mask itself
extern const Operation softmax;
extern const Operation nothing_left;  // for softmax: every key of the row is hidden
}  // namespace operations

// Returns how a number that is no cell follows from its row.
const Operation& operation_of(SourceKind kind);

}  // namespace attnscope
