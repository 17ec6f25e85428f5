#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "ui/imgui_compat.h"
#include "ui/view_context.h"

namespace attnscope {

// The app's own widgets. Each registers itself by name, and a disabled one says why when the pointer rests on it.

// Draws a label in the left column; the next item stands in the right one. An empty `reason` means enabled.
void begin_row(const ViewContext& context, std::string_view label, std::string_view reason = {});
// Likewise before a list. Its choice must be read as a whole: where it needs more room, the list begins right behind
// its label.
void begin_list_row(const ViewContext& context, const char* label, const std::string& shown,
                    std::string_view reason = {});
float row_label_room(const ViewContext& context);  // width of the left column: less in a narrow panel
// Registers the item just drawn as `name`, ends begin_row's disabling, shows `reason` or `help` as its tooltip.
void end_row(const ViewContext& context, std::string_view name, std::string_view reason = {},
             std::string_view help = {}, WidgetState state = {});

// Registers the item just drawn.
void register_item(const ViewContext& context, std::string_view name, WidgetState state = {});
// Registers a part of it.
void register_part(const ViewContext& context, std::string_view name, ImVec2 min_screen, ImVec2 max_screen);
// Registers a menu or a list right after its BeginMenu() or BeginCombo(), which returned `is_open`.
void register_opener(const ViewContext& context, std::string_view name, bool is_open, bool enabled = true);

// Tooltip for the item just drawn, disabled or not, wrapped to a readable width; nothing for an empty text. What was
// registered as an item has it as its help.
void begin_tooltip(const ViewContext& context);  // leaves room around its text
// Where a tooltip stands: at the pointer, or above its item where what is below it is read.
enum class TooltipPlace { pointer, above };
void item_tooltip(const ViewContext& context, std::string_view text, TooltipPlace place = TooltipPlace::pointer);
// Gives the item just drawn a help text that is shown elsewhere than in a tooltip.
void note_help(const ViewContext& context, std::string_view text);
// Returns the width of a tooltip's text in the current font: no wider than the window.
float readable_width();

// Continues beside the last item if there is room for `width`, else on the next line.
void same_line_if_fits(float spacing, float width);
float button_width(const char* label);
// Goes on at the right end of the line; of the next one where the last item reaches so far.
void same_line_at_right(float width);

bool push_button(const ViewContext& context, std::string_view name, const char* label, std::string_view reason = {},
                 std::string_view help = {}, std::optional<bool> is_on = {});

// Flat button that shows whether it is chosen: one of a few alternatives side by side.
bool choice_button(const ViewContext& context, std::string_view name, const char* label, bool is_chosen,
                   std::string_view help = {}, std::string_view reason = {});

// Text from outside (names of files, tensors and tokens, explanations that name them) as an item of a list or a menu,
// and as what a closed list shows. Dear ImGui would cut a label at "##" and take two of the same text for one item:
// here the text is drawn, and `id` tells items apart.
bool text_item(int id, std::string_view text, bool is_chosen = false, int flags = 0);
bool text_part(int id, std::string_view text);  // no wider than its text, so that another one can stand beside it
bool begin_text_combo(const char* id, std::string_view text, int flags = 0);

// Draws a field for up to `most` bytes; returns whether it was changed, or entered if a flag says so.
bool text_field(const char* id, const char* hint, std::string& text, std::size_t most, int flags = 0);

// To be called at the beginning of each frame: Dear ImGui's undo steps of a field must not outlive its text, which the
// program may replace once the field is left. `is_replaced`: the text that the field edits is gone.
void forget_text_steps(bool is_replaced);
// To be called before a field whose text is taken as it is typed: Esc leaves it. By itself Dear ImGui puts the text
// back that stood there before.
void keep_text_on_escape(const char* id);

// One of several things to choose from; a reason says why it cannot be chosen. Its widget has the list's name and its
// own behind it, or its place in the list.
struct Choice {
  std::string label;
  std::string_view reason = {};
  std::string_view name = {};
  std::string short_label = {};  // shown in the closed list if it has little room
};
// Draws a list of choices; returns the index of a newly chosen one, else -1.
int choose_from(const ViewContext& context, std::string_view name, std::span<const Choice> choices, int current,
                std::string_view reason = {}, std::string_view help = {});
// Draws such a list in a row with a label.
int choose(const ViewContext& context, const char* label, std::string_view name, std::span<const Choice> choices,
           int current, std::string_view reason, std::string_view help);

// Draws a window over the others that fits its content; returns false once it is to be closed.
bool floating_window(const ViewContext& context, const char* title, int flags, const std::function<void()>& draw);

void plain_text(std::string_view text);  // draws a text that may name tokens, with their emoji
void section_heading(const ViewContext& context, const char* text);
void dim_text(const ViewContext& context, std::string_view text);      // wrapped, in the small font
void warning_text(const ViewContext& context, std::string_view text);  // wrapped

// A slider as a thin track with its number to the right of it, together as wide as the next item. A click on the number
// types it. The widget is both. What is dragged is a round number, unless the slider is logarithmic: as round as a
// pixel of the track is wide. What is typed may be beyond its ends; what is no number ("*1e999" makes one of 0) changes
// nothing. `widest` is the widest text that may stand in the place of the number.
bool value_slider(const ViewContext& context, const char* id, float& value, float low, float high, const char* format,
                  int flags = 0, std::string_view widest = {});
// Such a slider over whole numbers.
bool value_step_slider(const ViewContext& context, const char* id, int& value, int first, int last,
                       const char* shown = "%.0f", int flags = 0, std::string_view widest = {});
bool track_slider(const ViewContext& context, const char* id, int& value, int first, int last);  // the track alone
// Returns whether the slider drawn last takes its number from the keyboard, after Ctrl+click.
bool is_slider_typed();

float unit(const ViewContext& context);  // one unit of the interface scale

// A child whose content may follow its width, so that a scroll bar, by taking width, may lower the content until no bar
// is needed. Where a bar would come and go in turns, it stays until the child has another size. It ends by
// ImGui::EndChild().
bool begin_steady_child(const char* name, ImVec2 size, bool has_border = false, ImGuiWindowFlags flags = 0);

}  // namespace attnscope
