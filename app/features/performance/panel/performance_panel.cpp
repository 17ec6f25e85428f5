#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "features/performance/panel/performance_text.h"
#include "features/shared/panel/menu.h"
#include "features/shared/panel/panels.h"
#include "ui/widgets.h"
#include "words/format.h"

namespace attnscope {
namespace {

constexpr std::size_t most_bars = 60;
constexpr float widest_bar = 14;

// The smallest of 1, 2, 5, 10, ... that is not below a time: the upper end of the axis.
double round_time(double seconds) {
  double power = std::pow(10.0, std::floor(std::log10(std::max(seconds, 1e-7))));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= seconds) return step * power;
  }
  return 10 * power;
}

std::string format_tick(double seconds) {
  if (seconds >= 1) return fmt::format("{:g} s", seconds);
  return seconds >= 1e-3 ? fmt::format("{:g} ms", seconds * 1e3) : fmt::format("{:g} µs", seconds * 1e6);
}

std::string bar_text(const Performance& performance, const EvaluationRecord& record) {
  return fmt::format("Document change {}\n{}", record.ticket, performance_details(performance, record));
}

// The place of the bars: x and y grow to the right and upwards from the lower left corner.
struct Chart {
  ImVec2 corner_screen;
  ImVec2 size;
  float step = 1;  // from bar to bar
  std::size_t count = 0;

  // The newest stands at the right end.
  float left_of(std::size_t index) const { return corner_screen.x + size.x - static_cast<float>(count - index) * step; }
  int index_at(float x_screen) const {
    const float from_right = corner_screen.x + size.x - x_screen;
    return static_cast<int>(count) - 1 - static_cast<int>(std::floor(from_right / step));
  }
};

void draw_axis(const ViewContext& context, const Chart& chart, double highest) {
  const ImFont* const font = context.fonts.small_text;
  for (const double share : {0.0, 0.5, 1.0}) {
    const float y = chart.corner_screen.y - chart.size.y * static_cast<float>(share);
    stroke_line({chart.corner_screen.x, y}, {chart.corner_screen.x + chart.size.x, y}, {context.theme.inks.border});
    const std::string text = share == 0 ? "0" : format_tick(highest * share);
    const ImVec2 size = text_size(font, text);
    draw_text(font, {chart.corner_screen.x - size.x - 6 * unit(context), y - size.y / 2}, {context.theme.inks.dim_text},
              text);
  }
}

void draw_bars(const ViewContext& context, const Chart& chart, const EvaluationRecord* records, double highest,
               int hovered) {
  const float gap = std::min(2 * unit(context), chart.step / 4);
  for (std::size_t i = 0; i < chart.count; ++i) {
    const auto share = static_cast<float>(records[i].seconds / highest);
    const float height = std::max(unit(context), chart.size.y * share);
    Rgb colour = static_cast<int>(i) == hovered ? context.theme.inks.cross_hair : context.theme.inks.accent;
    fill_box({chart.left_of(i) + gap / 2, chart.corner_screen.y - height},
             {chart.left_of(i) + chart.step - gap / 2, chart.corner_screen.y},
             {colour, records[i].is_whole() ? 1 : 0.45});
  }
}

// A bar for each evaluation.
void draw_performance_history(const ViewContext& context, float height) {
  const std::vector<EvaluationRecord>& all = context.now.performance->evaluations;
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::InvisibleButton("history", {width, height});
  register_item(context, "performance/history");
  if (all.empty()) return;
  Chart chart;
  chart.count = std::min(all.size(), most_bars);
  const EvaluationRecord* const records = all.data() + (all.size() - chart.count);
  const float edge = font_height(context.fonts.small_text) / 2;
  const float axis_width = 54 * unit(context);
  chart.corner_screen = {top.x + axis_width, top.y + height - edge};
  chart.size = {width - axis_width, height - 2 * edge};
  chart.step = std::min(widest_bar * unit(context), chart.size.x / static_cast<float>(chart.count));
  double longest = 0;
  for (std::size_t i = 0; i < chart.count; ++i) longest = std::max(longest, records[i].seconds);
  const int pointed = ImGui::IsItemHovered() ? chart.index_at(ImGui::GetIO().MousePos.x) : -1;
  const int hovered = pointed < static_cast<int>(chart.count) ? pointed : -1;
  draw_axis(context, chart, round_time(longest));
  draw_bars(context, chart, records, round_time(longest), hovered);
  if (hovered >= 0) item_tooltip(context, bar_text(*context.now.performance, records[hovered]));
}

constexpr float performance_width = 460;
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
  const float width = std::min(performance_width * unit(context), display.x - 2 * edge);
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, bottom - top});
  const bool is_open = floating_window(context, "Performance", ImGuiWindowFlags_NoFocusOnAppearing, [&] {
    begin_panel(context, queue, Panel::performance);
    draw_performance_tables(context, queue);
    end_panel(context, Panel::performance);
    keep_inside({edge, top}, {display.x - edge, bottom});
  });
  if (!is_open) change_view(queue, [](ViewState& state) { state.show_performance = false; });
}

}  // namespace attnscope
