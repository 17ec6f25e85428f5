#pragma once

#include <string>

#include "folder_desk.h"
#include "interchange/document_file.h"

namespace attnscope::test {

// A session whose dialogs begin in a folder of its own.
class Files : public FolderDesk {
protected:
  void modify(float to = 0.5f) {
    desk_.drag("setup/dropout", 0.1f, to);
    ASSERT_TRUE(desk_.session().shown().is_modified);
  }
  // Saves the document as it is to a new file.
  void save_as(const std::string& name) {
    desk_.press_control('S', true);
    desk_.replace_text("dialog/name", name);
    desk_.click("dialog/accept");
  }
  DialogState::Kind dialog() { return desk_.session().shown().dialog.kind; }
};

}  // namespace attnscope::test
