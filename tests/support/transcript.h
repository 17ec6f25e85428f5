#pragma once

#include <string>
#include <vector>

namespace attnscope::test {

// Compares a text with tests/data/transcripts/NAME.txt, which a person has read. With ATTNSCOPE_WRITE_TRANSCRIPTS=1 in
// the environment it writes the file instead. Lines may be broken elsewhere, and the last digits of numbers of three
// decimals or more may differ, because each processor and each system rounds in its own way.
void expect_transcript(const std::string& name, const std::string& text);

// Lines of a transcript: short texts that follow each other, such as the numbers of cells, share a line.
std::string in_lines(const std::vector<std::string>& texts);

// Where two such texts differ: their lines from there on, with their numbers; empty where they agree.
std::string difference_of_transcripts(const std::string& was, const std::string& is);

}  // namespace attnscope::test
