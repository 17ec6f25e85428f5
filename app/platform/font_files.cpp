#include "platform/font_parts.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "paint/window/text.h"
#include "ui/imgui_compat.h"

namespace attnscope {

namespace {

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

// 0 for a file that FreeType cannot open or that holds no outlines.
float measure_height(const std::filesystem::path& path, int index) {
  const OpenFace opened = open_face(path, index);
  if (!opened.face || !FT_IS_SCALABLE(opened.face.get()) || opened.face->units_per_EM <= 0) return 0;
  return static_cast<float>(opened.face->ascender - opened.face->descender) /
         static_cast<float>(opened.face->units_per_EM);
}

std::optional<FontFace> read_face(FcPattern* pattern) {
  FontFace face{.family = get_string(pattern, FC_FAMILY), .path = get_string(pattern, FC_FILE), .characters = {}};
  FcCharSet* characters = nullptr;
  FcBool is_coloured = FcFalse;
  FcPatternGetBool(pattern, FC_COLOR, 0, &is_coloured);
  if (face.path.empty() || is_coloured != FcFalse) return std::nullopt;
  if (FcPatternGetCharSet(pattern, FC_CHARSET, 0, &characters) != FcResultMatch) return std::nullopt;
  FcPatternGetInteger(pattern, FC_INDEX, 0, &face.index);
  face.characters = std::shared_ptr<FcCharSet>(FcCharSetCopy(characters), DestroyCharSet{});
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

std::optional<FontFace> find_face(const std::string& family, int weight) {
  const Pattern wanted(FcPatternCreate());
  FcPatternAddString(wanted.get(), FC_FAMILY, fc_string(family));
  FcPatternAddInteger(wanted.get(), FC_WEIGHT, weight);
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

OpenFace open_face(const std::filesystem::path& path, int index) {
  const FontBytes bytes = map_font_file(path);
  OpenFace opened;
  FT_Library library = nullptr;
  if (bytes.size == 0 || FT_Init_FreeType(&library) != 0) return opened;
  opened.library.reset(library);
  FT_Face face = nullptr;
  if (FT_New_Memory_Face(library, static_cast<const FT_Byte*>(bytes.data), bytes.size, index, &face) == 0)
    opened.face.reset(face);
  return opened;
}

namespace {

constexpr float share_of_line = 0.86F;  // a picture's part of its line's height

// The mean of the pixels (blue, green, red, alpha; colours times alpha) that one of a smaller picture covers.
void write_mean(unsigned char* rgba, const FT_Bitmap& bitmap, unsigned left, unsigned top, unsigned right,
                unsigned bottom) {
  unsigned sum[4] = {};
  for (unsigned y = top; y < bottom; ++y) {
    const unsigned char* const row = bitmap.buffer + static_cast<std::ptrdiff_t>(y) * bitmap.pitch;
    for (unsigned x = left; x < right; ++x) {
      for (unsigned channel = 0; channel < 4; ++channel) sum[channel] += row[4 * x + channel];
    }
  }
  const unsigned count = (right - left) * (bottom - top);
  const unsigned alpha = sum[3];
  for (unsigned channel = 0; channel < 3; ++channel) {
    const unsigned colour = alpha == 0 ? 0 : sum[2 - channel] * 255 / alpha;
    rgba[channel] = static_cast<unsigned char>(std::min(colour, 255U));
  }
  rgba[3] = static_cast<unsigned char>(alpha / count);
}

}  // namespace

ColourGlyphs::Picture ColourGlyphs::picture_of(char32_t character, int height) {
  const std::optional<FontFile> file = find_colour_font(character);
  if (!file) return {};
  const OpenFace opened = open_face(file->path, file->index);
  FT_Face const loaded = opened.face.get();
  if (!loaded || loaded->num_fixed_sizes == 0 || FT_Select_Size(loaded, 0) != 0) return {};
  if (FT_Load_Char(loaded, character, FT_LOAD_COLOR) != 0) return {};
  const FT_Bitmap& bitmap = loaded->glyph->bitmap;
  if (bitmap.pixel_mode != FT_PIXEL_MODE_BGRA || bitmap.rows == 0 || bitmap.width == 0) return {};
  const auto rows = static_cast<unsigned>(std::min<int>(height, static_cast<int>(bitmap.rows)));
  const unsigned cols = std::max(1U, bitmap.width * rows / bitmap.rows);
  Picture picture{static_cast<int>(cols), static_cast<int>(rows), std::vector<unsigned char>(4UL * rows * cols)};
  for (unsigned y = 0; y < rows; ++y) {
    for (unsigned x = 0; x < cols; ++x) {
      write_mean(&picture.pixels[4UL * (y * cols + x)], bitmap, x * bitmap.width / cols, y * bitmap.rows / rows,
                 (x + 1) * bitmap.width / cols, (y + 1) * bitmap.rows / rows);
    }
  }
  return picture;
}

#if IMGUI_VERSION_NUM >= 19200
// Newer versions make glyphs when they are first drawn, and show these as boxes.
void ColourGlyphs::reserve(ImFontAtlas&, ImFont&, const std::set<char32_t>&) {}
void ColourGlyphs::draw(ImFontAtlas&) const {}
#else
void ColourGlyphs::reserve(ImFontAtlas& atlas, ImFont& font, const std::set<char32_t>& characters) {
  const float line = std::ranges::find(atlas.ConfigData, &font, &ImFontConfig::DstFont)->SizePixels;
  const int height = std::max(1, static_cast<int>(std::lround(share_of_line * line)));
  for (const char32_t character : characters) {
    Picture picture = picture_of(character, height);
    if (picture.pixels.empty()) continue;
    const auto held = static_cast<ImWchar>(held_as(character));
    const ImVec2 offset{1, std::floor((line - static_cast<float>(picture.height)) / 2)};
    const int rect = atlas.AddCustomRectFontGlyph(&font, held, picture.width, picture.height,
                                                  static_cast<float>(picture.width + 2), offset);
    places_.push_back({&font, held, rect, std::move(picture)});
  }
}

void ColourGlyphs::draw(ImFontAtlas& atlas) const {
  if (places_.empty()) return;
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  atlas.GetTexDataAsRGBA32(&pixels, &width, &height);
  for (const Place& place : places_) {
    const ImFontAtlasCustomRect& rect = *atlas.GetCustomRectByIndex(place.rect);
    const auto bytes = static_cast<std::ptrdiff_t>(4) * place.picture.width;
    for (int y = 0; y < place.picture.height; ++y) {
      unsigned char* const target = pixels + 4 * (static_cast<std::ptrdiff_t>(rect.Y + y) * width + rect.X);
      std::copy_n(place.picture.pixels.data() + y * bytes, bytes, target);
    }
    const ImFontGlyph* const glyph = place.font->FindGlyphNoFallback(place.held);
    const_cast<ImFontGlyph*>(glyph)->Colored = 1;  // drawn in its own colours, not in the text's
  }
}
#endif

}  // namespace attnscope
