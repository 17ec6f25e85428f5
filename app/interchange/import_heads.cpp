#include <array>
#include <string_view>
#include <utility>

#include "interchange/import.h"

namespace attnscope {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> head_names = {
    {{"queries", "q"}, {"keys", "k"}, {"values", "v"}}};

const ArrayView* find_of(const NamedArrays& file, const std::pair<std::string_view, std::string_view>& names) {
  const ArrayView* const found = file.find(names.first);
  return found ? found : file.find(names.second);
}

}  // namespace

bool holds_heads(const NamedArrays& file) {
  if (file.arrays.size() != head_names.size()) return false;
  for (const auto& names : head_names) {
    const ArrayView* const array = find_of(file, names);
    if (!array || array->shape.size() < 2 || array->shape.size() > 4) return false;
  }
  return true;
}

Document document_of_heads(const NamedArrays& file, const std::string& name, const UnpackWatch& watch) {
  std::uint64_t numbers = 0;
  for (const ArrayView& array : file.arrays) numbers += claimed_bytes(array.shape, NumberType::uint8);
  check_fits_document(numbers);
  std::array<SharedTensor, 3> tensors;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const ArrayView* const array = find_of(file, head_names.at(i));
    const LoadWatch parts(watch, *array);
    const auto index = static_cast<std::size_t>(array - file.arrays.data());
    tensors.at(i) = to_tensor(load(file, index, parts.unpacking), parts.converting);
  }
  return document_of({tensors[0], tensors[1], tensors[2], name});
}

}  // namespace attnscope
