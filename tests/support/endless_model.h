#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "assets/assets.h"

namespace attnscope::test {

// Writes a trained model into a folder: the stories that come with the program, and a tensor of a terabyte that nothing
// needs. It takes no room on the disk and is opened at once, but its checksum takes an hour.
inline void write_endless_model(const std::filesystem::path& folder) {
  constexpr std::uint64_t endless = std::uint64_t{1} << 40;
  constexpr std::size_t length_bytes = 8;
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  };
  for (const char* const name : {"config.json", "tokenizer.json"})
    write(name, std::string(asset(std::string("models/stories/") + name)));
  const std::string bytes(asset("models/stories/model.safetensors"));
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  const std::string numbers = bytes.substr(length_bytes + length);
  nlohmann::json header = nlohmann::json::parse(bytes.substr(length_bytes, length));
  header["nothing"] = {
      {"dtype", "U8"}, {"shape", {endless}}, {"data_offsets", {numbers.size(), numbers.size() + endless}}};
  const std::string text = header.dump();
  std::string before;
  for (std::size_t i = 0; i < length_bytes; ++i) before += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  write("model.safetensors", before + text + numbers);
  std::filesystem::resize_file(folder / "model.safetensors", length_bytes + text.size() + numbers.size() + endless);
}

// A document of that model that has to wait for the checksum.
constexpr const char* endless_document =
    R"({"model": "endless", "text": "Mia", "model_sha256": "0000000000000000000000000000000000000000000000000000000000000000"})";

}  // namespace attnscope::test
