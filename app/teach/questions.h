#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/document.h"
#include "teach/teaching_view.h"

namespace attnscope {

// A change to a document that lacks what a question asks about: the example has it.
struct QuestionExample {
  std::string_view missing;  // names what the document lacks: "dropout"
  std::string_view change;   // "with p = 0.50"
  bool (*is_there)(const AttentionConfig& config);
  AttentionConfig (*with)(AttentionConfig config);
};

// A change to the document that a question proposes.
struct QuestionRemedy {
  std::string label;  // of a button: "Multiply the scores by 50"
  std::function<void(Document& document)> change;
  bool is_answered = false;                     // the answer says what one sees then; otherwise the diagram shows it
  bool shows_changes = false;                   // the diagram shows what the change changes
  std::map<std::string, double> controls = {};  // values that the view keeps, so that it goes on about the same cells
  std::optional<Index> head = {};               // the one in which most changes
};

// The questions of readers, most often asked first: one row of the table, and a function that answers with the
// subject's numbers.
struct ReaderQuestion {
  std::string_view id;
  std::string_view text;      // "Why do rows not sum to 1 after dropout?"
  std::string_view study;     // id of the view that shows the answer
  std::string_view keywords;  // a search finds the question by these, too
  std::string (*answer)(const TeachingViewSubject& subject);
  std::initializer_list<Stage> stages = {};  // stages that offer the question
  const QuestionExample* example = nullptr;
  std::string_view control = {};  // a control of the setup that offers it; empty: none
  std::initializer_list<std::pair<const std::string, double>> controls = {};  // values as the question opens its view
  std::optional<QuestionRemedy> (*remedy)(const Result& result) = nullptr;  // returns nothing where it changes nothing
  std::string_view pair = {};                                               // id of a ready pair that shows it
  std::optional<QuestionRemedy> (*trial)(const TeachingViewSubject& subject) = nullptr;  // shows what is answered
};

std::span<const ReaderQuestion> questions();
const ReaderQuestion* question_named(std::string_view id);            // null if there is none
const ReaderQuestion* question_at(Stage stage);                       // the first one; null if the stage offers none
const ReaderQuestion* question_at_control(std::string_view control);  // "dropout"
// Returns the questions with every word of a text in them, in any case of letters; all for an empty text.
std::vector<const ReaderQuestion*> find_questions(std::string_view text);

// Returns the example that answers a question if the document lacks what is asked about. Returns nothing if it has
// that, if no such change is possible, and for documents that are too long to be computed a second time.
std::optional<AttentionConfig> example_for(const ReaderQuestion& question, const Result& result);
// Returns the row that a question is about: the row that it asks for, else the pinned one, else the one that shows
// most.
Index row_for(const ReaderQuestion& question, const Result& result, Index head, Index batch,
              std::optional<Index> pinned);

// Returns a few sentences, the first of which answers. If the subject's document has nothing to show, they say why.
std::string answer_of(const ReaderQuestion& question, const TeachingViewSubject& subject);
// Returns "This document has no dropout, so this is the same document with p = 0.50.", and says what else is different
// in the example.
std::string example_words(const ReaderQuestion& question, const AttentionConfig& own, const AttentionConfig& example);

}  // namespace attnscope
