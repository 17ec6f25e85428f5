#include "platform/system/library.h"

#include <dlfcn.h>

namespace attnscope {

void keep_loaded(const char* library) { dlopen(library, RTLD_LAZY | RTLD_NODELETE); }

}  // namespace attnscope
