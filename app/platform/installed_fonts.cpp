#include <fcntl.h>
#include <fontconfig/fontconfig.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>
#include <map>
#include <utility>

#include "platform/font_parts.h"

// The fonts of the system, which fontconfig finds.
namespace attnscope {

namespace {

struct DestroyCharSet {
  void operator()(FcCharSet* set) const { FcCharSetDestroy(set); }
};

struct DestroyPattern {
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
using Pattern = std::unique_ptr<FcPattern, DestroyPattern>;

struct DestroyFontSet {
  void operator()(FcFontSet* set) const { FcFontSetDestroy(set); }
};

std::string get_string(FcPattern* pattern, const char* object, int number = 0) {
  FcChar8* value = nullptr;
  if (FcPatternGetString(pattern, object, number, &value) != FcResultMatch) return {};
  return reinterpret_cast<const char*>(value);
}

std::optional<FontFace> read_face(FcPattern* pattern) {
  FontFace face{.family = get_string(pattern, FC_FAMILY), .path = get_string(pattern, FC_FILE), .has = {}};
  FcCharSet* characters = nullptr;
  FcBool is_coloured = FcFalse;
  FcPatternGetBool(pattern, FC_COLOR, 0, &is_coloured);
  if (face.path.empty() || is_coloured != FcFalse) return std::nullopt;
  if (FcPatternGetCharSet(pattern, FC_CHARSET, 0, &characters) != FcResultMatch) return std::nullopt;
  FcPatternGetInteger(pattern, FC_INDEX, 0, &face.index);
  const std::shared_ptr<FcCharSet> kept(FcCharSetCopy(characters), DestroyCharSet{});
  face.has = [kept](char32_t character) { return FcCharSetHasChar(kept.get(), character) != FcFalse; };
  face.height_per_em = measure_height(face.path, face.index);
  if (face.height_per_em <= 0) return std::nullopt;
  return face;
}

void complete(FcPattern* pattern) {
  FcPatternAddBool(pattern, FC_SCALABLE, FcTrue);
  FcPatternAddInteger(pattern, FC_SLANT, FC_SLANT_ROMAN);
  FcConfigSubstitute(nullptr, pattern, FcMatchPattern);
  FcDefaultSubstitute(pattern);
}

const FcChar8* fc_string(const std::string& text) { return reinterpret_cast<const FcChar8*>(text.c_str()); }

}  // namespace

std::optional<FontFace> find_face(const std::string& family, FontWeight weight) {
  const Pattern wanted(FcPatternCreate());
  FcPatternAddString(wanted.get(), FC_FAMILY, fc_string(family));
  FcPatternAddInteger(wanted.get(), FC_WEIGHT, weight == FontWeight::demibold ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR);
  complete(wanted.get());
  FcResult result = FcResultNoMatch;
  const Pattern found(FcFontMatch(nullptr, wanted.get(), &result));
  if (!found) return std::nullopt;
  // Fontconfig answers with whatever is nearest; only the family itself will do.
  for (int number = 0;; ++number) {
    const std::string name = get_string(found.get(), FC_FAMILY, number);
    if (name.empty()) return std::nullopt;
    if (FcStrCmpIgnoreCase(fc_string(name), fc_string(family)) == 0) return read_face(found.get());
  }
}

std::vector<FontFace> find_faces_with(const std::vector<char32_t>& characters) {
  std::vector<FontFace> faces;
  std::unique_ptr<FcCharSet, DestroyCharSet> missing(FcCharSetCreate());
  for (const char32_t character : characters) FcCharSetAddChar(missing.get(), character);
  const Pattern wanted(FcPatternCreate());
  FcPatternAddString(wanted.get(), FC_FAMILY, fc_string("sans-serif"));
  FcPatternAddCharSet(wanted.get(), FC_CHARSET, missing.get());
  complete(wanted.get());
  FcResult result = FcResultNoMatch;
  const std::unique_ptr<FcFontSet, DestroyFontSet> sorted(FcFontSort(nullptr, wanted.get(), FcTrue, nullptr, &result));
  if (!sorted) return faces;
  for (int i = 0; i < sorted->nfont && FcCharSetCount(missing.get()) > 0; ++i) {
    FcCharSet* has = nullptr;
    if (FcPatternGetCharSet(sorted->fonts[i], FC_CHARSET, 0, &has) != FcResultMatch) continue;
    if (FcCharSetIntersectCount(missing.get(), has) == 0) continue;
    std::optional<FontFace> face = read_face(sorted->fonts[i]);
    if (!face) continue;
    faces.push_back(std::move(*face));
    missing.reset(FcCharSetSubtract(missing.get(), has));
  }
  return faces;
}

std::optional<FontFile> find_colour_font(char32_t character) {
  const std::unique_ptr<FcCharSet, DestroyCharSet> characters(FcCharSetCreate());
  FcCharSetAddChar(characters.get(), character);
  const Pattern wanted(FcPatternCreate());
  FcPatternAddBool(wanted.get(), FC_COLOR, FcTrue);
  FcPatternAddCharSet(wanted.get(), FC_CHARSET, characters.get());
  FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult result = FcResultNoMatch;
  const Pattern found(FcFontMatch(nullptr, wanted.get(), &result));
  FcBool is_coloured = FcFalse;
  FcCharSet* has = nullptr;
  if (!found || FcPatternGetBool(found.get(), FC_COLOR, 0, &is_coloured) != FcResultMatch) return {};
  if (FcPatternGetCharSet(found.get(), FC_CHARSET, 0, &has) != FcResultMatch) return {};
  if (is_coloured == FcFalse || FcCharSetHasChar(has, character) == FcFalse) return {};
  FontFile file{get_string(found.get(), FC_FILE)};
  FcPatternGetInteger(found.get(), FC_INDEX, 0, &file.index);
  return file;
}

FontBytes map_font_file(const std::filesystem::path& path) {
  static std::map<std::filesystem::path, FontBytes> mapped;
  const auto [entry, is_new] = mapped.try_emplace(path);
  if (!is_new) return entry->second;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return entry->second;
  struct stat status = {};
  if (fstat(file, &status) == 0 && status.st_size > 0 && status.st_size <= std::numeric_limits<int>::max()) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data != MAP_FAILED) entry->second = {data, static_cast<int>(size)};
  }
  close(file);
  return entry->second;
}

}  // namespace attnscope
