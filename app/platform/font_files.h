#pragma once

#include <fontconfig/fontconfig.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attnscope {

struct DestroyCharSet {
  void operator()(FcCharSet* set) const { FcCharSetDestroy(set); }
};

// One face of an installed font file.
struct FontFace {
  std::string family;
  std::filesystem::path path;
  int index = 0;            // of the face within the file
  float height_per_em = 1;  // ascent plus descent: what Dear ImGui calls the size, for an em of 1
  std::shared_ptr<FcCharSet> characters;

  bool has(char32_t character) const { return FcCharSetHasChar(characters.get(), character) != FcFalse; }
};

// The upright face of exactly this family with the weight nearest to `weight` (FC_WEIGHT_*), if it is installed.
std::optional<FontFace> find_face(const std::string& family, int weight);

// Installed faces that together have as many of `characters` as any have, the most suitable first.
std::vector<FontFace> find_faces_with(const std::vector<char32_t>& characters);

// The font that has a picture in colours of the character, if one is installed.
struct FontFile {
  std::filesystem::path path;
  int index = 0;  // of the face within the file
};
std::optional<FontFile> find_colour_font(char32_t character);

// The whole file, mapped into memory for as long as the program runs: Dear ImGui reads fonts when it pleases, and a
// font of 20 MB is asked for in six sizes. Empty when it cannot be read.
struct FontBytes {
  void* data = nullptr;
  int size = 0;
};
FontBytes map_font_file(const std::filesystem::path& path);

}  // namespace attnscope
