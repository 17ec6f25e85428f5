#include "features/files/file_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "document/json.h"
#include "document/json_value.h"
#include "files/checkpoint.h"
#include "platform/system/process.h"
#include "teach/lesson.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr double writing_seconds = 0.05;  // between looks at whether it is written
constexpr int max_places = 100;
constexpr std::size_t max_heading_bytes = 1 << 16;

fs::path lock_of(fs::path kept_in) { return kept_in.replace_extension(".lock"); }

constexpr const char* of_document = "autosave_of";
constexpr const char* of_lesson = "autosave_of_lesson";

// The file is a line that says where the document belongs, and then the document itself: by hand, too, it can be saved.
std::string heading(const fs::path& file, const char* key) {
  const std::string path = file.empty() ? "" : absolute_path(file).string();
  return fmt::format("{{\"{}\":{}}}\n", key, json_string(find_invalid_utf8(path) ? "" : path));
}

void read_heading(LostDocument& lost, const std::string& line) {
  try {
    const JsonText json(line, "It");
    const JsonValue root = json.root();
    if (!root.is_object()) return;
    lost.is_lesson = root.has(of_lesson);
    lost.file = root.needed(lost.is_lesson ? of_lesson : of_document).text();
  } catch (const Error&) {  // it is offered without the name of its file
  }
}

// Returns the first line of a file; empty if it cannot be read.
std::string first_line(const fs::path& path) {
  std::string line;
  try {
    const ReadableFile file(path);
    line.resize(std::min<std::uint64_t>(max_heading_bytes, file.size()));
    if (!file.read(line, 0)) line.clear();
  } catch (const Error&) {
  }
  return line.substr(0, line.find('\n'));
}

// Writes a copy in the background. Returns why it could not be written; empty if it could.
std::string write_copy(const fs::path& kept_in, const fs::path& file, const Unsaved& unsaved) {
  try {
    const auto* const lesson = std::get_if<std::shared_ptr<const Lesson>>(&unsaved);
    write_file(kept_in, lesson ? heading(file, of_lesson) + lesson_to_json(**lesson)
                               : heading(file, of_document) +
                                     to_json(std::get<AnyDocument>(unsaved), {}, ModelSha256::if_known));
    return "";
  } catch (const std::exception& error) {
    return fmt::format("A crash would lose the unsaved changes. {}", error.what());
  }
}

}  // namespace

Autosave::Autosave(fs::path folder, int process) : folder_(std::move(folder)) {
  std::error_code problem;
  fs::create_directories(folder_, problem);
  // A program that is gone may have had this number: what it left is not to be written over.
  for (int place = 1; place <= max_places && !lock_.is_held(); ++place) {
    const std::string name = place == 1 ? fmt::format("{}.json", process) : fmt::format("{}-{}.json", process, place);
    kept_in_ = folder_ / name;
    FileLock lock(lock_of(kept_in_));
    if (lock.is_held() && !fs::exists(kept_in_, problem)) lock_ = std::move(lock);
  }
  if (is_on()) return;
  throw Error(fmt::format("A crash would lose unsaved changes: nothing can be kept in {}.", shown_path(folder_)));
}

std::optional<std::string> Autosave::finish_writing() {
  const std::string problem = writing_.get();
  is_kept_ = problem.empty() || is_kept_;
  if (problem.empty()) return {};
  return problem;
}

std::optional<std::string> Autosave::update(const std::function<Unsaved()>& document, std::uint64_t edition,
                                            bool is_modified, const fs::path& file, double now) {
  if (!is_on()) return {};
  std::optional<std::string> problem;
  if (writing_.valid()) {
    if (writing_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout) return {};
    problem = finish_writing();
  }
  if (!is_modified) {
    first_due_.reset();
    due_.reset();
    kept_edition_ = 0;
    std::error_code ignored;
    if (std::exchange(is_kept_, false)) fs::remove(kept_in_, ignored);
  } else if (edition == kept_edition_) {
    first_due_.reset();
    due_.reset();
  } else if (!due_ || edition != changed_edition_) {
    changed_edition_ = edition;
    if (!first_due_) first_due_ = now + longest;
    due_ = std::min(now + quiet, *first_due_);
  }
  if (due_ && now >= *due_) {
    first_due_.reset();
    due_.reset();
    kept_edition_ = edition;
    writing_ = std::async(in_background, write_copy, kept_in_, file, document());
  }
  return problem;
}

std::string Autosave::update_now(const Unsaved& document, const fs::path& file) {
  if (!is_on()) return "";
  if (writing_.valid()) finish_writing();
  std::string problem = write_copy(kept_in_, file, document);
  is_kept_ = problem.empty() || is_kept_;
  return problem;
}

double Autosave::seconds_to_update(double now) const {
  if (writing_.valid()) return writing_seconds;
  return due_ ? std::max(0.0, *due_ - now) : -1;
}

void Autosave::forget() {
  if (!is_on()) return;
  if (writing_.valid()) finish_writing();
  std::error_code ignored;
  fs::remove(kept_in_, ignored);
  lock_.remove();
}

void Autosave::claim(const fs::path& kept_in, std::vector<LostDocument>& lost) {
  FileLock lock(lock_of(kept_in));
  if (!lock.is_held()) return;
  std::error_code ignored;
  if (!fs::is_regular_file(kept_in, ignored)) return lock.remove();  // its program had nothing to lose
  lost.push_back({.kept_in = kept_in, .file = {}, .time = fs::last_write_time(kept_in, ignored)});
  read_heading(lost.back(), first_line(kept_in));
  claims_.push_back({kept_in, std::move(lock)});
}

std::vector<LostDocument> Autosave::find_lost() {
  std::vector<LostDocument> lost;
  if (!is_on()) return lost;
  remove_abandoned_files(folder_);
  std::set<fs::path> candidates;
  std::error_code ignored;
  for (fs::path path : entries_of(folder_, ignored)) {
    const bool is_ours = path.extension() == ".json" || path.extension() == ".lock";
    if (is_ours && path.replace_extension(".json") != kept_in_) candidates.insert(path);
  }
  for (const fs::path& kept_in : candidates) claim(kept_in, lost);
  std::ranges::sort(lost, std::ranges::greater(), &LostDocument::time);
  return lost;
}

namespace {

// Calls parse(text, files) with what stands below the heading.
template <typename Parse>
auto parse_kept(const LostDocument& lost, const PartWatch& watch, const Parse& parse) {
  const std::string text = read_file(lost.kept_in, max_document_bytes + max_heading_bytes, watch);
  const DocumentFiles files{.models = [&](const std::string& model) { return open_model(model, watch); },
                            .watch = watch};
  return parse(std::string_view(text).substr(std::min(text.find('\n'), text.size())), files);
}

}  // namespace

AnyDocument Autosave::read(const LostDocument& lost, const PartWatch& watch) {
  return parse_kept(lost, watch, parse_any_document);
}

Lesson Autosave::read_lesson(const LostDocument& lost, const PartWatch& watch) {
  return parse_kept(lost, watch, parse_lesson);
}

// By a new name the file is this program's: at no moment is there none.
void Autosave::take_over(const LostDocument& lost) {
  if (writing_.valid()) finish_writing();
  std::error_code problem;
  fs::rename(lost.kept_in, kept_in_, problem);
  if (problem) throw Error(fmt::format("Cannot take over {}: {}.", shown_path(lost.kept_in), problem.message()));
  is_kept_ = true;
  release(lost.kept_in);
}

void Autosave::take_over(Autosave& other) {
  take_over(LostDocument{.kept_in = other.kept_in_, .file = {}, .time = {}});
  other.forget();
}

void Autosave::discard(const LostDocument& lost) {
  std::error_code ignored;
  fs::remove(lost.kept_in, ignored);
  release(lost.kept_in);
}

void Autosave::release(const fs::path& kept_in) {
  for (Claim& claim : claims_) {
    if (claim.kept_in == kept_in) claim.lock.remove();
  }
  std::erase_if(claims_, [](const Claim& claim) { return !claim.lock.is_held(); });
}

}  // namespace attnscope
