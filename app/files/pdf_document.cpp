#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "core/error.h"
#include "document/json.h"
#include "files/pdf_embed.h"
#include "files/picture_carriers.h"
#include "files/png.h"

// PDF: an embedded file. libqpdf writes it, so that every viewer lists it. It is read without following the structure
// of the PDF, which would let a hostile one decide how much is unpacked: a stream always stands as it is in the file,
// and a key of ours in its dictionary names it.
namespace attnscope {
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
  try {
    return with_embedded_file(pdf, file_name, json, our_key);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& problem) {
    throw Error(fmt::format("The document cannot be put into the PDF: {}.", problem.what()));
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
