#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/study.h"

namespace attnscope {

// The questions of readers, most often asked first: one row of the table, and a function that answers with the
// subject's numbers.
struct ReaderQuestion {
  std::string_view id;
  std::string_view text;                // "Why do rows not sum to 1 after dropout?"
  std::string_view study;               // the view that shows it
  std::string_view keywords;            // that a search finds it by, besides its text
  std::initializer_list<Stage> stages;  // that it is asked at
  std::string_view control;             // of the setup, likewise; empty: none
  std::string (*answer)(const StudySubject& subject);
};

std::span<const ReaderQuestion> questions();
const ReaderQuestion* question_named(std::string_view id);            // null where there is none
const ReaderQuestion* question_at(Stage stage);                       // the first one; null where none is asked there
const ReaderQuestion* question_at_control(std::string_view control);  // "dropout"
// Returns the questions with every word of a text in them, in any case of letters; all for an empty text.
std::vector<const ReaderQuestion*> find_questions(std::string_view text);

// Two or three sentences. Where the document has nothing of what is asked about, they say so.
std::string answer_of(const ReaderQuestion& question, const StudySubject& subject);

}  // namespace attnscope
