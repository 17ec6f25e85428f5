#include "interchange/mapped_file.h"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "support.h"

namespace attnscope::test {
namespace {

constexpr std::size_t file_size = std::size_t{1} << 22;

std::unique_ptr<MappedFile> map(const std::filesystem::path& path) {
  return std::make_unique<MappedFile>(::open(path.c_str(), O_RDONLY), std::filesystem::file_size(path));
}

std::ptrdiff_t count_of(const MappedFile& file, char letter) { return std::ranges::count(file.bytes(), letter); }

TEST(MappedFile, HoldsTheBytesOfTheFile) {
  const TemporaryFolder folder;
  put_text(folder / "a", std::string(file_size, 'x'));
  const auto file = map(folder / "a");
  ASSERT_TRUE(file->is_mapped());
  EXPECT_EQ(count_of(*file, 'x'), file_size);
  EXPECT_TRUE(file->is_whole());
}

TEST(MappedFile, WhatIsCutOffReadsAsZeros) {
  const TemporaryFolder folder;
  put_text(folder / "a", std::string(file_size, 'x'));
  const auto file = map(folder / "a");
  std::filesystem::resize_file(folder / "a", 8192);
  EXPECT_FALSE(file->is_whole());
  EXPECT_EQ(count_of(*file, 'x'), 8192);
  EXPECT_EQ(count_of(*file, '\0'), file_size - 8192);
  std::filesystem::resize_file(folder / "a", file_size);
  EXPECT_FALSE(file->is_whole());  // what was read meanwhile was not what it held
}

TEST(MappedFile, MayBeCutWhileItIsRead) {
  const TemporaryFolder folder;
  for (int round = 0; round < 20; ++round) {
    put_text(folder / "a", std::string(file_size, 'x'));
    const auto file = map(folder / "a");
    std::atomic<bool> has_begun = false;
    std::jthread reader([&] {
      for (int pass = 0; pass < 4; ++pass) {
        has_begun = true;
        EXPECT_LE(count_of(*file, 'x'), file_size);
      }
    });
    while (!has_begun) std::this_thread::yield();
    std::filesystem::resize_file(folder / "a", 0);
    reader.join();
    EXPECT_FALSE(file->is_whole());
  }
}

TEST(MappedFile, ManyAreMapped) {
  const TemporaryFolder folder;
  put_text(folder / "a", std::string(file_size, 'x'));
  std::vector<std::unique_ptr<MappedFile>> files;
  for (std::size_t i = 0; i < 2 * MappedFile::max_guarded; ++i) files.push_back(map(folder / "a"));
  for (const auto& file : files) EXPECT_EQ(count_of(*file, 'x'), file_size);
  files.clear();
  const auto file = map(folder / "a");
  std::filesystem::resize_file(folder / "a", 0);
  EXPECT_EQ(count_of(*file, 'x'), 0);
}

TEST(MappedFileDeathTest, OtherBusErrorsEndTheProcessAsBefore) {
  const TemporaryFolder folder;
  put_text(folder / "a", "x");
  const auto file = map(folder / "a");
  EXPECT_DEATH(::raise(SIGBUS), "");
}

}  // namespace
}  // namespace attnscope::test
