#include "features/compare/panel/compare_actions.h"

#include "features/shared/panel/menu.h"

namespace attnscope {
namespace {

void show_document_itself(CommandQueue& queue) {
  change_view(queue, [](ViewState& state) {
    state.shows_changes = false;
    state.side = ComparedSide::now;
  });
}

void toggle_changes(const ViewContext& /*context*/, CommandQueue& queue) {
  change_view(queue, [](ViewState& state) {
    state.shows_changes = !state.shows_changes;
    state.side = state.shows_changes ? ComparedSide::difference : ComparedSide::now;
  });
}

void keep_document(const ViewContext& /*context*/, CommandQueue& queue) {
  queue.push_back(EditDocument{"keep as A", keep_as_compared});
  show_document_itself(queue);
}

void end_comparison(const ViewContext& context, CommandQueue& queue) {
  if (context.now.document.compared) queue.push_back(EditDocument{"stop comparing", stop_comparing});
  show_document_itself(queue);
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
  return context.now.is_comparing() ? "" : "Nothing is compared: keep the document as A first, or choose a pair below.";
}

std::string no_kept_document(const ViewContext& context) {
  return context.now.document.compared ? "" : "There is no A: keep the document as A first.";
}

template <ComparedSide side>
constexpr Action show_side(const char* id, const char* label, char key, const char* help) {
  return {
      .id = id,
      .label = label,
      .chord = {.key = key},
      .help = help,
      .run = [](const ViewContext&,
                CommandQueue& queue) { change_view(queue, [](ViewState& state) { state.side = side; }); },
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
         [](const ViewContext&, CommandQueue& queue) {
           queue.push_back(EditDocument{"swap A and B", swap_compared});
         },
     .obstacle = no_kept_document},
    {.id = "compare/stop", .label = "Stop comparing", .run = end_comparison, .obstacle = not_compared},
    show_side<ComparedSide::before>("compare/before", "Show A", 'A', "A, or what was before"),
    show_side<ComparedSide::now>("compare/now", "Show B", 'B', "B, or what is now"),
    show_side<ComparedSide::difference>("compare/difference", "Show B − A", 'D', "B minus A, or what has changed"),
    show_side<ComparedSide::side_by_side>("compare/side_by_side", "Side by side", 'S', "A and B beside each other"),
};

}  // namespace

std::span<const Action> compare_actions() { return all_of_comparing; }

std::string obstacle_to_pair(const ViewContext& context, const ReadyPair& pair) {
  const std::string obstacle(viewing_reason(context));
  return obstacle.empty() && pair.obstacle ? pair.obstacle(context.now.document) : obstacle;
}

void open_pair(const ViewContext& context, CommandQueue& queue, const ReadyPair& pair) {
  queue.push_back(EditDocument{std::string(pair.title), [&pair, head = context.now.view.head](Document& document) {
                                 make_pair(document, pair, head);
                               }});
  change_view(queue, [](ViewState& state) { state.side = ComparedSide::difference; });
}

}  // namespace attnscope
