// One instruction set's kernels as a table. CMakeLists.txt makes a file for each set, which includes this one and defines
// ATTNSCOPE_KERNELS, the name of the table, and ATTNSCOPE_KERNELS_NAME, that of the instruction set.

#include "core/kernels/attend.inl"
#include "core/kernels/draws.inl"
#include "core/kernels/normals.inl"
#include "core/kernels/products.inl"
#include "core/kernels/rows.inl"

namespace attnscope {

const Kernels ATTNSCOPE_KERNELS = {
    .name = ATTNSCOPE_KERNELS_NAME,
    .lanes = lanes,
    .panel_rows = panel_rows,
    .panel_width = panel_width,
    .key_panel = tile_width,
    .multiply_panel = multiply_panel,
    .transpose = transpose,
    .pack_keys = pack_keys,
    .attend = attend,
    .attend_scratch = attend_scratch,
    .probe_peak = probe_peak,
    .row_numbers = row_numbers,
    .swish = swish,
    .mkl_bits = mkl_bits,
    .standard_bits = standard_bits,
    .twist = twist,
    .uniforms = uniforms,
    .normals = normals,
};

}  // namespace attnscope
