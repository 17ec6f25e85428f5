#pragma once

#include <imgui.h>
#include <span>
#include <string>

#include "core/config_fields.h"
#include "features/shared/panel/calls.h"
#include "session/figure_state.h"
#include "teach/lesson.h"
#include "teach/questions.h"
#include "teach/teaching_view.h"
#include "ui/view_context.h"
#include "view/board.h"

namespace attnscope {

// One function per panel, each in a file of its own. They read the context and push calls; nothing else.

float draw_menu_bar(const ViewContext& context, CallQueue& queue);    // returns where its menus end
void draw_setup_panel(const ViewContext& context, CallQueue& queue);  // mechanism, sliders, tokens, options
// Replaces the setup while attention of a file is shown.
void draw_viewing_setup(const ViewContext& context, CallQueue& queue);
void draw_options(const ViewContext& context, CallQueue& queue);  // the less used half of the setup
bool is_option(std::string_view key);                             // the field of the configuration is an option
// Draw rows of the setup, each for a field of the configuration.
void draw_field(const ViewContext& context, CallQueue& queue, const FlagField& field);
void draw_field(const ViewContext& context, CallQueue& queue, const ChoiceField& field);
void draw_field(const ViewContext& context, CallQueue& queue, const NumberField& field);
void draw_field(const ViewContext& context, CallQueue& queue, const IntegerField& field);
void draw_whole_input(const ViewContext& context, CallQueue& queue, const IntegerField& field);  // within a row
void draw_tokens(const ViewContext& context, CallQueue& queue);                                  // within the setup
void draw_token_window(const ViewContext& context, CallQueue& queue);                            // while it is open
bool tokens_fit_setup(const ViewContext& context);  // the table of tokens has room there; else a window has it
void step_head(const ViewContext& context, CallQueue& queue,
               Index step);                                       // shows another head, after the last the first
void draw_stages(const ViewContext& context, CallQueue& queue);   // one of the layouts
void draw_diagram(const ViewContext& context, CallQueue& queue);  // all stages of one head, as they follow
void draw_compared_diagram(const ViewContext& a, const ViewContext& b, CallQueue& queue);  // A above B
void draw_layers(const ViewContext& context, CallQueue& queue);  // every head of every layer of a file
void draw_model(const ViewContext& context, CallQueue& queue);   // every head of every layer of a trained model
void draw_inspector(const ViewContext& context, CallQueue& queue);
// Returns the number that the inspector explains: that under the pointer, or the pinned one.
std::optional<Source> explained_cell(const ViewContext& context);
// Draws the inspector as a card over the diagram, between two corners on the screen; nothing if no number is looked at.
void draw_inspector_card(const ViewContext& context, CallQueue& queue, ImVec2 low, ImVec2 high);
// Draw the open lesson in the place of the setup: tabs lead from one to the other.
void draw_lesson_tabs(const ViewContext& context, CallQueue& queue);
bool draw_lesson_panel(const ViewContext& context, CallQueue& queue);  // returns whether the step fits in
void draw_lesson_task(const ViewContext& context,
                      CallQueue& queue);  // the task of a step, above the setup that it needs
// Returns whether the editor of lessons takes the place of the setup. A lesson that is tried covers it.
bool is_making_lesson(const ViewContext& context);
// Draws the editor: the lesson's steps, and the chosen one with its texts and its question.
void draw_lesson_editor(const ViewContext& context, CallQueue& queue);

// Draws a field for a text of several paragraphs, as wide as there is room, whose lines are broken as they are typed.
// Enter begins a paragraph. Returns whether it was changed. `lines` is the least height. `takes_keys`: what is typed
// from now on goes to its end. `beside` is the room that is left free at its right.
bool paragraphs_field(const ViewContext& context, const char* id, const char* hint, std::string& text, int lines,
                      bool takes_keys = false, float beside = 0);
// Breaks lines in place, of a text as it is edited: blanks become line ends and line ends become blanks, so that no
// letter moves. Paragraphs that are code keep their lines.
void break_lines(char* text, std::size_t size, const ImFont* font, float width);
// Returns the text with the line ends within paragraphs as blanks.
std::string without_line_breaks(std::string text);
void draw_lessons_menu(const ViewContext& context, CallQueue& queue);  // the lessons of the menu Learn
void draw_go_to(const ViewContext& context, CallQueue& queue);         // a window of its own, while it is open
// Keys in the layout Layers: an arrow leads to the next picture, Enter shows it large.
void step_in_layers(const ViewContext& context, CallQueue& queue, Index rows, Index cols);
void open_in_layers(const ViewContext& context, CallQueue& queue);
// Keys in the layout Model: they do the same, and the space bar switches a head off or on.
void step_in_model(const ViewContext& context, CallQueue& queue, Index rows, Index cols);
void open_in_model(const ViewContext& context, CallQueue& queue);
void toggle_in_model(const ViewContext& context, CallQueue& queue);
void watch_in_model(const ViewContext& context,
                    CallQueue& queue);  // plays the head's film of the chosen position, in its diagram
// Before an audience: go on by so many heads, through all layers; name the chosen head; say whether it is off.
void go_to_head_of_model(const ViewContext& context, CallQueue& queue, Index by);
std::string words_of_head(const ViewContext& context);
bool is_off_in_model(const ViewContext& context);
void draw_model_setup(const ViewContext& context, CallQueue& queue);  // in the place of the mechanisms
// Controls of the view: layouts, stage, head and batch entry at the left; decimals, colours and size at the right.
// A narrow bar first leaves out what the settings have, too; then it breaks into lines. The bar reaches from the cursor
// to the right end of the window.
void draw_tool_bar(const ViewContext& context, CallQueue& queue, float line_height);
int tool_bar_lines(const ViewContext& context, float width);
void draw_status_line(const ViewContext& context, CallQueue& queue);

// Everything works without a pointer: Tab goes from panel to panel, arrows go within one, Enter opens or edits what is
// chosen, Esc leads back to the stages. There the arrows move the pinned cell, which is why Dear ImGui has the keys in
// the other panels, in menus and in dialogs only.

// Returns whether arrows, Enter and Esc belong to the stages, and not to a panel, a menu or a list.
bool stages_have_keys(const ViewContext& context);

// Begin and end the drawing of a panel, in its window: they give it the keys when they come, and a frame while it has
// them.
void begin_panel(const ViewContext& context, CallQueue& queue, Panel panel);
void end_panel(const ViewContext& context, Panel panel);

void enter_panel(CallQueue& queue, Panel panel);

// Keys that work anywhere, unless a text field has the keyboard.
void handle_shortcuts(const ViewContext& context, CallQueue& queue);

void draw_dialog(const ViewContext& context, CallQueue& queue);
void draw_file_dialog(const ViewContext& context, CallQueue& queue);
void draw_figure_dialog(const ViewContext& context, CallQueue& queue);
void draw_settings(const ViewContext& context, CallQueue& queue);
void draw_examples_gallery(const ViewContext& context, CallQueue& queue);
void draw_pairs_gallery(const ViewContext& context, CallQueue& queue);
void draw_restore_dialog(const ViewContext& context, CallQueue& queue);
void draw_about(const ViewContext& context, CallQueue& queue);
void draw_glossary(const ViewContext& context, CallQueue& queue);
void draw_shortcuts(const ViewContext& context, CallQueue& queue);

// The parts of dialogs that choose a file.

void draw_folder_line(const ViewContext& context, CallQueue& queue);  // the way up, and where we are
void draw_listing(const ViewContext& context, CallQueue& queue);
void draw_name_field(const ViewContext& context, CallQueue& queue, const char* hint, float width);
// Walks into the folder that the name stands for, or asks for the dialog's action.
void accept_name(const ViewContext& context, CallQueue& queue);

// Draws a row of common masks, below the mask.
void draw_mask_presets(const ViewContext& context, CallQueue& queue);
// Draws a row with the bias that is added to the scores.
void draw_bias(const ViewContext& context, CallQueue& queue);
// Draws the common masks that a cell of the mask stands for, in its menu.
void draw_mask_items(const ViewContext& context, CallQueue& queue, const Source& cell);

// Teaching views and the questions that lead to them.

void show_study(CallQueue& queue, std::string_view id);
// Shows the next view, or the one before, that has something to show of the document.
void step_study(const ViewContext& context, CallQueue& queue, Index step);
void close_study(CallQueue& queue);

void draw_study(const ViewContext& context, CallQueue& queue);

// The answer to a question beside the diagram that shows what it proposed to change; its width is 0 if there is none.
float answer_beside_width(const ViewContext& context);
void draw_question_column(const ViewContext& context, CallQueue& queue);
void leave_answer_beside(CallQueue& queue);  // back to the view beside the answer

// Opens a question beside the view that shows it; without an id, the list of questions.
void show_question(CallQueue& queue, std::string_view id);

// Draws a quiet "?" with its upper left corner at a place of the screen: a click answers the question.
void draw_why(const ViewContext& context, CallQueue& queue, const ReaderQuestion& question, std::string_view name,
              ImVec2 pos_screen);
// Puts the question mark behind the label of a control of the setup that begins here, where there is room for it.
void draw_why_of_control(const ViewContext& context, CallQueue& queue, std::string_view control,
                         std::string_view label);
float why_width(const ViewContext& context);

// A question that a lesson asks, or that is asked about covered numbers.
struct AskedQuestion {
  std::string_view name;     // its widgets are "name/bar/0"
  bool is_of_lesson = true;  // false: a covered number is asked about
  const Question& question;
  const Answering& answering;
  QuestionRecord record;
  bool is_done = false;  // no answer is taken any more
};
void draw_asked_question(const ViewContext& context, CallQueue& queue, const AskedQuestion& asked);

// Draws a lesson's text at the cursor, as wide as there is room: words flow, numbers stay whole.
void draw_lesson_text(const ViewContext& context, std::string_view name, std::span<const TextBlock> blocks);

// The parts of the dialog that exports a figure.

// Draws all choices about a figure, row by row, in one column or in two, and changes them in place. There must be a
// result.
void draw_figure_choices(const ViewContext& context, FigureChoices& choices, bool is_one_column);
float figure_choices_height(const ViewContext& context,
                            const FigureChoices& choices);  // returns the height of one column of them

// Draws the choice between a still figure and a sweep, and how one parameter is swept.
void draw_sweep_choices(const ViewContext& context, FigureChoices& choices);
// Sweeps a parameter, and changes choices that would show nothing of it.
void choose_swept(const ViewContext& context, FigureChoices& choices, const std::string& parameter);

bool is_watching(const ViewContext& context);

// Plays the film of the number that is explained, or ends the one that is watched.
void toggle_film(const ViewContext& context, CallQueue& queue);
std::string obstacle_to_watching(const ViewContext& context);
// Draws the button that plays the film of this number.
void draw_watch_button(const ViewContext& context, CallQueue& queue, const Source& cell, const char* label);

// Draws the film in the place of the stages, with its buttons below.
void draw_film(const ViewContext& context, CallQueue& queue);

// Draws the number of the film that was just left over the diagram, on the way to its cell.
void draw_landing(const ViewContext& context, CallQueue& queue, ImVec2 low, ImVec2 high);

// Space plays and pauses, the arrows go from scene to scene. Esc is left to the caller.
void handle_film_keys(CallQueue& queue);
void close_film(CallQueue& queue);

}  // namespace attnscope
