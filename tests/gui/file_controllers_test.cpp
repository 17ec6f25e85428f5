#include <atomic>
#include <cstdlib>

#include "controller_alone.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "files/checkpoint.h"
#include "files/document_file.h"
#include "tests/support/places.h"

namespace attnscope::test {
namespace {

class FileControllers : public ControllerAlone {
protected:
  FileControllers() { now_.document = default_document(); }
  void change() {
    controller();  // which is there before the change
    now_.document.config.dropout = 0.5;
    ++now_.edition;
    controller().follow();
  }
  FileController& controller() {
    if (!app_) app_.emplace(services_, others_, others_, others_, others_, others_, now_);
    return *app_;
  }

private:
  std::optional<FileController> app_;
};

TEST(DialogPaths, AreTypedCopiedOrAddresses) {
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  const std::pair<std::string, std::string> cases[] = {
      {"a.json", "/f/a.json"},
      {"  a.json ", "/f/a.json"},
      {"'a b.json'", "/f/a b.json"},
      {"\"a\"", "/f/a"},
      {"'a", "/f/'a"},
      {"'a\"", "/f/'a\""},
      {"''", "/f/''"},
      {"file:///x/a%20b.json", "/x/a b.json"},
      {"file:///x/a%20", "/x/a "},
      {"file://localhost/x", "/x"},
      {"file:///a%2", "/a%2"},
      {"file:///a%zz%41", "/a%zzA"},
      {"~", home + "/"},
      {"~/a", home + "/a"},
      {"~a", "/f/~a"},
  };
  for (const auto& [typed, path] : cases) {
    DialogState dialog;
    dialog.folder = "/f";
    dialog.name = typed;
    EXPECT_EQ(typed_path(dialog), path) << typed;
  }
}

TEST(DialogPaths, GetTheUsualEndingAndListWhatFits) {
  using Kind = DialogState::Kind;
  using Filter = DialogState::Filter;
  const TemporaryFolder folder;
  for (const char* name : {"zz", "a"}) std::filesystem::create_directory(folder / name);
  for (const char* name : {".hidden.json", ".json", "x.json", "y.npy", "z.png", "v.mp4", "t.txt", "w.safetensors", "u"})
    put_text(folder / name, "");
  DialogState dialog;
  const auto listed = [&](Kind kind, Filter filter = Filter::all, bool lists_tokens = false) {
    dialog.kind = kind;
    dialog.filter = filter;
    dialog.lists_tokens = lists_tokens;
    dialog.error = "as before";
    list_folder(dialog, folder.path());
    EXPECT_EQ(dialog.error, "");
    std::string names;
    for (const DialogState::Entry& entry : dialog.entries) names += entry.name + " ";
    return names;
  };
  EXPECT_EQ(listed(Kind::open), "a zz w.safetensors x.json y.npy z.png ");
  EXPECT_EQ(listed(Kind::open, Filter::all, true), "a zz t.txt w.safetensors x.json y.npy z.png ");
  EXPECT_EQ(listed(Kind::open, Filter::documents, true), "a zz x.json ");
  EXPECT_EQ(listed(Kind::open, Filter::pictures), "a zz z.png ");
  EXPECT_EQ(listed(Kind::open, Filter::arrays), "a zz w.safetensors y.npy ");
  EXPECT_EQ(listed(Kind::save_as), "a zz x.json ");
  EXPECT_EQ(listed(Kind::save_lesson), "a zz x.json ");
  EXPECT_EQ(listed(Kind::export_weights), "a zz w.safetensors ");
  EXPECT_EQ(listed(Kind::figure), "a zz v.mp4 z.png ");
  const auto chosen = [&](Kind kind, const std::string& name) {
    dialog.kind = kind;
    dialog.name = name;
    return chosen_path(dialog).filename();
  };
  EXPECT_EQ(chosen(Kind::save_as, "x"), "x.json");
  EXPECT_TRUE(replaces_a_file(dialog));
  EXPECT_EQ(chosen(Kind::save_as, "a"), "a.json");
  EXPECT_FALSE(replaces_a_file(dialog));
  EXPECT_EQ(chosen(Kind::save_as, "x.txt"), "x.txt");
  EXPECT_EQ(chosen(Kind::save_lesson, "x"), "x.lesson.json");
  EXPECT_EQ(chosen(Kind::export_weights, "x"), "x.safetensors");
  EXPECT_EQ(chosen(Kind::figure, "x"), "x.png");
  EXPECT_EQ(chosen(Kind::open, "x"), "x");
  chosen(Kind::save_as, "");
  EXPECT_FALSE(replaces_a_file(dialog));
  list_folder(dialog, folder / "none");
  EXPECT_NE(dialog.error, "");
  EXPECT_TRUE(dialog.entries.empty());
}

TEST_F(FileControllers, ProposeNames) {
  const auto proposed = [&](DialogState::Kind kind) {
    now_.dialog.kind = kind;
    controller().propose_name();
    return now_.dialog.name;
  };
  EXPECT_EQ(proposed(DialogState::Kind::save_as), "attention.json");
  EXPECT_EQ(proposed(DialogState::Kind::export_weights), "weights.safetensors");
  controller().opened(folder_ / "lecture.png", true, now_.document, {});
  EXPECT_EQ(proposed(DialogState::Kind::save_as), "lecture.json");
  EXPECT_EQ(proposed(DialogState::Kind::export_weights), "lecture.safetensors");
  controller().save();
  EXPECT_EQ(others_.dialogs, std::vector{DialogState::Kind::save_as}) << "no document is saved over a picture";
}

TEST_F(FileControllers, AskBeforeTheyReplaceWhatAnotherProgramWrote) {
  controller().save(folder_ / "lecture.json");
  EXPECT_EQ(now_.view.document_folder, folder_.path().string());
  EXPECT_EQ(now_.dialog.kind, DialogState::Kind::none);
  controller().save(folder_ / "lecture.json");
  EXPECT_EQ(now_.dialog.kind, DialogState::Kind::none) << "it was written here";
  put_text(folder_ / "lecture.json", "{} ");
  put_text(folder_ / "other.json", "{}");
  controller().save();
  EXPECT_EQ(now_.dialog.kind, DialogState::Kind::question);
  EXPECT_EQ(text_of(folder_ / "lecture.json"), "{} ");
  controller().save(folder_ / "other.json");
  EXPECT_EQ(now_.file, folder_ / "other.json") << "this one is no document that was opened here";
  std::filesystem::remove(folder_ / "other.json");
  controller().save();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "other.json")) << "nothing is lost where the file is gone";
  put_text(folder_ / "other.json", "{} ");
  controller().save({}, true);
  EXPECT_NE(text_of(folder_ / "other.json"), "{} ");
  now_.dialog.kind = DialogState::Kind::save_as;
  controller().save(folder_ / "none" / "a.json");
  EXPECT_EQ(now_.dialog.error, said());
  EXPECT_EQ(now_.dialog.kind, DialogState::Kind::save_as) << "another name can be tried";
  EXPECT_EQ(now_.file, folder_ / "other.json");
  now_.dialog = {};
  controller().save(folder_ / "none" / "a.json");
  EXPECT_EQ(now_.dialog.error, "");
}

TEST_F(FileControllers, GoOnOnceSavedAndForgetWhatWaitedInVain) {
  bool is_done = false;
  change();
  EXPECT_TRUE(controller().ask_before([&] { is_done = true; }));
  now_.file = folder_ / "lecture.json";
  controller().answer_unsaved(FileController::Answer::save);
  ASSERT_EQ(later_.size(), 1U);
  later_.front()();
  EXPECT_TRUE(is_done);
  now_.document.config.dropout = 0.25;
  ++now_.edition;
  EXPECT_TRUE(controller().ask_before([] {}));
  now_.dialog = {};
  controller().follow();
  controller().save();
  EXPECT_EQ(later_.size(), 1U) << "the dialog was closed";
}

TEST_F(FileControllers, AskBeforeChangesAreLostAndGoOnWhenTheyMayBe) {
  bool is_done = false;
  const auto next = [&] { is_done = true; };
  EXPECT_FALSE(controller().ask_before(next));
  change();
  EXPECT_TRUE(now_.is_modified);
  EXPECT_TRUE(controller().ask_before(next));
  EXPECT_EQ(now_.dialog.kind, DialogState::Kind::unsaved);
  controller().answer_unsaved(FileController::Answer::discard);
  ASSERT_EQ(later_.size(), 1U);
  EXPECT_FALSE(is_done);
  later_.front()();
  EXPECT_TRUE(is_done);
  EXPECT_EQ(now_.dialog.kind, DialogState::Kind::none);
}

TEST_F(FileControllers, WithoutANameAskForOne) {
  controller().save();
  EXPECT_EQ(others_.called, std::vector<std::string>{"finish_edit"}) << "what is typed is saved, too";
  EXPECT_EQ(others_.dialogs, std::vector{DialogState::Kind::save_as});
}

TEST_F(FileControllers, AreUnchangedOnceTheyAreSaved) {
  change();
  controller().save(folder_ / "lecture.json");
  EXPECT_FALSE(now_.is_modified);
  EXPECT_EQ(now_.file, folder_ / "lecture.json");
  EXPECT_EQ(load_document(now_.file), now_.document);
  ASSERT_EQ(now_.recent.size(), 1U);
}

// Over a file of its own model, or over one whose numbers it has taken, a document would destroy what it is made from.
TEST_F(FileControllers, SaveOverNoFileThatTheDocumentIsMadeFrom) {
  const auto expect_kept = [&](const std::filesystem::path& file) {
    const std::string before = text_of(file);
    now_.dialog.kind = DialogState::Kind::save_as;
    controller().save(file);
    EXPECT_NE(now_.dialog.error.find("would be lost"), std::string::npos) << file << ": " << now_.dialog.error;
    EXPECT_EQ(text_of(file), before);
  };
  std::filesystem::create_directory(folder_ / "model");
  for (const char* const name : {"config.json", "model.safetensors", "tokenizer.json"})
    std::filesystem::copy_file(tests_folder().parent_path() / "assets/models/stories" / name, folder_ / "model" / name);
  put_text(folder_ / "model/vocab.json", "{}");
  now_.document = document_of(open_model((folder_ / "model").string()));
  std::filesystem::create_symlink(folder_ / "model/config.json", folder_ / "link.json");
  for (const char* const name : {"model/config.json", "model/tokenizer.json", "model/vocab.json", "link.json"})
    expect_kept(folder_ / name);
  now_.document = default_document();
  put_text(folder_ / "numbers.json", "these were imported");
  add_source(now_.document, folder_ / "numbers.json");
  expect_kept(folder_ / "numbers.json");
  auto compared = std::make_shared<Document>(std::exchange(now_.document, default_document()));
  now_.document.compared = compared;
  expect_kept(folder_ / "numbers.json");
  now_.dialog = {};
  now_.document = default_document();
  controller().save(folder_ / "numbers.json");
  EXPECT_EQ(load_document(folder_ / "numbers.json"), now_.document) << "of another document it is replaced";
}

TEST_F(FileControllers, QuitOnlyWhenNothingIsLost) {
  change();
  controller().quit();
  EXPECT_FALSE(controller().quit_requested());
  controller().save(folder_ / "lecture.json");
  controller().quit();
  EXPECT_TRUE(controller().quit_requested());
}

class ReadingControllers : public ControllerAlone {
protected:
  void finish() {
    app_.wait();
    EXPECT_TRUE(app_.poll());
  }
  ReadingController app_{services_, others_, others_, others_, others_, now_.reading, now_.arrays, {}};
};

TEST_F(ReadingControllers, ReadEveryFileInTheBackground) {
  save_document(default_document(), folder_ / "lecture.json");
  app_.open(folder_ / "lecture.json");
  EXPECT_TRUE(others_.shown.empty());
  EXPECT_EQ(now_.reading.find("Reading lecture.json"), 0U) << now_.reading;
  finish();
  ASSERT_EQ(others_.shown.size(), 1U);
  EXPECT_EQ(others_.shown.front().document, default_document());
  EXPECT_EQ(now_.view.document_folder, folder_.path().string());
}

TEST_F(ReadingControllers, WaitForTheAnswerAboutUnsavedChanges) {
  others_.has_unsaved = true;
  app_.new_document();
  EXPECT_EQ(others_.asked.size(), 1U);
  EXPECT_TRUE(others_.shown.empty());
}

TEST_F(ReadingControllers, ThatFailKeepWhatWasShown) {
  app_.open_without_asking(folder_ / "missing.json");
  finish();
  EXPECT_EQ(others_.kept, 1);
  EXPECT_NE(said().find("missing.json"), std::string::npos);
  EXPECT_TRUE(others_.shown.empty());
}

TEST_F(ReadingControllers, SayInTheDialogThatAskedForAFileWhyItCannotBeRead) {
  for (const DialogState::Kind kind : {DialogState::Kind::open, DialogState::Kind::restore}) {
    now_.dialog = {};
    now_.dialog.kind = kind;
    app_.open_without_asking(folder_ / "missing.json");
    finish();
    EXPECT_EQ(now_.dialog.kind, kind);
    EXPECT_NE(now_.dialog.error.find("missing.json"), std::string::npos);
  }
}

TEST_F(ReadingControllers, InTheBackgroundCanBeStopped) {
  std::atomic<bool> is_taken = false;
  const auto load = [](const UnpackWatch& watch) -> Loaded {
    while (true) watch("weights", 0.5f);  // until it is stopped
  };
  app_.read("attention.npz", load, [&](Loaded) { is_taken = true; });
  EXPECT_NE(now_.reading, "");
  app_.stop_and_say();
  app_.wait();
  EXPECT_FALSE(app_.poll());
  EXPECT_EQ(now_.reading, "");
  EXPECT_FALSE(is_taken);
  EXPECT_EQ(said(), "Stopped reading attention.npz.");
}

}  // namespace
}  // namespace attnscope::test
