// A moment of a film as a picture: where its actors are, how large, how pale.

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"
#include "teach/film.h"

namespace attnscope {
namespace {

constexpr double film_margin = 36;
constexpr double strip_gap = 8;       // between the parts of two scenes
constexpr double tallest_page = 720;  // a canvas that is higher than wide gives the page more room
constexpr double unseen = 0.02;       // what is paler is not drawn
constexpr double digits_middle = 0.36;
constexpr double raised_size = 0.74;
constexpr double note_begin = 0.7;  // moments in which the note appears
constexpr double note_end = 0.85;
constexpr double faded = 0.6;  // of a landing: everything but the number is gone

// The page on a canvas.
struct FilmPage {
  double scale = 1;
  double x = 0;
  double y = 0;
  double height = film_height;  // in units of the page

  double shift() const { return 0.45 * (height - film_height); }  // of everything between caption and strip
  double left(double at) const { return x + scale * at; }
  double top(double at) const { return y + scale * at; }
  Box box(const Box& of) const { return {left(of.x), top(of.y), scale * of.width, scale * of.height}; }
  Box moving_box(const Box& of) const { return box({of.x, of.y + shift(), of.width, of.height}); }
};

FilmPage page_on(const FilmCanvas& canvas) {
  FilmPage page;
  page.scale = std::min(canvas.box.width / film_width, canvas.box.height / film_height);
  page.height = std::clamp(canvas.box.height / page.scale, film_height, tallest_page);
  page.x = canvas.box.x + (canvas.box.width - page.scale * film_width) / 2;
  page.y = canvas.box.y + (canvas.box.height - page.scale * page.height) / 2;
  return page;
}

double eased(double share) { return share * share * (3 - 2 * share); }

// An actor at a moment, on the canvas.
struct PlacedActor {
  const FilmActor* actor = nullptr;
  Box box;
  double opacity = 1;
  double scale = 1;  // of its words, from their sizes on the page
};

// Returns the place of a key: in the diagram, if it begins there. Without a diagram the actor fades at the next place.
struct KeyPlace {
  Box box;
  double opacity = 1;
};
KeyPlace place_of_key(const FilmActor& actor, std::size_t at, const FilmPage& page, const FilmCanvas& canvas) {
  const FilmKey& key = actor.keys[at];
  if (!key.is_origin) return {page.moving_box(key.box), key.opacity};
  if (canvas.origin && actor.source) {
    if (const std::optional<Box> box = canvas.origin(*actor.source)) return {*box, key.opacity};
  }
  return {page.moving_box(key.box), 0};
}

PlacedActor actor_at(const FilmActor& actor, double t, const FilmPage& page, const FilmCanvas& canvas) {
  std::size_t next = 0;
  while (next < actor.keys.size() && actor.keys[next].at <= t) ++next;
  KeyPlace now = place_of_key(actor, next == 0 ? 0 : next - 1, page, canvas);
  if (next > 0 && next < actor.keys.size()) {
    const KeyPlace then = place_of_key(actor, next, page, canvas);
    const double begin = actor.keys[next - 1].at;
    const double share = eased((t - begin) / (actor.keys[next].at - begin));
    const auto between = [&](double from, double to) { return from + share * (to - from); };
    now = {{between(now.box.x, then.box.x), between(now.box.y, then.box.y), between(now.box.width, then.box.width),
            between(now.box.height, then.box.height)},
           between(now.opacity, then.opacity)};
  }
  const double scale = std::min(now.box.width / actor.home.width, now.box.height / actor.home.height);
  return {&actor, now.box, now.opacity, scale};
}

bool is_opaque(FilmGround::Kind kind) {
  return kind != FilmGround::Kind::none && kind != FilmGround::Kind::arrow && kind != FilmGround::Kind::frame;
}

Box inner(const Box& box, double by) {
  return {box.x + by, box.y + by, std::max(0.0, box.width - 2 * by), std::max(0.0, box.height - 2 * by)};
}

bool do_overlap(const Box& a, const Box& b) {
  constexpr double touching = 0.5;
  return std::min(a.right(), b.right()) - std::max(a.x, b.x) > touching &&
         std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y) > touching;
}

// Returns whether the face of numbers has all letters of a text: it has no "÷" and no exponents.
bool has_only_number_letters(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character letter = utf8_character(text, at);
    constexpr std::array<char32_t, 3> signs = {U'×', U'\u2212', U'∞'};
    if (letter.length == 0 || (letter.code > 0x7E && std::ranges::find(signs, letter.code) == signs.end()))
      return false;
    at += letter.length;
  }
  return true;
}

// A line of text, set.
struct SetLine {
  std::vector<picture::Word> words = {};
  Box box = {};
  double opacity = 1;
  std::size_t actor = 0;
};

// Returns the actor that shows a number at the end of a scene; null if none does.
const FilmActor* actor_of(const FilmScene& scene, const Source& cell) {
  const auto found = std::ranges::find_if(scene.actors, [&](const FilmActor& actor) {
    return actor.source == cell && !actor.words.empty() && actor.keys.back().opacity == 1;
  });
  return found == scene.actors.end() ? nullptr : &*found;
}

class FramePainter {
public:
  // `presence` is the opacity of the film as a whole.
  explicit FramePainter(const FilmCanvas& canvas, double presence = 1)
      : canvas_(canvas), page_(page_on(canvas)), inks_(canvas.theme->inks) {
    if (presence > 0) picture_.add(picture::Fill{canvas.box, {canvas.paper, presence}});
  }

  void heading(const FilmScene& scene, double t) {
    const double room = page_.scale * (film_width - 2 * film_margin);
    plain(scene.title, 26, picture::Face::bold, inks_.text, film_margin, 52, room - put_mark());
    plain(scene.caption, 16, picture::Face::text, inks_.dim_text, film_margin, 52 + pitch(28, 16), room);
    const double opacity = eased(std::clamp((t - note_begin) / (note_end - note_begin), 0.0, 1.0));
    if (scene.note.empty() || opacity < unseen) return;
    const double size = size_of(16);
    double y = scene.note_top + page_.shift();
    for (std::string& line : picture::wrapped(scene.note, room, size, picture::Face::text, canvas_.measure)) {
      put({.text = std::move(line),
           .x = page_.left(film_margin),
           .y = page_.top(y),
           .size = size,
           .ink = {inks_.dim_text, opacity}});
      y += pitch(22, 16);
    }
  }

  void actors(const FilmScene& scene, double t) {
    std::vector<PlacedActor> placed;
    for (const FilmActor& actor : scene.actors) {
      const PlacedActor at = actor_at(actor, t, page_, canvas_);
      if (at.opacity >= unseen) placed.push_back(at);
    }
    std::vector<SetLine> lines;
    for (std::size_t i = 0; i < placed.size(); ++i) {
      for (const FilmWord& word : placed[i].actor->words) lines.push_back(set(word, placed[i], i));
    }
    leave_out_covered(lines, placed);
    for (std::size_t i = 0; i < placed.size(); ++i) {
      put_ground(placed[i]);
      for (const SetLine& line : lines) {
        if (line.actor != i) continue;
        for (const picture::Word& word : line.words) put(word);
      }
    }
  }

  void strip(const Film& film, std::size_t scene, double t) {
    const double size = size_of(12);
    for (std::size_t i = 0; i < film.scenes.size(); ++i) {
      const Box part = page_.box(strip_part(film.scenes.size(), i));
      const double radius = 2 * page_.scale;
      picture_.add(picture::Fill{part, {inks_.border}, radius});
      const double passed = i < scene ? 1 : i == scene ? t : 0;
      if (passed > 0)
        picture_.add(picture::Fill{{part.x, part.y, passed * part.width, part.height}, {inks_.accent}, radius});
      const picture::Face face = i == scene ? picture::Face::bold : picture::Face::text;
      put({.text = picture::shortened(film.scenes[i].name, part.width, size, face, canvas_.measure),
           .x = part.middle_x(),
           .y = page_.top(page_.height - 25) + 0.95 * size,
           .size = size,
           .face = face,
           .ink = {i == scene ? inks_.accent : inks_.dim_text},
           .anchor = 0.5});
    }
  }

  picture::Picture take() { return std::move(picture_); }

  // Returns the part of a scene on the page: a line above its name.
  Box strip_part(std::size_t scenes, std::size_t scene) const {
    const auto count = static_cast<double>(scenes);
    const double width = (film_width - 2 * film_margin - (count - 1) * strip_gap) / count;
    return {film_margin + static_cast<double>(scene) * (width + strip_gap), page_.height - 32, width, 5};
  }

private:
  // Returns the distance of a line from the one above it, on the page: more where its letters are as small as they may
  // be.
  double pitch(double usual, double size) const { return std::max(usual, 1.35 * size_of(size) / page_.scale); }
  double size_of(double size) const { return std::max(page_.scale * size, canvas_.least_text); }
  void put(picture::Word word) { picture_.add(std::move(word)); }

  // Returns the width that the mark takes from the title, with a gap.
  double put_mark() {
    if (canvas_.mark.empty()) return 0;
    constexpr double gap = 24;
    const double size = size_of(14);
    put({.text = canvas_.mark,
         .x = page_.left(film_width - film_margin),
         .y = page_.top(52),
         .size = size,
         .ink = {inks_.warning},
         .anchor = 1});
    return canvas_.measure(canvas_.mark, size, picture::Face::text) + page_.scale * gap;
  }

  void plain(const std::string& text, double size, picture::Face face, Rgb ink, double x, double y, double room) {
    const double fitting = size_of(size);
    put({.text = picture::shortened(text, room, fitting, face, canvas_.measure),
         .x = page_.left(x),
         .y = page_.top(y),
         .size = fitting,
         .face = face,
         .ink = {ink}});
  }

  Rgb colour_of_ground(const FilmGround& ground) const {
    const bool is_dark = canvas_.theme->is_dark;
    switch (ground.kind) {
      case FilmGround::Kind::signed_number:
        return colour_of(is_dark ? Colormap::diverging_dark : Colormap::diverging, ground.value, -ground.bound,
                         ground.bound);
      case FilmGround::Kind::share:
      case FilmGround::Kind::bar:
        return colour_of(Colormap::viridis, ground.value, 0, ground.bound);
      case FilmGround::Kind::factor:
        return colour_of(is_dark ? Colormap::kept_dark : Colormap::kept, ground.value, 0, ground.bound);
      case FilmGround::Kind::hidden:
        return grey(canvas_.theme->greys.hidden);
      case FilmGround::Kind::dropped:
        return grey(canvas_.theme->greys.gap);
      case FilmGround::Kind::odd:
        return grey(canvas_.theme->greys.paper);
      case FilmGround::Kind::block:
        return inks_.control;
      case FilmGround::Kind::none:
      case FilmGround::Kind::arrow:
      case FilmGround::Kind::frame:
        break;
    }
    return canvas_.paper;
  }

  Rgb ink_of(FilmInk ink, const PlacedActor& at) const {
    const bool is_dark = canvas_.theme->is_dark;
    switch (ink) {
      case FilmInk::text:
        return inks_.text;
      case FilmInk::dim:
        return inks_.dim_text;
      case FilmInk::pinned:
        return inks_.cross_hair;
      case FilmInk::accent:
        return inks_.accent;
      case FilmInk::query:
        return operand_rgb(OperandSide::query, is_dark);
      case FilmInk::key:
        return operand_rgb(OperandSide::key, is_dark);
      case FilmInk::value:
        return operand_rgb(OperandSide::value, is_dark);
      case FilmInk::on_ground:
        break;
    }
    const FilmGround& ground = at.actor->ground;
    if (ground.kind == FilmGround::Kind::hidden || ground.kind == FilmGround::Kind::dropped) return inks_.dim_text;
    return ink_on(mix(canvas_.paper, colour_of_ground(ground), at.opacity));
  }

  void put_ground(const PlacedActor& at) {
    const FilmGround& ground = at.actor->ground;
    const Box cell = inner(at.box, std::min(1.0, 0.1 * std::min(at.box.width, at.box.height)));
    if (ground.kind == FilmGround::Kind::arrow) return put_arrow(at);
    if (ground.kind == FilmGround::Kind::hidden) {
      picture_.add(picture::Hatch{cell});
      if (at.opacity < 1) picture_.add(picture::Fill{cell, {canvas_.paper, 1 - at.opacity}});
    } else if (is_opaque(ground.kind)) {
      picture_.add(picture::Fill{cell, {colour_of_ground(ground), at.opacity}});
    }
    if (ground.kind == FilmGround::Kind::dropped) put_cross(cell, at.opacity);
    if (ground.outline) {
      picture_.add(
          picture::Outline{inner(cell, page_.scale), {ink_of(*ground.outline, at), at.opacity}, 2 * page_.scale});
    } else if (ground.kind == FilmGround::Kind::block || ground.kind == FilmGround::Kind::dropped ||
               canvas_.theme->has_frames) {
      if (is_opaque(ground.kind)) picture_.add(picture::Outline{cell, {inks_.border, at.opacity}});
    }
  }

  // Crosses out the corners, so that the digits between them stay legible.
  void put_cross(const Box& box, double opacity) {
    const double reach = 0.2 * box.height;
    for (const double x : {box.x, box.right()}) {
      for (const double y : {box.y, box.bottom()}) {
        const double towards_x = x == box.x ? reach : -reach;
        const double towards_y = y == box.y ? reach : -reach;
        picture_.add(picture::Stroke{.points = {{x, y}, {x + towards_x, y + towards_y}},
                                     .ink = {inks_.dim_text, opacity},
                                     .thickness = 1.5 * page_.scale});
      }
    }
  }

  void put_arrow(const PlacedActor& at) {
    const Box& box = at.box;
    const bool is_down = box.height > box.width;
    const picture::Point begin =
        is_down ? picture::Point{box.middle_x(), box.y} : picture::Point{box.x, box.middle_y()};
    const picture::Point end =
        is_down ? picture::Point{box.middle_x(), box.bottom()} : picture::Point{box.right(), box.middle_y()};
    picture_.add(picture::Stroke{.points = {begin, end},
                                 .ink = {inks_.dim_text, at.opacity},
                                 .thickness = 1.5 * page_.scale,
                                 .head = 11 * page_.scale});
  }

  picture::Face face_of(const FilmRun& run) const {
    if (run.is_bold) return picture::Face::bold;
    return run.is_number && has_only_number_letters(run.text) ? picture::Face::number : picture::Face::text;
  }
  double size_of_run(const FilmRun& run, double size) const {
    return run.is_raised ? std::max(raised_size * size, canvas_.least_text) : size;
  }
  // Measures at one size, whose lengths are kept by those who measure: moving words have another size in each frame.
  double length_of(std::string_view text, double size, picture::Face face) const {
    constexpr double measured = 24;
    if (canvas_.has_stepped_letters) return canvas_.measure(text, size, face);
    return size / measured * canvas_.measure(text, measured, face);
  }
  double width_of(const FilmWord& word, double size) const {
    double width = 0;
    for (const FilmRun& run : word.runs) width += length_of(run.text, size_of_run(run, size), face_of(run));
    return width;
  }

  // Returns a line without words if its numbers have no room.
  SetLine set(const FilmWord& word, const PlacedActor& at, std::size_t actor) const {
    double size = std::max(at.scale * word.size, canvas_.least_text);
    const double room = word.room > 0 ? at.scale * word.room : 0;
    double width = width_of(word, size);
    constexpr double touching = 0.01;
    // Letters that come in steps may have to get smaller more than once.
    while (room > 0 && width > room + touching && size > canvas_.least_text) {
      size = std::max(canvas_.least_text, size * std::min(room / width, 0.999));
      width = width_of(word, size);
    }
    double excess = room > 0 ? width - room : 0;
    width = std::min(width, room > 0 ? std::max(room, 0.0) : width);
    SetLine line{.opacity = at.opacity, .actor = actor};
    double x = at.box.x + word.across * at.box.width + at.scale * word.dx - word.anchor * width;
    const double middle = at.box.y + word.down * at.box.height + at.scale * word.dy;
    for (const FilmRun& run : word.runs) {
      const double em = size_of_run(run, size);
      std::string text = run.text;
      double length = length_of(text, em, face_of(run));
      const bool is_longest = &run == &longest(word);
      if (excess > touching && is_longest && (run.is_number || run.is_raised))
        return {};  // a cut number is another one
      if (excess > touching && is_longest) {
        text = picture::shortened(text, std::max(0.0, length - excess), em, face_of(run), canvas_.measure);
        excess = 0;
        length = length_of(text, em, face_of(run));
      }
      picture::Word set{
          .text = std::move(text),
          .x = x,
          .y = middle + digits_middle * size - (run.is_raised ? 0.38 * size : 0),
          .size = em,
          .face = face_of(run),
          .ink = {ink_of(run.ink, at), at.opacity},
          .is_on_hatch = at.actor->ground.kind == FilmGround::Kind::hidden && run.ink == FilmInk::on_ground};
      const Box box = picture::box_of(set, [&](std::string_view, double, picture::Face) { return length; });
      x += length;
      line.box = line.words.empty() ? box : united(line.box, box);
      line.words.push_back(std::move(set));
    }
    return line;
  }
  static const FilmRun& longest(const FilmWord& word) {
    return *std::ranges::max_element(word.runs, {}, [](const FilmRun& run) { return run.text.size(); });
  }

  // Leaves out lines that another actor covers, and the paler one of two that would overlap while they move.
  void leave_out_covered(std::vector<SetLine>& lines, const std::vector<PlacedActor>& placed) const {
    std::vector<const SetLine*> kept;
    std::vector<SetLine*> order;
    for (SetLine& line : lines) order.push_back(&line);
    std::ranges::stable_sort(order, std::greater(), &SetLine::opacity);
    for (SetLine* const line : order) {
      const bool is_inside = united(canvas_.box, line->box) == canvas_.box;
      bool is_free = is_inside && std::ranges::none_of(
                                      kept, [&](const SetLine* other) { return do_overlap(line->box, other->box); });
      for (std::size_t i = line->actor + 1; is_free && i < placed.size(); ++i) {
        const bool covers = is_opaque(placed[i].actor->ground.kind) && placed[i].opacity > 0.3;
        is_free = !(covers && do_overlap(line->box, placed[i].box));
      }
      if (is_free) {
        kept.push_back(line);
      } else {
        line->words.clear();
      }
    }
  }

  const FilmCanvas& canvas_;
  FilmPage page_;
  const ThemeInks& inks_;
  picture::Picture picture_;
};

}  // namespace

picture::Picture landing_of(const Film& film, std::size_t scene, double t, const FilmCanvas& canvas) {
  t = std::clamp(t, 0.0, 1.0);
  FramePainter painter(canvas, std::max(0.0, 1 - t / faded));
  if (film.scenes.empty()) return painter.take();
  FilmScene leaving = film.scenes[std::min(scene, film.scenes.size() - 1)];
  std::optional<FilmActor> own;
  if (const FilmActor* const shown = actor_of(leaving, film.cell)) own = *shown;
  for (FilmActor& actor : leaving.actors) {
    FilmKey last = actor.keys.back();
    last.at = 0;
    actor.keys = {last, {.at = faded, .box = last.box, .opacity = 0}};
  }
  if (own) {
    own->source = film.cell;
    own->words.resize(1);  // the number, without its names
    own->keys = {own->keys.back(), {.at = 1, .box = own->home, .opacity = 1, .is_origin = true}};
    own->keys.front().at = 0;
    leaving.actors.push_back(std::move(*own));
  }
  painter.actors(leaving, t);
  return painter.take();
}

picture::Picture frame_of(const Film& film, std::size_t scene, double t, const FilmCanvas& canvas) {
  FramePainter painter(canvas);
  if (film.scenes.empty()) return painter.take();
  scene = std::min(scene, film.scenes.size() - 1);
  t = std::clamp(t, 0.0, 1.0);
  painter.heading(film.scenes[scene], t);
  painter.actors(film.scenes[scene], t);
  painter.strip(film, scene, t);
  return painter.take();
}

Box strip_of(const FilmCanvas& canvas) {
  const FilmPage page = page_on(canvas);
  return page.box({film_margin, page.height - 40, film_width - 2 * film_margin, 40});
}

std::optional<FilmMoment> moment_at(const Film& film, const FilmCanvas& canvas, double x, double y) {
  const Box strip = strip_of(canvas);
  if (film.scenes.empty() || !strip.contains(x, y)) return {};
  const auto count = static_cast<double>(film.scenes.size());
  const double scale = strip.width / (film_width - 2 * film_margin);
  const double part = (strip.width - (count - 1) * strip_gap * scale) / count;
  const double step = part + strip_gap * scale;
  const auto scene = std::min(film.scenes.size() - 1, static_cast<std::size_t>((x - strip.x) / step));
  const double begin = strip.x + static_cast<double>(scene) * step;
  return FilmMoment{scene, std::clamp((x - begin) / part, 0.0, 1.0)};
}

}  // namespace attnscope
