#include "cli/command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <fmt/ranges.h>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "compute/computation.h"
#include "core/text.h"
#include "paint/file/figure.h"
#include "platform/system/file.h"
#include "platform/system/process.h"
#include "session/lesson_draft.h"
#include "session/view_state.h"
#include "teach/judge.h"
#include "teach/lesson.h"
#include "teach/lesson_file.h"
#include "view/cells.h"
#include "view/number_words.h"

namespace attnscope {
namespace {

using picture::baseline;
using picture::line_height;

constexpr double point = 96.0 / 72;        // in pixels
constexpr double page_wide = 595 * point;  // A4
constexpr double page_high = 842 * point;
constexpr double margin = 56 * point;
constexpr double room = page_wide - 2 * margin;
constexpr double small_size = 8 * point;
constexpr double handout_text_size = 10 * point;
constexpr double code_size = 8.5 * point;
constexpr double figure_wide = 260 * point;
constexpr double most_figure_high = 210 * point;
constexpr double bar_high = 70 * point;  // height of a row of bars that are drawn by hand
constexpr Rgb black = grey(26);
constexpr Rgb dim = grey(102);
constexpr Rgb line_ink = grey(153);
constexpr double line_thickness = 0.7 * point;

// Pages that fill from top to bottom.
class Paper {
public:
  std::vector<Figure> pages;

  void next_page() {
    pages.push_back({.options = {}, .name = {}, .width = page_wide, .height = page_high, .picture = {}});
    put(fmt::format("{}", pages.size()), {small_size}, page_wide / 2, page_high - margin / 2 - small_size * baseline,
        0.5, dim);
    y_ = margin;
  }
  void keep_together(double height) {
    if (y_ + height > page_high - margin) next_page();
  }
  void gap(double height) { y_ += height; }

  void paragraph(std::string_view text, const TextStyle& style, double indent = 0, Rgb ink = black) {
    for (std::string& line : shaper_.wrap(text, style, room - indent)) {
      keep_together(style.size * line_height);
      put(std::move(line), style, margin + indent, y_, 0, ink);
      y_ += style.size * line_height;
    }
  }
  // Draws a table of numbers; each column is as wide as its widest number.
  void table(std::string_view text) {
    std::vector<std::vector<std::string>> rows;
    double widest = 0;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
      std::istringstream cells(line);
      rows.emplace_back();
      for (std::string cell; cells >> cell; rows.back().push_back(cell))
        widest = std::max(widest, shaper_.width(cell, {code_size}));
    }
    for (auto& row : rows) {
      keep_together(code_size * line_height);
      for (std::size_t i = 0; i < row.size(); ++i)
        put(std::move(row[i]), {code_size}, margin + 14 * point + static_cast<double>(i + 1) * (widest + 8 * point), y_,
            1);
      y_ += code_size * line_height;
    }
  }
  void blocks(const std::vector<TextBlock>& blocks, double indent = 0) {
    for (const TextBlock& block : blocks) {
      std::string text;
      for (const TextSpan& span : block.spans) text += span.text;
      if (block.kind == TextBlock::Kind::code && block.spans.front().style == TextSpan::Style::number) {
        table(text);
      } else {
        const bool is_item = block.kind == TextBlock::Kind::item;
        paragraph(is_item ? "• " + text : text, {handout_text_size}, indent + (is_item ? 10 * point : 0));
      }
      y_ += 4 * point;
    }
  }
  void figure(const Figure& drawn) {
    const double share = std::min({1.0, figure_wide / drawn.width, most_figure_high / drawn.height});
    const double high = drawn.height * share + 6 * point;
    keep_together(high);
    std::ranges::move(picture::placed(drawn.picture, share, margin, y_).items,
                      std::back_inserter(pages.back().picture.items));
    y_ += high;
  }
  // Draws boxes to draw bars into, each with its name below.
  void boxes(const std::vector<std::string>& names) {
    keep_together(bar_high + 18 * point);
    const double step = std::min(54 * point, room / static_cast<double>(names.size()));
    const double width = step - 6 * point;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const double x = margin + static_cast<double>(i) * step;
      pen().frame({x, y_, width, bar_high}, line_ink, line_thickness);
      put(shaper_.shorten(names[i], {small_size}, width), {small_size}, x,
          y_ + bar_high + 10 * point - small_size * baseline, 0);
    }
    y_ += bar_high + 18 * point;
  }
  void line_to_write_on() {
    keep_together(26 * point);
    y_ += 18 * point;
    pen().stroke({{margin, y_}, {margin + room / 2, y_}}, line_ink, line_thickness);
    y_ += 8 * point;
  }

private:
  scene::SheetPen pen() {
    return {
        .picture = pages.back().picture, .measure = measure_, .theme = colours_of(ThemeId::light), .line = line_ink};
  }
  void put(std::string text, const TextStyle& style, double x, double top, double anchor, Rgb ink = black) {
    pen().put(std::move(text), style.size, ink, x, top, anchor,
              style.is_bold ? picture::Face::bold : picture::Face::text);
  }

  TextShaper shaper_;
  picture::TextMeasure measure_ = shaper_.text_measure();
  double y_ = 0;
};

// Returns the stage that a step is about: the one that it names, else that of the pinned cell.
std::optional<Stage> shown_stage(const LessonStep& step) {
  const ViewAddress& view = step.view;
  if (view.stage) return view.stage;
  return view.pinned ? std::optional(view.pinned->stage) : std::nullopt;
}

// Returns the five likeliest next words, as the screen lists them beside the layers of a model.
std::string next_words(const Document& document) {
  constexpr std::size_t most = 5;
  const NextWords next = run_whole_model(document.config, std::nullopt, nullptr, {})->next;
  std::vector<std::string> words;
  for (const Index token : std::span(next.likeliest).first(std::min(most, next.likeliest.size())))
    words.push_back(fmt::format("“{}” {}", document.model->shown(token),
                                format_probability(next.probabilities[static_cast<std::size_t>(token)])));
  return fmt::format("The likeliest next words: {}.", fmt::join(words, ", "));
}

void write_figure(Paper& paper, const LessonStep& step, const std::shared_ptr<const Result>& result) {
  FigureOptions options;
  options.has_all_layers = step.view.mode == "model" && step.document->model;
  options.stage = options.has_all_layers ? Stage::weights : shown_stage(step);
  if (!options.stage || !has(*result, *options.stage)) return;
  if (!options.has_all_layers && step.view.mode != "heads") options.head = step.view.head.value_or(0);
  options.batch = step.view.batch.value_or(0);
  options.width = {.length = 120};
  options.decimals = step.view.decimals.value_or(2);
  paper.figure(make_figure(result, token_labels(step.document->tokens), options));
  if (options.has_all_layers) paper.paragraph(next_words(*step.document), {handout_text_size}, 0, dim);
}

void write_question(Paper& paper, const Question& question, const StepNumbers& numbers) {
  paper.keep_together(60 * point);
  paper.gap(2 * point);
  paper.paragraph(plain_lesson_text(question.ask, &numbers), {handout_text_size, true});
  for (std::size_t i = 0; i < question.choices.size(); ++i)
    paper.paragraph(
        fmt::format("({})  {}", static_cast<char>('a' + i), plain_lesson_text(question.choices[i].text, &numbers)),
        {handout_text_size}, 10 * point);
  if (question.kind == Question::Kind::sketch) {
    paper.gap(4 * point);
    paper.boxes(bar_names(question, numbers));
  } else if (question.choices.empty()) {
    paper.line_to_write_on();
  }
}

std::string answer_words(const Question& question, const StepNumbers& numbers) {
  if (question.kind == Question::Kind::choose) return fmt::format("({})", static_cast<char>('a' + question.right));
  if (question.kind == Question::Kind::reach) return "Goal: " + goal_words(question, numbers);
  if (question.kind == Question::Kind::sketch) return format_values(evaluate_formula(question.answer, numbers), 2);
  return right_answer_text(question, numbers);
}

// Returns the results of the steps; steps of the same document share one.
std::vector<std::shared_ptr<const Result>> results_of(const Lesson& lesson) {
  std::vector<std::shared_ptr<const Result>> results;
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const AttentionConfig& config = lesson.steps[i].document->config;
    const bool is_same = i > 0 && lesson.steps[i - 1].document->config == config;
    results.push_back(is_same ? results.back() : std::make_shared<const Result>(evaluate(config)));
  }
  return results;
}

void write_pages(Paper& paper, const Lesson& lesson) {
  const std::vector<std::shared_ptr<const Result>> results = results_of(lesson);
  paper.next_page();
  paper.paragraph(lesson.title, {18 * point, true});
  paper.paragraph(lesson.summary, {handout_text_size}, 0, dim);
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    const StepNumbers numbers{*step.document, *results[i]};
    paper.keep_together(90 * point);
    paper.gap(14 * point);
    paper.paragraph(fmt::format("{}. {}", i + 1, plain_lesson_text(step.title, &numbers)), {12 * point, true});
    paper.gap(3 * point);
    paper.blocks(lesson_text(step.text, &numbers));
    write_figure(paper, step, results[i]);
    if (step.question) write_question(paper, *step.question, numbers);
  }
  paper.next_page();
  paper.paragraph(fmt::format("Answers: {}", lesson.title), {14 * point, true});
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    if (!step.question) continue;
    const StepNumbers numbers{*step.document, *results[i]};
    paper.keep_together(40 * point);
    paper.gap(8 * point);
    paper.paragraph(fmt::format("{}. {}", i + 1, answer_words(*step.question, numbers)), {handout_text_size, true});
    paper.blocks(lesson_text(step.question->because, &numbers), 10 * point);
  }
}

}  // namespace

std::string render_handout(const Lesson& lesson) {
  Paper paper;
  write_pages(paper, lesson);
  return render_pdf(paper.pages, lesson.title);
}

namespace {

struct LessonArguments {
  std::string action;  // "new", "check", "list" or "handout"
  std::string path;    // file of a lesson; for a handout also the id of one of the program's
  std::string out;     // file of the handout, or of the new lesson
};

namespace fs = std::filesystem;

// The format of lessons in short; docs/lessons.md is the whole of it.
constexpr const char* lesson_keys =
    R"(A lesson is JSON; docs/lessons.md describes it, and `attnscope lesson new -o NAME.lesson.json` writes one to begin with.
  lesson    id, title, summary, steps
  step      id, title, text, document or edit, show, question
  show      layout, stage, head, batch, pin, side, compared_with_before, decimals, range, study, set, query, film
  question  kind, ask, because, then, and for each kind:
    choose  choices (text, why), right
    cell    answer
    number  answer, tolerance, mistakes (value, why)
    sketch  answer, tolerance
    reach   value, to, tolerance, solution
Texts have *emphasis*, **strong**, `code` and numbers of the step's document: {{weights[0,0,1,2]:.2f}}.)";

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

Lesson checked(const fs::path& file) {
  return or_refuse(file.string(), [&] {
    Lesson lesson = load_lesson(file);
    check_lesson(lesson, known_views());
    return lesson;
  });
}

// Says what is in a lesson, or every mistake in it; returns these.
std::vector<std::string> check_file(const fs::path& file) {
  std::vector<std::string> mistakes;
  try {
    mistakes = lesson_mistakes_in(file, known_views());
  } catch (const Error& error) {
    mistakes = {with_path(file, error.what())};
  }
  if (!mistakes.empty()) return mistakes;
  const Lesson lesson = load_lesson(file);
  const auto questions =
      std::ranges::count_if(lesson.steps, [](const LessonStep& step) { return step.question.has_value(); });
  write_standard_output(fmt::format("{}: “{}”, {}, {}.\n", shown_path(file), lesson.title,
                                    counted(lesson.steps.size(), "step"),
                                    counted(static_cast<std::size_t>(questions), "question")));
  return {};
}

void check_lessons(const std::string& path) {
  const std::vector<fs::path> files = or_refuse([&] { return lesson_files(path); });
  if (files.empty()) throw UsageError(fmt::format("{} has no file that ends in .json.", shown_path(path)));
  std::vector<std::string> mistakes;
  for (const fs::path& file : files) std::ranges::move(check_file(file), std::back_inserter(mistakes));
  if (mistakes.empty()) return;
  for (const std::string& mistake : std::span(mistakes).first(mistakes.size() - 1)) tell(mistake);
  throw UsageError(mistakes.back());
}

void write_new_lesson(const LessonArguments& arguments) {
  if (!arguments.path.empty()) throw UsageError("attnscope lesson new takes no file but that of -o.");
  if (!arguments.out.empty()) {
    require_ending(arguments.out, ".json", "a lesson is");
    if (fs::exists(arguments.out))
      throw UsageError(fmt::format("{} is there already, and is not replaced.", shown_path(arguments.out)));
  }
  write_out(arguments.out, lesson_start());
}

void list_lessons() {
  std::string text;
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons())
    text += fmt::format("{:<12} {}: {}\n", lesson->id, lesson->title, lesson->summary);
  write_standard_output(text);
}

void write_handout(const LessonArguments& arguments) {
  require_ending(arguments.out, ".pdf", "a handout is");
  write_file(arguments.out, render_handout(lesson_or_refuse(arguments.path)));
}

}  // namespace

Lesson lesson_or_refuse(const std::string& name) {
  if (const std::shared_ptr<const Lesson> shipped = shipped_lesson(name)) return *shipped;
  std::vector<std::string_view> ids;
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) ids.push_back(lesson->id);
  const std::string near = fs::exists(name) ? "" : suggestion(name, ids);
  if (!near.empty()) throw UsageError(fmt::format("There is no lesson {}{}", in_quotes(name), near));
  return checked(name);
}

void run_lesson(const LessonArguments& arguments) {
  if (arguments.action == "new") return write_new_lesson(arguments);
  if (arguments.action == "list") {
    if (!arguments.path.empty()) throw UsageError("attnscope lesson list takes no file.");
    return list_lessons();
  }
  if (arguments.action == "handout") {
    if (arguments.path.empty())
      throw UsageError("attnscope lesson handout needs a lesson: a file, or one of the list.");
    return write_handout(arguments);
  }
  if (arguments.path.empty()) throw UsageError("attnscope lesson check needs a file, or a folder of lessons.");
  check_lessons(arguments.path);
}

Subcommand add_lesson(CLI::App& app) {
  const auto arguments = std::make_shared<LessonArguments>();
  CLI::App* lesson = app.add_subcommand(
      "lesson", "Begin a lesson, check lessons, list those that come with the program, or write one as a handout");
  CLI::Option* action =
      lesson->add_option("ACTION", arguments->action, "What to do: new, check, list or handout")->required();
  choose_among(action, {"new", "check", "list", "handout"});
  lesson->add_option("FILE", arguments->path,
                     "Lesson, .json; check also takes a folder of lessons, handout also the id of a lesson");
  add_out(*lesson, arguments->out, "Handout to write, .pdf, with the answers at its end; or the new lesson, .json");
  lesson->footer(lesson_keys);
  return {lesson, [arguments] { run_lesson(*arguments); }};
}

}  // namespace attnscope
