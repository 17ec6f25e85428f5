#include "files/picture_document.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <new>

#include "core/error.h"
#include "document/json.h"
#include "document/reading_budget.h"
#include "files/file_kind.h"
#include "files/image.h"
#include "platform/system/process.h"

namespace attnscope {

// Returns the PDF with `json` as an embedded file, in place of one of that name; `key` marks its stream. Throws what
// libqpdf throws. Stands in pdf_embed.cpp, because clang cannot read libqpdf's headers as C++20.
std::string with_embedded_file(const std::string& pdf, const char* name, const std::string& json, const char* key);

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

// SVG: a <metadata> element, which viewers skip and editors keep. The JSON stands in it as text, for people to read.

namespace {

constexpr std::string_view svg_root = "http://www.w3.org/2000/svg|svg";
constexpr std::string_view our_element = "urn:attnscope|document";
constexpr std::string_view opening =
    "\n<metadata id=\"attnscope\"><attnscope:document xmlns:attnscope=\"urn:attnscope\" xml:space=\"preserve\">";
constexpr std::string_view closing = "</attnscope:document></metadata>";

// The parser holds the tags and names of an SVG, not its text. One that nests millions of elements would take a
// hundred times its size.
thread_local std::size_t parser_bytes = 0;
constexpr std::size_t most_parser_bytes = std::size_t{48} << 20;
constexpr std::size_t size_room = alignof(std::max_align_t);  // before each piece, for its size

void* parser_allocate(std::size_t size) {
  if (size > most_parser_bytes - parser_bytes) return nullptr;
  auto* const piece = static_cast<char*>(std::malloc(size_room + size));
  if (!piece) return nullptr;
  std::memcpy(piece, &size, sizeof size);
  parser_bytes += size;
  return piece + size_room;
}

void parser_free(void* pointer) {
  if (!pointer) return;
  char* const piece = static_cast<char*>(pointer) - size_room;
  std::size_t size = 0;
  std::memcpy(&size, piece, sizeof size);
  parser_bytes -= size;
  std::free(piece);
}

void* parser_reallocate(void* pointer, std::size_t size) {
  if (!pointer) return parser_allocate(size);
  std::size_t before = 0;
  std::memcpy(&before, static_cast<char*>(pointer) - size_room, sizeof before);
  void* const moved = parser_allocate(size);
  if (!moved) return nullptr;
  std::memcpy(moved, pointer, std::min(before, size));
  parser_free(pointer);
  return moved;
}

constexpr XML_Memory_Handling_Suite parser_memory = {parser_allocate, parser_reallocate, parser_free};

using Parser = std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)>;

// One walk through an SVG: the text that it carries, and where a document belongs.
struct SvgWalk {
  SvgWalk(std::size_t bytes, const PartWatch& watch) : budget(ReadingBudget::of_file(bytes, watch)) {}

  ReadingBudget budget;
  XML_Parser parser = nullptr;
  int depth = 0;
  int our_depth = 0;  // of our element while inside it, else 0
  std::string text;   // of our element so far
  std::optional<std::string> found;
  std::size_t root_end = 0;         // behind the root's opening tag
  std::exception_ptr failure = {};  // exceptions must not pass through a C library

  template <typename Action>
  void guard(Action action) {
    if (failure) return;
    try {
      constexpr std::uint64_t steps_of_a_part = 8;  // a tag, or text
      budget.work(steps_of_a_part);
      action();
    } catch (...) {
      failure = std::current_exception();
      XML_StopParser(parser, XML_FALSE);
    }
  }

  // A declaration may give each element as many attributes as there are bytes in the file.
  void begin(std::string_view name, const XML_Char** attributes) {
    constexpr std::uint64_t steps_of_an_attribute = 4;
    for (; *attributes; ++attributes) budget.work(steps_of_an_attribute);
    ++depth;
    if (depth == 1) {
      if (name != svg_root) throw Error("This is XML, but not SVG: its first element is not <svg>.");
      root_end = static_cast<std::size_t>(XML_GetCurrentByteIndex(parser) + XML_GetCurrentByteCount(parser));
    } else if (our_depth == 0 && name == our_element) {
      our_depth = depth;
      text.clear();
    } else if (our_depth != 0) {
      throw Error("The document in the SVG is damaged: it has other elements in it.");
    }
  }

  void add(std::string_view characters) {
    budget.work(characters.size());  // those of an entity come each time that it is named
    if (our_depth == 0) return;
    if (characters.size() > max_document_bytes - text.size()) {
      throw Error(
          fmt::format("The document in the SVG holds more than the {} bytes that are read.", max_document_bytes));
    }
    text += characters;
  }

  void end() {
    if (our_depth == depth) {
      take_text(found, std::move(text));
      our_depth = 0;
    }
    --depth;
  }
};

SvgWalk walk_svg(std::string_view svg, const PartWatch& watch = {}) {
  const Parser parser(XML_ParserCreate_MM(nullptr, &parser_memory, "|"), XML_ParserFree);
  if (!parser || svg.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) throw std::bad_alloc();
  SvgWalk walk(svg.size(), watch);
  walk.parser = parser.get();
  XML_SetUserData(parser.get(), &walk);
  XML_SetElementHandler(
      parser.get(),
      [](void* data, const XML_Char* name, const XML_Char** attributes) {
        SvgWalk& self = *static_cast<SvgWalk*>(data);
        self.guard([&] { self.begin(name, attributes); });
      },
      [](void* data, const XML_Char*) {
        SvgWalk& self = *static_cast<SvgWalk*>(data);
        self.guard([&] { self.end(); });
      });
  XML_SetCharacterDataHandler(parser.get(), [](void* data, const XML_Char* characters, int count) {
    SvgWalk& self = *static_cast<SvgWalk*>(data);
    self.guard([&] { self.add({characters, static_cast<std::size_t>(count)}); });
  });
  const XML_Status status = XML_Parse(parser.get(), svg.data(), static_cast<int>(svg.size()), XML_TRUE);
  if (walk.failure) std::rethrow_exception(walk.failure);
  if (status == XML_STATUS_OK) return walk;
  const XML_Error reason = XML_GetErrorCode(parser.get());
  if (reason == XML_ERROR_NO_MEMORY)
    throw Error("The SVG nests more elements, or gives an element more attributes, than any picture does.");
  throw Error(fmt::format("The SVG is cut off or damaged at line {}, column {}: {}.",
                          XML_GetCurrentLineNumber(parser.get()), XML_GetCurrentColumnNumber(parser.get()) + 1,
                          XML_ErrorString(reason)));
}

// Escapes &, < and > for XML, and writes U+FFFE and U+FFFF, which XML does not allow, as JSON escapes: they stand in
// strings only.
std::string escaped(std::string_view json) {
  std::string text;
  text.reserve(json.size() + json.size() / 16);
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '&') {
      text += "&amp;";
    } else if (json[i] == '<') {
      text += "&lt;";
    } else if (json[i] == '>') {
      text += "&gt;";
    } else if (json.substr(i, 3) == "\xEF\xBF\xBE" || json.substr(i, 3) == "\xEF\xBF\xBF") {
      text += json[i + 2] == '\xBE' ? "\\ufffe" : "\\uffff";
      i += 2;
    } else {
      text += json[i];
    }
  }
  return text;
}

// Removes a document that this program put there before.
std::string without_document(std::string_view svg) {
  const std::size_t begin = svg.find(opening);
  const std::size_t end = begin == std::string_view::npos ? begin : svg.find(closing, begin);
  if (end == std::string_view::npos) return std::string(svg);
  return std::string(svg.substr(0, begin)) + std::string(svg.substr(end + closing.size()));
}

}  // namespace

std::string with_text_in_svg(const std::string& svg, const std::string& json) {
  std::string with = without_document(svg);
  const std::size_t root_end = walk_svg(with).root_end;
  if (with[root_end - 2] == '/') throw Error("The SVG has no content that a document could belong to.");
  with.insert(root_end, std::string(opening) + escaped(json) + std::string(closing));
  return with;
}

std::optional<std::string> text_in_svg(std::string_view svg, const PartWatch& watch) {
  return walk_svg(svg, watch).found;
}

// PDF: an embedded file. libqpdf writes it, so that every viewer lists it. It is read without following the structure
// of the PDF, which would let a hostile one decide how much is unpacked: a stream always stands as it is in the file,
// and a key of ours in its dictionary names it.

namespace {

constexpr const char* file_name = "attnscope.json";
constexpr const char* our_key = "/AttnscopeDocument";
constexpr std::size_t max_dictionary_bytes = 4096;
constexpr std::string_view name = "The document in the PDF";

// The next place of a word: found once for all the places before it, so that a PDF full of our key is read once.
class NextWord {
public:
  NextWord(std::string_view text, std::string_view word) : text_(text), word_(word), found_(text.find(word)) {}

  std::size_t from(std::size_t position) {
    if (found_ < position) found_ = text_.find(word_, position);
    return found_;
  }

private:
  std::string_view text_;
  std::string_view word_;
  std::size_t found_;
};

// The bytes between "stream", which stands at `begin`, and what follows.
std::optional<std::string_view> stream_at(std::string_view pdf, std::size_t begin) {
  const std::string_view rest = pdf.substr(begin + std::string_view("stream").size());
  if (rest.starts_with("\r\n")) return rest.substr(2);
  if (rest.starts_with('\n')) return rest.substr(1);
  return {};
}

// No raw line of JSON begins with "endstream": line breaks within its strings are escaped.
std::string text_of(std::string_view stream, const PartWatch& watch) {
  if (!stream.starts_with('{')) return inflate_text(stream, max_document_bytes, name, watch);
  const std::size_t end = std::min(stream.find("\nendstream"), stream.find("\rendstream"));
  if (end == std::string_view::npos) throw Error(fmt::format("{} is cut off: export the picture again.", name));
  return std::string(stream.substr(0, end));
}

}  // namespace

std::string with_text_in_pdf(const std::string& pdf, const std::string& json) {
  if constexpr (in_browser) {
    throw Error("A page writes no PDF.");
  } else {
    try {
      return with_embedded_file(pdf, file_name, json, our_key);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& problem) {
      throw Error(fmt::format("The document cannot be put into the PDF: {}.", problem.what()));
    }
  }
}

std::optional<std::string> text_in_pdf(std::string_view pdf, const PartWatch& watch) {
  const std::string_view key = our_key;
  NextWord stream(pdf, "stream");
  NextWord end(pdf, "endobj");
  std::optional<std::string> found;
  for (std::size_t at = pdf.find(key); at != std::string_view::npos; at = pdf.find(key, at + key.size())) {
    if (watch) watch(0);
    const std::size_t begin = stream.from(at);
    const bool is_in_dictionary = begin < at + max_dictionary_bytes && begin < end.from(at);
    if (!is_in_dictionary) continue;
    if (const std::optional<std::string_view> bytes = stream_at(pdf, begin)) take_text(found, text_of(*bytes, watch));
  }
  return found;
}

}  // namespace attnscope
