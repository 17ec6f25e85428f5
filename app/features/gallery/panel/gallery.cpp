#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "document/builtin.h"
#include "document/compare.h"
#include "features/compare/panel/comparison.h"
#include "features/files/reading_controller.h"
#include "features/gallery/gallery_controller.h"
#include "features/shared/panel/calls.h"
#include "features/shared/panel/panels.h"
#include "ui/imgui_input.h"
#include "ui/widgets.h"

namespace attnscope {
namespace {

constexpr float least_card = 350;  // width
constexpr float card_height = 96;
constexpr float least_card_height = 84;  // where that makes room for all cards
constexpr float card_padding = 8;
constexpr float card_gap = 8;
constexpr float picture_ratio = 2;  // of its width to its height

// One card of a gallery; `obstacle` says why it cannot be chosen.
struct GalleryCard {
  std::string name;
  std::string_view title;
  std::string_view summary;
  std::string obstacle = {};
};

// The cards stand in columns, as many as have room.
struct CardGrid {
  int columns = 1;
  ImVec2 card;
  float picture = 0;  // height
};

// Returns how wide the text beside a card's picture may be.
float text_room(const ViewContext& context, const CardGrid& grid) {
  return grid.card.x - 3 * card_padding * unit(context) - picture_ratio * grid.picture;
}

float height_of_lines(const ImFont* font, std::string_view text, float room) {
  const std::string lines = wrapped(font, text, room);
  return font_height(font) * static_cast<float>(1 + std::ranges::count(lines, '\n'));
}

CardGrid card_grid(const ViewContext& context, const std::vector<GalleryCard>& cards) {
  const float gap = card_gap * unit(context);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const int columns = std::max(1, static_cast<int>((room.x + gap) / (least_card * unit(context) + gap)));
  const float rows = std::ceil(static_cast<float>(cards.size()) / static_cast<float>(columns));
  const float height = std::min(std::floor((room.y + gap) / rows - gap), card_height * unit(context));
  const bool do_all_fit = height >= least_card_height * unit(context);
  CardGrid grid{columns,
                {std::floor((room.x + gap) / static_cast<float>(columns) - gap),
                 do_all_fit ? height : card_height * unit(context)}};
  grid.picture = grid.card.y - 2 * card_padding * unit(context);
  for (const GalleryCard& card : cards) {
    const float text = text_room(context, grid);
    const float needed = height_of_lines(context.fonts.heading, card.title, text) +
                         height_of_lines(context.fonts.small_text, card.summary, text);
    grid.card.y = std::max(grid.card.y, std::ceil(needed + 1.5F * card_padding * unit(context)));
  }
  return grid;
}

void draw_card_picture(const ViewContext& context, const std::string& name, ImVec2 corner, float height) {
  const ImVec2 low{std::floor(corner.x), std::floor(corner.y)};
  const ImVec2 high{low.x + picture_ratio * height, low.y + height};
  const auto found = context.now.gallery.pictures->find(name);
  if (found == context.now.gallery.pictures->end() || !found->second || found->second->width == 0) return;
  const std::shared_ptr<const FigureImage>& image = found->second;
  draw_image(context, {image->width, image->height, image->pixels.data(), image}, low, high);
}

// Draws lines of text below each other, as far as there is room. Returns where they end.
float draw_lines(const ImFont* font, const std::string& text, ImVec2 pos_screen, float bottom, Rgb ink) {
  const float line = font_height(font);
  std::size_t begin = 0;
  while (begin < text.size() && pos_screen.y + line <= bottom) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    draw_text(font, pos_screen, {ink}, std::string_view(text).substr(begin, end - begin));
    pos_screen.y += line;
    begin = end + 1;
  }
  return pos_screen.y;
}

// Draws a card at the cursor; returns whether it was chosen.
bool draw_card(const ViewContext& context, const GalleryCard& card, const CardGrid& grid) {
  const ImVec2 size = grid.card;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::BeginDisabled(!card.obstacle.empty());
  ImGui::PushID(card.name.c_str());
  const bool is_chosen = ImGui::Selectable("##card", false, ImGuiSelectableFlags_DontClosePopups, size);
  ImGui::PopID();
  ImGui::EndDisabled();
  register_item(context, card.name, {.enabled = card.obstacle.empty()});
  item_tooltip(context, card.obstacle);
  const float padding = card_padding * unit(context);
  outline_box(corner, {corner.x + size.x, corner.y + size.y}, {context.theme.inks.border}, 1, 6 * unit(context));
  draw_card_picture(context, card.name, {corner.x + padding, corner.y + padding}, grid.picture);
  const float left = corner.x + 2 * padding + picture_ratio * grid.picture;
  const float room = text_room(context, grid);
  const float bottom = corner.y + size.y - padding / 2;
  const ThemeInks& inks = context.theme.inks;
  const Rgb ink = card.obstacle.empty() ? inks.text : inks.dim_text;
  const ImFont* const small = context.fonts.small_text;
  const float below = draw_lines(context.fonts.heading, wrapped(context.fonts.heading, card.title, room),
                                 {left, corner.y + padding - 2 * unit(context)}, bottom, ink);
  draw_lines(small, wrapped(small, card.summary, room), {left, below + 2 * unit(context)}, bottom, inks.dim_text);
  return is_chosen;
}

// Draws the cards of a gallery; `choose` gets the index of the chosen one.
template <typename Rows, typename CardOf, typename Choose>
void draw_cards(const ViewContext& context, CallQueue& queue, const Rows& rows, const CardOf& card_of,
                const Choose& choose) {
  begin_flat_child("cards", {0, -ImGui::GetFrameHeightWithSpacing()});
  std::vector<GalleryCard> cards;
  for (const auto& row : rows) cards.push_back(card_of(row));
  const CardGrid grid = card_grid(context, cards);
  const float gap = card_gap * unit(context);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {gap, gap});
  std::size_t number = 0;
  for (const auto& row : rows) {
    if (number % static_cast<std::size_t>(grid.columns) != 0) ImGui::SameLine();
    if (!draw_card(context, cards[number++], grid)) continue;
    close_dialog(queue);
    choose(row);
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
  if (push_button(context, "dialog/close", "Close")) close_dialog(queue);
}

}  // namespace

void draw_examples_gallery(const ViewContext& context, CallQueue& queue) {
  const auto card_of = [](const BuiltinDocument& example) {
    return GalleryCard{gallery_name(DialogState::Kind::examples, example.id), example.title, example.summary};
  };
  draw_cards(context, queue, example_documents(), card_of, [&](const BuiltinDocument& example) {
    queue.push([id = std::string(example.id)](const Controllers& to) { to.reading.open_example(id); });
  });
}

void draw_pairs_gallery(const ViewContext& context, CallQueue& queue) {
  dim_text(context,
           "Two versions of your document, A and B. The pictures are of an example: A at the left, B at the right.");
  const auto card_of = [&](const ReadyPair& pair) {
    return GalleryCard{gallery_name(DialogState::Kind::pairs, pair.id), pair.title, pair.summary,
                       obstacle_to_pair(context, pair)};
  };
  draw_cards(context, queue, ready_pairs(), card_of, [&](const ReadyPair& pair) { open_pair(context, queue, pair); });
}

}  // namespace attnscope
