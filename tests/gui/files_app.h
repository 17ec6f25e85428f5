#pragma once

#include <string>

#include "files/document_file.h"
#include "folder_app.h"

namespace attnscope::test {

// A session whose dialogs begin in a folder of its own.
class Files : public FolderApp {
protected:
  void modify(float to = 0.5f) {
    app_.drag("setup/dropout", 0.1f, to);
    ASSERT_TRUE(app_.session().shown().is_modified);
  }
  // Saves the document as it is to a new file.
  void save_as(const std::string& name) {
    app_.press_control('S', true);
    app_.replace_text("dialog/name", name);
    app_.click("dialog/accept");
  }
  DialogState::Kind dialog() { return app_.session().shown().dialog.kind; }
};

}  // namespace attnscope::test
