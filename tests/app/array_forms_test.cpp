// The forms of .npy and .safetensors that other programs write, and the whole sentence for each that is none.

#include <gtest/gtest.h>

#include <memory>
#include <sstream>

#include "core/error.h"
#include "files/array_files.h"
#include "files/arrays.h"
#include "support.h"

namespace attnscope::test {
namespace {

std::string little_endian(std::uint64_t number, std::size_t width) {
  std::string bytes;
  for (std::size_t i = 0; i < width; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
  return bytes;
}

std::string npy_of(char version, const std::string& description, const std::string& numbers) {
  return "\x93NUMPY" + std::string({version, '\0'}) + little_endian(description.size(), version == 1 ? 2 : 4) +
         description + numbers;
}

std::string numbers_text(const Tensor& tensor) {
  std::ostringstream text;
  text.precision(9);
  for (const float number : tensor.values) text << " " << number;
  return text.str();
}

// "int16 (2, 3): 1 2 3 4 5 6", or the sentence that refuses the file.
std::string npy_outcome(const std::string& bytes) {
  try {
    const NamedArrays file = parse_npy(bytes);
    const ArrayView& array = file.arrays.at(0);
    return std::string(name_of(array.type)) + " " + shape_text(array.shape) + ":" + numbers_text(to_tensor(array));
  } catch (const Error& error) {
    return error.what();
  }
}

std::string npy_dictionary(const std::string& type, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

struct ArrayCase {
  std::string bytes;
  std::string outcome;
};

TEST(NpyForms, NumbersOfEveryTypeAndOrder) {
  const struct {
    const char* type;
    std::string bytes;
    const char* outcome;
  } cases[] = {
      {"<f4", std::string("\0\0\xC0\x3F", 4), "float32 (1,): 1.5"},
      {">f4", std::string("\x3F\xC0\0\0", 4), "float32 (1,): 1.5"},
      {"=f4", std::string("\0\0\xC0\xBF", 4), "float32 (1,): -1.5"},
      {"f4", std::string("\0\0\xC0\x3F", 4), "float32 (1,): 1.5"},
      {"<f2", std::string("\0\x3E", 2), "float16 (1,): 1.5"},
      {">f2", std::string("\x3E\0", 2), "float16 (1,): 1.5"},
      {"<f8", std::string("\0\0\0\0\0\0\xF8\x3F", 8), "float64 (1,): 1.5"},
      {">f8", std::string("\x3F\xF8\0\0\0\0\0\0", 8), "float64 (1,): 1.5"},
      {"<f8", std::string("\0\0\0\0\0\0\xF0\x7E", 8), "float64 (1,): inf"},  // 2**752
      {"|b1", std::string("\0", 1), "bool (1,): 0"},
      {"|b1", std::string("\2", 1), "bool (1,): 1"},
      {"|i1", "\xFE", "int8 (1,): -2"},
      {"|u1", "\xFE", "uint8 (1,): 254"},
      {"<i2", "\xFE\xFF", "int16 (1,): -2"},
      {">i2", "\xFF\xFE", "int16 (1,): -2"},
      {"<u2", "\xFE\xFF", "uint16 (1,): 65534"},
      {">u2", std::string("\0\1", 2), "uint16 (1,): 1"},
      {"<i4", "\xFE\xFF\xFF\xFF", "int32 (1,): -2"},
      {">i4", std::string("\0\0\1\0", 4), "int32 (1,): 256"},
      {"<u4", std::string("\0\0\0\x80", 4), "uint32 (1,): 2.14748365e+09"},
      {"<i8", "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "int64 (1,): -2"},
      {">i8", std::string("\0\0\0\0\0\0\1\2", 8), "int64 (1,): 258"},
      {"<u8", std::string("\0\0\0\0\0\0\0\x80", 8), "uint64 (1,): 9.22337204e+18"},
  };
  for (const auto& each : cases)
    EXPECT_EQ(npy_outcome(npy_of(1, npy_dictionary(each.type, "(1,)"), each.bytes)), each.outcome) << each.type;
}

TEST(NpyForms, ShapesAndOrdersOfAxes) {
  const std::string six = "\1\2\3\4\5\6";
  const std::string eight = six + "\7\10";
  const std::string type = "{'descr': '|u1', ";
  const ArrayCase cases[] = {
      {npy_of(1, npy_dictionary("|u1", "()"), "\7"), "uint8 (): 7"},
      {npy_of(1, npy_dictionary("|u1", "(6,)"), six), "uint8 (6,): 1 2 3 4 5 6"},
      {npy_of(1, npy_dictionary("|u1", "(6,)", "True"), six), "uint8 (6,): 1 2 3 4 5 6"},
      {npy_of(1, npy_dictionary("|u1", "(2, 3)"), six), "uint8 (2, 3): 1 2 3 4 5 6"},
      {npy_of(1, npy_dictionary("|u1", "(2, 3)", "True"), six), "uint8 (2, 3): 1 3 5 2 4 6"},
      {npy_of(1, npy_dictionary("|u1", "(2, 2, 2)"), eight), "uint8 (2, 2, 2): 1 2 3 4 5 6 7 8"},
      {npy_of(1, npy_dictionary("|u1", "(2, 2, 2)", "True"), eight), "uint8 (2, 2, 2): 1 5 3 7 2 6 4 8"},
      {npy_of(1, npy_dictionary("|u1", "(0, 3)"), ""), "uint8 (0, 3):"},
      {npy_of(1, npy_dictionary("|u1", "(3, 0)"), ""), "uint8 (3, 0):"},
      {npy_of(2, npy_dictionary("|u1", "(2, 3)"), six), "uint8 (2, 3): 1 2 3 4 5 6"},
      {npy_of(3, npy_dictionary("|u1", "(2, 3)"), six), "uint8 (2, 3): 1 2 3 4 5 6"},
      {npy_of(1, type + "'fortran_order': False, 'shape': (2L, 3L)}", six), "uint8 (2, 3): 1 2 3 4 5 6"},
      {npy_of(1, " {\"shape\":(2,3,),\"fortran_order\":True,\"descr\":\"|u1\"} \t\r\n", six),
       "uint8 (2, 3): 1 3 5 2 4 6"},
      {npy_of(1, type + "'fortran_order':False,'shape':( 6 )}", six), "uint8 (6,): 1 2 3 4 5 6"},
  };
  for (const ArrayCase& each : cases) EXPECT_EQ(npy_outcome(each.bytes), each.outcome) << each.bytes.substr(8);
}

TEST(NpyForms, WhatIsNoneIsRefusedInAWholeSentence) {
  const std::string not_one = "This is not a .npy array that can be read: ";
  const std::string good = npy_of(1, npy_dictionary("<f4", "(1,)"), "1234");
  const auto of_text = [](const std::string& text) { return npy_of(1, text, "1234"); };
  const std::string type = "{'descr': '<f4', ";
  const std::string order = "'fortran_order': False, ";
  const std::string keys = not_one + "its header must have descr, fortran_order and shape.";
  const std::string astype = ", but only numbers are read: convert it with x.astype(\"float32\") before it is saved.";
  const ArrayCase cases[] = {
      {"\x93NUMPX\1", not_one + "it does not begin like one."},
      {"\x93NUMPY\1", not_one + "it ends within its header."},
      {std::string("\x93NUMPY\1\0", 8), not_one + "it ends within its header."},
      {std::string("\x93NUMPY\1\0\0", 9), not_one + "it ends within its header."},
      {std::string("\x93NUMPY\2\0\0\0\0", 11), not_one + "it ends within its header."},
      {std::string("\x93NUMPY\1\0\1\0", 10), not_one + "it ends within its header."},
      {std::string("\x93NUMPY\0\0\0\0", 10), not_one + "it is of version 0, and 1 to 3 are known."},
      {std::string("\x93NUMPY\4\0\0\0\0\0", 12), not_one + "it is of version 4, and 1 to 3 are known."},
      {std::string("\x93NUMPY\2\0\xF5\xFF\0\0", 12), not_one + "its header would take 65525 bytes."},
      {std::string("\x93NUMPY\2\0\xF4\xFF\0\0", 12), not_one + "it ends within its header."},
      {of_text(type + order + "'shape': (1,)} x"), keys},
      {of_text(type + order + "}"), keys},
      {of_text(type + order + "'shape': (1,), 'shape': (1,)}"), not_one + "its header says \"shape\" twice."},
      {of_text(type + order + "'size': (1,)}"), not_one + "its header has an unknown key, \"size\"."},
      {of_text(type + "'fortran_order': 1, 'shape': (1,)}"), not_one + "fortran_order is neither True nor False."},
      {of_text(type + order + "'shape': (1 1)}"), not_one + "its header lacks a \",\" before \"1)}\"."},
      {of_text(type + order + "'shape': 1}"), not_one + "its header lacks a \"(\" before \"1}\"."},
      {of_text(type + order + "'shape': (-1,)}"), not_one + "its shape has an invalid size at \"-1,)}\"."},
      {of_text(type + order + "'shape': (x,)}"), not_one + "its shape has an invalid size at \"x,)}\"."},
      {of_text("{descr}"), not_one + "its header lacks a text before \"descr}\"."},
      {of_text("{'descr"), not_one + "its header lacks a text before \"'descr\"."},
      {of_text("{'descr' '<f4'}"), not_one + "its header lacks a \":\" before \"'<f4'}\"."},
      {of_text(type + "'fortran_order': False 'shape': (1,)}"),
       not_one + "its header lacks a \",\" before \"'shape': (1,)}\"."},
      {of_text("{'descr': [('a', '<f4')"), not_one + "its header ends within a list."},
      {of_text("{'descr': [('a', '<f4', (2,)), ('b', [('c', '<i4')])], " + order + "'shape': (1,)}"),
       "The array holds records, but only plain numbers are read: save one of its fields."},
      {of_text(npy_dictionary("|O", "(1,)")), "The array's type is \"|O\"" + astype},
      {of_text(npy_dictionary("<U1", "(1,)")), "The array's type is \"<U1\"" + astype},
      {of_text(npy_dictionary("<c8", "(1,)")), "The array's type is \"<c8\"" + astype},
      {of_text(npy_dictionary("<", "(1,)")), "The array's type is \"<\"" + astype},
      {of_text(npy_dictionary("", "(1,)")), "The array's type is \"\"" + astype},
      {good.substr(0, good.size() - 1),
       not_one + "float32 numbers of the shape (1,) take 4 bytes, but 3 follow the header."},
      {good + "5", not_one + "float32 numbers of the shape (1,) take 4 bytes, but 5 follow the header."},
      {npy_of(1, npy_dictionary("<f8", "()"), "1234"),
       not_one + "float64 numbers of the shape () take 8 bytes, but 4 follow the header."},
      {npy_of(1, npy_dictionary("|u1", "(0, 9223372036854775807)"), "1"),
       not_one + "uint8 numbers of the shape (0, 9223372036854775807) take 0 bytes, but 1 follow the header."},
      {npy_of(1, npy_dictionary("<i2", "(0, 9223372036854775807)"), ""),
       "The shape (0, 9223372036854775807) is larger than any file can be."},
  };
  for (const ArrayCase& each : cases) EXPECT_EQ(npy_outcome(each.bytes), each.outcome) << each.bytes;
}

TEST(NpyForms, AHeaderHasAtMostThirtyTwoAxes) {
  std::string ones;
  for (int i = 0; i < 32; ++i) ones += "1,";
  EXPECT_EQ(parse_npy(npy_of(1, npy_dictionary("|u1", "(" + ones + ")"), "1")).arrays.at(0).shape.size(), 32U);
  EXPECT_EQ(npy_outcome(npy_of(1, npy_dictionary("|u1", "(" + ones + "1)"), "1")),
            "This is not a .npy array that can be read: it has more than 32 axes.");
}

// numpy.lib.format asks for the numbers to begin at a multiple of 64.
TEST(NpyForms, HeadersAreWrittenAsNumpyWritesThem) {
  for (const std::vector<Index>& shape :
       {std::vector<Index>{}, std::vector<Index>{7}, std::vector<Index>{2, 3}, std::vector<Index>{1, 2, 3, 4},
        std::vector<Index>{100000, 100000, 1}, std::vector<Index>{1000000, 1000000, 1000000}}) {
    const std::string header = npy_header("|b1", shape);
    EXPECT_EQ(header.size() % 64, 0U);
    EXPECT_LE(header.size(), 128U);
    EXPECT_EQ(header.back(), '\n');
    const std::string text = "{'descr': '|b1', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
    EXPECT_EQ(header.substr(0, 10 + text.size()),
              std::string("\x93NUMPY\1\0", 8) + little_endian(header.size() - 10, 2) + text);
  }
}

ArrayView array_of(NumberType type, const std::vector<Index>& shape, bool is_fortran, const Bytes& bytes) {
  ArrayView array;
  array.type = type;
  array.shape = shape;
  array.is_fortran = is_fortran;
  array.bytes = bytes;
  return array;
}

// Rectangles of every matrix, with steps, from memory and from a file, against the cells one by one.
TEST(ArrayForms, PartsOfMatricesAreTheirCells) {
  const TemporaryFolder folder;
  const std::vector<Index> shape = {2, 3, 4, 5};
  std::string numbers;
  for (int i = 0; i < 120; ++i) numbers += little_endian(static_cast<std::uint64_t>(i), 2);
  put_text(folder / "a.bin", numbers);
  const Bytes in_file(std::make_shared<const ReadableFile>(folder / "a.bin"));
  for (const bool is_fortran : {false, true}) {
    for (const Bytes& bytes : {Bytes(numbers), in_file}) {
      const ArrayView array = array_of(NumberType::int16, shape, is_fortran, bytes);
      for (Index matrix = 0; matrix < 6; ++matrix) {
        for (const CellRect& rect : {CellRect{0, 0, 1, 1}, CellRect{0, 1, 2, 2}, CellRect{1, 0, 1, 2}}) {
          std::vector<float> cells(static_cast<std::size_t>(rect.rows * rect.cols), -1);
          ASSERT_TRUE(read_matrix(cells, array, matrix, rect));
          std::vector<float> expected;
          for (Index row = rect.row; expected.size() < cells.size(); ++row) {
            for (Index col = 0; col < rect.cols; ++col) {
              const Index i[] = {matrix / 3, matrix % 3, row, rect.col + col};
              const Index place =
                  is_fortran ? i[0] + 2 * (i[1] + 3 * (i[2] + 4 * i[3])) : i[3] + 5 * (i[2] + 4 * (i[1] + 3 * i[0]));
              expected.push_back(static_cast<float>(place));
            }
          }
          EXPECT_EQ(cells, expected) << is_fortran << " " << matrix;
        }
      }
    }
  }
}

// Cells that lie more than a page of the file apart are read one by one.
TEST(ArrayForms, CellsThatLieFarApartInAFileAreTheSame) {
  const TemporaryFolder folder;
  std::string numbers(3 * 20'000, '\0');
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<char>(i % 101);
  put_text(folder / "a.bin", numbers);
  ArrayView array;
  for (const Bytes& bytes : {Bytes(numbers), Bytes(std::make_shared<const ReadableFile>(folder / "a.bin"))}) {
    array = array_of(NumberType::uint8, {20'000, 3}, true, bytes);
    std::vector<float> cells(6);
    ASSERT_TRUE(read_matrix(cells, array, 0, {7, 0, 2, 3}));
    std::vector<float> expected;
    for (const int place : {7, 20'007, 40'007, 8, 20'008, 40'008}) expected.push_back(static_cast<float>(place % 101));
    EXPECT_EQ(cells, expected);
  }
  EXPECT_EQ(to_tensor(array).values.back(), static_cast<float>(59'999 % 101));
}

TEST(ArrayForms, ACellOfAFileIsReadWithThoseBetweenItAndItsNeighbour) {
  const TemporaryFolder folder;
  put_text(folder / "a.bin", "");
  const Bytes in_file(std::make_shared<const ReadableFile>(folder / "a.bin"));
  const auto read = [&](const std::vector<Index>& shape, bool is_fortran, NumberType type, const Bytes& bytes) {
    return read_for_a_cell(array_of(type, shape, is_fortran, bytes));
  };
  EXPECT_EQ(read({7, 4, 5}, false, NumberType::float32, in_file), 1);
  EXPECT_EQ(read({7, 4, 5}, true, NumberType::float32, in_file), 7);
  EXPECT_EQ(read({4, 5}, true, NumberType::float32, in_file), 1);
  EXPECT_EQ(read({5000, 4, 5}, true, NumberType::float32, in_file), 4096);  // of a page
  EXPECT_EQ(read({5000, 4, 5}, true, NumberType::float64, in_file), 2048);
  EXPECT_EQ(read({7, 4, 5}, true, NumberType::float32, Bytes(std::string_view("x"))), 1);
}

std::string safetensors_of(const std::string& header, const std::string& numbers) {
  return little_endian(header.size(), 8) + header + numbers;
}

// A line for each tensor and for each text beside them, or the sentence that refuses the file.
std::string safetensors_outcome(const std::string& bytes) {
  std::string outcome;
  try {
    const NamedArrays file = parse_safetensors(bytes);
    for (std::size_t i = 0; i < file.arrays.size(); ++i) {
      const ArrayView& array = file.arrays[i];
      outcome += array.name + ": ";
      outcome += array.problem.empty() ? std::string(name_of(array.type)) + " " + shape_text(array.shape) + ":" +
                                             numbers_text(to_tensor(load(file, i)))
                                       : array.problem;
      outcome += "\n";
    }
    for (const auto& [key, value] : file.metadata) outcome += key + " = " + value + "\n";
  } catch (const Error& error) {
    outcome = error.what();
  }
  return outcome;
}

std::string tensor_entry(const std::string& name, const std::string& type, const std::string& shape,
                         const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TEST(SafetensorsForms, TensorsOfEveryTypeInAnyOrder) {
  const struct {
    const char* type;
    std::string bytes;
    const char* outcome;
  } types[] = {
      {"F16", std::string("\0\x3E", 2), "float16 (): 1.5"},
      {"BF16", "\xC0\x3F", "bfloat16 (): 1.5"},
      {"F32", std::string("\0\0\xC0\x3F", 4), "float32 (): 1.5"},
      {"F64", std::string("\0\0\0\0\0\0\xF8\x3F", 8), "float64 (): 1.5"},
      {"I8", "\xFE", "int8 (): -2"},
      {"I16", "\xFE\xFF", "int16 (): -2"},
      {"I32", "\xFE\xFF\xFF\xFF", "int32 (): -2"},
      {"I64", "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "int64 (): -2"},
      {"U8", "\xFE", "uint8 (): 254"},
      {"U16", "\xFE\xFF", "uint16 (): 65534"},
      {"U32", std::string("\2\1\0\0", 4), "uint32 (): 258"},
      {"U64", std::string("\2\1\0\0\0\0\0\0", 8), "uint64 (): 258"},
      {"BOOL", "\1", "bool (): 1"},
  };
  for (const auto& each : types) {
    const std::string size = std::to_string(each.bytes.size());
    EXPECT_EQ(safetensors_outcome(
                  safetensors_of("{" + tensor_entry("x", each.type, "[]", "[0," + size + "]") + "}", each.bytes)),
              std::string("x: ") + each.outcome + "\n");
  }
  const std::string b = tensor_entry("b", "U8", "[2,2]", "[2,6]");
  const std::string a = tensor_entry("a", "U8", "[2]", "[0,2]");
  const std::string none = tensor_entry("none", "F32", "[0,3]", "[2,2]");
  const std::string strange = tensor_entry("f8", "F8_E4M3", "[2]", "[6,8]");
  const std::string beside = R"("__metadata__":{"format":"pt","shape":"[2]"})";
  EXPECT_EQ(safetensors_outcome(safetensors_of("{" + b + "," + a + "," + none + "}   ", "\1\2\3\4\5\6")),
            "b: uint8 (2, 2): 3 4 5 6\na: uint8 (2,): 1 2\nnone: float32 (0, 3):\n");
  EXPECT_EQ(
      safetensors_outcome(safetensors_of("{" + a + ", " + beside + ",\n" + b + "," + strange + "}", "\1\2\3\4\5\6xx")),
      "a: uint8 (2,): 1 2\nb: uint8 (2, 2): 3 4 5 6\n"
      "f8: \"f8\" is of the type \"F8_E4M3\", which is not read: convert it to float32 before it is saved.\n"
      "format = pt\nshape = [2]\n");
}

TEST(SafetensorsForms, WhatIsNoneIsRefusedInAWholeSentence) {
  const auto of_text = [](const std::string& header) { return safetensors_of(header, "\1\2"); };
  const std::string a = tensor_entry("a", "U8", "[2]", "[0,2]");
  const std::string lacks = "\"a\" lacks one of dtype, shape and data_offsets";
  const ArrayCase cases[] = {
      {"1234567", "it was cut short: download or save it again"},
      {little_endian(3, 8) + "{}", "it was cut short: download or save it again"},
      {little_endian((1 << 25) + 1, 8) + "{}", "it does not begin with the length of a header"},
      {little_endian(1 << 25, 8) + "{}", "it was cut short: download or save it again"},
      {of_text(" {}"), "its header does not begin with a brace"},
      {of_text("{\"\xFF\":1}"), "its header is not UTF-8 text"},
      {of_text("{\"\\\"" + std::string(5'000'000, 'n') + "\":{}}"),
       "its header has a text of 5000002 bytes, longer than any name"},
      {of_text(std::string("{}\0", 3)), "its header is not UTF-8 text"},
      {safetensors_of("{}", ""), "there is no tensor in it"},
      {safetensors_of(R"({"__metadata__":{}})", ""), "there is no tensor in it"},
      {of_text("{}"), "bytes at its end belong to no tensor"},
      {of_text(R"({"a":1})"), "1 stands in its header where no number may"},
      {of_text(R"({"a":"x"})"), "\"x\" stands in its header where no text may"},
      {of_text(R"({"a":[]})"), "a list stands in its header where none may"},
      {of_text(R"({"a":null})"), "null stands in its header"},
      {of_text(R"({"a":{"dtype":true}})"), "a truth value stands in its header"},
      {of_text(R"({"a":{"dtype":["U8"]}})"), "a list stands in its header where none may"},
      {of_text(R"({"a":{"shape":"[2]"}})"), "\"[2]\" stands in its header where no text may"},
      {of_text(R"({"a":{"shape":2}})"), "2 stands in its header where no number may"},
      {of_text(R"({"a":{"shape":[2.5]}})"), "a fraction stands in its header"},
      {of_text(R"({"a":{"shape":[-1]}})"), "a negative number stands in its header"},
      {of_text(R"({"a":{"shape":{}}})"), "its header is nested too deeply"},
      {of_text(R"({"a":{"shape":[9223372036854775808]}})"), "the shape of \"a\" is larger than any file can be"},
      {of_text(R"({"a":{"data_offsets":[0,1,2]}})"), "data_offsets of \"a\" has more than two numbers"},
      {of_text(R"({"a":{"size":[2]}})"), "\"size\" is unknown in the description of \"a\""},
      {of_text(R"({"a":{"shape":[2],"shape":[2]}})"), "its header says \"shape\" twice in one place"},
      {of_text(R"({"a":{"shape":[2],"dtype":"U8"}})"), lacks},
      {of_text(R"({"a":{}})"), lacks},
      {of_text(R"({"__metadata__":{"x":1}})"), "1 stands in its header where no number may"},
      {of_text(R"({"__metadata__":{"x":[]}})"), "a list stands in its header where none may"},
      {of_text("{" + a + "," + a + "}"), "it has two tensors named \"a\""},
      {of_text("{" + tensor_entry("a", "U8", "[2]", "[0]") + "}"), "data_offsets of \"a\" is not two numbers"},
      {of_text("{" + tensor_entry("a", "U8", "[2]", "[1,3]") + "}"), "it was cut short: download or save it again"},
      {of_text("{" + tensor_entry("a", "U8", "[2]", "[2,0]") + "}"),
       "\"a\" lies from byte 2 to 0, but there are 2 bytes of numbers"},
      {of_text("{" + tensor_entry("a", "U8", "[1,3]", "[0,2]") + "}"),
       "\"a\" has the shape (1, 3) of uint8, which takes 3 bytes, but it has 2"},
      {of_text("{" + tensor_entry("a", "U8", "[1]", "[1,2]") + "}"), "bytes before \"a\" belong to no tensor"},
      {of_text("{" + tensor_entry("a", "U8", "[1]", "[0,1]") + "}"), "bytes at its end belong to no tensor"},
      {of_text("{" + a + "," + tensor_entry("b", "U8", "[1]", "[1,2]") + "}"), "\"b\" overlaps another tensor"},
      {of_text("{" + a), "its header is not JSON at byte " + std::to_string(a.size() + 2)},
  };
  for (const ArrayCase& each : cases) {
    EXPECT_EQ(safetensors_outcome(each.bytes),
              "This is not a .safetensors file that can be read: " + each.outcome + ".")
        << each.bytes;
  }
  std::string ones;
  for (int i = 0; i < 31; ++i) ones += "1,";
  EXPECT_EQ(parse_safetensors(of_text("{" + tensor_entry("a", "U8", "[" + ones + "2]", "[0,2]") + "}")).arrays.size(),
            1U);
  EXPECT_EQ(safetensors_outcome(of_text("{" + tensor_entry("a", "U8", "[" + ones + "1,2]", "[0,2]") + "}")),
            "This is not a .safetensors file that can be read: the shape of \"a\" is larger than any file can be.");
}

TEST(SafetensorsForms, AreWrittenInTheOrderGivenWithNumbersAtAMultipleOfEight) {
  const TemporaryFolder folder;
  for (const std::string name : {"b", "bb", "bbb", "bbbbbbbb"}) {
    write_safetensors({{name, Tensor({2, 1}, {1, -2})}, {"a", Tensor({1}, {0.5F})}}, {{"x", "1"}, {"w", "\"2\""}},
                      folder / "a.safetensors");
    const std::string bytes = text_of(folder / "a.safetensors");
    EXPECT_EQ((bytes.size() - 12) % 8, 0U);
    EXPECT_LT(bytes.find('{'), 9U);
    EXPECT_EQ(safetensors_outcome(bytes), name + ": float32 (2, 1): 1 -2\na: float32 (1,): 0.5\nx = 1\nw = \"2\"\n");
  }
}

}  // namespace
}  // namespace attnscope::test
