#pragma once

#include <functional>
#include <stop_token>
#include <string>

namespace attnscope {

// Copies a picture to the clipboard: takes the bytes of a PNG, on any thread; throws Error and Cancelled.
using CopyPicture = std::function<void(const std::string& png, const std::stop_token& stop)>;

// The clock and the clipboard of the window that a session is shown in. Without a window the clock stands still and
// nothing is copied.
struct Desktop {
  std::function<double()> seconds = [] { return 0.0; };  // since the program started
  std::function<std::string()> copied_text = [] { return std::string(); };
  std::function<void(const std::string& text)> copy_text = [](const std::string&) {};
  CopyPicture copy_picture = {};
};

// Puts a PNG into the desktop's clipboard, where it stays when this program has ended. GLFW copies text only, so the
// bytes are handed to wl-copy on Wayland, else to xclip. Takes a moment: not for the thread of the window. Throws
// Error, which names the package to install where the program is missing, and Cancelled.
void copy_picture(const std::string& png, const std::stop_token& stop = {});

}  // namespace attnscope
