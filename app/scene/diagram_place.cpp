#include <algorithm>
#include <cmath>
#include <utility>

#include "scene/diagram_composer.h"

// Places: where matrices, titles, names and colour bars of each line stand.

namespace attnscope::scene {
namespace {

constexpr double downward = 0.22;  // of a text's size, below its baseline
constexpr double least_striped_row = 6;

}  // namespace

PlacedText& DiagramComposer::add_text(double x, double y, std::string text, double size, Face face, TextInk ink,
                                      double anchor) {
  picture::Word word{.text = std::move(text), .x = x, .y = y, .size = size, .face = face, .anchor = anchor};
  PlacedText& placed = out_.texts.emplace_back(PlacedText{std::move(word)});
  placed.tone = ink;
  placed.box = box_of(placed, measure_);
  return placed;
}

std::string DiagramComposer::shortened(std::string_view name, double room, double size, Face face) const {
  if (width_of(name, size, face) <= room + 1) return std::string(name);
  return picture::shortened(name, room, size, face, measure_);
}

// Every how many rows or columns are named, so that names stand clear of each other.
Index DiagramComposer::name_step(double pitch) const {
  Index step = 1;
  while (as_double(step) * pitch < label_ * 1.12) step *= 2;
  return step;
}

double DiagramComposer::number_size(double cell, double height, std::string_view widest) const {
  if (widest.empty()) return 0;
  const double em = width_of(widest, number_, Face::number) / number_;
  const double fitting = std::min((cell - 2) / em, height - 3);
  if (fitting < number_ - 0.01) return 0;
  return std::max(number_, std::min({fitting, most_number_, cell * 0.34 + 2}));
}

DiagramLayout DiagramComposer::place() {
  const double lines = as_double(static_cast<Index>(lines_.size()));
  double y = c_.box.y + std::min(spare_ / (lines + 1), 16 * f_);
  const double extra = std::min(spare_ / (lines + 1), 40 * f_);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    LaidLine& line = lines_[i];
    line.top = y;
    line.title_y = y + line.heading + line.operands;
    const double row = line.title_y + line.title + line.names;
    line.y0 = std::round(row * c_.pixels_per_unit) / c_.pixels_per_unit;
    line.end = line.y0 + line.height();
    line.bottom = line.end + (line.has_hero() ? 12 : 4) * f_;
    y = line.end + line.gutter + extra;
    place_line(i);
    place_names(i);
  }
  if (wrap_ == DiagramWrap::compared) {
    route_compared();
  } else {
    place_card();
    route();
  }
  place_headings();
  place_stripes();
  if (c_.focus) fade();
  return std::move(out_);
}

void DiagramComposer::place_line(std::size_t index) {
  LaidLine& line = lines_[index];
  const double gaps = std::max(1.0, as_double(static_cast<Index>(line.blocks.size()) - 1));
  const double most = wrap_ == DiagramWrap::compared ? 0 : (line.has_hero() ? 40 : 26) * f_;
  const double loose = std::min(std::max(0.0, line.room - used(line, line.u, line.t)) / gaps, most);
  double x = x0_;
  double right = x0_;
  double before = x0_;
  for (std::size_t i = 0; i < line.blocks.size(); ++i) {
    LaidBlock& laid = line.blocks[i];
    if (i == 0 || !line.blocks[i - 1].is_ghost) before = right;
    const bool is_close = laid.block.sign.empty() && !laid.is_square() && !laid.block.has_own_rows;
    x += gap_before(laid, i == 0) + (i > 0 && !is_close ? loose : 0);
    laid.x = x;
    laid.width = block_width(line, laid);
    if (!laid.is_ghost) place_block(index, laid, i > 0 ? std::optional(before) : std::nullopt);
    right = x + (laid.is_hero() ? span(line, laid) : laid.width) + room_after(laid);
    laid.right = right;
    x += span(line, laid) + room_after(laid);
  }
  line.x_end = x;
}

// Names of rows that end at `x`.
void DiagramComposer::name_rows(const std::vector<std::string>& names, double x, double y, double row, double room,
                                Stage result, bool are_keys) {
  const Index step = name_step(row);
  for (Index at = 0; at < static_cast<Index>(names.size()); at += step) {
    PlacedText& text =
        add_text(x, y + (as_double(at) + 0.5) * row + label_ * to_middle,
                 shortened(names[static_cast<std::size_t>(at)], room, label_), label_, Face::text, TextInk::text, 1);
    text.kind = PlacedText::Kind::row_name;
    text.result = result;
    text.index = at;
    text.is_of_key = are_keys;
  }
}

// The names of the tokens left of a line.
void DiagramComposer::place_names(std::size_t index) {
  const LaidLine& line = lines_[index];
  double x = x0_ - (line.is_entered ? channel_ : 8 * f_);
  if (wrap_ == DiagramWrap::compared && index > 0)
    x = std::ranges::find_if(line.blocks, &LaidBlock::is_hero)->x - pad_ - 8 * f_;
  const auto has_queries = [](const LaidBlock& laid) { return !laid.block.has_own_rows && !laid.is_ghost; };
  if (std::ranges::none_of(line.blocks, has_queries)) return;
  name_rows(s_.row_names(), x, line.y0, line.h, names_, line.result(), false);
}

double DiagramComposer::column_unit(const LaidLine& line, const LaidBlock& laid) const {
  return laid.is_square() ? square_width(line, laid) : line.u * laid.shrink;
}

PlacedMatrix& DiagramComposer::add_matrix(const LaidBlock& laid, Stage stage, double x, double y, double row,
                                          Index rows, const BlockColumns& columns, double unit, double other_share,
                                          int line) {
  PlacedMatrix& matrix = out_.matrices.emplace_back();
  matrix.stage = stage;
  matrix.result = laid.result();
  matrix.rows = rows;
  matrix.line = line;
  matrix.is_second = laid.is_second;
  matrix.is_faint = laid.is_faint;
  matrix.is_thumb = laid.is_thumb;
  const Index others = (columns.heads - 1) * columns.of_head;
  const double own =
      laid.is_square() ? unit * as_double(columns.of_head) : effective_columns(as_double(columns.of_head)) * unit;
  const double other =
      others == 0 ? 0 : effective_columns(as_double(others)) * other_share * unit / as_double(columns.heads - 1);
  double at = x;
  for (Index head = 0; head < columns.heads; ++head) {
    const bool is_viewed = columns.heads == 1 || head == s_.head;
    const double width = is_viewed ? own : other;
    matrix.parts.push_back({columns.heads == 1 ? s_.head : head, columns.heads == 1 ? 0 : head * columns.of_head,
                            columns.of_head, at, width, is_viewed});
    at += width;
  }
  matrix.box = {x, y, at - x, row * as_double(rows)};
  return matrix;
}

void DiagramComposer::place_block(std::size_t index, LaidBlock& laid, std::optional<double> before) {
  LaidLine& line = lines_[index];
  const DiagramBlock& block = laid.block;
  const double row = block.has_own_rows ? line.height() / as_double(block.rows) : line.h;
  PlacedMatrix& matrix = add_matrix(laid, block.stage, laid.x, line.y0, row, block.rows, block.columns,
                                    column_unit(line, laid), laid.other_share, static_cast<int>(index));
  matrix.role = block.is_copy ? PlacedRole::copy : PlacedRole::result;
  matrix.kind = block.kind;
  matrix.rank = block.rank;
  matrix.widest = block.widest;
  matrix.is_on_spine = !block.has_own_rows;
  matrix.text = laid.is_thumb ? 0 : number_size(matrix.cell_width(), row, block.widest);
  laid.matrix = static_cast<int>(out_.matrices.size()) - 1;
  place_titles(line, laid);
  if (laid.is_square() && !laid.is_thumb && line.names > 0) place_column_names(line, laid, square_width(line, laid));
  if (block.has_sums && !laid.is_thumb && line.h >= note_ && block.rows <= most_summed_rows) {
    const double x = laid.x + laid.width + 8 * f_;
    if (line.names > 0) add_text(x, line.y0 - 6 * f_, "Σ row", note_, Face::text, TextInk::quiet).stage = block.stage;
    out_.sums.push_back({block.stage, x, note_, static_cast<int>(index), line.y0, line.h, block.rows, laid.is_second});
  }
  if (block.has_own_rows) name_rows(s_.keys, laid.x - 7 * f_, line.y0, row, key_names_, block.stage, true);
  if (block.above) place_operand(index, laid);
  const bool has_arrow = !block.sign.empty() || block.kind == BlockKind::square || !block.note.empty();
  if (before && !block.has_own_rows && has_arrow) place_arrow_into(index, laid, *before);
}

// Words above a matrix that speak of a stage: its own, or its operand.
void DiagramComposer::add_caption(const LaidBlock& laid, Stage stage, double y, std::string text, double size,
                                  Face face, TextInk ink) {
  PlacedText& words = add_text(laid.x, y, std::move(text), size, face, ink);
  words.stage = stage;
  words.result = laid.result();
  words.is_faint = laid.is_faint;
}

void DiagramComposer::place_titles(LaidLine& line, LaidBlock& laid) {
  const DiagramBlock& block = laid.block;
  const bool has_names = laid.is_square() && !laid.is_thumb;
  double y = line.y0 - (has_names ? line.names : 0) - 7 * f_ - (laid.is_hero() ? 3 * f_ : 0);
  const double size = laid.is_hero() ? hero_text_ : title_text_;
  const double width = width_of(block.title, title_text_, Face::bold);
  const double room = std::max(laid.width + room_after(laid) * 0.9, width + 12 * f_);
  const auto fitting =
      std::ranges::find_if(block.subtitles, [&](const std::string& each) { return width_of(each, note_) <= room; });
  const std::string subtitle = fitting == block.subtitles.end() ? "" : *fitting;
  const double title_y = y - (subtitle.empty() ? f_ : note_ * 1.3) - (laid.is_hero() ? 2 * f_ : 0);
  add_caption(laid, block.stage, title_y, block.title, size, Face::bold, TextInk::text);
  if (!subtitle.empty()) add_caption(laid, block.stage, y, subtitle, note_, Face::text, TextInk::quiet);
  laid.head_top = title_y - size;
  if (laid.is_hero()) {
    place_hero_frame(line, laid, title_y + 2 * f_);
  } else if (laid.is_square() && !laid.is_thumb) {
    place_bar(laid, title_y, width);
  }
}

void DiagramComposer::place_hero_frame(LaidLine& line, LaidBlock& laid, double title_y) {
  const double left = laid.x - pad_;
  const double top = title_y - hero_text_ - 9 * f_;
  const double right = laid.x + span(line, laid) + room_after(laid) - pad_ * 0.4;
  laid.frame = {left, top, right - left, line.end + 12 * f_ - top};
  out_.frames.push_back({laid.frame, true, laid.is_faint, laid.block.stage});
  if (laid.is_thumb) return;
  const double bar = 64 * f_;
  const double high = right - 12 * f_ - width_of(laid.block.bar_high, note_);
  const double x = high - bar - 5 * f_;
  out_.bars.push_back({laid.block.stage,
                       {x, title_y - 9 * f_, bar, 8 * f_},
                       x - 4 * f_,
                       high,
                       title_y - 1.5 * f_,
                       note_,
                       laid.is_second});
}

// A colour bar right of a title, where there is room for it.
void DiagramComposer::place_bar(const LaidBlock& laid, double title_y, double title_width) {
  const DiagramBlock& block = laid.block;
  const double low = width_of(block.bar_low, note_);
  const double high = width_of(block.bar_high, note_);
  if (title_width + 30 * f_ + low + high + 16 * f_ > laid.width) return;
  const double high_left = laid.x + laid.width - high;
  const double x = high_left - 34 * f_;
  out_.bars.push_back(
      {block.stage, {x, title_y - 8 * f_, 30 * f_, 7 * f_}, x - 3 * f_, high_left, title_y, note_, laid.is_second});
}

void DiagramComposer::place_column_names(LaidLine& line, LaidBlock& laid, double cell) {
  const double y = line.y0 - 6 * f_;
  const Index step = line.is_turned ? name_step(cell) : 1;
  for (Index column = 0; column < static_cast<Index>(s_.keys.size()); column += step) {
    const std::string& name = s_.keys[static_cast<std::size_t>(column)];
    const double middle = laid.x + (as_double(column) + 0.5) * cell;
    const TextInk ink = laid.is_hero() ? TextInk::text : TextInk::quiet;
    PlacedText* text = nullptr;
    if (line.is_turned) {
      text = &add_text(middle + label_ * to_middle, y, shortened(name, 80 * f_, label_, Face::text), label_, Face::text,
                       ink);
      text->is_turned = true;
      text->box = box_of(*text, measure_);
    } else {
      text = &add_text(middle, y, shortened(name, cell - 2, line.name_size, Face::text), line.name_size, Face::text,
                       ink, 0.5);
    }
    text->kind = PlacedText::Kind::column_name;
    text->result = laid.block.stage;
    text->index = column;
    text->is_of_key = true;
    text->is_faint = laid.is_faint;
  }
}

void DiagramComposer::place_operand(std::size_t index, LaidBlock& laid) {
  LaidLine& line = lines_[index];
  const BlockOperand& operand = *laid.block.above;
  double row = operand_row(laid);
  const LaidBlock& first = hero();
  if (!c_.focus) {
    const double area = hero_line().t * as_double(first.block.columns.of_head) * hero_line().height();
    row = std::min(row, 0.9 * area / (laid.width * as_double(operand.rows)));
  }
  const bool is_on_spine = wrap_ == DiagramWrap::two_lines || wrap_ == DiagramWrap::compared;
  const bool is_values = has_values_above(laid.block);
  if (is_values && is_on_spine) row = std::max(row, lane_needs(line) / as_double(operand.rows));
  const double height = as_double(operand.rows) * row;
  const double top = laid.head_top - 4 * f_ - height;
  const bool is_pattern = operand.kind == OperandKind::pattern;
  const auto finish = [&](PlacedMatrix& matrix, PlacedRole role) {
    matrix.role = role;
    matrix.kind = BlockKind::feature;
    matrix.is_on_spine = false;
    matrix.is_pattern = is_pattern;
    matrix.is_transposed = operand.is_transposed && role == PlacedRole::above;
    matrix.is_thumb = false;
    matrix.widest = operand.widest;
    matrix.text = is_pattern ? 0 : std::min(number_size(matrix.cell_width(), row, operand.widest), number_ * 1.3);
  };
  const bool is_square = operand.kind != OperandKind::feature || laid.is_square();
  const double unit = column_unit(line, laid);
  LaidBlock square = laid;
  square.block.kind = is_square ? BlockKind::square : BlockKind::feature;
  const int line_number = static_cast<int>(index);
  const Index rows = operand.rows - (operand.bias ? 1 : 0);
  laid.operand = static_cast<int>(out_.matrices.size());
  finish(
      add_matrix(square, operand.stage, laid.x, top, row, rows, operand.columns, unit, laid.other_share, line_number),
      PlacedRole::above);
  if (operand.bias)
    finish(add_matrix(square, *operand.bias, laid.x, top + as_double(rows) * row, row, 1, operand.columns, unit,
                      laid.other_share, line_number),
           PlacedRole::bias);
  laid.caption_top = top - 5 * f_ - note_;
  const bool is_turned = operand.kind == OperandKind::transposed;
  const std::string& last = operand.captions.back();
  double room = is_turned ? laid.width / 2 - 8 * f_ : std::max(laid.width, width_of(last, note_));
  if (operand.kind == OperandKind::feature) room = std::max(room, span(line, laid) + 8 * f_);
  const auto fitting =
      std::ranges::find_if(operand.captions, [&](const std::string& each) { return width_of(each, note_) <= room; });
  if (fitting == operand.captions.end() && is_turned) return;
  add_caption(laid, operand.stage, top - 5 * f_, fitting == operand.captions.end() ? last : *fitting, note_, Face::text,
              TextInk::quiet);
}

void DiagramComposer::place_arrow_into(std::size_t index, LaidBlock& laid, double before) {
  const LaidLine& line = lines_[index];
  const DiagramBlock& block = laid.block;
  const double start = before + 4 * f_;
  const double end = laid.x - (block.stage == Stage::queries && !block.is_copy ? 10 : 5) * f_;
  std::optional<Stage> from;
  for (const LaidBlock& each : line.blocks) {
    if (&each == &laid) break;
    if (!each.is_ghost) from = each.block.stage;
  }
  const int arrow = add_arrow(from, block.stage, {{start, line.middle()}, {end, line.middle()}});
  out_.arrows.back().text = block.sign;
  out_.arrows.back().is_second = laid.is_second;
  const double middle = (start + end) / 2;
  if (!block.sign.empty()) {
    const std::size_t before_it = out_.texts.size();
    PlacedText& sign = add_text(middle, line.middle() - 7 * f_, block.sign,
                                block.sign.size() < 4 ? title_text_ : label_, Face::bold, TextInk::text, 0.5);
    for (std::size_t i = 0; i < before_it; ++i) {  // a low line has its titles beside its middle
      const Box& words = out_.texts[i].box;
      if (!overlap(sign.box, words, -2)) continue;
      sign.x = words.right() + 3 + sign.box.width / 2;
      sign.box = box_of(sign, measure_);
    }
    sign.arrow = arrow;
    sign.stage = sign.result = block.stage;
    const Box placed = sign.box;
    const auto is_met = [&](const PlacedText& words) { return overlap(placed, words.box); };
    const auto last = out_.texts.begin() + static_cast<std::ptrdiff_t>(before_it);
    if (std::any_of(out_.texts.begin(), last, is_met)) out_.texts.pop_back();  // there is no room for it
  }
  const bool is_compared = wrap_ == DiagramWrap::compared;
  if (!block.note.empty() && (!is_compared || width_of(block.note, note_) + 12 * f_ <= end - start)) {
    const double lowest = c_.box.bottom() - downward * note_;
    PlacedText& note = add_text(middle, std::min(line.middle() + note_ + 5 * f_, lowest), block.note, note_, Face::text,
                                TextInk::quiet, 0.5);
    note.arrow = arrow;
    note.stage = block.passed.empty() || is_compared ? block.stage : block.passed.front();  // a kept one is not changed
    note.result = block.stage;
  }
}

void DiagramComposer::place_stripes() {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const LaidLine& line = lines_[i];
    if (line.rows() < 2 || line.h < least_striped_row) continue;
    double left = left_ - 6 * f_;
    if (wrap_ == DiagramWrap::compared && i > 0)
      left = std::ranges::find_if(line.blocks, &LaidBlock::is_hero)->x - pad_ - 70 * f_;
    const double right = std::min(line.x_end + 6 * f_, right_);
    const Index rows = s_.row_count();
    const auto own = [](const LaidBlock& laid) { return laid.block.has_own_rows; };
    const auto first = std::ranges::find_if(line.blocks, own);
    if (first != line.blocks.end()) {
      if (first != line.blocks.begin())
        out_.stripes.push_back({left, first->x - key_names_ - 6 * f_, line.y0, line.h, rows, line.result()});
      const auto last = std::find_if(line.blocks.rbegin(), line.blocks.rend(), own);
      left = last->right + 30 * f_;
    }
    out_.stripes.push_back({left, right, line.y0, line.h, rows, line.result()});
  }
}

// Presenting: texts beside what stands aside are faint, too.
void DiagramComposer::fade() {
  for (const LaidLine& line : lines_) {
    if (line.is_focused) continue;
    for (PlacedText& text : out_.texts) {
      if (text.y >= line.top && text.y <= line.end) text.is_faint = true;
    }
  }
}

}  // namespace attnscope::scene
