#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "document/imported_document.h"
#include "files/document_file.h"
#include "platform/system/file.h"
#include "session/ui_state.h"

namespace attnscope {

// Keeps unsaved changes in a file of this program's own, so that a crash loses a second of work. A lock beside the
// file says that its program runs; one that nobody holds was left by a program that did not end as it should.
class Autosave {
public:
  // Seconds that a change waits for further ones, and that it waits at most while they go on.
  static constexpr double quiet = 0.5;
  static constexpr double longest = 5;

  Autosave() = default;  // keeps nothing
  // `process` names the file. Throws Error when the folder cannot be used.
  Autosave(std::filesystem::path folder, int process);
  Autosave(Autosave&&) = default;
  Autosave& operator=(Autosave&&) = default;
  ~Autosave() = default;  // what is kept stays: only forget() says that nothing was lost

  // To be called now and then, at `now` seconds: writes in the background what has waited long enough, and removes what
  // was written once it is saved elsewhere. `document` is asked for when it is written; `edition` changes with it.
  // Returns the sentence of a failure.
  std::optional<std::string> update(const std::function<AnyDocument()>& document, std::uint64_t edition,
                                    bool is_modified, const std::filesystem::path& file, double now);
  double seconds_to_update(double now) const;  // negative for never
  // Saves before it returns, for a program that is made to end.
  std::string update_now(const AnyDocument& document, const std::filesystem::path& file);
  void forget();  // the program ends, and nothing is unsaved

  // Returns the documents of programs that ended without saving, newest first. Each is this program's from now on:
  // others do not see it.
  std::vector<LostDocument> find_lost();
  // Reads the document. Throws Error.
  static AnyDocument read(const LostDocument& lost, const PartWatch& watch = {});
  // Makes this program the one that keeps it. Throws Error, and then it stays where it is.
  void take_over(const LostDocument& lost);
  void discard(const LostDocument& lost);

private:
  struct Claim {
    std::filesystem::path kept_in;
    FileLock lock;
  };

  bool is_on() const { return lock_.is_held(); }
  void claim(const std::filesystem::path& kept_in, std::vector<LostDocument>& lost);
  void release(const std::filesystem::path& kept_in);
  std::optional<std::string> finish_writing();

  std::filesystem::path folder_;
  std::filesystem::path kept_in_;  // this program's own file
  FileLock lock_;
  std::vector<Claim> claims_;
  bool is_kept_ = false;               // `kept_in_` is there
  std::uint64_t kept_edition_ = 0;     // the edition in the file or on its way
  std::uint64_t changed_edition_ = 0;  // the edition that `due_` counts from
  std::optional<double> first_due_;    // when the first of these changes must be written
  std::optional<double> due_;          // when the next writing begins
  std::future<std::string> writing_;   // empty text: it went well
};

}  // namespace attnscope
