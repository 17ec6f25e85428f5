#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "document/builtin.h"
#include "document/json.h"
#include "document/json_value.h"
#include "lessons/formula.h"
#include "lessons/lesson.h"
#include "lessons/lesson_parts.h"

namespace attnscope {
namespace {

constexpr Index most_steps = 200;
constexpr Index most_choices = 8;

constexpr std::array<std::pair<Question::Kind, std::string_view>, 5> kinds = {{{Question::Kind::cell, "cell"},
                                                                               {Question::Kind::number, "number"},
                                                                               {Question::Kind::sketch, "sketch"},
                                                                               {Question::Kind::choose, "choose"},
                                                                               {Question::Kind::reach, "reach"}}};

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
  constexpr std::string_view prefix = "example:";
  const std::string name = value.text("a document, or \"example:\" and the id of an example");
  std::vector<std::string_view> ids;
  for (const BuiltinDocument& builtin : builtin_documents()) {
    if (name.starts_with(prefix) && builtin.id == name.substr(prefix.size())) return Json::parse(builtin.json);
    ids.push_back(builtin.id);
  }
  value.refuse(fmt::format("a document, or \"example:\" and one of {}", fmt::join(ids, ", ")));
}

struct ReadDocument {
  Json json;
  std::shared_ptr<const Document> document;
};

ReadDocument document_of(const JsonValue& value, Json json) {
  return within(value.path(), [&] {
    auto document = std::make_shared<const Document>(parse_document(json.dump()));
    return ReadDocument{std::move(json), std::move(document)};
  });
}

ReadDocument edited(const JsonValue& edit, const ReadDocument& before) {
  if (!edit.is_object()) edit.refuse("an object of keys of the document that change");
  Json json = before.json;
  json.merge_patch(edit.tree());
  return document_of(edit, std::move(json));
}

ReadDocument read_document(const JsonValue& step, const ReadDocument& before) {
  if (step.has("document") && step.has("edit"))
    throw Error(step.path(), fmt::format("{} has both \"document\" and \"edit\": one of them is enough.", step.path()));
  if (step.has("document")) {
    const JsonValue value = step["document"];
    return document_of(value, value.is_object() ? value.tree() : example_of(value));
  }
  if (!before.document)
    throw Error(step.path(), fmt::format("{} is the first step and lacks \"document\".", step.path()));
  return step.has("edit") ? edited(step["edit"], before) : before;
}

// The value whose name stands in a table.
template <typename Named, std::size_t count>
Named named(const JsonValue& value, const std::array<std::pair<Named, std::string_view>, count>& table,
            std::string_view allowed) {
  const std::string name = value.text(allowed);
  for (const auto& [named, word] : table) {
    if (word == name) return named;
  }
  value.refuse(allowed);
}

Stage stage_of(const JsonValue& value) {
  const std::optional<Stage> stage = stage_named(value.text("the id of a stage"));
  if (stage) return *stage;
  std::vector<std::string_view> ids;
  for (const StageInfo& known : stages()) ids.push_back(known.id);
  value.refuse(fmt::format("one of {}", fmt::join(ids, ", ")));
}

Slice slice_in(const JsonValue& value) {
  constexpr std::string_view allowed = "a part of a stage, as \"weights[0,0,1,2]\"";
  const std::string text = value.text(allowed);
  const std::optional<Slice> slice = within(value.path(), [&] { return slice_of(text); });
  if (!slice) value.refuse(allowed);
  return *slice;
}

ViewAddress read_view(const JsonValue& show) {
  if (!show.is_object()) show.refuse("an object, as {\"layout\": \"focus\", \"stage\": \"weights\"}");
  show.check_keys({"layout", "stage", "head", "batch", "pin", "compared_with_before", "side", "decimals", "study"});
  ViewAddress view;
  if (show.has("layout")) view.layout = show["layout"].text("the id of a view");
  if (show.has("stage")) view.stage = stage_of(show["stage"]);
  view.head = show.has("head") ? show["head"].whole(0, max_heads - 1) : 0;
  view.batch = show.has("batch") ? show["batch"].whole(0, max_batch - 1) : 0;
  if (show.has("pin")) {
    const JsonValue pin = show["pin"];
    view.pinned = within(pin.path(), [&] { return cell_of(slice_in(pin)); });
  }
  if (show.has("side"))
    view.side = named(show["side"], compared_sides, "\"A\", \"B\", \"difference\" or \"side-by-side\"");
  if (show.has("decimals")) view.decimals = static_cast<int>(show["decimals"].whole(2, 4));
  if (show.has("study")) view.study.id = show["study"].text("the id of a teaching view");
  return view;
}

void check_object(const JsonValue& value, std::string_view allowed, const std::vector<std::string_view>& keys) {
  if (!value.is_object()) value.refuse(allowed);
  value.check_keys(keys);
}

void read_choices(Question& question, const JsonValue& value) {
  const JsonValue choices = value.needed("choices");
  const Index count = choices.is_array() ? choices.size() : 0;
  if (count < 2 || count > most_choices) choices.refuse(fmt::format("an array of 2 to {} choices", most_choices));
  question.right = static_cast<std::size_t>(value.needed("right").whole(0, count - 1));
  for (JsonItems items(choices); const JsonValue* choice = items.next();) {
    check_object(*choice, "an object of \"text\" and \"why\"", {"text", "why"});
    const bool is_right = question.choices.size() == question.right;
    question.choices.push_back(
        {text_of(choice->needed("text")), is_right ? optional_text(*choice, "why") : text_of(choice->needed("why"))});
  }
}

void read_mistakes(Question& question, const JsonValue& mistakes) {
  if (!mistakes.is_array() || mistakes.size() > most_choices)
    mistakes.refuse(fmt::format("an array of up to {} objects of \"value\" and \"why\"", most_choices));
  for (JsonItems items(mistakes); const JsonValue* mistake = items.next();) {
    check_object(*mistake, "an object of \"value\" and \"why\"", {"value", "why"});
    question.mistakes.push_back({mistake->needed("value").text("a formula"), text_of(mistake->needed("why"))});
  }
}

Question read_question(const JsonValue& value, const ReadDocument& document) {
  if (!value.is_object()) value.refuse("an object, as {\"kind\": \"number\", \"ask\": \"…\"}");
  constexpr std::string_view allowed = "\"cell\", \"number\", \"sketch\", \"choose\" or \"reach\"";
  Question question{
      .kind = named(value.needed("kind"), kinds, allowed), .path = value.path(), .ask = text_of(value.needed("ask"))};
  using Kind = Question::Kind;
  std::vector<std::string_view> keys = {"kind", "ask", "because", "then"};
  if (question.kind == Kind::choose) {
    keys.insert(keys.end(), {"choices", "right"});
  } else if (question.kind == Kind::reach) {
    keys.insert(keys.end(), {"value", "to", "tolerance", "solution"});
  } else {
    keys.insert(keys.end(), {"answer", "tolerance"});
    if (question.kind == Kind::number) keys.emplace_back("mistakes");
  }
  value.check_keys(keys);
  question.because = optional_text(value, "because");
  if (value.has("then")) question.then = read_view(value["then"]);
  constexpr double most = 1e6;
  if (question.kind == Kind::choose) {
    read_choices(question, value);
    return question;
  }
  if (value.has("tolerance")) question.tolerance = static_cast<double>(value["tolerance"].number(0, most));
  if (question.kind == Kind::reach) {
    question.answer = value.needed("value").text("a formula");
    question.to = static_cast<double>(value.needed("to").number(-most, most));
    question.solution = edited(value.needed("solution"), document).document;
    return question;
  }
  const JsonValue answer = value.needed("answer");
  if (question.kind == Kind::cell) within(answer.path(), [&] { return cell_of(slice_in(answer)); });
  if (question.kind == Kind::sketch) slice_in(answer);
  question.answer = answer.text("a formula");
  if (value.has("mistakes")) read_mistakes(question, value["mistakes"]);
  return question;
}

LessonStep read_step(const JsonValue& value, ReadDocument& document) {
  check_object(value, "an object, as {\"title\": \"…\", \"text\": \"…\"}",
               {"id", "title", "text", "document", "edit", "show", "question"});
  LessonStep step{
      .id = id_of(value.needed("id")), .title = text_of(value.needed("title")), .text = text_of(value.needed("text"))};
  const std::shared_ptr<const Document> before = document.document;
  document = read_document(value, document);
  step.document = document.document;
  if (const std::optional<JsonValue> show = value.find("show")) {
    step.view = read_view(*show);
    const bool compares = show->has("compared_with_before") && (*show)["compared_with_before"].flag();
    if (compares && !before)
      throw Error(value.path(), fmt::format("{} is the first step: there is no document before it.", value.path()));
    if (compares) {
      Document pair = *document.document;
      pair.compared = before;
      step.document = std::make_shared<const Document>(std::move(pair));
    }
  }
  if (value.has("question")) step.question = read_question(value["question"], document);
  return step;
}

}  // namespace

Lesson parse_lesson(std::string_view text) {
  const JsonText json(text, "The lesson");
  const JsonValue value = json.root();
  if (!value.is_object())
    throw Error("A lesson is an object, as {\"id\": \"first\", \"title\": \"…\", \"steps\": […]}.");
  value.check_keys({"id", "title", "summary", "steps"});
  Lesson lesson{.id = id_of(value.needed("id")),
                .title = value.needed("title").text(),
                .summary = value.has("summary") ? value["summary"].text() : ""};
  const JsonValue steps = value.needed("steps");
  const Index count = steps.is_array() ? steps.size() : 0;
  if (count < 1 || count > most_steps) steps.refuse(fmt::format("an array of 1 to {} steps", most_steps));
  ReadDocument document;
  std::set<std::string> ids;
  for (JsonItems items(steps); const JsonValue* step = items.next();) {
    lesson.steps.push_back(read_step(*step, document));
    if (!ids.insert(lesson.steps.back().id).second)
      throw Error(step->path(), fmt::format("{}.id is \"{}\", which another step already has.", step->path(),
                                            lesson.steps.back().id));
  }
  return lesson;
}

}  // namespace attnscope
