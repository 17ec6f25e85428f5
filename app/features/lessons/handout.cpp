#include "features/lessons/handout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "compute/computation.h"
#include "core/error.h"
#include "core/model/transformer.h"
#include "core/results.h"
#include "core/text.h"
#include "document/compare.h"
#include "document/json.h"
#include "document/json_value.h"
#include "features/lessons/lesson_controller.h"
#include "paint/file/figure.h"
#include "teach/film.h"
#include "teach/judge.h"
#include "view/cells.h"
#include "view/number_words.h"

namespace attnscope {
namespace {

using paper::black;
using paper::dim;
using paper::handout_text_size;
using paper::margin;
using paper::marked_text;
using paper::page_high;
using paper::Paper;
using paper::point;
using paper::room;
using paper::small_size;
using paper::without_marks;

constexpr double most_figure_high = 190 * point;  // of one stage
constexpr double most_page_high = 330 * point;    // of a diagram, a teaching view or a model
constexpr double most_named_high = 250 * point;   // of a stage of many tokens, all with their names
constexpr double figure_wide = 260 * point;
constexpr double stage_millimetres = 85;
constexpr double precise_millimetres = 112;  // with more than two decimals
constexpr double named_millimetres = 110;    // of many tokens
constexpr double named_font = 7;             // points
constexpr double least_diagram_scale = 1;    // smaller numbers of a diagram cannot be read
constexpr Index many_tokens = 12;
constexpr Index most_named_tokens = 40;
constexpr Index most_rows = 256;      // of a stage that is no table of weights: more are finer than paper
constexpr double least_scale = 0.75;  // of a page's figures, so that fewer pages are half empty
constexpr double most_scale = 1.3;
constexpr double scale_step = 0.05;
constexpr double least_at_end = 24 * point;  // of a page, so that its last question is not carried over
constexpr double page_millimetres = 170;
constexpr Rgb cover_ink = grey(226);

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

// Returns the text that a model reads.
std::string text_of_model(const Document& document) {
  const bool is_given = !document.text.empty();
  return fmt::format("The text: “{}”", is_given ? document.text : fmt::format("{}", fmt::join(document.tokens, " ")));
}

// Names the heads of a model that have names, because its pictures are too small for these; empty if none has one.
std::string names_of_heads(const Document& document) {
  const Transformer& model = *std::get<ModelInputs>(document.config.inputs).model;
  std::vector<std::string> names;
  for (Index layer = 0; layer < model.shape.layers; ++layer) {
    for (Index head = 0; head < document.config.num_heads; ++head) {
      if (const std::string name = bracketed_name(model, layer, head); !name.empty())
        names.push_back(fmt::format("layer {}, head {}{}", layer + 1, head + 1, name));
    }
  }
  return names.empty() ? "" : fmt::format("Heads with a known task: {}.", fmt::join(names, "; "));
}

// Follows how steps are looked at: what a step does not say stays as it was in the step before.
class ViewOfSteps {
public:
  const ViewAddress& next(const ViewAddress& view) {
    now_.decimals = view.decimals;
    now_.pinned = view.pinned;
    now_.film = view.film;
    if (!view.mode.empty()) now_.mode = view.mode;
    if (!view.mode.empty() || !view.study.id.empty()) now_.study = view.study;
    if (view.stage) now_.stage = view.stage;
    if (view.head) now_.head = view.head;
    if (view.batch) now_.batch = view.batch;
    if (view.range) now_.range = view.range;
    if (view.side) now_.side = view.side;
    return now_;
  }

private:
  ViewAddress now_{.mode = "diagram"};
};

// The figure beside a step on paper: its document, and how it is drawn.
struct StepFigure {
  std::shared_ptr<const Document> document;
  FigureOptions options = {};
  bool is_page_wide = false;
  bool hides_next_words = false;   // the step asks about them
  bool says_text = true;           // of the model; false if a figure before it says the same
  bool says_names = true;          // of its heads, likewise
  std::vector<Cover> covers = {};  // of the numbers that the step asks for

  bool operator==(const StepFigure& other) const {
    return options == other.options && hides_next_words == other.hides_next_words && covers == other.covers &&
           (document == other.document || *document == *other.document);
  }
};

// A stage alone in Focus, in all heads in Heads; the diagram has all stages, and that of a pair the pinned number's
// or the weights.
void choose_stages(FigureOptions& options, const ViewAddress& view, const AttentionConfig& config) {
  const bool is_alone = view.mode == "focus" || view.mode == "heads";
  options.stage.reset();
  if (!is_alone && options.side != ComparedSide::side_by_side) return;
  Stage stage = view.pinned ? view.pinned->stage : final_weights_stage(config);
  if (is_alone && view.stage) stage = *view.stage;
  if (!has_stage(config, stage)) stage = Stage::inputs;
  options.stage = stage;
}

// Returns whether a figure shows all stages of a document.
bool is_diagram(const FigureOptions& options) {
  return !options.stage && options.study.id.empty() && !options.has_all_layers && !options.film;
}

StepFigure figure_of(const LessonStep& step, const ViewAddress& view, std::vector<Cover> covers) {
  StepFigure figure{.document = step.document, .covers = std::move(covers)};
  const AttentionConfig& config = step.document->config;
  FigureOptions& options = figure.options;
  const bool has_study = !view.study.id.empty();
  if (view.mode != "heads" || has_study) options.head = std::min(view.head.value_or(0), head_count(config) - 1);
  if (view.mode == "heads" && !has_study) options.head.reset();
  options.batch = std::min(view.batch.value_or(0), config.batch_size - 1);
  options.decimals = view.decimals.value_or(2);
  options.range = view.range.value_or(RangeMode::automatic);
  if (step.document->compared && !has_study) options.side = ComparedSide::side_by_side;
  if (view.film && figure.covers.empty()) options.film = view.pinned;  // a film would tell the answer
  if (has_study) {
    options.study = view.study;
    if (!options.study.query && view.pinned) options.study.query = view.pinned->row;
  } else if (view.mode == "model" && step.document->model) {
    options.has_all_layers = true;
    options.row_sums = false;
    options.side = ComparedSide::now;  // a picture for each side
  } else {
    choose_stages(options, view, config);
    options.marked = view.pinned;
    // The window shows the sums of a single head's rows even where it shows all heads; so does paper.
    if (options.stage && sums_to_one(*options.stage) && head_count(config) == 1) options.row_sums = true;
  }
  if (options.stage && !has_study)  // a cover that hides nothing of it makes it no other picture
    std::erase_if(figure.covers, [&](const Cover& cover) { return !cover.hides_any(config, *options.stage); });
  if (options.side == ComparedSide::side_by_side && !options.head) options.head = view.head.value_or(0);
  figure.is_page_wide = has_study || options.has_all_layers || !options.stage ||
                        options.side == ComparedSide::side_by_side || (!options.head && head_count(config) > 1);
  const double alone = *options.decimals > 2 ? precise_millimetres : stage_millimetres;
  options.width = {.length = figure.is_page_wide ? page_millimetres : alone};
  const Index tokens = key_count(config);
  if (!figure.is_page_wide && tokens > many_tokens && tokens <= most_named_tokens) {  // every token has its name
    options.width.length = named_millimetres;
    options.font_size = named_font;
    options.decimals.reset();
    options.row_sums = false;
  }
  options.has_numbers_first = is_diagram(options) && tokens <= many_tokens;
  // A teaching view is laid out for a slide, of half whose width its letters can still be read.
  const bool is_slide = has_study || (is_diagram(options) && !options.has_numbers_first);
  if (is_slide) set_page_size(options, *page_size_named("slide-16x9"));
  return figure;
}

// Returns what a document of a pair has that the other one has not, key by key: "text The dog slept".
std::string keys_of_side(const Document& document, const Document& other) {
  const auto json_of = [](Document of) {
    of.compared = nullptr;
    return parse_json(to_json(of, ModelSha256::if_known));
  };
  const Json own = json_of(document);
  const Json others = json_of(other);
  std::vector<std::string> words;
  for (const auto& item : own.items()) {
    const bool is_same = others.contains(item.key()) && others[item.key()] == item.value();
    if (is_same) continue;
    const bool is_plain = !item.value().is_array() && !item.value().is_object();
    const std::string value = item.value().is_string() ? item.value().get<std::string>() : json_text(item.value());
    words.push_back(is_plain ? item.key() + " " + value : "its own " + item.key());
  }
  for (const auto& item : others.items()) {
    if (!own.contains(item.key())) words.push_back("no " + item.key());
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

// Returns the names of A and B: "A: scaled" and "B: not scaled".
std::pair<std::string, std::string> names_of_pair(const Document& document) {
  const Document& other = *document.compared;
  auto [a, b] = names_of_sides(other.config, document.config);
  if (a.empty() && b.empty()) {
    a = keys_of_side(other, document);
    b = keys_of_side(document, other);
  }
  return {side_name("A", a), side_name("B", b)};
}

// The pictures of a step with what is said of them, made once: they are put onto paper in several sizes.
class Pictures {
public:
  void figure(Figure drawn, double most_wide, double most_high, double least_scale = 0) {
    pieces_.push_back({std::move(drawn), most_wide, most_high, least_scale});
  }
  void scene(Figure drawn, const FilmScene& of) { pieces_.push_back({.drawn = std::move(drawn), .scene = of}); }
  void paragraph(std::string text, bool is_bold = false) {
    pieces_.push_back({.words = std::move(text), .is_bold = is_bold});
  }
  void write(Paper& paper) const {
    for (const Piece& piece : pieces_) {
      if (piece.scene) {
        paper.scene(*piece.drawn, *piece.scene);
      } else if (piece.drawn) {
        paper.figure(*piece.drawn, piece.most_wide, piece.most_high, piece.least_scale);
      } else {
        paper.paragraph(piece.words, {handout_text_size, piece.is_bold}, 0, piece.is_bold ? black : dim);
      }
    }
  }

private:
  struct Piece {
    std::optional<Figure> drawn = {};
    double most_wide = 0;
    double most_high = 0;
    double least_scale = 0;
    std::optional<FilmScene> scene = {};  // of a film
    std::string words = {};
    bool is_bold = false;
  };
  std::vector<Piece> pieces_;
};

// Returns the layer of a trained model, whose other layers are not asked about; 0 for other documents.
Index layer_of(const AttentionConfig& config) {
  const auto* const inputs = std::get_if<ModelInputs>(&config.inputs);
  return inputs ? inputs->layer : 0;
}

// Returns the boxes of a heatmap's rows that are covered, which are columns where it is transposed.
std::vector<Box> covered_boxes(const picture::Heatmap& map, const std::vector<Cover>& covers) {
  std::vector<Box> boxes;
  const Index count = map.is_transposed ? map.cols : map.rows;
  for (Index line = 0; line < count; ++line) {
    const Source first = map.is_transposed ? source_at(map, 0, line) : source_at(map, line, 0);
    const auto hides = [&](const Cover& cover) { return cover.hides(map.result->config, first); };
    if (std::ranges::none_of(covers, hides)) continue;
    const double at = static_cast<double>(line);
    if (map.is_transposed) {
      const double side = map.box.width / map.window.cols;
      boxes.push_back({map.box.x + (at - map.window.col) * side, map.box.y, side, map.box.height});
    } else {
      const double side = map.box.height / map.window.rows;
      boxes.push_back({map.box.x, map.box.y + (at - map.window.row) * side, map.box.width, side});
    }
  }
  return boxes;
}

// Leaves out the numbers, the colours and the sums of rows that are covered.
Figure with_covers(Figure figure, const StepFigure& of) {
  constexpr double beside = 60;  // the room of a row's sum
  std::vector<Box> boxes;
  std::vector<Box> maps;
  std::vector<picture::Item> items;
  for (picture::Item& item : figure.picture.items) {
    items.push_back(std::move(item));
    const auto* const map = std::get_if<picture::Heatmap>(&items.back());
    if (!map) continue;
    maps.push_back(map->box);
    if (of.options.has_all_layers && layer_of(map->result->config) != layer_of(of.document->config)) continue;
    for (const Box& box : covered_boxes(*map, of.covers)) {
      boxes.push_back(box);
      items.emplace_back(picture::Fill{box, {cover_ink}});
    }
  }
  const auto tells = [&](const picture::Item& item) {
    const auto* const word = std::get_if<picture::Word>(&item);
    if (!word || boxes.empty()) return false;
    const double middle = word->y - word->size / 3;
    const auto is_in = [&](const Box& box) { return box.contains(word->x, middle); };
    const auto is_beside = [&](const Box& box) {
      return word->face == picture::Face::number &&
             Box{box.right(), box.y, beside, box.height}.contains(word->x, middle);
    };
    return std::ranges::any_of(boxes, is_in) ||
           (std::ranges::any_of(boxes, is_beside) && std::ranges::none_of(maps, is_in));
  };
  std::erase_if(items, tells);
  figure.picture.items = std::move(items);
  return figure;
}

// Draws all heads of a model, names them, and says its next words, unless they are the answer.
void draw_model(Pictures& to, const Document& document, const StepFigure& figure,
                const std::shared_ptr<const Result>& result) {
  to.figure(with_covers(make_figure(result, token_labels(document.tokens), figure.options), figure), room,
            most_page_high);
  if (const std::string names = names_of_heads(document); figure.says_names && !names.empty()) to.paragraph(names);
  if (!figure.hides_next_words) to.paragraph(next_words(document));
}

void draw_step_figure(Pictures& to, const StepFigure& figure, std::shared_ptr<const Result> result) {
  const Document& document = *figure.document;
  const FigureOptions& options = figure.options;
  if (options.film) {
    FigureOptions of_film = options;
    of_film.width = {.length = page_millimetres};
    of_film.height = 0;
    const FilmFigures film(*result, RowNames(query_labels(document), token_labels(document.tokens)), of_film);
    for (std::size_t i = 0; i < film.film().scenes.size(); ++i)
      to.scene(film.bare_key_frame(i, small_size), film.film().scenes[i]);
    return;
  }
  if (options.has_all_layers) {
    if (!document.compared) return draw_model(to, document, figure, result);
    const auto [a, b] = names_of_pair(document);
    to.paragraph(a, true);
    draw_model(to, *document.compared, figure, std::make_shared<const Result>(evaluate(document.compared->config)));
    to.paragraph(b, true);
    return draw_model(to, document, figure, result);
  }
  const std::vector<std::string> queries = query_labels(document);
  const std::vector<std::string> keys = token_labels(document.tokens);
  const bool names_all = options.font_size == named_font;
  const double most_high = figure.is_page_wide ? most_page_high : names_all ? most_named_high : most_figure_high;
  const double most_wide = figure.is_page_wide || names_all ? room : figure_wide;
  if (options.side == ComparedSide::now)
    return to.figure(with_covers(make_figure(result, {queries, keys}, options), figure), most_wide, most_high,
                     options.has_numbers_first ? least_diagram_scale : 0);
  result = difference_of(result, std::make_shared<const Result>(evaluate(document.compared->config)));
  const auto [a, b] = names_of_pair(document);
  to.paragraph(fmt::format("{}.  {}.", a, b));
  to.figure(with_covers(make_figure(result, {queries, keys}, options), figure), most_wide, most_high);
}

// Returns whether a matrix has so many rows that each is finer than paper can show. Of attention one sees the shape.
bool is_too_fine(const StepFigure& figure) {
  const std::optional<Stage>& stage = figure.options.stage;
  if (!stage || is_query_by_key(info(*stage).axes) || is_parameter(info(*stage).axes)) return false;
  return !figure.options.film && figure.options.study.id.empty() && key_count(figure.document->config) > most_rows;
}

Pictures pictures_of(const StepFigure& figure, const std::shared_ptr<const Result>& result) {
  Pictures pictures;
  if (is_too_fine(figure)) return pictures;
  try {
    if (figure.document->model && figure.says_text) pictures.paragraph(text_of_model(*figure.document));
    draw_step_figure(pictures, figure, result);
  } catch (const Error& error) {
    pictures.paragraph(error.what());
  }
  return pictures;
}

// Returns a text's blocks without what only the window can do, each as one span with marks.
std::vector<TextBlock> blocks_on_paper(const LessonText& text, const StepNumbers& numbers, bool has_picture = true) {
  std::vector<TextBlock> blocks = lesson_text(text, &numbers);
  for (TextBlock& block : blocks) {
    if (block.kind == TextBlock::Kind::code) continue;
    block.spans = {{TextSpan::Style::plain, words_on_paper(marked_text(block.spans), has_picture)}};
  }
  std::erase_if(blocks, [](const TextBlock& block) {
    return block.kind != TextBlock::Kind::code && block.spans.front().text.empty();
  });
  return blocks;
}

void write_question(Paper& paper, const Question& question, const StepNumbers& numbers) {
  const bool is_of_screen = question.kind == Question::Kind::reach;
  paper.keep_together((is_of_screen ? 26 : 40) * point);
  paper.gap(2 * point);
  const std::string ask = words_on_paper(marked_text(question.ask, numbers));
  paper.paragraph(is_of_screen ? "On the screen: " + ask : ask, {handout_text_size, true});
  if (is_of_screen) return;
  for (std::size_t i = 0; i < question.choices.size(); ++i)
    paper.paragraph(fmt::format("({})  {}", static_cast<char>('a' + i), marked_text(question.choices[i].text, numbers)),
                    {handout_text_size}, 10 * point);
  if (question.kind == Question::Kind::sketch) {
    paper.gap(4 * point);
    paper.boxes(bar_names(question, numbers));
  } else if (question.choices.empty()) {
    paper.line_to_write_on();
  }
}

std::string answer_words(const Question& question, const StepNumbers& numbers) {
  if (question.kind == Question::Kind::choose)
    return fmt::format("({}) {}", static_cast<char>('a' + question.right),
                       marked_text(question.choices[question.right].text, numbers));
  if (question.kind == Question::Kind::reach) return "Goal: " + goal_words(question, numbers);
  if (question.kind == Question::Kind::sketch) return format_values(evaluate_formula(question.answer, numbers), 2);
  return right_answer_text(question, numbers);
}

// Writes what the lesson replies to wrong choices and to numbers that many people type.
void write_replies(Paper& paper, const Question& question, const StepNumbers& numbers) {
  const auto write = [&](const std::string& wrong, const LessonText& why) {
    const std::string words = words_on_paper(marked_text(why, numbers), false);
    if (!words.empty()) paper.paragraph(fmt::format("{}  {}", wrong, words), {handout_text_size}, 10 * point, dim);
  };
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    if (i != question.right) write(fmt::format("Not ({}):", static_cast<char>('a' + i)), question.choices[i].why);
  }
  for (const Mistake& mistake : question.mistakes)
    write(fmt::format("Not {}:", number_words(number_of_formula(mistake.value, numbers))), mistake.why);
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

// A step as it is written: its texts, its pictures and its question.
struct StepOnPaper {
  const LessonStep* step = nullptr;
  StepNumbers numbers;
  std::string title;
  std::vector<TextBlock> text;
  Pictures pictures;
};

void write_step(Paper& paper, const StepOnPaper& on_paper) {
  paper.keep_together(90 * point);
  paper.gap(14 * point);
  paper.paragraph(on_paper.title, {12 * point, true});
  paper.gap(3 * point);
  paper.blocks(on_paper.text);
  on_paper.pictures.write(paper);
  if (on_paper.step->question) write_question(paper, *on_paper.step->question, on_paper.numbers);
}

// Returns the height of a step; infinite if it takes more than a page.
double height_of(const StepOnPaper& step, double scale) {
  Paper trial;
  trial.begin_at(margin);
  trial.scale = scale;
  write_step(trial, step);
  return trial.pages.size() == 1 ? trial.y() - margin : std::numeric_limits<double>::infinity();
}

// Steps that stand on a page together, whose figures share a scale. One that is longer than a page stands alone.
struct StepsOfPage {
  std::size_t end = 0;  // one behind the last of them
  double scale = 1;
  std::size_t pages = 0;  // from here on
  double cost = 0;        // from here on: of figures that are smaller than they could be, and of empty pages
};

// Returns the pages that begin with each step: as few as possible, full, and with figures as large as possible.
std::vector<StepsOfPage> pages_of(std::span<const StepOnPaper> steps, double first_y) {
  std::vector<StepsOfPage> pages(steps.size() + 1);
  std::vector<std::vector<double>> heights;
  for (double scale = most_scale; scale > least_scale - scale_step / 2; scale -= scale_step) {
    heights.emplace_back();
    for (const StepOnPaper& step : steps) heights.back().push_back(height_of(step, scale));
  }
  for (std::size_t first = steps.size(); first-- > 0;) {
    StepsOfPage& best = pages[first];
    best = {.end = first + 1, .scale = 1, .pages = pages[first + 1].pages + 2, .cost = pages[first + 1].cost};
    for (std::size_t i = 0; i < heights.size(); ++i) {
      double y = (first == 0 ? first_y : margin) + least_at_end;
      const double shrunk = static_cast<double>(i) * scale_step;
      for (std::size_t end = first + 1; end <= steps.size(); ++end) {
        y += heights[i][end - 1];
        if (y > page_high - margin) break;
        const double empty = end < steps.size() ? (page_high - margin - y) / page_high : 0;  // the last page may be
        const StepsOfPage page{.end = end,
                               .scale = most_scale - shrunk,
                               .pages = pages[end].pages + 1,
                               .cost = pages[end].cost + shrunk * shrunk + empty * empty};
        if (std::pair(page.pages, page.cost) < std::pair(best.pages, best.cost)) best = page;
      }
    }
  }
  return pages;
}

void write_steps(Paper& paper, std::span<const StepOnPaper> steps) {
  const std::vector<StepsOfPage> pages = pages_of(steps, paper.y());
  for (std::size_t first = 0; first < steps.size(); first = pages[first].end) {
    if (first > 0) paper.next_page();
    paper.scale = pages[first].scale;
    for (std::size_t i = first; i < pages[first].end; ++i) write_step(paper, steps[i]);
  }
}

std::vector<StepOnPaper> steps_on_paper(const Lesson& lesson,
                                        const std::vector<std::shared_ptr<const Result>>& results) {
  std::vector<StepOnPaper> steps;
  ViewOfSteps views;
  std::string said_text;
  std::string said_names;
  const auto is_news = [](std::string& said, const std::string& words) { return std::exchange(said, words) != words; };
  std::optional<std::pair<StepFigure, std::size_t>> last;  // the figure drawn last, with its step
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    const StepNumbers numbers{*step.document, *results[i]};
    StepFigure figure = figure_of(step, views.next(step.view), covers_of(step, numbers));
    figure.hides_next_words = step.question && asks_about_next_word(*step.question);
    StepOnPaper on_paper{.step = &step,
                         .numbers = numbers,
                         .title = fmt::format("{}. {}", i + 1, plain_lesson_text(step.title, &numbers)),
                         .text = blocks_on_paper(step.text, numbers),
                         .pictures = {}};
    const bool has_lost_text = on_paper.text.empty() && !step.text.markdown.empty();
    if (has_lost_text && !step.question) continue;  // it is about the window alone
    if (step.document->model) figure.says_text = is_news(said_text, text_of_model(*step.document));
    if (figure.options.has_all_layers) figure.says_names = is_news(said_names, names_of_heads(*step.document));
    if (last && last->first == figure) {
      on_paper.pictures.paragraph(fmt::format("The picture is that of step {}.", last->second + 1));
    } else {
      on_paper.pictures = pictures_of(figure, results[i]);
      last.emplace(figure, i);
    }
    steps.push_back(std::move(on_paper));
    if (step.question && step.question->then) views.next(*step.question->then);
  }
  return steps;
}

void write_pages(Paper& paper, const Lesson& lesson, bool has_answers) {
  const std::vector<std::shared_ptr<const Result>> results = results_of(lesson);
  paper.next_page();
  paper.paragraph(lesson.title, {18 * point, true});
  paper.paragraph(lesson.summary, {handout_text_size}, 0, dim);
  write_steps(paper, steps_on_paper(lesson, results));
  const bool asks = std::ranges::any_of(lesson.steps, [](const LessonStep& step) { return step.question.has_value(); });
  if (!asks || !has_answers) return;
  paper.next_page();
  paper.paragraph(fmt::format("Answers: {}", lesson.title), {14 * point, true});
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    if (!step.question) continue;
    const StepNumbers numbers{*step.document, *results[i]};
    paper.keep_together(40 * point);
    paper.gap(8 * point);
    paper.paragraph(fmt::format("{}. {}", i + 1, answer_words(*step.question, numbers)), {handout_text_size, true});
    paper.blocks(blocks_on_paper(step.question->because, numbers, false), 10 * point);
    write_replies(paper, *step.question, numbers);
    if (step.document->model && asks_about_next_word(*step.question))
      paper.paragraph(next_words(*step.document), {handout_text_size}, 10 * point, dim);
  }
}

}  // namespace

std::string render_handout(const Lesson& lesson, bool has_answers) {
  Paper paper;
  write_pages(paper, lesson, has_answers);
  return render_pdf(paper.pages, lesson.title);
}

}  // namespace attnscope
