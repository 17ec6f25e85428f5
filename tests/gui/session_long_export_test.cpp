// An export that takes its time: the window goes on, and it can be stopped.

#include <condition_variable>
#include <mutex>

#include "figure_dialog_app.h"
#include "files/document_file.h"

namespace attnscope::test {
namespace {

using Kind = DialogState::Kind;

// A clipboard that takes nothing until it is told to, or until the export is stopped.
class SlowClipboard {
public:
  void copy(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    is_asked_ = true;
    changed_.notify_all();
    changed_.wait(lock, stop, [&] { return is_released_; });
    if (stop.stop_requested()) throw Cancelled{};
  }
  void wait_until_asked() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_asked_; });
  }
  void release() {
    const std::lock_guard lock(mutex_);
    is_released_ = true;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_asked_ = false;
  bool is_released_ = false;
};

class LongExport : public FigureDialogApp {
protected:
  LongExport() {
    app_.copy_pictures_with(
        [clipboard = clipboard_](const std::string&, const std::stop_token& stop) { clipboard->copy(stop); });
    open();
    app_.click("figure/copy");
    clipboard_->wait_until_asked();
    app_.frames(2);
  }

  std::shared_ptr<SlowClipboard> clipboard_ = std::make_shared<SlowClipboard>();
};

TEST_F(LongExport, ShowsThatItRunsAndLetsTheWindowGoOn) {
  EXPECT_TRUE(app_.session().shown().figure.under_way);
  EXPECT_FALSE(app_.enables("dialog/accept"));
  EXPECT_FALSE(app_.enables("figure/copy"));
  EXPECT_LE(app_.session().seconds_to_next_change(ImGui::GetTime()), 0.1);
  app_.click("figure/dark");
  EXPECT_EQ(options().theme, FigureTheme::dark);
  clipboard_->release();
  app_.settle();
  EXPECT_FALSE(app_.session().shown().figure.under_way);
  EXPECT_TRUE(app_.enables("dialog/accept"));
}

TEST_F(LongExport, IsStoppedByItsButton) {
  app_.click("dialog/cancel");
  EXPECT_FALSE(app_.session().shown().figure.under_way);
  EXPECT_EQ(dialog().kind, Kind::figure);
  EXPECT_TRUE(says(app_.message(), {"Stopped", "nothing was written"}));
  app_.settle();
  EXPECT_EQ(app_.session().shown().figure.said, "");
  export_as("after.png");
  EXPECT_EQ(load_document(folder_ / "after.png"), app_.document());
}

TEST_F(LongExport, IsStoppedWhenTheDialogIsClosed) {
  app_.press_key(keys::named(ImGuiKey_Escape));
  EXPECT_EQ(dialog().kind, Kind::none);
  EXPECT_FALSE(app_.session().shown().figure.under_way);
}

}  // namespace
}  // namespace attnscope::test
