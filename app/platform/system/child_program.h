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

FilePtr nameless_file();  // goes when the last program that has it open does; null where there can be none
std::string contents(std::FILE* file);  // all of it; empty where it cannot be read

// One of this program's open files, by the number that the child knows it by.
struct PassedFile {
  int ours = -1;
  int theirs = 0;
};

// Started without a shell. Of this program's files it has those that are passed, in ascending order of its numbers;
// what of its standard streams is not passed leads nowhere. It is ended with this object.
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
