#pragma once

namespace attnscope {

// Keeps a shared library in memory until the program ends, if there is one of that name: "libGL.so.1".
void keep_loaded(const char* library);

}  // namespace attnscope
