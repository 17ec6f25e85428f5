#include "features/files/exchange_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/error.h"
#include "core/evaluate.h"
#include "core/text.h"
#include "document/json.h"
#include "features/shared/app_services.h"
#include "files/code.h"
#include "files/document_file.h"
#include "files/import.h"
#include "files/result_file.h"
#include "platform/system/file.h"
#include "platform/system/other_programs.h"
#include "platform/system/process.h"
#include "session/ui_state.h"

namespace attnscope {
namespace {

constexpr Index max_copied_cells = 4'000'000;

// The matrix that a cell is part of, with the names of its rows and columns.
LabelledMatrix matrix_around(const Result& result, const RowNames& tokens, const Source& cell) {
  const std::vector<Index> shape = stage_shape(result.config, cell.stage);
  const Index rows = shape[shape.size() - 2];
  const Index cols = shape.back();
  if (rows > max_copied_cells / cols) {
    throw Error(fmt::format("{} has {} by {} numbers, but at most {} are copied: write them with attnscope eval.",
                            info(cell.stage).title, rows, cols, max_copied_cells));
  }
  LabelledMatrix matrix = labelled_matrix(cell.stage, tokens, rows, cols);
  const Index index = matrix_of(result.config, cell.stage, cell.batch, cell.head);
  if (!has(result, cell.stage, index)) {
    throw Error(
        fmt::format("{} of this head is still being computed: copy it when it is there.", info(cell.stage).title));
  }
  read_cells(matrix.values.values, result, cell.stage, index, {0, 0, rows, cols});
  return matrix;
}

}  // namespace

std::vector<PageFile> page_files(const Lesson& lesson, const std::string& name) {
  for (const LessonStep& step : lesson.steps) {
    if (step.document && step.document->model && !is_example(step.document->model->path))
      throw Error(
          fmt::format("Step {} reads a trained model of yours, which no page of a lesson holds.", in_quotes(step.id)));
  }
  return {{name, lesson_to_json(lesson)}};
}

void ExchangeController::copy_text(const std::string& text, const std::string& message) {
  to_.desktop.copy_text(text);
  to_.messages.say(message);
}

// The text goes to the clipboard whole. Numbers that take an evaluation are those on the screen, never computed here.
void ExchangeController::copy_code(CodeLanguage language) {
  to_.subject.require_computed("There is nothing to write as code");
  const bool needs_result = code_needs_result(to_.now.document, language);
  if (needs_result && !to_.now.is_current) {
    throw Error(fmt::format("The numbers of this document are still being computed: copy the {} when they are there.",
                            name_of(language)));
  }
  if (needs_result && !to_.now.evaluation.error.empty()) throw Error(to_.now.evaluation.error);
  const std::string covered = needs_result ? obstacle_of_cover(to_.now) : "";
  if (!covered.empty()) throw Error(covered);
  const std::string code = code_of(to_.now.document, language, needs_result ? to_.now.result() : nullptr);
  to_.desktop.copy_text(code);
  to_.messages.say(
      fmt::format("Copied this document as {}, {} lines.", name_of(language), std::ranges::count(code, '\n')));
}

void ExchangeController::copy_link() {
  const Lesson* const lesson = lesson_on_screen(to_.now);
  lesson ? to_.desktop.copy_link("lesson", lesson_to_json(*lesson))
         : to_.desktop.copy_link("d", to_json(to_.now.document));
  to_.messages.say(fmt::format("Copied a link that opens this {}.", lesson ? "lesson" : "document"));
}

void ExchangeController::export_page(const std::filesystem::path& path) {
  try {
    const Lesson* const lesson = lesson_on_screen(to_.now);
    if (!lesson) to_.subject.require_computed("There is no document to put into a page");
    const std::string name = path.stem().string() + ".json";
    write_page(path, to_.desktop.page, lesson ? page_files(*lesson, name) : page_files(to_.now.document, name));
    to_.view.document_folder = path.parent_path().string();
    to_.dialog = {};
    to_.messages.say(fmt::format("Wrote a page with this {}: {}.", lesson ? "lesson" : "document", shown_path(path)));
  } catch (const Error& error) {
    if (to_.dialog.kind == DialogState::Kind::export_page) to_.dialog.error = error.what();
    throw;
  }
}

void ExchangeController::copy_stage(MatrixForm form) {
  const Result* const result = to_.now.result();
  const ViewState& view = to_.now.view;
  const Source looked_at = view.pinned.value_or(Source{view.stage, view.batch, view.head, 0, 0});
  if (!result || !has(*result, looked_at.stage)) {
    throw Error(fmt::format("There is no {} in this document that could be copied: choose another stage.",
                            info(looked_at.stage).title));
  }
  const Source cell = with_batch_and_head_of(result->config, looked_at);
  if (const std::string obstacle = obstacle_of_cover(to_.now); !obstacle.empty()) throw Error(obstacle);
  const LabelledMatrix matrix =
      matrix_around(*result, RowNames(query_names(to_.now.document), to_.now.document.tokens), cell);
  to_.desktop.copy_text(matrix_text(matrix, form, view.decimals));
  to_.messages.say(fmt::format("Copied {}, {} by {}, as {}.", info(cell.stage).title, matrix.values.rows(),
                               matrix.values.cols(), name_of(form)));
}

void ExchangeController::write_weights(const std::filesystem::path& path) {
  to_.subject.require_computed("There are no weight matrices to export");
  try {
    if (path.extension() != ".safetensors") {
      throw Error(fmt::format("Cannot write {}: weights are written as .safetensors.", shown_path(path)));
    }
    refuse_to_replace(path, files_in_use(to_.now.document));
    export_weights(to_.now.document, path);
    to_.view.document_folder = path.parent_path().string();
    to_.dialog = {};
    to_.messages.say(fmt::format("Wrote the weights to {}.", shown_path(path)));
  } catch (const Error& error) {
    if (to_.dialog.kind == DialogState::Kind::export_weights) to_.dialog.error = error.what();
    throw;
  }
}

void ScreenshotController::take(const ScreenshotRequest& request) {
  // A dialog would stand before the audience; a browser has a folder of its own for what it saves.
  if (to_.view.screenshot_folder.empty() && (to_.view.transient.presenting || in_browser))
    to_.view.screenshot_folder = pictures_folder().string();
  if (to_.view.screenshot_folder.empty() && !request.is_for_clipboard) {
    dialogs_.show_dialog(DialogState::Kind::screenshot_folder);
    waiting_scale_ = request.scale;
    return;
  }
  wanted_ = request;
}

void ScreenshotController::choose_folder(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure || !std::filesystem::is_directory(folder, failure)) {
    to_.dialog.error = fmt::format("{} is not a folder that can be written to.", shown_path(folder));
    return;
  }
  to_.view.screenshot_folder = folder.string();
  to_.dialog = {};
  if (const std::optional<int> scale = std::exchange(waiting_scale_, std::nullopt)) {
    wanted_ = {.scale = *scale};
  } else {
    to_.messages.say(fmt::format("Screenshots go to {}.", to_.view.screenshot_folder));
  }
}

}  // namespace attnscope
