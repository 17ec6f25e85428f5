
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "document/json_value.h"
#include "files/array_files.h"
#include "platform/system/file.h"

namespace attnscope {
namespace {

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t max_header_bytes = std::uint64_t{1} << 25;
constexpr std::size_t max_axes = 32;
constexpr std::size_t max_tensors = 100'000;
constexpr std::size_t max_metadata = 10'000;
constexpr std::size_t max_text_bytes = std::size_t{1} << 22;  // of a name, or of a text among the metadata
constexpr std::string_view metadata_key = "__metadata__";

[[noreturn]] void refuse_tensors(const std::string& why) {
  throw Error(fmt::format("This is not a .safetensors file that can be read: {}.", why));
}

[[noreturn]] void refuse_cut() { refuse_tensors("it was cut short: download or save it again"); }

struct HeaderEntry {
  std::string name;
  std::string type = {};
  std::vector<Index> shape = {};
  std::vector<std::uint64_t> offsets = {};
};

// Takes the header as it is parsed. It is never deeper than an array in an object in an object, so nothing deeper is
// ever held.
class HeaderReader : public nlohmann::json_sax<Json> {
public:
  std::vector<HeaderEntry> entries;
  std::vector<std::pair<std::string, std::string>> metadata;

  explicit HeaderReader(const PartWatch& watch) : watch_(watch) {}

  bool null() override { refuse_tensors("null stands in its header"); }
  bool boolean(bool) override { refuse_tensors("a truth value stands in its header"); }
  bool number_integer(Json::number_integer_t) override { refuse_tensors("a negative number stands in its header"); }
  bool number_float(Json::number_float_t, const std::string&) override {
    refuse_tensors("a fraction stands in its header");
  }
  bool binary(Json::binary_t&) override { return false; }

  bool number_unsigned(Json::number_unsigned_t value) override {
    if (depth_ != 3) refuse_tensors(fmt::format("{} stands in its header where no number may", value));
    if (field_ == "shape") {
      if (value > static_cast<std::uint64_t>(std::numeric_limits<Index>::max()) || entry().shape.size() == max_axes) {
        refuse_tensors("the shape of " + in_quotes(entry().name) + " is larger than any file can be");
      }
      entry().shape.push_back(static_cast<Index>(value));
    } else {
      if (entry().offsets.size() == 2)
        refuse_tensors("data_offsets of " + in_quotes(entry().name) + " has more than two numbers");
      entry().offsets.push_back(value);
    }
    return true;
  }
  bool string(std::string& text) override {
    if (depth_ == 2 && in_metadata_) {
      if (metadata.size() == max_metadata) refuse_tensors("its metadata have more entries than any model needs");
      metadata.emplace_back(field_, text);
    } else if (depth_ == 2 && field_ == "dtype") {
      entry().type = text;
    } else {
      refuse_tensors(in_quotes(text) + " stands in its header where no text may");
    }
    return true;
  }
  bool start_object(std::size_t) override {
    if (depth_ > 1) refuse_tensors("its header is nested too deeply");
    ++depth_;
    fields_.clear();
    return true;
  }
  bool end_object() override {
    if (depth_-- == 2 && !in_metadata_ && fields_.size() != 3) {
      refuse_tensors(in_quotes(entry().name) + " lacks one of dtype, shape and data_offsets");
    }
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ != 2 || in_metadata_ || field_ == "dtype") refuse_tensors("a list stands in its header where none may");
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool key(std::string& name) override {
    if (depth_ == 2) {
      field_ = name;
      if (!in_metadata_ && name != "dtype" && name != "shape" && name != "data_offsets") {
        refuse_tensors(in_quotes(name) + " is unknown in the description of " + in_quotes(entry().name));
      }
      if (!fields_.insert(name).second) refuse_tensors("its header says " + in_quotes(name) + " twice in one place");
      return true;
    }
    if (watch_) watch_(0);
    if (!names_.insert(name).second) refuse_tensors("it has two tensors named " + in_quotes(name));
    in_metadata_ = name == metadata_key;
    if (entries.size() == max_tensors) refuse_tensors(fmt::format("it has more than {} tensors", max_tensors));
    if (!in_metadata_) entries.push_back({name});
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    refuse_tensors(fmt::format("its header is not JSON at byte {}", position));
  }

private:
  HeaderEntry& entry() { return entries.back(); }

  const PartWatch& watch_;
  int depth_ = 0;
  bool in_metadata_ = false;
  std::string field_;
  std::set<std::string, std::less<>> fields_;
  std::set<std::string, std::less<>> names_;
};

// Returns the bytes of the longest text in quotes, which the parser would hold several times.
std::size_t longest_text(std::string_view json) {
  std::size_t longest = 0;
  bool is_inside = false;
  for (std::size_t at = 0, begin = 0; at < json.size(); ++at) {
    if (is_inside) longest = std::max(longest, at - begin);
    if (json[at] == '"') {
      is_inside = !is_inside;
      begin = at + 1;
    } else if (json[at] == '\\' && is_inside) {
      ++at;
    }
  }
  return longest;
}

std::string header_of(const Bytes& bytes) {
  if (bytes.size() < length_bytes) refuse_cut();
  std::uint64_t length = 0;
  const std::string digits = bytes.copy(0, length_bytes);
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(digits[i]);
  if (length > max_header_bytes) refuse_tensors("it does not begin with the length of a header");
  if (length > bytes.size() - length_bytes) refuse_cut();
  std::string header = bytes.copy(length_bytes, length);
  if (!header.starts_with('{')) refuse_tensors("its header does not begin with a brace");
  if (find_invalid_utf8(header) || header.find('\0') != std::string::npos)
    refuse_tensors("its header is not UTF-8 text");
  if (const std::size_t bytes_of_text = longest_text(header); bytes_of_text > max_text_bytes)
    refuse_tensors(fmt::format("its header has a text of {} bytes, longer than any name", bytes_of_text));
  return header;
}

ArrayView view_of(const HeaderEntry& entry, const Bytes& data) {
  const std::string shown = in_quotes(entry.name);
  if (entry.offsets.size() != 2) refuse_tensors("data_offsets of " + shown + " is not two numbers");
  const std::uint64_t first = entry.offsets[0];
  const std::uint64_t last = entry.offsets[1];
  if (first <= last && last > data.size()) refuse_cut();
  if (first > last) {
    refuse_tensors(
        fmt::format("{} lies from byte {} to {}, but there are {} bytes of numbers", shown, first, last, data.size()));
  }
  ArrayView array;
  array.bytes = data.part(first, last - first);
  array.shape = entry.shape;
  const std::optional<NumberType> known = type_in_safetensors(entry.type);
  if (!known) {
    array.problem = fmt::format("{} is of the type {}, which is not read: convert it to float32 before it is saved.",
                                shown, in_quotes(entry.type));
  } else {
    array.type = *known;
    if (const std::uint64_t size = claimed_bytes(array.shape, array.type); size != last - first) {
      refuse_tensors(fmt::format("{} has the shape {} of {}, which takes {} bytes, but it has {}", shown,
                                 shape_text(array.shape), name_of(array.type), size, last - first));
    }
  }
  array.name = entry.name;
  return array;
}

// The format has every byte of the data belong to one tensor, so that nothing can hide in it.
void check_layout(const std::vector<HeaderEntry>& entries, std::uint64_t size) {
  std::vector<const HeaderEntry*> order;
  for (const HeaderEntry& entry : entries) order.push_back(&entry);
  std::ranges::sort(order, {}, [](const HeaderEntry* entry) { return entry->offsets; });
  std::uint64_t end = 0;
  for (const HeaderEntry* entry : order) {
    if (entry->offsets[0] < end) refuse_tensors(in_quotes(entry->name) + " overlaps another tensor");
    if (entry->offsets[0] > end) refuse_tensors("bytes before " + in_quotes(entry->name) + " belong to no tensor");
    end = entry->offsets[1];
  }
  if (end != size) refuse_tensors("bytes at its end belong to no tensor");
}

}  // namespace

NamedArrays parse_safetensors(const Bytes& bytes, const PartWatch& watch) {
  const std::string header = header_of(bytes);
  const std::uint64_t before = length_bytes + header.size();
  const Bytes data = bytes.part(before, bytes.size() - before);
  HeaderReader reader(watch);
  Json::sax_parse(header, &reader);
  NamedArrays file;
  for (const HeaderEntry& entry : reader.entries) file.arrays.push_back(view_of(entry, data));
  check_layout(reader.entries, data.size());
  file.metadata = std::move(reader.metadata);
  if (file.arrays.empty()) refuse_tensors("there is no tensor in it");
  return file;
}

void write_safetensors(const Parameters& parameters, const std::vector<std::pair<std::string, std::string>>& metadata,
                       const std::filesystem::path& path) {
  Json header;
  for (const auto& [key, value] : metadata) header[metadata_key][key] = value;
  std::uint64_t offset = 0;
  for (const Parameter& parameter : parameters) {
    const std::uint64_t end = offset + parameter.tensor.values.size() * sizeof(float);
    header[parameter.name] = {{"dtype", "F32"}, {"shape", parameter.tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = json_text(header);
  text.append((length_bytes - text.size() % length_bytes) % length_bytes, ' ');  // so that the numbers are aligned
  std::string length;
  for (std::size_t i = 0; i < length_bytes; ++i) length += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  FileWriter writer(path);
  writer.write(length + text);
  for (const Parameter& parameter : parameters) {
    const AlignedFloats& values = parameter.tensor.values;
    writer.write({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  }
  writer.commit();
}

}  // namespace attnscope
