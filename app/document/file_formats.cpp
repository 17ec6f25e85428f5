#include "document/file_formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/text.h"
#include "platform/system/process.h"

namespace attnscope {

using namespace std::string_view_literals;

std::span<const PictureFormat> picture_formats() {
  static constexpr PictureFormat formats[] = {
      {.kind = PictureKind::png,
       .name = "PNG",
       .ending = ".png",
       .is_still = true,
       .is_animated = true,
       .is_numbered = true,
       .reopens = true},
      {.kind = PictureKind::svg, .name = "SVG", .ending = ".svg", .is_still = true, .is_vector = true, .reopens = true},
      {.kind = PictureKind::pdf,
       .name = "PDF",
       .ending = ".pdf",
       .is_still = true,
       .has_pages = true,
       .is_vector = true,
       .reopens = true},
      {.kind = PictureKind::gif, .name = "GIF", .ending = ".gif", .is_animated = true, .reopens = true},
      {.kind = PictureKind::mp4, .name = "MP4", .ending = ".mp4", .is_animated = true, .is_video = true},
  };
  return formats;
}

bool PictureFormat::serves(PictureUse use) const {
  if (in_browser && (has_pages || is_video)) return false;
  switch (use) {
    case PictureUse::still:
      return is_still;
    case PictureUse::animation:
      return is_animated;
    case PictureUse::series:
      return is_numbered;
    case PictureUse::film:
      return is_animated || has_pages;
  }
  return false;
}

const PictureFormat& format_of(PictureKind kind) {
  return *std::ranges::find(picture_formats(), kind, &PictureFormat::kind);
}

const PictureFormat* format_by_ending(const std::filesystem::path& path) {
  const auto formats = picture_formats();
  const auto found = std::ranges::find(formats, lower_ending(path), &PictureFormat::ending);
  return found == formats.end() ? nullptr : &*found;
}

const PictureFormat* format_by_ending(const std::filesystem::path& path, PictureUse use) {
  const PictureFormat* const format = format_by_ending(path);
  return format && format->serves(use) ? format : nullptr;
}

std::string listed(std::string_view PictureFormat::*text, const std::function<bool(const PictureFormat&)>& is_listed) {
  std::vector<std::string_view> texts;
  for (const PictureFormat& format : picture_formats()) {
    if (is_listed(format)) texts.push_back(format.*text);
  }
  const std::string_view last = texts.back();
  texts.pop_back();
  return texts.empty() ? std::string(last) : fmt::format("{} or {}", fmt::join(texts, ", "), last);
}

std::string endings_for(PictureUse use) {
  return listed(&PictureFormat::ending, [&](const PictureFormat& format) { return format.serves(use); });
}

std::span<const ArrayFormat> array_formats() {
  static constexpr ArrayFormat formats[] = {
      {.kind = ArrayKind::npy,
       .endings = {".npy"},
       .begins = [](std::string_view bytes) { return bytes.starts_with("\x93NUMPY"); }},
      {.kind = ArrayKind::npz,  // its reader hands archives of torch.save() to that of state dicts
       .endings = {".npz"},
       .begins =
           [](std::string_view bytes) { return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06"); }},
      {.kind = ArrayKind::safetensors,
       .endings = {".safetensors"},
       .begins =
           [](std::string_view bytes) {  // behind the length of a header, which has no more than 40 bits
             return bytes.size() > 8 && bytes[8] == '{' && bytes.substr(5, 3) == "\0\0\0"sv;
           },
       .is_checkpoint = true},
      {.kind = ArrayKind::state_dict, .endings = {".pth", ".pt", ".bin", ".ckpt"}, .is_checkpoint = true},
      {.kind = ArrayKind::table, .endings = {".csv", ".tsv"}, .shared_ending = ".txt", .is_text = true},
  };
  return formats;
}

const ArrayFormat* array_format_by_ending(const std::filesystem::path& path) {
  const std::string ending = lower_ending(path);
  const auto has_ending = [&](const ArrayFormat& format) {
    return std::ranges::find(format.endings, ending) != format.endings.end();
  };
  const auto formats = array_formats();
  const auto found = ending.empty() ? formats.end() : std::ranges::find_if(formats, has_ending);
  return found == formats.end() ? nullptr : &*found;
}

const ArrayFormat* array_format_by_bytes(std::string_view first_bytes) {
  const auto formats = array_formats();
  const auto found = std::ranges::find_if(
      formats, [&](const ArrayFormat& format) { return format.begins && format.begins(first_bytes); });
  return found == formats.end() ? nullptr : &*found;
}

std::string array_endings() {
  std::vector<std::string_view> endings;
  for (const ArrayFormat& format : array_formats())
    std::ranges::copy_if(format.endings, std::back_inserter(endings), [](auto ending) { return !ending.empty(); });
  return fmt::format("{}", fmt::join(endings, ", "));
}

}  // namespace attnscope
