#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"
#include "document/reading_budget.h"

// The pickle of a state dict, as torch.save writes it. It is read as data: nothing that it names is ever called.
// Private to this folder.
namespace attnscope {

// A value, and those in it by their places in StateDict::values, because values are shared and may contain each other.
struct PickleValue {
  // `object` is what a function or class would have made that is not known: nothing is known of it but that name.
  enum class Kind { none, boolean, whole, fraction, text, global, tuple, list, dict, storage, tensor, object };

  Kind kind = Kind::none;
  Index whole = 0;        // also of a boolean; the count of numbers in a storage; where a tensor begins in its storage
  std::string text = {};  // also the key of a storage; module and name of a global or object: "torch.FloatStorage";
                          // the type of a tensor whose storage has none
  // Keys and values of a dict in turn; the type of a storage; the storage, the sizes and the strides of a tensor.
  std::vector<std::size_t> items = {};
};

struct StateDict {
  std::vector<PickleValue> values;
  std::size_t root = 0;
  std::string stranger = {};  // the first class or function that it names and that no state dict needs; mostly empty
};

// Reads what the known functions would return; what others would return are objects. Throws Error as
// refuse_checkpoint() does, or if it takes too much work.
StateDict parse_pickle(std::string_view bytes, ReadingBudget& budget);

// Returns the name of a storage's type, such as "Float" of "torch.FloatStorage"; empty if the global is another.
std::string_view storage_type(std::string_view global);

// Throws Error: "This is not a .pth checkpoint that can be read: …".
[[noreturn]] void refuse_checkpoint(const std::string& why);

}  // namespace attnscope
