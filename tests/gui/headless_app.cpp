#include "headless_app.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "features/shared/panel/calls.h"
#include "headless_app_input.h"
#include "ui/widget_registry.h"

namespace attnscope::test {
namespace {

constexpr int frames_after_input = 3;
constexpr float rest_seconds = 1;  // longer than between the clicks of a double click
constexpr float no_time = 1e-6f;   // for a frame in which nothing moves: Dear ImGui wants some time to pass

// Tests of what is in the setup find it beside the stages, however narrow their window is.
ViewState with_setup_column(ViewState view) {
  if (!view.show_setup) view.show_setup = true;
  return view;
}

// Tests know which weight is pinned when nobody has clicked yet; the window pins the most telling one.
ViewState with_first_pin(const Document& document, ViewState view) {
  if (!view.pinned && token_count(document.config) > 1) view.pinned = Source{.stage = Stage::weights, .row = 1};
  return view;
}

ImVec2 between(const WidgetRegistry::Entry& entry, ImVec2 where) {
  return {entry.min_screen.x + (entry.max_screen.x - entry.min_screen.x) * where.x,
          entry.min_screen.y + (entry.max_screen.y - entry.min_screen.y) * where.y};
}

bool is_inside(ImVec2 pos_screen, ImVec2 size) {
  return pos_screen.x >= 0 && pos_screen.y >= 0 && pos_screen.x < size.x && pos_screen.y < size.y;
}

}  // namespace

ViewState docked() {
  ViewState view;
  view.docks_inspector = true;
  return view;
}

HeadlessApp::Context::Context() {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  map_keys();
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as the window's: lists of more than 65,536 corners
  io.Fonts->AddFontDefault();
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#else
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
#endif
}

HeadlessApp::Context::~Context() { ImGui::DestroyContext(); }

HeadlessApp::HeadlessApp(Document document, ImVec2 size, ViewState view)
    : session_(document, with_first_pin(document, with_setup_column(std::move(view)))),
      theme_(apply_theme(ThemeId::light, 1)) {
  ImFont* const font = ImGui::GetIO().Fonts->Fonts.front();
  const SizedText no_other{font, font};
  fonts_ = {.text = font,
            .small_text = font,
            .heading = font,
            .number = font,
            .small_number = font,
            .large_number = font,
            .smaller = no_other,
            .larger = {no_other, no_other, no_other},
            .digits = {},
            .messages = {}};
  fonts_.digits.fill(font);
  ImGui::GetIO().DisplaySize = size;
  use_clipboard(clipboard_);
  copy_pictures_with({});
  give_pointer({-1, -1});
  frames(frames_after_input);
  settle();
}

bool HeadlessApp::frame_of(Session& session, float seconds) {
  if (theme_.theme != session.shown().view.theme || interface_scale_ != session.shown().view.interface_scale) {
    interface_scale_ = session.shown().view.interface_scale;
    theme_ = apply_theme(session.shown().view.theme, interface_scale_);
  }
  ImGui::GetIO().DeltaTime = seconds;
  ImGui::NewFrame();
  const bool changes = build_frame(
      session, {fonts_, theme_, &session.picture_cache(), heatmaps_, is_read_ ? &widgets_ : nullptr, &layouts_});
  ImGui::Render();
  if (!forgotten_.empty()) std::erase_if(widgets_.entries, [&](const auto& entry) { return entry.name == forgotten_; });
  return changes;
}

void HeadlessApp::copy_pictures_with(CopyPicture copy) {
  session_.use({.seconds = [] { return ImGui::GetTime(); },
                .copied_text = [this] { return clipboard_; },
                .copy_text = [this](const std::string& text) { clipboard_ = text; },
                .copy_picture = std::move(copy)});
}

void HeadlessApp::frames(int count) {
  for (int i = 0; i < count; ++i) frame_of(session_);
}

void HeadlessApp::change_view(std::function<void(ViewState&)> change) {
  attnscope::change_view(session_.queue(), std::move(change));
  frames();
}

void HeadlessApp::call(Call call) {
  session_.push(std::move(call));
  settle();
}

void HeadlessApp::edit(DocumentEdit edit) {
  edit_document(session_.queue(), std::move(edit));
  settle();
}

void HeadlessApp::open_lesson(std::string id) {
  attnscope::open_lesson(session_.queue(), std::move(id));
  settle();
}

void HeadlessApp::show_dialog(DialogState::Kind kind) {
  attnscope::show_dialog(session_.queue(), kind);
  settle();
}

void HeadlessApp::wait(float seconds) { frame_of(session_, seconds); }

void HeadlessApp::settle() {
  frame_of(session_, no_time);  // what was asked for begins
  for (int frame = 0; frame < frames_after_input; ++frame) {
    session_.wait_for_evaluation();  // what the frame before has begun
    frames();
  }
  while (session_.picture_cache().wait()) frame_of(session_, no_time);  // no estimates
  session_.wait_for_evaluation();
  frame_of(session_, no_time);
}

ImVec2 HeadlessApp::place(std::string_view name, ImVec2 where) const {
  const ImVec2 pos_screen = between(widget(name), where);
  if (!is_inside(pos_screen, ImGui::GetIO().DisplaySize)) {
    throw std::runtime_error(fmt::format("\"{}\" is out of sight", name));
  }
  return pos_screen;
}

void HeadlessApp::move_to(std::string_view name, ImVec2 where) {
  give_pointer(place(name, where));
  frames(frames_after_input);
}

void HeadlessApp::move_by(ImVec2 units) {
  const ImVec2 pos = ImGui::GetIO().MousePos;
  give_pointer({pos.x + units.x, pos.y + units.y});
  frames();
}

void HeadlessApp::move_away() {
  give_pointer({-1, -1});
  frames(frames_after_input);
}

void HeadlessApp::press() {
  give_button(0, true);
  frames(frames_after_input);
}

void HeadlessApp::release() {
  give_button(0, false);
  frames(frames_after_input);
}

void HeadlessApp::click(std::string_view name, ImVec2 where) {
  wait(rest_seconds);
  move_to(name, where);
  press();
  release();
}

void HeadlessApp::double_click(std::string_view name) {
  click(name);
  press();
  release();
}

void HeadlessApp::control_click(std::string_view name) {
  hold_control(true);
  click(name);
  hold_control(false);
}

void HeadlessApp::drag(std::string_view name, float from, float to, int steps) {
  wait(rest_seconds);
  move_to(name, {from, 0.5f});
  press();
  const WidgetRegistry::Entry entry = widget(name);
  for (int step = 1; step <= steps; ++step) {
    give_pointer(between(entry, {from + (to - from) * static_cast<float>(step) / static_cast<float>(steps), 0.5f}));
    frames();
  }
  release();
}

void HeadlessApp::scroll(float lines) {
  give_wheel(lines);
  frames(frames_after_input);
}

void HeadlessApp::choose(const std::string& combo, const std::string& item) {
  click(combo);
  click(combo + "/" + item);
}

void HeadlessApp::type(std::string_view text) {
  ImGui::GetIO().AddInputCharactersUTF8(std::string(text).c_str());
  frames(frames_after_input);
}

void HeadlessApp::press_key(int key) {
  give_key(key, true);
  frames(frames_after_input);
  give_key(key, false);
  frames(frames_after_input);
}

void HeadlessApp::press_control(char letter, bool is_shift) {
  give_modifiers(true, is_shift);
  press_key(letter >= '0' && letter <= '9' ? keys::digit(letter - '0') : keys::letter(letter));
  give_modifiers(false, false);
  frames();
}

void HeadlessApp::press_shift(char letter) {
  give_modifiers(false, true);
  press_key(keys::letter(letter));
  give_modifiers(false, false);
  frames();
}

void HeadlessApp::open_settings() { show_dialog(DialogState::Kind::settings); }

void HeadlessApp::press_alt(ImGuiKey key) {
  give_modifiers(false, false, true);
  press_key(keys::named(key));
  give_modifiers(false, false);
  frames();
}

void HeadlessApp::hold_control(bool is_held) {
  give_modifiers(is_held, false);
  frames();
}

void HeadlessApp::replace_text(std::string_view name, std::string_view text) {
  click(name);
  press_control('A');
  press_key(keys::named(ImGuiKey_Delete));
  type(text);
}

HeadlessApp::CellPlace HeadlessApp::cell_place(Stage stage, Index row, Index col) {
  if (!has(result(), stage)) throw std::runtime_error(fmt::format("the result has no {}", info(stage).id));
  const std::string own = fmt::format("stages/{}", info(stage).id);
  const auto position = [&](const WidgetRegistry::Matrix& matrix) {
    const CellWindow& window = matrix.window;
    const auto down = static_cast<double>(matrix.is_transposed ? col : row) + 0.5;
    const auto right = static_cast<double>(matrix.is_transposed ? row : col) + 0.5;
    return ImVec2{static_cast<float>((right - window.col) / window.cols),
                  static_cast<float>((down - window.row) / window.rows)};
  };
  for (const bool is_viewed : {true, false}) {
    for (const WidgetRegistry::Matrix& matrix : widgets_.matrices) {
      const bool is_shared =
          matrix.stage == stage && !is_per_head(result().config, stage) && matrix.name.starts_with(own + "/");
      if (matrix.name != own && (is_viewed || !is_shared)) continue;
      const ImVec2 where = position(matrix);
      if (is_inside(where, {1, 1})) return {matrix.name, where};
    }
  }
  throw std::runtime_error(fmt::format("cell [{}, {}] of {} is not on the screen", row, col, info(stage).id));
}

void HeadlessApp::hover_cell(Stage stage, Index row, Index col) {
  const CellPlace place = cell_place(stage, row, col);
  move_to(place.widget, place.where);
}

void HeadlessApp::click_cell(Stage stage, Index row, Index col) {
  const CellPlace place = cell_place(stage, row, col);
  click(place.widget, place.where);
}

const WidgetRegistry::Entry& HeadlessApp::widget(std::string_view name) const {
  const WidgetRegistry::Entry* const entry = widgets_.find(name);
  if (!entry) throw std::runtime_error(fmt::format("\"{}\" is not on the screen", name));
  return *entry;
}

const Result& HeadlessApp::result() {
  if (!is_up_to_date()) settle();
  return *session_.shown().evaluation.result;
}

bool HeadlessApp::is_up_to_date() const {
  const std::shared_ptr<const Result>& result = session_.shown().evaluation.result;
  return session_.shown().is_current && result && result->config == config();
}

std::string HeadlessApp::message() const {
  return session_.shown().messages.empty() ? "" : session_.shown().messages.back().text;
}

// Dear ImGui's log of what it writes goes to the clipboard.
std::string HeadlessApp::text() {
  settle();
  const std::string kept = std::exchange(clipboard_, {});
  ImGui::NewFrame();
  ImGui::LogToClipboard(0);
  build_frame(session_, {fonts_, theme_, &session_.picture_cache(), heatmaps_, &widgets_, &layouts_});
  ImGui::LogFinish();
  ImGui::Render();
  return std::exchange(clipboard_, kept);
}

std::vector<VisibleText> HeadlessApp::texts() {
  settle();
  return visible_texts(fonts_, widgets_);
}

std::vector<std::string> HeadlessApp::texts_in(std::string_view name) {
  const std::vector<VisibleText> all = texts();
  const WidgetRegistry::Entry& place = widget(name);
  std::vector<std::string> inside;
  for (const VisibleText& text : all) {
    const float x = (text.min_screen.x + text.max_screen.x) / 2;
    const float y = (text.min_screen.y + text.max_screen.y) / 2;
    if (ImRect(place.min_screen, place.max_screen).Contains(ImVec2{x, y})) inside.push_back(text.text);
  }
  return inside;
}

std::vector<std::string> HeadlessApp::drawn_lines() {
  std::vector<std::string> lines;
  for (VisibleText& text : texts()) lines.push_back(std::move(text.text));
  return lines;
}

bool shows_tooltip() {
  return std::ranges::any_of(ImGui::GetCurrentContext()->Windows, [](const ImGuiWindow* window) {
    return window->WasActive && (window->Flags & ImGuiWindowFlags_Tooltip) && !window->Hidden;
  });
}

int undo_count(HeadlessApp& app) {
  int count = 0;
  for (Document before; before = app.document(), app.press_control('Z'), !(app.document() == before);) ++count;
  return count;
}

}  // namespace attnscope::test
