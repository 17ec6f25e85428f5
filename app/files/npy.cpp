#include "files/array_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/text.h"

namespace attnscope {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t before_length = 8;        // bytes before the header's length
constexpr std::size_t most_axes_of_numpy = 32;  // NumPy's own limit

[[noreturn]] void refuse_array(const std::string& why) {
  throw Error(fmt::format("This is not a .npy array that can be read: {}.", why));
}

// Reads the header's Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (6, 3), }.
class HeaderText {
public:
  explicit HeaderText(std::string_view text) : rest_(text) {}

  bool take(char wanted) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(char wanted) {
    if (!take(wanted)) refuse_array(fmt::format("its header lacks a \"{}\" before {}", wanted, in_quotes(rest_)));
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string_view text() {
    skip_blanks();
    const char quote = rest_.empty() ? ' ' : rest_.front();
    const std::size_t end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos) refuse_array("its header lacks a text before " + in_quotes(rest_));
    const std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }
  Index number() {
    skip_blanks();
    Index value = 0;
    const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (problem != std::errc() || value < 0) refuse_array("its shape has an invalid size at " + in_quotes(rest_));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (!rest_.empty() && rest_.front() == 'L') rest_.remove_prefix(1);  // as Python 2 wrote long numbers
    return value;
  }
  // A list of (name, type) pairs, of an array of records: skipped up to its closing bracket.
  void skip_list() {
    int depth = 0;
    std::size_t at = 0;
    do {
      if (at == rest_.size()) refuse_array("its header ends within a list");
      if (rest_[at] == '[' || rest_[at] == '(') ++depth;
      if (rest_[at] == ']' || rest_[at] == ')') --depth;
      ++at;
    } while (depth > 0);
    rest_.remove_prefix(at);
  }
  bool stands_at(char c) {
    skip_blanks();
    return !rest_.empty() && rest_.front() == c;
  }
  bool is_at_end() {
    skip_blanks();
    return rest_.empty();
  }

private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  std::string_view rest_;
};

void set_type(ArrayView& array, std::string_view descr) {
  const bool has_order = !descr.empty() && std::string_view("<>|=").find(descr.front()) != std::string_view::npos;
  const std::optional<NumberType> known = type_in_npy(has_order ? descr.substr(1) : descr);
  if (!known) {
    array.problem = fmt::format(
        "The array's type is {}, but only numbers are read: convert it with x.astype(\"float32\") before it is saved.",
        in_quotes(descr));
    return;
  }
  array.type = *known;
  array.order = descr.front() == '>' ? ByteOrder::big : ByteOrder::little;
}

void take_shape(HeaderText& header, std::vector<Index>& shape) {
  header.need('(');
  while (!header.take(')')) {
    if (shape.size() == most_axes_of_numpy) refuse_array(fmt::format("it has more than {} axes", most_axes_of_numpy));
    shape.push_back(header.number());
    if (header.take(')')) return;
    header.need(',');
  }
}

void take_entry(HeaderText& header, std::string_view key, ArrayView& array) {
  header.need(':');
  if (key == "descr") {
    if (header.stands_at('[')) {
      header.skip_list();
      array.problem = "The array holds records, but only plain numbers are read: save one of its fields.";
    } else {
      set_type(array, header.text());
    }
  } else if (key == "fortran_order") {
    array.is_fortran = header.take_word("True");
    if (!array.is_fortran && !header.take_word("False")) refuse_array("fortran_order is neither True nor False");
  } else if (key == "shape") {
    take_shape(header, array.shape);
  } else {
    refuse_array("its header has an unknown key, " + in_quotes(key));
  }
}

// Bytes of the header's length, which depend on the version.
std::size_t length_width(std::string_view bytes) { return bytes[6] == 1 ? 2 : 4; }

ArrayView described_by(std::string_view text) {
  ArrayView array;
  HeaderText header(text);
  std::vector<std::string_view> keys;
  header.need('{');
  while (!header.take('}')) {
    const std::string_view key = header.text();
    if (std::ranges::find(keys, key) != keys.end()) refuse_array("its header says " + in_quotes(key) + " twice");
    keys.push_back(key);
    take_entry(header, key, array);
    if (!header.take(',') && !header.stands_at('}')) header.need(',');
  }
  if (keys.size() != 3 || !header.is_at_end()) refuse_array("its header must have descr, fortran_order and shape");
  return array;
}

}  // namespace

std::size_t npy_header_end(std::string_view bytes) {
  if (!bytes.starts_with(magic) || bytes.size() < before_length) return 0;
  const std::size_t start = before_length + length_width(bytes);
  if (bytes.size() < start) return 0;
  std::size_t length = 0;
  for (std::size_t i = start; i-- > before_length;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  return start + length;
}

NpyHeader parse_npy_header(std::string_view bytes) {
  if (!bytes.starts_with(magic)) refuse_array("it does not begin like one");
  if (bytes.size() < before_length) refuse_array("it ends within its header");
  const int version = bytes[6];
  if (version < 1 || version > 3) refuse_array(fmt::format("it is of version {}, and 1 to 3 are known", version));
  const std::size_t start = before_length + length_width(bytes);
  const std::size_t end = npy_header_end(bytes);
  if (end > max_npy_header_bytes) refuse_array(fmt::format("its header would take {} bytes", end - start));
  if (end == 0 || end > bytes.size()) refuse_array("it ends within its header");
  NpyHeader header{described_by(bytes.substr(start, end - start)), end};
  if (header.array.problem.empty()) header.numbers = claimed_bytes(header.array.shape, header.array.type);
  return header;
}

NamedArrays parse_npy(const Bytes& bytes) {
  NpyHeader header = parse_npy_header(bytes.copy(0, max_npy_header_bytes));
  if (!header.array.problem.empty()) throw Error(header.array.problem);
  const std::uint64_t there = bytes.size() - header.size;
  if (header.numbers != there) {
    refuse_array(fmt::format("{} numbers of the shape {} take {} bytes, but {} follow the header",
                             name_of(header.array.type), shape_text(header.array.shape), header.numbers, there));
  }
  header.array.bytes = bytes.part(header.size, there);
  NamedArrays file;
  file.arrays.push_back(std::move(header.array));
  return file;
}

std::string npy_header(const char* type, const std::vector<Index>& shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape_text(shape));
  constexpr std::size_t fixed = 10;  // magic, version and the length below
  constexpr std::size_t alignment = 64;
  text.append((alignment - (fixed + text.size() + 1) % alignment) % alignment, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace attnscope
