#include "features/shared/panel/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "document/compare.h"
#include "document/edit.h"
#include "features/compare/panel/comparison.h"
#include "features/predict/panel/covering.h"
#include "features/present/panel/presenting.h"
#include "features/setup/document_controller.h"
#include "features/setup/panel/setup_place.h"
#include "features/shared/panel/calls.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"
#include "view/board.h"

namespace attnscope {
namespace {

constexpr float list_width = 190;

// Returns the right end of what shows of the window, however wide its content is.
float visible_right() {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float scrollbar = ImGui::GetScrollMaxY() > 0 ? style.ScrollbarSize : 0;
  return ImGui::GetScrollX() + ImGui::GetWindowWidth() - scrollbar - style.ItemSpacing.x / 2;
}

void draw_list_of_studies(const ViewContext& context, CallQueue& queue) {
  std::vector<Choice> choices;
  std::vector<std::string> reasons;
  reasons.reserve(studies().size());
  int shown = 0;
  for (const TeachingViewInfo& study : studies()) {
    if (study.id == shown_study(context.now.view.study).id) shown = static_cast<int>(choices.size());
    reasons.push_back(obstacle_to(study, *context.now.result()));
    choices.push_back({std::string(study.title), reasons.back(), study.id});
  }
  ImGui::SetNextItemWidth(list_width * unit(context));
  const int chosen = choose_from(context, "study/view", choices, shown);
  if (chosen >= 0) show_study(queue, studies()[static_cast<std::size_t>(chosen)].id);
}

// Draws the list of views, the question, and the way back. An audience sees the question alone.
void draw_study_title(const ViewContext& context, CallQueue& queue) {
  const bool has_controls = !is_presenting(context);
  const float back = has_controls ? ImGui::CalcTextSize("×  Diagram").x + 2 * ImGui::GetStyle().FramePadding.x : 0;
  const float right = visible_right();
  if (has_controls) {
    draw_list_of_studies(context, queue);
    ImGui::SameLine(0, 12 * unit(context));
  }
  push_font(context.fonts.heading);
  ImGui::AlignTextToFramePadding();
  const float room = right - back - ImGui::GetCursorPosX() - 12 * unit(context);
  // A question that is answered here stands beside the view; the view's own would be another one.
  const std::string_view title =
      context.now.view.transient.question.value_or("").empty() ? shown_study(context.now.view.study).question : "";
  ImGui::TextUnformatted(fit_text(context.fonts.heading, title, std::max(room, 1.0F)).c_str());
  ImGui::PopFont();
  register_item(context, "study/question");
  if (!has_controls) return;
  ImGui::SameLine();
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right - back));
  if (push_button(context, "study/back", "×  Diagram", {}, "Back to the diagram (Esc)")) close_study(queue);
}

void draw_sentence(const ViewContext& context, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  ImGui::BeginGroup();
  plain_text(wrapped(context.fonts.text, text, visible_right() - ImGui::GetCursorPosX()));
  ImGui::EndGroup();
  register_item(context, name);
}

constexpr float control_width = 150;
constexpr float value_room = 40;  // of that, beside the track
constexpr double steps_a_second = 0.8;
constexpr double least_seconds = 1e-4;      // between two frames that somebody sees
constexpr double most_seconds = 0.05;       // longest time of a frame; a longer one was asleep
constexpr float most_decimals_shown = 100;  // from here on a number has none

void set_value(CallQueue& queue, const Board& board, const BoardControl& control, double value) {
  change_view(queue, [view = board.id, id = control.id, value](ViewState& state) {
    state.study.id = view;
    state.study.values[id] = value;
  });
}

// Returns the widest text beside the slider of a control.
std::string widest_value(const BoardControl& control, const char* decimals) {
  char text[64];
  ImFormatString(text, sizeof(text), decimals, control.high);
  std::string widest = text;
  for (const std::string& choice : control.choices) {
    if (choice.size() > widest.size()) widest = choice;
  }
  return widest;
}

void draw_slider(const ViewContext& context, CallQueue& queue, const Board& board, const BoardControl& control,
                 double shown) {
  auto value = static_cast<float>(shown);
  const int flags = ImGuiSliderFlags_NoRoundToFormat | (control.is_logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
  const char* const decimals = control.is_whole || value >= most_decimals_shown ? "%.0f" : "%.2f";
  const auto step = static_cast<std::size_t>(std::lround(shown));
  const std::string format = step < control.choices.size() ? control.choices[step] : decimals;
  const std::string widest = widest_value(control, decimals);
  ImGui::SetNextItemWidth(control_width * unit(context) +
                          std::max(0.0f, text_size(context.fonts.text, widest).x - value_room * unit(context)));
  if (!value_slider(context, "##value", value, static_cast<float>(control.low), static_cast<float>(control.high),
                    format.c_str(), flags, widest))
    return;
  const double exact = static_cast<double>(value);
  const double chosen = control.is_whole ? std::round(exact) : std::round(exact * 100) / 100;
  set_value(queue, board, control, std::clamp(chosen, control.low, control.high));
}

void draw_choice(const ViewContext& context, CallQueue& queue, const Board& board, const BoardControl& control,
                 const std::string& name, double shown) {
  std::vector<Choice> choices;
  for (const std::string& each : control.choices) choices.push_back({each});
  ImGui::SetNextItemWidth(control_width * unit(context));
  const int current = std::clamp(static_cast<int>(shown), 0, static_cast<int>(choices.size()) - 1);
  const int chosen = choose_from(context, name, choices, current, {}, control.help);
  if (chosen >= 0) set_value(queue, board, control, chosen);
}

// From where it stands, or from its beginning, on to its end, in which the window has nothing more to do. Where no time
// passes nobody watches: it ends at once.
void draw_play(const ViewContext& context, CallQueue& queue, const Board& board, const BoardControl& control,
               const std::string& name, double shown) {
  bool& is_playing = *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("plays"), false);
  ImGui::SameLine(0, 6 * unit(context));
  if (push_button(context, name + "/play", is_playing ? "Stop" : "▸ Play", {}, "Shows the steps one after the other")) {
    is_playing = !is_playing;
    if (is_playing && shown >= control.high) set_value(queue, board, control, shown = control.low);
  }
  if (!is_playing) return;
  const auto passed = static_cast<double>(ImGui::GetIO().DeltaTime);
  const double next = passed < least_seconds ? control.high : shown + std::min(passed, most_seconds) * steps_a_second;
  set_value(queue, board, control, std::min(next, control.high));
  is_playing = next < control.high;
}

// Draws the controls of the view, in a row.
void draw_board_controls(const ViewContext& context, CallQueue& queue, const Board& board) {
  for (const BoardControl& control : board.controls) {
    // A control shows its new value at once, also while the board of before is still shown.
    const double shown = context.now.view.study.value(control.id, control.value);
    const std::string name = fmt::format("study/{}", control.id);
    ImGui::PushID(control.id.c_str());
    const float needed = ImGui::CalcTextSize(control.label.c_str()).x + (control_width + 28) * unit(context);
    if (&control != board.controls.data()) {
      const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
      if (ImGui::GetItemRectMax().x + needed <= right) ImGui::SameLine(0, 20 * unit(context));
    }
    if (control.kind == BoardControl::Kind::toggle) {
      bool is_on = shown > 0;
      if (ImGui::Checkbox(control.label.c_str(), &is_on)) set_value(queue, board, control, is_on ? 1 : 0);
      register_item(context, name, {.is_on = is_on});
      item_tooltip(context, control.help);
    } else {
      ImGui::AlignTextToFramePadding();
      ImGui::TextUnformatted(control.label.c_str());
      ImGui::SameLine(0, 8 * unit(context));
      if (control.kind == BoardControl::Kind::choice) {
        draw_choice(context, queue, board, control, name, shown);
      } else {
        draw_slider(context, queue, board, control, shown);
        register_item(context, name, {.value = shown});
        item_tooltip(context, control.help);
        if (control.plays) draw_play(context, queue, board, control, name, shown);
      }
    }
    ImGui::PopID();
  }
}

// Says where a cell stands, and its number to the last digit.
std::string cell_text(const BoardMatrix& matrix, Index row, Index col) {
  const auto label = [](const std::vector<std::string>& labels, Index at) {
    return labels.empty() ? fmt::format("{}", at + 1) : labels[static_cast<std::size_t>(at)];
  };
  const auto cell = static_cast<std::size_t>(row * matrix.cols + col);
  std::string text =
      fmt::format("{}: {}, {}", matrix.title, label(matrix.row_labels, row), label(matrix.column_labels, col));
  if (matrix.texts.empty()) text += "\n" + format_full(matrix.values[cell]);
  if (matrix.marks.empty()) return text;
  if (matrix.marks[cell].is_hidden) text += "  masked";
  if (matrix.marks[cell].is_dropped) text += "  dropped";
  if (matrix.marks[cell].differs) text += "  changed";
  return text;
}

void rest_on(CallQueue& queue, const Source& source, bool is_clicked) {
  hover(queue, source);
  if (is_clicked) change_view(queue, [source](ViewState& state) { state.pinned = source; });
}

// Lays an invisible button over a box, which is not empty, and returns whether it is pressed.
bool is_box_pressed(const ViewContext& context, const PicturePlace& place, const Box& box, int number,
                    const std::string& name) {
  ImGui::SetCursorScreenPos(place.at(box.x, box.y));
  ImGui::PushID(number);
  const bool is_pressed = ImGui::InvisibleButton(
      "box", {static_cast<float>(box.width) * place.scale, static_cast<float>(box.height) * place.scale});
  ImGui::PopID();
  register_item(context, name);
  return is_pressed;
}

void handle_cells(const ViewContext& context, CallQueue& queue, const scene::BoardCells& cells,
                  const PicturePlace& place, int number) {
  if (cells.box.width <= 0 || cells.box.height <= 0) return;  // without cells, as where no draw is left
  const bool is_clicked = is_box_pressed(context, place, cells.box, number, fmt::format("study/matrix/{}", number));
  if (!ImGui::IsItemHovered()) return;
  const BoardMatrix& matrix = *cells.matrix;
  const ImVec2 low = ImGui::GetItemRectMin();
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const auto at = [&](float offset, double side, Index count) {
    return std::clamp<Index>(static_cast<Index>(static_cast<double>(offset / place.scale) / side), 0, count - 1);
  };
  const Index row = at(pointer.y - low.y, cells.cell_height(), matrix.rows);
  const Index col = at(pointer.x - low.x, cells.cell_width(), matrix.cols);
  item_tooltip(context, cell_text(matrix, row, col));
  if (!matrix.first) return;
  Source source = *matrix.first;
  source.row += row;
  source.col += col;
  rest_on(queue, source, is_clicked);
}

void handle_spot(const ViewContext& context, CallQueue& queue, const scene::BoardSpot& spot, const PicturePlace& place,
                 int number) {
  if (spot.box.width <= 0 || spot.box.height <= 0) return;
  const bool is_clicked =
      is_box_pressed(context, place, spot.box, number, fmt::format("study/token/{}", spot.source.row));
  if (ImGui::IsItemHovered()) rest_on(queue, spot.source, is_clicked);
}

// Draws the board as large as there is room, and lets the pointer work on it.
void draw_board(const ViewContext& context, CallQueue& queue, const Board& board) {
  ImGui::Spacing();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const PicturePlace place{ImGui::GetCursorScreenPos(), unit(context)};
  const float scrollbar = ImGui::GetStyle().ScrollbarSize;  // kept free, so that one makes nothing narrower
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - ImGui::GetScrollX();
  const auto units = [&](float length) { return static_cast<double>(std::max(length, 100.0F) / place.scale); };
  const Theme& theme = context.theme;
  const scene::BoardLayout layout = scene::layout_board(
      board, {.width = units(right - place.origin.x - scrollbar),
              .height = units(room.y - 4 * place.scale),
              .text = static_cast<double>(context.fonts.text_em * font_height(context.fonts.text) / place.scale),
              .theme = &theme,
              .paper = theme.inks.card,
              .line = theme.inks.border,
              .measure = measure_in(context.fonts, place.scale),
              .scrolls = !is_presenting(context)});
  paint_picture(context, layout.picture, place);
  int number = 0;
  for (const scene::BoardCells& cells : layout.cells) handle_cells(context, queue, cells, place, number++);
  for (const scene::BoardSpot& spot : layout.spots) handle_spot(context, queue, spot, place, number++);
  ImGui::SetCursorScreenPos(place.origin);
  ImGui::Dummy({static_cast<float>(layout.width) * place.scale, static_cast<float>(layout.height) * place.scale});
  register_item(context, "study/board");
}

void draw_view(const ViewContext& context, CallQueue& queue) {
  draw_study_title(context, queue);
  if (const std::string covered = obstacle_of_cover(context.now); !covered.empty()) return dim_text(context, covered);
  const Board* const board = context.now.board.get();
  if (!board || board->id != shown_study(context.now.view.study).id) return dim_text(context, "Being computed.");
  draw_sentence(context, "study/sentence", board->headline);
  if (!is_presenting(context)) {  // before an audience the line says it
    ImGui::PushStyleColor(ImGuiCol_Text, to_u32(context.theme.inks.warning));
    draw_sentence(context, "study/invented", mark_of_invented(context.now));
    ImGui::PopStyleColor();
  }
  if (!board->controls.empty()) draw_board_controls(context, queue, *board);
  if (!board->note.empty()) dim_text(context, board->note);
  if (!board->lines.empty()) draw_board(context, queue, *board);
}

constexpr float answer_width = 300;
constexpr std::size_t most_searched_bytes = 100;

void draw_question_list(const ViewContext& context, CallQueue& queue) {
  std::string text = context.now.view.transient.question_search;
  ImGui::SetNextItemWidth(-1);
  if (ImGui::IsWindowAppearing() && context.now.view.transient.question->empty()) ImGui::SetKeyboardFocusHere();
  if (text_field("##search", "Search the questions", text, most_searched_bytes))
    change_view(queue, [text](ViewState& state) { state.transient.question_search = text; });
  register_item(context, "questions/search");
  const std::vector<const ReaderQuestion*> found = find_questions(text);
  if (found.empty()) dim_text(context, "No question has these words.");
  int number = 0;
  for (const ReaderQuestion* const question : found) {
    const bool is_shown = context.now.view.transient.question == question->id;
    const std::string label = wrapped(ImGui::GetFont(), question->text, ImGui::GetContentRegionAvail().x);
    ImGui::PushID(number++);
    const ImVec2 size{0, ImGui::CalcTextSize(label.c_str()).y};
    if (ImGui::Selectable(label.c_str(), is_shown, 0, size)) show_question(queue, question->id);
    ImGui::PopID();
    register_item(context, fmt::format("questions/{}", question->id), {.is_on = is_shown});
  }
}

void draw_paragraph(const ViewContext& context, std::string_view name, std::string_view text) {
  ImGui::BeginGroup();
  plain_text(wrapped(context.fonts.text, text, ImGui::GetContentRegionAvail().x));
  ImGui::EndGroup();
  register_item(context, name);
  ImGui::Spacing();
}

// Changes the document, and says what changed it and how to undo that.
void edit_and_name(const ViewContext& context, CallQueue& queue, DocumentEdit edit) {
  edit_document(queue, std::move(edit));
  queue.push([before = context.now.before](const Controllers& to) { to.documents.name_edit_since(before); });
}

// Returns a label as a name of an edit: "let W_key be W_query".
std::string begun_in_lower_case(std::string label) {
  label.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(label.front())));
  return label;
}

// Draws the button for what the question proposes to change.
void draw_remedy(const ViewContext& context, CallQueue& queue, const ReaderQuestion& question) {
  const std::shared_ptr<const Result> result = context.now.whole_result();
  if (!result) return;
  const ReaderAnswer* const answer = context.now.answer.get();
  std::optional<QuestionRemedy> remedy = question.remedy ? question.remedy(*result) : std::nullopt;
  if (question.trial && answer && answer->question == question.id && answer->trial && !context.now.document.compared)
    remedy = *answer->trial;
  if (context.now.view.transient.has_answer_beside) {
    if (push_button(context, "questions/back", "Back to the view", {}, "Shows the view beside this answer again (Esc)"))
      leave_answer_beside(queue);
    return;
  }
  if (!remedy) return;
  const char* const tooltip =
      remedy->is_answered     ? "Changes the document; Ctrl+Z takes it back"
      : remedy->shows_changes ? "Changes the document, and shows every number that changes (C); Ctrl+Z takes it back"
                              : "Changes the document, and leads back to the diagram; Ctrl+Z takes it back";
  if (!push_button(context, "questions/remedy", remedy->label.c_str(), {}, tooltip)) return;
  edit_and_name(context, queue, {begun_in_lower_case(remedy->label), remedy->change});
  change_view(queue, [remedy = *remedy](ViewState& state) {
    for (const auto& [control, value] : remedy.controls) state.study.values[control] = value;
    if (remedy.head) {
      state.head = *remedy.head;
      if (state.pinned) state.pinned->head = *remedy.head;
    }
    if (remedy.is_answered) return;
    state.mode = ViewMode::diagram;
    state.transient.has_answer_beside = true;
    if (!remedy.shows_changes) return;
    state.shows_changes = true;
    state.side = ComparedSide::difference;
  });
}

// Draws the button that leads to the pair of documents that shows what the question asks about.
void draw_pair_button(const ViewContext& context, CallQueue& queue, const ReaderQuestion& question) {
  const ReadyPair* const pair = ready_pair_named(question.pair);
  if (!pair) return;
  std::string label = fmt::format("Show {}", lower_case(pair->title));
  const float room = ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().FramePadding.x;
  if (text_size(ImGui::GetFont(), label).x > room) label = "Show this pair of documents";
  if (!push_button(context, "questions/pair", label.c_str(), obstacle_to_pair(context, *pair),
                   fmt::format("{}: {}", pair->title, pair->summary)))
    return;
  close_study(queue);
  open_pair(context, queue, *pair);
}

void draw_answer(const ViewContext& context, CallQueue& queue, const ReaderQuestion& question) {
  push_font(context.fonts.heading);
  plain_text(wrapped(context.fonts.heading, question.text, ImGui::GetContentRegionAvail().x));
  ImGui::PopFont();
  ImGui::Spacing();
  const ReaderAnswer* const answer = context.now.answer.get();
  const bool is_there = answer && answer->question == question.id;
  const std::string covered = obstacle_of_cover(context.now);
  const bool is_of_example = covered.empty() && is_there && !answer->example.empty();
  if (is_of_example) draw_paragraph(context, "questions/example", answer->example);
  draw_paragraph(context, "questions/answer", !covered.empty() ? covered : is_there ? answer->text : "Being computed.");
  if (is_of_example &&
      push_button(context, "questions/use", "Use this example", {}, "Changes the document; Ctrl+Z takes it back"))
    edit_and_name(context, queue, {"example", [change = question.example->with](Document& document) {
                                     set_config(document, change(document.config));
                                   }});
  draw_remedy(context, queue, question);
  draw_pair_button(context, queue, question);
  ImGui::Spacing();
}

void close_questions(CallQueue& queue) {
  change_view(queue, [](ViewState& state) { state.transient.question.reset(); });
}

}  // namespace

void draw_question_column(const ViewContext& context, CallQueue& queue) {
  push_font(context.fonts.small_text);
  ImGui::TextDisabled("Questions");
  ImGui::PopFont();
  const float close = ImGui::CalcTextSize("×").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine(ImGui::GetContentRegionMax().x - close);
  if (push_button(context, "questions/close", "×", {}, "Closes the questions; the picture stays"))
    close_questions(queue);
  if (const ReaderQuestion* const question = question_named(*context.now.view.transient.question)) {
    draw_answer(context, queue, *question);
    ImGui::Separator();
    ImGui::Spacing();
  }
  ImGui::BeginChild("list", {0, 0}, false);
  draw_question_list(context, queue);
  ImGui::EndChild();
}

namespace {

// Draws the answer, all questions and a search at the left end of the room. Returns whether they are open.
bool draw_questions(const ViewContext& context, CallQueue& queue) {
  if (!context.now.view.transient.question) return false;
  ImGui::BeginChild("questions", {answer_width * unit(context), 0}, false, ImGuiWindowFlags_NoScrollbar);
  draw_question_column(context, queue);
  ImGui::EndChild();
  return true;
}

}  // namespace

float answer_beside_width(const ViewContext& context) {
  const ViewState& view = context.now.view;
  const bool is_there = view.transient.has_answer_beside && view.transient.question && view.mode == ViewMode::diagram;
  return is_there ? answer_width * unit(context) : 0;
}

void leave_answer_beside(CallQueue& queue) {
  change_view(queue, [](ViewState& state) {
    state.mode = ViewMode::study;
    state.transient.has_answer_beside = false;
    if (state.side == ComparedSide::difference) state.side = ComparedSide::now;
  });
}

void show_study(CallQueue& queue, std::string_view id) {
  change_view(queue, [id = std::string(id)](ViewState& state) {
    state.mode = ViewMode::study;
    if (state.study.id != id) state.study = {.id = id};
    state.transient.question.reset();
  });
}

void step_study(const ViewContext& context, CallQueue& queue, Index step) {
  if (!context.now.result()) return;
  const Index now = &shown_study(context.now.view.study) - studies().data();
  for (Index to = now + step; to >= 0 && to < std::ssize(studies()); to += step) {
    const TeachingViewInfo& study = studies()[static_cast<std::size_t>(to)];
    if (obstacle_to(study, *context.now.result()).empty()) return show_study(queue, study.id);
  }
}

void close_study(CallQueue& queue) {
  change_view(queue, [](ViewState& state) {
    state.mode = ViewMode::diagram;
    state.transient.question.reset();
  });
}

void draw_study(const ViewContext& context, CallQueue& queue) {
  if (!draw_questions(context, queue)) return draw_view(context, queue);
  ImGui::SameLine(0, 16 * unit(context));
  begin_steady_child("view", {0, 0});
  draw_view(context, queue);
  ImGui::EndChild();
}

void show_question(CallQueue& queue, std::string_view id) {
  change_view(queue, [id = std::string(id)](ViewState& state) {
    state.transient.question = id;
    state.transient.has_answer_beside = false;
    state.mode = ViewMode::study;
    if (state.side == ComparedSide::difference || state.side == ComparedSide::side_by_side)
      state.side = ComparedSide::now;
    if (const ReaderQuestion* const question = question_named(id))
      state.study = {.id = std::string(question->study), .values = {question->controls}};
  });
}

float why_width(const ViewContext& context) { return text_size(context.fonts.small_text, "?").x + 8 * unit(context); }

void draw_why(const ViewContext& context, CallQueue& queue, const ReaderQuestion& question, std::string_view name,
              ImVec2 pos_screen) {
  if (is_presenting(context)) return;
  const ImVec2 size{why_width(context), font_height(context.fonts.small_text)};
  const ImVec2 before = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(pos_screen);
  ImGui::PushID(name.data(), name.data() + name.size());
  const bool is_clicked = pressable_area("why", size);
  ImGui::PopID();
  const bool is_hovered = ImGui::IsItemHovered();
  draw_text(context.fonts.small_text, {pos_screen.x + 4 * unit(context), pos_screen.y},
            {is_hovered ? context.theme.inks.accent : context.theme.inks.dim_text}, "?");
  register_item(context, fmt::format("why/{}", name));
  item_tooltip(context, question.text);
  ImGui::SetCursorScreenPos(before);
  if (is_clicked) show_question(queue, question.id);
}

void draw_why_of_control(const ViewContext& context, CallQueue& queue, std::string_view control,
                         std::string_view label) {
  const ReaderQuestion* const question = question_at_control(control);
  const float width = ImGui::CalcTextSize(label.data(), label.data() + label.size()).x;
  if (!question || width + why_width(context) > row_label_room(context)) return;
  const ImVec2 begin = ImGui::GetCursorScreenPos();
  const float drop = (ImGui::GetFrameHeight() - font_height(context.fonts.small_text)) / 2;
  draw_why(context, queue, *question, fmt::format("setup/{}", control), {begin.x + width, begin.y + drop});
}

}  // namespace attnscope
