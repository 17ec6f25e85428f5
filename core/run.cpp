#include "core/run.h"

#include "core/stages/rule.h"

namespace attnscope {

Generator dropout_generator(const Run& run) {
  return run.config.dropout_seed ? Generator(*run.config.dropout_seed) : run.result.after_parameters;
}

void run_readable_stages(Run& run) {
  for (const Stage stage : computed_stages(run.config)) {
    const auto make = rule_of(run.config, stage).make;
    if (!make) continue;
    const StageList from = predecessors(run.config, stage);
    fill_or_share(run, stage, acts_in(run.config, stage), from[0], [&](Tensor& out) { make(out, run, stage, from); });
  }
}

std::string_view readable_instruction_set() {
#if defined(__AVX512F__)
  return "avx512";
#elif defined(__AVX2__)
  return "avx2";
#elif defined(__SSE2__)
  return "sse2";
#else
  return "portable";
#endif
}

std::shared_ptr<Tensor> TensorPool::make(std::vector<Index> shape, const Execution& execution) {
  const Index count = element_count(shape);
  std::shared_ptr<Tensor> tensor = spares_.take([&](const Tensor& spare) { return spare.size() == count; });
  if (!tensor) return spares_.keep(std::make_shared<Tensor>(zeros(std::move(shape), execution)));
  tensor->shape = std::move(shape);
  return tensor;
}

}  // namespace attnscope
