#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "features/session.h"
#include "features/stages/panel/diagram_scene.h"
#include "ui/imgui_input.h"
#include "ui/view_context.h"
#include "ui/widget_registry.h"
#include "window/frame.h"

namespace attnscope::test {

// A window that is tall enough for the options to stand open.
inline ImVec2 tall() { return {1280, 1300}; }

// A view whose inspector is a column.
ViewState docked();

// Where on a widget: (0, 0) is its upper left corner, (1, 1) its lower right one.
inline const ImVec2 middle{0.5f, 0.5f};

// A session on a app without any graphics, and someone who sits at it with a pointer and a keyboard. Widgets are found
// by their names in the registry; one that is not there, or scrolled out of sight, fails the test.
class HeadlessApp {
public:
  // The setup is a column unless `view` or change_view() make it a rail. The inspector is one, too, unless there is a
  // view of one's own.
  explicit HeadlessApp(Document document = default_document(), ImVec2 size = {1280, 800}, ViewState view = docked());

  void frames(int count = 1);
  bool frame_of(Session& session, float seconds = 1.0f / 60);  // whether the next one may look different
  void change_view(std::function<void(ViewState&)> change);
  // Ask as panels do, and settle.
  void call(Call call);
  void edit(DocumentEdit edit);
  void open_lesson(std::string id);
  void show_dialog(DialogState::Kind kind);
  void stop_reading() { is_read_ = false; }  // frames are as the window builds them: nobody asks what they show
  void show_heatmaps_to(HeatmapSink* sink) { heatmaps_ = sink; }
  void wait(float seconds);  // so that the next click is not the second half of a double click
  void settle();             // until nothing is read or computed any more, and all of it is on the screen

  void move_to(std::string_view name, ImVec2 where = middle);
  void move_by(ImVec2 units);
  void move_away();  // out of the window: no tooltip, nothing hovered
  void press();
  void release();
  void click(std::string_view name, ImVec2 where = middle);
  void double_click(std::string_view name);
  void control_click(std::string_view name);
  void drag(std::string_view name, float from, float to, int steps = 8);  // along the middle of its height
  void scroll(float lines);                                               // up is positive
  void choose(const std::string& combo, const std::string& item);         // "setup/mask", "2"

  void type(std::string_view text);
  void press_key(int key);
  void press_control(char letter, bool is_shift = false);
  void press_alt(ImGuiKey key);
  void press_shift(char letter);
  void open_settings();
  void hold_control(bool is_held);
  void replace_text(std::string_view name, std::string_view text);  // of a text field; leaves the caret in it

  // Cells of a stage's own heatmap, where a head's columns are a heatmap of their own of that.
  struct CellPlace {
    std::string widget;
    ImVec2 where;
  };
  CellPlace cell_place(Stage stage, Index row, Index col);
  void hover_cell(Stage stage, Index row, Index col);
  void click_cell(Stage stage, Index row, Index col);

  const WidgetRegistry::Entry& widget(std::string_view name) const;
  const WidgetRegistry& widgets() const { return widgets_; }
  void forget_widget(std::string name) { forgotten_ = std::move(name); }  // in every frame from now on
  bool shows(std::string_view name) const { return widgets_.find(name) != nullptr; }
  bool enables(std::string_view name) const { return widget(name).enabled; }

  Session& session() { return session_; }
  const Document& document() const { return session_.shown().document; }
  const AttentionConfig& config() const { return session_.shown().document.config; }
  const ViewState& view() const { return session_.shown().view; }
  // Of the document as it is now.
  const Result& result();
  // The result that is on the screen is the document's, without waiting for it.
  bool is_up_to_date() const;
  std::string message() const;       // the newest, "" for none
  std::string text();                // everything that is written in the main window; with a tooltip, up to that
  std::vector<VisibleText> texts();  // every line of text that can be seen, with its place
  std::vector<std::string> texts_in(std::string_view name);  // what stands in a widget
  std::vector<std::string> drawn_lines();  // every line of text that can be seen, also those that are painted
  std::string& clipboard() { return clipboard_; }
  void copy_pictures_with(CopyPicture copy);  // none: they are not copied

private:
  // Dear ImGui's context, there before the session and gone after it.
  struct Context {
    Context();
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
  };

  ImVec2 place(std::string_view name, ImVec2 where) const;

  Context context_;
  std::string clipboard_;
  Session session_;
  WidgetRegistry widgets_;
  bool is_read_ = true;
  std::string forgotten_;
  Fonts fonts_;
  Theme theme_;
  DiagramLayouts layouts_;
  HeatmapSink* heatmaps_ = nullptr;
  float interface_scale_ = 1;
};

// How many times Ctrl+Z takes something back.
int undo_count(HeadlessApp& app);

bool shows_tooltip();  // in the frame drawn last

}  // namespace attnscope::test
