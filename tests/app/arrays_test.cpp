// Files of arrays that lie about themselves. What good ones hold is NumPy's to judge, in arrays_numpy.py.

#include "files/arrays.h"

#include <zip.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <memory>

#include "core/evaluate.h"
#include "document/edit.h"
#include "files/array_files.h"
#include "files/import.h"
#include "support.h"

namespace attnscope::test {
namespace {

std::string npy(const std::string& description, std::size_t bytes) {
  std::string header = description + "\n";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8);
  return file + header + std::string(bytes, '\0');
}

std::string npy_refusal(const std::string& description, std::size_t bytes) {
  return error_of([&] { parse_npy(npy(description, bytes)); }).what();
}

TEST(Npy, ShapesThatContradictTheFileAreRefused) {
  EXPECT_NO_THROW(parse_npy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24)));
  EXPECT_TRUE(says(npy_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 23),
                   {"(2, 3)", "take 24 bytes", "23 follow"}));
  EXPECT_TRUE(says(npy_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 25), {"25 follow"}));
  const std::string huge = "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }";
  EXPECT_TRUE(says(npy_refusal(huge, 8), {"larger than any file can be"}));
  const std::string wrapped = "{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807, 3), }";
  EXPECT_TRUE(says(npy_refusal(wrapped, 8), {"larger than any file can be"}));
  const std::string too_long = "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,), }";
  EXPECT_TRUE(says(npy_refusal(too_long, 8), {"an invalid size"}));
  const std::string none = "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9223372036854775807), }";
  EXPECT_TRUE(says(npy_refusal(none, 0), {"larger than any file can be"}));
}

TEST(Npy, HeadersThatAreNoneAreRefused) {
  for (const char* text : {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'descr': '<f4', 'shape': ()}",
                           "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "{'shape': (1 2)}",
                           "{'shape': (-1,)}", "{'descr': __import__('os'), 'fortran_order': False, 'shape': (1,)}"}) {
    EXPECT_TRUE(says(npy_refusal(text, 4), {"not a .npy array"})) << text;
  }
  EXPECT_TRUE(says(npy_refusal("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 8), {"|O", "astype"}));
  EXPECT_TRUE(says(npy_refusal("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 8), {"records"}));
}

std::string safetensors(const std::string& header, std::size_t bytes) {
  std::string file;
  for (std::size_t i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return file + header + std::string(bytes, '\0');
}

std::string refusal(const std::string& header, std::size_t bytes) {
  return error_of([&] { parse_safetensors(safetensors(header, bytes)); }).what();
}

TEST(Safetensors, OffsetsAreCheckedAgainstTheFileAndEachOther) {
  const std::string a = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  EXPECT_NO_THROW(parse_safetensors(safetensors("{" + a + "}", 8)));
  EXPECT_TRUE(says(refusal("{" + a + "}", 7), {"cut short"}));
  EXPECT_TRUE(says(refusal("{" + a + "}", 9), {"belong to no tensor"}));
  const auto with = [&](const std::string& offsets) {
    return "{" + a + R"(,"b":{"dtype":"F32","shape":[2],"data_offsets":)" + offsets + "}}";
  };
  EXPECT_NO_THROW(parse_safetensors(safetensors(with("[8,16]"), 16)));
  EXPECT_TRUE(says(refusal(with("[4,12]"), 16), {"overlaps"}));
  EXPECT_TRUE(says(refusal(with("[0,8]"), 16), {"overlaps"}));
  EXPECT_TRUE(says(refusal(with("[9,17]"), 17), {"belong to no tensor"}));
  EXPECT_TRUE(says(refusal(with("[16,8]"), 16), {"lies from byte 16 to 8"}));
  EXPECT_TRUE(says(refusal(with("[8,12]"), 12), {"takes 8 bytes, but it has 4"}));
  EXPECT_TRUE(says(refusal(with("[18446744073709551615,8]"), 16), {"\"b\" lies"}));
  EXPECT_TRUE(says(refusal(with("[8]"), 16), {"data_offsets"}));
  EXPECT_TRUE(says(refusal(with("[8,16,24]"), 16), {"more than two"}));
}

TEST(Safetensors, HeadersAreBounded) {
  const auto length = [](std::uint64_t size) {
    const auto bytes = std::bit_cast<std::array<char, 8>>(size);
    return std::string(bytes.begin(), bytes.end()) + "{}";
  };
  EXPECT_TRUE(says(error_of([&] { parse_safetensors(length(~0ULL)); }).what(), {"the length of a header"}));
  EXPECT_TRUE(says(error_of([&] { parse_safetensors(length(3)); }).what(), {"cut short"}));
  EXPECT_TRUE(says(refusal("{" + std::string(100000, '['), 0), {"not JSON"}));
  std::string deep = R"({"a":)";
  for (int i = 0; i < 10000; ++i) deep += R"({"dtype":)";
  EXPECT_TRUE(says(refusal(deep, 0), {"too deeply"}));
  EXPECT_TRUE(says(refusal(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{}})", 4), {"two tensors"}));
  EXPECT_TRUE(says(refusal(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4), {"negative"}));
}

// An archive of one entry, deflated.
std::string archive(const std::string& name, const std::string& content) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "a.npz";
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE, nullptr);
  zip_source_t* source = zip_source_buffer(zip, content.data(), content.size(), 0);
  EXPECT_GE(zip_file_add(zip, name.c_str(), source, ZIP_FL_ENC_UTF_8), 0);
  EXPECT_EQ(zip_close(zip), 0);
  return text_of(path);
}

TEST(Npz, SizesAreCheckedBeforeAnythingIsUnpacked) {
  const std::string good = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1024, 1024), }", 4 << 20);
  const std::string packed = archive("a.npy", good);
  ASSERT_LT(packed.size(), 10000U);  // the stuff that bombs are made of
  const NamedArrays file = parse_npz(packed);
  EXPECT_EQ(load(file, 0).bytes.size(), 4U << 20);
  const std::string lie = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1024, 1024), }", 4 << 20);
  EXPECT_TRUE(
      says(error_of([&] { parse_npz(archive("a.npy", lie)); }).what(), {"takes 8388608 bytes", "holds 4194304"}));
}

TEST(Npz, SomeRowsOfAPackedTableAreReadWithoutTheOthersButItsSumIsChecked) {
  std::string content = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1000, 200), }", 200'000);
  for (std::size_t i = 0; i < 200'000; ++i) content[content.size() - 200'000 + i] = static_cast<char>(i / 200 % 50);
  const std::string packed = archive("a.npy", content);
  ASSERT_LT(packed.size(), content.size() / 10);
  const NamedArrays file = parse_npz(packed);
  EXPECT_EQ(file.unpack(0, {400, 600}, {}).size(), 600U);
  Document document = default_document();
  import_embeddings(document, file, {.first_row = 997, .row_count = 2});
  EXPECT_EQ(inputs_of(document).shape, (std::vector<Index>{2, 200}));
  EXPECT_EQ(inputs_of(document).values.front(), 47);
  EXPECT_EQ(inputs_of(document).values.back(), 48);
  // The sum stands in the archive twice, before the numbers and in its directory.
  std::string other = packed;
  const std::uint32_t sum = file.arrays.at(0).packed_sum.value();
  for (std::size_t at = 0; at + 4 <= other.size(); ++at) {
    if (std::memcmp(other.data() + at, &sum, 4) == 0) other[at] = static_cast<char>(other[at] ^ 1);
  }
  ASSERT_NE(other, packed);
  EXPECT_TRUE(
      says(error_of([&] { import_embeddings(document, parse_npz(other), {.first_row = 1, .row_count = 2}); }).what(),
           {"CRC"}));
}

TEST(Npz, AClaimThatNoPackingCanReachIsRefused) {
  const std::string content = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (100000,), }", 100000);
  std::string packed = archive("a.npy", content);
  const std::string size(reinterpret_cast<const char*>(std::array{static_cast<std::uint32_t>(content.size())}.data()),
                         4);
  const std::string claim("\xF0\xFF\xFF\x7F", 4);
  std::size_t places = 0;
  for (std::size_t at = packed.find(size); at != std::string::npos; at = packed.find(size, at + 4)) {
    packed.replace(at, 4, claim);
    ++places;
  }
  ASSERT_GE(places, 1U);
  EXPECT_TRUE(says(error_of([&] { parse_npz(packed); }).what(), {}));
}

// libzip compares each name with all others of the same hash.
TEST(Npz, AnArchiveOfTooManyEntriesIsRefusedBeforeItIsOpened) {
  const auto little_endian = [](std::uint64_t number, int width) {
    std::string bytes;
    for (int i = 0; i < width; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
    return bytes;
  };
  constexpr std::uint64_t count = 65'536;
  std::string files;
  std::string directory;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string name;
    for (int letter = 0; letter < 16; ++letter) name += (i >> letter & 1) != 0 ? "Ez" : "FY";  // of one hash
    const std::string about = std::string("\x14\0\0\0\0\0\0\0\x21\0", 10) + std::string(12, '\0') +
                              little_endian(name.size(), 2) + little_endian(0, 2);
    directory +=
        "PK\x01\x02" + little_endian(20, 2) + about + std::string(10, '\0') + little_endian(files.size(), 4) + name;
    files += "PK\x03\x04" + about + name;
  }
  const std::uint64_t large_end = files.size() + directory.size();
  const std::string sizes = little_endian(count, 8) + little_endian(count, 8) + little_endian(directory.size(), 8) +
                            little_endian(files.size(), 8);
  const std::string bytes = files + directory + "PK\x06\x06" + little_endian(44, 8) + little_endian(45, 2) +
                            little_endian(45, 2) + std::string(8, '\0') + sizes + "PK\x06\x07" + std::string(4, '\0') +
                            little_endian(large_end, 8) + little_endian(1, 4) + "PK\x05\x06" + std::string(4, '\0') +
                            std::string(12, '\xFF') + std::string(2, '\0');
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(std::string(error_of([&] { parse_npz(bytes); }).what()),
            "This is not a .npz archive that can be read: it has 65536 entries, and at most 10000 are read.");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));  // else it would take minutes
}

TEST(Npz, HeadersOfAnyLengthAreReadButNotTooManyLongOnes) {
  const auto archive_of = [](int count, std::size_t header) {
    const TemporaryFolder folder;
    const std::string path = (folder / "a.npz").string();
    std::string array = npy_header("<f4", {1});
    array.insert(array.size() - 1, header - array.size() + 10, ' ');
    array[8] = static_cast<char>(header & 0xFF);
    array[9] = static_cast<char>(header >> 8);
    array += std::string(4, '\0');
    zip_t* zip = zip_open(path.c_str(), ZIP_CREATE, nullptr);
    for (int i = 0; i < count; ++i) {
      const std::string name = std::to_string(i) + ".npy";
      zip_file_add(zip, name.c_str(), zip_source_buffer(zip, array.data(), array.size(), 0), 0);
      zip_set_file_compression(zip, static_cast<zip_uint64_t>(i), ZIP_CM_DEFLATE, 1);
    }
    EXPECT_EQ(zip_close(zip), 0);
    return text_of(path);
  };
  for (const std::size_t header : {118U, 246U, 247U, 1000U, 65'526U})
    EXPECT_EQ(parse_npz(archive_of(2, header)).arrays.size(), 2U) << header;
  EXPECT_EQ(parse_npz(archive_of(1000, 118)).arrays.size(), 1000U);
  EXPECT_TRUE(says(error_of([&] { parse_npz(archive_of(4200, 65'000)); }).what(), {"more work than any that a tool"}));
}

TEST(Npz, NamesAreNeverPaths) {
  const TemporaryFolder folder;
  const std::string content = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", 8);
  put_text(folder / "a.npz", archive("../../evil.npy", content));
  const NamedArrays file = read_arrays(folder / "a.npz");
  EXPECT_EQ(file.arrays.at(0).name, "../../evil");
  EXPECT_EQ(load(file, 0).bytes.size(), 8U);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.npz"});
}

TEST(Arrays, WhatTheFileHoldsCountsForMoreThanItsEnding) {
  const TemporaryFolder folder;
  put_text(folder / "a.csv", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", 8));
  EXPECT_EQ(read_arrays(folder / "a.csv").arrays.at(0).shape, (std::vector<Index>{1, 2}));
  put_text(folder / "b.npy", "1,2\n");
  EXPECT_TRUE(says(error_of([&] { read_arrays(folder / "b.npy"); }).what(), {"b.npy: ", "does not begin like one"}));
}

TEST(Csv, ErrorsNameTheLine) {
  const auto refused = [](const char* text) { return std::string(error_of([&] { parse_csv(text); }).what()); };
  EXPECT_TRUE(says(refused("1,2\n3\n"), {"Line 2 has 1 fields", "have 2"}));
  EXPECT_TRUE(says(refused("1,2\n\n\n3,x\n"), {"Line 4, column 2", "\"x\""}));
  EXPECT_TRUE(says(refused("1,2\n3,\"x\n"), {"Line 2", "nothing closes"}));
  EXPECT_TRUE(says(refused("1,2\n3,\"4\" 5\n"), {"Line 2", "closing quotation mark"}));
  EXPECT_TRUE(says(refused("\xFF\xFE"
                           "1"),
                   {"UTF-8"}));
  EXPECT_TRUE(says(refused("\"a\nb\",c\n1,2\n3,x\n"), {"Line 4, column 2"}));
  EXPECT_TRUE(says(refused("\n\n"), {"no numbers"}));
  EXPECT_TRUE(says(refused("the\n"), {"no numbers"}));
}

TEST(Csv, HeadersAreToldFromRows) {
  const auto shape = [](const char* text) { return parse_csv(text).arrays.at(0).shape; };
  const auto rows = [](const char* text) { return parse_csv(text).row_names; };
  using Shape = std::vector<Index>;
  EXPECT_EQ(shape("a,b\n1,2\n"), (Shape{1, 2}));
  EXPECT_EQ(shape(",0,1\n0,5,6\n1,7,8\n"), (Shape{2, 2}));  // as pandas writes
  EXPECT_EQ(rows(",0,1\n0,5,6\n1,7,8\n"), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(shape("token,1,2\nthe,5,6\n"), (Shape{1, 2}));
  EXPECT_EQ(rows("token,0.5,2\nthe,5,6\n"), (std::vector<std::string>{"token", "the"}));  // no header: a word
  EXPECT_EQ(rows("a,b\nthe,5,6\n"), std::vector<std::string>{"the"});                     // as R writes
  EXPECT_EQ(shape("a;b;\n1;2;\n3;4;\n"), (Shape{2, 2}));
  const auto refused = [](const char* text) { return std::string(error_of([&] { parse_csv(text); }).what()); };
  EXPECT_TRUE(says(refused("the,0.5,O.5\ncat,1,2\n"), {"Line 1, column 3", "\"O.5\""}));
  EXPECT_TRUE(says(refused("a,b,c,d\n1,2\n"), {"4 names", "2 fields"}));
}

TEST(Csv, QuotedFieldsAreNamesWhateverTheySpell) {
  const NamedArrays file = parse_csv("\"1\",2\n\"2\",3\n");
  EXPECT_EQ(file.row_names, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(file.arrays.at(0).shape, (std::vector<Index>{2, 1}));
  EXPECT_TRUE(parse_csv("1,2\n2,3\n").row_names.empty());
}

TEST(Embeddings, KeepNamesOfAsManyTokensAndNumberOthers) {
  Document document = default_document();
  const std::vector<std::string> before = document.tokens;
  import_embeddings(document, parse_csv("1,2\n3,4\n5,6\n7,8\n9,10\n11,12\n"), {});
  EXPECT_EQ(document.tokens, before);
  import_embeddings(document, parse_csv("1,2\n3,4\n"), {});
  EXPECT_EQ(document.tokens, (std::vector<std::string>{"x1", "x2"}));
}

TEST(Embeddings, OfSomeRowsHaveTheNamesOfTheseRows) {
  Document document = default_document();
  import_embeddings(document, parse_csv("the,1,2\ncat,3,4\nsat,5,6\n"), {.first_row = 1, .row_count = 2});
  EXPECT_EQ(document.tokens, (std::vector<std::string>{"cat", "sat"}));
  EXPECT_EQ(inputs_of(document), Tensor({2, 2}, {3, 4, 5, 6}));
}

TEST(Embeddings, NeverDropWeightsInSilence) {
  Document document = default_document();
  document.config.weight_overrides["W_query.weight"] = Tensor({2, 3});
  const Document before = document;
  const Error error = error_of([&] { import_embeddings(document, parse_csv("1,2\n3,4\n"), {}); });
  EXPECT_TRUE(says(error.what(), {"have 2 dimensions", "weights take 3"}));
  EXPECT_EQ(document, before);
}

TEST(Weights, AreDrawnBehindTheDrawsThatAreSkipped) {
  const TemporaryFolder folder;
  Document document = default_document();
  document.config.skip_draws = 7;
  export_weights(document, folder / "w.safetensors");
  Document read = default_document();
  import_arrays(read, parse_safetensors(text_of(folder / "w.safetensors")), {});
  EXPECT_EQ(*evaluate(read.config).find(Stage::query_weight), *evaluate(document.config).find(Stage::query_weight));
  EXPECT_NE(*evaluate(read.config).find(Stage::query_weight),
            *evaluate(default_document().config).find(Stage::query_weight));
}

// PyTorch saves the mask of a module, and of each head of the wrapper.
TEST(Weights, AreReadBesideMasks) {
  const TemporaryFolder folder;
  for (const Mechanism mechanism : {Mechanism::causal_attention, Mechanism::multi_head_attention_wrapper}) {
    Document document = default_document();
    set_mechanism(document, mechanism);
    document.config.seed = 5;
    export_weights(document, folder / "w.safetensors");
    const std::string bytes = text_of(folder / "w.safetensors");
    NamedArrays file = parse_safetensors(bytes);
    const bool is_wrapper = mechanism == Mechanism::multi_head_attention_wrapper;
    ArrayView mask = file.arrays.front();
    mask.name = is_wrapper ? "heads.0.mask" : "mask";
    file.arrays.push_back(mask);
    Document read = default_document();
    set_mechanism(read, mechanism);
    import_arrays(read, file, {});
    EXPECT_EQ(*evaluate(read.config).find(Stage::query_weight), *evaluate(document.config).find(Stage::query_weight));
  }
}

TEST(Weights, ThatDoNotFitTogetherAreRefused) {
  const TemporaryFolder folder;
  export_weights(default_document(), folder / "w.safetensors");
  const std::string good = text_of(folder / "w.safetensors");
  const auto refused = [&](const std::string& from, const std::string& to, const ImportChoice& choice = {}) {
    std::string bytes = good;
    const std::size_t at = bytes.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    bytes.replace(at, from.size(), to);
    Document document = default_document();
    const Error error = error_of([&] { import_arrays(document, parse_safetensors(bytes), choice); });
    EXPECT_EQ(document, default_document());
    return std::string(error.what());
  };
  EXPECT_TRUE(says(refused("W_key.weight", "W_kex.weight"), {"\"W_kex.weight\"", "not a weight of this mechanism"}));
  EXPECT_TRUE(
      says(refused(R"("W_key.weight":{"dtype":"F32","shape":[2,3])", R"("W_key.weight":{"dtype":"F32","shape":[3,2])"),
           {"\"W_key.weight\" has the shape (3, 2)", "must have the shape (2, 3)"}));
  EXPECT_TRUE(says(refused("attnscope.num_heads", "attnscope.num_headz"), {"how many heads share d_out = 2"}));
  EXPECT_TRUE(says(refused("F32", "F32", {.num_heads = 3}), {"num_heads is 3", "divide"}));
  EXPECT_TRUE(
      says(refused("F32", "F32", {.mechanism = Mechanism::causal_attention}), {"causal_attention was asked for"}));
}

}  // namespace
}  // namespace attnscope::test
