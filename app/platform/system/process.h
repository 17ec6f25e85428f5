#pragma once

#include <cstdint>
#include <ctime>
#include <string_view>

namespace attnscope {

// To be called first. A standard stream that the caller closed is filled with one that cannot be used, so that no file
// that is opened later gets its number; and a reader that has gone, or a file at its size limit, is an error with a
// sentence, not the end of the process.
void guard_standard_streams();

void write_standard_output(std::string_view bytes);  // throws Error when it is closed or full
void write_standard_error(std::string_view text);    // ignores failures, because nobody is left to tell
bool is_standard_error_a_terminal();

// Call it first, too: the program then uses fonts that lie beside it, as in the portable archive, like those of the
// system.
void find_fonts_beside_program();

int process_id();
std::tm local_time(std::time_t seconds);

// Keeps a shared library in memory until the program ends, if there is one of that name: "libGL.so.1".
void keep_loaded(const char* library);

std::uint64_t available_memory();  // bytes that are free to use; UINT64_MAX if unknown
std::uint64_t peak_memory();       // the most bytes that this process held so far

}  // namespace attnscope
