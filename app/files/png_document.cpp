#include "core/error.h"
#include "document/json.h"
#include "files/deflate.h"
#include "files/picture_carriers.h"
#include "files/png_chunks.h"

// PNG: a text chunk.
namespace attnscope {
namespace {

constexpr std::string_view keyword = "attnscope";

// Programs that copy a PNG may write any of the three.
bool is_document(const PngChunk& chunk) {
  const bool is_text = chunk.type == "iTXt" || chunk.type == "zTXt" || chunk.type == "tEXt";
  return is_text && chunk.data.starts_with(keyword) && chunk.data.substr(keyword.size()).starts_with('\0');
}

[[noreturn]] void refuse_text() { throw Error("The document in the PNG is damaged: its text chunk has no text."); }

// Takes what ends with a NUL off the front.
void skip_words(std::string_view& data) {
  const std::size_t end = data.find('\0');
  if (end == std::string_view::npos) refuse_text();
  data.remove_prefix(end + 1);
}

char take_byte(std::string_view& data) {
  if (data.empty()) refuse_text();
  const char byte = data.front();
  data.remove_prefix(1);
  return byte;
}

std::string text_of(const PngChunk& chunk, const PartWatch& watch) {
  std::string_view data = chunk.data;
  skip_words(data);  // the keyword
  if (chunk.type == "tEXt") return std::string(data);
  const bool is_compressed = chunk.type == "zTXt" || take_byte(data) != 0;
  if (take_byte(data) != 0 && is_compressed) {
    throw Error("The document in the PNG is compressed by a method that PNG does not have.");
  }
  if (chunk.type == "iTXt") {
    skip_words(data);  // language
    skip_words(data);  // the keyword in that language
  }
  if (!is_compressed) return std::string(data);
  return inflate_text(data, max_document_bytes, "The document in the PNG", watch);
}

std::string document_chunk(std::string_view json) {
  std::string content(keyword);
  content.append("\0\1\0\0\0", 5);  // compressed, by the only method; no language, no translated keyword
  content += deflate_text(json);
  std::string chunk;
  append_png_chunk(chunk, "iTXt", content);
  return chunk;
}

}  // namespace

// Before the pixels, where a reader that stops early finds it.
std::string with_text_in_png(const std::string& png, const std::string& json) {
  std::string with;
  bool is_in = false;
  for_each_png_chunk(png, [&](const PngChunk& chunk) {
    if (chunk.begin == png_signature_bytes) with += png.substr(0, png_signature_bytes);
    if (!is_in && (chunk.type == "IDAT" || chunk.type == "IEND")) {
      with += document_chunk(json);
      is_in = true;
    }
    if (!is_document(chunk)) with += png.substr(chunk.begin, chunk.end - chunk.begin);
  });
  return with;
}

std::optional<std::string> text_in_png(std::string_view png, const PartWatch& watch) {
  std::optional<std::string> found;
  for_each_png_chunk(png, [&](const PngChunk& chunk) {
    if (watch) watch(0);
    if (is_document(chunk)) take_text(found, text_of(chunk, watch));
  });
  return found;
}

}  // namespace attnscope
