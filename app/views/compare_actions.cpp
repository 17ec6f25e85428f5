#include "views/compare_actions.h"

#include "views/menu.h"

namespace attnscope {
namespace {

void show_document_itself(CommandQueue& queue) {
  change_view(queue, [](ViewState& state) {
    state.shows_changes = false;
    state.side = ComparedSide::now;
  });
}

}  // namespace

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
  if (context.document.compared) queue.push_back(EditDocument{"stop comparing", stop_comparing});
  show_document_itself(queue);
}

std::string label_of_keeping(const ViewContext& context) {
  return context.document.compared ? "Copy B to A" : "Keep as A";
}

std::string obstacle_to_changes(const ViewContext& context) {
  if (context.document.compared) return "The document is compared with A already.";
  if (context.view.shows_changes || context.before) return std::string(viewing_reason(context));
  return "Nothing has been changed yet.";
}

std::string not_compared(const ViewContext& context) {
  return context.is_comparing() ? "" : "Nothing is compared: keep the document as A first, or choose a pair below.";
}

std::string no_kept_document(const ViewContext& context) {
  return context.document.compared ? "" : "There is no A: keep the document as A first.";
}

std::string obstacle_to_pair(const ViewContext& context, const ReadyPair& pair) {
  const std::string obstacle(viewing_reason(context));
  return obstacle.empty() && pair.obstacle ? pair.obstacle(context.document) : obstacle;
}

void open_pair(const ViewContext& context, CommandQueue& queue, const ReadyPair& pair) {
  queue.push_back(EditDocument{std::string(pair.title), [&pair, head = context.view.head](Document& document) {
                                 make_pair(document, pair, head);
                               }});
  change_view(queue, [](ViewState& state) { state.side = ComparedSide::difference; });
}

}  // namespace attnscope
