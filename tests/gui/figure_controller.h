#pragma once

#include "desk.h"
#include "desk_input.h"
#include "features/figures/animation.h"
#include "state/figure_state.h"
#include "support.h"

namespace attnscope::test {

// A desk on which figures are exported.
class FigureController : public testing::Test {
protected:
  explicit FigureController(Document document = default_document())
      : desk_(std::move(document), {1280, 800}, view_of(folder_)) {}

  static ViewState view_of(const TemporaryFolder& folder) {
    ViewState view;
    view.document_folder = folder.path().string();
    view.layout = Layout::focus;
    return view;
  }
  void open() {
    if (dialog().kind == DialogState::Kind::figure) desk_.click("dialog/cancel");
    desk_.press_control('E');
    desk_.frames(2);
    desk_.settle();
    ASSERT_EQ(dialog().kind, DialogState::Kind::figure);
  }
  void export_as(const std::string& name) {
    desk_.replace_text("dialog/name", name);
    desk_.click("dialog/accept");
    desk_.settle();
  }
  const DialogState& dialog() { return desk_.session().shown().dialog; }
  const FigureOptions& options() { return dialog().figure.options; }
  std::shared_ptr<const FigurePreview> preview() {
    desk_.settle();
    return desk_.session().shown().figure.preview;
  }

  TemporaryFolder folder_;
  Desk desk_;
};

}  // namespace attnscope::test
