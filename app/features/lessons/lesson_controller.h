#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "features/shared/app_services.h"

namespace attnscope {

// Returns whether a question asks how probable a next word is, or which word comes next.
bool asks_about_next_word(const Question& question);
// Returns whether the likeliest next words would tell the answer of a question that is still open.
bool covers_next_words(const LessonShown& shown);

// The lesson that is open: its steps are shown as documents are opened, and answers are judged. Closing it shows what
// was shown before.
class LessonController {
public:
  LessonController(const AppServices& services, SubjectDisplay& display, UnsavedChanges& unsaved, FilmPlayer& films,
                   CoverRemover& covers, LessonShown& shown)
      : to_(services), display_(display), unsaved_(unsaved), films_(films), covers_(covers), shown_(shown) {}

  // Opens a lesson of the program, or of a file that was opened before. Throws Error if there is none of this id.
  void open(const std::string& id);
  // Opens the first of the lessons that were read from files, and offers all of them.
  void open(const std::vector<std::shared_ptr<const Lesson>>& files);
  // Opens a lesson that is being made, at a step and without answers. It is not offered, and closing it leads back.
  void try_out(const std::shared_ptr<const Lesson>& lesson, std::size_t step);
  void close();
  void go_to_step(std::size_t step);
  // Shows the document and the view of the step again, whatever was changed since.
  void restore_step();
  // Shows the setup in the place of the lesson, or the lesson again.
  void show_setup(bool is_shown) { shown_.shows_setup = is_shown; }
  void change_answer(const std::function<void(Answer&)>& change) {
    if (!shown_.question()) return;
    change(shown_.answer);
    shown_.verdict.reset();  // it was of another answer
  }
  // Judges what is typed, clicked, chosen or reached.
  void answer();
  void reveal();
  // Forgets the answers of the open lesson, and shows its first step.
  void restart();
  // Writes a lesson on paper, as a PDF into a folder.
  void hand_out(const std::string& id, const std::filesystem::path& folder = documents_folder());
  // Forgets the answers of all lessons.
  void clear_progress();

  void keep_progress_in(const std::filesystem::path& file);  // reads what is there; throws Error
  void follow();                                             // whether the document is the step's, and its numbers
  std::string text() const;                                  // the texts that panels show of it

private:
  void begin(const std::shared_ptr<const Lesson>& lesson);
  std::shared_ptr<const Lesson> lesson_named(const std::string& id) const;  // throws Error
  void offer(const std::vector<std::shared_ptr<const Lesson>>& lessons);
  void begin_step(std::size_t step);
  void show_step(bool starts_over);
  void show_document(const Document& document, const std::string& label);
  void look(const ViewAddress& view);
  void play_film();
  void follow_numbers();  // the text of a step that is to be changed has those of the document
  void remember_screen();
  void follow_presenting();
  void begin_answer();
  void write_texts();
  void cover_numbers();  // that would answer the question
  void take_numbers();
  bool is_asked(Question::Kind kind) const;
  void save_progress();
  std::optional<StepNumbers> step_numbers() const;
  std::optional<std::vector<TextBlock>> told_text() const;

  AppServices to_;
  SubjectDisplay& display_;
  UnsavedChanges& unsaved_;
  FilmPlayer& films_;
  CoverRemover& covers_;
  LessonShown& shown_;
  std::filesystem::path progress_file_;      // empty: progress is of this sitting only
  LessonProgress kept_progress_;             // the progress that was loaded or saved last
  std::optional<LessonProgress> set_aside_;  // the learner's progress, while a lesson is presented
  std::optional<Opened> before_;             // what was shown before the lesson
  ViewState view_before_;                    // the view before the lesson
  std::optional<Source> film_;               // the film of this number begins once the step's numbers are there
  std::uint64_t followed_ = 0;               // edition of the document
  std::shared_ptr<const Result> told_;       // the text of a step that is to be changed has these numbers
};

}  // namespace attnscope
