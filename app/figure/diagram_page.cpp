#include <algorithm>
#include <cmath>

#include "figure/figure_page.h"
#include "look/diagram_layout.h"
#include "look/diagram_words.h"
#include "look/stage_look.h"

namespace attnscope {
namespace {

// Lengths in ems.
constexpr double cell_number_ems = 0.85;  // font of the numbers that cells are made large enough for
constexpr double number_margin = 0.25;    // beside them
constexpr double heading_ems = 1.15;
constexpr double longest_upright = 5;
constexpr double gap_ems = 0.5;
constexpr double label_margin = 0.55;    // between the tokens' names and the cells
constexpr double landscape = 0.66;       // of the width: the height, where nothing says how high the figure is
constexpr double smallest_number = 4.5;  // pixels; cells are not made large enough for numbers that nobody can read
constexpr double names_share = 0.16;     // of the width that the tokens' names take before they get smaller
constexpr int fitting_steps = 12;

class DiagramPage {
public:
  DiagramPage(Page& page, double width, double height, double ems, bool has_numbers)
      : page_{page.content, page.shaper, page.layout, page.inks, ems, page.margin},
        diagram_(*page.content.diagram),
        panels_(page.content.lines.front()),
        labels_(fit_labels(page_, names_share * page.room())),
        text_(measured(has_numbers)),
        layout_(layout_diagram(diagram_.config, text_, static_cast<float>(width), static_cast<float>(height),
                               diagram_.largest, diagram_.left_out)) {}

  double width() const { return static_cast<double>(layout_.width); }
  double height() const { return static_cast<double>(layout_.height); }

  void put(double left, double top) {
    left_ = left;
    top_ = top;
    for (const PlacedBand& band : layout_.bands) {
      if (band.height > 0) put_band(band);
    }
    if (page_.content.options.has_arrows) put_arrows();
    for (PlacedMatrix placed : layout_.matrices) {
      const FigureDiagram::Matrix& entry = entry_of(placed.matrix);
      placed.matrix = entry.matrix;  // of a difference, what has no place of its own may be absent
      put_matrix(placed, entry);
    }
  }

private:
  DiagramText measured(bool has_numbers) const {
    const double em = page_.em;
    const int decimals = page_.content.options.decimals.value_or(0);
    const std::string zero = "0" + (decimals > 0 ? "." + std::string(static_cast<std::size_t>(decimals), '0') : "");
    const std::string sample = "−" + zero;
    const double sums = page_.shaper.width(zero, page_.style(1)) + 0.6 * em;  // the same in every figure of a series
    const double number = page_.shaper.width(sample, page_.style(cell_number_ems)) + number_margin * em;
    return {
        .width_of =
            [this](std::string_view words) { return static_cast<float>(page_.shaper.width(words, page_.style(1))); },
        .line = static_cast<float>(line_height * em),
        .heading = static_cast<float>(line_height * heading_ems * em),
        .row_labels = static_cast<float>(labels_.width + label_margin * em),
        .widest_label = static_cast<float>(labels_.width + 0.5 * em),
        .longest_upright = static_cast<float>(longest_upright * em),
        .row_sums = static_cast<float>(sums + gap_ems * em),
        .gap = static_cast<float>(gap_ems * em),
        .number_width = has_numbers ? static_cast<float>(number) : 0,
        .number_height = static_cast<float>(line_height * cell_number_ems * em)};
  }

  Box on_page(const DiagramBox& box) const {
    return {left_ + static_cast<double>(box.x), top_ + static_cast<double>(box.y), static_cast<double>(box.width),
            static_cast<double>(box.height)};
  }

  void put_band(const PlacedBand& band) {
    const double y = top_ + static_cast<double>(band.y);
    if (band.y > 0) page_.layout.ticks.push_back({left_, y - 0.25 * page_.em, left_ + width(), y - 0.25 * page_.em});
    const TextStyle bold = page_.style(heading_ems, true);
    const Box title = page_.put(title_of(band.band), bold, page_.inks.text, left_, y, Align::left);
    page_.layout.grounds.push_back(title);
    const double drop = baseline * (bold.size - page_.em);
    const TextStyle small = page_.style(1);
    const double x = title.right() + page_.em;
    const std::string words = page_.shaper.shorten(about(band.band), small, left_ + width() - x);
    page_.layout.grounds.push_back(page_.put(words, small, page_.inks.dim, x, y + drop, Align::left));
  }

  void put_arrows() {
    for (const DiagramArrow& arrow : diagram_arrows(diagram_.config, layout_, text_, diagram_.head)) {
      if (is_awaited(arrow.result)) continue;
      PlacedArrow& placed = page_.layout.arrows.emplace_back();
      placed.gap = static_cast<double>(text_.gap);
      for (const DiagramPoint& point : arrow.points) {
        placed.points.push_back({point.x + static_cast<float>(left_), point.y + static_cast<float>(top_)});
      }
      put_operator(arrow);
    }
  }

  void put_operator(const DiagramArrow& arrow) {
    const double room = static_cast<double>(arrow.words_right - arrow.words_left);
    const double middle = left_ + static_cast<double>(arrow.words_left + arrow.words_right) / 2;
    const double y = top_ + static_cast<double>(arrow.words_y);
    const double gap = static_cast<double>(words_gap * text_.gap);
    const TextStyle style = page_.style(1);
    const auto put_centred = [&](const std::string& words, Rgb ink, double line_top) {
      if (words.empty() || page_.shaper.width(words, style) > room) return;
      page_.put(words, style, ink, middle, line_top, Align::centre);
    };
    put_centred(arrow.words.sign, page_.inks.text, y - gap - line_height * style.size);
    put_centred(arrow.words.note, page_.inks.dim, y + gap);
  }

  const FigureDiagram::Matrix& entry_of(const DiagramMatrix& matrix) const {
    return *std::ranges::find_if(diagram_.matrices, [&](const FigureDiagram::Matrix& entry) {
      return entry.matrix.result == matrix.result && entry.matrix.role == matrix.role;
    });
  }

  // Those of the tokens beside a place that is empty, from a matrix whose rows are tokens; a difference may have none.
  void put_names_beside(const Box& cells) {
    const auto found = std::ranges::find_if(panels_, [](const FigurePanel& panel) {
      return !panel.is_transposed && !is_parameter(info(panel.stage).axes);
    });
    if (found != panels_.end()) put_row_labels(page_, panel_at(*found, cells), labels_);
  }

  bool is_awaited(Stage result) const {
    const auto of_result = [&](const FigureDiagram::Matrix& entry) { return entry.matrix.result == result; };
    const auto found = std::ranges::find_if(diagram_.matrices, of_result);
    return found != diagram_.matrices.end() && found->is_awaited;
  }

  void put_matrix(const PlacedMatrix& placed, const FigureDiagram::Matrix& entry) {
    if (entry.is_awaited) {
      if (placed.matrix.is_present) put_outline(on_page(placed.cells));
      return;
    }
    if (!placed.matrix.is_present) {
      if (page_.content.options.has_outlines) put_absence(placed);
      if (placed.begins_band) put_names_beside(on_page(placed.cells));
      return;
    }
    const FigurePanel& first = panels_[entry.first_panel];
    if (placed.header.height > 0) put_header(placed, entry.header, first);
    const Index heads = placed.matrix.shows_all_heads ? head_count(diagram_.config) : 1;
    Box box = on_page(placed.cells);
    box.width /= static_cast<double>(heads);
    for (Index head = 0; head < heads; ++head) {
      PlacedPanel panel = panel_at(panels_[entry.first_panel + static_cast<std::size_t>(head)], box);
      panel.number_size = number_size(page_, panel);
      page_.layout.panels.push_back(panel);
      if (heads > 1 && !is_operand(placed.matrix)) put_strip(panel, head);
      box.x += box.width;
    }
    if (!is_operand(placed.matrix)) put_names(placed, page_.layout.panels.back());
  }

  PlacedPanel panel_at(const FigurePanel& panel, const Box& box) const {
    PlacedPanel placed{&panel, box, box};
    placed.frame = std::min(placed.frame, 0.06 * page_.em);
    return placed;
  }

  void put_strip(const PlacedPanel& panel, Index head) {
    const double thickness = 0.25 * page_.em;
    const Box& heat = panel.heat;
    const double inset = std::min(0.06 * page_.em, 0.2 * heat.width);
    page_.layout.chips.push_back({{heat.x + inset, heat.y - 1.3 * thickness, heat.width - 2 * inset, thickness},
                                  head_rgb(head, page_.content.options.theme == FigureTheme::dark)});
  }

  void put_names(const PlacedMatrix& placed, const PlacedPanel& panel) {
    if (placed.begins_band) put_row_labels(page_, panel, labels_);
    put_head_strip(page_, panel);
    if (placed.has_names) {
      ColumnFit columns = fit_columns(page_, *panel.panel, panel.cell_width(), labels_);
      columns.is_vertical = layout_.names_are_upright;
      columns.height =
          columns.is_vertical ? std::min(columns.height, longest_upright * page_.em) : line_height * columns.style.size;
      put_column_labels(page_, panel, columns);
    }
    put_row_sums(page_, panel, labels_);
  }

  void put_header(const PlacedMatrix& placed, const DiagramHeader& header, const FigurePanel& panel) {
    const Box box = on_page(placed.header);
    const TextStyle small = page_.style(1);
    const bool is_small = is_operand(placed.matrix) || info(placed.matrix.result).place.is_above;
    const auto lines_within = [&](double room) {
      const auto width_of = [&](std::string_view text) { return static_cast<float>(page_.shaper.width(text, small)); };
      const HeaderSize size = is_small                    ? HeaderSize::small
                              : layout_.headers_are_roomy ? HeaderSize::roomy
                                                          : HeaderSize::usual;
      return fitted_lines(header, size, static_cast<float>(room), width_of);
    };
    if (is_small) {
      const std::string title = page_.shaper.shorten(header.title, small, box.width);
      const double used = page_.put(title, small, page_.inks.text, box.x, box.y, Align::left).width + 0.5 * page_.em;
      const std::string line = lines_within(box.width - used).front();
      if (!line.empty()) page_.put(line, small, page_.inks.dim, box.x + used, box.y, Align::left);
      return;
    }
    const TextStyle bold = page_.style(heading_ems, true);
    const std::string title = page_.shaper.shorten(header.title, bold, box.width);
    const double used = page_.put(title, bold, page_.inks.text, box.x, box.y, Align::left).width;
    const double slot = static_cast<double>(placed.slot.width);
    const double drop = baseline * (bold.size - page_.em);
    if (panel.has_bar && placed.matrix.role == DiagramRole::result)
      put_header_bar(page_, panel.range, box.x + slot, box.y + drop, slot - used - 0.6 * page_.em);
    double y = box.y + line_height * bold.size;
    for (const std::string& line : lines_within(box.width)) {
      page_.put(page_.shaper.shorten(line, small, box.width), small, page_.inks.dim, box.x, y, Align::left);
      y += line_height * small.size;
    }
  }

  void put_outline(const Box& box) {
    page_.layout.frames.push_back({box, page_.inks.line, std::min(0.5, 0.05 * page_.em)});
  }

  // Why a stage is not there, in its place.
  void put_absence(const PlacedMatrix& placed) {
    if (placed.matrix.absence.empty()) return;
    const Box box = on_page(placed.slot);
    put_outline(box);
    const TextStyle small = page_.style(1);
    const double pad = 0.45 * page_.em;
    const std::vector<std::string> lines = page_.shaper.wrap(placed.matrix.absence, small, box.width - 2 * pad);
    const double line = line_height * small.size;
    const bool fits = pad + static_cast<double>(lines.size()) * line <= box.height;
    for (std::size_t i = 0; fits && i < lines.size(); ++i)
      page_.put(lines[i], small, page_.inks.dim, box.x + pad, box.y + pad + static_cast<double>(i) * line, Align::left);
  }

  Page page_;
  const FigureDiagram& diagram_;
  const std::vector<FigurePanel>& panels_;
  LabelFit labels_;
  DiagramText text_;
  DiagramLayout layout_;
  double left_ = 0;
  double top_ = 0;
};

// The largest font, up to the page's, with which the diagram fits.
double fitting_em(Page& page, double height, bool has_numbers) {
  const auto fits = [&](double em) {
    const DiagramPage diagram(page, page.room(), height, em, has_numbers);
    return diagram.width() <= page.room() + 0.01 && diagram.height() <= height + 0.01;
  };
  if (fits(page.em)) return page.em;
  double low = 0.02 * page.em;
  double high = page.em;
  for (int step = 0; step < fitting_steps; ++step) {
    const double middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

void put_diagram(Page& page, double& top, double height) {
  const double room = height > 0 ? height : landscape * page.room();
  bool has_numbers = page.content.options.decimals.has_value();
  double em = fitting_em(page, room, has_numbers);
  if (has_numbers && cell_number_ems * em < smallest_number) {
    has_numbers = false;
    em = fitting_em(page, room, has_numbers);
  }
  DiagramPage diagram(page, page.room(), room, em, has_numbers);
  diagram.put(page.margin + (page.room() - diagram.width()) / 2, top + std::max(0.0, (height - diagram.height()) / 2));
  top += height > 0 ? height : diagram.height();
}

}  // namespace attnscope
