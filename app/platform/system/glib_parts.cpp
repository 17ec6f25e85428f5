#include "platform/system/glib_parts.h"

#include <glib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>

namespace attnscope {

bool is_space(char32_t character) { return g_unichar_isspace(character); }

bool is_word_part(char32_t character) {
  const GUnicodeType type = g_unichar_type(character);
  return g_unichar_isalpha(character) || g_unichar_ismark(character) || type == G_UNICODE_DECIMAL_NUMBER ||
         type == G_UNICODE_LETTER_NUMBER || type == G_UNICODE_CONNECT_PUNCTUATION;
}

bool is_accent(char32_t character) { return g_unichar_type(character) == G_UNICODE_NON_SPACING_MARK; }

bool is_combining(char32_t character) { return g_unichar_combining_class(character) != 0; }

bool is_unwritten(char32_t character) {
  const GUnicodeType type = g_unichar_type(character);
  return type == G_UNICODE_CONTROL || type == G_UNICODE_FORMAT || type == G_UNICODE_PRIVATE_USE ||
         type == G_UNICODE_UNASSIGNED;
}

char32_t small_letter(char32_t capital) { return g_unichar_tolower(capital); }

std::string normal_form(std::string_view text, UnicodeForm form) {
  constexpr std::array modes = {G_NORMALIZE_NFD, G_NORMALIZE_NFC, G_NORMALIZE_NFKD, G_NORMALIZE_NFKC};
  const GNormalizeMode mode = modes.at(static_cast<std::size_t>(form));
  std::string result;
  for (std::size_t i = 0; i <= text.size();) {  // GLib's texts end at a NUL
    const std::size_t end = std::min(text.find('\0', i), text.size());
    const std::unique_ptr<gchar, decltype(&g_free)> part(
        g_utf8_normalize(text.data() + i, static_cast<gssize>(end - i), mode), g_free);
    if (!part) throw std::bad_alloc();
    result += part.get();
    if (end < text.size()) result += '\0';
    i = end + 1;
  }
  return result;
}

struct Sha256::State {
  std::unique_ptr<GChecksum, decltype(&g_checksum_free)> sum{g_checksum_new(G_CHECKSUM_SHA256), g_checksum_free};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  g_checksum_update(state_->sum.get(), reinterpret_cast<const guchar*>(bytes.data()),
                    static_cast<gssize>(bytes.size()));
}

std::string Sha256::text() { return g_checksum_get_string(state_->sum.get()); }

}  // namespace attnscope
