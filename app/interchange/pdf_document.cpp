#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "core/error.h"
#include "document/json.h"
#include "interchange/deflate.h"
#include "interchange/pdf_embed.h"
#include "interchange/picture_formats.h"

// PDF: an embedded file. libqpdf writes it, so that every viewer lists it. It is read without following the structure
// of the PDF, which would let a hostile one decide how much is unpacked: a stream always stands as it is in the file,
// and a key of ours in its dictionary names it.
namespace attnscope {
namespace {

constexpr const char* file_name = "attnscope.json";
constexpr const char* our_key = "/AttnscopeDocument";
constexpr std::size_t max_dictionary_bytes = 4096;
constexpr std::string_view name = "The document in the PDF";

// The bytes between "stream" and what follows, for the dictionary that has our key at the beginning of `rest`; none
// when the key is in no dictionary of a stream.
std::optional<std::string_view> stream_after(std::string_view rest) {
  const std::string_view dictionary = rest.substr(0, max_dictionary_bytes);
  const std::size_t begin = dictionary.find("stream");
  if (begin == std::string_view::npos || begin > dictionary.find("endobj")) return {};
  rest.remove_prefix(begin + std::string_view("stream").size());
  if (rest.starts_with("\r\n")) return rest.substr(2);
  if (rest.starts_with('\n')) return rest.substr(1);
  return {};
}

// No raw line of JSON begins with "endstream": line breaks within its strings are escaped.
std::string text_of(std::string_view stream) {
  if (!stream.starts_with('{')) return inflate_text(stream, max_document_bytes, name);
  const std::size_t end = std::min(stream.find("\nendstream"), stream.find("\rendstream"));
  if (end == std::string_view::npos) throw Error(fmt::format("{} is cut off: export the picture again.", name));
  return std::string(stream.substr(0, end));
}

}  // namespace

std::string with_text_in_pdf(const std::string& pdf, const std::string& json) {
  try {
    return with_embedded_file(pdf, file_name, json, our_key);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& problem) {
    throw Error(fmt::format("The document cannot be put into the PDF: {}.", problem.what()));
  }
}

std::optional<std::string> text_in_pdf(std::string_view pdf) {
  const std::string_view key = our_key;
  std::optional<std::string> found;
  for (std::size_t at = pdf.find(key); at != std::string_view::npos; at = pdf.find(key, at + key.size())) {
    if (const std::optional<std::string_view> stream = stream_after(pdf.substr(at))) take_text(found, text_of(*stream));
  }
  return found;
}

}  // namespace attnscope
