#include "features/shared/app_services.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

#include "core/error.h"
#include "core/text.h"
#include "document/document.h"
#include "files/arrays.h"
#include "files/checkpoint.h"
#include "files/document_file.h"
#include "files/file_kind.h"
#include "platform/system/process.h"

namespace attnscope {
namespace {

constexpr double message_seconds = 10;
constexpr double error_seconds = 60;

double seconds_of(const Message& message) { return message.is_error ? error_seconds : message_seconds; }
constexpr std::size_t max_messages = 50;

}  // namespace

void MessageController::say(std::string_view text, bool is_error) {
  shown_.push_back({shown_text(text, most_of_a_message), is_error, desktop_.seconds()});
  if (shown_.size() > max_messages) shown_.pop_front();
}

bool MessageController::attempt(const std::function<void()>& work) {
  const std::string failure = failure_of(work);
  if (!failure.empty()) say(failure, true);
  return failure.empty();
}

void MessageController::expire(double now) {
  const auto is_old = [&](const Message& message) { return now - message.time > seconds_of(message); };
  const auto newest = std::find_if(shown_.rbegin(), shown_.rend(), is_old);
  if (newest == shown_.rend()) return;
  // An error stays longer than the answer to what was done next. It comes back behind that one only if nobody had time
  // to read it before.
  const double read_by = newest->time - message_seconds;
  std::erase_if(shown_, [&](const Message& message) { return is_old(message) || message.time < read_by; });
}

double MessageController::seconds_to_next_change(double now) const {
  if (shown_.empty()) return -1;
  return std::max(0.0, seconds_of(shown_.back()) - (now - shown_.back().time)) + 0.05;
}

std::string current_failure() {
  try {
    throw;
  } catch (const Error& error) {
    return error.what();
  } catch (const std::filesystem::filesystem_error& error) {
    return fmt::format("{}: {}.", shown_path(error.path1()), error.code().message());
  } catch (const std::bad_alloc&) {
    return "There is not enough memory for this.";
  } catch (const std::exception& error) {
    return fmt::format("This could not be done: {}.", error.what());
  }
}

std::string failure_of(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const std::exception&) {
    return current_failure();
  }
}

namespace {

using Lines = std::vector<std::string>;

// Larger documents are not read, because that takes longer than a look.
constexpr std::uintmax_t max_document_bytes_shown = 16 << 20;
constexpr std::uintmax_t max_table_bytes_shown = 1 << 20;
constexpr std::size_t max_token_characters = 40;
constexpr std::size_t max_tokens_bytes = 300;  // of all of them
constexpr std::size_t max_arrays_shown = 16;

std::string first_labels(const std::vector<std::string>& tokens) {
  const std::vector<std::string> labels = token_labels(tokens);
  std::string line;
  for (const std::string& label : labels) {
    const std::string shown = shown_text(label, max_token_characters);
    if (line.size() + shown.size() > max_tokens_bytes) return line + " …";
    line += (line.empty() ? "" : " ") + shown;
  }
  return line;
}

Lines describe(const Document& document) {
  const AttentionConfig& config = document.config;
  return {footer_text(document),
          fmt::format("{} tokens, d_in {}, d_out {}, batch {}", token_count(config), input_features(config),
                      config.d_out, config.batch_size),
          first_labels(document.tokens)};
}

Lines describe(const ImportedDocument& viewing) {
  std::error_code ignored;
  const bool is_there = std::filesystem::exists(viewing.file, ignored);
  std::string what = fmt::format("{} {}", shape_text(viewing.shape), viewing.number_type);
  if (viewing.layers > 1) what += fmt::format(", layer {} of {}", viewing.layer + 1, viewing.layers);
  return {fmt::format("Attention of {}{}", shown_path(viewing.file), is_there ? "" : ", which is not there"), what,
          first_labels(viewing.tokens)};
}

Lines describe(const LoadedFile& loaded) {
  Lines lines = std::visit([](const auto& document) { return describe(document); }, loaded.document);
  if (loaded.is_from_picture) lines.insert(lines.begin(), "A picture that carries its document:");
  return lines;
}

Lines describe_model(const std::string& path) {
  const TransformerShape shape = shape_of_model(path);
  return {fmt::format("A trained model: {} layers, {} heads in each", shape.layers, shape.heads),
          fmt::format("{} features, {} tokens in its vocabulary, texts of up to {} tokens", shape.features,
                      shape.vocabulary, shape.context_length)};
}

Lines describe(const NamedFile& named) {
  if (!named.is_model) return {fmt::format("A document with numbers of {}", shown_path(named.path))};
  Lines lines = {fmt::format("A document of the trained model {}", shown_path(named.path))};
  const std::string failure = failure_of([&] {
    for (std::string& line : describe_model(named.path)) lines.push_back(std::move(line));
  });
  if (!failure.empty()) lines.push_back(failure);
  return lines;
}

Lines describe(const NamedArrays& file) {
  Lines lines;
  for (const ArrayView& array : file.arrays) {
    if (lines.size() == max_arrays_shown) {
      lines.push_back(fmt::format("and {} more", file.arrays.size() - max_arrays_shown));
      break;
    }
    const std::string name = array.name.empty() ? "" : shown_text(array.name) + ": ";
    lines.push_back(array.problem.empty() ? fmt::format("{}{} {}", name, name_of(array.type), shape_text(array.shape))
                                          : name + array.problem);
  }
  if (lines.empty()) lines.push_back("There is no array in it.");
  return lines;
}

// Returns the folder where a dialog begins; nothing for dialogs without files.
std::optional<std::string> folder_of(DialogState::Kind kind, const ViewState& view) {
  if (kind == DialogState::Kind::screenshot_folder) return view.screenshot_folder;
  if (kind == DialogState::Kind::figure && !view.figure_folder.empty()) return view.figure_folder;
  const bool has_files = kind <= DialogState::Kind::screenshot_folder || kind == DialogState::Kind::figure ||
                         kind >= DialogState::Kind::save_lesson;
  return has_files ? std::optional(view.document_folder) : std::nullopt;
}

}  // namespace

Lines preview_of(const std::filesystem::path& path, const PartWatch& watch) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  try {
    const FileKind kind = kind_of_file(path, watch);
    if (!kind.refusal.empty()) return {kind.refusal};
    if (kind.what == FileKind::What::model) return describe_model(path.string());
    const bool is_arrays = kind.what == FileKind::What::arrays;
    if (path.extension() == ".txt" && !is_arrays) return {"Names for the tokens that are shown."};
    const bool is_table = is_text_table(path);
    const bool is_read_in_place = is_arrays && !is_table;
    const std::uintmax_t size = std::filesystem::file_size(path, ignored);
    if (!is_read_in_place && size > (is_table ? max_table_bytes_shown : max_document_bytes_shown))
      return {fmt::format("{:.0f} MB: too large for a preview.", static_cast<double>(size) / 1e6)};
    Lines lines =
        is_arrays ? describe(read_arrays(path, watch))
                  : std::visit([](const auto& loaded) { return describe(loaded); }, load_without_others(path, watch));
    for (std::string& line : lines) line = shown_text(line, most_of_a_message);
    return lines;
  } catch (const std::exception&) {
    return {shown_text(current_failure(), most_of_a_message)};
  }
}

DialogController::DialogController(const AppServices& services, DialogContents& contents,
                                   const std::function<void()>& wake)
    : to_(services),
      contents_(contents),
      previewer_(
          [](const std::filesystem::path& path, const std::stop_token& stop) {
            return Preview{path, preview_of(path, [&](float) {
                             if (stop.stop_requested()) throw Cancelled{};
                           })};
          },
          wake) {}

bool DialogController::poll() {
  std::optional<Preview> preview = previewer_.take();
  if (!preview || to_.dialog.previewed != preview->path) return false;
  to_.dialog.preview = std::move(preview->lines);
  to_.dialog.is_previewing = false;
  return true;
}

void DialogController::show(DialogState::Kind kind) {
  if (kind == DialogState::Kind::open && to_.desktop.choose_files) return to_.desktop.choose_files();
  if (kind == DialogState::Kind::export_weights) to_.subject.require_computed("There are no weight matrices to export");
  to_.dialog = {};
  if (kind == DialogState::Kind::restore && to_.now.lost.empty()) return;
  to_.dialog.kind = kind;
  to_.dialog.lists_tokens = to_.subject.attention() != nullptr;
  const std::optional<std::string> folder = folder_of(to_.dialog.kind, to_.view);
  if (folder) list_folder(to_.dialog, folder->empty() ? working_folder() : std::filesystem::path(*folder));
  kind == DialogState::Kind::figure ? contents_.prepare_figure() : contents_.propose_file_name();
}

void DialogController::close() {
  const DialogState::Kind next = to_.dialog.returns_to;
  previewer_.cancel();
  to_.dialog = {};
  contents_.stop_figure();
  if (next != DialogState::Kind::none) show(next);
}

void DialogController::change(const std::function<void(DialogState&)>& change) {
  change(to_.dialog);
  if (to_.dialog.kind == DialogState::Kind::open) preview_chosen_file();
  if (to_.dialog.kind == DialogState::Kind::figure) contents_.name_figure();
}

void DialogController::preview_chosen_file() {
  const std::filesystem::path path = to_.dialog.name.empty() ? std::filesystem::path() : chosen_path(to_.dialog);
  if (to_.dialog.previewed == path) return;
  to_.dialog.previewed = path;
  to_.dialog.preview.clear();
  to_.dialog.is_previewing = !path.empty();
  path.empty() ? previewer_.cancel() : previewer_.start(path);
}

void DialogController::create_folder() {
  if (!to_.dialog.new_folder) return;
  const std::filesystem::path name = *to_.dialog.new_folder;
  if (name.empty() || name == "." || name == "..") {
    to_.dialog.error = "Type a name for the folder first.";
    return;
  }
  const std::filesystem::path folder = to_.dialog.folder / name;
  std::error_code failure;
  if (std::filesystem::exists(folder, failure)) {
    to_.dialog.error = fmt::format("{} is there already: choose another name.", shown_path(folder));
    return;
  }
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    to_.dialog.error = fmt::format("{} cannot be created: {}.", shown_path(folder), failure.message());
    return;
  }
  to_.dialog.new_folder.reset();
  list_folder(to_.dialog, folder);
}

}  // namespace attnscope
