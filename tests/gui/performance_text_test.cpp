#include "features/performance/panel/performance_text.h"

#include <gtest/gtest.h>

#include "desk.h"

namespace attnscope::test {
namespace {

// GPT-2's attention as bench measured it once.
EvaluationRecord gpt2_record() {
  EvaluationRecord record;
  record.workload = {.batch_size = 2, .tokens = 1024, .heads = 12, .d_in = 768, .d_out = 768};
  record.seconds = 0.0595;
  record.phases.operations[static_cast<std::size_t>(Phase::attention)] = 12.89e9;
  record.whole_operations = 12.89e9;
  record.backend = Backend::openmp;
  record.threads = 2;
  record.instruction_set = "avx512";
  return record;
}

Performance with_peak() {
  Performance performance;
  add_peak(performance, 2, 306e9);
  return performance;
}

// As long as a line may be, in bytes.
std::string line_of(const EvaluationRecord& record, std::size_t room = 1000, const Performance& performance = {}) {
  return performance_line(performance, record, [&](const std::string& line) { return line.size() <= room; });
}

TEST(FormatRate, HasThreeDigits) {
  EXPECT_EQ(format_rate(216.4e9), "216 GFLOP/s");
  EXPECT_EQ(format_rate(99.97e9), "100 GFLOP/s");
  EXPECT_EQ(format_rate(21.64e9), "21.6 GFLOP/s");
  EXPECT_EQ(format_rate(2.164e9), "2.16 GFLOP/s");
  EXPECT_EQ(format_rate(41.2e6), "41.2 MFLOP/s");
}

TEST(FormatPercent, NeverSaysNothingOfSomething) {
  EXPECT_EQ(format_percent(0.706), "71 %");
  EXPECT_EQ(format_percent(0.0099), "1.0 %");
  EXPECT_EQ(format_percent(0.00996), "1 %");
  EXPECT_EQ(format_percent(0.004), "0.4 %");
  EXPECT_EQ(format_percent(0.00001), "under 0.1 %");
}

TEST(PerformanceLine, HasTimeThreadsInstructionSetRateAndFraction) {
  EXPECT_EQ(line_of(gpt2_record(), 1000, with_peak()), "59.50 ms · 2 threads · AVX-512 · 217 GFLOP/s · 71 % of peak");
  EXPECT_EQ(line_of(gpt2_record()), "59.50 ms · 2 threads · AVX-512 · 217 GFLOP/s") << "no peak yet";
}

TEST(PerformanceLine, LeavesOutWhatMattersLeastFirst) {
  const Performance performance = with_peak();
  EXPECT_EQ(line_of(gpt2_record(), 58, performance), "59.50 ms · 2 threads · 217 GFLOP/s · 71 % of peak");
  EXPECT_EQ(line_of(gpt2_record(), 46, performance), "59.50 ms · 217 GFLOP/s · 71 % of peak");
  EXPECT_EQ(line_of(gpt2_record(), 30, performance), "59.50 ms · 71 % of peak");
  EXPECT_EQ(line_of(gpt2_record(), 10, performance), "59.50 ms");
  EXPECT_EQ(line_of(gpt2_record(), 3, performance), "");
}

TEST(PerformanceLine, TellsNoRateOfWhatWasReused) {
  EvaluationRecord record = gpt2_record();
  record.phases.operations = {};
  EXPECT_EQ(line_of(record, 1000, with_peak()), "59.50 ms · 2 threads · AVX-512 · nothing to compute");
  record.phases.operations[static_cast<std::size_t>(Phase::attention)] = 8e9;
  EXPECT_EQ(line_of(record, 1000, with_peak()), "59.50 ms · 2 threads · AVX-512 · only what changed");
  EXPECT_EQ(performance_details(with_peak(), record).find("217"), std::string::npos);
}

TEST(PerformanceDetails, SayAllOfIt) {
  const std::string details = performance_details(with_peak(), gpt2_record());
  for (const char* part : {"2 × 1,024 tokens, 12 heads, 768 → 768 dimensions", "OpenMP on 2 threads", "306 GFLOP/s"}) {
    EXPECT_NE(details.find(part), std::string::npos) << part << "\n" << details;
  }
}

// Nothing of the line covers another part of it or ends beyond the window.
void expect_in_order(Desk& desk, std::initializer_list<const char*> names) {
  float end = 0;
  for (const char* name : names) {
    EXPECT_GE(desk.widget(name).min_screen.x, end) << name;
    end = desk.widget(name).max_screen.x;
  }
  EXPECT_LE(end, ImGui::GetIO().DisplaySize.x);
}

class StatusLine : public testing::TestWithParam<float> {};

TEST_P(StatusLine, FitsTheWindow) {
  ViewState view;
  view.show_performance = true;
  Desk desk(default_document(), {GetParam(), 720}, view);
  EXPECT_TRUE(desk.shows("status/performance"));
  expect_in_order(desk, {"status/shapes", "status/performance"});
  desk.session().say("Screenshot saved: pictures/of/attention/for/a/lecture/in/a/long/folder/attnscope.png");
  desk.frames(2);
  expect_in_order(desk, {"status/shapes", "status/message", "status/performance"});
}

// A picture of a document has no clock in it.
TEST(StatusLineAlone, HasNoTimesWhilePerformanceIsClosed) {
  Desk desk;
  EXPECT_TRUE(desk.shows("status/shapes"));
  EXPECT_FALSE(desk.shows("status/performance"));
}

INSTANTIATE_TEST_SUITE_P(Widths, StatusLine, testing::Values(800.0f, 1024.0f, 1280.0f, 1920.0f));

}  // namespace
}  // namespace attnscope::test
