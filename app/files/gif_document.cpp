#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/error.h"
#include "document/json.h"
#include "files/picture_carriers.h"

// GIF: an application extension.
namespace attnscope {
namespace {

constexpr std::string_view application = "ATTNSCOP1.0";  // eight letters of a name, three that go with it
constexpr std::size_t screen_end = 13;                   // of signature and screen descriptor
constexpr std::size_t most_of_block = 255;
constexpr char extension_begin = '\x21';
constexpr char image_begin = '\x2C';
constexpr char trailer = '\x3B';
constexpr char application_label = '\xFF';

struct GifBlock {
  std::string_view data;  // from its first byte to its last
  std::size_t begin = 0;  // in the file
  bool is_document = false;
};

// Reads a GIF block by block; what is beyond its end is an error.
class GifReader {
public:
  explicit GifReader(std::string_view gif) : gif_(gif) { skip(colours_end()); }

  void run(const std::function<void(const GifBlock&)>& visit) {
    while (byte(at_) != trailer) {
      const std::size_t begin = at_;
      const bool is_document = skip_block();
      visit({gif_.substr(begin, at_ - begin), begin, is_document});
    }
  }
  std::size_t first_block() const { return at_; }

private:
  char byte(std::size_t position) const {
    if (position < gif_.size()) return gif_[position];
    throw Error(fmt::format("The GIF is cut off after {} bytes: export the picture again.", gif_.size()));
  }

  static std::size_t table_bytes(char flags) {
    const bool has_table = (flags & 0x80) != 0;
    return has_table ? std::size_t{3} << ((flags & 7) + 1) : 0;
  }

  std::size_t colours_end() const { return screen_end + table_bytes(byte(10)); }

  void skip(std::size_t bytes) {
    byte(at_ + bytes);  // there is always a trailer behind
    at_ += bytes;
  }

  void skip_sub_blocks() {
    while (byte(at_) != 0) skip(1 + static_cast<unsigned char>(byte(at_)));
    skip(1);
  }

  // Whether it is the document's.
  bool skip_block() {
    const char kind = byte(at_);
    if (kind != extension_begin && kind != image_begin) {
      throw Error(
          fmt::format("The GIF is damaged at byte {}, where a block should begin: export the picture again.", at_));
    }
    bool is_document = false;
    if (kind == image_begin) {
      skip(11 + table_bytes(byte(at_ + 9)));  // with the size of its codes
    } else {
      const auto name_bytes = static_cast<unsigned char>(byte(at_ + 2));
      is_document = gif_[at_ + 1] == application_label && name_bytes == application.size() &&
                    gif_.substr(at_ + 3).starts_with(application);
      skip(2);
    }
    skip_sub_blocks();
    return is_document;
  }

  std::string_view gif_;
  std::size_t at_ = 0;
};

std::string document_block(std::string_view json) {
  std::string block = {extension_begin, application_label, static_cast<char>(application.size())};
  block += application;
  while (!json.empty()) {
    const std::size_t size = std::min(json.size(), most_of_block);
    block += static_cast<char>(size);
    block += json.substr(0, size);
    json.remove_prefix(size);
  }
  return block + '\0';
}

std::string text_of(const GifBlock& block) {
  std::string text;
  std::string_view rest = block.data.substr(3 + application.size());
  while (rest.front() != 0) {
    const std::size_t size = static_cast<unsigned char>(rest.front());
    text += rest.substr(1, size);
    rest.remove_prefix(1 + size);
  }
  if (text.size() > max_document_bytes) throw Error("The document in the GIF is too large to be opened.");
  return text;
}

}  // namespace

// Before the first frame, where a reader that stops early finds it.
std::string with_text_in_gif(const std::string& gif, const std::string& json) {
  GifReader reader(gif);
  std::size_t kept = reader.first_block();
  std::string with(gif.substr(0, kept));
  with += document_block(json);
  reader.run([&](const GifBlock& block) {
    if (!block.is_document) with += block.data;
    kept = block.begin + block.data.size();
  });
  return with += gif.substr(kept);
}

std::optional<std::string> text_in_gif(std::string_view gif, const PartWatch& watch) {
  std::optional<std::string> found;
  GifReader(gif).run([&](const GifBlock& block) {
    if (watch) watch(0);
    if (block.is_document) take_text(found, text_of(block));
  });
  return found;
}

}  // namespace attnscope
