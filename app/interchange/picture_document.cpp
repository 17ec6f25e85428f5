#include "interchange/picture_document.h"

#include <fmt/format.h>

#include "core/error.h"
#include "document/json.h"
#include "document/words.h"
#include "interchange/picture_formats.h"

namespace attnscope {
namespace {

struct Beginning {
  std::string_view bytes;
  std::string_view name;
};

constexpr std::string_view png_signature = "\x89PNG\r\n\x1a\n";
constexpr std::string_view pdf_signature = "%PDF-";
constexpr std::string_view gif_signature = "GIF8";
constexpr std::string_view document_begin = "{\n";
constexpr std::string_view view_begin = "{\n  \"view\": \"";
constexpr std::string_view view_end = "\",\n";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// Pictures that people may try, because a program made them out of one of ours.
constexpr Beginning strangers[] = {
    {"\xFF\xD8\xFF", "JPEG"}, {"RIFF", "WebP"}, {"II*", "TIFF"}, {"%!PS", "PostScript"}, {"\x1F\x8B", "gzip"}};

std::string_view name_of(PictureKind kind) {
  constexpr std::string_view names[] = {"PNG", "SVG", "PDF", "GIF"};
  return names[static_cast<std::size_t>(kind)];
}

bool begins_like_xml(std::string_view bytes) {
  if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '<';
}

std::string put(const std::string& picture, PictureKind kind, const std::string& json) {
  switch (kind) {
    case PictureKind::png:
      return with_text_in_png(picture, json);
    case PictureKind::svg:
      return with_text_in_svg(picture, json);
    case PictureKind::gif:
      return with_text_in_gif(picture, json);
    default:
      return with_text_in_pdf(picture, json);
  }
}

}  // namespace

void take_text(std::optional<std::string>& found, std::string text) {
  if (found) throw Error("The picture carries two documents, so it is unclear which one it shows.");
  found = std::move(text);
}

std::optional<PictureKind> picture_kind(std::string_view bytes) {
  if (bytes.starts_with(png_signature)) return PictureKind::png;
  if (bytes.starts_with(pdf_signature)) return PictureKind::pdf;
  if (bytes.starts_with(gif_signature)) return PictureKind::gif;
  if (begins_like_xml(bytes)) return PictureKind::svg;  // no document begins with <
  return {};
}

std::optional<PictureKind> kind_by_ending(const std::filesystem::path& path) {
  const std::string named = lower_ending(path);
  if (named == ".png") return PictureKind::png;
  if (named == ".svg") return PictureKind::svg;
  if (named == ".pdf") return PictureKind::pdf;
  return {};
}

std::string with_document(const std::string& picture, PictureKind kind, const AnyDocument& document,
                          const std::filesystem::path& carrier, std::string_view view) {
  std::string json = to_json(document, carrier);
  if (!view.empty()) json = fmt::format("{}{}{}{}", view_begin, view, view_end, json.substr(document_begin.size()));
  std::string bytes = put(picture, kind, json);
  if (bytes.size() > max_document_bytes) {
    throw Error(
        fmt::format("With its document the {} would have {} bytes, but at most {} can be opened again: "
                    "make the picture or the document smaller.",
                    name_of(kind), bytes.size(), max_document_bytes));
  }
  return bytes;
}

std::string take_view_out(std::string& json) {
  if (!json.starts_with(view_begin)) return {};
  const std::size_t end = json.find(view_end, view_begin.size());
  if (end == std::string::npos) return {};
  std::string view = json.substr(view_begin.size(), end - view_begin.size());
  json.replace(0, end + view_end.size(), document_begin);
  return view;
}

std::optional<std::string> document_in(const std::string& bytes) {
  const std::optional<PictureKind> kind = picture_kind(bytes);
  if (!kind) return {};
  switch (*kind) {
    case PictureKind::png:
      return text_in_png(bytes);
    case PictureKind::svg:
      return text_in_svg(bytes);
    case PictureKind::gif:
      return text_in_gif(bytes);
    default:
      return text_in_pdf(bytes);
  }
}

std::optional<std::string> document_of_picture(const std::string& bytes) {
  for (const Beginning& stranger : strangers) {
    if (!bytes.starts_with(stranger.bytes)) continue;
    throw Error(
        fmt::format("This is a {} file, which carries no document: open the PNG, SVG, PDF or GIF that attnscope wrote.",
                    stranger.name));
  }
  const std::optional<PictureKind> kind = picture_kind(bytes);
  if (!kind) return {};
  std::optional<std::string> json = document_in(bytes);
  if (json) return json;
  throw Error(
      fmt::format("This {} carries no document: attnscope did not write it, or a program that it went through "
                  "took the document out. Open the file as attnscope wrote it.",
                  name_of(*kind)));
}

}  // namespace attnscope
