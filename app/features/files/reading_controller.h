#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "compute/background.h"
#include "features/shared/app_services.h"
#include "files/document_file.h"
#include "teach/lesson.h"

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
  int percent_ = -1;  // -1: not known yet. It never falls while one array is read.
};

enum class ArraysAs { attention, scores, shares, inputs };

// Returns what a file is looked at as.
inline ArraysAs arrays_as(const ImportedView& viewing) {
  return viewing.numbers == NumbersAs::scores   ? ArraysAs::scores
         : viewing.numbers == NumbersAs::shares ? ArraysAs::shares
                                                : ArraysAs::attention;
}

// The item of a menu that reads arrays as these.
struct ArraysItem {
  ArraysAs as;
  const char* id;
  const char* label;
};
inline constexpr ArraysItem arrays_items[] = {{ArraysAs::attention, "attention", "Attention to look at"},
                                              {ArraysAs::scores, "scores", "Attention: its rows are scores"},
                                              {ArraysAs::shares, "shares", "Attention: each row divided by its sum"},
                                              {ArraysAs::inputs, "inputs", "Embeddings or weights to compute with"}};

// A file to read, and what the session shows: that decides what the file can be opened as.
struct FileToLoad {
  std::filesystem::path path;
  std::shared_ptr<const NamedArrays> file = {};  // the file if it was opened before, else null
  std::optional<ArraysAs> as = {};               // says what arrays are; none: their names and shapes decide
  Document base = {};                            // the document that embeddings and weights are put into
  std::optional<Index> tokens = {};              // tokens, or keys, that a .txt can name; none: it cannot
  Index queries = 0;                             // queries that a .txt can name
  ImportChoice choice = {};                      // what the user chose of embeddings and weights
};
// Throws Error.
Loaded load_file(const FileToLoad& wanted, const UnpackWatch& watch);

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

// Opens documents, pictures that carry them, trained models, lessons and files of arrays. All are read in the
// background, because nobody knows how long a file takes before it is read.
class ReadingController {
public:
  // `reading` says what is read and how far that has come; `arrays` is the file of arrays that was opened last.
  ReadingController(const AppServices& services, DocumentEditor& documents, SubjectDisplay& display,
                    UnsavedChanges& unsaved, LessonOpener& lessons, std::string& reading, std::filesystem::path& arrays,
                    const std::function<void()>& wake)
      : to_(services),
        documents_(documents),
        display_(display),
        unsaved_(unsaved),
        lessons_(lessons),
        shown_reading_(reading),
        shown_arrays_(arrays),
        reader_(read_in_background, wake) {}

  void new_document();
  void open_example(const std::string& id);
  // Opens the trained model that comes with the program, reading this text. Undo leads back.
  void read_by_model(const std::string& text);
  // Opens a file, and asks about unsaved changes before a long reading begins.
  void open(const std::filesystem::path& path);
  // Opens a file again with the answer to what it left open.
  void open_with(FileToLoad wanted, ChoiceNeeded::Of asked, const std::string& answer);
  // Opens arrays as what the user says they are.
  void open_arrays(const std::filesystem::path& path, ArraysAs as);
  // Stops the reading that is under way, and says so.
  void stop_and_say();

  // A file that cannot be read becomes a message and changes nothing.
  void open_without_asking(const std::filesystem::path& path) { load({.path = path}); }
  // Shows what was read of a file.
  void take(Loaded loaded, const std::filesystem::path& path);

  // `take` gets what was read when poll() finds it there. Both may throw Error.
  void read(const std::filesystem::path& path, FileReader::Read read, FileReader::Take take);
  void stop();
  bool poll();  // whether something has come
  bool is_busy() const { return reader_.is_busy(); }
  void wait() { reader_.wait(); }
  void follow();  // updates the text that says how far it has come

private:
  struct Reading {
    std::filesystem::path path;
    FileReader::Take take;
    std::shared_ptr<const ReadingProgress> progress;
  };

  void load(FileToLoad wanted);
  void ask(const OpenQuestion& question, const FileToLoad& wanted);
  void take_import(ImportedArrays imported, const std::filesystem::path& path);
  void take_tokens(const LoadedTokens& loaded, const std::filesystem::path& path);
  void show_document(LoadedDocument loaded, const std::filesystem::path& path);
  void refuse_file(const std::filesystem::path& path, const std::string& sentence);
  void close_open_dialog();

  AppServices to_;
  DocumentEditor& documents_;
  SubjectDisplay& display_;
  UnsavedChanges& unsaved_;
  LessonOpener& lessons_;
  std::string& shown_reading_;
  std::filesystem::path& shown_arrays_;
  std::optional<Reading> reading_;  // under way
  Background<ReadingJob, ReadingOutcome> reader_;
};

}  // namespace attnscope
