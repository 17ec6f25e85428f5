#pragma once

#include "features/figures/figure_file.h"
#include "headless_app.h"
#include "headless_app_input.h"
#include "session/figure_state.h"
#include "support.h"

namespace attnscope::test {

// A app on which figures are exported.
class FigureDialogApp : public testing::Test {
protected:
  explicit FigureDialogApp(Document document = default_document())
      : app_(std::move(document), {1280, 800}, view_of(folder_)) {}

  static ViewState view_of(const TemporaryFolder& folder) {
    ViewState view;
    view.document_folder = folder.path().string();
    view.mode = ViewMode::focus;
    return view;
  }
  void open() {
    if (dialog().kind == DialogState::Kind::figure) app_.click("dialog/cancel");
    app_.press_control('E');
    app_.settle();
    ASSERT_EQ(dialog().kind, DialogState::Kind::figure);
  }
  void export_as(const std::string& name) {
    app_.replace_text("dialog/name", name);
    app_.click("dialog/accept");
    app_.settle();
  }
  const DialogState& dialog() { return app_.session().shown().dialog; }
  const FigureOptions& options() { return dialog().figure.options; }
  std::shared_ptr<const FigurePreview> preview() {
    app_.settle();
    return app_.session().shown().figure.preview;
  }

  TemporaryFolder folder_;
  HeadlessApp app_;
};

}  // namespace attnscope::test
