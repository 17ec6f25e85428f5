#include "paint_file/figure_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "look/stage_look.h"
#include "paint_file/figure_page.h"

namespace attnscope {
namespace {

// The stage, and the head with its colour.
void put_subject(Page& page, double& top) {
  const TextStyle bold = page.style(1.15, true);
  const TextStyle plain = page.style(1.15);
  const std::string& place = page.content.place;
  const double side = 0.8 * plain.size;
  const double gap = place.empty() ? 0 : 0.9 * page.em;
  const double chip = page.content.head ? side + 0.4 * plain.size : 0;
  const double heading = page.shaper.width(page.content.heading, bold);
  const double width = heading + gap + chip + page.shaper.width(place, plain);
  if (width > page.room()) {
    put_paragraph(page, page.content.heading, bold, page.inks.text, top, true);
    put_paragraph(page, place, plain, page.inks.dim, top, true);
    return;
  }
  const double x = (page.layout.width - width) / 2;
  page.put(page.content.heading, bold, page.inks.text, x, top, Align::left);
  if (page.content.head) {
    page.layout.chips.push_back({{x + heading + gap, top + (line_height * plain.size - side) / 2, side, side},
                                 head_rgb(*page.content.head, page.content.options.theme == FigureTheme::dark)});
  }
  if (!place.empty()) page.put(place, plain, page.inks.dim, x + heading + gap + chip, top, Align::left);
  top += line_height * plain.size;
}

// What stands below the matrices.
void put_tail(Page& page, double& top) {
  const FigureOptions& options = page.content.options;
  put_legend(page, top);
  put_paragraph(page, options.arithmetic, page.style(0.9), page.inks.text, top, true);
  if (!options.caption.empty()) {
    top += 0.3 * page.em;
    put_paragraph(page, options.caption, page.style(1), page.inks.text, top, false);
  }
  if (!options.footer.empty()) {
    top += 0.3 * page.em;
    put_paragraph(page, options.footer, page.style(0.75), page.inks.dim, top, true);
  }
}

// How much of the page is left for a diagram; 0 where its height follows.
double diagram_height(const Page& page, double top, double height) {
  if (height == 0) return 0;
  FigureLayout unused;
  unused.width = page.layout.width;
  Page below{page.content, page.shaper, unused, page.inks, page.em, page.margin};
  double used = 1.5 * page.em;
  put_tail(below, used);
  return std::max(height - top - used, page.em);
}

// On a page of this width, as high as it needs to be: only a diagram follows the height.
FigureLayout lay_out_at(const FigureContent& content, const TextShaper& shaper, double width, double height) {
  const FigureOptions& options = content.options;
  FigureLayout layout;
  layout.width = width;
  const double em = options.font_size / 72 * 96;
  Page page{content, shaper, layout, figure_inks(options.theme), em, em};
  double top = page.margin;
  if (!options.title.empty()) {
    put_paragraph(page, options.title, page.style(1.5, true), page.inks.text, top, true);
    top += 0.25 * em;
  }
  put_subject(page, top);
  top += 0.6 * em;
  if (content.diagram) {
    put_diagram(page, top, diagram_height(page, top, height));
  } else {
    put_panels(page, top);
  }
  top += 0.9 * em;
  put_tail(page, top);
  layout.height = std::ceil(top + 0.6 * em);
  return layout;
}

void shift(FigureLayout& layout, double right, double down) {
  const auto move_box = [&](Box& box) {
    box.x += right;
    box.y += down;
  };
  for (PlacedText& text : layout.texts) move_box(text.box);
  for (PlacedPanel& panel : layout.panels) {
    move_box(panel.heat);
    move_box(panel.room);
  }
  for (PlacedChip& chip : layout.chips) move_box(chip.box);
  layout.picture = picture::placed(std::move(layout.picture), 1, right, down);
}

}  // namespace

// Where a page is too low for matrices as wide as it is, they are laid out on a narrower one.
FigureLayout lay_out(const FigureContent& content, const TextShaper& shaper) {
  const double width = page_width(content.options.width);
  const double height = page_height(content.options);
  FigureLayout layout = lay_out_at(content, shaper, width, height);
  if (height == 0) return layout;
  constexpr double narrower = 0.95;
  constexpr double narrowest = 0.15;
  for (double share = narrower; layout.height > height && !content.diagram && share > narrowest; share *= narrower) {
    layout = lay_out_at(content, shaper, share * width, height);
  }
  if (layout.height > height + 1) {
    throw Error(
        fmt::format("The figure would be {:.0f} pixels high with a font of {} points, but its page has {:.0f}: "
                    "make the font smaller, or choose a size whose height follows.",
                    layout.height, content.options.font_size, height));
  }
  if (!content.diagram) shift(layout, (width - layout.width) / 2, (height - layout.height) / 2);
  layout.width = width;
  layout.height = height;
  return layout;
}

}  // namespace attnscope
