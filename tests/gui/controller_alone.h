#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "features/shared/app_services.h"
#include "support.h"

// Each controller alone, without a session around it.
namespace attnscope::test {

// What one controller asks of the others, noted down.
class Others : public DocumentEditor,
               public SubjectDisplay,
               public UnsavedChanges,
               public FileReader,
               public DialogOpener,
               public DialogContents,
               public LessonOpener,
               public FilmPlayer {
public:
  bool ask_before(std::function<void()> next) override {
    asked.push_back(std::move(next));
    return has_unsaved;
  }
  void edit(const DocumentEdit&) override { called.push_back("edit"); }
  void finish_edit() override { called.push_back("finish_edit"); }
  void show_dialog(DialogState::Kind kind) override { dialogs.push_back(kind); }
  void propose_file_name() override { called.push_back("propose_file_name"); }
  void prepare_figure() override { called.push_back("prepare_figure"); }
  void name_figure() override { called.push_back("name_figure"); }
  void open_lessons(std::vector<std::shared_ptr<const Lesson>>) override { called.push_back("open_lessons"); }
  void restore_lesson(const std::shared_ptr<const Lesson>&, const std::filesystem::path&) override {
    called.push_back("restore_lesson");
  }
  void try_lesson(std::shared_ptr<const Lesson> lesson, std::size_t step) override {
    called.push_back(fmt::format("try_lesson {}", step));
    tried = std::move(lesson);
  }
  void watch_film(const Source&) override { called.push_back("watch_film"); }
  void close_film() override { called.push_back("close_film"); }
  void stop_figure() override { called.push_back("stop_figure"); }
  void read(const std::filesystem::path&, Read load, Take take) override { take(load({})); }
  void stop_reading() override {}
  void show(Opened opened) override { shown.push_back(std::move(opened)); }
  Opened set_aside() override { return {}; }
  void show_attention(LoadedAttention) override {}
  void show_other_part(std::shared_ptr<const ImportedFile>) override {}
  void pin_anew() override { called.push_back("pin_anew"); }
  void keep_what_was_shown() override { ++kept; }
  void forget_missing(const std::filesystem::path&) override {}

  bool has_unsaved = false;
  std::vector<std::function<void()>> asked;
  std::vector<std::string> called;  // by their names
  std::vector<DialogState::Kind> dialogs;
  std::vector<Opened> shown;
  std::shared_ptr<const Lesson> tried;
  int kept = 0;
};

class ControllerAlone : public testing::Test {
protected:
  std::string said() const { return now_.messages.empty() ? "" : now_.messages.back().text; }
  // Shows a document that has been evaluated.
  void show(Document document) {
    now_.document = std::move(document);
    now_.labels = token_labels(now_.document.tokens);
    now_.evaluation.result = std::make_shared<const Result>(evaluate(now_.document.config));
    ++now_.evaluation.result_ticket;
    now_.is_current = true;
  }

  UiState now_;
  Subject subject_;
  Desktop desktop_;
  MessageController messages_{now_.messages, desktop_};
  Others others_;
  std::vector<std::function<void()>> later_;
  TemporaryFolder folder_;
  AppServices services_{
      now_,      subject_,    messages_, [this](std::function<void()> next) { later_.push_back(std::move(next)); },
      now_.view, now_.dialog, desktop_};
};

}  // namespace attnscope::test
