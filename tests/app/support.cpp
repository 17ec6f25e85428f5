#include "support.h"

#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <variant>

#include "tests/support/places.h"

namespace attnscope::test {

testing::AssertionResult says(const std::string& sentence, const std::vector<std::string>& fragments) {
  if (sentence.find('\n') != std::string::npos) return testing::AssertionFailure() << "two lines: " << sentence;
  if (!sentence.ends_with('.') && !sentence.ends_with('?'))
    return testing::AssertionFailure() << "no end: " << sentence;
  for (const std::string& fragment : fragments) {
    if (sentence.find(fragment) == std::string::npos) {
      return testing::AssertionFailure() << "\"" << fragment << "\" is not in: " << sentence;
    }
  }
  return testing::AssertionSuccess();
}

Tensor inputs_of(const Document& document) { return std::get<SharedTensor>(document.config.inputs).copy(); }

std::string data_text(const std::string& name) { return text_of(data_folder() / name); }

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "attnscope-test-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream) << "cannot read " << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

void put_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace attnscope::test
