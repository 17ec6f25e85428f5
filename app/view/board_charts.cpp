#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/text.h"
#include "view/board_items.h"

// Charts: numbers as bars, curves, and arcs between tokens.
namespace attnscope::scene {
namespace {

constexpr double plot_height = 4.6;  // in cells
constexpr double plot_width = 250;
constexpr double bars_height = 4.2;  // in cells
constexpr double narrow_bar = 0.5;   // least width, in sizes of text: a histogram takes the room that cells leave
constexpr double widest_narrow_bar = 1.2;
constexpr double number_gap = 3;         // between the numbers of bars side by side
constexpr double most_bars_wide = 0.85;  // of the canvas; names and the axis have the rest
constexpr double widest_bar_label = 36;  // a wider label does not make bars wider; at the usual size

std::size_t bar_count(const BoardBars& bars) { return bars.parts.empty() ? 0 : bars.parts.front().values.size(); }

struct ChartAxis {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool is_log = false;

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double share(double value) const {
    if (is_log) return std::log(std::max(value, low) / low) / std::log(high / low);
    return (value - low) / (high - low);
  }
  bool is_in_powers_of_two() const { return is_log && low == 1 && high == 1024; }
  std::vector<double> ticks() const {
    std::vector<double> all;
    if (is_log) {
      const double step = is_in_powers_of_two() ? 4 : std::log10(high / low) > 6 ? 100 : 10;
      for (double at = low; at <= high * 1.001; at *= step) all.push_back(at);
      return all;
    }
    const double raw = (high - low) / 4;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    const double step = raw / power >= 5 ? 5 * power : raw / power >= 2 ? 2 * power : power;
    for (double at = std::ceil(low / step) * step; at <= high + 1e-9 * step; at += step) all.push_back(at);
    return all;
  }
};

ChartAxis axis_of(const BoardBars& bars) {
  ChartAxis axis{.low = 0, .high = 0};
  for (const BoardBars::Part& part : bars.parts)
    for (const float each : part.values) axis.add(std::isfinite(each) ? static_cast<double>(each) : 0);
  if (bars.high) axis.high = static_cast<double>(*bars.high);
  if (axis.high == axis.low) axis.high = axis.low + 1;
  return axis;
}

// Returns the share of a bar's slot that stays free at either side.
double pad_of(const BoardBars& bars) {
  if (bars.is_narrow) return 0;
  return bars.parts.size() > 1 ? 0.06 : 0.14;
}

double slot_width(const BoardBars& bars, const BoardPen& pen) {
  if (bars.is_narrow) return narrow_bar * pen.canvas.text;
  double width = pen.cell_width() * std::max<double>(1, static_cast<double>(bars.parts.size()) * 0.7);
  for (const std::string& label : bars.labels)
    width = std::max(width, std::min(pen.width(BoardFont::small, label), widest_bar_label * pen.growth()) + 4);
  double number = 0;
  for (const BoardBars::Part& part : bars.parts) {
    for (const float value : part.values)
      number = std::max(number, pen.width(BoardFont::number, format_fixed(static_cast<double>(value), bars.decimals)));
  }
  // Numbers of neighbours may stand at the same height. A narrow column has no room for a gap between groups, too.
  const double together = static_cast<double>(bars.parts.size()) * (number + number_gap);
  const double apart = bars.parts.size() > 1 ? together / (1 - 2 * pad_of(bars)) : together;
  const bool is_roomy = apart * static_cast<double>(bar_count(bars)) <= most_bars_wide * pen.canvas.width;
  return std::max(width, is_roomy ? apart : together);
}

Rgb colour_of_part(const BoardBars::Part& part, const BoardPen& pen) {
  if (part.grey >= 0) return pen.grey(part.grey);
  if (part.tint == neutral_tint) return mix(pen.canvas.paper, pen.theme.inks.dim_text, 0.4);
  return part.tint < 0 ? pen.theme.inks.accent : pen.tint(part.tint);
}

// Returns where a number of the axis lies, in pixels.
double y_of(const ChartAxis& axis, const Box& field, double value) {
  return field.y + field.height * (axis.high - std::clamp(value, axis.low, axis.high)) / (axis.high - axis.low);
}

void put_bar(const BoardBars& bars, BoardPen& pen, const Box& field, const ChartAxis& axis, std::size_t bar, double x,
             double slot) {
  const double pad = pad_of(bars) * slot;
  const bool is_hidden = !bars.marks.empty() && bars.marks[bar].is_hidden;
  const double zero = y_of(axis, field, 0);
  const double width = (slot - 2 * pad) / static_cast<double>(bars.parts.size());
  double left = x + pad - width;
  for (const BoardBars::Part& part : bars.parts) {
    left += width;
    const auto value = static_cast<double>(part.values[bar]);
    if (is_hidden || !std::isfinite(value)) continue;
    const double top = y_of(axis, field, std::max(0.0, value));
    const double bottom = y_of(axis, field, std::min(0.0, value));
    const double seam = bars.is_narrow ? 0.5 : 0;  // without it paper shows through between bars that touch
    pen.fill({left, top, std::max(width, 1.0) + seam, std::max(bottom - top, 0.0)}, colour_of_part(part, pen));
    if (bars.is_narrow) continue;
    const double line = pen.line_of(BoardFont::number);
    const double text_top = value < 0 ? bottom + 1 : top - line;
    pen.word(format_fixed(value, bars.decimals), BoardFont::number, pen.theme.inks.text, left + width / 2, text_top,
             centred);
  }
  if (is_hidden)
    pen.word("−∞", BoardFont::number, pen.theme.inks.dim_text, x + slot / 2, zero - pen.line_of(BoardFont::number),
             centred);
}

std::string tick_text(double value) {
  if (std::abs(value) < 1e-12) return "0";
  std::string text = fmt::format("{:.6f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// Returns the axis of all curves, which ends at a power of ten; one without logarithms begins at 0.
ChartAxis axis_of(const BoardPlot& plot, std::vector<double> BoardCurve::*values, bool is_log) {
  ChartAxis axis{.is_log = is_log};
  for (const BoardCurve& curve : plot.curves) {
    for (const double value : curve.*values) {
      if (std::isfinite(value) && (!is_log || value > 0)) axis.add(value);
    }
  }
  if (axis.is_in_powers_of_two()) return axis;
  if (axis.low > axis.high) axis.low = axis.high = 1;
  if (is_log) {
    axis.low = std::pow(10, std::floor(std::log10(axis.low) + 1e-9));
    axis.high = std::pow(10, std::ceil(std::log10(axis.high) - 1e-9));
    if (axis.low == axis.high) axis.high *= 10;
  } else {
    axis.low = std::min(axis.low, 0.0);
    if (axis.low == axis.high) axis.high = axis.low + 1;
    axis.high += 0.05 * (axis.high - axis.low);
  }
  return axis;
}

double label_width(const BoardPen& pen, const ChartAxis& axis) {
  double width = 0;
  for (const double tick : axis.ticks()) width = std::max(width, pen.width(BoardFont::small, tick_text(tick)));
  return width + 6;
}

Rgb colour_of_curve(const BoardCurve& curve, const BoardPen& pen) {
  return curve.tint < 0 ? pen.theme.inks.dim_text : pen.tint(curve.tint);
}

void put_ticks(BoardPen& pen, const Box& field, const ChartAxis& x, const ChartAxis& y) {
  const double line = pen.line_of(BoardFont::small);
  for (const double tick : y.ticks()) {
    const double at = field.bottom() - y.share(tick) * field.height;
    pen.stroke({{field.x, at}, {field.right(), at}}, pen.line, 0.6);
    pen.word(tick_text(tick), BoardFont::small, pen.theme.inks.dim_text, field.x - 4, at - line / 2, ends);
  }
  for (const double tick : x.ticks()) {
    const double at = field.x + x.share(tick) * field.width;
    pen.stroke({{at, field.bottom()}, {at, field.bottom() + 4}}, pen.line);
    pen.word(tick_text(tick), BoardFont::small, pen.theme.inks.dim_text, at, field.bottom() + 4, centred);
  }
}

void put_curve(const BoardCurve& curve, BoardPen& pen, const Box& field, const ChartAxis& x, const ChartAxis& y) {
  const Rgb colour = colour_of_curve(curve, pen);
  const auto place = [&](std::size_t i) {
    return picture::Point{field.x + x.share(curve.x[i]) * field.width,
                          field.bottom() - y.share(curve.y[i]) * field.height};
  };
  std::vector<picture::Point> points;
  for (std::size_t i = 0; i < curve.x.size(); ++i) points.push_back(place(i));
  if (curve.is_point) {
    for (const picture::Point& at : points) {
      const double reach = 4;
      pen.fill({at.x - reach, at.y - reach, 2 * reach, 2 * reach}, colour);
      pen.frame({at.x - reach, at.y - reach, 2 * reach, 2 * reach}, pen.theme.inks.text);
    }
    return;
  }
  if (!curve.is_dashed) return pen.stroke(std::move(points), colour, 2);
  constexpr int dashes = 6;  // dashes of each piece
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const picture::Point a = points[i];
    const picture::Point b = points[i + 1];
    const int count = std::max(1, static_cast<int>(std::hypot(b.x - a.x, b.y - a.y) / dashes));
    for (int dash = 0; dash < count; ++dash) {
      const double from = static_cast<double>(dash) / count;
      const double to = from + 0.55 / count;
      pen.stroke(
          {{a.x + from * (b.x - a.x), a.y + from * (b.y - a.y)}, {a.x + to * (b.x - a.x), a.y + to * (b.y - a.y)}},
          colour, 1.5);
    }
  }
}

}  // namespace

BoardSize set_item(const BoardBars& bars, BoardPen& pen, const Box& box) {
  std::vector<BoardKey> keys;
  if (bars.parts.size() > 1)
    for (const BoardBars::Part& part : bars.parts) keys.push_back({part.name, colour_of_part(part, pen)});
  const bool is_stretched = bars.is_narrow && !pen.is_measuring;
  const auto count = static_cast<double>(bar_count(bars));
  const double slot = is_stretched ? box.width / count : slot_width(bars, pen);
  const double width = slot * count;
  const double named = width + (bars.is_narrow ? 0 : pen.overhang(bars.labels, slot));
  const double whole = std::max({named, widest_key(pen, keys), pen.width(BoardFont::heading, bars.title)});
  double top = pen.title(bars.title, bars.caption, box.x, box.y, whole);
  top = put_keys(pen, keys, box.x, top, whole) + (keys.empty() ? 0 : 4);
  const double number = bars.is_narrow ? 0 : pen.line_of(BoardFont::number);
  const Box field{box.x, top + number, width, bars_height * pen.cell};
  const BoardSize size{whole, field.bottom() + number + pen.line_of(BoardFont::small) + 2 - box.y, 0,
                       bars.is_narrow ? widest_narrow_bar * pen.canvas.text * count : 0};
  if (pen.is_measuring) return size;
  const ChartAxis axis = axis_of(bars);
  for (std::size_t bar = 0; bar < bar_count(bars); ++bar)
    put_bar(bars, pen, field, axis, bar, field.x + slot * static_cast<double>(bar), slot);
  const double zero = y_of(axis, field, 0);
  pen.stroke({{field.x, zero}, {field.right(), zero}}, pen.line);
  const double below = field.bottom() + (axis.low < 0 ? number : 0) + 2;
  for (std::size_t bar = 0; bar < bars.labels.size(); ++bar) {
    pen.word(bars.labels[bar], BoardFont::small, pen.theme.inks.text, field.x + slot * (static_cast<double>(bar) + 0.5),
             below, centred, bars.is_narrow ? 0 : pen.name_room(bars.labels, bar, slot));
  }
  return size;
}

BoardSize set_item(const BoardPlot& plot, BoardPen& pen, const Box& box) {
  std::vector<BoardKey> keys;
  for (const BoardCurve& curve : plot.curves) {
    const BoardKey::Kind line = curve.is_dashed ? BoardKey::Kind::dashes : BoardKey::Kind::line;
    keys.push_back({curve.name, colour_of_curve(curve, pen), curve.is_point ? BoardKey::Kind::square : line});
  }
  const double least = std::max({plot_width, pen.width(BoardFont::heading, plot.title), widest_key(pen, keys)});
  if (!plot.has_legend) keys.clear();
  const double width = pen.is_measuring ? least : box.width;
  const double top = put_keys(pen, keys, box.x, pen.title(plot.title, {}, box.x, box.y, width), width) + 6;
  const double below = 2 * pen.line_of(BoardFont::small) + 6;
  const BoardSize size{least, top + std::max(plot_height * pen.cell, 90.0) + below - box.y, 0, 1e6};
  if (pen.is_measuring) return size;
  const ChartAxis x = axis_of(plot, &BoardCurve::x, true);
  const ChartAxis y = axis_of(plot, &BoardCurve::y, plot.is_log_y);
  const double left = label_width(pen, y);
  const double right = 12;
  const Box field{box.x + left, top, box.width - left - right,
                  box.bottom() - below - top};  // aligned with the field beside it
  put_ticks(pen, field, x, y);
  for (const BoardCurve& curve : plot.curves) put_curve(curve, pen, field, x, y);
  pen.word(plot.x_title, BoardFont::small, pen.theme.inks.dim_text, field.middle_x(),
           field.bottom() + 4 + pen.line_of(BoardFont::small), centred);
  return size;
}

namespace {

constexpr double arc_room = 4.5;     // room above the tokens, in cells
constexpr double token_pad = 14;     // space on both sides of a token's text, together
constexpr double least_token = 26;   // width of the narrowest token
constexpr double least_gap = 8;      // space between two tokens
constexpr double least_share = 0.1;  // smaller weights, in shares of the query's largest, have no arc
constexpr double thickest = 9;       // thickness of the arc of the largest weight of all queries
constexpr double thinnest = 1.6;     // least thickness of the shown query's arcs; others may be half as thick
constexpr double strip_height = 5;   // height of the strip of each head below a token
constexpr double fan = 0.4;          // arcs end so near the middle of a token, in its widths
constexpr double least_rise = 0.25;  // height of the shortest arc, in shares of the room above; the longest takes all
constexpr double steepest = 0.8;     // limits an arc's height, in its lengths
constexpr double loop_width = 0.3;   // width of an arc from a token to itself, in widths of the token
constexpr double faint_arc = 0.35;   // opacity of arcs from other queries
constexpr std::size_t most_strips = 12;

// Tokens share the width of the page; their letters are so large that the longest token fits.
struct TokenRow {
  Box whole;
  double slot = 0;   // width of a token and the gap beside it
  double width = 0;  // width of a token's box
  BoardFont font = BoardFont::heading;

  Box at(std::size_t token) const {
    return {whole.x + (static_cast<double>(token) + 0.5) * slot - width / 2, whole.y, width, whole.height};
  }
};

TokenRow row_of(const BoardArcs& arcs, const BoardPen& pen, const Box& whole) {
  TokenRow row;
  row.whole = whole;
  row.slot = whole.width / static_cast<double>(std::max<std::size_t>(1, arcs.tokens.size()));
  const auto needed = [&] { return pen.widest(row.font, arcs.tokens) + token_pad; };
  for (const BoardFont smaller : {BoardFont::text, BoardFont::small})
    if (needed() > row.slot - least_gap) row.font = smaller;
  row.width = std::min(row.slot - least_gap, std::max(needed(), 0.6 * row.slot));
  return row;
}

std::size_t strip_count(const BoardArcs& arcs) { return std::min(arcs.heads.size(), most_strips); }

// Puts below each token its weight in each head: as a number if heads are few, else as a strip.
double weight_line(const BoardArcs& arcs, const BoardPen& pen) {
  return strip_count(arcs) <= 4 ? pen.line_of(BoardFont::text) : strip_height;
}

float weight_of(const BoardArcs& arcs, const BoardArcs::Head& head, std::size_t query, std::size_t token) {
  return head.weights[arcs.shows_all ? query * arcs.tokens.size() + token : token];
}

struct Arc {
  std::size_t from = 0;
  std::size_t head = 0;
  double weight = 0;
  double begin = 0, end = 0;
};

// Returns where an arc ends above a token. Arcs to near tokens end outside of arcs to far ones, so that none crosses
// another.
double end_at(const BoardArcs& arcs, const TokenRow& row, std::size_t token, std::size_t other, std::size_t head) {
  const auto heads = static_cast<double>(arcs.heads.size());
  const double distance =
      (static_cast<double>(other) - static_cast<double>(token)) / static_cast<double>(arcs.tokens.size());
  const double lean = distance == 0 ? 0 : distance < 0 ? -1 - distance : 1 - distance;
  const double shift = (static_cast<double>(head) - (heads - 1) / 2) / std::max(heads, 2.0) * 0.3;
  return row.at(token).middle_x() + row.width * fan * (lean + shift);
}

// Returns the arcs of all weights that can be seen; those of the query come last, on top of others.
std::vector<Arc> arcs_to_draw(const BoardArcs& arcs, const TokenRow& row) {
  std::vector<Arc> all;
  const auto weight = [&](std::size_t from, std::size_t head, std::size_t token) {
    return static_cast<double>(weight_of(arcs, arcs.heads[head], from, token));
  };
  const auto add_from = [&](std::size_t from) {
    double largest = 0;
    for (std::size_t head = 0; head < arcs.heads.size(); ++head)
      for (std::size_t token = 0; token < arcs.tokens.size(); ++token)
        largest = std::max(largest, weight(from, head, token));
    for (std::size_t head = 0; head < arcs.heads.size(); ++head) {
      for (std::size_t token = 0; token < arcs.tokens.size(); ++token) {
        const double share = weight(from, head, token);
        if (share < least_share * largest || share == 0) continue;
        const double loop = token == from ? loop_width / 2 * row.width : 0;
        all.push_back({from, head, share, end_at(arcs, row, from, token, head) + loop,
                       end_at(arcs, row, token, from, head) - loop});
      }
    }
  };
  const auto query = static_cast<std::size_t>(arcs.query);
  for (std::size_t from = 0; arcs.shows_all && from < arcs.tokens.size(); ++from)
    if (from != query) add_from(from);
  add_from(query);
  return all;
}

bool is_dashed(int head) { return head % 2 == 1; }

void put_arcs(const BoardArcs& arcs, const BoardPen& pen, const TokenRow& row, double room) {
  double largest = 0;  // largest weight
  for (const BoardArcs::Head& head : arcs.heads)
    for (const float weight : head.weights) largest = std::max(largest, static_cast<double>(weight));
  const std::vector<Arc> all = arcs_to_draw(arcs, row);
  double longest = 1;
  for (const Arc& arc : all) longest = std::max(longest, std::abs(arc.begin - arc.end));
  for (const Arc& arc : all) {
    const bool stands_out = static_cast<Index>(arc.from) == arcs.query;
    const double thickness =
        std::max(stands_out ? thinnest : thinnest / 2, thickest * pen.growth() * arc.weight / largest);
    const double length = std::abs(arc.begin - arc.end);
    const double rise = (room - thickness) * (least_rise + (1 - least_rise) * length / longest);
    const double nested = 1 - 0.08 * static_cast<double>(arc.head) / static_cast<double>(arcs.heads.size());
    const double height = nested * std::min(rise, std::max(steepest * length, least_rise * room));
    constexpr int pieces = 36;
    std::vector<picture::Point> points;
    for (int i = 0; i <= pieces; ++i) {
      const double angle = std::numbers::pi * i / pieces;
      const double share = (1 - std::cos(angle)) / 2;
      points.push_back({arc.begin + share * (arc.end - arc.begin), row.whole.y - height * std::sin(angle)});
    }
    const int head = arcs.heads[arc.head].head;
    const Rgb colour = mix(pen.canvas.paper, pen.head(head), stands_out ? 1 : faint_arc);
    if (!is_dashed(head)) {
      pen.stroke(std::move(points), colour, thickness);
      continue;
    }
    for (std::size_t i = 0; i + 2 < points.size(); i += 3)
      pen.stroke({points[i], points[i + 1], points[i + 2]}, colour, thickness);
  }
}

void put_weights(const BoardArcs& arcs, BoardPen& pen, const Box& token_box, std::size_t token) {
  double y = token_box.bottom() + 4;
  const double line = weight_line(arcs, pen);
  if (arcs.hidden.contains(static_cast<Index>(token))) {
    const double height = line * static_cast<double>(strip_count(arcs));
    pen.picture.add(picture::Hatch{{token_box.x, y, token_box.width, height}});
    return;
  }
  for (std::size_t head = 0; head < strip_count(arcs); ++head) {
    const float weight = weight_of(arcs, arcs.heads[head], static_cast<std::size_t>(arcs.query), token);
    const Rgb tint = pen.head(arcs.heads[head].head);
    if (line > strip_height) {
      pen.word(format_fixed(static_cast<double>(weight), 2), BoardFont::text, tint, token_box.middle_x(), y, centred);
    } else {
      pen.fill({token_box.x, y, std::min(1.0F, weight) * token_box.width, strip_height - 1}, tint);
    }
    y += line;
  }
}

// Names the heads beside samples of their arcs; by their numbers alone if there is no room for more.
void put_heads(const BoardArcs& arcs, const BoardPen& pen, const Box& box) {
  std::vector<BoardKey> keys;
  const bool is_alone = arcs.heads.size() == 1;
  for (const BoardArcs::Head& head : arcs.heads) {
    const BoardKey::Kind line = is_dashed(head.head) ? BoardKey::Kind::dashes : BoardKey::Kind::line;
    keys.push_back({head.name, pen.head(head.head), is_alone ? BoardKey::Kind::square : line});
  }
  const double each = widest_key(pen, keys) + key_gap;
  for (std::size_t head = 0; head < keys.size() && each * static_cast<double>(keys.size()) > box.width; ++head)
    keys[head].name = std::to_string(arcs.heads[head].head + 1);
  put_keys(pen, keys, box.x, box.y, box.width);
}

}  // namespace

BoardSize set_item(const BoardArcs& arcs, BoardPen& pen, const Box& box) {
  const double room = arc_room * pen.cell;
  const double top = box.y + pen.line_of(BoardFont::text) + room;  // top of the tokens
  const double height = pen.line_of(BoardFont::heading) + 8;       // height of a token
  const double weights = 4 + static_cast<double>(strip_count(arcs)) * weight_line(arcs, pen);
  const BoardSize size{static_cast<double>(arcs.tokens.size()) * (least_token + least_gap),
                       top + height + weights - box.y, 0, 1e6};
  if (pen.is_measuring) return size;
  const TokenRow row = row_of(arcs, pen, {box.x, top, box.width, height});
  put_heads(arcs, pen, box);
  put_arcs(arcs, pen, row, room);
  for (std::size_t token = 0; token < arcs.tokens.size(); ++token) {
    const Box at = row.at(token);
    const bool is_query = static_cast<Index>(token) == arcs.query;
    const Rgb ground = is_query ? pen.theme.inks.accent : pen.canvas.paper;
    pen.fill(at, ground);
    pen.word(arcs.tokens[token], row.font, is_query ? ink_on(ground) : pen.theme.inks.text, at.middle_x(),
             at.middle_y() - pen.line_of(row.font) / 2, centred, at.width - 4);
    pen.frame(at, is_query ? pen.theme.inks.accent : pen.line);
    put_weights(arcs, pen, at, token);
    if (token < arcs.sources.size()) pen.layout.spots.push_back({at, arcs.sources[token], arcs.tokens[token]});
  }
  return size;
}

}  // namespace attnscope::scene
