#include "features/shared/picture_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "document/words.h"
#include "features/shared/settings_json.h"
#include "state/layouts.h"
#include "study/study.h"

namespace attnscope {
namespace {

// From 1 in the text, from 0 here; none where it is out of bounds.
std::optional<Index> index_of(std::string_view text, Index count) {
  const Index number = number_of<Index>(text).value_or(0);
  if (number < 1 || number > count) return {};
  return number - 1;
}

// "weights:2,1"
std::optional<Source> cell_of(std::string_view text, const AttentionConfig& config, const ViewState& view) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::size_t comma = std::min(text.find(',', colon), text.size());
  const std::optional<Stage> stage = stage_named(text.substr(0, colon));
  if (!stage || comma == text.size() || !has_stage(config, *stage)) return {};
  const std::vector<Index> shape = stage_shape(config, *stage);
  const std::optional<Index> row = index_of(text.substr(colon + 1, comma - colon - 1), shape[shape.size() - 2]);
  const std::optional<Index> col = index_of(text.substr(comma + 1), shape.back());
  if (!row || !col) return {};
  return Source{.stage = *stage, .batch = view.batch, .head = view.head, .row = *row, .col = *col};
}

void take_word(ViewState& view, const AttentionConfig& config, std::string_view key, std::string_view value) {
  if (key == "layout") {
    if (const LayoutInfo* const found = layout_named(value)) view.layout = found->layout;
  } else if (key == "stage") {
    const std::optional<Stage> stage = stage_named(value);
    if (stage && has_stage(config, *stage)) view.stage = *stage;
  } else if (key == "head") {
    view.head = index_of(value, head_count(config)).value_or(view.head);
  } else if (key == "batch") {
    view.batch = index_of(value, config.batch_size).value_or(view.batch);
  } else if (key == "range") {
    for (const auto& [mode, name] : range_words()) {
      if (name == value) view.range = mode;
    }
  } else if (key == "study") {
    if (study_named(value)) view.study = {.id = std::string(value)};
  } else if (key.starts_with("study.")) {
    if (const std::optional<double> number = number_of<double>(value))
      view.study.values[std::string(key.substr(std::string_view("study.").size()))] = *number;
  } else if (key == "side") {
    for (const auto& [side, name] : compared_sides) {
      if (name == value) view.side = side;
    }
  } else if (key == "cell") {
    if (const std::optional<Source> cell = cell_of(value, config, view)) view.pinned = cell;
  }
}

}  // namespace

std::string view_text(const ViewState& view) {
  std::string text = fmt::format("layout={} stage={} head={} batch={} range={}", view.layout.id, info(view.stage).id,
                                 view.head + 1, view.batch + 1, word_of(range_words(), view.range));
  if (view.pinned && view.pinned->kind == SourceKind::cell) {
    text += fmt::format(" cell={}:{},{}", info(view.pinned->stage).id, view.pinned->row + 1, view.pinned->col + 1);
  }
  if (view.side != ComparedSide::now) text += fmt::format(" side={}", word_of(compared_sides, view.side));
  if (view.layout != Layout::study) return text;
  text += fmt::format(" study={}", view.study.id);
  for (const auto& [control, value] : view.study.values) text += fmt::format(" study.{}={}", control, value);
  return text;
}

std::string view_text(const FigureOptions& options) {
  ViewState view;
  view.layout = !options.study.id.empty() ? Layout::study
                : !options.stage          ? Layout::diagram
                : options.head            ? Layout::focus
                                          : Layout::heads;
  view.stage = options.stage.value_or(Stage::weights);
  view.head = options.head.value_or(0);
  view.batch = options.batch;
  view.range = options.range;
  view.pinned = options.marked;
  view.side = options.side;
  view.study = options.study;
  return view_text(view);
}

void look_as(ViewState& view, const AttentionConfig& config, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t equals = std::min(word.find('='), word.size());
    if (equals < word.size()) take_word(view, config, word.substr(0, equals), word.substr(equals + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace attnscope
