#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "brim_walker.h"
#include "document/edit.h"
#include "features/files/file_controller.h"
#include "features/files/reading_controller.h"
#include "features/lessons/lesson_controller.h"
#include "features/predict/prediction_controller.h"
#include "features/search/search_controller.h"
#include "features/shared/panel/calls.h"
#include "platform/system/file.h"
#include "teach/lesson.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

void change(Session& session, std::function<void(ViewState&)> what) { change_view(session.queue(), std::move(what)); }

// Two layers of two heads of six tokens, as a model writes them.
void write_attention(const fs::path& path) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 6, 6), }";
  header.resize(117, ' ');
  const std::string magic("\x93NUMPY\x01\x00\x76\x00", 10);
  std::string numbers;
  for (int cell = 0; cell < 2 * 2 * 6 * 6; ++cell) {
    const int row = cell / 6 % 6;
    const float share = cell % 6 > row ? 0.0f : 1.0f / static_cast<float>(row + 1);
    numbers.append(reinterpret_cast<const char*>(&share), sizeof share);
  }
  write_file(path, magic + header + "\n" + numbers);
}

void type_cell(Session& session, Stage stage) {
  change(session, [stage](ViewState& view) { view.pinned = view.transient.edited = Source{.stage = stage}; });
}

void predict(Session& session, Question::Kind kind) {
  session.push([](const Controllers& to) { to.predictions.cover(Stage::weights, {}); });
  session.push([kind](const Controllers& to) { to.predictions.choose_kind(kind); });
}

void leave_unsaved(const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  Document document = notebook_document();
  rename_token(document, 0, std::string(200, 'W'));
  Autosave(folder, 1).update_now(document, fs::path(std::string(200, 'W') + ".json"));
}

void add_lessons(std::vector<BrimStart>& starts) {
  for (const std::shared_ptr<const Lesson>& lesson : shipped_lessons()) {
    for (std::size_t step = 0; step <= lesson->steps.size(); ++step) {
      starts.push_back({fmt::format("lesson {} {}", lesson->id, step), [id = lesson->id, step](Session& session) {
                          open_lesson(session.queue(), id);
                          session.push([step](const Controllers& to) { to.lessons.go_to_step(step); });
                        }});
    }
  }
}

}  // namespace

std::vector<BrimStart> brim_starts(const fs::path& folder) {
  write_attention(folder / "attention.npy");
  std::vector<BrimStart> starts = {
      {"window", [](Session&) {}},
      {"options",
       [](Session& session) { change(session, [](ViewState& view) { view.show_options = view.show_timing = true; }); }},
      {"cell", [](Session& session) { type_cell(session, Stage::query_weight); }},
      {"input", [](Session& session) { type_cell(session, Stage::inputs); }},
      {"presenting",
       [](Session& session) { change(session, [](ViewState& view) { view.transient.presenting.emplace(); }); }},
      {"predict cell", [](Session& session) { predict(session, Question::Kind::cell); }},
      {"predict number", [](Session& session) { predict(session, Question::Kind::number); }},
      {"predict sketch", [](Session& session) { predict(session, Question::Kind::sketch); }},
      {"attention", [file = folder / "attention.npy"](
                        Session& session) { session.push([file](const Controllers& to) { to.reading.open(file); }); }},
      {"restore",
       [state = folder / "state"](Session& session) {
         leave_unsaved(state);
         session.keep_state_in(state, 2);
         show_dialog(session.queue(), DialogState::Kind::restore);
       }},
      {"pinned", [](Session& session) {
         change(session, [](ViewState& view) { view.pinned = Source{.stage = Stage::weights, .row = 1}; });
       }}};
  using Kind = DialogState::Kind;
  constexpr std::pair<const char*, Kind> dialogs[] = {
      {"open", Kind::open},     {"save", Kind::save_as},   {"folder", Kind::screenshot_folder},
      {"figure", Kind::figure}, {"keys", Kind::shortcuts}, {"glossary", Kind::glossary},
      {"about", Kind::about},   {"unsaved", Kind::unsaved}};
  for (const auto& [name, kind] : dialogs)
    starts.push_back({name, [shown = kind](Session& session) { show_dialog(session.queue(), shown); }});
  starts.push_back(
      {"go to", [](Session& session) { session.push([](const Controllers& to) { to.search.toggle(); }); }});
  starts.push_back({"palette", [](Session& session) {
                      change(session, [](ViewState& view) { view.transient.palette.emplace(); });
                    }});
  starts.push_back({"questions", [](Session& session) {
                      change(session, [](ViewState& view) {
                        view.mode = ViewMode::study;
                        view.transient.question = "";
                      });
                    }});
  for (const ViewMode layout : {ViewMode::heads, ViewMode::focus, ViewMode::layers, ViewMode::study})
    starts.push_back({std::string(layout.id), [layout](Session& session) {
                        change(session, [layout](ViewState& view) { view.mode = layout; });
                      }});
  add_lessons(starts);
  return starts;
}

}  // namespace attnscope
