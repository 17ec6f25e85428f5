#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "document/builtin.h"
#include "document/json.h"
#include "document/json_value.h"
#include "teach/lesson.h"
#include "teach/lesson_reading.h"

namespace attnscope {
namespace {

constexpr std::size_t most_line = 110;  // a value that is longer takes several lines

bool is_plain(const Json& value) { return !value.is_array() && !value.is_object(); }

// Returns the value on one line, with a blank after each comma and colon.
std::string on_one_line(const Json& value) {
  if (is_plain(value)) return json_text(value);
  std::string text;
  for (const auto& item : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += json_string(item.key()) + ": ";
    text += on_one_line(item.value());
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

// Writes a value as a person does: what is short on one line, a row of numbers, too.
void write_value(std::string& json, const Json& value, const std::string& indent) {
  const std::string line = on_one_line(value);
  const bool is_row = value.is_array() &&
                      std::ranges::all_of(value, [](const Json& item) { return is_plain(item) && !item.is_string(); });
  if (is_plain(value) || is_row || indent.size() + line.size() <= most_line) {
    json += line;
    return;
  }
  json += value.is_object() ? '{' : '[';
  bool is_first = true;
  for (const auto& item : value.items()) {
    json += (std::exchange(is_first, false) ? "\n  " : ",\n  ") + indent;
    if (value.is_object()) json += json_string(item.key()) + ": ";
    write_value(json, item.value(), indent + "  ");
  }
  json += "\n" + indent + (value.is_object() ? '}' : ']');
}

// Returns an array of the paragraphs of a long text, else the text.
Json written(const LessonText& text) {
  constexpr std::string_view blank_line = "\n\n";
  const std::string_view all = text.markdown;
  if (all.find(blank_line) == std::string_view::npos) return text.markdown;
  Json paragraphs = Json::array();
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(blank_line, begin), all.size());
    paragraphs.push_back(all.substr(begin, end - begin));
    begin = end + blank_line.size();
  }
  return paragraphs;
}

// Returns a number that is read as a float in its shortest form.
double shortest(double number) { return std::stod(fmt::format("{}", static_cast<float>(number))); }

Json written(const ViewAddress& view) {
  Json show = Json::object();
  if (!view.mode.empty()) show["layout"] = view.mode;
  if (view.stage) show["stage"] = info(*view.stage).id;
  if (view.head.value_or(0) > 0) show["head"] = *view.head;
  if (view.batch.value_or(0) > 0) show["batch"] = *view.batch;
  if (view.pinned) show["pin"] = cell_name(*view.pinned);
  if (view.side) show["side"] = word_of(compared_sides, *view.side);
  if (view.decimals) show["decimals"] = *view.decimals;
  if (view.range) {
    const auto* const row = std::ranges::find(range_modes, *view.range, &RangeModeName::mode);
    show["range"] = row->id;
  }
  if (!view.study.id.empty()) show["study"] = view.study.id;
  for (const auto& [control, value] : view.study.values) show["set"][control] = value;
  if (view.study.query) show["query"] = *view.study.query;
  if (view.film) show["film"] = true;
  return show;
}

// Returns the merge patch that makes one document of the other.
Json patch_between(const Json& from, const Json& to) {
  if (!from.is_object() || !to.is_object()) return to;
  Json patch = Json::object();
  for (const auto& item : from.items()) {
    if (!to.contains(item.key())) patch[item.key()] = nullptr;
  }
  for (const auto& item : to.items()) {
    if (!from.contains(item.key())) {
      patch[item.key()] = item.value();
    } else if (from[item.key()] != item.value()) {
      patch[item.key()] = patch_between(from[item.key()], item.value());
    }
  }
  return patch;
}

// Returns the documents that come with the program.
std::vector<std::pair<std::string, Document>> read_examples() {
  std::vector<std::pair<std::string, Document>> examples;
  for (const BuiltinDocument& example : example_documents())
    examples.emplace_back(std::string(example_prefix) + std::string(example.id), parse_document(example.json));
  return examples;
}

// Writes the documents of steps, each as it follows from the one before.
class DocumentsWriter {
public:
  // Returns the document before that of the step; null for the first one.
  const std::shared_ptr<const Document>& before() const { return now_; }

  void write(Json& step, const std::shared_ptr<const Document>& document) {
    const std::shared_ptr<const Document> before = std::exchange(now_, document);
    if (before && (before == document || *before == *document)) return;
    for (const auto& [name, example] : examples_) {
      if (!(example == *document)) continue;
      step["document"] = name;
      json_ = parse_json(example_named(name)->json);
      return;
    }
    const std::string whole = to_json(*document, ModelSha256::if_known);
    if (before) {
      const Json patch = edit(*before, *document);
      Json patched = json_;
      patched.merge_patch(patch);
      if (2 * json_text(patch).size() < whole.size() && says(patched, *document)) {
        step["edit"] = patch;
        json_ = std::move(patched);
        return;
      }
    }
    json_ = parse_json(whole);
    step["document"] = json_;
  }
  // Returns the edit of the step's document that makes the solution of it.
  Json edit_to(const Document& solution) const { return edit(*now_, solution); }

private:
  static Json edit(const Document& from, const Document& to) {
    Json before = parse_json(to_json(from, ModelSha256::if_known));
    Json after = parse_json(to_json(to, ModelSha256::if_known));
    for (Json* const json : {&before, &after}) json->erase("model_sha256");
    return patch_between(before, after);
  }
  // A patch can say everything but that a key of the document has the value null.
  static bool says(const Json& json, const Document& document) {
    const auto model = [&](const std::string& path) {
      const bool is_open = document.model && document.model->path == path;
      return is_open ? document.model : read_model(path);
    };
    try {
      return parse_document(json_text(json), {.models = model}) == document;
    } catch (const Error&) {
      return false;
    }
  }

  std::vector<std::pair<std::string, Document>> examples_ = read_examples();
  std::shared_ptr<const Document> now_;
  Json json_;  // the document as the reader of the lesson has it at this step
};

Json written(const Question& question, const DocumentsWriter& documents) {
  using Kind = Question::Kind;
  Json json = {{"kind", word_of(question_kinds, question.kind)}, {"ask", written(question.ask)}};
  if (question.kind == Kind::reach) {
    json["value"] = question.answer;
    json["to"] = shortest(question.to);
  } else if (question.kind != Kind::choose) {
    json["answer"] = question.answer;
  }
  if (question.tolerance > 0) json["tolerance"] = shortest(question.tolerance);
  if (question.solution) json["solution"] = documents.edit_to(*question.solution);
  for (const Mistake& mistake : question.mistakes)
    json["mistakes"].push_back({{"value", mistake.value}, {"why", written(mistake.why)}});
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const Choosable& choice = question.choices[i];
    Json row = {{"text", written(choice.text)}};
    if (i != question.right || !choice.why.markdown.empty()) row["why"] = written(choice.why);
    json["choices"].push_back(std::move(row));
  }
  if (question.kind == Kind::choose) json["right"] = question.right;
  if (question.then) json["then"] = written(*question.then);
  if (!question.because.markdown.empty()) json["because"] = written(question.because);
  return json;
}

Json written(const LessonStep& step, DocumentsWriter& documents) {
  Json json = {{"id", step.id}, {"title", written(step.title)}, {"text", written(step.text)}};
  Json show = written(step.view);
  std::shared_ptr<const Document> own = step.document;
  const std::shared_ptr<const Document>& before = documents.before();
  if (own->compared && before && *own->compared == *before) {
    Document alone = *own;
    alone.compared = nullptr;
    own = std::make_shared<const Document>(std::move(alone));
    show["compared_with_before"] = true;
  }
  documents.write(json, own);
  if (!(step.view == ViewAddress{}) || !show.empty()) json["show"] = show;
  if (step.question) json["question"] = written(*step.question, documents);
  return json;
}

void name_parts(Question& question, const std::string& path) {
  question.path = path;
  question.ask.path = path + ".ask";
  question.because.path = path + ".because";
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    question.choices[i].text.path = fmt::format("{}.choices[{}].text", path, i);
    question.choices[i].why.path = fmt::format("{}.choices[{}].why", path, i);
  }
  for (std::size_t i = 0; i < question.mistakes.size(); ++i)
    question.mistakes[i].why.path = fmt::format("{}.mistakes[{}].why", path, i);
}

}  // namespace

void name_parts(Lesson& lesson) {
  std::set<std::string> ids;
  for (const LessonStep& step : lesson.steps) ids.insert(step.id);
  std::set<std::string> used;
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    LessonStep& step = lesson.steps[i];
    const std::string path = fmt::format("steps[{}]", i);
    step.title.path = path + ".title";
    step.text.path = path + ".text";
    if (step.question) name_parts(*step.question, path + ".question");
    for (std::size_t number = i + 1; step.id.empty() || used.contains(step.id); ++number) {
      const std::string id = fmt::format("step_{}", number);
      if (!ids.contains(id)) step.id = id;
    }
    used.insert(step.id);
    ids.insert(step.id);
  }
}

std::string id_of_title(std::string_view title, std::string_view otherwise) {
  std::string id;
  for (const char letter : lower_case(title)) {
    const bool is_kept = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    if (is_kept) id += letter;
    if (!is_kept && !id.empty() && id.back() != '_') id += '_';
  }
  while (id.ends_with('_')) id.pop_back();
  return id.empty() ? std::string(otherwise) : id;
}

std::string lesson_to_json(const Lesson& lesson) {
  Json json = {{"id", lesson.id}, {"title", lesson.title}, {"summary", lesson.summary}};
  if (lesson.summary.empty()) json.erase("summary");
  DocumentsWriter documents;
  for (const LessonStep& step : lesson.steps) json["steps"].push_back(written(step, documents));
  std::string text;
  write_value(text, json, "");
  return text + "\n";
}

}  // namespace attnscope
