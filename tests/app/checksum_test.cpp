// Numbers are told from others of the same shape, wherever they lie.

#include "files/import.h"

#include <cstdlib>

#include "support.h"

namespace attnscope::test {
namespace {

ArrayView array_of(const std::string& bytes) {
  ArrayView array;
  array.type = NumberType::uint8;
  array.shape = {std::ssize(bytes)};
  array.bytes = bytes;
  return array;
}

std::string checksum(const std::vector<std::string>& arrays) {
  NamedArrays file;
  std::vector<std::size_t> all;
  for (const std::string& bytes : arrays) {
    all.push_back(all.size());
    file.arrays.push_back(array_of(bytes));
  }
  return checksum_of(file, all);
}

std::string noise(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& c : bytes) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

TEST(Checksum, IsTheCrc32OfWhatIsSmall) {
  EXPECT_EQ(checksum({"123456789"}), "cbf43926");  // the check value of the CRC-32
  EXPECT_EQ(checksum({"1234", "56789"}), "cbf43926");
  EXPECT_EQ(checksum({""}), "00000000");
}

TEST(Checksum, EveryByteOfUpTo256KibibytesCounts) {
  const std::string bytes = noise(256 * 1024);
  const std::string before = checksum({bytes});
  for (std::size_t place = 0; place < bytes.size(); place += 9973) {
    std::string other = bytes;
    other[place] ^= 1;
    EXPECT_NE(checksum({other}), before) << place;
  }
}

TEST(Checksum, OfMoreItSeesAChangeInEveryPartAndAtBothEnds) {
  const std::string bytes = noise(8 << 20);
  const std::string before = checksum({bytes});
  constexpr std::size_t part = 16 << 10;
  for (std::size_t place = 0; place + part <= bytes.size(); place += 37 * part / 3) {
    std::string other = bytes;
    for (std::size_t i = 0; i < part; ++i) other[place + i] ^= 1;
    EXPECT_NE(checksum({other}), before) << place;
  }
  for (const std::size_t place : {std::size_t{0}, bytes.size() - 1}) {
    std::string other = bytes;
    other[place] ^= 1;
    EXPECT_NE(checksum({other}), before) << place;
  }
  EXPECT_EQ(checksum({bytes}), before);
}

TEST(Checksum, SeesEachOfManyLayers) {
  std::vector<std::string> layers(3000, noise(4096));
  const std::string before = checksum(layers);
  for (const std::size_t layer : {0, 1500, 2999}) {
    std::vector<std::string> others = layers;
    for (char& c : others[layer]) c ^= 1;
    EXPECT_NE(checksum(others), before) << layer;
  }
}

TEST(Checksum, OfWhatIsPackedComesFromTheArchive) {
  const TemporaryFolder folder;
  const std::string script =
      "import numpy, sys\n"
      "x = numpy.arange(300000, dtype='f4').reshape(3, 1, 100000)\n"
      "numpy.savez_compressed(sys.argv[1] + '/a.npz', x=x)\n"
      "numpy.savez_compressed(sys.argv[1] + '/same.npz', x=x, y=numpy.ones(3))\n"
      "x[2, 0, 77777] += 1\n"
      "numpy.savez_compressed(sys.argv[1] + '/other.npz', x=x)\n";
  put_text(folder / "make.py", script);
  const std::string command =
      "/usr/bin/python3 '" + (folder / "make.py").string() + "' '" + folder.path().string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << "NumPy writes these files: is python3-numpy installed?";
  const auto of = [&](const char* name) {
    const NamedArrays file = read_arrays(folder / name);
    EXPECT_FALSE(file.arrays.at(0).bytes.is_there()) << "nothing is unpacked";
    return checksum_of(file, std::vector<std::size_t>{0});
  };
  EXPECT_EQ(of("a.npz").size(), 8U);
  EXPECT_EQ(of("same.npz"), of("a.npz"));
  EXPECT_NE(of("other.npz"), of("a.npz"));
}

}  // namespace
}  // namespace attnscope::test
