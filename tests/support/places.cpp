#include "tests/support/places.h"

namespace attnscope::test {
namespace {

std::filesystem::path source_folder() { return ATTNSCOPE_SOURCE_FOLDER; }
std::filesystem::path build_folder() { return ATTNSCOPE_BUILD_FOLDER; }

}  // namespace

std::filesystem::path tests_folder() { return source_folder() / "tests"; }
std::filesystem::path data_folder() { return tests_folder() / "data"; }
std::filesystem::path documents_folder() { return source_folder() / "assets/documents"; }
std::filesystem::path program_file() { return build_folder() / "attnscope"; }
std::filesystem::path fuzz_seeds_folder() { return build_folder() / "tests/fuzz/seeds"; }

}  // namespace attnscope::test
