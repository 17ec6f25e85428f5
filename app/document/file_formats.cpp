#include "document/file_formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/text.h"

namespace attnscope {

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

}  // namespace attnscope
