#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace attnscope {

enum class PictureKind { png, svg, pdf, gif, mp4 };

// A format draws one document, a sweep of a document in one file, a sweep with a numbered file for each frame, or the
// film of a number in one file.
enum class PictureUse { still, animation, series, film };

// A format of the pictures that the program writes. Its writer is a row in features/figures/figure_file.cpp, and if
// it reopens, files/picture_document.cpp has a row that says how it carries a document.
struct PictureFormat {
  PictureKind kind;
  std::string_view name;     // "PNG"
  std::string_view ending;   // ".png"
  bool is_still = false;     // draws one document
  bool is_animated = false;  // draws a sweep in one file
  bool is_numbered = false;  // draws a sweep with a numbered file for each frame
  bool has_pages = false;    // draws a film with a page for each of its scenes
  bool is_vector = false;    // sharp at any size
  bool is_video = false;     // ffmpeg makes it, and its player decides how often it plays
  bool reopens = false;      // it carries the document that it shows

  bool serves(PictureUse use) const;
};
std::span<const PictureFormat> picture_formats();
const PictureFormat& format_of(PictureKind kind);

// Returns the format that the path's ending names, in capitals too; null for other endings, and for a format that does
// not serve this use.
const PictureFormat* format_by_ending(const std::filesystem::path& path);
const PictureFormat* format_by_ending(const std::filesystem::path& path, PictureUse use);

// Returns the names or endings of some formats: ".png, .svg or .pdf".
std::string listed(std::string_view PictureFormat::*text, const std::function<bool(const PictureFormat&)>& is_listed);
std::string endings_for(PictureUse use);

// How an animation plays.
struct Playback {
  double frames_per_second = 4;
  std::uint32_t times = 0;  // 0: without end
  bool operator==(const Playback&) const = default;
};
constexpr double slowest_playback = 0.1;  // frames per second
constexpr double fastest_playback = 50;   // viewers slow down what is faster

enum class ArrayKind { npy, npz, safetensors, state_dict, table };

// A format of arrays or of a model's weights that is read. Its reader is a row in files/arrays.cpp.
struct ArrayFormat {
  ArrayKind kind;
  // Dialogs list these endings, and no document is saved under them; the usual one comes first, and "" is none.
  std::array<std::string_view, 4> endings;
  std::string_view shared_ending = {};  // of other files, too, of which only those that hold numbers are of this format
  bool (*begins)(std::string_view bytes) = nullptr;  // whether the first 16 bytes show the format; null if they do not
  bool is_checkpoint = false;                        // the weights of a model are saved in it
  bool is_text = false;                              // such a file is read as a whole
};
std::span<const ArrayFormat> array_formats();

// Return the format that the path's ending names, in capitals too, or that the first bytes of a file show; else null.
const ArrayFormat* array_format_by_ending(const std::filesystem::path& path);
const ArrayFormat* array_format_by_bytes(std::string_view first_bytes);

std::string array_endings();  // ".npy, .npz, .safetensors, …"

}  // namespace attnscope
