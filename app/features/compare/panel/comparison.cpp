#include "features/compare/panel/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/results.h"
#include "core/text.h"
#include "document/compare.h"
#include "features/predict/panel/covering.h"
#include "features/present/panel/presenting.h"
#include "features/setup/document_controller.h"
#include "features/shared/app_services.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "features/stages/panel/stage_view.h"
#include "ui/widgets.h"
#include "view/number_words.h"

namespace attnscope {
namespace {

void show_document_itself(CallQueue& queue) {
  change_view(queue, [](ViewState& state) {
    state.shows_changes = false;
    state.side = ComparedSide::now;
  });
}

void toggle_changes(const ViewContext& /*context*/, CallQueue& queue) {
  change_view(queue, [](ViewState& state) {
    state.shows_changes = !state.shows_changes;
    state.side = state.shows_changes ? ComparedSide::difference : ComparedSide::now;
  });
}

void keep_document(const ViewContext& /*context*/, CallQueue& queue) {
  edit_document(queue, {"keep as A", keep_as_compared});
  show_document_itself(queue);
}

void end_comparison(const ViewContext& context, CallQueue& queue) {
  if (context.now.document.compared) {
    DocumentEdit edit{"stop comparing", stop_comparing};
    edit.joins_last = std::ranges::count(ready_pairs(), context.now.undo_label, &ReadyPair::title) > 0;
    edit_document(queue, edit);
  }
  show_document_itself(queue);
}

// Returns what was shown before the ready pair on the screen; null if that is none.
const BeforePair* before_pair(const ViewContext& context) {
  const std::optional<BeforePair>& before = context.now.view.transient.before_pair;
  return before && before->a && before->a == context.now.document.compared ? &*before : nullptr;
}

// Shows again what was there before a ready pair, whatever was changed since; other comparisons end and leave B.
void close_comparison(const ViewContext& context, CallQueue& queue) {
  const BeforePair* const before = before_pair(context);
  if (!before) return end_comparison(context, queue);
  queue.push([before = *before](const Controllers& to) {
    to.documents.edit({"closing the pair", [&](Document& document) { document = *before.document; }});
    to.views.change([&](ViewState& view) {
      view.mode = before.mode;
      view.head = before.head;
      view.pinned = before.pinned;
      view.side = before.side;
      view.shows_changes = false;
    });
    to.messages.say("This is your document again; Ctrl+Z shows the pair.");
  });
}

std::string label_of_keeping(const ViewContext& context) {
  return context.now.document.compared ? "Copy B to A" : "Keep as A";
}

std::string obstacle_to_changes(const ViewContext& context) {
  if (context.now.document.compared) return "The document is compared with A already.";
  if (context.now.view.shows_changes || context.now.before) return std::string(viewing_reason(context));
  return "Nothing has been changed yet.";
}

std::string not_compared(const ViewContext& context) {
  return context.now.is_comparing() ? "" : "Nothing is compared: keep the document as A first, or choose a ready pair.";
}

std::string no_kept_document(const ViewContext& context) {
  return context.now.document.compared ? "" : "There is no A: keep the document as A first.";
}

// Shows a side; the same key again shows B.
template <ComparedSide side>
constexpr Action show_side(const char* id, const char* label, Chord chord, const char* help) {
  return {
      .id = id,
      .label = label,
      .chord = chord,
      .help = help,
      .run =
          [](const ViewContext&, CallQueue& queue) {
            change_view(queue, [](ViewState& state) { state.side = state.side == side ? ComparedSide::now : side; });
          },
      .is_on = [](const ViewContext& context) { return context.now.is_comparing() && context.now.view.side == side; },
      .obstacle = not_compared};
}

constexpr Action all_of_comparing[] = {
    {.id = "compare/changes",
     .label = "What the last edit changed",
     .chord = {.key = 'C'},
     .help = "now, before, and the change of every number since the last edit, or since a drag began",
     .run = toggle_changes,
     .is_on = [](const ViewContext& context) { return context.now.view.shows_changes; },
     .obstacle = obstacle_to_changes},
    {.id = "compare/keep",
     .label = "Keep as A",
     .chord = {.key = 'K'},
     .help = "keeps the document as A: what you change is compared with it",
     .run = keep_document,
     .obstacle = [](const ViewContext& context) { return std::string(viewing_reason(context)); },
     .label_now = label_of_keeping},
    {.id = "compare/swap",
     .label = "Swap A and B",
     .run =
         [](const ViewContext&, CallQueue& queue) {
           edit_document(queue, {"swap A and B", swap_compared});
         },
     .obstacle = no_kept_document},
    {.id = "compare/stop", .label = "Stop comparing", .run = end_comparison, .obstacle = not_compared},
    show_side<ComparedSide::baseline>("compare/before", "Show A", {.key = 'A'}, "A, or what was before; again: B"),
    show_side<ComparedSide::now>("compare/now", "Show B", {}, "B, or what is now"),
    show_side<ComparedSide::difference>("compare/difference", "Show B − A", {.key = 'D'},
                                        "B minus A, or what has changed; again: B"),
    show_side<ComparedSide::side_by_side>("compare/side_by_side", "Side by side", {.key = 'A', .shift = true},
                                          "A and B beside each other; again: B"),
    {.id = "compare/pairs",
     .label = "Ready pairs…",
     .run = [](const ViewContext&, CallQueue& queue) { show_dialog(queue, DialogState::Kind::pairs); }},
};

// The names of the sides. A kept document has a letter, what was before an edit has none.
struct SideNames {
  const char* before;
  const char* now;
  const char* difference;
};

SideNames side_names(const ViewContext& context) {
  if (context.now.compared == context.now.before) return {"before", "now", "change"};
  return {"A", "B", "B − A"};
}

// Returns the names of the two sides with what differs: "A: scaled".
std::pair<std::string, std::string> headings_of_sides(const ViewContext& context) {
  const SideNames names = side_names(context);
  const auto [before, now] = names_of_sides(context.now.compared->config, context.now.document.config);
  return {side_name(names.before, before), side_name(names.now, now)};
}

bool is_ready(const ViewContext& context) { return context.now.comparison && context.now.comparison->error.empty(); }

// Returns how wide the name of a side may be. Where no changes are named behind the two names, they share the tool bar.
float widest_side(const ViewContext& context) {
  constexpr float beside_changes = 200;
  constexpr float share = 0.3F;
  const bool is_shared = !is_ready(context) || !context.now.comparison->changes.empty();
  return std::max(beside_changes * unit(context), is_shared ? 0 : share * ImGui::GetWindowWidth());
}

void draw_side(const ViewContext& context, CallQueue& queue, ComparedSide side, std::string_view id,
               const std::string& label) {
  const Action& step = action(id);
  const std::string keys = step.chord.text();
  const std::string help = keys.empty() ? fmt::format("{} (the key of what is shown, again)", step.label)
                                        : fmt::format("{} ({}; again: B)", step.label, keys);
  const std::string fitting = fit_text(ImGui::GetFont(), label, widest_side(context));
  if (choice_button(context, id, fitting.c_str(), context.now.view.side == side, help))
    change_view(queue, [side](ViewState& state) { state.side = side; });
  ImGui::SameLine(0, 3 * unit(context));
}

std::string signed_difference(float now, float before) {
  const std::string text = format_difference(now, before);
  return difference_of(now, before) > 0 ? "+" + text : text;
}

Source source_of(const Result& result, const LargestChange& change) {
  const Index heads = is_per_head(result.config, change.stage) ? head_count(result.config) : 1;
  return {.stage = change.stage,
          .batch = change.matrix / heads,
          .head = change.matrix % heads,
          .row = change.cell.row,
          .col = change.cell.col};
}

// Names the place of a change: "attention weights, head 1, query 2 journey, key 1 Your".
std::string place_of_change(const ViewContext& context, const LargestChange& change) {
  const AttentionConfig& config = context.now.comparison->now->config;
  const Source source = source_of(*context.now.comparison->now, change);
  std::string text(info(change.stage).title);
  if (is_per_head(config, change.stage) && head_count(config) > 1) text += fmt::format(", head {}", source.head + 1);
  if (config.batch_size > 1) text += fmt::format(", batch entry {}", source.batch + 1);
  return fmt::format("{}, {}", text, fmt::join(position_lines(context, source), ", "));
}

// Writes a change with as many decimals as show it: "0.48 → 0.47".
std::string numbers_of_change(const ViewContext& context, const LargestChange& change) {
  constexpr int most_decimals = 8;
  int decimals = std::max(context.now.view.decimals, 2);
  const auto written = [&](float number) { return format_fixed(static_cast<double>(number), decimals); };
  while (decimals < most_decimals && written(change.before) == written(change.now)) ++decimals;
  return fmt::format("{} → {}", written(change.before), written(change.now));
}

// Writes a change in a room. If that is narrow, the place is shortened, to which a click leads, and the numbers stay.
std::string largest_change_text(const ViewContext& context, const LargestChange& change, float room, bool is_whole) {
  const ImFont* const font = context.fonts.small_text;
  const std::string numbers = numbers_of_change(context, change);
  const std::string place = place_of_change(context, change);
  const float for_place = room - text_size(font, ": " + numbers).x;
  if (is_whole) return place + ": " + numbers;
  const std::string title(info(change.stage).title);
  const bool is_wide = text_size(font, place).x > for_place;
  if (is_wide && text_size(font, title).x > for_place) return numbers;
  return (is_wide ? title : place) + ": " + numbers;
}

// Names the cells that differ most, each a place to go to, as far as there is room.
void draw_changes(const ViewContext& context, CallQueue& queue) {
  const std::vector<LargestChange>& changes = context.now.comparison->changes;
  if (changes.empty()) {
    const Stage weights = final_weights_stage(context.now.comparison->now->config);
    const bool is_comparable = has(*context.now.comparison->difference.result, weights);
    const bool is_same = context.now.comparison->now->config == context.now.comparison->before.result->config;
    const char* const equal = is_same ? "A and B are the same." : "A and B are equal up to rounding.";
    dim_text(context, is_comparable ? equal : why_not_compared(context, weights));
    return;
  }
  push_font(context.fonts.small_text);
  const float line = ImGui::GetCursorPosY() + ImGui::GetStyle().FramePadding.y;
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("Largest change:");
  int number = 0;
  for (const LargestChange& change : changes) {
    if (is_covered(context, source_of(*context.now.comparison->now, change))) continue;
    ImGui::SameLine(0, (number == 0 ? 4 : 12) * unit(context));
    ImGui::SetCursorPosY(line);
    const float room = ImGui::GetContentRegionAvail().x;
    const std::string text = largest_change_text(context, change, room, number > 0);
    if (number > 0 && text_size(context.fonts.small_text, text).x > room) {  // only the first one is shortened
      ImGui::NewLine();  // else the next row would stand in this line
      break;
    }
    ImGui::PushStyleColor(ImGuiCol_Text, to_u32(context.theme.inks.accent));
    if (text_part(number, text)) {
      const Source source = source_of(*context.now.comparison->now, change);
      change_view(queue, [source](ViewState& state) { look_at(state, source); });
    }
    ImGui::PopStyleColor();
    register_item(context, fmt::format("compare/change/{}", number++));
    item_tooltip(context, "Go there");
  }
  ImGui::PopFont();
}

std::optional<float> number_at(const Result& result, const Source& cell) {
  return has_cell(result, cell) ? std::optional(value_at(result, cell)) : std::nullopt;
}

// Returns the state of a side; nothing if the frame shows it already.
std::optional<UiState> moment_of(const ViewContext& context, ComparedSide side) {
  const bool is_other = side == ComparedSide::baseline || side == ComparedSide::difference;
  if (!is_other || !is_ready(context)) return std::nullopt;
  const Comparison& comparison = *context.now.comparison;
  UiState shown = context.now;
  if (side == ComparedSide::difference) {
    shown.evaluation.result = comparison.now;
    shown.evaluation.newer.reset();
    return shown;
  }
  shown.evaluation = {.result = comparison.before.result, .summaries = comparison.before.summaries};
  shown.document = *context.now.compared;
  shown.labels = context.now.compared_labels;
  shown.model = context.now.compared_model;
  if (!shown.document.model && shown.view.mode == ViewMode::model) shown.view.mode = ViewMode::diagram;
  return shown;
}

}  // namespace

std::span<const Action> compare_actions() { return all_of_comparing; }

std::string obstacle_to_pair(const ViewContext& context, const ReadyPair& pair) {
  const std::string obstacle(viewing_reason(context));
  return obstacle.empty() && pair.obstacle ? pair.obstacle(context.now.document) : obstacle;
}

void open_pair(const ViewContext& context, CallQueue& queue, const ReadyPair& pair) {
  const ViewState& view = context.now.view;
  const BeforePair* const first = before_pair(context);  // of a pair that this one replaces
  const BeforePair own{
      std::make_shared<const Document>(context.now.document), nullptr, view.mode, view.head, view.pinned, view.side};
  queue.push([&pair, head = view.head, before = first ? *first : own](const Controllers& to) mutable {
    bool is_example = false;
    to.documents.edit({std::string(pair.title), [&](Document& document) {
                         is_example = make_telling_pair(document, pair, head);
                         before.a = document.compared;
                       }});
    to.views.change([&](ViewState& shown) {
      shown.transient.before_pair = before;
      if (pair.is_of_model) {
        shown.mode = ViewMode::model;
        shown.side = ComparedSide::side_by_side;
      } else if (is_example) {  // of six words
        shown.head = 0;
        shown.pinned = Source{.stage = Stage::weights, .row = 4, .col = 1};
      }
    });
    to.messages.say(is_example ? fmt::format("This is an example; “× Back” leads to your document. {}", pair.summary)
                               : std::string(pair.summary));
  });
  if (pair.is_of_model) return;
  // Where the two are equal, their difference would be an empty picture.
  change_view(queue, [side = pair.example ? ComparedSide::difference : ComparedSide::side_by_side](ViewState& state) {
    state.side = side;
  });
}

SideContext::SideContext(const ViewContext& context, ComparedSide side)
    : own_(moment_of(context, side)), context_(own_ ? *own_ : context.now, context) {
  if (!own_) return;
  context_.is_kept = side == ComparedSide::baseline;
  if (context_.is_kept) context_.widest_label = widest_of(own_->labels, context.fonts.small_text);
  if (side == ComparedSide::difference) context_.pictured = &context.now.comparison->difference;
}

void share(SideContext& a, SideContext& b, ImGuiStorage* scrolled) {
  a.context_.beside = &b.context_.now.evaluation;
  b.context_.beside = &a.context_.now.evaluation;
  a.context_.scrolled = b.context_.scrolled = scrolled;
}

void share_scrolling(ImGuiStorage& shared) {
  ImGuiStorage& own = *ImGui::GetStateStorage();
  const auto share = [&](ImGuiID key, float at, float most, void (*scroll_to)(float)) {
    if (at != own.GetFloat(key)) {
      shared.SetFloat(key, at);
      own.SetFloat(key, at);
      return;
    }
    const float wanted = std::min(shared.GetFloat(key), most);
    if (wanted == at) return;
    scroll_to(wanted);
    own.SetFloat(key, wanted);
  };
  constexpr ImGuiID across = 1;
  constexpr ImGuiID down = 2;
  share(across, ImGui::GetScrollX(), ImGui::GetScrollMaxX(), [](float to) { ImGui::SetScrollX(to); });
  share(down, ImGui::GetScrollY(), ImGui::GetScrollMaxY(), [](float to) { ImGui::SetScrollY(to); });
}

namespace {

// Two diagrams are too small for an audience: it sees one stage of A and of B, each as large as half of the screen.
void draw_presented_pair(const ViewContext& context, CallQueue& queue) {
  UiState shown = context.now;
  shown.view.stage = presented_stage_of_pair(context);
  shown.view.mode = ViewMode::focus;
  draw_compared_stages(ViewContext(shown, context), queue);
}

}  // namespace

void draw_compared_stages(const ViewContext& context, CallQueue& queue) {
  const ComparedSide side = context.now.view.side;
  if (side != ComparedSide::side_by_side || !is_ready(context)) return draw_stages(SideContext(context, side), queue);
  if (context.now.view.mode == ViewMode::diagram) {
    if (is_presenting(context)) return draw_presented_pair(context, queue);
    SideContext a(context, ComparedSide::baseline);
    SideContext b(context, ComparedSide::now);
    share(a, b, nullptr);
    return draw_compared_diagram(a, b, queue);
  }
  const auto [heading_before, heading_now] = headings_of_sides(context);
  const float gap = 8 * unit(context);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 size{std::floor((room.x - gap) / 2), room.y};
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  SideContext before(context, ComparedSide::baseline);
  SideContext now(context, ComparedSide::now);
  share(before, now, ImGui::GetStateStorage());
  const auto draw = [&](const ViewContext& shown, const char* id, const std::string& name, float x) {
    ImGui::SetCursorScreenPos({x, corner.y});
    ImGui::BeginChild(id, size, false, ImGuiWindowFlags_NoScrollbar);
    section_heading(context, name.c_str());
    draw_stages(shown, queue);
    ImGui::EndChild();
  };
  draw(now, "now", heading_now, corner.x + size.x + gap);  // first: it is what scripts find
  draw(before, "before", heading_before, corner.x);
}

void draw_comparison_line(const ViewContext& context, CallQueue& queue) {
  const SideNames names = side_names(context);
  const auto [before, now] = headings_of_sides(context);
  draw_side(context, queue, ComparedSide::baseline, "compare/before", before);
  draw_side(context, queue, ComparedSide::now, "compare/now", now);
  draw_side(context, queue, ComparedSide::difference, "compare/difference", names.difference);
  draw_side(context, queue, ComparedSide::side_by_side, "compare/side_by_side", "side by side");
  const Action& stop = action("compare/stop");
  const bool leads_back = before_pair(context) != nullptr;
  if (push_button(context, "compare/end", leads_back ? "× Back" : "×", {},
                  leads_back ? "Shows again what was there before the pair" : stop.label))
    close_comparison(context, queue);
  ImGui::SameLine(0, 10 * unit(context));
  if (!context.now.comparison) {
    dim_text(context, "Being compared.");
  } else if (!context.now.comparison->error.empty()) {
    warning_text(context, fmt::format("{} cannot be computed: {}", names.before, context.now.comparison->error));
  } else {
    draw_changes(context, queue);
  }
}

void draw_compared_values(const ViewContext& context, const Source& cell) {
  if (!context.now.is_comparing() || !is_ready(context)) return;
  const std::optional<float> before = number_at(*context.now.comparison->before.result, cell);
  const std::optional<float> now = number_at(*context.now.comparison->now, cell);
  const SideNames names = side_names(context);
  const auto [of_before, of_now] = names_of_sides(context.now.compared->config, context.now.document.config);
  const auto text = [](const std::optional<float>& number) { return number ? format_full(*number) : "not there"; };
  push_font(context.fonts.small_text);
  const auto line = [&](const std::string& name, const std::string& number) {
    plain_text(wrapped(ImGui::GetFont(), fmt::format("{}: {}", name, number), ImGui::GetContentRegionAvail().x));
  };
  const auto side = [](const char* letter, const std::string& name) {
    return name.empty() ? std::string(letter) : fmt::format("{} ({})", letter, name);
  };
  line(side(names.before, of_before), text(before));
  line(side(names.now, of_now), text(now));
  if (before && now) line(names.difference, signed_difference(*now, *before));
  ImGui::PopFont();
}

void draw_compare_menu(const ViewContext& context, CallQueue& queue) {
  if (!begin_menu(context, "menu/compare", "Compare")) return;
  action_items(context, queue,
               {"compare/changes", "", "compare/keep", "compare/swap", "compare/stop", "", "compare/pairs"});
  end_menu(context, queue, "compare/");
}

std::string why_not_compared(const ViewContext& context, Stage stage) {
  const SideNames names = side_names(context);
  const Result& before = *context.now.comparison->before.result;
  const Result& now = *context.now.comparison->now;
  if (!has(before, stage)) return fmt::format("“{}” has no {}.", names.before, info(stage).title);
  if (!has(now, stage)) return fmt::format("“{}” has no {}.", names.now, info(stage).title);
  const std::string shape = format_shape(shape_in_class(before.config, stage));
  const std::string other = format_shape(shape_in_class(now.config, stage));
  if (shape == other) return "One of the two stores these weights transposed.";
  return fmt::format("{} has {}, {} has {}.", names.before, shape, names.now, other);
}

}  // namespace attnscope
