#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "features/shared/imported_file.h"
#include "files/document_file.h"
#include "files/import.h"
#include "teach/lesson.h"

// Reads files in the background, while what was shown stays.
namespace attnscope {

// The progress of a reading, written by one thread and read by another.
class ReadingProgress {
public:
  explicit ReadingProgress(std::string name) : name_(std::move(name)) {}
  void set(const std::string& array, float part);
  std::string text() const;  // "Reading attention.npz: attn.11, 43 %"

private:
  const std::string name_;
  mutable std::mutex mutex_;
  std::string array_;
  int percent_ = -1;  // not known yet; it never falls while one array is read
};

// A document with arrays of another program in it.
struct ImportedArrays {
  Document document;
  std::shared_ptr<const NamedArrays> file;
  bool is_weights = false;  // false: embeddings
  std::string note = {};    // a sentence to be said about it; mostly empty
};
// The lessons of a file or of a folder, which has at least one.
struct LoadedLessons {
  std::vector<std::shared_ptr<const Lesson>> lessons;
};
struct LoadedTokens {
  std::vector<std::string> names;
};
// Unsaved changes that a crash left behind, and what stands in the file that they belong to.
struct LoadedChanges {
  std::variant<LoadedDocument, LoadedAttention> changed;
  LoadedFile saved;
};
// What a file leaves open, to be asked.
using OpenQuestion = ChoiceNeeded;
using Loaded = std::variant<std::monostate, LoadedAttention, ImportedArrays, LoadedDocument, LoadedLessons,
                            LoadedTokens, LoadedChanges, OpenQuestion>;

enum class ArraysAs { attention, inputs };

// A file to read, and what the session shows: that decides what the file can be opened as.
struct FileToLoad {
  std::filesystem::path path;
  std::shared_ptr<const NamedArrays> file = {};  // the file if it was opened before, else null
  std::optional<ArraysAs> as = {};               // what arrays are; else names and shapes decide
  Document base = {};                            // the document that embeddings and weights are put into
  std::optional<Index> tokens = {};              // tokens that a .txt can name; none: it cannot
  ImportChoice choice = {};                      // what the user chose of embeddings and weights
};
// Each of these throws Error.
Loaded load_file(const FileToLoad& wanted, const UnpackWatch& watch);
Loaded load_arrays(const FileToLoad& wanted, const UnpackWatch& watch);

// A document or lessons, if they are small and name no other file, so that they are read before anybody looks; nothing
// for every other file, which may have faults then. Throws Error.
Loaded load_quickly(const std::filesystem::path& path);
// Returns whether a file is so large that reading it takes a while.
bool is_large_file(const std::filesystem::path& path);
// Returns whether more of an open file has to be unpacked, which takes a while, too; `file` may be null.
bool is_slow(const std::shared_ptr<const NamedArrays>& file);

struct ReadingJob {
  std::function<Loaded(const UnpackWatch&)> read;  // may throw Error
  std::shared_ptr<ReadingProgress> progress;
};
struct ReadingOutcome {
  Loaded loaded;
  std::string error;  // why nothing was loaded; else empty
};
// Throws Cancelled.
ReadingOutcome read_in_background(const ReadingJob& job, const std::stop_token& stop);

}  // namespace attnscope
