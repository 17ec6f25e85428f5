#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "features/shared/viewed_attention.h"
#include "interchange/document_file.h"
#include "state/command.h"

// Reads large files in the background, while what was shown stays.
namespace attnscope {

// How far a reading has come; written by one thread and read by another.
class ReadingProgress {
public:
  explicit ReadingProgress(std::string name) : name_(std::move(name)) {}
  void set(const std::string& array, float part);
  std::string text() const;  // "Reading attention.npz: attn.11, 43 %"

private:
  const std::string name_;
  mutable std::mutex mutex_;
  std::string array_;
  int percent_ = -1;  // not known yet
};

// A document with arrays of another program in it.
struct ImportedArrays {
  Document document;
  std::shared_ptr<const NamedArrays> file;
  bool is_weights = false;  // else embeddings
};
using Loaded = std::variant<LoadedAttention, ImportedArrays, LoadedDocument>;

// Whether to read a file takes so long that nobody should wait for it, whatever it holds.
// Opens a trained model; and whether a document names one, so that it may take a while to open.
Loaded load_model(const std::filesystem::path& path, const UnpackWatch& watch);
bool names_model(const std::filesystem::path& document);
bool is_large_file(const std::filesystem::path& path);
// The arrays of a file that is not large, else null. Throws Error.
std::shared_ptr<const NamedArrays> opened_if_small(const std::filesystem::path& path);
// Whether to read more of what was opened so far, or not at all, takes so long.
bool is_slow(const std::shared_ptr<const NamedArrays>& file);

// Names and shapes decide what arrays are, unless `as` says it. `file` is null where it was not opened yet. Embeddings
// and weights are put into `base`. Throws Error.
Loaded load_arrays(const std::filesystem::path& path, std::shared_ptr<const NamedArrays> file,
                   std::optional<OpenArrays::As> as, const Document& base, const UnpackWatch& watch);

// A document, or attention that was saved in `path`. Throws Error.
Loaded load_document_of_either_kind(const std::filesystem::path& path, const UnpackWatch& watch);

struct ReadingJob {
  std::function<Loaded(const UnpackWatch&)> read;  // may throw Error
  std::shared_ptr<ReadingProgress> progress;
};
struct ReadingOutcome {
  Loaded loaded;
  std::string error;  // why nothing is; else empty
};
// Throws Cancelled.
ReadingOutcome read_in_background(const ReadingJob& job, const std::stop_token& stop);

}  // namespace attnscope
