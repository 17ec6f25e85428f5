// Documents that nobody wrote on purpose: each is refused with a sentence or read, and none ends the program.

#include <filesystem>
#include <random>

#include "core/text.h"
#include "document/builtin.h"
#include "document/json.h"
#include "support.h"
#include "tests/support/places.h"

namespace attnscope::test {
namespace {

std::vector<std::filesystem::path> broken_files() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = data_folder() / "broken_documents";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

TEST(BrokenDocuments, AreAllRefused) {
  ASSERT_GE(broken_files().size(), 40U);
  for (const std::filesystem::path& file : broken_files()) {
    SCOPED_TRACE(file.filename());
    const Error error = error_of([&] { parse_document(text_of(file)); });
    EXPECT_TRUE(says(error.what(), {}));
  }
}

// Reads a text that may be anything. What is accepted must be a document that survives a round trip.
bool is_accepted(const std::string& text) {
  try {
    const Document document = parse_document(text);
    EXPECT_EQ(parse_document(to_json(document)), document) << text;
    return true;
  } catch (const Error& error) {
    EXPECT_TRUE(says(error.what(), {})) << text;
    EXPECT_EQ(find_invalid_utf8(error.what()), std::nullopt) << text;
    return false;
  }
}

std::string mutated(std::string text, std::mt19937& engine) {
  static const std::vector<std::string> pieces = {
      "[",    "]",     "{",    "}",     ",",        ":",     "\"",  "null",
      "true", "-1",    "1e39", "1e999", "NaN",      "\\",    "\\u", "\xFF",
      "\xE4", "0.5",   "\n",   "seed",  "\"seed\"", "99999", "//",  "-0",
      "[[",   "]]]]]", " ",    "\x01",  "1.",       "randn", "'",   "18446744073709551616"};
  const std::size_t changes = 1 + engine() % 3;
  for (std::size_t change = 0; change < changes && !text.empty(); ++change) {
    const std::size_t position = engine() % text.size();
    const std::size_t length = engine() % 4;
    switch (engine() % 5) {
      case 0:
        text.erase(position, length);
        break;
      case 1:
        text.insert(position, pieces[engine() % pieces.size()]);
        break;
      case 2:
        text[position] = static_cast<char>(engine());
        break;
      case 3:
        text.insert(engine() % text.size(), text.substr(position, engine() % 30));
        break;
      default:
        text.resize(position);
        break;
    }
  }
  return text;
}

TEST(BrokenDocuments, RandomChangesNeverCrashTheReader) {
  std::mt19937 engine(11);
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < 6000; ++round) {
    const auto documents = builtin_documents();
    const std::string text(documents[engine() % documents.size()].json);
    ++(is_accepted(mutated(text, engine)) ? accepted : refused);
  }
  EXPECT_GT(accepted, 100);  // else the changes are so wild that they show nothing
  EXPECT_GT(refused, 1000);
}

TEST(BrokenDocuments, EveryBeginningOfADocumentIsRefused) {
  const std::string text = to_json(default_document());
  for (std::size_t length = 0; length + 2 < text.size(); ++length) EXPECT_FALSE(is_accepted(text.substr(0, length)));
}

}  // namespace
}  // namespace attnscope::test
