// What released versions wrote, as tests/data/make_released.py had them write it: every program since opens it as the
// same document, with the same numbers.

#include <zip.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "document/json.h"
#include "files/document_file.h"
#include "program.h"
#include "support.h"
#include "tests/support/places.h"

namespace attnscope::test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> versions() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder() / "released"))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

void unpack(const std::filesystem::path& path, const TemporaryFolder& folder) {
  zip_t* const archive = zip_open(path.c_str(), ZIP_RDONLY, nullptr);
  ASSERT_NE(archive, nullptr) << path;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
    zip_stat_t about;
    ASSERT_EQ(zip_stat_index(archive, static_cast<zip_uint64_t>(i), 0, &about), 0);
    std::string bytes(about.size, '\0');
    zip_file_t* const file = zip_fopen_index(archive, static_cast<zip_uint64_t>(i), 0);
    ASSERT_EQ(zip_fread(file, bytes.data(), bytes.size()), static_cast<zip_int64_t>(bytes.size()));
    zip_fclose(file);
    put_text(folder / about.name, bytes);
  }
  zip_discard(archive);
}

class Released : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override { unpack(data_folder() / "released" / GetParam() / "files.zip", files_); }

  // The documents that there are numbers of, by their names.
  std::vector<std::string> documents() const {
    std::vector<std::string> names;
    for (const std::string& name : files_.names()) {
      const std::filesystem::path path = name;
      if (path.extension() == ".numbers") names.push_back(path.stem().string());
    }
    return names;
  }
  // The files of one: itself, and the pictures that carry it.
  std::vector<std::filesystem::path> files_of(const std::string& document) const {
    std::vector<std::filesystem::path> paths;
    for (const std::string& name : files_.names()) {
      const std::filesystem::path path = files_ / name;
      const std::string stem = path.stem().string();
      const bool is_of_it = stem == document || stem.starts_with(document + "-");
      if (is_of_it && path.extension() != ".numbers") paths.push_back(path);
    }
    return paths;
  }

  TemporaryFolder files_;
};

TEST_P(Released, FilesAreTheSameDocument) {
  EXPECT_GE(documents().size(), 10U);
  std::size_t pictures = 0;
  for (const std::string& name : documents()) {
    const Document document = load_document(files_ / (name + ".json"));
    for (const std::filesystem::path& path : files_of(name)) EXPECT_EQ(load_document(path), document) << path;
    pictures += files_of(name).size() - 1;
    const Json written = Json::parse(text_of(files_ / (name + ".json")));
    const Json now = Json::parse(to_json(document));
    for (const auto& [key, value] : written.items()) EXPECT_EQ(now.value(key, Json()), value) << name << " " << key;
  }
  EXPECT_GE(pictures, 16U);
}

// What 0.1.0 drew with torch.randn was a rounding away from PyTorch's bits in some digits: it is right since 0.2.0.
bool was_drawn_otherwise(const std::string& version, const std::string& document) {
  return version == "0.1.0" && document == "drawn";
}

// The tanh of the softcap is the C library's: since 2.41 glibc rounds it correctly, which older ones did not always.
bool is_rounded_otherwise([[maybe_unused]] const std::string& document) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 41)
  return document == "capped";
#else
  return false;
#endif
}

// Whether numbers of any shape differ by no more than a few roundings.
bool is_near(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return std::abs(a.get<double>() - b.get<double>()) < 2e-6;
  if (!a.is_array() || !b.is_array() || a.size() != b.size()) return a == b;
  return std::equal(a.begin(), a.end(), b.begin(), is_near);
}

TEST_P(Released, FilesHaveTheSameNumbersToEveryDigit) {
  for (const std::string& name : documents()) {
    const Json numbers = Json::parse(text_of(files_ / (name + ".numbers")));
    for (const std::filesystem::path& path : files_of(name)) {
      const ProgramRun run = run_program({"eval", path.string()});
      ASSERT_EQ(run.status, 0) << path << run.err;
      const Json now = Json::parse(run.out);
      for (const auto& [stage, values] : numbers.items()) {
        const Json& same = now.at(stage);
        const bool may_differ = was_drawn_otherwise(GetParam(), name) || is_rounded_otherwise(name);
        const bool is_same = may_differ ? is_near(same, values) : same.dump() == values.dump();
        EXPECT_TRUE(is_same) << path << " " << stage << ": " << same << " is not " << values;
      }
    }
  }
}

TEST_P(Released, AttentionOfAFileIsLookedAtAsItWas) {
  const LoadedFile saved = load_any_document(files_ / "viewed.json");
  const auto& viewing = std::get<ImportedDocument>(saved.document);
  EXPECT_EQ(viewing.layer, 0);
  EXPECT_EQ(viewing.layers, 2);
  EXPECT_EQ(load_any_document(files_ / "viewed.png").document, saved.document);
  for (const char* const name : {"viewed.json", "viewed.png"}) {
    const ProgramRun run = run_program({"figure", (files_ / name).string(), "-o", (files_ / "again.svg").string()});
    EXPECT_EQ(run.status, 0) << run.err;
    std::filesystem::remove(files_ / "again.svg");
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, Released, testing::ValuesIn(versions()), [](const auto& version) {
  std::string name = version.param;
  std::ranges::replace(name, '.', '_');
  return name;
});

}  // namespace
}  // namespace attnscope::test
