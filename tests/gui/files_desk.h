#pragma once

#include <gtest/gtest.h>

#include <string>

#include "desk.h"
#include "interchange/document_file.h"
#include "support.h"

namespace attnscope::test {

// A session whose dialogs begin in a folder of its own.
class Files : public testing::Test {
protected:
  explicit Files() : desk_(default_document(), {1280, 800}, view_of(folder_)) {}

  static ViewState view_of(const TemporaryFolder& folder) {
    ViewState view;
    view.document_folder = folder.path().string();
    return view;
  }
  void modify(float to = 0.5f) {
    desk_.drag("setup/dropout", 0.1f, to);
    ASSERT_TRUE(desk_.session().is_modified());
  }
  // Saves the document as it is to a new file.
  void save_as(const std::string& name) {
    desk_.press_control('S', true);
    desk_.replace_text("dialog/name", name);
    desk_.click("dialog/accept");
  }
  DialogState::Kind dialog() { return desk_.session().dialog().kind; }

  TemporaryFolder folder_;
  Desk desk_;
};

}  // namespace attnscope::test
