#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "view/diagram_draft.h"

// Lays out one candidate for each choice of lines and options, and takes the best.

namespace attnscope::scene {
namespace {

constexpr double slivers[] = {0.25, 0.08};     // widths of another head's column if there is little room
constexpr double most_of_others = 0.3;         // width of all other heads as the thinnest slivers, in columns
constexpr Index most_presented_columns = 8;    // of a context that shows all heads alike before an audience
constexpr double small_project = 0.45;         // width of a column of what two compared documents share
constexpr double worth_of_project = 1.4;       // in sizes of the weights' cells, beside scores that differ
constexpr double overview_share = 0.25;        // height of the rows of lines without the weights, before an audience
constexpr double share_above_squares = 0.5;    // the same above a line of squares
constexpr double share_of_steps_above = 0.75;  // the same where scores stand there, above the weights
constexpr double thumb_size = 0.26;            // of a small matrix, in others

const LaidLine::Band project_band{"1  Project", "a query, a key and a value for each token", 0};
const LaidLine::Band inputs_band{"1  Inputs", "a row is a token", 0};
const LaidLine::Band given_band{"1  Given", "queries, keys and values", 0};
const LaidLine::Band compare_band{"2  Compare", "each query with every key", 0};
const LaidLine::Band mix_band{"3  Mix", "values, weighted and added", 0};

using Blocks = std::vector<LaidBlock>;

Blocks joined(Blocks first, const Blocks& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

auto of_stage(Stage stage) {
  return [stage](const LaidBlock& laid) { return laid.stage == stage; };
}

// Merges the head's context into that of all heads, which shows its numbers, too.
void merge_head_context(Blocks& mix) {
  const auto head = std::ranges::find_if(mix, of_stage(Stage::head_context));
  if (head == mix.end() || head + 1 == mix.end() || (head + 1)->stage != Stage::context) return;
  LaidBlock& context = *(head + 1);
  context.above = head->above;
  context.sign = head->sign;
  context.note = head->note;
  context.passed = head->passed;
  mix.erase(head);
}

struct Parts {
  Blocks project, compare, main_matrix, mix;
};

// Makes the squares from `first` on small; the last one only if it does not stay.
void make_thumbs(Blocks& blocks, std::size_t first, bool stays = true) {
  std::size_t last = blocks.size();
  while (last > 0 && !blocks[last - 1].is_square()) --last;
  for (std::size_t i = first; i + (stays ? 1 : 0) < last; ++i) {
    if (!blocks[i].is_square()) continue;
    blocks[i].is_thumb = true;
    blocks[i].shrink = thumb_size;
  }
}

// Leaves out what stands above results; the signs of products name their operands instead.
void leave_out_operands(Blocks& blocks, KeptOperands kept) {
  for (LaidBlock& each : blocks) {
    if (!each.above || kept == KeptOperands::all) continue;
    const bool is_pattern = each.above->kind == OperandKind::pattern;
    if (is_pattern && kept == KeptOperands::patterns) continue;
    if (each.sign == "×") each.sign += " " + (each.stage == Stage::queries ? "W" : each.above->captions.back());
    each.above.reset();
  }
}

Parts parts_of(const DiagramShape& shape, const LayoutOptions& options, DiagramWrap wrap, std::optional<Stage> told) {
  const auto laid = [](const std::vector<DiagramBlock>& blocks) { return Blocks(blocks.begin(), blocks.end()); };
  Parts parts{laid(shape.project), laid(shape.compare), laid(shape.main_matrix), laid(shape.mix)};
  if (options.is_merged) merge_head_context(parts.mix);
  for (Blocks* const blocks : {&parts.project, &parts.mix}) {
    for (LaidBlock& each : *blocks) {
      if (each.columns.heads == 1) continue;
      each.other_share = options.other_share;
      if (options.is_presented && blocks == &parts.project) each.other_share = 0;
      const bool are_few = each.columns.heads * each.columns.of_head <= most_presented_columns;
      if (options.is_presented && blocks == &parts.mix && are_few) {
        each.other_share = 1;
        continue;
      }
      if (options.other_share > slivers[1]) continue;
      const double others = effective_columns(as_double((each.columns.heads - 1) * each.columns.of_head));
      each.other_share = std::min(each.other_share, most_of_others / others);
    }
  }
  for (Blocks* const blocks : {&parts.project, &parts.compare, &parts.main_matrix, &parts.mix})
    for (LaidBlock& each : *blocks) each.is_difference = shape.is_difference;
  if (wrap == DiagramWrap::squares) {
    const auto kept = std::ranges::find(parts.compare, told, &LaidBlock::stage);
    const bool has_kept = options.thumbs == 2 && kept != parts.compare.end() && kept->is_square();
    if (options.thumbs > 0) make_thumbs(parts.compare, has_kept || options.thumbs > 2 ? 1 : 2, options.thumbs == 1);
    if (has_kept) {
      kept->is_thumb = false;
      kept->shrink = 1;
    }
    if (options.thumbs == 4) make_thumbs(parts.mix, 0);
  } else {
    make_thumbs(parts.compare,
                options.thumbs == 0   ? parts.compare.size()
                : options.thumbs == 1 ? 2
                                      : 1,
                options.thumbs < 3);
    if (options.thumbs > 1) make_thumbs(parts.mix, 0);
  }
  leave_out_operands(parts.project, options.operands);
  leave_out_operands(parts.mix, options.operands);
  return parts;
}

// Returns the parts of one of two compared documents. Its scores have no operands: both documents share these.
Parts compared_parts(const DiagramShape& shape, const LayoutOptions& options) {
  Parts parts = parts_of(shape, options, DiagramWrap::compared, {});
  const ComparedParts& kept = options.compared;
  std::erase_if(parts.compare, [&](const LaidBlock& each) { return !kept.has_steps || each.is_copy; });
  for (LaidBlock& each : parts.compare) each.above.reset();
  if (!kept.has_output) std::erase_if(parts.mix, of_stage(Stage::output));
  if (kept.project == 0) parts.project.clear();
  for (LaidBlock& each : parts.project) each.shrink = kept.project;
  return parts;
}

// Returns the headings of the spine: for the projections, and for the mixing if it stands on the same line.
std::vector<LaidLine::Band> spine_of(const DiagramShape& shape, const Parts& parts) {
  std::vector<LaidLine::Band> bands;
  if (!parts.project.empty())
    bands.push_back(shape.is_given ? given_band : shape.is_projected ? project_band : inputs_band);
  if (!parts.mix.empty()) bands.push_back(mix_band);
  if (!parts.mix.empty()) bands.back().block = parts.project.size() + parts.main_matrix.size();
  return bands;
}

// Returns a line with room for the blocks of all lines: a block that it lacks leaves its room empty.
Blocks filled(const Blocks& own, const Blocks& all) {
  Blocks line = all;
  for (LaidBlock& each : line) {
    const auto found = std::ranges::find_if(own, of_stage(each.stage));
    if (found != own.end())
      each = *found;
    else
      each.is_ghost = true;
  }
  return line;
}

// Returns the blocks that one of two documents has, in the order of their computation.
Blocks united(Blocks all, const Blocks& others) {
  for (const LaidBlock& each : others) {
    const Stage stage = each.stage;
    if (std::ranges::any_of(all, of_stage(stage))) continue;
    all.insert(std::ranges::find_if(all, [&](const LaidBlock& other) { return other.stage > stage; }), each);
  }
  return all;
}

// Lets the arrow into the weights say what makes them of the scores before them, and which of A's steps B lacks.
void say_what_leads_to(LaidBlock& weights, const DiagramShape& shape, const Blocks& before) {
  if (before.empty()) return;
  weights.sign = shape.pill.starts_with("softmax") ? "softmax" : "÷ Σ";
  for (std::size_t i = 0; i < shape.absent.size(); ++i) {
    const auto found = std::ranges::find_if(before, of_stage(shape.absent[i]));
    if (found != before.end() && found->is_ghost) weights.note = shape.words[i];
  }
}

// Puts B's scores, weights and mix below A's. Both lines have the same columns.
std::vector<LaidLine> compared_lines(const DiagramShape& of_a, const DiagramShape& of_b, const LayoutOptions& options) {
  Parts a = compared_parts(of_a, options);
  Parts b = compared_parts(of_b, options);
  const Blocks steps = united(a.compare, b.compare);
  const Blocks mix = united(a.mix, b.mix);
  std::vector<LaidLine> lines(2);
  const auto put = [&](LaidLine& line, Parts& own, const DiagramShape& shape, const Blocks& project, bool is_second) {
    own.compare = filled(own.compare, steps);
    LaidBlock& weights = own.main_matrix.front();
    weights.title = (is_second ? "B: " : "A: ") + weights.title;
    say_what_leads_to(weights, shape, own.compare);
    line.blocks = joined(joined(joined(project, own.compare), own.main_matrix), filled(own.mix, mix));
    for (LaidBlock& each : line.blocks) each.is_second = is_second;
  };
  put(lines[0], a, of_a, a.project, false);
  put(lines[1], b, of_b, filled({}, a.project), true);
  lines[0].bands = spine_of(of_a, a);
  if (!steps.empty()) {
    if (!mix.empty()) lines[0].bands.back().block += steps.size();
    lines[0].bands.insert(lines[0].bands.end() - (mix.empty() ? 0 : 1), compare_band);
    (lines[0].bands.end() - (mix.empty() ? 1 : 2))->block = a.project.size();
  }
  return lines;
}

std::vector<LaidLine> wrapped_lines(const DiagramShape& shape, const Parts& parts, DiagramWrap wrap, bool is_tight,
                                    bool is_overview) {
  const bool is_few = std::ssize(shape.keys) <= many_keys;
  const double low = is_tight ? 0.36 : is_few && wrap != DiagramWrap::bands ? 0.62 : 0.5;
  std::vector<LaidLine> lines;
  const auto add = [&](Blocks blocks, std::vector<LaidLine::Band> bands, bool is_entered) {
    if (blocks.empty()) return;
    LaidLine& line = lines.emplace_back();
    line.blocks = std::move(blocks);
    std::erase_if(bands, [&](const LaidLine::Band& band) { return band.block >= line.blocks.size(); });
    line.bands = std::move(bands);
    line.share = line.has_main() ? 1 : is_overview ? std::min(low, overview_share) : low;
    line.is_entered = is_entered;
    line.is_compare = !line.bands.empty() && line.bands.front().title == compare_band.title;
  };
  const bool has_main_first = wrap != DiagramWrap::bands;
  const bool has_mix_first = wrap == DiagramWrap::two_lines;
  Blocks spine = parts.project;
  if (has_main_first) spine = joined(spine, parts.main_matrix);
  if (has_mix_first) spine = joined(spine, parts.mix);
  add(spine, spine_of(shape, parts), false);
  add(parts.compare, {compare_band}, true);
  if (!has_main_first) add(parts.main_matrix, {}, true);
  if (!has_mix_first) add(parts.mix, {mix_band}, true);
  return lines;
}

// Puts the weights into their fixed place: the projections left of them, the contexts right, and every other matrix of
// queries by keys into the line below.
std::vector<LaidLine> lines_around(const DiagramShape& shape, Parts parts) {
  Blocks below = std::move(parts.compare);
  const bool is_compared = !below.empty();
  Blocks contexts;
  for (LaidBlock& each : parts.mix) {
    each.is_after = each.is_square();
    each.is_right = !each.is_square();
    (each.is_after ? below : contexts).push_back(std::move(each));
  }
  parts.mix = std::move(contexts);
  std::vector<LaidLine> lines(below.empty() ? 1 : 2);
  lines[0].bands = spine_of(shape, parts);
  lines[0].blocks = joined(joined(std::move(parts.project), parts.main_matrix), parts.mix);
  if (below.empty()) return lines;
  lines[1].blocks = std::move(below);
  if (is_compared) lines[1].bands = {compare_band};
  lines[1].is_entered = true;
  lines[1].is_compare = is_compared;
  return lines;
}

// Puts the projections and the scores above, and the weights with all that follows from them on the line below.
std::vector<LaidLine> lines_with_steps_above(Parts parts, bool is_short) {
  std::erase_if(parts.compare, [](const LaidBlock& each) { return each.is_copy; });
  std::vector<LaidLine> lines(2);
  lines[0].blocks = joined(std::move(parts.project), parts.compare);
  lines[1].blocks = joined(std::move(parts.main_matrix), parts.mix);
  for (LaidBlock& each : lines[1].blocks)
    if (!each.is_main() && each.is_square()) each.shrink /= ratio_of_squares;
  lines[0].share = share_of_steps_above;
  lines[1].is_entered = true;
  if (is_short) std::ranges::for_each(lines, shorten_titles);
  return lines;
}

// Puts the projections and contexts above, and every matrix of queries by keys on the line below.
std::vector<LaidLine> lines_of_squares(const DiagramShape& shape, Parts parts, bool is_short) {
  Blocks below = std::move(parts.compare);
  std::erase_if(below, [](const LaidBlock& each) { return each.is_copy; });
  say_what_leads_to(parts.main_matrix.front(), shape, below);
  below = joined(std::move(below), parts.main_matrix);
  Blocks above = std::move(parts.project);
  for (LaidBlock& each : parts.mix) (each.is_square() ? below : above).push_back(std::move(each));
  for (LaidBlock& each : below)
    if (!each.is_main()) each.shrink /= ratio_of_squares;
  std::vector<LaidLine> lines(2);
  lines[0].blocks = std::move(above);
  lines[0].share = share_above_squares;
  lines[1].blocks = std::move(below);
  lines[1].is_entered = true;
  if (is_short) shorten_titles(lines[1]);
  return lines;
}

void shorten_words(LaidLine& line) {
  shorten_titles(line);
  for (LaidBlock& each : line.blocks) {
    each.note.clear();
    if (each.other_share < 1) each.other_share *= 0.6;
  }
}

std::vector<LaidLine> lines_of(const DiagramShape& shape, const DiagramCanvas& canvas, DiagramWrap wrap,
                               const LayoutOptions& options, const DiagramShape* other) {
  std::vector<LaidLine> lines =
      other                         ? compared_lines(shape, *other, options)
      : wrap == DiagramWrap::around ? lines_around(shape, parts_of(shape, options, wrap, canvas.told))
      : options.has_steps_above
          ? lines_with_steps_above(parts_of(shape, options, wrap, canvas.told), options.thumbs > 0)
      : wrap == DiagramWrap::squares
          ? lines_of_squares(shape, parts_of(shape, options, wrap, canvas.told), options.thumbs > 0)
          : wrapped_lines(shape, parts_of(shape, options, wrap, canvas.told), wrap, options.is_tight,
                          canvas.is_presented);
  if (canvas.is_page) std::ranges::for_each(lines, shorten_words);
  if (canvas.is_presented && wrap != DiagramWrap::around && !other)
    for (LaidLine& line : lines) line.bands.clear();
  return lines;
}

DiagramType type_of(const DiagramShape& shape, const DiagramCanvas& canvas, const TextMeasure& measure) {
  const double grow = std::clamp(std::pow(std::min(canvas.box.width / 1220, canvas.box.height / 840), 0.6), 1.0, 1.4);
  DiagramType type;
  const double f = type.f = canvas.least_text / 11 * (canvas.least_text < 16 ? grow : 1);
  type.main_matrix = 18 * f;
  type.title = 13.5 * f;
  type.label = std::max(canvas.least_text, 11.5 * f);
  type.note = std::max(canvas.least_text, 11 * f);
  type.number = type.note;
  type.most_number = 20 * f;
  for (const std::string& name : shape.keys) {
    type.longest_label = std::max(type.longest_label, measure(name, type.label, Face::text));
    type.longest_note = std::max(type.longest_note, measure(name, type.note, Face::text));
  }
  for (const std::string& name : shape.row_names())
    type.longest_row = std::max(type.longest_row, measure(name, type.label, Face::bold));
  return type;
}

// A score of a candidate: the smaller one is better.
using Score = std::tuple<bool, bool, int, bool, bool, int, int, int, double, std::size_t>;

Score score_of(DiagramLayout& out, const DiagramShape& shape, const LayoutOptions& options,
               const DiagramCanvas& canvas) {
  const PlacedMatrix& main_matrix = *out.main_matrix();
  const bool is_merged = options.is_merged && shape.mix.size() > 1;
  const bool is_around = out.wrap == DiagramWrap::around;
  std::array<int, 5> lost{};  // matrices without numbers, by their importance
  bool is_outgrown = false;
  int legible = 0;  // elementwise stages with numbers
  int rounded = 0;
  for (const PlacedMatrix& matrix : out.matrices) {
    legible += matrix.rank == 3 && matrix.text > 0 ? 1 : 0;
    rounded += matrix.is_rounded ? 1 : 0;
    const bool counts_thumb = out.wrap == DiagramWrap::squares || (is_around && matrix.rank == 2);
    const bool may_be_bare = matrix.is_pattern || (matrix.is_thumb && !counts_thumb);
    if (matrix.text == 0 && !may_be_bare)
      lost.at(static_cast<std::size_t>(matrix.rank)) += canvas.is_presented && matrix.stage == Stage::scores ? 2 : 1;
    const double area = matrix.box.width * matrix.box.height;
    if (&matrix != &main_matrix && area > main_matrix.box.width * main_matrix.box.height * 1.001) is_outgrown = true;
  }
  const bool has_slivers = options.other_share < 1;
  const bool has_no_card = canvas.wants_card && !out.card;
  const std::pair<bool, const char*> losses[] = {
      {lost[4] > 0, "numbers of operands"},          {lost[3] > 0, "numbers of elementwise stages"},
      {lost[2] > 0, "numbers of features"},          {lost[1] > 0, "numbers of the weights"},
      {options.is_tight, "ends of keys' names"},     {has_slivers, "columns of other heads"},
      {is_merged, "head context stands in context"}, {options.thumbs > 0, "stages between as thumbnails"},
      {has_no_card, "no corner for the card"}};
  for (const auto& [is_given_up, words] : losses)
    if (is_given_up) out.given_up.emplace_back(words);
  double cell = main_matrix.cell_width() * main_matrix.row_height();
  if (is_around) {  // there the weights are given, and all other cells may grow
    cell = 0;
    for (const PlacedMatrix& matrix : out.matrices)
      if (matrix.kind != BlockKind::main_matrix && !matrix.is_operand())
        cell += matrix.cell_width() * matrix.row_height();
  }
  if (out.wrap == DiagramWrap::two_lines) cell *= 1.5;
  if (lost[4] > 0) cell *= 0.85;
  if (has_slivers) cell *= options.other_share < 0.1 ? 0.7 : 0.8;
  if (is_merged) cell *= 0.85;
  return {is_outgrown || out.is_crowded,
          lost[1] > 0,
          lost[2],
          is_around && lost[3] > 0 && legible > 0,  // without any numbers large ones show more than thumbnails
          has_no_card,
          is_around             ? -legible
          : canvas.is_presented ? lost[3]
                                : std::min(lost[3], 1),
          rounded,
          options.thumbs,
          -std::round(cell * 1000) / 1000,
          static_cast<std::size_t>(out.wrap)};
}

// Scores A above B: the weights have numbers, then the scores that lead to them, if these differ, then the contexts.
Score score_of_compared(const DiagramLayout& out, const LayoutOptions& options, const DiagramCanvas& canvas,
                        bool wants_steps) {
  const ComparedParts& kept = options.compared;
  const PlacedMatrix& weights = *out.main_matrix();
  int lost = 0;  // features without numbers; those of projections that were made small have none
  int lost_steps = kept.has_steps || !wants_steps ? 0 : 5;
  bool is_outgrown = false;
  const bool is_large = weights.box.height > large_of_compared * canvas.box.height;
  for (const PlacedMatrix& matrix : out.matrices) {
    const bool is_project = info(matrix.result).place.band == Band::project;
    const int loss = matrix.text == 0 ? 2 : matrix.is_rounded ? 1 : 0;
    if (matrix.rank == 2 && !(is_project && kept.project < 1)) lost += loss;
    const bool is_step = matrix.kind == BlockKind::square && info(matrix.stage).place.band == Band::compare;
    if (is_step && !matrix.is_operand() && loss > 0) lost_steps = std::max(lost_steps, is_large ? 3 * loss : 6);
    const double area = matrix.box.width * matrix.box.height;
    if (area > weights.box.width * weights.box.height * 1.001) is_outgrown = true;
  }
  if (kept.has_steps && canvas.wants_card && !out.card) lost_steps += 3;
  double cell = weights.cell_width() * weights.row_height();
  if (kept.project > 0) cell *= kept.project < 1 ? worth_of_project : worth_of_project * 1.1;
  if (options.operands != KeptOperands::none) cell *= options.operands == KeptOperands::all ? 1.25 : 1.1;
  if (options.operands == KeptOperands::all && !options.has_operand_numbers) cell *= 0.9;
  if (options.other_share < 1) cell *= 0.85;
  if (options.is_merged) cell *= 0.9;
  if (!kept.has_subtitles) cell *= 0.7;
  return {is_outgrown,
          weights.text == 0,
          lost_steps + (kept.has_output ? 0 : 1),
          kept.project == 0 && !kept.has_steps,
          false,
          lost,
          0,
          0,
          -std::round(cell * 1000) / 1000,
          0};
}

// Returns all candidates for given lines.
std::vector<LayoutOptions> options_for(const DiagramShape& shape, const DiagramCanvas& canvas, DiagramWrap wrap) {
  const bool is_around = wrap == DiagramWrap::around;
  const auto has_heads = [](const DiagramBlock& block) { return block.columns.heads > 1; };
  const bool is_multi = std::ranges::any_of(shape.project, has_heads) || std::ranges::any_of(shape.mix, has_heads);
  const Index least_for_thumbs = wrap == DiagramWrap::squares ? 1 : canvas.is_page ? 4 : 5;
  const bool may_have_thumbs = is_around || std::ssize(shape.compare) >= least_for_thumbs;
  const int most_thumbs = !may_have_thumbs ? 0 : is_around ? 3 : wrap == DiagramWrap::squares ? 4 : 1;
  std::vector<LayoutOptions> all;
  const auto try_all = [&](double other_share, bool merged) {
    for (const bool operand_numbers : is_around ? std::vector{true} : std::vector{true, false})
      for (int thumbs = 0; thumbs <= most_thumbs; ++thumbs)
        for (const bool card : !canvas.wants_card ? std::vector{false}
                               : thumbs == 3      ? std::vector{true}
                                                  : std::vector{true, false})
          all.push_back({other_share, merged, operand_numbers, thumbs, card, canvas.is_presented});
  };
  try_all(1, false);
  for (const double share : slivers) {
    if (!is_multi || (share < slivers[0] && !is_around)) continue;
    try_all(share, false);
    try_all(share, true);
  }
  const bool has_more = std::ranges::any_of(shape.mix, [](const DiagramBlock& block) {
    return block.kind == BlockKind::square;  // so that one line has too many squares
  });
  const std::size_t usual = all.size();
  for (std::size_t i = 0; i < usual && wrap == DiagramWrap::squares && has_more; ++i) {
    all.push_back(all[i]);
    all.back().has_steps_above = true;
  }
  return all;
}

bool has_steps(const DiagramShape& a, const DiagramShape& b) {
  const auto is_step = [](const DiagramBlock& block) { return !block.is_copy; };
  return std::ranges::any_of(a.compare, is_step) || std::ranges::any_of(b.compare, is_step);
}

void add_heads_of_compared(std::vector<LayoutOptions>& all, LayoutOptions options) {
  for (const double share : {1.0, slivers[0]}) {
    for (const bool merged : {false, true}) {
      options.other_share = share;
      options.is_merged = merged;
      all.push_back(options);
    }
  }
}

// Returns the candidates for A above B, where what both share makes way for the weights.
std::vector<LayoutOptions> options_of_compared(bool may_have_steps) {
  std::vector<LayoutOptions> all;
  for (const bool has_steps : may_have_steps ? std::vector{false, true} : std::vector{false})
    for (const double project : {1.0, small_project, 0.0})
      for (const bool has_output : has_steps ? std::vector{true, false} : std::vector{true})
        for (const bool has_subtitles : has_steps ? std::vector{true, false} : std::vector{true})
          add_heads_of_compared(all, {.has_operand_numbers = false,
                                      .operands = KeptOperands::none,
                                      .compared = {project, has_steps, has_output, has_subtitles}});
  return all;
}

// Returns further candidates of the same parts, with what stands above results.
std::vector<LayoutOptions> options_with_operands(const ComparedParts& parts) {
  std::vector<LayoutOptions> all;
  for (const KeptOperands operands : {KeptOperands::patterns, KeptOperands::all})
    for (const bool numbers : operands == KeptOperands::all ? std::vector{false, true} : std::vector{false})
      add_heads_of_compared(all, {.has_operand_numbers = numbers, .operands = operands, .compared = parts});
  return all;
}

std::optional<DiagramLayout> best_of(const DiagramShape& shape, const DiagramCanvas& canvas, const TextMeasure& measure,
                                     const std::vector<DiagramWrap>& wraps, const DiagramShape* other) {
  const DiagramType type = type_of(shape, canvas, measure);
  const std::optional<MainPlace> place = other ? std::nullopt : place_of_main(shape, canvas, type);
  const bool wants_steps = other && has_steps(shape, *other);
  const auto best_that = [&](bool is_tight) {
    std::optional<DiagramLayout> best;
    std::optional<Score> best_score;
    LayoutOptions best_options;
    const auto try_all = [&](DiagramWrap wrap, const std::vector<LayoutOptions>& all) {
      for (LayoutOptions options : all) {
        options.is_tight = is_tight;
        DiagramDraft lines{shape, canvas, measure, type, wrap, options, lines_of(shape, canvas, wrap, options, other),
                           place};
        std::optional<DiagramDraft> draft =
            wrap == DiagramWrap::around ? with_sizes_around(std::move(lines)) : with_sizes(std::move(lines));
        if (!draft) continue;
        DiagramLayout layout = with_routes(with_places(std::move(*draft)));
        const Score score =
            other ? score_of_compared(layout, options, canvas, wants_steps) : score_of(layout, shape, options, canvas);
        if (best_score && !(score < *best_score)) continue;
        best_score = score;
        best_options = options;
        best = std::move(layout);
      }
    };
    for (const DiagramWrap wrap : wraps) {
      if (wrap == DiagramWrap::around && !place) continue;
      if (best && best->wrap == DiagramWrap::around) break;
      try_all(wrap, other ? options_of_compared(wants_steps) : options_for(shape, canvas, wrap));
      if (other && best) try_all(wrap, options_with_operands(best_options.compared));
    }
    return best;
  };
  std::optional<DiagramLayout> best = best_that(false);
  if (best && best->wrap == DiagramWrap::around) return best;
  const bool is_page = !canvas.wants_card;  // nobody sees a page grow
  const auto keys = static_cast<Index>(shape.keys.size());
  if ((best && best->main_matrix()->text > 0) || keys > (is_page ? 2 : 1) * many_keys) return best;
  std::optional<DiagramLayout> tight = best_that(true);
  if (!best || !tight) return best ? best : tight;
  const auto area = [](const DiagramLayout& layout) {
    return layout.main_matrix()->box.width * layout.main_matrix()->box.height;
  };
  const double least_gain = is_page ? 1 : 1.25;  // cut names cost more than a small gain
  const bool is_better = tight->main_matrix()->text > 0 || area(*tight) > least_gain * area(*best);
  return is_better ? tight : best;
}

enum class Rounding { none, all_but_weights, all };

constexpr int fewest_decimals = 2;  // numbers are rounded to so many before they are left out

DiagramShape rounded(DiagramShape shape, Rounding rounding) {
  const auto round = [](std::string& widest) {
    const std::size_t point = widest.find('.');
    if (point != std::string::npos) widest.resize(std::min(widest.size(), point + 1 + fewest_decimals));
  };
  if (rounding == Rounding::none) return shape;
  for (std::vector<DiagramBlock>* blocks : {&shape.project, &shape.compare, &shape.main_matrix, &shape.mix}) {
    for (DiagramBlock& block : *blocks) {
      if (block.kind != BlockKind::main_matrix || rounding == Rounding::all) round(block.widest);
      if (block.above) round(block.above->widest);
    }
  }
  return shape;
}

// Lays a diagram out with the given decimals, or with fewer if more numbers have room then.
template <typename Lay>
std::optional<DiagramLayout> with_most_numbers(const Lay& lay, int decimals) {
  std::optional<DiagramLayout> best = lay(Rounding::none);
  const auto count_lost = [](const DiagramLayout& layout) {
    return std::ranges::count_if(layout.matrices, [](const PlacedMatrix& m) { return m.text == 0 && !m.is_pattern; });
  };
  if (!best || decimals <= fewest_decimals) return best;
  for (const Rounding rounding : {Rounding::all_but_weights, Rounding::all}) {
    if (count_lost(*best) == 0) break;
    std::optional<DiagramLayout> other = lay(rounding);
    if (other && count_lost(*other) < count_lost(*best)) best = std::move(other);
  }
  return best;
}

// Measures each text once for each size.
TextMeasure measured_once(const TextMeasure& measure) {
  using Key = std::tuple<std::string, double, Face>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      const auto& [text, size, face] = key;
      return std::hash<std::string>()(text) ^ 31 * std::hash<double>()(size) ^ static_cast<std::size_t>(face);
    }
  };
  const auto widths = std::make_shared<std::unordered_map<Key, double, KeyHash>>();
  return [&measure, widths](std::string_view text, double size, Face face) {
    const auto [found, is_new] = widths->try_emplace(Key(text, size, face));
    if (is_new && !text.empty()) found->second = measure(text, size, face);
    return found->second;
  };
}

}  // namespace

DiagramDraft::DiagramDraft(const DiagramShape& shape, const DiagramCanvas& canvas, const TextMeasure& measure,
                           const DiagramType& type, DiagramWrap wrap, const LayoutOptions& options,
                           std::vector<LaidLine> lines, const std::optional<MainPlace>& place)
    : s_(shape), c_(canvas), measure_(measure), type_(type), wrap_(wrap), o_(options), lines_(std::move(lines)) {
  if (is_around()) {
    place_ = place;
    left_ = c_.box.x + around_margin * f_;
    right_ = c_.box.right() - around_margin * f_;
    channel_ = around_channel * f_;
    names_ = std::clamp(type_.longest_row, least_names * f_, 120 * f_);
    x0_ = left_ + names_ + channel_;
  }
  if (is_overview()) {
    channel_ = around_channel * f_;
    names_ = std::clamp(type_.longest_row, around_margin * f_, 120 * f_);
    x0_ = left_ + names_ + channel_;
    type_.main_matrix = type_.title;
  }
  main_line_ = static_cast<std::size_t>(std::ranges::find_if(lines_, &LaidLine::has_main) - lines_.begin());
  for (LaidLine& line : lines_) {
    for (LaidBlock& each : line.blocks) {
      if (c_.is_presented || is_compared()) use_own_widths(each);
      const bool is_small = is_compared() && each.shrink < 1;
      const bool counts = !each.is_square() && !each.has_own_rows && !is_small;
      if (counts) least_cell_ = std::max(least_cell_, width_of(each.widest, number_, Face::number) + 2 * number_air);
    }
  }
  if (is_overview()) {
    for (LaidLine& line : lines_)
      for (LaidBlock& each : line.blocks)
        if (!each.is_square() && least_cell_ > 0)
          each.shrink *= (width_of(each.widest, number_, Face::number) + 2 * number_air) / least_cell_;
  }
  if (least_cell_ == 0) least_cell_ = width_of("−0.00", number_, Face::number) + 2 * number_air;
  out_.wrap = wrap;
  out_.canvas = canvas.box;
  out_.unit = f_;
  out_.least_text = canvas.least_text;
  out_.is_merged = options.is_merged;
}

// Drops the room for a sign that no number has and, where the whole diagram is shown, for sums and notes on arrows.
void DiagramDraft::use_own_widths(LaidBlock& laid) const {
  constexpr std::string_view sign = "−";
  if (!laid.has_negatives && laid.widest.starts_with(sign)) laid.widest.erase(0, sign.size());
  if (!is_overview()) return;
  laid.has_sums = false;
  laid.note.clear();
}

std::optional<DiagramLayout> layout_diagram(const DiagramShape& shape, const DiagramCanvas& canvas,
                                            const TextMeasure& measure) {
  if (shape.main_matrix.empty() || shape.row_count() == 0) return {};
  if (canvas.may_grow) return layout_grown(shape, canvas, measure);
  std::vector<DiagramWrap> wraps = usual_wraps;
  const bool is_short = !shape.compare.empty() && std::ssize(shape.keys) <= many_keys && shape.queries.empty();
  if (canvas.is_presented && is_short && !(shape.project.empty() && shape.mix.empty()))
    wraps.push_back(DiagramWrap::squares);
  return layout_wrapped(shape, canvas, measure, wraps);
}

std::optional<DiagramLayout> layout_wrapped(const DiagramShape& shape, const DiagramCanvas& canvas,
                                            const TextMeasure& measure, const std::vector<DiagramWrap>& wraps) {
  const TextMeasure measured = measured_once(measure);
  std::optional<DiagramLayout> layout = with_most_numbers(
      [&](Rounding rounding) { return best_of(rounded(shape, rounding), canvas, measured, wraps, nullptr); },
      shape.is_difference ? fewest_decimals : decimals_of(shape.main_matrix.front().widest));
  if (layout) name_dimensions(*layout, shape, measured);
  return layout;
}

std::optional<DiagramLayout> layout_compared(const DiagramShape& a, const DiagramShape& b, const DiagramCanvas& canvas,
                                             const TextMeasure& measure) {
  if (a.main_matrix.empty() || b.main_matrix.empty()) return {};
  const TextMeasure measured = measured_once(measure);
  const auto lay = [&](Rounding rounding) {
    const DiagramShape first = rounded(a, rounding);
    const DiagramShape second = rounded(b, rounding);
    return best_of(first, canvas, measured, {DiagramWrap::compared}, &second);
  };
  std::optional<DiagramLayout> layout = with_most_numbers(lay, decimals_of(a.main_matrix.front().widest));
  if (layout) name_dimensions(*layout, a, measured);
  return layout;
}

int decimals_of(std::string_view number) {
  const std::size_t point = number.find('.');
  return point == std::string_view::npos ? 0 : static_cast<int>(number.size() - point - 1);
}

const PlacedPart& PlacedMatrix::viewed() const { return *std::ranges::find_if(parts, &PlacedPart::is_viewed); }

const PlacedMatrix* DiagramLayout::main_matrix() const {
  const auto found = std::ranges::find(matrices, BlockKind::main_matrix, &PlacedMatrix::kind);
  return found == matrices.end() ? nullptr : &*found;
}

bool overlap(const Box& a, const Box& b, double by) {
  return a.x < b.right() - by && b.x < a.right() - by && a.y < b.bottom() - by && b.y < a.bottom() - by;
}

}  // namespace attnscope::scene
