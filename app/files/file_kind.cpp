#include "files/file_kind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <utility>

#include "core/text.h"
#include "document/file_formats.h"
#include "document/spelling.h"
#include "files/array_files.h"
#include "files/checkpoint.h"
#include "files/import.h"
#include "files/picture_document.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr std::uint64_t beginning_bytes = 4096;  // that are looked at first

// The first bytes of a file, its size and its name.
struct Look {
  std::string_view bytes;
  std::uint64_t size = 0;
  std::string name;    // in small letters
  std::string ending;  // ".bin"

  bool begins(std::string_view with) const { return bytes.starts_with(with); }
  bool has(std::string_view at_place, std::size_t place) const {
    return bytes.size() >= place + at_place.size() && bytes.substr(place, at_place.size()) == at_place;
  }
  std::int64_t number(std::size_t index) const {  // the 32-bit number at this index
    std::int32_t number = 0;
    if (bytes.size() >= (index + 1) * sizeof number)
      std::memcpy(&number, bytes.data() + index * sizeof number, sizeof number);
    return number;
  }
};

// "  <!DOCTYPE html>": in letters of any size, behind blanks.
bool is_web_page(const Look& look) {
  const std::size_t first = std::min(look.bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), look.bytes.size());
  const std::string begins = lower_case(look.bytes.substr(first, 200));
  return begins.starts_with("<!doctype html") || begins.starts_with("<html") || begins.starts_with("<head");
}

// A header of seven numbers: dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab_size, seq_len.
bool is_of_llama2c(const Look& look) {
  if (look.begins("24ka") || look.begins("ak42")) return true;
  if (look.ending != ".bin" || look.size < 28) return false;
  const auto is_within = [&](std::size_t index, std::int64_t most) {
    const std::int64_t number = std::abs(look.number(index));
    return number >= 1 && number <= most;
  };
  return is_within(0, 1 << 16) && is_within(1, 1 << 18) && is_within(2, 1 << 10) && is_within(3, 1 << 10) &&
         is_within(4, 1 << 10) && is_within(5, 1 << 20) && is_within(6, 1 << 22) &&
         look.number(0) % look.number(3) == 0 && look.number(3) % look.number(4) == 0;
}

// A message of protobuf that begins with ir_version, and then names its producer, its graph or its opsets.
bool is_onnx(const Look& look) {
  if (look.ending == ".onnx") return true;
  constexpr int latest_version = 32;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(look.bytes[at]); };
  return look.bytes.size() > 3 && byte(0) == 0x08 && byte(1) >= 1 && byte(1) <= latest_version &&
         (byte(2) == 0x12 || byte(2) == 0x1A || byte(2) == 0x22 || byte(2) == 0x3A || byte(2) == 0x42);
}

bool is_bare_pickle(const Look& look) {
  constexpr std::string_view old_torch = "\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19";
  return look.bytes.size() > 2 && look.bytes[0] == '\x80' && look.bytes[1] >= 2 && look.bytes[1] <= 5 &&
         !look.has(old_torch, 2);
}

bool is_of_tensorflow(const Look& look) {
  return look.ending == ".pb" || look.begins("model_checkpoint_path:") || look.has("TFL3", 4) ||
         look.name.find(".data-0000") != std::string::npos ||
         (look.ending == ".index" && look.name.find("ckpt") != std::string::npos);
}

constexpr std::string_view as_safetensors =
    "convert it with the tools of its format to a folder with config.json and model.safetensors, and open that folder";
constexpr std::string_view of_torch = "load it with torch.load, and save its state dict with torch.save";
constexpr std::string_view to_unpack = "unpack it, and open the file in it";
constexpr std::string_view as_csv = "save the table as .csv";
constexpr std::string_view as_npz = "load it in Python, and save its arrays with numpy.savez";

// A format that is not read, how it is recognized, and what to do with such a file.
struct Foreign {
  bool (*is)(const Look& look);
  std::string_view what;  // stands behind "This is "
  std::string_view advice;
};

// Formats of other programs, in the order in which they are tried: first bytes are surer than an ending.
constexpr Foreign foreign_formats[] = {
    {[](const Look& l) { return l.size == 0; }, "an empty file", "download or save it again"},
    {[](const Look& l) { return l.begins("version https://git-lfs.github.com/spec/"); },
     "a pointer of Git LFS in place of the file, which was not downloaded",
     "run git lfs pull in its folder, or download the file itself"},
    {is_web_page, "a web page that was saved in place of the file", "download the file itself"},
    {[](const Look& l) { return l.begins("GGUF"); }, "a model in the format GGUF of llama.cpp", as_safetensors},
    {[](const Look& l) { return l.begins("lmgg") || l.begins("fmgg") || l.begins("tjgg") || l.begins("algg"); },
     "a model in the format GGML of llama.cpp", as_safetensors},
    {[](const Look& l) { return l.begins("\x89HDF\r\n\x1a\n"); }, "a file of HDF5, as Keras and h5py write it", as_npz},
    {[](const Look& l) { return l.begins("MATLAB "); }, "a file of MATLAB", as_npz},
    {[](const Look& l) { return l.begins("PAR1"); }, "a table of Parquet", as_csv},
    {[](const Look& l) { return l.begins("ARROW1") || l.begins("FEA1"); }, "a table of Arrow", as_csv},
    {[](const Look& l) { return l.begins("SQLite format 3"); }, "a database of SQLite", as_csv},
    {[](const Look& l) { return l.begins("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"); }, "a file of Microsoft Office", as_csv},
    {[](const Look& l) { return l.number(0) == 20240326 || l.number(0) == 20240520; },
     "a file of llm.c, whose .bin is not read", "open the folder of Hugging Face's GPT-2, which has the same numbers"},
    {is_of_llama2c, "a model of llama2.c, whose .bin is not read",
     "open the .pt that its training writes, or a folder of Hugging Face's tools"},
    {is_onnx, "a model in the format ONNX", "open the PyTorch model from which it was exported"},
    {is_of_tensorflow, "a file of TensorFlow",
     "load it with Hugging Face's tools (from_tf=True), save it with save_pretrained, and open that folder"},
    {[](const Look& l) { return l.ending == ".msgpack"; }, "a model of Flax",
     "load it with Hugging Face's tools (from_flax=True), save it with save_pretrained, and open that folder"},
    {is_bare_pickle, "a pickle of Python that torch.save did not write",
     "load it in Python, and save its arrays with numpy.savez, or a state dict with torch.save"},
    {[](const Look& l) { return l.begins("\x1F\x8B"); }, "a gzip file", to_unpack},
    {[](const Look& l) { return l.begins("BZh"); }, "a bzip2 file", to_unpack},
    {[](const Look& l) {
       return l.begins(
           "\xFD"
           "7zXZ");
     },
     "an xz file", to_unpack},
    {[](const Look& l) { return l.begins("\x28\xB5\x2F\xFD"); }, "a zstd file", to_unpack},
    {[](const Look& l) { return l.begins("7z\xBC\xAF\x27\x1C"); }, "a 7z archive", to_unpack},
    {[](const Look& l) { return l.begins("Rar!"); }, "a RAR archive", to_unpack},
    {[](const Look& l) { return l.has("ustar", 257); }, "a tar archive", to_unpack},
    {[](const Look& l) { return l.ending == ".ipynb"; }, "a Jupyter notebook",
     "run it, and open the arrays or the state dict that it saves"},
    {[](const Look& l) { return l.ending == ".py"; }, "a Python script",
     "run it, and open the arrays or the state dict that it saves"},
    {[](const Look& l) {
       return l.begins(
           "\x7F"
           "ELF");
     },
     "a program", "open a document, a picture, arrays or a model"},
};

// Pictures that people may try, because a program made them out of one of ours.
constexpr std::pair<std::string_view, std::string_view> strangers[] = {
    {"\xFF\xD8\xFF", "JPEG"}, {"RIFF", "WebP"}, {"II*", "TIFF"},
    {"MM\0*"sv, "TIFF"},      {"BM", "BMP"},    {"%!PS", "PostScript"}};

std::optional<std::string> foreign_picture(const Look& look) {
  for (const auto& [beginning, name] : strangers) {
    if (!look.begins(beginning) || (name == "BMP" && look.ending != ".bmp")) continue;
    return fmt::format("This is a {} file, which carries no document: open the {} that attnscope wrote.", name,
                       listed(&PictureFormat::name, [](const PictureFormat& format) { return format.reopens; }));
  }
  return {};
}

std::optional<std::string> foreign_format(const Look& look) {
  if (std::optional<std::string> picture = foreign_picture(look)) return picture;
  const auto* const found = std::ranges::find_if(foreign_formats, [&](const Foreign& each) { return each.is(look); });
  if (found == std::end(foreign_formats)) return {};
  return fmt::format("This is {}: {}.", found->what, found->advice);
}

Look look_at(const std::string& beginning, std::uint64_t size, const fs::path& path) {
  return {beginning, size, lower_case(path.filename().string()), lower_ending(path)};
}

// Returns what an archive is that has neither arrays nor a state dict in it, or is not whole, and what to do.
std::optional<std::string> foreign_archive(const Bytes& bytes, const PartWatch& watch) {
  bool has_arrays = false;
  bool is_workbook = false;
  bool is_script = false;
  try {
    const ZipArchive archive(bytes, "archive", staying_at(0, watch));
    for (zip_int64_t i = 0; i < archive.count(); ++i) {
      const std::string_view name = archive.status(static_cast<zip_uint64_t>(i)).name;
      has_arrays = has_arrays || name.ends_with(".npy") || name.ends_with("data.pkl");
      is_workbook = is_workbook || name == "xl/workbook.xml" || name == "content.xml";
      is_script = is_script || name.ends_with("/constants.pkl");
    }
  } catch (const Error&) {
    return "This begins as .npz and .pth do, but it was cut short or damaged: download or save it again.";
  }
  if (is_script)
    return "This is a module of TorchScript: save the state dict of the model with torch.save(model.state_dict(), "
           "path).";
  if (has_arrays) return {};
  if (is_workbook) return fmt::format("This is a workbook of a spreadsheet: {}.", as_csv);
  return fmt::format("This is an archive without arrays and without a state dict: {}.", to_unpack);
}

// Returns the sentence about bytes that are not read. Those of `format` are, unless they are an archive of other
// things.
std::optional<std::string> foreign(const Look& look, const ArrayFormat* format, const Bytes& bytes,
                                   const PartWatch& watch) {
  if (!format) return foreign_format(look);
  return format->kind == ArrayKind::npz ? foreign_archive(bytes, watch) : std::nullopt;
}

// Returns the kind that the name promises. If the content is something else, the reader of this kind says so.
FileKind::What kind_by_name(const fs::path& path) {
  const ArrayFormat* const format = array_format_by_ending(path);
  if (!format) return FileKind::What::document;
  const bool is_of_model = format->is_checkpoint && has_config(path.parent_path());
  return is_of_model ? FileKind::What::model : FileKind::What::arrays;
}

// Returns whether the names in a checkpoint are those of a whole model, or of a model that a config.json describes.
bool is_of_model(const fs::path& path, const PartWatch& watch) {
  std::error_code none;
  const bool has_config = fs::exists(path.parent_path() / "config.json", none);
  const NamedArrays arrays = read_arrays(path, watch);
  return holds_model(arrays) || (has_config && holds_parameters(arrays));
}

FileKind kind_of_folder(const fs::path& folder) {
  using What = FileKind::What;
  std::error_code none;
  if (has_config(folder)) return {What::model};
  if (fs::exists(folder / "saved_model.pb", none)) {
    return {What::model,
            "This is a SavedModel of TensorFlow: load it with Hugging Face's tools (from_tf=True), save it with "
            "save_pretrained, and open that folder."};
  }
  if (fs::exists(folder / "adapter_config.json", none)) {
    return {What::model,
            "This is an adapter, which changes another model: merge both with merge_and_unload(), save the result with "
            "save_pretrained, and open that folder."};
  }
  const fs::path checkpoint = checkpoint_in(folder);
  if (checkpoint.empty()) return {};
  const bool is_index = checkpoint.extension() == ".json";
  const FileKind kind = is_index ? FileKind{What::model} : kind_of_file(checkpoint);
  return kind.what == What::model || !kind.refusal.empty() ? kind : FileKind{};
}

FileKind kind_of_bytes(const fs::path& path, const Bytes& bytes, const PartWatch& watch) {
  using What = FileKind::What;
  const std::string beginning = bytes.copy(0, beginning_bytes);
  const Look look = look_at(beginning, bytes.size(), path);
  const ArrayFormat* const format = array_format_by_bytes(beginning);
  if (std::optional<std::string> refusal = foreign(look, format, bytes, watch))
    return {What::document, std::move(*refusal)};
  if (format) return {is_of_model(path, watch) ? What::model : What::arrays};
  if (look.name == "config.json" && !checkpoint_in(path.parent_path()).empty()) return {What::model};
  if (look.name == "config.json" &&
      (beginning.find("\"model_type\"") != std::string::npos || beginning.find("\"emb_dim\"") != std::string::npos)) {
    return {What::model,
            "This describes a model whose weights are missing: put model.safetensors or model.pth beside it."};
  }
  if (picture_kind(beginning)) return {};
  if (is_text_table(path) && is_table_of_numbers(beginning)) return {What::arrays};
  return {kind_by_name(path)};
}

}  // namespace

bool is_table_of_numbers(std::string_view beginning) {
  constexpr std::size_t enough_lines = 3;
  std::size_t lines = 0;
  while (!beginning.empty() && lines < enough_lines) {
    const std::size_t end = std::min(beginning.find('\n'), beginning.size());
    const bool is_whole = end < beginning.size() || lines == 0;
    std::string_view line = trimmed(beginning.substr(0, end));
    beginning.remove_prefix(std::min(end + 1, beginning.size()));
    if (line.empty() || line.starts_with('#') || !is_whole) continue;
    std::size_t numbers = 0;
    while (!line.empty()) {
      const std::size_t width = std::min(line.find_first_of(" \t,;"), line.size());
      if (width > 0 && !read_float(line.substr(0, width))) return false;
      numbers += width > 0 ? 1 : 0;
      line.remove_prefix(std::min(width + 1, line.size()));
    }
    if (numbers < 2) return false;
    ++lines;
  }
  return lines > 0;
}

void refuse_foreign(const Bytes& bytes, const fs::path& name) {
  const std::string beginning = bytes.copy(0, beginning_bytes);
  const Look look = look_at(beginning, bytes.size(), name);
  if (const auto refusal = foreign(look, array_format_by_bytes(beginning), bytes, {})) throw Error(*refusal);
}

FileKind kind_of_file(const fs::path& path, const PartWatch& watch) {
  std::error_code none;
  if (path == "-" || is_example(path.string())) return {};
  if (names_heads(path.string())) return {FileKind::What::model};
  if (fs::is_directory(path, none)) return kind_of_folder(path);
  if (!fs::is_regular_file(path, none)) return {};
  try {
    return kind_of_bytes(path, Bytes(std::make_shared<const ReadableFile>(path)), watch);
  } catch (const Error&) {  // its reader will say the same
    return {kind_by_name(path)};
  }
}

FileKind::What checked_kind_of_file(const fs::path& path, const PartWatch& watch) {
  const FileKind kind = kind_of_file(path, watch);
  if (!kind.refusal.empty()) throw Error(with_path(path, kind.refusal));
  return kind.what;
}

}  // namespace attnscope
