#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "teach/teaching_view.h"

namespace attnscope {

// A document that has what a question asks about, where the reader's own has not.
struct QuestionExample {
  std::string_view missing;  // "dropout": what the document has none of
  std::string_view change;   // "with p = 0.50"
  bool (*is_there)(const AttentionConfig& config);
  AttentionConfig (*with)(AttentionConfig config);
};

// The questions of readers, most often asked first: one row of the table, and a function that answers with the
// subject's numbers.
struct ReaderQuestion {
  std::string_view id;
  std::string_view text;      // "Why do rows not sum to 1 after dropout?"
  std::string_view study;     // the view that shows it
  std::string_view keywords;  // that a search finds it by, besides its text
  std::string (*answer)(const TeachingViewSubject& subject);
  std::initializer_list<Stage> stages = {};  // that it is asked at
  const QuestionExample* example = nullptr;
  std::string_view control = {};  // of the setup that it is asked at; empty: none
  std::initializer_list<std::pair<const std::string, double>> controls = {};  // of the view, as the question opens it
};

std::span<const ReaderQuestion> questions();
const ReaderQuestion* question_named(std::string_view id);            // null where there is none
const ReaderQuestion* question_at(Stage stage);                       // the first one; null where none is asked there
const ReaderQuestion* question_at_control(std::string_view control);  // "dropout"
// Returns the questions with every word of a text in them, in any case of letters; all for an empty text.
std::vector<const ReaderQuestion*> find_questions(std::string_view text);

// Returns the configuration that a question is answered with where a document has nothing of what is asked about; none
// where it has, where no such change is possible, and for documents that are too long to be computed a second time.
std::optional<AttentionConfig> example_for(const ReaderQuestion& question, const Result& result);
// Returns the row that a question is about: one that it asks for, else the pinned one, else one that shows most.
Index row_for(const ReaderQuestion& question, const Result& result, Index head, Index batch,
              std::optional<Index> pinned);

// A few sentences, the first of which answers. Where nothing can be shown of the subject's document, they say why.
std::string answer_of(const ReaderQuestion& question, const TeachingViewSubject& subject);
// "This document has no dropout, so this is the same document with p = 0.50." Says what else is different in the
// example.
std::string example_words(const ReaderQuestion& question, const AttentionConfig& own, const AttentionConfig& example);

}  // namespace attnscope
