#include "files/image.h"

#include <fmt/format.h>
#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <new>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "document/json.h"
#include "files/picture_document.h"

namespace attnscope {

namespace {

// The colours of a frame.

constexpr std::size_t gif_colours = 256;

using Colour = std::uint32_t;  // 0xRRGGBB
constexpr Colour unchanged = 0xFF000000;

struct PixelBox {  // pixels of an image
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  bool operator==(const PixelBox&) const = default;
};

// A part of a picture by the numbers of its colours.
struct IndexedPicture {
  PixelBox box;
  std::vector<Colour> colours;       // at most gif_colours; the clear one, which shows what was there, is among them
  int clear = NO_TRANSPARENT_COLOR;  // its number
  std::vector<std::uint8_t> pixels;  // box.width * box.height
};

// Returns how many colours stay exact if there are more than a frame may have.
constexpr std::size_t kept_of(std::size_t most) { return most * 11 / 16; }

constexpr int channel(Colour colour, int index) { return static_cast<int>(colour >> (16 - 8 * index) & 0xFF); }

Colour colour_of(const std::uint8_t* rgba) { return Colour{rgba[0]} << 16 | Colour{rgba[1]} << 8 | Colour{rgba[2]}; }

// A part of an image. Pixels that are as they were in the image before are left as they are.
struct ChangedPart {
  const Image& image;
  PixelBox box;
  const Image* before = nullptr;  // null: all pixels are new
};

template <typename Visit>
void for_each_colour(const ChangedPart& part, const Visit& visit) {
  const auto& [image, box, before] = part;
  for (int row = box.top; row < box.top + box.height; ++row) {
    const std::size_t first =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(box.left);
    for (std::size_t at = first * 4; at < (first + static_cast<std::size_t>(box.width)) * 4; at += 4) {
      const Colour colour = colour_of(image.pixels.data() + at);
      visit(before && colour == colour_of(before->pixels.data() + at) ? unchanged : colour);
    }
  }
}

struct CountedColour {
  Colour colour = 0;
  std::size_t count = 0;
};

// The most frequent first.
std::vector<CountedColour> counted_colours(const ChangedPart& part) {
  std::unordered_map<Colour, std::size_t> counts;
  Colour before = 0;
  std::size_t* count = nullptr;  // of `before`: neighbours are mostly alike
  for_each_colour(part, [&](Colour colour) {
    if (colour == unchanged) return;
    if (!count || colour != before) count = &counts[colour];
    before = colour;
    ++*count;
  });
  std::vector<CountedColour> colours;
  for (const auto& [colour, times] : counts) colours.push_back({colour, times});
  std::ranges::sort(colours, [](const CountedColour& left, const CountedColour& right) {
    return left.count != right.count ? left.count > right.count : left.colour < right.colour;
  });
  return colours;
}

// Adds colours that stand for the rare ones, each as often as it is there.
void add_shared(std::vector<Colour>& palette, const std::vector<CountedColour>& colours, std::size_t most) {
  constexpr std::size_t most_of_one = 1000;  // a colour counts for no more pixels, so that none crowds out the others
  std::array<std::vector<GifByteType>, 3> channels;
  for (std::size_t i = kept_of(most); i < colours.size(); ++i) {
    const std::size_t times = std::min(colours[i].count, most_of_one);
    for (int each = 0; each < 3; ++each) {
      const auto value = static_cast<GifByteType>(channel(colours[i].colour, each));
      std::vector<GifByteType>& values = channels[static_cast<std::size_t>(each)];
      values.insert(values.end(), times, value);
    }
  }
  const auto width = static_cast<unsigned int>(channels[0].size());
  std::vector<GifByteType> unused(width);
  std::array<GifColorType, gif_colours> found{};
  int count = static_cast<int>(most - kept_of(most));
  if (GifQuantizeBuffer(width, 1, &count, channels[0].data(), channels[1].data(), channels[2].data(), unused.data(),
                        found.data()) != GIF_OK) {
    throw Error("The colours of the GIF cannot be chosen: there is not enough memory. Make the picture smaller.");
  }
  for (int i = 0; i < count; ++i) {
    const GifColorType& colour = found[static_cast<std::size_t>(i)];
    palette.push_back(Colour{colour.Red} << 16 | Colour{colour.Green} << 8 | Colour{colour.Blue});
  }
}

std::uint8_t nearest(const std::vector<Colour>& palette, Colour colour) {
  std::size_t found = 0;
  int least = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < palette.size(); ++i) {
    int distance = 0;
    for (int each = 0; each < 3; ++each) {
      const int difference = channel(palette[i], each) - channel(colour, each);
      distance += (each == 1 ? 4 : each == 0 ? 3 : 2) * difference * difference;  // eyes see green best
    }
    if (distance >= least) continue;
    least = distance;
    found = i;
  }
  return static_cast<std::uint8_t>(found);
}

// Pictures of up to 256 colours keep them. Of more, those that fill most of it are kept as they are, which pages, inks
// and cells are; the rest, mostly edges of letters, share colours that giflib's median cut finds for them. Throws
// Error.
IndexedPicture index_colours(const ChangedPart& part, std::size_t limit) {
  const std::vector<CountedColour> colours = counted_colours(part);
  const std::size_t most = part.before ? limit - 1 : limit;  // one is clear
  const bool keeps_all = colours.size() <= most;
  std::vector<Colour> palette;
  for (const CountedColour& each : colours) {
    if (!keeps_all && palette.size() == kept_of(most)) break;
    palette.push_back(each.colour);
  }
  if (!keeps_all) add_shared(palette, colours, most);
  std::unordered_map<Colour, std::uint8_t> numbers;
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const bool is_kept = keeps_all || i < kept_of(most);
    numbers[colours[i].colour] = is_kept ? static_cast<std::uint8_t>(i) : nearest(palette, colours[i].colour);
  }
  IndexedPicture picture{.box = part.box, .colours = {}, .pixels = {}};
  if (part.before) {
    picture.clear = static_cast<int>(palette.size());
    numbers[unchanged] = static_cast<std::uint8_t>(palette.size());
    palette.push_back(0);
  }
  picture.pixels.reserve(static_cast<std::size_t>(part.box.width) * static_cast<std::size_t>(part.box.height));
  for_each_colour(part, [&](Colour colour) { picture.pixels.push_back(numbers.find(colour)->second); });
  picture.colours = std::move(palette);
  return picture;
}

// The frames.

constexpr double hundredths = 100;  // of a second: what a GIF counts in
constexpr std::uint32_t most_repetitions = 65535;
constexpr int longest_delay = 30000;  // hundredths: a frame's time has two bytes

void require(int outcome, const GifFileType* gif) {
  if (outcome == GIF_OK) return;
  const char* const reason = gif ? GifErrorString(gif->Error) : nullptr;
  throw Error(fmt::format("The GIF cannot be encoded: {}.", reason ? reason : "there is not enough memory"));
}

// Returns how many bytes it took; exceptions must not pass through a C library.
int append(GifFileType* gif, const GifByteType* data, int size) {
  try {
    std::string& bytes = *static_cast<std::string*>(gif->UserData);
    bytes.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
    return size;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

bool same_pixels(const Image& image, const Image& other, int row, int left, int right) {
  const std::size_t begin = static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width);
  const auto first = static_cast<std::ptrdiff_t>((begin + static_cast<std::size_t>(left)) * 4);
  const auto last = static_cast<std::ptrdiff_t>((begin + static_cast<std::size_t>(right)) * 4);
  return std::equal(image.pixels.begin() + first, image.pixels.begin() + last, other.pixels.begin() + first);
}

bool same_column(const Image& image, const Image& other, int col, int top, int bottom) {
  for (int row = top; row < bottom; ++row) {
    if (!same_pixels(image, other, row, col, col + 1)) return false;
  }
  return true;
}

// Returns the smallest box outside of which two pictures are the same; one pixel if they are equal.
PixelBox difference(const Image& image, const Image& before) {
  int top = 0;
  int bottom = image.height;
  int left = 0;
  int right = image.width;
  while (top + 1 < bottom && same_pixels(image, before, top, 0, image.width)) ++top;
  while (bottom - 1 > top && same_pixels(image, before, bottom - 1, 0, image.width)) --bottom;
  while (left + 1 < right && same_column(image, before, left, top, bottom)) ++left;
  while (right - 1 > left && same_column(image, before, right - 1, top, bottom)) --right;
  return {left, top, right - left, bottom - top};
}

struct FreeColours {
  void operator()(ColorMapObject* map) const { GifFreeMapObject(map); }
};

constexpr std::string_view application = "ATTNSCOP1.0";  // eight letters of a name, three that go with it
constexpr std::size_t screen_end = 13;                   // bytes of signature and screen descriptor
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

  // Skips a block and returns whether it is the document's.
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

struct AnimatedGif::Encoder {
  Playback playback;
  std::size_t colours = gif_colours;
  std::string bytes;
  GifFileType* gif = nullptr;
  Image before;           // written last
  Image last;             // not written yet: the next frames may be the same
  std::size_t same = 0;   // frames that look like it
  std::size_t added = 0;  // frames that were written

  ~Encoder() { close(); }

  int close() {
    int ignored = 0;
    return gif ? EGifCloseFile(std::exchange(gif, nullptr), &ignored) : GIF_OK;
  }

  void begin(const Image& image) {
    int problem = 0;
    gif = EGifOpen(&bytes, append, &problem);
    require(gif ? GIF_OK : GIF_ERROR, gif);
    EGifSetGifVersion(gif, true);
    require(EGifPutScreenDesc(gif, image.width, image.height, 8, 0, nullptr), gif);
    if (playback.times != 1) put_repetition();
  }

  // Without it a GIF plays once; its number is how often it begins again.
  void put_repetition() {
    const std::uint32_t again = playback.times == 0 ? 0 : std::min(playback.times - 1, most_repetitions);
    const GifByteType block[] = {1, static_cast<GifByteType>(again & 0xFF), static_cast<GifByteType>(again >> 8)};
    require(EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE), gif);
    require(EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0"), gif);
    require(EGifPutExtensionBlock(gif, sizeof(block), block), gif);
    require(EGifPutExtensionTrailer(gif), gif);
  }

  // Rounded so that all frames together take as long as they should.
  int delay() const {
    const double rate = playback.frames_per_second;
    const auto end_of = [&](std::size_t count) { return std::lround(hundredths * static_cast<double>(count) / rate); };
    return static_cast<int>(end_of(added + same) - end_of(added));
  }

  void put_last() {
    if (same == 0) return;
    const PixelBox all = {0, 0, last.width, last.height};
    put(index_colours(added == 0 ? ChangedPart{last, all} : ChangedPart{last, difference(last, before), &before},
                      colours));
    before = std::move(last);
    added += std::exchange(same, 0);
  }

  void put(const IndexedPicture& picture) {
    GraphicsControlBlock control{};
    control.DisposalMode = DISPOSE_DO_NOT;
    control.DelayTime = delay();
    control.TransparentColor = picture.clear;
    GifByteType extension[4];
    EGifGCBToExtension(&control, extension);
    require(EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, sizeof(extension), extension), gif);
    std::size_t entries = 2;  // a power of two
    while (entries < picture.colours.size()) entries *= 2;
    const std::unique_ptr<ColorMapObject, FreeColours> map(GifMakeMapObject(static_cast<int>(entries), nullptr));
    require(map ? GIF_OK : GIF_ERROR, nullptr);
    for (std::size_t i = 0; i < picture.colours.size(); ++i) {
      const auto byte = [&](int each) { return static_cast<GifByteType>(channel(picture.colours[i], each)); };
      map->Colors[i] = {byte(0), byte(1), byte(2)};
    }
    const PixelBox& box = picture.box;
    require(EGifPutImageDesc(gif, box.left, box.top, box.width, box.height, false, map.get()), gif);
    std::vector<GifPixelType> row(static_cast<std::size_t>(box.width));
    for (std::size_t begin = 0; begin < picture.pixels.size(); begin += row.size()) {
      std::copy_n(picture.pixels.begin() + static_cast<std::ptrdiff_t>(begin), row.size(), row.begin());
      require(EGifPutLine(gif, row.data(), box.width), gif);
    }
  }
};

AnimatedGif::AnimatedGif(const Playback& playback, std::size_t colours) : encoder_(std::make_unique<Encoder>()) {
  assert(colours >= 16 && colours <= gif_colours);
  encoder_->colours = colours;
  assert(playback.frames_per_second >= slowest_playback && playback.frames_per_second <= fastest_playback);
  encoder_->playback = playback;
}

AnimatedGif::~AnimatedGif() = default;

void AnimatedGif::add_frame(const Image& image) {
  Encoder& encoder = *encoder_;
  const bool is_first = encoder.same == 0;
  assert(is_first || (image.width == encoder.last.width && image.height == encoder.last.height));
  if (is_first) encoder.begin(image);
  const bool is_same = !is_first && image.pixels == encoder.last.pixels && encoder.delay() < longest_delay;
  if (!is_same) {
    encoder.put_last();
    encoder.last = image;
  }
  ++encoder.same;
}

std::size_t AnimatedGif::size() const { return encoder_->bytes.size(); }

std::string AnimatedGif::finish() {
  assert(encoder_->same > 0);
  encoder_->put_last();
  require(encoder_->close(), nullptr);
  return std::exchange(encoder_->bytes, {});
}

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
