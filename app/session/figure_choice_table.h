#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluate.h"
#include "session/figure_state.h"

namespace attnscope {

// The subject of a figure decides whether a choice applies, and which values it has.
struct ChoiceSubject {
  const AttentionConfig& config;
  const Result* result = nullptr;  // null: the figure can show every stage of the configuration
  bool has_pinned_cell = false;
};

struct ChoiceValue {
  std::string word;   // as it is typed and kept: "dark"
  std::string title;  // in the dialog
  std::string item;   // the end of its widget's name; empty: the word
};

// A switch of the command line that stands for a word of a choice.
struct ChoiceFlag {
  std::string_view name;  // "--no-arrows"
  const char* word = "on";
  const char* help = "";
};

// The words of a choice.
struct ChoiceWay {
  // Chooses what a word means. Returns nothing, or the rest of the sentence that refuses the word: "it must be 1 to 6".
  std::function<std::string(FigureChoices& choices, const std::string& word, const ChoiceSubject& subject)> choose;
  // Returns the word of the value that is chosen, where somebody reads it.
  std::function<std::string(const FigureChoices& choices)> word = {};
  // Returns all values in the order of the dialog; none for text and numbers.
  std::function<std::vector<ChoiceValue>(const ChoiceSubject& subject)> values = {};
  bool has_fixed_values = false;  // the same for every document
};

// One thing that can be chosen about a figure. The dialog, the settings and the command line read this row.
struct FigureChoice {
  std::string_view key;        // in settings and, with dashes, on the command line: "font_size"
  std::string label = {};      // label of its row in the dialog: "font size"; empty in the table: the key
  std::string_view help = {};  // help of its option on the command line; empty: it has none
  std::string tip = {};        // in the dialog
  bool is_of_film = false;     // applies to the film of a number, which has titles and colours of its own
  bool is_kept = false;        // kept in the settings, because it does not belong to a document
  ChoiceWay way;
  // Returns why the choice changes nothing of this figure; empty if it does. The command line refuses it, and the
  // dialog disables it.
  std::function<std::string(const FigureChoices& choices, const ChoiceSubject& subject)> idle = {};
  // Returns why the dialog does not offer it, though the command line takes it; empty if it does.
  std::function<std::string(const FigureChoices& choices, const ChoiceSubject& subject)> obstacle = {};
  std::span<const ChoiceFlag> flags = {};  // of the command line, instead of an option
};

// The choices in the order in which they are made: which cells there are depends on the stage that was chosen before.
std::span<const FigureChoice> figure_choice_table();
const FigureChoice& figure_choice(std::string_view key);

std::string idleness_of(const FigureChoice& choice, const FigureChoices& choices, const ChoiceSubject& subject);
std::string obstacle_to(const FigureChoice& choice, const FigureChoices& choices, const ChoiceSubject& subject);

constexpr std::size_t most_figure_text = 2000;  // bytes of a title or a caption: more than any page has room for

}  // namespace attnscope
