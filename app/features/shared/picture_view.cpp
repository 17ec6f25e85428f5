#include "features/shared/picture_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "features/shared/settings_json.h"
#include "state/layouts.h"
#include "study/study.h"

namespace attnscope {
namespace {

struct Looked {
  Layout layout;
  Stage stage = Stage::weights;
  Index head = 0;
  Index batch = 0;
  RangeMode range = RangeMode::automatic;
  std::optional<Source> cell;
  ComparedSide side = ComparedSide::now;
  StudyChoice study;
};

std::string text_of(const Looked& looked) {
  std::string text =
      fmt::format("layout={} stage={} head={} batch={} range={}", looked.layout.id, info(looked.stage).id,
                  looked.head + 1, looked.batch + 1, word_of(range_words(), looked.range));
  if (looked.cell && looked.cell->kind == SourceKind::cell) {
    text += fmt::format(" cell={}:{},{}", info(looked.cell->stage).id, looked.cell->row + 1, looked.cell->col + 1);
  }
  if (looked.side != ComparedSide::now) text += fmt::format(" side={}", word_of(compared_sides, looked.side));
  if (looked.layout == Layout::study) text += fmt::format(" study={}", looked.study.id);
  for (const auto& [control, value] : looked.study.values) text += fmt::format(" study.{}={}", control, value);
  return text;
}

// From 1 in the text, from 0 here; none where it is out of bounds.
std::optional<Index> index_of(std::string_view text, Index count) {
  const std::optional<Index> number = number_of<Index>(text);
  return number && *number >= 1 && *number <= count ? std::optional(*number - 1) : std::nullopt;
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
    const auto found = std::ranges::find_if(layouts(), [&](const LayoutInfo& each) { return each.layout.id == value; });
    if (found != layouts().end()) view.layout = found->layout;
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
  return text_of({view.layout, view.stage, view.head, view.batch, view.range, view.pinned, view.side,
                  view.layout == Layout::study ? view.study : StudyChoice()});
}

std::string view_text(const FigureOptions& options) {
  const Layout layout = !options.study.id.empty() ? Layout::study
                        : !options.stage          ? Layout::diagram
                        : options.head            ? Layout::focus
                                                  : Layout::heads;
  return text_of({layout, options.stage.value_or(Stage::weights), options.head.value_or(0), options.batch,
                  options.range, options.marked, options.side, options.study});
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
