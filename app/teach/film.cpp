#include "teach/film.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/stages/rule.h"
#include "core/visibility.h"
#include "teach/film_scenes.h"
#include "view/number_words.h"

namespace attnscope {
namespace {

using film::Script;

bool is_on_route(const AttentionConfig& config, Stage stage) {
  const StageList route = score_route(config);
  return std::ranges::find(route, stage) != route.end();
}

// Returns whether the diagram shows what the stage does: scaling by 1, for example, leaves scores as they are.
bool acts_visibly(const AttentionConfig& config, Stage stage) {
  return acts_in(config, stage) && (info(stage).omission.is_empty() || info(stage).omission(config).empty());
}

Source at_stage(Source cell, Stage stage) {
  cell.stage = stage;
  cell.kind = SourceKind::cell;
  return cell;
}

// Orders the scenes of a cell: what comes before it first.
class FilmWriter {
public:
  explicit FilmWriter(const FilmSubject& subject) : script_{.subject = subject} {
    film_.cell = subject.cell;
    film_.number = number_text(subject.result, subject.cell, subject.names);
  }

  Film write() {
    const Source& cell = script_.subject.cell;
    if (is_on_route(config(), cell.stage)) {
      choose_keys(cell);
      add_route(cell);
      if (info(cell.stage).range == StageRange::probability && has_context(cell)) {
        Source context = at_stage(cell, Stage::head_context);
        context.col = 0;
        film::add_mix(film_, script_, context, cell.col);
      }
    } else {
      add(cell);
    }
    return std::move(film_);
  }

private:
  const AttentionConfig& config() const { return script_.config(); }
  const Result& result() const { return script_.result(); }

  bool has_context(const Source& weight) const {
    Source context = at_stage(weight, Stage::head_context);
    context.col = 0;
    return has_cell(result(), context) && !is_off(config(), weight.head);
  }

  void add(const Source& cell) {
    const CellRule& rule = rule_of(config(), cell.stage);
    if (!operands(config(), cell).empty()) {
      if (rule.joins_heads) return add_context(cell);
      if (rule.mixes_seen) return add_mixed(cell);
      if (cell.stage == Stage::output) return add_output(cell);
    }
    if (is_start(cell)) return;
    const Explanation explanation = explain(result(), cell);
    if (explanation.operation->is_sum_of_products) return film::add_product(film_, script_, cell);
    add(at_stage(cell, predecessors(config(), cell.stage)[0]));
    film::add_step(film_, script_, {cell});
  }

  // Returns whether no arithmetic makes the number.
  bool is_start(const Source& cell) const {
    const std::vector<SourceLine> lines = operands(config(), cell);
    return lines.empty() || lines.front().first.kind == SourceKind::draw;
  }

  // Scores and weights up to the cell's stage, and for a weight up to the last one.
  void add_route(const Source& cell) {
    add_preparation(cell);
    const bool is_weight = info(cell.stage).range == StageRange::probability;
    bool is_after = false;
    for (const Stage stage : score_route(config())) {
      const Source step = at_stage(cell, stage);
      const bool is_shown = acts_visibly(config(), stage) || stage == cell.stage;
      if (stage == Stage::scores) {
        film::add_product(film_, script_, step);
      } else if (is_shown && (!is_after || is_weight)) {
        add_route_step(step);
      }
      if (stage == cell.stage) is_after = true;
    }
  }

  void add_route_step(const Source& step) {
    if (step.stage == Stage::weights && !normalizes_by_sum(config())) {
      film::add_softmax(film_, script_, step);
    } else {
      film::add_step(film_, script_, {step});
    }
  }

  // Norms and positions, of the query's row and of the key's.
  void add_preparation(const Source& cell) {
    if (has_shared_keys(config())) film::add_sharing(film_, script_, at_stage(cell, Stage::scores));
    Source query = at_stage(cell, queries_stage(config()));
    Source key = at_stage(cell, keys_stage(config()));
    key.row = cell.col;
    query.col = key.col = telling_term(at_stage(cell, Stage::scores));
    std::vector<std::vector<Source>> steps;
    while (is_preparation(query.stage)) {
      steps.push_back({query, key});
      query.stage = predecessors(config(), query.stage)[0];
      key.stage = predecessors(config(), key.stage)[0];
    }
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) film::add_step(film_, script_, *step);
  }
  bool is_preparation(Stage stage) const {
    return stage != Stage::inputs && !is_parameter(info(stage).axes) && predecessors(config(), stage).size() > 0 &&
           stage != Stage::queries;
  }

  // Returns the terms of a number that is a sum of products.
  std::vector<double> terms_of(const Source& sum) const {
    const std::vector<SourceLine> lines = operands(config(), sum);
    const std::vector<float> left = film::read_line(script_, lines[0]);
    const std::vector<float> right = film::read_line(script_, lines[1]);
    std::vector<double> terms;
    for (std::size_t i = 0; i < left.size(); ++i)
      terms.push_back(static_cast<double>(left[i]) * static_cast<double>(right[i]));
    return terms;
  }
  // Returns the dimension or the key whose product is the largest part of it.
  Index telling_term(const Source& sum) const { return static_cast<Index>(largest_terms(terms_of(sum), 1).front()); }

  // Adds the scenes after the scores: softmax, the stages of the weights, and the values that they mix.
  void add_mixed(const Source& context) {
    Source weight = at_stage(context, acting_weights_stage(config()));
    choose_keys_for(context);
    weight.col = script_.keys.empty() ? 0 : telling_term(context);
    const Source softmax = at_stage(weight, Stage::weights);
    add_route_step(softmax);
    for (const Stage stage : score_route(config())) {
      const bool is_after = stage > Stage::weights && info(stage).range == StageRange::probability;
      if (is_after && acts_visibly(config(), stage)) add_route_step(at_stage(weight, stage));
    }
    film::add_mix(film_, script_, context);
  }

  void add_context(const Source& context) {
    add(operands(config(), context).front().first);
    if (head_count(config()) > 1) film::add_joined_heads(film_, script_, context);
  }

  void add_output(const Source& output) {
    const std::vector<SourceLine> lines = operands(config(), output);
    const Index term = telling_term(output);
    const Source context = lines[0][term];
    if (!is_start(operands(config(), context).front().first)) add(context);
    film::add_product(film_, script_, output);
  }

  void choose_keys_for(const Source& context) {
    Source weight = at_stage(context, acting_weights_stage(config()));
    weight.col = telling_term(context);
    choose_keys(weight);
  }

  // Chooses the columns of rows of keys: all of a few; of many those with the largest weights, the cell's own, and one
  // that is hidden.
  void choose_keys(const Source& cell) {
    const Index count = key_count(config());
    const std::vector<float> weights = film::read_row(script_, at_stage(cell, acting_weights_stage(config())));
    std::vector<double> shares(weights.begin(), weights.end());
    for (double& share : shares)
      if (!std::isfinite(share)) share = 0;
    const bool are_all = count <= film::most_columns;
    for (const std::size_t at : largest_terms(shares, are_all ? shares.size() : film::most_terms))
      script_.keys.push_back(static_cast<Index>(at));
    const auto include = [&](Index key) {
      if (std::ranges::find(script_.keys, key) == script_.keys.end()) script_.keys.push_back(key);
    };
    include(cell.col);
    const Visibility seen = visibility(config());
    const auto is_hidden = [&](Index key) { return seen.hides(cell.row, key); };
    if (!are_all && std::ranges::none_of(script_.keys, is_hidden)) {
      for (Index key = 0; key < count; ++key) {
        if (!is_hidden(key)) continue;
        include(key);
        break;
      }
    }
    std::ranges::sort(script_.keys);
    script_.other_keys = count - std::ssize(script_.keys);
    for (const Stage stage : score_route(config())) {
      if (info(stage).range != StageRange::signed_value || !has(result(), stage)) continue;
      const float largest = film::largest_of(film::read_row(script_, at_stage(cell, stage)));
      script_.score_bound = stage == Stage::scores ? largest : std::max(script_.score_bound, largest);
    }
    const float largest_weight = film::largest_of(weights);
    script_.weight_bound = count <= few_keys ? std::max(1.0F, largest_weight) : largest_weight;
  }

  Script script_;
  Film film_;
};

}  // namespace

std::string obstacle_to_film(const Result& result, const Source& cell) {
  if (result.difference) return "A difference has no film: watch the number in one of the two documents.";
  if (result.imported) return "This number was read from a file: nothing here computed it.";
  if (!has_cell(result, cell)) return "The document has no such number, or it is still being computed.";
  if (cell.kind != SourceKind::cell) return "Only a cell of a matrix has a film.";
  if (is_on_route(result.config, cell.stage)) return "";
  const std::vector<SourceLine> lines = operands(result.config, cell);
  if (!lines.empty() && lines.front().first.kind != SourceKind::draw) {
    const bool is_of_off_head =
        rule_of(result.config, cell.stage).joins_heads && operands(result.config, lines.front().first).empty();
    if (!is_of_off_head) return "";
    return obstacle_to_film(result, lines.front().first);
  }
  const std::vector<std::string> none;
  const std::vector<ExplanationLine> words = explanation_lines(result, cell, none, film::most_terms);
  const bool has_sentence = !words.empty() && words.front().is_words;
  return fmt::format("No arithmetic made this number, so that it has no film.{}{}", has_sentence ? " " : "",
                     has_sentence ? words.front().text : "");
}

Film make_film(const FilmSubject& subject) {
  if (!obstacle_to_film(subject.result, subject.cell).empty()) return {.cell = subject.cell};
  return FilmWriter(subject).write();
}

}  // namespace attnscope
