#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "files/array_files.h"

namespace attnscope {
namespace {

using Kind = PickleValue::Kind;

constexpr std::uint64_t most_pickle_bytes = std::uint64_t{1} << 24;
constexpr std::size_t most_tensors = 100'000;
constexpr std::size_t most_tensor_axes = 32;
constexpr std::size_t most_nested_dicts = 16;
constexpr std::size_t longest_tensor_name = 1000;
constexpr std::size_t most_metadata = 1000;
constexpr std::string_view pickle_name = "data.pkl";

constexpr std::array<std::pair<std::string_view, NumberType>, 10> storage_types = {{{"Float", NumberType::float32},
                                                                                    {"Half", NumberType::float16},
                                                                                    {"BFloat16", NumberType::bfloat16},
                                                                                    {"Double", NumberType::float64},
                                                                                    {"Char", NumberType::int8},
                                                                                    {"Short", NumberType::int16},
                                                                                    {"Int", NumberType::int32},
                                                                                    {"Long", NumberType::int64},
                                                                                    {"Byte", NumberType::uint8},
                                                                                    {"Bool", NumberType::boolean}}};

struct PthEntry {
  zip_uint64_t index = 0;
  zip_stat_t status = {};
};

class PthReader {
public:
  PthReader(const Bytes& bytes, const PartWatch& watch)
      : archive_(bytes, ".pth checkpoint", watch), watch_(staying_at(0, watch)) {
    for (zip_int64_t i = 0; i < archive_.count(); ++i) {
      const auto index = static_cast<zip_uint64_t>(i);
      const zip_stat_t status = archive_.status(index);
      entries_[status.name] = {index, status};
    }
  }

  NamedArrays read() {
    const auto pickle = std::ranges::find_if(entries_, [](const auto& entry) { return is_pickle(entry.first); });
    if (pickle == entries_.end()) archive_.refuse("there is no data.pkl in it");
    folder_ = pickle->first.substr(0, pickle->first.size() - pickle_name.size());
    const std::string text = text_of(pickle->second);
    budget_ = ReadingBudget::of_file(text.size(), watch_);
    dict_ = parse_pickle(text, budget_);
    if (const auto order = entries_.find(folder_ + "byteorder"); order != entries_.end()) {
      if (text_of(order->second) == "big") order_ = ByteOrder::big;
    }
    add_tensors(dict_.root, "", 0);
    if (file_.arrays.empty()) refuse_without_tensors();
    return std::move(file_);
  }

  static bool is_pickle(std::string_view name) {
    return name.ends_with(pickle_name) && name.find('/') == name.size() - pickle_name.size() - 1;
  }

private:
  const PickleValue& at(std::size_t place) const { return dict_.values[place]; }

  std::string text_of(const PthEntry& entry) const {
    const std::uint64_t size = entry.status.size;
    if (size > most_pickle_bytes) {
      archive_.refuse(fmt::format("{} has {} bytes, and at most {} are read", in_quotes(entry.status.name), size,
                                  most_pickle_bytes));
    }
    return archive_.read(entry.index, {0, size}, size + 1, watch_);
  }

  [[noreturn]] void refuse_without_tensors() const {
    if (dict_.stranger.empty()) archive_.refuse("there is no tensor in it");
    const bool is_output = dict_.stranger.find("modeling_outputs") != std::string::npos;
    refuse_checkpoint(fmt::format(
        "it asks for {}, but nothing that a file names is run: save it again with {}", in_quotes(dict_.stranger),
        is_output ? "torch.save(outputs.attentions, path)" : "torch.save(model.state_dict(), path)"));
  }

  static bool has_parts(Kind kind) { return kind == Kind::dict || kind == Kind::list || kind == Kind::tuple; }

  // Adds the tensors of a dict, a list or a tuple, and of those in it. The places in a list are names: "0", "1".
  void add_tensors(std::size_t place, const std::string& before, std::size_t depth) {
    const PickleValue& value = at(place);
    if (value.kind == Kind::tensor) add_tensor(value, before);
    if (!has_parts(value.kind)) return;
    if (depth == most_nested_dicts) archive_.refuse("its dicts are nested too deeply");
    const std::size_t step = value.kind == Kind::dict ? 2 : 1;
    for (std::size_t i = 0; i < value.items.size(); i += step) {
      const PickleValue& part = at(value.items[i + step - 1]);
      if (step == 2 && ++visited_ > dict_.values.size()) archive_.refuse("dicts in it contain each other");
      if (step == 1 && has_parts(part.kind) && !in_lists_.insert(value.items[i]).second) continue;
      const std::string place_in_list = step == 1 ? fmt::format("{}", i) : "";
      const auto name = [&] {
        return step == 1 ? name_in(before, place_in_list) : name_in(before, at(value.items[i]));
      };
      if (part.kind == Kind::tensor || has_parts(part.kind)) {
        add_tensors(value.items[i + step - 1], name(), depth + 1);
      } else if (step == 2) {
        add_metadata(part, name);
      }
    }
  }

  // Words, whole numbers and truth values say how large a model is.
  template <typename Name>
  void add_metadata(const PickleValue& value, const Name& name) {
    if (file_.metadata.size() == most_metadata) return;
    if (value.kind == Kind::text && value.text.size() <= longest_tensor_name) {
      budget_.work(value.text.size());
      file_.metadata.emplace_back(name(), value.text);
    } else if (value.kind == Kind::whole || value.kind == Kind::boolean) {
      file_.metadata.emplace_back(name(), fmt::format("{}", value.whole));
    }
  }

  std::string name_in(const std::string& before, const PickleValue& key) {
    return name_in(before, key.kind == Kind::whole ? fmt::format("{}", key.whole) : key.text);
  }
  std::string name_in(const std::string& before, const std::string& own) {
    const std::string name = before.empty() ? own : before + "." + own;
    budget_.work(name.size());
    if (name.size() > longest_tensor_name) archive_.refuse("the name of a tensor in it is " + in_quotes(name));
    return name;
  }

  void add_tensor(const PickleValue& tensor, const std::string& name) {
    if (!names_.insert(name).second) archive_.refuse("it has two tensors named " + in_quotes(name));
    if (file_.arrays.size() == most_tensors) archive_.refuse(fmt::format("it has more than {} tensors", most_tensors));
    const PickleValue& storage = at(tensor.items[0]);
    const std::string_view type = tensor.text.empty() ? storage_type(at(storage.items[0]).text) : tensor.text;
    const auto known = std::ranges::find(storage_types, type, &std::pair<std::string_view, NumberType>::first);
    ArrayView& array = file_.arrays.emplace_back();
    array.name = name;
    array.order = order_;
    array.shape = whole_numbers(tensor.items[1], name);
    if (known == storage_types.end()) {
      array.problem = fmt::format("{} is of the type {}, which is not read: convert it by float() before it is saved.",
                                  in_quotes(name), in_quotes(type));
      return;
    }
    array.type = known->second;
    place(array, storage, tensor.whole, whole_numbers(tensor.items[2], name));
  }

  std::vector<Index> whole_numbers(std::size_t tuple, const std::string& name) const {
    std::vector<Index> numbers;
    if (at(tuple).items.size() > most_tensor_axes) archive_.refuse(in_quotes(name) + " has too many axes");
    for (const std::size_t item : at(tuple).items) {
      if (at(item).kind != Kind::whole || at(item).whole < 0)
        archive_.refuse(in_quotes(name) + " has a shape of no numbers");
      numbers.push_back(at(item).whole);
    }
    return numbers;
  }

  // Finds the numbers of a tensor in its storage.
  void place(ArrayView& array, const PickleValue& storage, Index offset, const std::vector<Index>& strides) {
    const std::string shown = in_quotes(array.name);
    const std::uint64_t bytes = claimed_bytes(array.shape, array.type);
    const Bytes& numbers = storage_bytes(storage, array.type, shown);
    if (strides.size() != array.shape.size() || offset < 0)
      archive_.refuse(shown + " has a shape and strides that do not match");
    const std::uint64_t first = static_cast<std::uint64_t>(offset) * byte_size(array.type);
    if (static_cast<std::uint64_t>(offset) > numbers.size() || first > numbers.size() ||
        bytes > numbers.size() - first) {
      archive_.refuse(fmt::format("{} has the shape {} of {} behind {} numbers, but there are {} bytes for it", shown,
                                  shape_text(array.shape), name_of(array.type), offset, numbers.size()));
    }
    array.bytes = numbers.part(first, bytes);
    const bool is_row_major = has_strides(array.shape, strides, false);
    array.is_fortran = !is_row_major && array.shape.size() == 2 && has_strides(array.shape, strides, true);
    if (!is_row_major && !array.is_fortran) {
      array.problem = fmt::format("{} is a part of a larger tensor: call contiguous() before it is saved.", shown);
    }
  }

  // An axis of one place has any stride.
  static bool has_strides(const std::vector<Index>& shape, const std::vector<Index>& strides, bool is_fortran) {
    Index stride = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::size_t axis = is_fortran ? i : shape.size() - 1 - i;
      if (shape[axis] > 1 && strides[axis] != stride) return false;
      stride *= std::max<Index>(1, shape[axis]);
    }
    return true;
  }

  // Storages may have several tensors. Their bytes stay where they are in the file.
  const Bytes& storage_bytes(const PickleValue& storage, NumberType type, const std::string& shown) {
    const std::string name = folder_ + "data/" + storage.text;
    budget_.work(name.size());
    const auto entry = entries_.find(name);
    if (entry == entries_.end()) archive_.refuse(fmt::format("it lacks {}, the numbers of {}", in_quotes(name), shown));
    const zip_stat_t& status = entry->second.status;
    const std::vector<Index> count = {storage.whole};
    if (claimed_bytes(count, type) != status.size) {
      archive_.refuse(fmt::format("{} numbers of {} are announced for {}, but {} has {} bytes", storage.whole,
                                  name_of(type), shown, in_quotes(name), status.size));
    }
    const auto [known, is_new] = storages_.try_emplace(name, std::string_view(""));
    if (!is_new || status.size == 0) return known->second;
    if (status.comp_method != ZIP_CM_STORE || status.comp_size != status.size) {
      archive_.refuse(fmt::format("{} is compressed, which torch.save does not do", in_quotes(name)));
    }
    const std::string beginning = archive_.read(entry->second.index, {0, 1}, 1);
    known->second = archive_.place_of_last(status.size, beginning);
    if (!known->second.is_there()) archive_.refuse(in_quotes(name) + " is not where the archive says");
    return known->second;
  }

  ZipArchive archive_;
  PartWatch watch_;
  std::map<std::string, PthEntry, std::less<>> entries_;
  std::string folder_;  // of the archive: all names begin with it
  ByteOrder order_ = ByteOrder::little;
  ReadingBudget budget_ = ReadingBudget::of_file(0);  // for the pickle and what is in it
  StateDict dict_;
  std::map<std::string, Bytes> storages_;
  std::set<std::string> names_;
  std::set<std::size_t> in_lists_;  // dicts, lists and tuples, each of which is looked at once
  std::size_t visited_ = 0;
  NamedArrays file_;
};

}  // namespace

bool holds_pth(const Bytes& bytes, const PartWatch& watch) {
  const ZipArchive archive(bytes, ".npz archive", staying_at(0, watch));
  for (zip_int64_t i = 0; i < archive.count(); ++i) {
    if (PthReader::is_pickle(archive.status(static_cast<zip_uint64_t>(i)).name)) return true;
  }
  return false;
}

NamedArrays parse_pth(const Bytes& bytes, const PartWatch& watch) {
  constexpr std::uint64_t longest_beginning = 2;
  const std::string beginning = bytes.copy(0, longest_beginning);
  if (beginning.starts_with('\x80')) {
    refuse_checkpoint(
        "it has the form of PyTorch before 1.6: load it with torch.load, and save it again with torch.save");
  }
  return PthReader(bytes, watch).read();
}

}  // namespace attnscope
