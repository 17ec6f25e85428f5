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

// The endings of files with arrays or with a model's weights: dialogs list them, and no document is saved under them.
constexpr std::array<std::string_view, 9> array_endings = {".npy", ".npz",  ".safetensors", ".pth", ".pt",
                                                           ".bin", ".ckpt", ".csv",         ".tsv"};

}  // namespace attnscope
