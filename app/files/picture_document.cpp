#include "files/picture_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "document/json.h"
#include "files/file_kind.h"
#include "files/picture_carriers.h"

namespace attnscope {
namespace {

constexpr std::string_view png_signature = "\x89PNG\r\n\x1a\n";
constexpr std::string_view pdf_signature = "%PDF-";
constexpr std::string_view gif_signature = "GIF8";
constexpr std::string_view document_begin = "{\n";
constexpr std::string_view view_begin = "{\n  \"view\": \"";
constexpr std::string_view view_end = "\",\n";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool begins_like_xml(std::string_view bytes) {
  if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '<';
}

// How the pictures of a format begin, and how they carry a document's JSON.
struct Carrier {
  PictureKind kind;
  bool (*begins)(std::string_view bytes);
  std::string (*with_text)(const std::string& picture, const std::string& json);
  std::optional<std::string> (*text_in)(std::string_view picture, const PartWatch& watch);
};

constexpr Carrier carriers[] = {
    {PictureKind::png, [](std::string_view bytes) { return bytes.starts_with(png_signature); }, with_text_in_png,
     text_in_png},
    {PictureKind::pdf, [](std::string_view bytes) { return bytes.starts_with(pdf_signature); }, with_text_in_pdf,
     text_in_pdf},
    {PictureKind::gif, [](std::string_view bytes) { return bytes.starts_with(gif_signature); }, with_text_in_gif,
     text_in_gif},
    {PictureKind::svg, begins_like_xml, with_text_in_svg, text_in_svg}};  // no document begins with <

const Carrier* carrier_of(std::string_view bytes) {
  for (const Carrier& carrier : carriers) {
    if (carrier.begins(bytes)) return &carrier;
  }
  return nullptr;
}

}  // namespace

void take_text(std::optional<std::string>& found, std::string text) {
  if (found) throw Error("The picture carries two documents, so it is unclear which one it shows.");
  found = std::move(text);
}

std::optional<PictureKind> picture_kind(std::string_view bytes) {
  const Carrier* const carrier = carrier_of(bytes);
  return carrier ? std::optional(carrier->kind) : std::nullopt;
}

std::string with_document(const std::string& picture, PictureKind kind, const AnyDocument& document,
                          const std::filesystem::path& carrier, std::string_view view) {
  const PictureFormat& format = format_of(kind);
  if (!format.reopens) return picture;
  std::string json = to_json(document, carrier);
  if (!view.empty()) json = fmt::format("{}{}{}{}", view_begin, view, view_end, json.substr(document_begin.size()));
  std::string bytes = std::ranges::find(carriers, kind, &Carrier::kind)->with_text(picture, json);
  if (bytes.size() > max_document_bytes) {
    throw Error(
        fmt::format("With its document the {} would have {} bytes, but at most {} can be opened again: "
                    "make the picture or the document smaller.",
                    format.name, bytes.size(), max_document_bytes));
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

std::optional<std::string> document_in(const std::string& bytes, const PartWatch& watch) {
  const Carrier* const carrier = carrier_of(bytes);
  return carrier ? carrier->text_in(bytes, watch) : std::nullopt;
}

std::optional<std::string> document_of_picture(const std::string& bytes, const PartWatch& watch) {
  if (!bytes.empty()) refuse_foreign(bytes, {});
  const std::optional<PictureKind> kind = picture_kind(bytes);
  if (!kind) return {};
  std::optional<std::string> json = document_in(bytes, watch);
  if (json) return json;
  throw Error(
      fmt::format("This {} carries no document: attnscope did not write it, or a program that it went through "
                  "took the document out. Open the file as attnscope wrote it.",
                  format_of(*kind).name));
}

}  // namespace attnscope
