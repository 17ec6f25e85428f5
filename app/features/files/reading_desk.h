#pragma once

#include <optional>

#include "compute/background.h"
#include "features/shared/switchboard.h"

namespace attnscope {

// Opens documents, pictures that carry them and files of arrays. Files that are large, or whose numbers have to be
// unpacked, are read in the background, all others at once.
class ReadingDesk {
public:
  // `reading` says what is read and how far that has come; `arrays` is the file of arrays that was opened last.
  ReadingDesk(const Neighbours& neighbours, std::string& reading, std::filesystem::path& arrays,
              const std::function<void()>& wake)
      : to_(neighbours), shown_reading_(reading), shown_arrays_(arrays), reader_(read_in_background, wake) {}

  void apply(const NewDocument& command);
  void apply(const OpenBuiltin& command);
  void apply(const OpenFile& command);
  void apply(const OpenArrays& command);
  void apply(const StopReading&);

  // A file that cannot be read becomes a message and changes nothing.
  void open_file(const std::filesystem::path& path);
  void import_file(const std::filesystem::path& path) { open_arrays(path, std::nullopt); }

  // `take` gets what was read, now or when poll() finds it there. Both may throw Error.
  void read(const std::filesystem::path& path, bool is_slow, Switchboard::Read read, Switchboard::Take take);
  // Reads a file that takes the place of what is looked at.
  void read_to_show(const std::filesystem::path& path, bool is_slow, Switchboard::Read read);
  void stop();
  bool poll();  // whether something has come
  void wait() { reader_.wait(); }
  void follow();  // updates the text that says how far it has come

private:
  struct Reading {
    std::filesystem::path path;
    Switchboard::Take take;
    std::shared_ptr<const ReadingProgress> progress;
  };

  void open_lessons(const std::filesystem::path& path);
  void open_arrays(const std::filesystem::path& path, std::optional<OpenArrays::As> as,
                   std::shared_ptr<const NamedArrays> file = {});
  void take_import(ImportedArrays imported, const std::filesystem::path& path);
  void show_loaded(Loaded loaded, const std::filesystem::path& path);
  bool take_token_file(const std::filesystem::path& path);  // whether it is one
  void refuse_file(const std::filesystem::path& path, const std::string& sentence);

  Neighbours to_;
  std::string& shown_reading_;
  std::filesystem::path& shown_arrays_;
  std::optional<Reading> reading_;  // under way
  Background<ReadingJob, ReadingOutcome> reader_;
};

}  // namespace attnscope
