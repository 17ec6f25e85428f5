#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "features/files/file_controller.h"
#include "headless_app.h"
#include "support.h"
#include "tests/support/patience.h"

namespace attnscope::test {

// A session whose dialogs begin in a folder of its own.
class FolderApp : public testing::Test {
protected:
  FolderApp() : app_(default_document(), {1280, 800}, view_of(folder_)) {}

  TemporaryFolder folder_;
  HeadlessApp app_;

private:
  static ViewState view_of(const TemporaryFolder& folder) {
    ViewState view;
    view.document_folder = folder.path().string();
    return view;
  }
};

// Sessions, one after the other or at once, in one state folder.
class CrashApp : public testing::Test {
protected:
  static void let_time_pass(HeadlessApp& app) {
    app.session().autosave(0);
    app.session().autosave(Autosave::longest);
    wait_until([&] {
      app.session().autosave(Autosave::longest);
      return app.session().seconds_to_autosave(Autosave::longest) < 0;
    });
  }
  std::unique_ptr<HeadlessApp> start(int process) {
    auto app = std::make_unique<HeadlessApp>();
    app->session().keep_state_in(folder_ / "state", process);
    app->frames(2);
    return app;
  }

  TemporaryFolder folder_;
};

}  // namespace attnscope::test
