#include "compute/performance.h"

#include <gtest/gtest.h>

#include "compute/evaluator.h"
#include "core/operations.h"
#include "document/document.h"
#include "tests/support/patience.h"

namespace attnscope::test {
namespace {

constexpr std::chrono::minutes long_enough_to_time{2};

EvaluationRecord record_with(double seconds, double operations, Backend backend = Backend::serial) {
  EvaluationRecord record;
  record.seconds = seconds;
  record.phases.seconds[static_cast<std::size_t>(Phase::attention)] = seconds;
  record.phases.operations[static_cast<std::size_t>(Phase::attention)] = operations;
  record.whole_operations = 1e9;
  record.backend = backend;
  return record;
}

AttentionConfig config_of_tokens(Index tokens) {
  AttentionConfig config = default_document().config;
  config.inputs = Tensor({tokens, 3}, AlignedFloats(static_cast<std::size_t>(3 * tokens), 0.5F));
  return config;
}

TEST(EvaluationRecord, IsWholeWhenEveryOperationWasDone) {
  EXPECT_TRUE(record_with(1, 1e9).is_whole());
  EXPECT_FALSE(record_with(1, 0.99e9).is_whole());
  EXPECT_DOUBLE_EQ(record_with(0.5, 1e9).rate(), 2e9);
  EXPECT_EQ(record_with(0, 0).rate(), 0);
}

TEST(EvaluationRecord, IsOfTheResult) {
  const Result result = evaluate(config_of_tokens(6), {Backend::serial, 1, {}});
  const EvaluationRecord record = record_of(result, 7);
  EXPECT_EQ(record.ticket, 7U);
  EXPECT_DOUBLE_EQ(record.seconds, result.seconds);
  EXPECT_DOUBLE_EQ(record.rate(), record.phases.all_operations() / record.seconds);
  EXPECT_EQ(record.phases.operations, result.phases.operations);
  EXPECT_EQ(record.whole_operations, operation_count(result.config));
  EXPECT_TRUE(record.is_whole());
  EXPECT_EQ(record.workload.tokens, 6);
}

TEST(Workload, IsTheSameForOtherNumbersOnly) {
  const AttentionConfig config = config_of_tokens(6);
  AttentionConfig other = config;
  other.seed = 9;
  std::get<SharedTensor>(other.inputs).set(0, 0, 2);
  EXPECT_EQ(workload_of(other), workload_of(config));
  EXPECT_NE(workload_of(config_of_tokens(7)), workload_of(config));
  other.mask = MaskRoute::none;
  EXPECT_NE(workload_of(other), workload_of(config));
}

TEST(Performance, KeepsTheNewestEvaluations) {
  Performance performance;
  for (std::size_t i = 0; i < max_records + 5; ++i) add(performance, record_with(static_cast<double>(i + 1), 1));
  EXPECT_EQ(performance.evaluations.size(), max_records);
  EXPECT_EQ(performance.newest()->seconds, static_cast<double>(max_records + 5));
  EXPECT_EQ(performance.evaluations.front().seconds, 6);
}

TEST(Performance, FindsTheNewestWholeEvaluationOfABackend) {
  Performance performance;
  const Workload workload;
  EXPECT_EQ(performance.newest_whole(workload, Backend::serial), nullptr);
  add(performance, record_with(1, 1e9));
  add(performance, record_with(2, 1e9));
  add(performance, record_with(3, 0.5e9));
  EXPECT_EQ(performance.newest_whole(workload, Backend::serial)->seconds, 2);
  EXPECT_EQ(performance.newest_whole(workload, Backend::openmp), nullptr);
  Workload other;
  other.tokens = 2;
  EXPECT_EQ(performance.newest_whole(other, Backend::serial), nullptr);
}

TEST(Peak, IsTheBestThatWasSeen) {
  Performance performance;
  EXPECT_FALSE(performance.peak(1));
  add_peak(performance, 1, 5e9);
  add_peak(performance, 2, 9e9);
  add_peak(performance, 1, 4e9);
  EXPECT_EQ(performance.peak(1), 5e9);
  EXPECT_EQ(performance.peak(2), 9e9);
}

TEST(Peak, IsWantedUntilTwoMeasurementsAgree) {
  Performance performance;
  EXPECT_FALSE(wanted_peak(performance));
  add(performance, record_with(1, 1e9));
  EXPECT_EQ(wanted_peak(performance), 1);
  add_peak(performance, 1, 5e9);
  EXPECT_EQ(wanted_peak(performance), 1);
  add_peak(performance, 1, 8e9);
  EXPECT_EQ(wanted_peak(performance), 1) << "the first one was disturbed";
  add_peak(performance, 1, 6e9);
  EXPECT_EQ(wanted_peak(performance), 1) << "so was this one";
  add_peak(performance, 1, 7.9e9);
  EXPECT_FALSE(wanted_peak(performance));
}

TEST(Peak, IsWantedAgainWhereAnEvaluationComesTooNearToIt) {
  Performance performance;
  add(performance, record_with(1, 1e9));
  add_peak(performance, 1, 5e9);
  add_peak(performance, 1, 5e9);
  EXPECT_FALSE(wanted_peak(performance));
  add(performance, record_with(0.1, 1e9));
  int times = 0;
  for (; wanted_peak(performance) && times < 100; ++times) add_peak(performance, 1, 5e9);
  EXPECT_GT(times, 0);
  EXPECT_LT(times, 100) << "not for ever";
}

TEST(FractionOfPeak, IsToldOnlyWhereItCanBeTrue) {
  Performance performance;
  const EvaluationRecord record = record_with(1, 1e9);
  EXPECT_FALSE(performance.fraction_of_peak(record, 1e9));
  add_peak(performance, 1, 4e9);
  EXPECT_EQ(performance.fraction_of_peak(record, record.rate()), 0.25);
  EXPECT_FALSE(performance.fraction_of_peak(record, 0)) << "nothing was computed";
  EXPECT_FALSE(performance.fraction_of_peak(record_with(0.1, 1e9), 1e9)) << "a phase was faster than this peak";
}

TEST(BackendComparison, HasTheMedianOfItsRuns) {
  BackendComparison comparison;
  EXPECT_FALSE(comparison.median(Backend::serial));
  comparison.seconds[0] = {5, 1, 3};
  comparison.seconds[1] = {4, 1};
  EXPECT_EQ(comparison.median(Backend::serial), 3);
  EXPECT_EQ(comparison.median(Backend::openmp), 2.5);
}

TEST(EvaluatorPerformance, RecordsEveryEvaluationAndWhatItReused) {
  Evaluator evaluator;
  EXPECT_EQ(evaluator.performance()->newest(), nullptr);
  AttentionConfig config = config_of_tokens(6);
  config.dropout = 0.5;
  ASSERT_TRUE(evaluator.wait(evaluator.submit(config, Backend::serial, 0), long_enough_to_time));
  config.dropout = 0.25;
  ASSERT_TRUE(evaluator.wait(evaluator.submit(config, Backend::serial, 0), long_enough_to_time));
  config.num_heads = 3;  // does not divide d_out
  ASSERT_TRUE(evaluator.wait(evaluator.submit(config, Backend::serial, 0), long_enough_to_time));
  const std::shared_ptr<const Performance> performance = evaluator.performance();
  ASSERT_EQ(performance->evaluations.size(), 2U) << "one that failed took no time worth telling";
  EXPECT_TRUE(performance->evaluations[0].is_whole());
  EXPECT_FALSE(performance->evaluations[1].is_whole());
  EXPECT_EQ(performance->evaluations[1].ticket, 2U);
}

TEST(EvaluatorPerformance, MeasuresThePeakWhenThereIsNothingToDo) {
  Evaluator evaluator;
  ASSERT_TRUE(evaluator.wait(evaluator.submit(config_of_tokens(6), Backend::serial, 0), long_enough_to_time));
  wait_until([&] { return !wanted_peak(*evaluator.performance()); });
  EXPECT_GT(*evaluator.performance()->peak(1), 0);
}

}  // namespace
}  // namespace attnscope::test
