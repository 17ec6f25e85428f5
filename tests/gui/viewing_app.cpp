#include "viewing_app.h"

#include "files/array_files.h"

namespace attnscope::test {

std::string weights_npy(const std::vector<Index>& shape) {
  Index matrices = 1;
  for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) matrices *= shape[axis];
  const Index T = shape.back();
  std::vector<float> numbers;
  for (Index matrix = 0; matrix < matrices; ++matrix) {
    for (Index row = 0; row < T; ++row) {
      float sum = 0;
      for (Index col = 0; col <= row; ++col) sum += static_cast<float>((matrix + row + col * col) % 7 + 1);
      for (Index col = 0; col < T; ++col)
        numbers.push_back(col > row ? 0 : static_cast<float>((matrix + row + col * col) % 7 + 1) / sum);
    }
  }
  return npy_header("<f4", shape) + std::string(reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size());
}

}  // namespace attnscope::test
