// From the command that changed a document to the finished result, as the window waits for it, beside the function that
// `attnscope bench` times, in turns in one run; and the first evaluation of a document just opened. Prints a table.
// What matters is the ratio of a change: at most 1.15. With tokens and heads (window_bench 1024 12): from an edit to
// the pictures of the shown head, and of all heads.

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <semaphore>
#include <vector>

#include "compute/computation.h"
#include "compute/picture_cache.h"
#include "core/visibility.h"
#include "document/json.h"
#include "features/session.h"
#include "features/shared/panel/calls.h"

namespace attnscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int fewest_rounds = 15;
constexpr int most_rounds = 300;
constexpr int openings_timed = 15;
constexpr double seconds_of_rounds = 0.4;
constexpr Index features = 256;
constexpr Index picture_side = 300;  // pixels
constexpr int pictures_timed = 15;

double median_of(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return numbers[numbers.size() / 2];
}

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
    edit_document(session_.queue(),
                  {"embeddings", [&](Document& document) { document.config.inputs = inputs; }, is_finished});
    session_.run_calls();
    wait();
  }
  void open(const Document& document) {
    edit_document(session_.queue(), {"open", [&](Document& opened) { opened = document; }, true});
    session_.run_calls();
    wait();
  }
  const Result& result() const { return *session_.shown().evaluation.result; }
  // Until the pictures of these heads are there, as frames ask for them: all T×T stages of the first, as the diagram
  // has them, and the weights of the others.
  void wait_for_pictures(Index heads) {
    PictureCache& cache = session_.picture_cache();
    const std::shared_ptr<const Result>& result = session_.shown().evaluation.result;
    do {
      cache.begin_frame();
      for (Index head = 0; head < heads; ++head) {
        for (const Stage stage : score_route(result->config)) {
          if (head > 0 && stage != Stage::weights) continue;
          const ShownMatrix source = shown_matrix(result, stage, head);
          cache.find(source,
                     whole_grid(source, std::min(source.rows(), picture_side), std::min(source.cols(), picture_side)));
        }
      }
    } while (cache.wait());
  }

private:
  void wait() {
    for (session_.poll(); !session_.shown().is_current; session_.poll()) woken_.acquire();
  }

  std::counting_semaphore<> woken_{0};
  Session session_;
};

struct Times {
  double change = 0;   // of all embeddings, until the result is there
  double bench = 0;    // what `attnscope bench` prints
  double opening = 0;  // the first evaluation
};

// Each in a window of its own, on memory that is cold.
void measure_openings(Times& times, const Document& document) {
  std::vector<double> openings;
  for (int round = 0; round < openings_timed; ++round) {
    Window window(document_of(1, 1, 0));
    malloc_trim(0);
    const auto start = Clock::now();
    window.open(document);
    openings.push_back(seconds_since(start));
  }
  times.opening = median_of(openings);
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

std::size_t most_memory() {  // MB
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) / 1024;
}

// From an edit to the pictures of the head that is shown, and to those of all heads.
void print_pictures(Index tokens, Index heads) {
  const Document document = document_of(tokens, heads, 0.1);
  Window window(document);
  const Repetition repetition(document.config);
  std::vector<double> of_one;
  std::vector<double> of_all;
  for (int round = 0; round < pictures_timed; ++round) {
    const auto start = Clock::now();
    window.change(repetition.version(round % 2).inputs);
    window.wait_for_pictures(1);
    of_one.push_back(seconds_since(start));
    window.wait_for_pictures(heads);
    of_all.push_back(seconds_since(start));
  }
  fmt::print("| T={}, {} heads | {:.2f} ms | {:.2f} ms | {} MB |\n", tokens, heads, 1e3 * median_of(of_one),
             1e3 * median_of(of_all), most_memory());
}

void print_table() {
  fmt::print("| {} features | change | bench | ratio | opening |\n", features);
  fmt::print("| --- | --- | --- | --- | --- |\n");
  for (const double dropout : {0.0, 0.1}) {
    for (const Index heads : {1, 4, 8, 12}) {
      for (const Index tokens : {6, 64, 256, 512, 1024}) {
        const Times times = measure(document_of(tokens, heads, dropout));
        fmt::print("| T={}, {} heads{} | {:.3f} ms | {:.3f} ms | {:.2f} | {:.3f} ms |\n", tokens, heads,
                   dropout > 0 ? ", dropout" : "", 1e3 * times.change, 1e3 * times.bench, times.change / times.bench,
                   1e3 * times.opening);
      }
    }
  }
}

}  // namespace
}  // namespace attnscope

int main(int count, char** arguments) {
  using namespace attnscope;
  if (count == 3) {
    print_pictures(std::atoi(arguments[1]), std::atoi(arguments[2]));
  } else {
    print_table();
  }
}
