#include "features/files/file_controller.h"

#include <thread>

#include "files/document_file.h"
#include "headless_app.h"
#include "platform/system/file.h"
#include "support.h"

namespace attnscope::test {
namespace {

std::vector<std::string> names_of(const RecentFiles& recent) {
  std::vector<std::string> names;
  for (const RecentFile& file : recent.files()) names.push_back(file.path.filename().string());
  return names;
}

using Names = std::vector<std::string>;

TEST(RecentFiles, AreTheLastTenNewestFirst) {
  const TemporaryFolder folder;
  RecentFiles recent(folder / "recent.json");
  for (int i = 0; i < 12; ++i) recent.add(folder / (std::to_string(i) + ".json"));
  recent.add(folder / "5.json");
  const Names expected = {"5.json", "11.json", "10.json", "9.json", "8.json",
                          "7.json", "6.json",  "4.json",  "3.json", "2.json"};
  EXPECT_EQ(names_of(recent), expected);
  EXPECT_EQ(names_of(RecentFiles(folder / "recent.json")), expected);
}

TEST(RecentFiles, NameAFileOnceHoweverItIsNamed) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "a.json";
  RecentFiles recent(folder / "recent.json");
  for (const std::filesystem::path& name : {std::filesystem::relative(file), file, std::filesystem::relative(file)})
    recent.add(name);
  ASSERT_EQ(recent.files().size(), 1U);
  EXPECT_EQ(recent.files()[0].path, file);
  recent.remove(std::filesystem::relative(file));
  EXPECT_TRUE(recent.files().empty());
}

TEST(RecentFiles, KnowWhichAreMissing) {
  const TemporaryFolder folder;
  put_text(folder / "a.json", "{}");
  RecentFiles recent(folder / "recent.json");
  recent.add(folder / "a.json");
  recent.add(folder / "b.json");
  recent.refresh();
  EXPECT_FALSE(recent.files()[0].is_there);
  EXPECT_TRUE(recent.files()[1].is_there);
  recent.remove(folder / "b.json");
  EXPECT_EQ(names_of(recent), Names{"a.json"});
}

TEST(RecentFiles, OfTwoProgramsAreOneList) {
  const TemporaryFolder folder;
  RecentFiles first(folder / "recent.json");
  RecentFiles second(folder / "recent.json");
  first.add("/a.json");
  second.add("/b.json");
  EXPECT_EQ(names_of(second), (Names{"b.json", "a.json"}));
  EXPECT_EQ(names_of(first), Names{"a.json"});
  first.refresh();
  EXPECT_EQ(names_of(first), (Names{"b.json", "a.json"}));
}

TEST(RecentFiles, OfManyProgramsAtOnceAreAllKept) {
  const TemporaryFolder folder;
  std::vector<std::thread> programs;
  for (int i = 0; i < 8; ++i) {
    programs.emplace_back([&folder, i] {
      RecentFiles recent(folder / "recent.json");
      recent.add("/" + std::to_string(i));
      while (!recent.is_kept()) recent.keep();
    });
  }
  for (std::thread& program : programs) program.join();
  EXPECT_EQ(RecentFiles(folder / "recent.json").files().size(), 8U);
}

TEST(RecentFiles, AreWrittenLaterWhereAnotherProgramWritesThem) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "recent.json";
  RecentFiles recent(file);
  {
    const FileLock other(file.string() + ".lock");
    recent.add("/a.json");
    EXPECT_EQ(names_of(recent), Names{"a.json"});
    EXPECT_FALSE(std::filesystem::exists(file));
    put_text(file, R"(["/b.json"])");
  }
  recent.refresh();
  EXPECT_EQ(names_of(recent), (Names{"a.json", "b.json"}));
  recent.keep();
  EXPECT_EQ(names_of(RecentFiles(file)), (Names{"a.json", "b.json"}));
}

TEST(RecentFiles, InABrokenFileAreNone) {
  const TemporaryFolder folder;
  for (const char* text : {"", "{", "7", "null", "{\"a\": 1}", "[1, 2]", "[[\"a\"]]", "\xff"}) {
    put_text(folder / "recent.json", text);
    RecentFiles recent(folder / "recent.json");
    EXPECT_TRUE(recent.files().empty()) << text;
    recent.add("/a.json");
    EXPECT_EQ(names_of(RecentFiles(folder / "recent.json")), Names{"a.json"}) << text;
  }
}

TEST(RecentFiles, MayHaveNamesThatAreNoUtf8) {
  const TemporaryFolder folder;
  RecentFiles recent(folder / "recent.json");
  recent.add("/caf\xe9.json");
  recent.add("/b.json");
  EXPECT_EQ(names_of(RecentFiles(folder / "recent.json")), Names{"b.json"});
}

class RecentMenu : public testing::Test {
protected:
  RecentMenu() {
    app_.session().keep_state_in(folder_ / "state", 4711);
    for (const char* name : {"first.json", "second.json"}) {
      app_.call([this, name](const Controllers& to) { to.files.save(folder_ / name); });
    }
  }
  void open_menu() {
    app_.click("menu/file");
    app_.click("menu/file/recent");
  }

  TemporaryFolder folder_;
  HeadlessApp app_;
};

TEST_F(RecentMenu, OpensWhatWasSavedOrOpened) {
  put_text(folder_ / "first.json", "{\"seed\": 77}");
  open_menu();
  EXPECT_FALSE(app_.shows("menu/file/recent/2"));
  app_.click("menu/file/recent/1");
  app_.settle();
  EXPECT_EQ(app_.config().seed, 77U);
  EXPECT_EQ(app_.session().shown().file, folder_ / "first.json");
  open_menu();
  app_.click("menu/file/recent/1");
  app_.settle();
  EXPECT_EQ(app_.session().shown().file, folder_ / "second.json") << "what is opened comes first";
}

TEST_F(RecentMenu, SaysThatAFileIsMissingAndForgetsIt) {
  std::filesystem::remove(folder_ / "first.json");
  open_menu();
  app_.click("menu/file/recent/1");
  app_.settle();
  EXPECT_NE(app_.message().find("first.json is not there any more"), std::string::npos) << app_.message();
  EXPECT_EQ(app_.session().shown().file, folder_ / "second.json");
  open_menu();
  EXPECT_TRUE(app_.shows("menu/file/recent/0"));
  EXPECT_FALSE(app_.shows("menu/file/recent/1"));
}

TEST(EmptyRecentMenu, IsDisabled) {
  HeadlessApp app;
  app.click("menu/file");
  EXPECT_FALSE(app.enables("menu/file/recent"));
}

}  // namespace
}  // namespace attnscope::test
