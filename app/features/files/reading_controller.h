#pragma once

#include <optional>

#include "compute/background.h"
#include "features/shared/app_services.h"

namespace attnscope {

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
