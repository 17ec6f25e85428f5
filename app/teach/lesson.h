#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "document/json.h"
#include "view/view_address.h"

// A lesson, as JSON:
//
//   { "id": "neighbours", "title": "A word looks at its neighbours", "summary": "One line for the menu.",
//     "steps": [ {
//       "id": "scores", "title": "How alike are two words?",
//       "text": ["A paragraph with *emphasis*, **more of it**, `code` and numbers: {{scores[0,0,1,2]:.2f}}.", "…"],
//       "document": "example:simple_self_attention",
//       "show": {"layout": "focus", "stage": "scores", "head": 0, "batch": 0, "pin": "scores[0,0,1,2]"},
//       "question": {"kind": "number", "ask": "…", "answer": "scores[0,0,1,2]", "tolerance": 0.01, "because": "…"}
//     } ] }
//
// * `document` is a document, or "example:" and the id of one that comes with the program; `edit` changes that of the
//   step before, as JSON merge patches do: keys take the place of keys, null removes one. Neither: it stays.
// * `show` says how it is looked at. `compared_with_before` compares with the document of the step before, `side` says
//   which side shows, `study` opens a teaching view; all may be left out.
// * Questions: "cell" (`answer` is the cell to click), "number" (`answer` is a formula), "sketch" (`answer` is a row,
//   covered until it is answered), "choose" (`choices` of `text` and `why`, `right` is the index of one), "reach" (the
//   formula `value` is to become `to`; `solution` is an edit that does it). `tolerance` is how far off counts as right,
//   `because` is said in the end, and `then` is how it is looked at from then on, as `show`. A sketch is drawn without
//   its row in sight: `show` is a "focus" on a stage before it. `mistakes` of a number are objects of `value`, a
//   formula for a wrong number that people type, and `why`, which is said to them.
// * Numbers of the step's document stand in every text: lessons/formula.h has what can be named.
namespace attnscope {

struct LessonText {
  std::string path;      // in the file, for messages: "steps[2].text"
  std::string markdown;  // numbers as formulas
};

struct Choosable {
  LessonText text;
  LessonText why;  // what is said when it is chosen, of a wrong one
};

// A wrong number that many people type, and what is said to them.
struct Mistake {
  std::string value = {};  // a formula
  LessonText why = {};
};

struct Question {
  enum class Kind { cell, number, sketch, choose, reach };

  Kind kind = Kind::choose;
  std::string path = {};  // "steps[2].question"
  LessonText ask = {};
  LessonText because = {};                        // said when it was answered or revealed
  std::optional<ViewAddress> then = {};           // how it is looked at once it was answered
  std::string answer = {};                        // a formula; of `reach` what is to become `to`
  double to = 0;                                  // of `reach`
  double tolerance = 0;                           // of numbers, bars and `reach`
  std::vector<Mistake> mistakes = {};             // of numbers
  std::vector<Choosable> choices = {};            // of `choose`
  std::size_t right = 0;                          // which of them
  std::shared_ptr<const Document> solution = {};  // of `reach`
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
};

// Throws Error whose sentence begins with the path of what is wrong. `files` opens the models that its documents name.
Lesson parse_lesson(std::string_view text, const DocumentFiles& files = {});

// Words of views that this folder does not know.
struct KnownViews {
  std::vector<std::string_view> layouts;
  std::vector<std::string_view> studies;
};
// Evaluates every step, computes every number of every text, and answers every question. Throws Error.
void check_lesson(const Lesson& lesson, const KnownViews& known);

// The lessons that come with the program, in order; the ids of those that are in a folder are not among them.
const std::vector<std::shared_ptr<const Lesson>>& shipped_lessons();
std::shared_ptr<const Lesson> shipped_lesson(std::string_view id);  // null where there is none

}  // namespace attnscope
