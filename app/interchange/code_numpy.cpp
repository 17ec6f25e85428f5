#include "interchange/code_writers.h"
namespace attnscope {
std::string numpy_code(const Document&) { return ""; }
}  // namespace attnscope
