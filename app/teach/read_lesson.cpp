#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "assets/assets.h"
#include "core/error.h"
#include "core/text.h"
#include "document/builtin.h"
#include "document/json.h"
#include "document/json_value.h"
#include "platform/system/file.h"
#include "platform/system/process.h"
#include "teach/formula.h"
#include "teach/lesson.h"
#include "teach/lesson_reading.h"

namespace attnscope {
namespace {

constexpr Index most_steps = 200;
constexpr Index most_choices = 8;

LessonText text_of(const JsonValue& value) {
  constexpr std::string_view allowed = "a text, or an array of paragraphs";
  if (!value.is_array()) return {value.path(), value.text(allowed)};
  LessonText text{value.path(), ""};
  for (JsonItems items(value); const JsonValue* paragraph = items.next();)
    text.markdown += (items.count() == 1 ? "" : "\n\n") + paragraph->text();
  return text;
}

LessonText optional_text(const JsonValue& object, const std::string& key) {
  const std::optional<JsonValue> value = object.find(key);
  return value ? text_of(*value) : LessonText{object.path() + "." + key, ""};
}

std::string id_of(const JsonValue& value) {
  constexpr std::string_view allowed = "a word of small letters, digits and _";
  const std::string id = value.text(allowed);
  const bool is_word = !id.empty() && std::ranges::all_of(id, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  });
  if (!is_word) value.refuse(allowed);
  return id;
}

Json example_of(const JsonValue& value) {
  constexpr std::string_view allowed = "a document, or \"example:\" and the id of an example";
  const auto example = within(value.path(), [&] { return example_named(value.text(allowed)); });
  if (!example) value.refuse(allowed);
  return parse_json(example->json);
}

struct ReadDocument {
  Json json;
  std::shared_ptr<const Document> document;
  DocumentFiles files;    // opens the models that the document names
  bool is_wrong = false;  // it could not be read, so what is made of it cannot be, either
};

ReadDocument document_of(const JsonValue& value, Json json, const DocumentFiles& files) {
  return within(value.path(), [&] {
    auto document = std::make_shared<const Document>(parse_document(json_text(json), files));
    return ReadDocument{std::move(json), std::move(document), files};
  });
}

ReadDocument edited(const JsonValue& edit, const ReadDocument& before) {
  if (!edit.is_object()) edit.refuse("an object of keys of the document that change");
  Json json = before.json;
  json.merge_patch(edit.tree());
  return document_of(edit, std::move(json), before.files);
}

ReadDocument read_document(const JsonValue& step, const ReadDocument& before) {
  if (step.has("document") && step.has("edit"))
    throw Error(step.path(), fmt::format("{} has both \"document\" and \"edit\": one of them is enough.", step.path()));
  if (step.has("document")) {
    const JsonValue value = step["document"];
    return document_of(value, value.is_object() ? value.tree() : example_of(value), before.files);
  }
  if (!before.document && !before.is_wrong)
    throw Error(step.path(), fmt::format("{} is the first step and lacks \"document\".", step.path()));
  if (before.is_wrong) return before;
  return step.has("edit") ? edited(step["edit"], before) : before;
}

// Returns the value that a name has in a table.
template <typename Named, std::size_t count>
Named named(const JsonValue& value, const std::array<std::pair<Named, std::string_view>, count>& table,
            std::string_view allowed) {
  const std::string name = value.text(allowed);
  for (const auto& [named, word] : table) {
    if (word == name) return named;
  }
  value.refuse(allowed);
}

Slice slice_in(const JsonValue& value) {
  constexpr std::string_view allowed = "a part of a stage, as \"weights[0,0,1,2]\"";
  const std::string text = value.text(allowed);
  const std::optional<Slice> slice = within(value.path(), [&] { return slice_of(text); });
  if (!slice) value.refuse(allowed);
  return *slice;
}

// Notes every key that is none of these.
void check_all_keys(const JsonValue& value, const std::vector<std::string_view>& known, Mistakes& mistakes) {
  const std::string path = value.path();
  for (JsonItems items(value); const JsonValue* item = items.next();) {
    if (std::ranges::find(known, item->key()) != known.end()) continue;
    mistakes.attempt([&] {
      throw Error(path, fmt::format("{} has the unknown key {}{}", path.empty() ? "The lesson" : path,
                                    in_quotes(item->key()), known_names(item->key(), known, ": its keys are ")));
    });
  }
}

// Reads the value of a key if it is there; notes the mistake in it.
template <typename Read>
void read_key(const JsonValue& object, std::string_view key, Mistakes& mistakes, const Read& read) {
  mistakes.attempt([&] {
    if (const std::optional<JsonValue> value = object.find(key)) read(*value);
  });
}
// Does the same; it is a mistake if the key is left out.
template <typename Read>
void read_needed(const JsonValue& object, std::string_view key, Mistakes& mistakes, const Read& read) {
  mistakes.attempt([&] {
    const JsonValue value = object.needed(key);
    read(value);
  });
}

void read_study_values(ViewAddress& view, const JsonValue& value) {
  if (!value.is_object()) value.refuse("an object of controls of the teaching view and their numbers");
  for (JsonItems items(value); const JsonValue* item = items.next();) view.study.values[item->key()] = item->number();
}

RangeMode range_of(const JsonValue& value) {
  const std::string id = value.text("the id of a colour range");
  const auto* const row = std::ranges::find(range_modes, id, &RangeModeName::id);
  if (row != std::end(range_modes)) return row->mode;
  std::vector<std::string_view> ids;
  for (const RangeModeName& known : range_modes) ids.push_back(known.id);
  value.refuse_name(ids);
}

ViewAddress read_view(const JsonValue& show, Mistakes& mistakes) {
  ViewAddress view;
  if (!show.is_object()) {
    mistakes.attempt([&] { show.refuse("an object, as {\"layout\": \"focus\", \"stage\": \"weights\"}"); });
    return view;
  }
  check_all_keys(show,
                 {"layout", "stage", "head", "batch", "pin", "compared_with_before", "side", "decimals", "range",
                  "study", "set", "query", "film"},
                 mistakes);
  view.head = 0;
  view.batch = 0;
  const auto read = [&](std::string_view key, const auto& work) { read_key(show, key, mistakes, work); };
  read("layout", [&](const JsonValue& value) { view.mode = value.text("the id of a view"); });
  read("stage", [&](const JsonValue& value) { view.stage = named_stage(value); });
  read("head", [&](const JsonValue& value) { view.head = value.whole(0, max_heads - 1); });
  read("batch", [&](const JsonValue& value) { view.batch = value.whole(0, max_batch - 1); });
  read("pin",
       [&](const JsonValue& value) { view.pinned = within(value.path(), [&] { return cell_of(slice_in(value)); }); });
  read("side", [&](const JsonValue& value) {
    view.side = named(value, compared_sides, "\"A\", \"B\", \"difference\" or \"side-by-side\"");
  });
  read("decimals", [&](const JsonValue& value) { view.decimals = static_cast<int>(value.whole(2, 4)); });
  read("range", [&](const JsonValue& value) { view.range = range_of(value); });
  read("study", [&](const JsonValue& value) { view.study.id = value.text("the id of a teaching view"); });
  read("set", [&](const JsonValue& value) { read_study_values(view, value); });
  read("query", [&](const JsonValue& value) { view.study.query = value.whole(0, max_tokens - 1); });
  read("film", [&](const JsonValue& value) { view.film = value.flag(); });
  return view;
}

void check_object(const JsonValue& value, std::string_view allowed, const std::vector<std::string_view>& keys,
                  Mistakes& mistakes) {
  if (!value.is_object()) value.refuse(allowed);
  check_all_keys(value, keys, mistakes);
}

void read_choices(Question& question, const JsonValue& value, Mistakes& mistakes) {
  const JsonValue choices = value.needed("choices");
  const Index count = choices.is_array() ? choices.size() : 0;
  if (count < 2 || count > most_choices) choices.refuse(fmt::format("an array of 2 to {} choices", most_choices));
  std::optional<std::size_t> right;
  read_needed(value, "right", mistakes,
              [&](const JsonValue& index) { right = static_cast<std::size_t>(index.whole(0, count - 1)); });
  question.right = right.value_or(0);
  for (JsonItems items(choices); const JsonValue* choice = items.next();) {
    const std::size_t place = question.choices.size();
    const bool needs_why = right && place != *right;
    question.choices.emplace_back();
    mistakes.attempt([&] {
      check_object(*choice, "an object of \"text\" and \"why\"", {"text", "why"}, mistakes);
      question.choices[place].why = {choice->path() + ".why", ""};
      read_needed(*choice, "text", mistakes,
                  [&](const JsonValue& text) { question.choices[place].text = text_of(text); });
      const auto read_why = [&](const JsonValue& why) { question.choices[place].why = text_of(why); };
      needs_why ? read_needed(*choice, "why", mistakes, read_why) : read_key(*choice, "why", mistakes, read_why);
    });
  }
}

void read_mistakes(Question& question, const JsonValue& list, Mistakes& mistakes) {
  if (!list.is_array() || list.size() > most_choices)
    list.refuse(fmt::format("an array of up to {} objects of \"value\" and \"why\"", most_choices));
  for (JsonItems items(list); const JsonValue* mistake = items.next();) {
    mistakes.attempt([&] {
      check_object(*mistake, "an object of \"value\" and \"why\"", {"value", "why"}, mistakes);
      question.mistakes.push_back({mistake->needed("value").text("a formula"), text_of(mistake->needed("why"))});
    });
  }
}

std::vector<std::string_view> keys_of(Question::Kind kind) {
  using Kind = Question::Kind;
  std::vector<std::string_view> keys = {"kind", "ask", "because", "then"};
  if (kind == Kind::choose) {
    keys.insert(keys.end(), {"choices", "right"});
  } else if (kind == Kind::reach) {
    keys.insert(keys.end(), {"value", "to", "tolerance", "solution"});
  } else {
    keys.insert(keys.end(), {"answer", "tolerance"});
    if (kind == Kind::number) keys.emplace_back("mistakes");
  }
  return keys;
}

constexpr double most_goal = 1e6;

void read_reached(Question& question, const JsonValue& value, const ReadDocument& document, Mistakes& mistakes) {
  read_needed(value, "value", mistakes, [&](const JsonValue& formula) { question.answer = formula.text("a formula"); });
  read_needed(value, "to", mistakes,
              [&](const JsonValue& to) { question.to = static_cast<double>(to.number(-most_goal, most_goal)); });
  read_needed(value, "solution", mistakes, [&](const JsonValue& solution) {
    if (!document.is_wrong) question.solution = edited(solution, document).document;
  });
}

void read_answer(Question& question, const JsonValue& answer) {
  if (question.kind == Question::Kind::cell) within(answer.path(), [&] { return cell_of(slice_in(answer)); });
  if (question.kind == Question::Kind::sketch) slice_in(answer);
  question.answer = answer.text("a formula");
}

// Throws Error if the question cannot be known; what is wrong in it is noted.
Question read_question(const JsonValue& value, const ReadDocument& document, Mistakes& mistakes) {
  if (!value.is_object()) value.refuse("an object, as {\"kind\": \"number\", \"ask\": \"…\"}");
  constexpr std::string_view allowed = "\"cell\", \"number\", \"sketch\", \"choose\" or \"reach\"";
  Question question{.kind = named(value.needed("kind"), question_kinds, allowed), .path = value.path()};
  using Kind = Question::Kind;
  check_all_keys(value, keys_of(question.kind), mistakes);
  read_needed(value, "ask", mistakes, [&](const JsonValue& ask) { question.ask = text_of(ask); });
  mistakes.attempt([&] { question.because = optional_text(value, "because"); });
  read_key(value, "then", mistakes, [&](const JsonValue& then) { question.then = read_view(then, mistakes); });
  read_key(value, "tolerance", mistakes, [&](const JsonValue& tolerance) {
    if (question.kind != Kind::choose) question.tolerance = static_cast<double>(tolerance.number(0, most_goal));
  });
  if (question.kind == Kind::choose) {
    mistakes.attempt([&] { read_choices(question, value, mistakes); });
  } else if (question.kind == Kind::reach) {
    read_reached(question, value, document, mistakes);
  } else {
    read_needed(value, "answer", mistakes, [&](const JsonValue& answer) { read_answer(question, answer); });
  }
  if (question.kind == Kind::number)
    read_key(value, "mistakes", mistakes, [&](const JsonValue& list) { read_mistakes(question, list, mistakes); });
  return question;
}

// Compares the step's document with that of the step before, if it says so.
void compare_with_before(LessonStep& step, const JsonValue& value, const JsonValue& show,
                         const std::shared_ptr<const Document>& before, bool is_wrong) {
  if (!show.has("compared_with_before") || !show["compared_with_before"].flag() || is_wrong || !step.document) return;
  if (!before)
    throw Error(value.path(), fmt::format("{} is the first step: there is no document before it.", value.path()));
  Document pair = *step.document;
  pair.compared = before;
  step.document = std::make_shared<const Document>(std::move(pair));
}

// Reads a step; its document is null if that could not be read.
StepReading read_step(LessonStep& step, const JsonValue& value, ReadDocument& document, Mistakes& mistakes) {
  StepReading reading;
  check_object(value, "an object, as {\"title\": \"…\", \"text\": \"…\"}",
               {"id", "title", "text", "document", "edit", "show", "question"}, mistakes);
  read_needed(value, "id", mistakes, [&](const JsonValue& id) { step.id = id_of(id); });
  read_needed(value, "title", mistakes, [&](const JsonValue& title) { step.title = text_of(title); });
  read_needed(value, "text", mistakes, [&](const JsonValue& text) { step.text = text_of(text); });
  const ReadDocument before = document;
  document.is_wrong = true;
  mistakes.attempt([&] { document = read_document(value, before); });
  step.document = document.is_wrong ? nullptr : document.document;
  const std::size_t before_view = mistakes.count();
  read_key(value, "show", mistakes, [&](const JsonValue& show) {
    step.view = read_view(show, mistakes);
    compare_with_before(step, value, show, before.document, before.is_wrong);
  });
  reading.has_view = mistakes.count() == before_view;
  const std::size_t before_question = mistakes.count();
  read_key(value, "question", mistakes,
           [&](const JsonValue& question) { step.question = read_question(question, document, mistakes); });
  reading.has_question = mistakes.count() == before_question;
  return reading;
}

// Throws Error if no step can be read; what is wrong in the steps is noted.
void read_lesson(LessonReading& reading, const JsonValue& value, const DocumentFiles& files, Mistakes& mistakes) {
  if (!value.is_object())
    throw Error("A lesson is an object, as {\"id\": \"first\", \"title\": \"…\", \"steps\": […]}.");
  check_all_keys(value, {"id", "title", "summary", "steps"}, mistakes);
  Lesson& lesson = reading.lesson;
  read_needed(value, "id", mistakes, [&](const JsonValue& id) { lesson.id = id_of(id); });
  read_needed(value, "title", mistakes, [&](const JsonValue& title) { lesson.title = title.text(); });
  reading.has_title = value.has("title");
  read_key(value, "summary", mistakes, [&](const JsonValue& summary) { lesson.summary = summary.text(); });
  const JsonValue steps = value.needed("steps");
  const Index count = steps.is_array() ? steps.size() : 0;
  if (count < 1 || count > most_steps) steps.refuse(fmt::format("an array of 1 to {} steps", most_steps));
  ReadDocument document{.json = {}, .document = {}, .files = files};
  std::set<std::string> ids;
  for (JsonItems items(steps); const JsonValue* step = items.next();) {
    if (files.watch) files.watch(0);
    LessonStep& read = lesson.steps.emplace_back();
    reading.steps.emplace_back();
    mistakes.begin_step(std::ssize(lesson.steps) - 1);
    mistakes.attempt([&] { reading.steps.back() = read_step(read, *step, document, mistakes); });
    if (read.id.empty() || ids.insert(read.id).second) continue;
    mistakes.attempt([&] {
      throw Error(step->path(), fmt::format("{}.id is \"{}\", which another step already has.", step->path(), read.id));
    });
  }
}

}  // namespace

LessonReading read_lesson(std::string_view text, const DocumentFiles& files, Mistakes& mistakes) {
  LessonReading reading;
  mistakes.attempt([&] {
    const JsonText json(text, "The lesson", files.watch);
    const JsonValue value = json.root();
    read_lesson(reading, value, files, mistakes);
  });
  return reading;
}

Lesson parse_lesson(std::string_view text, const DocumentFiles& files) {
  Mistakes mistakes;
  LessonReading reading = read_lesson(text, files, mistakes);
  mistakes.throw_first();
  return std::move(reading.lesson);
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_lesson_bytes = 4'000'000;

// Reads all shipped lessons in the order of their files, whose names begin with a number.
std::vector<std::shared_ptr<const Lesson>> read_all() {
  std::vector<const Asset*> files;
  for (const Asset& file : assets()) {
    if (file.name.starts_with("lessons/")) files.push_back(&file);
  }
  std::ranges::sort(files, {}, &Asset::name);
  std::vector<std::shared_ptr<const Lesson>> lessons;
  for (const Asset* const file : files) lessons.push_back(std::make_shared<const Lesson>(parse_lesson(file->bytes)));
  return lessons;
}

}  // namespace

bool is_lesson_path(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) return true;
  const bool can_be_one = path.extension() == ".json" && fs::is_regular_file(path, failure) &&
                          fs::file_size(path, failure) <= most_lesson_bytes;
  if (!can_be_one) return false;
  try {
    const std::string text = read_file(path, most_lesson_bytes);
    const JsonText json(text, "It");
    const JsonValue root = json.root();
    return root.is_object() && root.has("steps") && root.has("title");
  } catch (const Error&) {
    return false;
  }
}

std::vector<fs::path> lesson_files(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_directory(path, failure)) return {path};
  std::vector<fs::path> files = entries_of(path, failure);
  if (failure) throw Error(fmt::format("{} cannot be read: {}.", shown_path(path), failure.message()));
  std::erase_if(files, [](const fs::path& file) { return file.extension() != ".json"; });
  return files;
}

Lesson load_lesson(const fs::path& file, const DocumentFiles& files) {
  try {
    Lesson lesson = parse_lesson(read_file(file, most_lesson_bytes, files.watch), files);
    std::error_code failure;
    lesson.file = fs::absolute(file, failure);
    return lesson;
  } catch (const Error& error) {
    const bool names_file = std::string_view(error.what()).find(shown_path(file)) != std::string_view::npos;
    if (names_file) throw;
    throw Error(error.field, fmt::format("{}: {}", shown_path(file), error.what()));
  }
}

std::vector<std::string> lesson_mistakes_in(const fs::path& file, const KnownViews& known) {
  std::vector<std::string> sentences = lesson_mistakes(read_file(file, most_lesson_bytes), known);
  for (std::string& sentence : sentences) sentence = fmt::format("{}: {}", shown_path(file), sentence);
  return sentences;
}

std::string lesson_start() {
  const auto file = std::ranges::find(assets(), "start/lesson.json", &Asset::name);
  return std::string(file->bytes);
}

const std::vector<std::shared_ptr<const Lesson>>& shipped_lessons() {
  static const std::vector<std::shared_ptr<const Lesson>> lessons = read_all();
  return lessons;
}

std::shared_ptr<const Lesson> shipped_lesson(std::string_view id) {
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    if (lesson->id == id) return lesson;
  }
  return nullptr;
}

}  // namespace attnscope
