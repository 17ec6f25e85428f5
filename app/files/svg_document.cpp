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
#include "files/picture_carriers.h"

// SVG: a <metadata> element, which viewers skip and editors keep. The JSON stands in it as text, for people to read.
namespace attnscope {
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

}  // namespace attnscope
