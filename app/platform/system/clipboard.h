#pragma once

#include <stop_token>
#include <string>

namespace attnscope {

// Puts a PNG into the desktop's clipboard, where it stays when this program has ended. GLFW copies text only, so the
// bytes are handed to wl-copy on Wayland, else to xclip. Takes a moment: not for the thread of the window. Throws
// Error, which names the package to install where the program is missing, and Cancelled.
void copy_picture(const std::string& png, const std::stop_token& stop = {});

}  // namespace attnscope
