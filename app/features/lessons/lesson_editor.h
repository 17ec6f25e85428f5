#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "features/shared/app_services.h"
#include "session/ui_state.h"

namespace attnscope {

// Makes a lesson: steps hold what was on the screen, every edit can be undone, and the lesson is saved as a file.
class LessonEditor {
public:
  LessonEditor(const AppServices& services, SubjectDisplay& display, FilmPlayer& films, LessonOpener& lessons,
               DialogOpener& dialogs, std::shared_ptr<const LessonDraft>& shown)
      : to_(services), display_(display), films_(films), lessons_(lessons), dialogs_(dialogs), shown_(shown) {}

  // Begins a lesson whose first step is what is on the screen. Throws Error while attention of a file is shown.
  void begin();
  // Edits a copy of a lesson, from its first step.
  void begin_with(const std::shared_ptr<const Lesson>& lesson);
  // Goes on with a lesson that was not saved when its program ended.
  void restore(const std::shared_ptr<const Lesson>& lesson, const std::filesystem::path& file);
  void close();  // shows what was shown before
  void leave();  // does the same, and asks first if changes would be lost

  void choose(std::size_t step);  // and shows it, so that the screen shows the chosen step until it is changed
  // Throw Error while attention of a file is shown.
  void add_screen();   // makes a step of what is on the screen, behind the chosen one
  void take_screen();  // the chosen step shows what is on the screen
  void copy_step();
  void delete_step();
  void move_step(std::size_t from, std::size_t to);

  // Changes the lesson. Changes by the same field, one after the other, are one edit.
  void edit(const std::string& label, const std::function<void(Lesson&)>& change, std::uint32_t field = 0);
  void edit_step(const std::string& label, const std::function<void(LessonStep&)>& change, std::uint32_t field = 0);
  // Asks a question about the pinned number, or none. A question of another kind that the step had before comes back as
  // it was, and so does how the step was looked at before a question covered its answer.
  void ask(std::optional<Question::Kind> kind);
  void take_answer();  // the pinned number, its row, or in Model the chance of a next word is the answer
  // The pinned number as it is on the screen is the goal of a question that asks to change the document, and the
  // document on the screen is a way to reach it.
  void take_goal();
  void undo();
  void redo();

  void show_setup(bool is_shown);  // in the place of the editor
  void check();                    // finds every mistake
  void try_out();                  // opens the lesson at the chosen step as a student sees it
  // Saves the lesson in its file, or asks for its name.
  void save(const std::optional<std::filesystem::path>& wanted = {});
  void propose_name();
  void hand_out();  // writes the lesson on paper, a PDF beside its file; throws Error if it has none

  void follow();  // notes whether the document was edited after the lesson
  std::string text() const;

private:
  struct Entry {
    Lesson lesson;
    std::size_t step = 0;
    std::string label;
  };

  void open(Lesson lesson, std::size_t step);
  LessonStep step_of_screen() const;
  Source asked_cell() const;
  void keep_question(const LessonStep& step);
  bool take_kept(LessonStep& step, Question::Kind kind) const;
  std::string asked_chance(Question::Kind kind) const;
  void set_answer(LessonStep& step, const Source& cell);
  void cover_answer(LessonStep& step);
  void uncover_answer(LessonStep& step);
  void change(const std::function<void(LessonDraft&)>& change);
  void take_back(std::vector<Entry>& from, std::vector<Entry>& to);
  void show_step();
  void show_layer_of_step();
  void compute_answer();

  // The result and the formula from which the draft's answer was computed.
  struct Asked {
    std::shared_ptr<const Result> result = {};
    bool is_there = false;  // the result is the step's
    std::string formula = {};
    bool operator==(const Asked&) const = default;
  };

  AppServices to_;
  SubjectDisplay& display_;
  FilmPlayer& films_;
  LessonOpener& lessons_;
  DialogOpener& dialogs_;
  std::shared_ptr<const LessonDraft>& shown_;
  std::optional<Lesson> saved_;  // as it was opened or saved last; nothing: its file differs
  std::vector<Entry> undo_;
  std::vector<Entry> redo_;
  std::uint32_t field_ = 0;  // of the last edit; 0: it is finished
  // Questions of other kinds that a step had while the editor is open, by its id.
  std::map<std::pair<std::string, Question::Kind>, Question> kept_;
  // How a step was looked at before a question covered its answer, and after it, by the step's id.
  std::map<std::string, std::pair<ViewAddress, ViewAddress>> covered_;
  std::optional<Opened> before_;  // what was shown before the lesson was made
  std::optional<Source> film_;    // the film of this number begins once the step's numbers are there
  Asked answered_;
  std::uint64_t followed_ = 0;      // edition of the document
  std::uint64_t edition_ = 0;       // of the lesson
  bool closes_when_saved_ = false;  // the dialog that asks for its name is open
};

}  // namespace attnscope
