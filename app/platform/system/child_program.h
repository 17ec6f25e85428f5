#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

// Programs that run beside this one. Private to this folder.
namespace attnscope {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, CloseFile>;

FilePtr nameless_file();                // gone once no program has it open; null if it cannot be made
std::string contents(std::FILE* file);  // empty if it cannot be read

// One of this program's open files, by the number that the child knows it by.
struct PassedFile {
  int ours = -1;
  int theirs = 0;
};

// A program started without a shell, and ended with this object. It gets the passed files of this program, in ascending
// order of its numbers; standard streams that are not passed lead nowhere.
class ChildProgram {
public:
  // Returns nothing where no such program is installed. Throws Error, a part of a sentence: "cannot be started: ...".
  static std::optional<ChildProgram> start(const std::vector<std::string>& arguments,
                                           std::span<const PassedFile> files);
  ChildProgram(ChildProgram&& other) noexcept;
  ChildProgram& operator=(ChildProgram&& other) noexcept;
  ~ChildProgram();

  // Waits until it ends and returns whether it succeeded; nothing where its time is over. Throws Cancelled.
  std::optional<bool> wait(const std::stop_token& stop, std::optional<std::chrono::seconds> patience = {});

private:
  explicit ChildProgram(pid_t process) : process_(process) {}
  pid_t process_ = -1;
};

bool is_program_installed(std::string_view name);

}  // namespace attnscope
