// Prints where the window's widgets stand for a document, "name x y" of their centres, so that the test of the real
// window need not guess: where DOCUMENT WIDTH HEIGHT [STATE_FOLDER | --figure | --start], with what a crash left in
// that folder, with the dialog that exports a figure, or with the line of the first start

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "features/shared/panel/calls.h"
#include "files/document_file.h"
#include "platform/window.h"
#include "window/frame.h"

int main(int argc, char** argv) {
  using namespace attnscope;
  if (argc != 4 && argc != 5) return 2;
  ViewState view;
  const std::string last = argc == 5 ? argv[4] : "";
  view.show_setup = last != "--start";  // as the settings of these windows say
  view.shows_start = last == "--start";
  Session session(load_document(argv[1]), view);
  const WindowlessContext context;
  session.wait_for_evaluation();
  const ImguiContext imgui;
  FramePainter painter;
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(std::atoi(argv[2])), static_cast<float>(std::atoi(argv[3]))};
  if (last == "--figure") {
    show_dialog(session.queue(), DialogState::Kind::figure);
  } else if (!last.empty() && !view.shows_start) {
    session.keep_state_in(last, ::getpid());
  }
  painter.prepare(session, 1, 1);
  WidgetRegistry widgets;
  for (int frame = 0; frame < 3; ++frame) {
    ImGui::NewFrame();
    painter.build(session, &widgets);
  }
  for (const WidgetRegistry::Entry& entry : widgets.entries) {
    fmt::print("{} {:.0f} {:.0f} {:.0f} {:.0f}\n", entry.name, entry.min_screen.x, entry.min_screen.y,
               entry.max_screen.x, entry.max_screen.y);
  }
}
