#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "desk.h"
#include "features/files/autosave.h"
#include "support.h"
#include "tests/support/patience.h"

namespace attnscope::test {

// A session whose dialogs begin in a folder of its own.
class FolderDesk : public testing::Test {
protected:
  FolderDesk() : desk_(default_document(), {1280, 800}, view_of(folder_)) {}

  TemporaryFolder folder_;
  Desk desk_;

private:
  static ViewState view_of(const TemporaryFolder& folder) {
    ViewState view;
    view.document_folder = folder.path().string();
    return view;
  }
};

// Sessions, one after the other or at once, in one state folder.
class CrashDesk : public testing::Test {
protected:
  static void let_time_pass(Desk& desk) {
    desk.session().autosave(0);
    desk.session().autosave(Autosave::longest);
    wait_until([&] {
      desk.session().autosave(Autosave::longest);
      return desk.session().seconds_to_autosave(Autosave::longest) < 0;
    });
  }
  std::unique_ptr<Desk> start(int process) {
    auto desk = std::make_unique<Desk>();
    desk->session().keep_state_in(folder_ / "state", process);
    desk->frames(2);
    return desk;
  }

  TemporaryFolder folder_;
};

}  // namespace attnscope::test
