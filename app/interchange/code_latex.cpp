#include "interchange/code_writers.h"
namespace attnscope {
std::string latex_code(const Document&, const Result*) { return ""; }
bool latex_prints_numbers(const AttentionConfig&) { return false; }
}  // namespace attnscope
