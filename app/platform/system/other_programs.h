#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
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
  std::function<void()> choose_files = {};  // asks which files to open, and has them opened; empty: our own dialog asks
  // Copies an address that opens a document ("d") or a lesson ("lesson"); empty: none does.
  std::function<void(const std::string& key, const std::string& json)> copy_link = {};
  std::filesystem::path page = {};  // the page that documents are put into; empty: there is none
};

// The desktop's folders for documents and pictures, or where it has none the home folder.
std::filesystem::path documents_folder();
std::filesystem::path pictures_folder();

void add_platform(Desktop& desktop);  // adds what needs no window

// Puts a PNG into the desktop's clipboard, where it stays when this program has ended. GLFW copies text only, so the
// bytes are handed to wl-copy on Wayland, else to xclip. Takes a moment: not for the thread of the window. Throws
// Error, which names the package to install where the program is missing, and Cancelled.
void copy_picture(const std::string& png, const std::stop_token& stop = {});

// Returns why no video can be made: ffmpeg is not installed; empty if it is.
std::string video_problem();

// An MP4 that ffmpeg makes of pictures, as every player and slide program takes it: H.264 with 4:2:0 colours where
// ffmpeg has it. Nothing of it has a name on the disk. The same pictures give the same bytes with the same ffmpeg.
// Errors: Error, where ffmpeg is missing or fails, with its words; Cancelled when a stop was requested.
class VideoEncoder {
public:
  // Width and height must be even, for 4:2:0.
  VideoEncoder(int width, int height, double frames_per_second);
  ~VideoEncoder();
  VideoEncoder(const VideoEncoder&) = delete;
  VideoEncoder& operator=(const VideoEncoder&) = delete;

  void add_frame(std::span<const std::uint8_t> rgba, const std::stop_token& stop = {});  // width * height * 4, opaque
  std::string finish(const std::stop_token& stop = {});                                  // returns the file

private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace attnscope
