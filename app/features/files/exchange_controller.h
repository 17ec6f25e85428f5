#pragma once

#include <optional>
#include <utility>

#include "features/shared/app_services.h"
#include "files/code.h"
#include "files/document_file.h"
#include "files/result_file.h"
#include "teach/lesson.h"

namespace attnscope {

// The items of menus that copy the document as code, or a stage as text.

struct CodeItem {
  CodeLanguage language;
  const char* id;
  const char* label;
};
inline constexpr CodeItem code_items[] = {{CodeLanguage::pytorch, "pytorch", "PyTorch code"},
                                          {CodeLanguage::numpy, "numpy", "NumPy code"},
                                          {CodeLanguage::latex, "latex", "LaTeX"}};

struct MatrixItem {
  MatrixForm form;
  const char* id;
  const char* label;
};
inline constexpr MatrixItem matrix_items[] = {
    {MatrixForm::table, "table", "Table for a spreadsheet"},    {MatrixForm::python_list, "python_list", "Python list"},
    {MatrixForm::numpy_array, "numpy_array", "NumPy array"},    {MatrixForm::latex_table, "latex_table", "LaTeX table"},
    {MatrixForm::latex_matrix, "latex_matrix", "LaTeX matrix"}, {MatrixForm::markdown, "markdown", "Markdown"}};

// Returns a lesson as a page holds it. Throws Error if one of its steps reads a trained model of a file.
std::vector<PageFile> page_files(const Lesson& lesson, const std::string& name);

// Returns the stage that is copied: that of the pinned number, else the one that is shown alone.
inline Stage copied_stage(const ViewState& view) { return view.pinned ? view.pinned->stage : view.stage; }

// Gives data to other programs: text on the clipboard, weights in a file.
class ExchangeController {
public:
  explicit ExchangeController(const AppServices& services) : to_(services) {}

  void copy_text(const std::string& text, const std::string& message);
  // Copies code that computes the document.
  void copy_code(CodeLanguage language);
  // In a browser: copies a link that opens the lesson or the document on the screen.
  void copy_link();
  // Writes a page for browsers that opens it. Throws Error.
  void export_page(const std::filesystem::path& path);
  // Copies the matrix that is pinned or shown, as text for other programs.
  void copy_stage(MatrixForm form);
  void write_weights(const std::filesystem::path& path);

private:
  AppServices to_;
};

struct ScreenshotRequest {
  int scale = 1;  // pixels per unit
  bool is_for_clipboard = false;
};

// Screenshots: their folder, and the one that is wanted. The folder is asked for once, then remembered.
class ScreenshotController {
public:
  ScreenshotController(const AppServices& services, DialogOpener& dialogs) : to_(services), dialogs_(dialogs) {}

  void take(const ScreenshotRequest& request);
  void choose_folder(const std::filesystem::path& folder);
  // A screenshot waits for its folder no longer than the dialog asks for one.
  void follow() {
    if (to_.dialog.kind != DialogState::Kind::screenshot_folder) waiting_scale_.reset();
  }

  // Returns the screenshot that was asked for since the last call.
  std::optional<ScreenshotRequest> take_request() { return std::exchange(wanted_, std::nullopt); }

private:
  AppServices to_;
  DialogOpener& dialogs_;
  std::optional<ScreenshotRequest> wanted_;
  std::optional<int> waiting_scale_;  // scale of a screenshot that waits for a folder to be chosen
};

}  // namespace attnscope
