#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace attnscope {

// An open file, closed whatever happens. Private to this folder.
class Descriptor {
public:
  Descriptor() = default;  // holds no file
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  int close();  // 0, or why it failed

private:
  int number_ = -1;
};

// Opens a file. Throws Error if that fails or it is no ordinary file, because reading a pipe would wait.
Descriptor open_to_read(const std::filesystem::path& path);

int write_all(int descriptor, std::string_view bytes);  // 0, or why not all bytes could be written
std::string reason_text(int reason);                    // the system's words for an errno

}  // namespace attnscope
