#include "core/phase_times.h"

#include <cassert>
#include <numeric>

namespace attnscope {

namespace {

constexpr std::array<PhaseInfo, phase_count> phase_table = {{
    {Phase::inputs, "inputs", "Drawing the embeddings or copying the typed ones, once for every batch entry."},
    {Phase::parameters, "weights", "Drawing the weight matrices, by one thread: each number follows from the last."},
    {Phase::dropout, "dropout mask", "Drawing which weights dropout keeps."},
    {Phase::weight_packing, "packing weights", "Laying out the weight matrices as the processor reads them."},
    {Phase::projections, "projections", "Queries, keys and values: the inputs times three weight matrices."},
    {Phase::key_packing, "packing keys", "Laying out the keys as the processor reads them."},
    {Phase::attention, "attention", "Scores, mask, softmax, dropout and the weighted values."},
    {Phase::output, "output projection", "The context times the weights of out_proj."},
    {Phase::copies, "copies",
     "Queries and keys normalized and turned by their positions, and the contexts of all heads laid side by side."},
}};

}  // namespace

std::span<const PhaseInfo> phases() { return phase_table; }

const PhaseInfo& info(Phase phase) {
  const PhaseInfo& found = phase_table.at(static_cast<std::size_t>(phase));
  assert(found.phase == phase && "the table is in the order of the enumerators");
  return found;
}

double PhaseTimes::all_seconds() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

double PhaseTimes::all_operations() const { return std::accumulate(operations.begin(), operations.end(), 0.0); }

}  // namespace attnscope
