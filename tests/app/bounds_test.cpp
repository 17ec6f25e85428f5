// Whatever a file holds, to read it takes no more than 64 MB beyond twice the larger of the file and of what it says,
// and ends soon. One test for each of the worst files.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>

#include <fmt/format.h>

#include "files/image.h"
#include "pictures.h"
#include "support.h"
#include "tests/support/places.h"

namespace attnscope::test {
namespace {

constexpr std::uint64_t megabyte = 1'000'000;
constexpr std::size_t large = 24 * megabyte;  // of a file
constexpr int refused = 2;                    // the status of the program after a file that it cannot read
constexpr rlim_t patience = 60;               // seconds of the processor: the end of what would take hours

struct Peak {
  std::uint64_t bytes = 0;
  int status = -1;
};

// The most memory that a run of the program had at once.
Peak peak_of(std::vector<std::string> arguments) {
  const std::string program = program_file().string();
  arguments.insert(arguments.begin(), program);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const struct rlimit limit = {patience, patience};
    ::setrlimit(RLIMIT_CPU, &limit);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::execv(program.c_str(), pointers.data());
    ::_exit(127);
  }
  int status = 0;
  struct rusage usage = {};
  ::wait4(child, &status, 0, &usage);
  return {static_cast<std::uint64_t>(usage.ru_maxrss) * 1024, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

std::string repeated(std::string_view piece, std::size_t bytes = large) {
  const std::size_t whole = (bytes + piece.size() - 1) / piece.size() * piece.size();
  std::string text(piece);
  text.reserve(whole);
  while (text.size() < whole) text.append(text, 0, whole - text.size());
  return text;
}

// `begin`, pieces with their numbers, and `end`.
std::string numbered(std::string begin, std::string_view pieces, std::string_view end = "") {
  for (int i = 0; begin.size() < large; ++i) begin += fmt::format(fmt::runtime(pieces), i);
  return begin += end;
}

std::string archive_of_zeros(const std::string& shape, std::size_t numbers) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  header.append(118 - header.size() - 1, ' ');
  std::string array = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n";
  array.resize(array.size() + 4 * numbers);
  const TemporaryFolder folder;
  zip_t* const zip = zip_open((folder / "a.npz").c_str(), ZIP_CREATE, nullptr);
  zip_file_add(zip, "a.npy", zip_source_buffer(zip, array.data(), array.size(), 0), ZIP_FL_ENC_UTF_8);
  EXPECT_EQ(zip_close(zip), 0);
  return text_of(folder / "a.npz");
}

std::string with_length(const std::string& header) {
  std::string length;
  for (std::size_t i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return length + header;
}

std::string png_of_spaces() {
  std::string png = plain_picture(PictureKind::png).substr(0, 33);
  append_png_chunk(png, "zTXt", std::string("attnscope\0\0", 11) + deflate_text(repeated(" ", 4 * large)));
  append_png_chunk(png, "IEND", "");
  return png;
}

const std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
const std::string gif = "GIF89a" + std::string(7, '\0');

// One of the worst files of its kind.
struct WorstFile {
  std::string name;  // the command reads .json and pictures by `eval`, and all else by `import`
  std::string (*bytes)();
  std::uint64_t result_bytes = 0;  // of what it says, if more than the file has
};

void PrintTo(const WorstFile& file, std::ostream* out) { *out << file.name; }

const WorstFile worst_files[] = {
    {"rows.json", [] { return "{\"inputs\": [" + repeated("[1],") + "[1]]}"; }},  // 4 bytes in 4
    {"tokens.json", [] { return "{\"tokens\": [" + repeated("\"\",") + "\"\"]}"; }},
    {"shape.json", [] { return "{\"format\": \"attnscope-viewing\", \"shape\": [" + repeated("1,") + "1]}"; }},
    {"string.json", [] { return "{\"seed\": \"" + repeated("x") + "\"}"; }},
    {"number.json", [] { return "{\"seed\": " + repeated("1") + "}"; }},
    {"fraction.json", [] { return "{\"dropout\": 0." + repeated("1") + "}"; }},
    {"nested.json", [] { return repeated("["); }},
    {"spaces.json", [] { return repeated(" ") + "{}"; }},
    {"weights.json", [] { return numbered("{\"weights\": {", "\"{}\":[1],"); }},
    {"commas.csv", [] { return repeated(","); }},
    {"ones.csv", [] { return repeated("1\n"); }, 2 * large},
    {"names.csv", [] { return repeated("a\n"); }},
    {"named.csv", [] { return repeated("a,1\n"); }, large / 4 * (sizeof(std::string) + sizeof(float))},
    {"quoted.csv", [] { return "\"" + repeated("\"\"") + "\",1\n"; }},
    {"fields.csv", [] { return repeated("\"\","); }},
    {"digits.csv", [] { return "1," + repeated("1") + "\n"; }},
    {"large.npz", [] { return archive_of_zeros("(4096, 6144)", std::size_t{4096} * 6144); },
     std::uint64_t{4096} * 6144 * 4},
    // More than a document can hold.
    {"refused.npz", [] { return archive_of_zeros("(16384, 11000)", std::size_t{16384} * 11000); }},
    {"metadata.safetensors",
     [] { return with_length(numbered("{\"__metadata__\":{\"\":\"\"", ",\"{}\":\"\"", "}}")); }},
    {"tensors.safetensors",
     [] {
       const std::string first = R"({"":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
       return with_length(numbered(first, R"(,"{}":{{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})", "}"));
     }},
    {"name.safetensors", [] { return with_length("{\"" + repeated("n") + "\":{}}"); }},
    {"key.pdf", [] { return "%PDF-1.5\n" + repeated("/AttnscopeDocument"); }},
    {"streams.pdf", [] { return "%PDF-1.5\n" + repeated("/AttnscopeDocument stream\r"); }},
    {"nested.svg", [] { return svg + ">" + repeated("<a>"); }},
    {"text.svg", [] { return svg + ">" + repeated("&#65;") + "</svg>"; }},
    {"attributes.svg", [] { return numbered(svg, " a{}=\"\"", "/>"); }},
    {"spaces.png", png_of_spaces, 4 * large},
    {"comments.gif", [] { return gif + repeated(std::string("\x21\xFE\0", 3)) + ";"; }},
    {"spaces.gif",
     [] {
       const std::string carried = std::string("\x21\xFF\x0B") + "ATTNSCOP1.0";
       return gif + carried + repeated('\xFF' + std::string(255, ' ')) + '\0' + ";";
     }},
};

class Bounds : public testing::TestWithParam<WorstFile> {};

TEST_P(Bounds, HoldForTheWorstFiles) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers take memory of their own";
#endif
  const WorstFile& file = GetParam();
  const TemporaryFolder folder;
  const std::string ending = std::filesystem::path(file.name).extension().string();
  const bool is_imported = ending == ".csv" || ending == ".npz" || ending == ".safetensors";
  const std::string usual = is_imported ? "small.csv" : "small.json";
  put_text(folder / usual, is_imported ? "1,2\n3,4\n" : "{}");
  std::vector<std::string> arguments = {"eval", "--stages", "inputs"};
  if (is_imported) arguments = {"import", "-o", (folder / "out.json").string()};
  const auto peak_with = [&](const std::string& name) {
    std::vector<std::string> all = arguments;
    all.push_back((folder / name).string());
    return peak_of(all);
  };
  std::uint64_t larger = file.result_bytes;
  {
    const std::string bytes = file.bytes();
    put_text(folder / file.name, bytes);
    larger = std::max<std::uint64_t>(larger, bytes.size());
  }
  const Peak before = peak_with(usual);
  ASSERT_EQ(before.status, 0) << "a usual file is read";
  const Peak peak = peak_with(file.name);
  EXPECT_TRUE(peak.status == 0 || peak.status == refused) << "it ended the program with status " << peak.status;
  EXPECT_LE(peak.bytes, before.bytes + 64 * megabyte + 2 * larger) << larger << " bytes";
}

INSTANTIATE_TEST_SUITE_P(Of, Bounds, testing::ValuesIn(worst_files), [](const testing::TestParamInfo<WorstFile>& file) {
  std::string name = file.param.name;
  std::ranges::replace(name, '.', '_');
  return name;
});

}  // namespace
}  // namespace attnscope::test
