#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "session/ui_state.h"
#include "teach/lesson.h"

namespace attnscope {

// The lesson that is being made in the window.
struct LessonDraft {
  Lesson lesson;                      // can be read as it is, but its texts may be empty
  std::size_t step = 0;               // the chosen step
  std::filesystem::path file;         // empty: it was not saved yet
  std::uint64_t edition = 0;          // changes with the lesson
  bool is_modified = false;           // it differs from the file
  bool is_restored = false;           // a program that ended without saving it left it behind
  bool shows_setup = false;           // the setup stands in the editor's place
  bool is_newest = false;             // the last edit was one of the lesson, and not of the document
  std::string answer;                 // of the chosen step in words, with its number; empty until that is computed
  std::string undo_label;             // the edit of the lesson that Undo would take back; empty for none
  std::string redo_label;             // likewise
  bool is_checked = false;            // `mistakes` are those of the lesson as it is
  std::vector<std::string> mistakes;  // sentences
  std::vector<std::string> left_out;  // sentences that the handout leaves out
  int checks = 0;                     // how often it was checked

  const LessonStep& current() const { return lesson.steps[step]; }
};

// Returns the lesson that is open, else the one that is being made, else null.
const Lesson* lesson_on_screen(const UiState& now);

// Returns whether Undo and Redo are those of the lesson that is being made.
bool undoes_lesson(const UiState& now);
bool redoes_lesson(const UiState& now);

// Looks at a document as a step of a lesson says.
void look_at_step(ViewState& view, const ViewAddress& address);
// Returns how the document on the screen is looked at, as a step of a lesson.
ViewAddress view_on_screen(const UiState& now);

// Returns the chance of a next word in Model as a formula: of the word that is followed, or else of the likeliest one
// that a formula can name. Empty where there is none.
std::string chance_on_screen(const UiState& now);
// Returns whether the screen shows what the step shows.
bool is_on_screen(const UiState& now, const LessonStep& step);

KnownViews known_views();  // all that a lesson may name

}  // namespace attnscope
