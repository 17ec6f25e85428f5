// What a mouse move costs while a number of the table of tokens is dragged: on the UI thread alone, and until the frame
// is drawn that shows the new result.
#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "document/builtin.h"
#include "document/compare.h"
#include "document/edit.h"
#include "document/json.h"
#include "features/film/film_controller.h"
#include "features/shared/panel/calls.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "paint/window/gl_objects.h"
#include "platform/window.h"
#include "teach/film.h"
#include "window/frame.h"

namespace attnscope {
namespace {

Document typed_document(int tokens, int features) {
  Document document = parse_document(fmt::format(R"({{"inputs": {{"randn": [{}, {}]}}, "d_out": {}, "num_heads": 4}})",
                                                 tokens, features, std::min(features, 256)));
  make_inputs_explicit(document);
  return document;
}

// The UI thread's part, in the CPU column: an embedding is changed, compared, checked and sent to be evaluated. That it
// is evaluated, on another thread, is not timed.
void apply_move(benchmark::State& state) {
  test::HeadlessApp app(typed_document(static_cast<int>(state.range(0)), 768), {1920, 1080});
  float value = 0;
  for (auto _ : state) {
    value += 0.01f;
    edit_document(app.session().queue(),
                  {"embedding", [value](Document& document) { set_input(document, 3, 1, value); },
                   /*finished=*/false});
    app.session().run_calls();
    state.PauseTiming();
    app.session().wait_for_evaluation();
    state.ResumeTiming();
  }
}
BENCHMARK(apply_move)->ArgName("tokens")->Arg(64)->Arg(1024)->Arg(4096)->Iterations(8)->Unit(benchmark::kMillisecond);

// The window's frames without the window: input, interface, pictures and OpenGL's work, drawn by software.
class Screen {
public:
  explicit Screen(Document document, const ViewState& view = {})
      : session_(std::move(document), view, [this] { wake(); }) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {width, height};
    io.DeltaTime = 1.0f / 60;
    give_pointer({-1, -1});
    session_.wait_for_evaluation();
    for (int frame = 0; frame < 5; ++frame) draw_frame();
  }

  void draw_frame() {
    painter_.prepare(session_, 1, 1);
    ImGui::NewFrame();
    painter_.build(session_, &widgets_);
    painter_.draw();
    glFinish();
  }

  // The pointer is over a number of the table of tokens, which is opened for that, and the button is down.
  void begin_drag(std::string_view name) {
    change_view(session_.queue(), [](ViewState& state) { state.transient.opens_tokens = true; });
    for (int frame = 0; frame < 3; ++frame) draw_frame();
    const WidgetRegistry::Entry* const entry = widgets_.find(name);
    pointer_ = {(entry->min_screen.x + entry->max_screen.x) / 2, (entry->min_screen.y + entry->max_screen.y) / 2};
    give_pointer(pointer_);
    for (int frame = 0; frame < 3; ++frame) draw_frame();
    give_button(0, true);
    for (int frame = 0; frame < 3; ++frame) draw_frame();
  }

  // Moves the pointer, and draws frames until one shows the result of that; between them it sleeps as the window does
  // until something is finished. Returns how many were drawn.
  int drag_on() {
    const Document before = session_.shown().document;
    step_ = -step_;
    give_pointer(pointer_ = {pointer_.x + step_, pointer_.y});
    draw_frame();
    int frames = 1;
    while (session_.shown().document == before || !shows_result()) {
      if (frames == most_frames) throw std::runtime_error("The picture does not follow the pointer.");
      if ((session_.shown().is_busy || !is_compared()) && !session_.poll()) sleep();
      draw_frame();
      ++frames;
    }
    return frames;
  }

  // Opens the film of a weight, and returns how many scenes it has.
  std::size_t watch(const Source& cell) {
    session_.queue().push([cell](const Controllers& to) { to.films.watch(cell); });
    for (int frame = 0; frame < 5; ++frame) draw_frame();
    return session_.shown().film.is_open() ? session_.shown().film.film->scenes.size() : 0;
  }

  void draw_moment(std::size_t scene, double t) {
    session_.queue().push([scene, t](const Controllers& to) { to.films.go_to(scene, t); });
    draw_frame();
  }

private:
  static constexpr int width = 1280;
  static constexpr int height = 720;
  static constexpr int most_frames = 10'000;

  bool is_compared() const {
    const UiState& shown = session_.shown();
    return !shown.is_comparing() || (shown.comparison && shown.comparison->now == shown.evaluation.result);
  }

  bool shows_result() const {
    const std::shared_ptr<const Result>& result = session_.shown().evaluation.result;
    return is_compared() && session_.shown().is_current && result && result->config == session_.shown().document.config;
  }

  void wake() {
    {
      const std::lock_guard lock(mutex_);
      is_awake_ = true;
    }
    changed_.notify_all();
  }

  void sleep() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(16), [&] { return is_awake_; });
    is_awake_ = false;
  }

  WindowlessContext context_;
  ImguiContext imgui_;
  Canvas canvas_{width, height};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_awake_ = false;
  WidgetRegistry widgets_;
  ImVec2 pointer_;
  float step_ = 5;
  FramePainter painter_;
  Session session_;
};

void drag_embedding(benchmark::State& state, const Document& document, const ViewState& view) {
  Screen screen(document, view);
  screen.begin_drag("tokens/1/1");
  int frames = 0;
  for (auto _ : state) frames += screen.drag_on();
  state.counters["frames"] = benchmark::Counter(frames, benchmark::Counter::kAvgIterations);
}

void input_to_picture(benchmark::State& state) {
  drag_embedding(state, typed_document(static_cast<int>(state.range(0)), 256), {});
}

// The same until the difference from another document follows.
void input_to_difference(benchmark::State& state) {
  Document document = typed_document(static_cast<int>(state.range(0)), 256);
  keep_as_compared(document);
  document.config.seed += 1;
  ViewState view;
  view.side = ComparedSide::difference;
  drag_embedding(state, document, view);
}

void each_size(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("tokens")->Arg(6)->Arg(64)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK(input_to_picture)->Apply(each_size);
BENCHMARK(input_to_difference)->Apply(each_size);

// Nothing changes: what a frame costs by itself.
void still_frame(benchmark::State& state) {
  Screen screen(typed_document(static_cast<int>(state.range(0)), 256));
  for (auto _ : state) screen.draw_frame();
}
BENCHMARK(still_frame)->Apply(each_size);

// The film of the opening document's pinned weight, or of a weight among many tokens: ten moments of each scene in
// turn.
void film_frame(benchmark::State& state) {
  constexpr std::size_t moments = 10;
  const int tokens = static_cast<int>(state.range(0));
  Screen screen(tokens == 6 ? opening_document() : typed_document(tokens, 256));
  const std::size_t scenes = screen.watch({.stage = Stage::weights, .row = tokens - 2, .col = 1});
  if (scenes == 0) return state.SkipWithError("There is no film.");
  std::size_t frame = 0;
  for (auto _ : state) {
    screen.draw_moment(frame / moments % scenes, static_cast<double>(frame % moments) / moments);
    ++frame;
  }
}
BENCHMARK(film_frame)->ArgName("tokens")->Arg(6)->Arg(1024)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace attnscope

BENCHMARK_MAIN();
