#pragma once

#include <filesystem>
#include <optional>

#include "features/shared/switchboard.h"

namespace attnscope {

// The lesson that is open: its steps are shown as documents are opened, and answers are judged. What was shown before
// it is given back when it is closed.
class LessonController {
public:
  LessonController(const AppServices& services, LessonShown& shown) : to_(services), shown_(shown) {}

  void apply(const OpenLesson& command);
  void apply(const CloseLesson&);
  void apply(const GoToStep& command);
  void apply(const RestoreStep&);
  void apply(const UpdateLesson& command) { command.change(shown_); }
  void apply(const UpdateAnswer& command) {
    if (!shown_.question()) return;
    command.change(shown_.answer);
    shown_.verdict.reset();  // it was of another answer
  }
  void apply(const AnswerQuestion&);
  void apply(const RevealAnswer&);
  void apply(const RestartLesson&);
  void apply(const ClearProgress&);

  void keep_progress_in(const std::filesystem::path& file);  // and reads what is there; throws Error
  void follow();                                             // whether the document is the step's, and its numbers
  std::string text() const;                                  // that panels write of it

private:
  std::shared_ptr<const Lesson> lesson_named(const std::string& id) const;  // throws Error
  void offer(const std::vector<std::shared_ptr<const Lesson>>& lessons);
  void show_step(bool starts_over);
  void show_document(const Document& document, const std::string& label);
  void look(const ViewAddress& view);
  void begin_answer();
  void write_texts();
  void take_numbers();
  bool is_asked(Question::Kind kind) const;
  void save_progress();
  std::optional<StepNumbers> step_numbers() const;

  AppServices to_;
  LessonShown& shown_;
  std::filesystem::path progress_file_;  // empty: progress is of this sitting only
  LessonProgress kept_progress_;         // as it was loaded from there or saved last
  std::optional<Opened> before_;         // what was shown before the lesson
  ViewState view_before_;                // and how
  std::uint64_t followed_ = 0;           // edition of the document
};

}  // namespace attnscope
