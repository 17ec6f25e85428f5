// What building a frame costs the processor, without graphics: Dear ImGui, the panels and their commands.
#include <benchmark/benchmark.h>

#include "document/builtin.h"
#include "document/compare.h"
#include "document/json.h"
#include "features/film/film_controller.h"
#include "headless_app.h"
#include "teach/film.h"
#include "teach/teaching_view.h"

namespace attnscope {
namespace {

using test::HeadlessApp;

Document document_of(int tokens) {
  return parse_document(R"({"inputs": {"randn": [)" + std::to_string(tokens) +
                        R"(, 48]}, "d_out": 48, "num_heads": 12, "dropout": 0.1})");
}

void build_frames(benchmark::State& state, ViewMode layout, double shown_cells) {
  const int tokens = static_cast<int>(state.range(0));
  ViewState view;
  view.mode = layout;
  HeadlessApp app(document_of(tokens), {1920, 1080}, view);
  if (shown_cells > 0)
    app.change_view([&](ViewState& shown) { shown.map.window = CellWindow{5, 3, shown_cells, shown_cells}; });
  app.stop_reading();
  app.frames(3);
  for (auto _ : state) app.frames();
}

void diagram(benchmark::State& state) { build_frames(state, ViewMode::diagram, 0); }
void heads(benchmark::State& state) { build_frames(state, ViewMode::heads, 0); }
void focus(benchmark::State& state) { build_frames(state, ViewMode::focus, 0); }
void zoomed_heads(benchmark::State& state) { build_frames(state, ViewMode::heads, 6); }
void zoomed_diagram(benchmark::State& state) { build_frames(state, ViewMode::diagram, 6); }

// Of two documents: B alone, B - A, and both.
void build_compared(benchmark::State& state, ComparedSide side) {
  const int tokens = static_cast<int>(state.range(0));
  Document document = document_of(tokens);
  keep_as_compared(document);
  document.config.seed += 1;
  ViewState view;
  view.side = side;
  HeadlessApp app(document, {1920, 1080}, view);
  app.settle();
  app.stop_reading();
  app.frames(3);
  for (auto _ : state) app.frames();
}

void compared_now(benchmark::State& state) { build_compared(state, ComparedSide::now); }
void difference(benchmark::State& state) { build_compared(state, ComparedSide::difference); }
void side_by_side(benchmark::State& state) { build_compared(state, ComparedSide::side_by_side); }

// A teaching view of 64 tokens, by its place in the table: a frame, and its board, which is computed beside the frames.
void study_frame(benchmark::State& state) {
  ViewState view;
  view.mode = ViewMode::study;
  view.study.id = studies()[static_cast<std::size_t>(state.range(0))].id;
  state.SetLabel(view.study.id);
  HeadlessApp app(document_of(64), {1920, 1080}, view);
  app.settle();
  app.stop_reading();
  app.frames(3);
  for (auto _ : state) app.frames();
}

void study_board(benchmark::State& state) {
  const TeachingViewChoice choice{.id = std::string(studies()[static_cast<std::size_t>(state.range(0))].id)};
  state.SetLabel(choice.id);
  const Document document = document_of(64);
  const Result result = evaluate(document.config);
  const std::vector<std::string> labels = token_labels(document.tokens);
  for (auto _ : state) benchmark::DoNotOptimize(make_board({result, labels, 1, 0, 40, choice}));
}

// A frame of the film of the opening document's pinned weight, or of a weight among many tokens, as the window draws
// it: ten moments of each scene in turn.
void film(benchmark::State& state) {
  constexpr int moments = 10;
  const int tokens = static_cast<int>(state.range(0));
  HeadlessApp app(tokens == 6 ? opening_document() : document_of(tokens), {1920, 1080});
  app.settle();
  const Source cell{.stage = Stage::weights, .row = tokens - 2, .col = 1};
  app.session().queue().push([cell](const Controllers& to) { to.films.watch(cell); });
  app.settle();
  app.stop_reading();
  if (!app.session().shown().film.is_open()) return state.SkipWithError("There is no film.");
  const std::size_t scenes = app.session().shown().film.film->scenes.size();
  std::size_t frame = 0;
  for (auto _ : state) {
    const std::size_t scene = frame / moments % scenes;
    const double t = static_cast<double>(frame % moments) / moments;
    app.session().queue().push([scene, t](const Controllers& to) { to.films.go_to(scene, t); });
    app.frames();
    ++frame;
  }
}

BENCHMARK(film)->Arg(6)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(study_frame)->DenseRange(0, 11)->Unit(benchmark::kMicrosecond);
BENCHMARK(study_board)->DenseRange(0, 11)->Unit(benchmark::kMicrosecond);
BENCHMARK(diagram)->Arg(6)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(heads)->Arg(6)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(focus)->Arg(6)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(zoomed_heads)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(zoomed_diagram)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond);

BENCHMARK(compared_now)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(difference)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(side_by_side)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace attnscope

BENCHMARK_MAIN();
