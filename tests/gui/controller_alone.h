#pragma once

#include <gtest/gtest.h>

#include "features/shared/switchboard.h"
#include "support.h"

// Each controller alone, without a session around it.
namespace attnscope::test {

// What one controller asks of the others, noted down.
class Others : public Switchboard {
public:
  bool ask_before(Command command) override {
    asked.push_back(std::move(command));
    return has_unsaved;
  }
  void pass_on(const Command& command) override { passed_on.push_back(command); }
  void read(const std::filesystem::path&, Read load, Take take) override { take(load({})); }
  void stop_reading() override {}
  void show(Opened opened) override { shown.push_back(std::move(opened)); }
  Opened what_is_shown() const override { return {}; }
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

class ControllerAlone : public testing::Test {
protected:
  std::string said() const { return now_.messages.empty() ? "" : now_.messages.back().text; }

  UiState now_;
  Subject subject_;
  Desktop desktop_;
  MessageController messages_{now_.messages, desktop_};
  Others others_;
  CommandQueue queue_;
  TemporaryFolder folder_;
  AppServices services_{now_, subject_, messages_, others_, queue_, now_.view, now_.dialog, desktop_};
};

}  // namespace attnscope::test
