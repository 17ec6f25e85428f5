// Whatever a file holds, to read it takes no more than 64 MB beyond twice the larger of the file and of what it says,
// and ends soon. One test for each reader, with the worst files of its kind.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>

#include <fmt/format.h>

#include "files/png.h"
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

class Bounds : public testing::Test {
protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizers take memory of their own";
#endif
    put_text(folder_ / "small.json", "{}");
    put_text(folder_ / "small.csv", "1,2\n3,4\n");
  }

  // Runs `arguments` with the file at their end, once it holds `bytes`. `result_bytes`: of what it says, if more.
  void expect_bounded(std::vector<std::string> arguments, const std::string& name, const std::string& bytes,
                      std::uint64_t result_bytes = 0) {
    put_text(folder_ / name, bytes);
    expect_bounded(std::move(arguments), name, std::max<std::uint64_t>(bytes.size(), result_bytes));
  }
  void expect_bounded(std::vector<std::string> arguments, const std::string& name, std::uint64_t larger) {
    std::vector<std::string> usual = arguments;
    usual.push_back((folder_ / (arguments.front() == "import" ? "small.csv" : "small.json")).string());
    arguments.push_back((folder_ / name).string());
    const Peak before = peak_of(usual);
    ASSERT_EQ(before.status, 0) << "a usual file is read";
    const Peak peak = peak_of(arguments);
    EXPECT_TRUE(peak.status == 0 || peak.status == refused) << name << " ended the program with status " << peak.status;
    EXPECT_LE(peak.bytes, before.bytes + 64 * megabyte + 2 * larger) << name << ", " << larger << " bytes";
  }

  TemporaryFolder folder_;
  const std::vector<std::string> eval_ = {"eval", "--stages", "inputs"};
  const std::vector<std::string> import_ = {"import", "-o", (folder_ / "out.json").string()};
};

std::string repeated(std::string_view piece, std::size_t bytes = large) {
  std::string text;
  text.reserve(bytes + piece.size());
  while (text.size() < bytes) text += piece;
  return text;
}

TEST_F(Bounds, OfDocuments) {
  expect_bounded(eval_, "rows.json", "{\"inputs\": [" + repeated("[1],") + "[1]]}", large);  // 4 bytes in 4
  expect_bounded(eval_, "tokens.json", "{\"tokens\": [" + repeated("\"\",") + "\"\"]}");
  expect_bounded(eval_, "shape.json", "{\"format\": \"attnscope-viewing\", \"shape\": [" + repeated("1,") + "1]}");
  expect_bounded(eval_, "string.json", "{\"seed\": \"" + repeated("x") + "\"}");
  expect_bounded(eval_, "number.json", "{\"seed\": " + repeated("1") + "}");
  expect_bounded(eval_, "fraction.json", "{\"dropout\": 0." + repeated("1") + "}");
  expect_bounded(eval_, "nested.json", repeated("["));
  expect_bounded(eval_, "spaces.json", repeated(" ") + "{}");
  std::string weights = "{\"weights\": {";
  for (int i = 0; weights.size() < large; ++i) weights += "\"" + std::to_string(i) + "\":[1],";
  expect_bounded(eval_, "weights.json", weights);
}

TEST_F(Bounds, OfTables) {
  expect_bounded(import_, "commas.csv", repeated(","));
  expect_bounded(import_, "ones.csv", repeated("1\n"), 2 * large);
  expect_bounded(import_, "names.csv", repeated("a\n"));
  expect_bounded(import_, "named.csv", repeated("a,1\n"), large / 4 * (sizeof(std::string) + sizeof(float)));
  expect_bounded(import_, "quoted.csv", "\"" + repeated("\"\"") + "\",1\n");
  expect_bounded(import_, "fields.csv", repeated("\"\","));
  expect_bounded(import_, "digits.csv", "1," + repeated("1") + "\n");
}

TEST_F(Bounds, OfArchives) {
  const auto put_zeros = [&](const std::string& name, const std::string& shape, std::size_t numbers) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
    header.append(118 - header.size() - 1, ' ');
    std::string array = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n";
    array.resize(array.size() + 4 * numbers);
    zip_t* const zip = zip_open((folder_ / name).c_str(), ZIP_CREATE, nullptr);
    zip_file_add(zip, "a.npy", zip_source_buffer(zip, array.data(), array.size(), 0), ZIP_FL_ENC_UTF_8);
    ASSERT_EQ(zip_close(zip), 0);
  };
  put_zeros("large.npz", "(4096, 6144)", std::size_t{4096} * 6144);
  expect_bounded(import_, "large.npz", std::uint64_t{4096} * 6144 * 4);
  put_zeros("refused.npz", "(16384, 11000)", std::size_t{16384} * 11000);  // more than a document can hold
  expect_bounded(import_, "refused.npz", std::uint64_t{0});
}

TEST_F(Bounds, OfSafetensors) {
  const auto with_header = [](const std::string& header) {
    std::string length;
    for (std::size_t i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> (8 * i) & 0xFF);
    return length + header;
  };
  std::string metadata = "{\"__metadata__\":{";
  for (int i = 0; metadata.size() < large; ++i) metadata += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":\"\"";
  expect_bounded(import_, "metadata.safetensors", with_header(metadata + "}}"));
  std::string tensors = "{";
  for (int i = 0; tensors.size() < large; ++i)
    tensors += fmt::format("{}\"{}\":{{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}", i == 0 ? "" : ",", i);
  expect_bounded(import_, "tensors.safetensors", with_header(tensors + "}"));
  expect_bounded(import_, "name.safetensors", with_header("{\"" + repeated("n") + "\":{}}"));
}

TEST_F(Bounds, OfPictures) {
  expect_bounded(eval_, "key.pdf", "%PDF-1.5\n" + repeated("/AttnscopeDocument"));
  expect_bounded(eval_, "streams.pdf", "%PDF-1.5\n" + repeated("/AttnscopeDocument stream\r"));
  const std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
  expect_bounded(eval_, "nested.svg", svg + ">" + repeated("<a>"));
  expect_bounded(eval_, "text.svg", svg + ">" + repeated("&#65;") + "</svg>");
  std::string attributes = svg;
  for (int i = 0; attributes.size() < large; ++i) attributes += fmt::format(" a{}=\"\"", i);
  expect_bounded(eval_, "attributes.svg", attributes + "/>");
  const std::string text = repeated(" ", 4 * large);
  std::string png = plain_picture(PictureKind::png).substr(0, 33);
  append_png_chunk(png, "zTXt", std::string("attnscope\0\0", 11) + deflate_text(text));
  append_png_chunk(png, "IEND", "");
  expect_bounded(eval_, "spaces.png", png, text.size());
  const std::string gif = "GIF89a" + std::string(7, '\0');
  expect_bounded(eval_, "comments.gif", gif + repeated(std::string("\x21\xFE\0", 3)) + ";");
  const std::string carried = std::string("\x21\xFF\x0B") + "ATTNSCOP1.0";
  expect_bounded(eval_, "spaces.gif", gif + carried + repeated('\xFF' + std::string(255, ' ')) + '\0' + ";");
}

}  // namespace
}  // namespace attnscope::test
