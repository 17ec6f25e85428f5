// An archive's directory is followed by hand: whatever stands in it, nothing outside of the archive is looked at.

#include "interchange/zip_places.h"

#include "support.h"

namespace attnscope::test {
namespace {

std::string little(std::uint64_t number, int width) {
  std::string bytes;
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
  return bytes;
}

struct Written {
  std::uint64_t method = 0;
  std::uint64_t flags = 0;
  std::uint64_t size = 5;
  std::uint64_t local = 0;
  std::string extra = {};
  std::string local_name = "a.npy";
};

// One entry, a.npy, that holds "hello".
std::string archive_of(const Written& entry) {
  const std::string name = "a.npy";
  std::string local = "PK\x03\x04" + little(0, 2) + little(entry.flags, 2) + little(entry.method, 2) +
                      std::string(16, '\0') + little(entry.local_name.size(), 2) + little(4, 2) + entry.local_name +
                      "junk" + "hello";
  std::string central = "PK\x01\x02" + little(0, 4) + little(entry.flags, 2) + little(entry.method, 2) + little(0, 8) +
                        little(entry.size, 4) + little(entry.size, 4) + little(name.size(), 2) +
                        little(entry.extra.size(), 2) + little(0, 2) + little(0, 8) + little(entry.local, 4) + name +
                        entry.extra;
  std::string end = std::string("PK\x05\x06") + little(0, 4) + little(1, 2) + little(1, 2) + little(central.size(), 4) +
                    little(local.size(), 4) + little(0, 2);
  return local + central + end;
}

TEST(ZipPlaces, AStoredEntryIsFoundInPlace) {
  const std::string archive = archive_of({});
  const auto places = stored_entries(archive);
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places.at("a.npy").in_memory(), "hello");
  EXPECT_GE(places.at("a.npy").in_memory().data(), archive.data());
}

TEST(ZipPlaces, NumbersThatDoNotFitAreFoundInTheirField) {
  const std::string extra =
      little(7, 2) + little(3, 2) + "xyz" + little(1, 2) + little(16, 2) + little(5, 8) + little(5, 8);
  const std::string archive = archive_of({.size = 0xFFFFFFFF, .extra = extra});
  const auto places = stored_entries(archive);
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places.at("a.npy").in_memory(), "hello");
}

TEST(ZipPlaces, WhatIsUnusualIsLeftOut) {
  const std::string big = little(1, 2) + little(16, 2) + std::string(16, '\xFE');
  for (const Written& entry :
       {Written{.method = 8}, Written{.flags = 1}, Written{.size = 500}, Written{.local = 3},
        Written{.local = 0xFFFFFF00}, Written{.size = 0xFFFFFFFF}, Written{.local_name = "b.npy"},
        Written{.size = 0xFFFFFFFF, .extra = big}, Written{.extra = "\x01"}}) {
    const std::string archive = archive_of(entry);
    EXPECT_LE(stored_entries(archive).size(), entry.extra == "\x01" ? 1U : 0U);
  }
}

TEST(ZipPlaces, ACutOrChangedArchiveIsNeverLookedBeyond) {
  const std::string archive = archive_of({});
  for (std::size_t size = 0; size < archive.size(); ++size) {
    const std::string cut(archive, 0, size);
    stored_entries(cut);
  }
  for (std::size_t at = 0; at < archive.size(); ++at) {
    for (const char byte : {'\x00', '\x7F', '\xFF'}) {
      std::string changed = archive;
      changed[at] = byte;
      for (const auto& [name, entry] : stored_entries(changed)) {
        const std::string_view bytes = entry.in_memory();
        EXPECT_GE(bytes.data(), changed.data());
        EXPECT_LE(bytes.data() + bytes.size(), changed.data() + changed.size());
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::test
