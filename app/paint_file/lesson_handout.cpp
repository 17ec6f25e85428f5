#include "paint_file/lesson_handout.h"

#include <cairo-pdf.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/error.h"
#include "lessons/judge.h"
#include "lessons/lesson_text.h"
#include "paint_file/cairo_bytes.h"
#include "paint_file/figure_painter.h"
#include "paint_file/text_shaper.h"

namespace attnscope {
namespace {

using picture::baseline;
using picture::line_height;

constexpr double page_wide = 595;  // points: A4
constexpr double page_high = 842;
constexpr double margin = 56;
constexpr double room = page_wide - 2 * margin;
constexpr double text_size = 10;
constexpr double code_size = 8.5;
constexpr double figure_wide = 260;               // points
constexpr double figure_points_per_pixel = 0.75;  // of the figure's
constexpr double most_figure_high = 210;
constexpr double bar_high = 70;  // of a row that is to be drawn

cairo_status_t append_to_string(void* to, const unsigned char* data, unsigned int size) {
  return append_bytes(*static_cast<std::string*>(to), data, size);
}

// Pages that fill from top to bottom.
class Paper {
public:
  explicit Paper(cairo_t* cairo) : cairo_(cairo) {}

  void next_page() {
    if (page_ > 0) end_page();
    ++page_;
    y_ = margin;
  }
  void end_page() {
    write(fmt::format("{}", page_), {8}, page_wide / 2, page_high - margin / 2, 0.45);
    cairo_show_page(cairo_);
  }
  void keep_together(double height) {
    if (y_ + height > page_high - margin) next_page();
  }
  void gap(double height) { y_ += height; }

  void paragraph(std::string_view text, const TextStyle& style, double indent = 0, double grey = 0.1) {
    for (const std::string& line : shaper_.wrap(text, style, room - indent)) {
      keep_together(style.size * line_height);
      write(line, style, margin + indent, y_ + style.size * baseline, grey);
      y_ += style.size * line_height;
    }
  }
  // Numbers below each other: the widest of each column says how wide it is.
  void table(std::string_view text) {
    std::vector<std::vector<std::string>> rows = cells_of(text);
    double widest = 0;
    for (const auto& row : rows) {
      for (const std::string& cell : row) widest = std::max(widest, shaper_.width(cell, {code_size}));
    }
    for (const auto& row : rows) {
      keep_together(code_size * line_height);
      for (std::size_t i = 0; i < row.size(); ++i) {
        const double right = margin + 14 + static_cast<double>(i + 1) * (widest + 8);
        write(row[i], {code_size}, right - shaper_.width(row[i], {code_size}), y_ + code_size * baseline, 0.1);
      }
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
        paragraph(is_item ? "• " + text : text, {text_size}, indent + (is_item ? 10 : 0));
      }
      y_ += 4;
    }
  }
  void figure(const Figure& drawn) {
    const double wide = drawn.width * figure_points_per_pixel;
    const double high = drawn.height * figure_points_per_pixel;
    const double share = std::min({1.0, figure_wide / wide, most_figure_high / high});
    keep_together(high * share + 6);
    cairo_save(cairo_);
    cairo_translate(cairo_, margin, y_);
    cairo_scale(cairo_, share * figure_points_per_pixel, share * figure_points_per_pixel);
    draw_figure(cairo_, drawn, {});
    cairo_restore(cairo_);
    y_ += high * share + 6;
  }
  // Boxes to draw bars into, each with its name below.
  void boxes(const std::vector<std::string>& names) {
    keep_together(bar_high + 18);
    const double step = std::min(54.0, room / static_cast<double>(names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) {
      const double x = margin + static_cast<double>(i) * step;
      cairo_set_source_rgb(cairo_, 0.6, 0.6, 0.6);
      cairo_rectangle(cairo_, x, y_, step - 6, bar_high);
      cairo_set_line_width(cairo_, 0.7);
      cairo_stroke(cairo_);
      write(shaper_.shorten(names[i], {8}, step - 6), {8}, x, y_ + bar_high + 10, 0.1);
    }
    y_ += bar_high + 18;
  }
  void line_to_write_on() {
    keep_together(26);
    y_ += 18;
    cairo_set_source_rgb(cairo_, 0.6, 0.6, 0.6);
    cairo_set_line_width(cairo_, 0.7);
    cairo_move_to(cairo_, margin, y_);
    cairo_line_to(cairo_, margin + room / 2, y_);
    cairo_stroke(cairo_);
    y_ += 8;
  }

private:
  static std::vector<std::vector<std::string>> cells_of(std::string_view text) {
    std::vector<std::vector<std::string>> rows(1);
    std::string cell;
    const auto end_cell = [&] {
      if (!cell.empty()) rows.back().push_back(std::exchange(cell, {}));
    };
    for (const char letter : text) {
      if (letter != ' ' && letter != '\n') {
        cell += letter;
        continue;
      }
      end_cell();
      if (letter == '\n') rows.emplace_back();
    }
    end_cell();
    return rows;
  }
  void write(std::string_view text, const TextStyle& style, double x, double y, double grey) const {
    cairo_set_source_rgb(cairo_, grey, grey, grey);
    shaper_.draw(cairo_, text, style, x, y);
  }

  cairo_t* cairo_;
  TextShaper shaper_;
  double y_ = margin;
  int page_ = 0;
};

// The stage that a step shows: the one that is large, else that of the pinned cell.
std::optional<Stage> shown_stage(const LessonStep& step) {
  const StepView& view = step.view;
  if (view.stage && view.layout != "diagram") return view.stage;
  return view.pinned ? std::optional(view.pinned->stage) : std::nullopt;
}

void write_figure(Paper& paper, const LessonStep& step, const std::shared_ptr<const Result>& result) {
  const std::optional<Stage> stage = shown_stage(step);
  if (!stage || !has(*result, *stage)) return;
  FigureOptions options;
  options.stage = stage;
  options.head = step.view.layout == "heads" ? std::nullopt : std::optional(step.view.head);
  options.batch = step.view.batch;
  options.width = {.length = 120};
  options.decimals = step.view.decimals.value_or(2);
  paper.figure(make_figure(result, token_labels(step.document->tokens), options));
}

void write_question(Paper& paper, const Question& question, const StepNumbers& numbers) {
  paper.keep_together(60);
  paper.gap(2);
  paper.paragraph(plain_lesson_text(question.ask, &numbers), {text_size, true});
  for (std::size_t i = 0; i < question.choices.size(); ++i)
    paper.paragraph(
        fmt::format("({})  {}", static_cast<char>('a' + i), plain_lesson_text(question.choices[i].text, &numbers)),
        {text_size}, 10);
  if (question.kind == Question::Kind::sketch) {
    paper.gap(4);
    paper.boxes(bar_names(question, numbers));
  } else if (question.choices.empty()) {
    paper.line_to_write_on();
  }
}

std::string answer_words(const Question& question, const StepNumbers& numbers) {
  if (question.kind == Question::Kind::choose) return fmt::format("({})", static_cast<char>('a' + question.right));
  if (question.kind == Question::Kind::reach) return fmt::format("{} becomes {}.", question.answer, question.to);
  if (question.kind == Question::Kind::sketch) return format_values(evaluate_formula(question.answer, numbers), 2);
  return right_answer_text(question, numbers);
}

// The evaluations of the steps, shared by those of the same document.
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
  paper.paragraph(lesson.title, {18, true});
  paper.paragraph(lesson.summary, {text_size}, 0, 0.4);
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    const StepNumbers numbers{*step.document, *results[i]};
    paper.keep_together(90);
    paper.gap(14);
    paper.paragraph(fmt::format("{}. {}", i + 1, plain_lesson_text(step.title, &numbers)), {12, true});
    paper.gap(3);
    paper.blocks(lesson_text(step.text, &numbers));
    write_figure(paper, step, results[i]);
    if (step.question) write_question(paper, *step.question, numbers);
  }
  paper.next_page();
  paper.paragraph(fmt::format("Answers: {}", lesson.title), {14, true});
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    if (!step.question) continue;
    const StepNumbers numbers{*step.document, *results[i]};
    paper.keep_together(40);
    paper.gap(8);
    paper.paragraph(fmt::format("{}. {}", i + 1, answer_words(*step.question, numbers)), {text_size, true});
    paper.blocks(lesson_text(step.question->because, &numbers), 10);
  }
  paper.end_page();
}

}  // namespace

std::string render_handout(const Lesson& lesson) {
  std::string bytes;
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      cairo_pdf_surface_create_for_stream(append_to_string, &bytes, page_wide, page_high), cairo_surface_destroy);
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, lesson.title.c_str());
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");  // the same bytes every time
  {
    const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> cairo(cairo_create(surface.get()), cairo_destroy);
    Paper paper(cairo.get());
    write_pages(paper, lesson);
  }
  cairo_surface_finish(surface.get());
  const cairo_status_t status = cairo_surface_status(surface.get());
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error(fmt::format("The handout cannot be drawn: {}.", cairo_status_to_string(status)));
  return bytes;
}

}  // namespace attnscope
