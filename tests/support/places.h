#pragma once

#include <filesystem>

// Where things are that a test reads or runs. One source file alone is compiled with these paths, so that the others
// compile to the same objects in every checkout.
namespace attnscope::test {

std::filesystem::path tests_folder();
std::filesystem::path data_folder();       // tests/data
std::filesystem::path documents_folder();  // the documents that the program carries, as files
std::filesystem::path program_file();      // attnscope itself
std::filesystem::path fuzz_seeds_folder();

}  // namespace attnscope::test
