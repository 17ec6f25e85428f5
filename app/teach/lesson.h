#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "document/json.h"
#include "teach/formula.h"
#include "view/view_address.h"

// A lesson is one JSON file; docs/lessons.md describes its format. Numbers of a step's document stand in every text:
// teach/formula.h lists what can be named.
namespace attnscope {

struct LessonText {
  std::string path;      // its place in the file, for messages: "steps[2].text"
  std::string markdown;  // the text; formulas stand for numbers
};

struct Choosable {
  LessonText text;
  LessonText why;  // said when a wrong one is chosen
};

// A wrong number that many people type, and what the lesson says to them.
struct Mistake {
  std::string value = {};  // a formula
  LessonText why = {};
};

struct Question {
  enum class Kind { cell, number, sketch, choose, reach };

  Kind kind = Kind::choose;
  std::string path = {};  // "steps[2].question"
  LessonText ask = {};
  LessonText because = {};                        // said once the question is answered or revealed
  std::optional<ViewAddress> then = {};           // changes the view once the question is answered
  std::string answer = {};                        // a formula; for `reach` its value is to become `to`
  double to = 0;                                  // the goal of `reach`
  double tolerance = 0;                           // for numbers, bars and `reach`
  std::vector<Mistake> mistakes = {};             // for numbers
  std::vector<Choosable> choices = {};            // for `choose`
  std::size_t right = 0;                          // index of the right choice
  std::shared_ptr<const Document> solution = {};  // a document that answers `reach`
};

struct LessonStep {
  std::string id = {};
  LessonText title = {};
  LessonText text = {};
  std::shared_ptr<const Document> document = {};
  ViewAddress view = {};
  std::optional<Question> question = {};
};

struct Lesson {
  std::string id = {};
  std::string title = {};
  std::string summary = {};
  std::vector<LessonStep> steps = {};
  std::filesystem::path file = {};  // that it was read from; empty for those that come with the program
};

// Reads a lesson. Throws Error whose sentence begins with the path of what is wrong. `files` opens the models that its
// documents name.
Lesson parse_lesson(std::string_view text, const DocumentFiles& files = {});

// Returns whether it is a folder, or a JSON file with the steps of a lesson; does not check these.
bool is_lesson_path(const std::filesystem::path& path);

// Returns the file itself, or the .json files of a folder, by name.
std::vector<std::filesystem::path> lesson_files(const std::filesystem::path& path);

// Reads the lesson in a file. Throws Error whose sentence names the file.
Lesson load_lesson(const std::filesystem::path& file, const DocumentFiles& files = {});

// Ids of layouts and teaching views, which a lesson may name.
struct KnownViews {
  std::vector<std::string_view> layouts;
  std::vector<std::string_view> studies;
};
// Evaluates every step, computes every number of every text, and answers every question. Throws Error if one fails.
void check_lesson(const Lesson& lesson, const KnownViews& known);

// Returns the text of a lesson, as parse_lesson() reads it. Documents that come with the program are written by name,
// and a step whose document differs a little from that of the step before has an "edit".
std::string lesson_to_json(const Lesson& lesson);

// Gives every part of a lesson that was changed its place in the file, for messages, and steps without an id, or with
// that of another step, an id of their own.
void name_parts(Lesson& lesson);
// Returns a word that can be an id, made of a title: "a_word_looks_at_its_neighbours"; `otherwise` if it has no
// letters.
std::string id_of_title(std::string_view title, std::string_view otherwise);

// Returns the text of a lesson to begin with: a few steps that say what to write, without mistakes.
std::string lesson_start();

// Returns a sentence for every mistake, as parse_lesson() and check_lesson() say the first one, and for every text that
// is still to be written; none if it is right.
std::vector<std::string> lesson_mistakes(std::string_view text, const KnownViews& known);
std::vector<std::string> lesson_mistakes(const Lesson& lesson, const KnownViews& known);
// Does the same for a file; the sentences name it. Throws Error if it cannot be read.
std::vector<std::string> lesson_mistakes_in(const std::filesystem::path& file, const KnownViews& known);

// Returns the lessons that come with the program, in the order of the menu; none of a user's folder.
const std::vector<std::shared_ptr<const Lesson>>& shipped_lessons();
std::shared_ptr<const Lesson> shipped_lesson(std::string_view id);  // null if there is none

// A text of a lesson, ready to be drawn.
struct TextSpan {
  enum class Style { plain, strong, emphasis, code, number };
  Style style = Style::plain;
  std::string text = {};

  bool operator==(const TextSpan&) const = default;
};
struct TextBlock {
  enum class Kind { paragraph, item, code };  // item: one item of a list
  Kind kind = Kind::paragraph;
  std::vector<TextSpan> spans = {};  // code has one span, with its line ends

  bool operator==(const TextBlock&) const = default;
};

// Returns the blocks of a text. A paragraph that is one formula of several numbers becomes code. Without numbers to
// compute with, "…" stands for each. Throws Error whose sentence begins with the path of the text. With `wrong` a
// formula that cannot be computed throws none: what is wrong with it stands in its place in brackets, and is added
// there.
std::vector<TextBlock> lesson_text(const LessonText& text, const StepNumbers* numbers,
                                   std::vector<std::string>* wrong = nullptr);
// Returns the text in a line, without styles.
std::string plain_lesson_text(const LessonText& text, const StepNumbers* numbers,
                              std::vector<std::string>* wrong = nullptr);

// The attempts at a question so far.
struct QuestionRecord {
  int wrong = 0;
  bool is_right = false;     // the learner answered it before it was revealed
  bool is_revealed = false;  // the learner asked for the answer before giving it

  bool is_done() const { return is_right || is_revealed; }
  bool operator==(const QuestionRecord&) const = default;
};

// The records of all questions, by lesson and step.
class LessonProgress {
public:
  const QuestionRecord& of(const std::string& lesson, const std::string& step) const;
  void answered(const std::string& lesson, const std::string& step, bool is_right);
  void revealed(const std::string& lesson, const std::string& step);
  void clear(const std::string& lesson) { records_.erase(lesson); }
  void clear() { records_.clear(); }

  bool operator==(const LessonProgress&) const = default;

private:
  friend LessonProgress load_progress(const std::filesystem::path& path);
  friend bool save_progress(LessonProgress& progress, const LessonProgress& before, const std::filesystem::path& path);

  // Makes the changes that lead from one progress to another.
  void change(const LessonProgress& before, const LessonProgress& after);

  std::map<std::string, std::map<std::string, QuestionRecord>> records_;
};

struct LessonScore {
  int questions = 0;
  int right = 0;    // answered by the learner
  int at_once = 0;  // those among them that had no wrong answer before
  int revealed = 0;

  bool operator==(const LessonScore&) const = default;
};
LessonScore score_of(const Lesson& lesson, const LessonProgress& progress);
// Returns "4 of 6 right, 3 at the first attempt, 1 shown".
std::string score_words(const LessonScore& score);

// A missing file is nobody's progress. Throws Error where it cannot be read or written.
LessonProgress load_progress(const std::filesystem::path& path);
// Writes what differs from `before`, as this program loaded or saved it last, and takes over what another window has
// written since. Returns false, and writes nothing, if another program keeps the file locked: to be tried again. Throws
// Error.
bool save_progress(LessonProgress& progress, const LessonProgress& before, const std::filesystem::path& path);

}  // namespace attnscope
