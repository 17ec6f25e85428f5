#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "document/document.h"
#include "tests/support/checks.h"

namespace attnscope::test {

// Whether a sentence is one: one line that ends with a full stop or a question mark and has every fragment in it.
testing::AssertionResult says(const std::string& sentence, const std::vector<std::string>& fragments);

Tensor inputs_of(const Document& document);

// A file of tests/data, as it is.
std::string data_text(const std::string& name);

// An empty folder that is gone at the end of the test.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  std::vector<std::string> names() const;  // of everything in it, hidden files too, in order

private:
  std::filesystem::path path_;
};

std::string text_of(const std::filesystem::path& file);
void put_text(const std::filesystem::path& file, const std::string& text);

}  // namespace attnscope::test
