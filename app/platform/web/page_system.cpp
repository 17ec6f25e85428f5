#include <emscripten.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stop_token>

#include "core/error.h"
#include "platform/system/glib_parts.h"
#include "platform/system/other_programs.h"
#include "platform/system/process.h"

// The functions of platform/system, done by the browser.
namespace attnscope {
namespace {

enum class Class : std::uint8_t { space, word_part, accent, mark, unwritten };

EM_JS_DEPS(page_system, "$stringToNewUTF8,$UTF8ToString");
EM_JS(bool, page_is_of_class, (int of, unsigned character), { return attnscopePage.isOfClass(of, character); });
EM_JS(unsigned, page_small_letter, (unsigned capital), { return attnscopePage.smallLetter(capital); });
EM_JS(char*, page_normal_form, (const char* text, unsigned size, int form), {
  return stringToNewUTF8(UTF8ToString(text, size).normalize([ 'NFD', 'NFC', 'NFKD', 'NFKC' ][form]));
});
EM_JS(int, page_session, (), { return attnscopePage.session; });
EM_JS(void, page_choose_files, (), { attnscopePage.chooseFiles(); });
EM_JS(void, page_copy_link, (const char* key, const char* json, unsigned size),
      { attnscopePage.copyLink(UTF8ToString(key), UTF8ToString(json, size)); });
EM_JS(void, page_copy_picture, (const char* png, unsigned size),
      { attnscopePage.copyPicture(HEAPU8.slice(png, png + size)); });

bool is_of(Class of, char32_t character) { return page_is_of_class(static_cast<int>(of), character); }

}  // namespace

int process_id() { return page_session(); }

bool is_space(char32_t character) { return is_of(Class::space, character); }
bool is_word_part(char32_t character) { return is_of(Class::word_part, character); }
bool is_accent(char32_t character) { return is_of(Class::accent, character); }
bool is_combining(char32_t character) { return is_of(Class::mark, character); }
bool is_unwritten(char32_t character) { return is_of(Class::unwritten, character); }
char32_t small_letter(char32_t capital) { return page_small_letter(capital); }

std::string normal_form(std::string_view text, UnicodeForm form) {
  std::string result;
  for (std::size_t i = 0; i <= text.size();) {  // the browser's texts end at a NUL
    const std::size_t end = std::min(text.find('\0', i), text.size());
    char* const part = page_normal_form(text.data() + i, end - i, static_cast<int>(form));
    result += part;
    std::free(part);
    if (end < text.size()) result += '\0';
    i = end + 1;
  }
  return result;
}

// page.js offers what is written here as a download.
std::filesystem::path documents_folder() { return "/Downloads"; }
std::filesystem::path pictures_folder() { return documents_folder(); }

void copy_picture(const std::string& png, const std::stop_token&) { page_copy_picture(png.data(), png.size()); }

void add_platform(Desktop& desktop) {
  desktop.copy_picture = copy_picture;
  desktop.choose_files = page_choose_files;
  desktop.copy_link = [](const std::string& key, const std::string& json) {
    page_copy_link(key.c_str(), json.data(), json.size());
  };
  desktop.page = empty_page();
}

std::string video_problem() { return "A page makes no videos."; }

struct VideoEncoder::Work {};
VideoEncoder::VideoEncoder(int, int, double) { throw Error(video_problem()); }
VideoEncoder::~VideoEncoder() = default;
void VideoEncoder::add_frame(std::span<const std::uint8_t>, const std::stop_token&) {}
std::string VideoEncoder::finish(const std::stop_token&) { return {}; }

void end_cleanly_on_signals() {}
Interrupt::Interrupt(std::function<void()>) {}
Interrupt::~Interrupt() = default;
int Interrupt::signal() const { return 0; }
Execution Interrupt::execution() { return {}; }

// FIPS 180-4. A browser hashes only what is there as a whole, and later.
struct Sha256::State {
  std::uint32_t hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned char block[64] = {};
  std::uint64_t count = 0;

  void add(unsigned char byte) {
    block[count++ % 64] = byte;
    if (count % 64 == 0) mix();
  }
  void mix();
};

namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

void Sha256::State::mix() {
  std::uint32_t w[64];
  for (int i = 0; i < 16; ++i) {
    const unsigned char* const b = block + 4 * i;
    w[i] = std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
  }
  using std::rotr;
  for (int i = 16; i < 64; ++i) {
    const std::uint32_t low = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const std::uint32_t high = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + low + w[i - 7] + high;
  }
  std::uint32_t v[8];
  std::ranges::copy(hash, v);
  for (int i = 0; i < 64; ++i) {
    const std::uint32_t e = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25);
    const std::uint32_t a = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
    const std::uint32_t first = v[7] + e + ((v[4] & v[5]) ^ (~v[4] & v[6])) + round_constants[i] + w[i];
    const std::uint32_t second = a + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    for (int j = 7; j > 0; --j) v[j] = v[j - 1];
    v[4] += first;
    v[0] = first + second;
  }
  for (int i = 0; i < 8; ++i) hash[i] += v[i];
}

Sha256::Sha256() : state_(std::make_unique<State>()) {}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  for (const char byte : bytes) state_->add(static_cast<unsigned char>(byte));
}

std::string Sha256::text() {
  const std::uint64_t bits = 8 * state_->count;
  state_->add(0x80);
  while (state_->count % 64 != 56) state_->add(0);
  for (int shift = 56; shift >= 0; shift -= 8) state_->add(static_cast<unsigned char>(bits >> shift));
  std::string text;
  for (const std::uint32_t part : state_->hash) {
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[part >> shift & 15];
  }
  return text;
}

}  // namespace attnscope
