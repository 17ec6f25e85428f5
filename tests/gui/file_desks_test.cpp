#include <atomic>

#include "desk_alone.h"
#include "features/files/file_desk.h"
#include "features/files/reading_desk.h"
#include "interchange/document_file.h"

namespace attnscope::test {
namespace {

class FileDesks : public DeskAlone {
protected:
  FileDesks() { now_.document = default_document(); }
  void change() {
    desk();  // which is there before the change
    now_.document.config.dropout = 0.5;
    ++now_.edition;
    desk().follow();
  }
  FileDesk& desk() {
    if (!desk_) desk_.emplace(neighbours_, now_);
    return *desk_;
  }

private:
  std::optional<FileDesk> desk_;
};

TEST_F(FileDesks, AskBeforeChangesAreLostAndGoOnWhenTheyMayBe) {
  EXPECT_FALSE(desk().ask_before(NewDocument{}));
  change();
  EXPECT_TRUE(now_.is_modified);
  EXPECT_TRUE(desk().ask_before(NewDocument{}));
  EXPECT_EQ(now_.dialog.kind, DialogState::Kind::unsaved);
  desk().apply(AnswerUnsaved{AnswerUnsaved::Answer::discard});
  ASSERT_EQ(queue_.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<NewDocument>(queue_.front()));
  EXPECT_EQ(now_.dialog.kind, DialogState::Kind::none);
}

TEST_F(FileDesks, WithoutANameAskForOne) {
  desk().apply(SaveFile{});
  ASSERT_EQ(others_.passed_on.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<FinishEdit>(others_.passed_on.front())) << "what is typed is saved, too";
  EXPECT_TRUE(std::holds_alternative<ShowDialog>(others_.passed_on.back()));
}

TEST_F(FileDesks, AreUnchangedOnceTheyAreSaved) {
  change();
  desk().apply(SaveFile{folder_ / "lecture.json"});
  EXPECT_FALSE(now_.is_modified);
  EXPECT_EQ(now_.file, folder_ / "lecture.json");
  EXPECT_EQ(load_document(now_.file), now_.document);
  ASSERT_EQ(now_.recent.size(), 1U);
}

TEST_F(FileDesks, QuitOnlyWhenNothingIsLost) {
  change();
  desk().apply(Quit{});
  EXPECT_FALSE(desk().quit_requested());
  desk().apply(SaveFile{folder_ / "lecture.json"});
  desk().apply(Quit{});
  EXPECT_TRUE(desk().quit_requested());
}

class ReadingDesks : public DeskAlone {
protected:
  void finish() {
    desk_.wait();
    EXPECT_TRUE(desk_.poll());
  }
  ReadingDesk desk_{neighbours_, now_.reading, now_.arrays, {}};
};

TEST_F(ReadingDesks, ReadEveryFileInTheBackground) {
  save_document(default_document(), folder_ / "lecture.json");
  desk_.apply(OpenFile{folder_ / "lecture.json"});
  EXPECT_TRUE(others_.shown.empty());
  EXPECT_EQ(now_.reading.find("Reading lecture.json"), 0U) << now_.reading;
  finish();
  ASSERT_EQ(others_.shown.size(), 1U);
  EXPECT_EQ(others_.shown.front().document, default_document());
  EXPECT_EQ(now_.view.document_folder, folder_.path().string());
}

TEST_F(ReadingDesks, WaitForTheAnswerAboutUnsavedChanges) {
  others_.has_unsaved = true;
  desk_.apply(NewDocument{});
  EXPECT_EQ(others_.asked.size(), 1U);
  EXPECT_TRUE(others_.shown.empty());
}

TEST_F(ReadingDesks, ThatFailKeepWhatWasShown) {
  desk_.open_file(folder_ / "missing.json");
  finish();
  EXPECT_EQ(others_.kept, 1);
  EXPECT_NE(said().find("missing.json"), std::string::npos);
  EXPECT_TRUE(others_.shown.empty());
}

TEST_F(ReadingDesks, InTheBackgroundCanBeStopped) {
  std::atomic<bool> is_taken = false;
  const auto load = [](const UnpackWatch& watch) -> Loaded {
    while (true) watch("weights", 0.5f);  // until it is stopped
  };
  desk_.read("attention.npz", load, [&](Loaded) { is_taken = true; });
  EXPECT_NE(now_.reading, "");
  desk_.apply(StopReading{});
  desk_.wait();
  EXPECT_FALSE(desk_.poll());
  EXPECT_EQ(now_.reading, "");
  EXPECT_FALSE(is_taken);
  EXPECT_EQ(said(), "Stopped reading attention.npz.");
}

}  // namespace
}  // namespace attnscope::test
