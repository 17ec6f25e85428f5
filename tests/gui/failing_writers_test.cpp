// What else the window writes, with each call that writes failing in turn: animations, numbered pictures, weights,
// settings, recent files and how lessons went.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>

#include "features/files/exchange_controller.h"
#include "features/files/file_controller.h"
#include "features/lessons/lesson_controller.h"
#include "features/settings.h"
#include "features/shared/panel/calls.h"
#include "figure_dialog_app.h"
#include "files/document_file.h"
#include "files_app.h"
#include "sweep_app.h"
#include "teach/lesson.h"
#include "tests/support/failing_disk.h"

namespace attnscope::test {
namespace {

using Names = std::vector<std::string>;

constexpr int most_calls = 300;
constexpr const char* old_text = "old";

class FilmsOnAFailingDisk : public SweepDialog {
protected:
  // Exports with the call of this number failing, over old files. Whether there were so many.
  bool export_with_failure(const std::string& name, const Names& written, int call) {
    const std::string before = app_.message();
    for (const std::string& file : written) put_text(folder_ / file, old_text);
    const FailingDisk disk(call, ENOSPC);
    app_.click("dialog/accept");
    app_.settle();
    const std::string& said = dialog().error.empty() ? app_.message() : dialog().error;
    const bool is_exported = said.starts_with("Exported ");
    EXPECT_TRUE(is_exported || says(said, {"Cannot write "}) || says(said, {"cannot be made"})) << call << said;
    EXPECT_EQ(folder_.names(), written) << name << call;
    for (const std::string& file : written) {
      const std::string text = text_of(folder_ / file);
      EXPECT_TRUE(text == whole_[file] || (!is_exported && text == old_text)) << file << call;
    }
    EXPECT_TRUE(is_exported || disk.has_struck()) << said;
    return disk.has_struck();
  }
  void export_on_failing_disk(const std::string& format, const std::string& name, const Names& written) {
    open_sweep("seed", "2");
    app_.click(format);
    export_as(name);
    EXPECT_EQ(folder_.names(), written) << dialog().error;
    for (const std::string& file : folder_.names()) whole_[file] = text_of(folder_ / file);
    int call = 1;
    while (export_with_failure(name, written, call)) ASSERT_LT(++call, most_calls);
    EXPECT_GT(call, 3);
    EXPECT_TRUE(app_.shows("setup/seed"));
  }

  std::map<std::string, std::string> whole_;
};

TEST_F(FilmsOnAFailingDisk, AnimatedPngsAreOldOrNew) {
  export_on_failing_disk("figure/format/png", "a.png", {"a.png"});
}
TEST_F(FilmsOnAFailingDisk, GifsAreOldOrNew) { export_on_failing_disk("figure/format/gif", "a.gif", {"a.gif"}); }
TEST_F(FilmsOnAFailingDisk, NumberedPicturesAreOldOrNew) {
  export_on_failing_disk("figure/series", "a%d.png", {"a1.png", "a2.png"});
}

// By a program that takes the place of ffmpeg.
TEST_F(FilmsOnAFailingDisk, VideosAreOldOrNew) {
  const TemporaryFolder programs;
  put_text(programs / "ffmpeg", "#!/bin/sh\nfor word; do out=$word; done; /bin/cat >\"$out\"\n");
  std::filesystem::permissions(programs / "ffmpeg", std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", programs.path().c_str(), 1);
  export_on_failing_disk("figure/format/mp4", "a.mp4", {"a.mp4"});
  setenv("PATH", path.c_str(), 1);
}

class WeightsOnAFailingDisk : public Files {};

TEST_F(WeightsOnAFailingDisk, AreOldOrNew) {
  app_.call([this](const Controllers& to) { to.exchange.write_weights(folder_ / "a.safetensors"); });
  const std::string whole = text_of(folder_ / "a.safetensors");
  for (int call = 1; call < most_calls; ++call) {
    put_text(folder_ / "a.safetensors", old_text);
    const FailingDisk disk(call, EIO);
    app_.call([this](const Controllers& to) { to.exchange.write_weights(folder_ / "a.safetensors"); });
    const bool is_written = app_.message().starts_with("Wrote ");
    const std::string text = text_of(folder_ / "a.safetensors");
    EXPECT_TRUE(text == whole || (!is_written && text == old_text)) << call;
    EXPECT_TRUE(is_written || says(app_.message(), {"Cannot write ", "a.safetensors"})) << call;
    EXPECT_EQ(folder_.names(), Names{"a.safetensors"}) << call;
    if (!disk.has_struck()) return;
  }
  FAIL() << "it never ended";
}

// A small file of the program's own that is written again and again, and is the old one or the new one at any time.
struct Kept {
  const char* name;                                        // of the file
  void (*write)(const std::filesystem::path&, int value);  // throws Error
};

const Kept kept[] = {
    {"settings.json",
     [](const std::filesystem::path& path, int value) {
       ViewState view;
       view.setup_width = static_cast<float>(300 + value);
       save_settings(view, {}, path);
     }},
    {"recent.json", [](const std::filesystem::path& path,
                       int value) { RecentFiles(path).add("/lectures/" + std::to_string(value) + ".json"); }},
    {"lessons.json", [](const std::filesystem::path& path, int value) {
       LessonProgress progress;
       for (int i = 0; i <= value; ++i) progress.answered("mask", "step", false);
       save_progress(progress, {}, path);
     }}};

void PrintTo(const Kept& file, std::ostream* out) { *out << file.name; }

class KeptFile : public testing::TestWithParam<Kept> {
protected:
  // The file that is whole with this value, after the one with the value 1.
  std::string whole(int value) const {
    const TemporaryFolder folder;
    GetParam().write(folder / GetParam().name, 1);
    if (value == 2) GetParam().write(folder / GetParam().name, 2);
    return text_of(folder / GetParam().name);
  }
  // A lock may stay beside it, which is empty.
  static void expect_only(const TemporaryFolder& folder, const std::string& name) {
    Names names = folder.names();
    std::erase(names, name + ".lock");
    EXPECT_EQ(names, Names{name});
  }
};

TEST_P(KeptFile, IsOldOrNewOnAFailingDisk) {
  const auto& [name, write] = GetParam();
  const std::string old = whole(1);
  const std::string later = whole(2);
  for (int call = 1; call < most_calls; ++call) {
    const TemporaryFolder folder;
    write(folder / name, 1);
    const FailingDisk disk(call, ENOSPC);
    std::string said;
    try {
      write(folder / name, 2);
    } catch (const Error& error) {
      said = error.what();
      EXPECT_TRUE(says(said, {"Cannot write ", name}));
    }
    const std::string text = text_of(folder / name);
    EXPECT_TRUE(text == later || (!said.empty() && text == old)) << call << text;
    expect_only(folder, name);
    if (!disk.has_struck()) return;
  }
  FAIL() << "it never ended";
}

TEST_P(KeptFile, IsOldOrNewWhenTheProgramIsKilled) {
  const auto& [name, write] = GetParam();
  const std::string old = whole(1);
  const std::string later = whole(2);
  for (int call = 1; call < most_calls; ++call) {
    const TemporaryFolder folder;
    write(folder / name, 1);
    const pid_t child = ::fork();
    if (child == 0) {
      die_at_call(call);
      write(folder / name, 2);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const std::string text = text_of(folder / name);
    EXPECT_TRUE(text == later || (WIFSIGNALED(status) && text == old)) << call << text;
    write(folder / name, 2);  // removes what was left
    expect_only(folder, name);
    if (!WIFSIGNALED(status)) return;
  }
  FAIL() << "it never ended";
}

INSTANTIATE_TEST_SUITE_P(Each, KeptFile, testing::ValuesIn(kept), [](const auto& each) {
  const std::string name = each.param.name;
  return name.substr(0, name.find('.'));
});

// A lesson goes on where how it went cannot be kept, and says so.
TEST(LessonOnAFailingDisk, GoesOnAndSaysThatItIsNotKept) {
  int failures = 0;
  for (int call = 1; call < most_calls; ++call) {
    const TemporaryFolder folder;
    HeadlessApp app;
    app.session().keep_progress_in(folder / "lessons.json");
    app.open_lesson("mask");
    const FailingDisk disk(call, EROFS);
    app.call([](const Controllers& to) { to.lessons.clear_progress(); });
    if (!disk.has_struck()) {
      EXPECT_GT(failures, 2);
      return;
    }
    EXPECT_TRUE(app.session().shown().lesson.lesson);
    for (const Message& message : app.session().shown().messages) {
      if (!message.is_error) continue;
      EXPECT_TRUE(says(message.text, {"Cannot write ", "lessons.json"}));
      ++failures;
    }
    EXPECT_LE(folder.names().size(), 2U) << "with the lock";
  }
  FAIL() << "it never ended";
}

}  // namespace
}  // namespace attnscope::test
