#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <new>

#include "core/error.h"
#include "interchange/document_file.h"
#include "session/dialog_desk.h"
#include "session/document_desk.h"
#include "session/evaluation_desk.h"
#include "session/exchange_desk.h"
#include "session/figure_desk.h"
#include "session/file_desk.h"
#include "session/reading_desk.h"
#include "session/screenshot_desk.h"
#include "session/search_desk.h"
#include "session/view_desk.h"
#include "support.h"

// Each desk alone, without a session around it.
namespace attnscope::test {
namespace {

EditDocument dropout_of(double rate, bool is_finished = true) {
  return {"dropout", [rate](Document& document) { document.config.dropout = rate; }, is_finished};
}

// What one desk asks of the others, noted down.
class Others : public Switchboard {
public:
  bool ask_before(Command command) override {
    asked.push_back(std::move(command));
    return has_unsaved;
  }
  void pass_on(const Command& command) override { passed_on.push_back(command); }
  void read(const std::filesystem::path&, bool, Read load, Take take) override { take(load({})); }
  void stop_reading() override {}
  void show(Opened opened) override { shown.push_back(std::move(opened)); }
  void show_attention(LoadedAttention) override {}
  void show_other_part(std::shared_ptr<const ViewedAttention>) override {}
  void keep_what_was_shown() override { ++kept; }
  void forget_missing(const std::filesystem::path&) override {}

  bool has_unsaved = false;
  std::vector<Command> asked;
  std::vector<Command> passed_on;
  std::vector<Opened> shown;
  int kept = 0;
};

class DeskAlone : public testing::Test {
protected:
  std::string said() const { return now_.messages.empty() ? "" : now_.messages.back().text; }

  Moment now_;
  Subject subject_;
  MessageDesk messages_{now_.messages};
  Others others_;
  CommandQueue queue_;
  TemporaryFolder folder_;
};

using MessageDesks = DeskAlone;

TEST_F(MessageDesks, AreForgottenAfterAWhile) {
  messages_.say("Opened.");
  EXPECT_GT(messages_.seconds_to_next_change(0), 9);
  messages_.expire(9);
  EXPECT_EQ(said(), "Opened.");
  messages_.expire(11);
  EXPECT_EQ(said(), "");
  EXPECT_LT(messages_.seconds_to_next_change(11), 0);
}

TEST(Failures, BecomeSentences) {
  EXPECT_EQ(failure_of([] {}), "");
  EXPECT_EQ(failure_of([] { throw Error("It cannot be."); }), "It cannot be.");
  EXPECT_EQ(failure_of([] { throw std::bad_alloc(); }), "There is not enough memory for this.");
  const std::string text = failure_of([] { std::filesystem::create_directory("/proc/none"); });
  EXPECT_NE(text.find("/proc/none"), std::string::npos) << text;
  EXPECT_NE(failure_of([] { throw std::out_of_range("place 7"); }).find("place 7"), std::string::npos);
}

class DocumentDesks : public DeskAlone {
protected:
  DocumentDesk desk_{default_document(), subject_, now_, messages_};
};

TEST_F(DocumentDesks, ADragStartsFromWhereItBeganAndIsOneEntry) {
  const std::uint64_t edition = now_.edition;
  desk_.apply(dropout_of(0.25, false));
  desk_.apply(EditDocument{"d_out", [](Document& document) { document.config.d_out = 4; }, false});
  EXPECT_EQ(now_.document.config.dropout, default_document().config.dropout);
  EXPECT_EQ(now_.document.config.d_out, 4);
  EXPECT_TRUE(desk_.is_editing());
  desk_.apply(FinishEdit{});
  EXPECT_FALSE(desk_.is_editing());
  EXPECT_GT(now_.edition, edition);
  desk_.apply(Undo{});
  EXPECT_EQ(now_.document, default_document());
  EXPECT_EQ(now_.undo_label, "");
  EXPECT_NE(now_.redo_label, "");
}

TEST_F(DocumentDesks, StayAsTheyWereWhereAnEditIsWrong) {
  const std::uint64_t edition = now_.edition;
  EXPECT_THROW(desk_.apply(dropout_of(7)), Error);
  EXPECT_EQ(now_.document, default_document());
  EXPECT_EQ(now_.edition, edition);
}

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
    if (!desk_)
      desk_.emplace(FileDesk::Neighbours{now_, subject_, messages_, others_, queue_}, now_, now_.view, now_.dialog);
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
  ASSERT_EQ(others_.passed_on.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<ShowDialog>(others_.passed_on.front()));
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
  ReadingDesk desk_{{now_, subject_, messages_, others_}, {now_.view, now_.dialog, now_.reading, now_.arrays}, {}};
};

TEST_F(ReadingDesks, OfSmallFilesAreThereAtOnce) {
  save_document(default_document(), folder_ / "lecture.json");
  desk_.apply(OpenFile{folder_ / "lecture.json"});
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
  EXPECT_EQ(others_.kept, 1);
  EXPECT_NE(said().find("missing.json"), std::string::npos);
  EXPECT_TRUE(others_.shown.empty());
}

TEST_F(ReadingDesks, InTheBackgroundCanBeStopped) {
  std::atomic<bool> is_taken = false;
  const auto load = [](const UnpackWatch& watch) -> Loaded {
    while (true) watch("weights", 0.5f);  // until it is stopped
  };
  desk_.read("attention.npz", true, load, [&](Loaded) { is_taken = true; });
  EXPECT_NE(now_.reading, "");
  desk_.apply(StopReading{});
  desk_.wait();
  EXPECT_FALSE(desk_.poll());
  EXPECT_EQ(now_.reading, "");
  EXPECT_FALSE(is_taken);
  EXPECT_EQ(said(), "Stopped reading attention.npz.");
}

class EvaluationDesks : public DeskAlone {
protected:
  EvaluationDesks() { now_.document = default_document(); }
};

TEST_F(EvaluationDesks, HappenOnceForEachEdition) {
  EvaluationDesk desk(now_, subject_, now_, {});
  desk.wait();
  desk.poll();
  EXPECT_TRUE(now_.is_current);
  const std::uint64_t ticket = now_.evaluation.finished_ticket;
  desk.follow(false);
  desk.wait();
  desk.poll();
  EXPECT_EQ(now_.evaluation.finished_ticket, ticket);
  now_.document.config.seed = 5;
  ++now_.edition;
  desk.follow(false);
  desk.wait();
  desk.poll();
  EXPECT_EQ(now_.evaluation.finished_ticket, ticket + 1);
  EXPECT_EQ(now_.result()->config.seed, 5U);
}

class Searches : public DeskAlone {
protected:
  Searches() {
    now_.document = default_document();
    now_.labels = token_labels(now_.document.tokens);
    now_.evaluation.result = std::make_shared<const Result>(evaluate(now_.document.config));
  }

  SearchDesk desk_{now_, now_.go_to, now_.view, {}};
};

TEST_F(Searches, PinTheCellOfAToken) {
  desk_.apply(UpdateGoTo{[](GoToState& state) { state.text = "starts"; }});
  desk_.apply(GoTo{GoTo::Target::token});
  ASSERT_TRUE(now_.view.pinned);
  EXPECT_EQ(now_.view.pinned->col, 2);
  EXPECT_NE(now_.go_to.status.find("starts"), std::string::npos);
}

TEST_F(Searches, FindTheLargestWeightInTheBackground) {
  desk_.apply(GoTo{GoTo::Target::largest});
  EXPECT_TRUE(now_.go_to.is_searching);
  desk_.wait();
  EXPECT_TRUE(desk_.poll());
  ASSERT_TRUE(now_.view.pinned);
  EXPECT_EQ(value_at(*now_.result(), *now_.view.pinned), 1);  // the first query sees itself alone
}

using DialogDesks = DeskAlone;

TEST_F(DialogDesks, CreateFoldersOfAnyNameThatIsFree) {
  now_.view.document_folder = folder_.path().string();
  DialogDesk desk(now_.dialog, now_.view, subject_);
  desk.apply(ShowDialog{ShowDialog::Kind::save_as});
  EXPECT_EQ(now_.dialog.folder, folder_.path());
  for (const bool is_free : {true, false}) {
    desk.apply(UpdateDialog{[&](DialogState& state) {
      state.folder = folder_.path();
      state.new_folder = "slides";
    }});
    desk.apply(CreateFolder{});
    EXPECT_EQ(now_.dialog.error.empty(), is_free);
  }
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "slides"));
}

using ScreenshotDesks = DeskAlone;

TEST_F(ScreenshotDesks, AskForTheirFolderOnce) {
  ScreenshotDesk desk(now_.view, now_.dialog, messages_, queue_);
  desk.apply(TakeScreenshot{3});
  EXPECT_EQ(queue_.size(), 1U);
  EXPECT_FALSE(desk.take_request());
  desk.apply(ChooseScreenshotFolder{folder_ / "pictures"});
  EXPECT_EQ(desk.take_request().value_or(TakeScreenshot{}).scale, 3);
  desk.apply(TakeScreenshot{2});
  EXPECT_EQ(desk.take_request().value_or(TakeScreenshot{}).scale, 2);
  EXPECT_FALSE(desk.take_request());
}

using ViewDesks = DeskAlone;

TEST_F(ViewDesks, ForgetWhatThePointerLeft) {
  ViewDesk desk(now_.view, now_.hovered);
  desk.begin_frame();
  desk.apply(Hover{Source{.row = 1}});
  desk.end_frame();
  EXPECT_TRUE(now_.hovered);
  desk.begin_frame();
  desk.end_frame();
  EXPECT_FALSE(now_.hovered);
}

using FigureDesks = DeskAlone;

TEST_F(FigureDesks, AreNamedAfterWhatTheyShow) {
  now_.document = default_document();
  now_.file = "lecture.json";
  FigureDesk desk({now_, subject_, messages_}, now_.figure, now_.view, now_.dialog, {});
  now_.dialog.kind = DialogState::Kind::figure;
  desk.apply(ShowDialog{ShowDialog::Kind::figure});
  EXPECT_EQ(now_.dialog.name, "lecture-pipeline.png");
  now_.dialog.figure.options.stage = Stage::weights;
  desk.apply(UpdateDialog{});
  EXPECT_EQ(now_.dialog.name, "lecture-weights.png");
  desk.apply(ExportFigure{folder_ / "weights.gif"});
  EXPECT_NE(now_.dialog.error.find("weights.gif"), std::string::npos);
  EXPECT_FALSE(now_.figure.under_way);
}

TEST_F(DeskAlone, NothingIsCopiedOfAStageThatIsNotThere) {
  now_.document = default_document();
  ExchangeDesk desk(now_, subject_, messages_, now_.view, now_.dialog);
  EXPECT_THROW(desk.apply(CopyStage{CopyStage::Form::table}), Error);
}

}  // namespace
}  // namespace attnscope::test
