#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "document/json.h"
#include "teach/lesson.h"

namespace attnscope {

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

// Returns a sentence for every mistake, as parse_lesson() and check_lesson() say the first one; none if it is right.
std::vector<std::string> lesson_mistakes(std::string_view text, const KnownViews& known,
                                         const DocumentFiles& files = {});
std::vector<std::string> lesson_mistakes(const Lesson& lesson, const KnownViews& known);
// Does the same for a file; the sentences name it. Throws Error if it cannot be read.
std::vector<std::string> lesson_mistakes_in(const std::filesystem::path& file, const KnownViews& known);

}  // namespace attnscope
