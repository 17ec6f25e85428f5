#include "look/marks.h"

namespace attnscope {
namespace {

struct Tokens {
  Index query = -1;
  Index key = -1;
};

// An input is projected to a query and to a key.
Tokens tokens_of(const Source& source) {
  if (is_query_by_key(info(source.stage).axes)) return {source.row, source.kind == SourceKind::cell ? source.col : -1};
  if (source.stage == Stage::inputs) return {source.row, source.row};
  return is_key_side(source.stage) ? Tokens{.key = source.row} : Tokens{.query = source.row};
}

MarkedLines marked_operands(const AttentionConfig& config, const Source& of, Stage in) {
  for (const SourceLine& line : operands(config, of)) {
    if (line.first.stage != in) continue;
    return line.is_column ? MarkedLines{.col = line.first.col} : MarkedLines{.row = line.first.row};
  }
  return {};
}

}  // namespace

MarkedLines marked_lines(const AttentionConfig& config, const Source& of, Stage in) {
  const StageAxes axes = info(in).axes;
  if (is_parameter(info(of.stage).axes))
    return of.stage == in ? MarkedLines{.row = of.row, .col = of.col} : MarkedLines();
  if (is_parameter(axes)) return marked_operands(config, of, in);
  const Tokens tokens = tokens_of(of);
  if (is_query_by_key(axes)) return {.row = tokens.query, .col = tokens.key};
  if (is_key_side(in)) return {.row = tokens.key};
  if (in != Stage::inputs) return {.row = tokens.query};
  if (tokens.query < 0) return {.row = tokens.key};
  return {.row = tokens.query, .second_row = tokens.key == tokens.query ? -1 : tokens.key};
}

bool is_key_side(Stage stage) { return stage == Stage::keys || stage == Stage::values; }

}  // namespace attnscope
