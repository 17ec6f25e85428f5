#pragma once

#include <string>
#include <vector>

#include "window/frame.h"

namespace attnscope {

// What is wrong with the window as it is, a line each: the document is none or another one when it is read again, there
// are no numbers and no word why, something is cut off or stands out of the window, a message is no sentence.
std::vector<std::string> faults_of(Session& session, UnseenWindow& window);

}  // namespace attnscope
