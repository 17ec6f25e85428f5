// What the fuzzers begin with and what they once found, through every reader, without a fuzzer.

#include <gtest/gtest.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "targets.h"
#include "tests/support/places.h"

namespace attnscope::fuzz {
namespace {

std::vector<std::string> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  if (std::filesystem::exists(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<std::string> files;
  for (const auto& path : paths) {
    std::ifstream stream(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return files;
}

// The files in an archive of corpus/.
std::vector<std::string> files_packed_in(const std::filesystem::path& path) {
  std::vector<std::string> files;
  zip_t* const archive = zip_open(path.c_str(), ZIP_RDONLY, nullptr);
  EXPECT_NE(archive, nullptr) << path;
  for (zip_int64_t i = 0; archive && i < zip_get_num_entries(archive, 0); ++i) {
    zip_stat_t about;
    zip_stat_index(archive, static_cast<zip_uint64_t>(i), 0, &about);
    std::string bytes(about.size, '\0');
    zip_file_t* const file = zip_fopen_index(archive, static_cast<zip_uint64_t>(i), 0);
    EXPECT_EQ(zip_fread(file, bytes.data(), bytes.size()), static_cast<zip_int64_t>(bytes.size()));
    zip_fclose(file);
    files.push_back(std::move(bytes));
  }
  if (archive) zip_discard(archive);
  return files;
}

class Replay : public testing::TestWithParam<Target> {
protected:
  std::vector<std::string> seeds() const { return files_in(test::fuzz_seeds_folder() / GetParam().name); }
};

// A reader that refuses all of its own files, or takes whatever it gets, fails these tests.
TEST_P(Replay, SeedsAndFindings) {
  ASSERT_GE(seeds().size(), 5U);
  Readings readings;
  for (const std::string& seed : seeds()) readings += GetParam().run(seed);
  EXPECT_GT(readings.taken, 0);
  const auto findings = files_in(test::tests_folder() / "fuzz/findings" / GetParam().name);
  for (const std::string& finding : findings) GetParam().run(finding);
}

// What ten minutes of fuzzing each kept because it took another way through the reader; of documents of models and of
// params.json, seeds with other values in them.
TEST_P(Replay, Corpus) {
  const auto corpus = files_packed_in(test::tests_folder() / "fuzz/corpus" / (std::string(GetParam().name) + ".zip"));
  ASSERT_GE(corpus.size(), 100U);
  Readings readings;
  for (const std::string& file : corpus) readings += GetParam().run(file);
  EXPECT_GT(readings.taken, 0);
  EXPECT_GT(readings.refused, 0);
}

// Every reader gets every other reader's files too, and refuses most of them. Readers of pictures say of any bytes that
// no document is in them, and documents of a model are documents.
TEST_P(Replay, FilesOfOtherKinds) {
  constexpr std::array<std::string_view, 5> of_any_bytes = {"png", "svg", "pdf", "gif", "typed"};
  for (const Target& target : targets()) {
    Readings readings;
    for (const std::string& seed : seeds()) readings += target.run(seed);
    EXPECT_GT(readings.taken + readings.refused, 0) << target.name;
    const bool reads_documents = target.name == "model_document" && GetParam().name == "document";
    const bool reads_checkpoints = target.name == "safetensors" && GetParam().name == "checkpoint";
    if (target.name == GetParam().name || reads_documents || reads_checkpoints ||
        std::ranges::find(of_any_bytes, target.name) != of_any_bytes.end())
      continue;
    EXPECT_GT(readings.refused, readings.taken) << target.name;
  }
}

TEST_P(Replay, SeedsThatEndAnywhere) {
  constexpr std::size_t longest = 4000;
  Readings readings;
  for (const std::string& seed : seeds()) {
    for (std::size_t size = 0; size < std::min(seed.size(), longest); ++size)
      readings += GetParam().run(seed.substr(0, size));
  }
  EXPECT_GT(readings.refused, readings.taken);
}

TEST_P(Replay, SeedsWithAnyByteChanged) {
  std::mt19937 engine(5);
  Readings readings;
  for (const std::string& seed : seeds()) {
    constexpr std::size_t changes = 600;
    for (std::size_t change = 0; change < changes && !seed.empty(); ++change) {
      std::string changed = seed;
      changed[engine() % changed.size()] = static_cast<char>(engine());
      if (change % 2 == 0) changed[engine() % changed.size()] ^= static_cast<char>(1U << engine() % 8);
      readings += GetParam().run(changed);
    }
  }
  EXPECT_GT(readings.taken, 0);
  EXPECT_GT(readings.refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Readers, Replay, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace attnscope::fuzz
