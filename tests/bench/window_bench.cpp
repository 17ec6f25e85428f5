// From the command that changed a document to the finished result, as the window waits for it, beside the function that
// `attnscope bench` times, in turns in one run; and the first evaluation of a document just opened, beside the drawing
// of its weights. Prints a table. What matters are the ratios: at most 1.15 for a change, at most 3 for an opening from
// 64 tokens on, without the drawing.

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <semaphore>
#include <vector>

#include "compute/computation.h"
#include "document/json.h"
#include "session/session.h"

namespace attnscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int fewest_rounds = 15;
constexpr int most_rounds = 300;
constexpr int openings_timed = 15;
constexpr double seconds_of_rounds = 0.4;
constexpr Index features = 256;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Document document_of(Index tokens, Index heads, double dropout) {
  return parse_document(
      fmt::format(R"({{"inputs": {{"randn": [{}, {}]}}, "d_out": {}, "num_heads": {}, "dropout": {}}})", tokens,
                  features, features / heads * heads, heads, dropout));
}

// A session without a window, as the window's thread drives it.
class Window {
public:
  explicit Window(const Document& document) : session_(document, ViewState{}, [this] { woken_.release(); }) { wait(); }

  void change(const Inputs& inputs) {
    constexpr bool is_finished = false;  // a drag goes on
    session_.push(
        EditDocument{"embeddings", [&](Document& document) { document.config.inputs = inputs; }, is_finished});
    session_.apply_commands();
    wait();
  }
  void open(const Document& document) {
    session_.push(EditDocument{"open", [&](Document& opened) { opened = document; }, true});
    session_.apply_commands();
    wait();
  }
  const Result& result() const { return *session_.shown().evaluation.result; }

private:
  void wait() {
    for (session_.poll_evaluation(); !session_.shown().is_current; session_.poll_evaluation()) woken_.acquire();
  }

  std::counting_semaphore<> woken_{0};
  Session session_;
};

struct Times {
  double change = 0;   // of all embeddings, until the result is there
  double bench = 0;    // what `attnscope bench` prints
  double opening = 0;  // the first evaluation
  double drawing = 0;  // of its weights
};

// Each in a window of its own, on memory that is cold.
void measure_openings(Times& times, const Document& document) {
  std::vector<double> openings;
  std::vector<double> drawings;
  for (int round = 0; round < openings_timed; ++round) {
    Window window(document_of(1, 1, 0));
    malloc_trim(0);
    const auto start = Clock::now();
    window.open(document);
    openings.push_back(seconds_since(start));
    const auto& phases = window.result().phases.seconds;
    drawings.push_back(phases[static_cast<std::size_t>(Phase::parameters)] +
                       phases[static_cast<std::size_t>(Phase::inputs)]);
  }
  times.opening = median_of(openings);
  times.drawing = median_of(drawings);
}

Times measure(const Document& document) {
  Times times;
  measure_openings(times, document);
  Window window(document);
  Repetition repetition(document.config);
  std::vector<double> changes;
  std::vector<double> runs;
  const auto began = Clock::now();
  for (int round = 0; round < most_rounds; ++round) {
    if (round >= fewest_rounds && seconds_since(began) > seconds_of_rounds) break;
    const auto before = Clock::now();
    window.change(repetition.version(round % 2).inputs);
    changes.push_back(seconds_since(before));
    const auto between = Clock::now();
    repetition.run();
    runs.push_back(seconds_since(between));
  }
  times.change = median_of(changes);
  times.bench = median_of(runs);
  return times;
}

void print_table() {
  fmt::print("| {} features | change | bench | ratio | opening | drawing | ratio |\n", features);
  fmt::print("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const double dropout : {0.0, 0.1}) {
    for (const Index heads : {1, 4, 8, 12}) {
      for (const Index tokens : {6, 64, 256, 512, 1024}) {
        const Times times = measure(document_of(tokens, heads, dropout));
        fmt::print("| T={}, {} heads{} | {:.3f} ms | {:.3f} ms | {:.2f} | {:.3f} ms | {:.3f} ms | {:.2f} |\n", tokens,
                   heads, dropout > 0 ? ", dropout" : "", 1e3 * times.change, 1e3 * times.bench,
                   times.change / times.bench, 1e3 * times.opening, 1e3 * times.drawing,
                   (times.opening - times.drawing) / times.bench);
      }
    }
  }
}

}  // namespace
}  // namespace attnscope

int main() { attnscope::print_table(); }
