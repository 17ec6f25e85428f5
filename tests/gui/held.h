#pragma once

#include <string>
#include <vector>

#include "headless_app.h"

namespace attnscope::test {

// What a session holds, a line each: the document, how it is looked at, its dialogs, its files, and how each control
// and each matrix on the screen stands.
std::vector<std::string> held(HeadlessApp& app);

}  // namespace attnscope::test
