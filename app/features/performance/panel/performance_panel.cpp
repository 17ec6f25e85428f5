#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "features/performance/panel/performance_text.h"
#include "features/shared/panel/keyboard.h"
#include "features/shared/panel/panels.h"
#include "ui/widgets.h"
#include "words/format.h"

namespace attnscope {
namespace {

constexpr float panel_width = 460;
constexpr float history_height = 96;

// A row of the table: what, its share of the time with a bar as long behind it, and the time.
void draw_row(const ViewContext& context, std::string_view title, std::string_view what, double seconds, double share) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(title.data(), title.data() + title.size());
  item_tooltip(context, what);
  ImGui::TableNextColumn();
  const ImVec2 pos = ImGui::GetCursorScreenPos();
  const float width = std::max(1.0f, ImGui::GetContentRegionAvail().x * static_cast<float>(share));
  fill_box(pos, {pos.x + width, pos.y + ImGui::GetTextLineHeight()}, {context.theme.inks.chosen});
  ImGui::Text(" %s", format_percent(share).c_str());
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(format_duration(seconds).c_str());
  ImGui::TableNextColumn();
}

void draw_phase(const ViewContext& context, const EvaluationRecord& record, const PhaseInfo& phase) {
  const auto at = static_cast<std::size_t>(phase.phase);
  const double seconds = record.phases.seconds[at];
  if (seconds == 0) return;
  draw_row(context, phase.title, phase.what, seconds, seconds / record.seconds);
  const double rate = record.phases.operations[at] / seconds;
  if (rate == 0) return;
  ImGui::TextUnformatted(format_rate(rate).c_str());
  if (const auto fraction = context.now.performance->fraction_of_peak(record, rate))
    item_tooltip(context, format_percent(*fraction) + " of this machine's peak");
}

void draw_phases(const ViewContext& context, const EvaluationRecord& record) {
  if (!ImGui::BeginTable("phases", 4, ImGuiTableFlags_SizingStretchProp)) return;
  const auto width_of = [](const char* text) { return ImGui::CalcTextSize(text).x; };
  ImGui::TableSetupColumn("phase", ImGuiTableColumnFlags_WidthFixed, width_of("output projection"));
  ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed, width_of("00.00 ms"));
  ImGui::TableSetupColumn("rate", ImGuiTableColumnFlags_WidthFixed, width_of("000.0 MFLOP/s"));
  for (const PhaseInfo& phase : phases()) draw_phase(context, record, phase);
  const double rest = std::max(0.0, record.seconds - record.phases.all_seconds());
  draw_row(context, "the rest", "The rest: checking the document and finding out what changed.", rest,
           rest / record.seconds);
  ImGui::EndTable();
  register_item(context, "performance/phases");
}

// A backend's time for the document as it is, and where that comes from.
struct Measured {
  double seconds = 0;  // 0: not measured
  std::string text;
};

Measured measured_time(const ViewContext& context, Backend backend) {
  const Workload workload = workload_of(context.now.document.config);
  const BackendComparison& comparison = context.now.performance->comparison;
  if (comparison.workload == workload) {
    if (const std::optional<double> median = comparison.median(backend)) {
      const std::size_t runs = comparison.seconds.at(static_cast<std::size_t>(backend)).size();
      return {*median, fmt::format("{}, median of {}", format_duration(*median), runs)};
    }
  }
  const EvaluationRecord* const record = context.now.performance->newest_whole(workload, backend);
  if (!record) return {0, "not measured yet"};
  return {record->seconds, format_duration(record->seconds) + ", the last evaluation"};
}

std::string openmp_title(const ViewContext& context) {
  const Workload workload = workload_of(context.now.document.config);
  const EvaluationRecord* const record = context.now.performance->newest_whole(workload, Backend::openmp);
  const BackendComparison& comparison = context.now.performance->comparison;
  int threads = record ? record->threads : 0;
  if (comparison.workload == workload && comparison.threads > 0) threads = comparison.threads;
  if (threads == 0) return "OpenMP";
  return fmt::format("OpenMP, {} thread{}", threads, threads == 1 ? "" : "s");
}

std::string ratio_text(double serial, double openmp) {
  if (serial == 0 || openmp == 0) return "";
  if (serial >= openmp) return fmt::format("OpenMP is {:.2f} times as fast.", serial / openmp);
  return fmt::format("Serial is {:.2f} times as fast.", openmp / serial);
}

void draw_backend(const ViewContext& context, const std::string& title, const Measured& measured) {
  ImGui::TextUnformatted(title.c_str());
  ImGui::SameLine(176 * unit(context));
  if (measured.seconds > 0) {
    ImGui::TextUnformatted(measured.text.c_str());
  } else {
    ImGui::TextDisabled("%s", measured.text.c_str());
  }
}

void draw_comparison(const ViewContext& context, CommandQueue& queue) {
  const BackendComparison& comparison = context.now.performance->comparison;
  const Measured serial = measured_time(context, Backend::serial);
  const Measured openmp = measured_time(context, Backend::openmp);
  draw_backend(context, "serial", serial);
  register_item(context, "performance/serial");
  draw_backend(context, openmp_title(context), openmp);
  register_item(context, "performance/openmp");
  std::string note = comparison.is_running ? "Measuring…" : ratio_text(serial.seconds, openmp.seconds);
  if (!comparison.is_running && !comparison.error.empty() &&
      comparison.workload == workload_of(context.now.document.config))
    note = comparison.error;
  const std::string_view reason = !has_openmp               ? "This program was built without OpenMP."
                                  : comparison.is_running   ? "It is being measured."
                                  : !context.now.is_current ? "The document is being evaluated."
                                                            : "";
  if (push_button(context, "performance/measure", "Measure both", reason,
                  "Evaluates the document with each in turn and shows the medians.")) {
    queue.push_back(MeasureBackends{});
  }
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(note.c_str());
}

void draw_performance_tables(const ViewContext& context, CommandQueue& queue) {
  if (context.now.viewing) {
    dim_text(context, "Nothing is evaluated: the numbers on the screen are read from a file.");
    return;
  }
  section_heading(context, "Evaluations, newest on the right");
  draw_performance_history(context, history_height * unit(context));
  ImGui::Dummy({0, 2 * unit(context)});
  section_heading(context, "Where the last evaluation spent its time");
  const EvaluationRecord* const record = context.now.performance->newest();
  if (!record) {
    dim_text(context, "Nothing has been evaluated yet.");
  } else {
    dim_text(context, performance_line(*context.now.performance, *record, [](const std::string&) { return true; }));
    draw_phases(context, *record);
  }
  ImGui::Dummy({0, 2 * unit(context)});
  section_heading(context, "Serial and OpenMP");
  draw_comparison(context, queue);
}

// The panel grows with its content, and the window may shrink: the panel is moved so that all of it stays in sight.
void keep_inside(ImVec2 min_screen, ImVec2 max_screen) {
  const ImVec2 pos = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const ImVec2 kept = {std::max(min_screen.x, std::min(pos.x, max_screen.x - size.x)),
                       std::max(min_screen.y, std::min(pos.y, max_screen.y - size.y))};
  if (kept.x != pos.x || kept.y != pos.y) ImGui::SetWindowPos(kept);
}

}  // namespace

void draw_performance(const ViewContext& context, CommandQueue& queue) {
  if (!context.now.view.show_performance) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float edge = 8 * unit(context);
  const float bottom = display.y - font_height(context.fonts.small_text) - 12 * unit(context) - edge;
  const float top = ImGui::GetFrameHeight() + edge;
  ImGui::SetNextWindowPos({display.x - edge, bottom}, ImGuiCond_Appearing, {1, 1});
  const float width = std::min(panel_width * unit(context), display.x - 2 * edge);
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, bottom - top});
  const bool is_open = floating_window(context, "Performance", ImGuiWindowFlags_NoFocusOnAppearing, [&] {
    begin_panel(context, queue, Panel::performance);
    draw_performance_tables(context, queue);
    end_panel(context, Panel::performance);
    keep_inside({edge, top}, {display.x - edge, bottom});
  });
  if (!is_open) queue.push_back(UpdateView{[](ViewState& state) { state.show_performance = false; }});
}

}  // namespace attnscope
