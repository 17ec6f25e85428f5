#include <cairo.h>
#include <emscripten.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "paint/file/figure_page.h"

// Figures as pictures of a page's canvases; their texts in the browser's fonts. page.js keeps the canvases by numbers.
struct _cairo_surface {
  int width = 0;
  int height = 0;
  std::vector<std::uint32_t> pixels;  // colours times alpha; empty until somebody asks for them
  int canvas = 0;
};

struct _cairo {
  cairo_surface_t* target = nullptr;
  cairo_surface_t* source = nullptr;  // null: a colour
};

namespace {

// The drawing context of a canvas, within JavaScript.
EM_JS(int, canvas_make, (int width, int height), { return attnscopePage.makeCanvas(width, height); });
EM_JS_DEPS(page_figures, "$stringToNewUTF8");
EM_JS(int, svg_make, (double width, double height), { return attnscopePage.makeSvg(width, height); });
EM_JS(char*, svg_text, (int canvas, const char* title),
      { return stringToNewUTF8(attnscopePage.canvases.get(canvas).text(UTF8ToString(title))); });
EM_JS(void, canvas_free, (int canvas), { attnscopePage.canvases.delete(canvas); });
EM_JS(void, canvas_read, (int canvas, std::uint32_t* to), { attnscopePage.readCanvas(canvas, HEAPU32, to / 4); });
EM_JS(void, canvas_write, (int canvas, const std::uint32_t* from),
      { attnscopePage.writeCanvas(canvas, HEAPU32, from / 4); });
// `what` is a function of the context; what it has drawn is no part of the next path.
EM_JS(void, canvas_call, (int canvas, const char* what, double a, double b, double c, double d, double e, double f),
      { attnscopePage.canvases.get(canvas)[UTF8ToString(what)](a, b, c, d, e, f); });
EM_JS(void, canvas_finish_path, (int canvas, const char* what), {
  const context = attnscopePage.canvases.get(canvas);
  context[UTF8ToString(what)]();
  context.beginPath();
});
EM_JS(void, canvas_ink, (int canvas, double red, double green, double blue, double alpha), {
  const context = attnscopePage.canvases.get(canvas);
  context.fillStyle = context.strokeStyle = attnscopePage.ink(red, green, blue, alpha);
});
EM_JS(void, canvas_line_width, (int canvas, double width), { attnscopePage.canvases.get(canvas).lineWidth = width; });
EM_JS(void, canvas_paint, (int canvas, int source), {
  const context = attnscopePage.canvases.get(canvas);
  if (source) {
    context.imageSmoothingEnabled = false;
    context.drawImage(attnscopePage.canvases.get(source).canvas, 0, 0);
    return;
  }
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillRect(0, 0, context.canvas.width, context.canvas.height);
  context.restore();
});
EM_JS(void, canvas_text, (int canvas, const char* text, unsigned size, double em, bool is_bold, double x, double y), {
  const context = attnscopePage.canvases.get(canvas);
  context.font = attnscopePage.font(em, is_bold);
  context.fillText(UTF8ToString(text, size), x, y);
});
EM_JS(void, canvas_measure, (const char* text, unsigned size, double em, bool is_bold, double* to), {
  const context = attnscopePage.measuring();
  context.font = attnscopePage.font(em, is_bold);
  const measured = context.measureText(UTF8ToString(text, size));
  HEAPF64.set([ measured.width, measured.actualBoundingBoxAscent, measured.actualBoundingBoxDescent ], to / 8);
});

void call(cairo_t* cairo, const char* what, double a = 0, double b = 0, double c = 0, double d = 0, double e = 0,
          double f = 0) {
  canvas_call(cairo->target->canvas, what, a, b, c, d, e, f);
}

}  // namespace

cairo_surface_t* cairo_image_surface_create(cairo_format_t, int width, int height) {
  return new cairo_surface_t{width, height, {}, canvas_make(width, height)};
}
void cairo_surface_destroy(cairo_surface_t* surface) {
  if (surface) canvas_free(surface->canvas);
  delete surface;
}
cairo_status_t cairo_surface_status(cairo_surface_t* surface) {
  return surface->canvas > 0 ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_NO_MEMORY;
}
void cairo_surface_flush(cairo_surface_t* surface) {
  cairo_image_surface_get_data(surface);
  canvas_read(surface->canvas, surface->pixels.data());
}
void cairo_surface_mark_dirty(cairo_surface_t* surface) { canvas_write(surface->canvas, surface->pixels.data()); }
unsigned char* cairo_image_surface_get_data(cairo_surface_t* surface) {
  surface->pixels.resize(static_cast<std::size_t>(surface->width) * static_cast<std::size_t>(surface->height));
  return reinterpret_cast<unsigned char*>(surface->pixels.data());
}
int cairo_image_surface_get_width(cairo_surface_t* surface) { return surface->width; }
int cairo_image_surface_get_height(cairo_surface_t* surface) { return surface->height; }
int cairo_image_surface_get_stride(cairo_surface_t* surface) { return 4 * surface->width; }

cairo_t* cairo_create(cairo_surface_t* surface) { return new cairo_t{surface}; }
void cairo_destroy(cairo_t* cairo) { delete cairo; }
cairo_status_t cairo_status(cairo_t* cairo) { return cairo_surface_status(cairo->target); }
const char* cairo_status_to_string(cairo_status_t) { return "the browser has no memory for it"; }
void cairo_save(cairo_t* cairo) { call(cairo, "save"); }
void cairo_restore(cairo_t* cairo) { call(cairo, "restore"); }
void cairo_scale(cairo_t* cairo, double x, double y) { call(cairo, "scale", x, y); }
void cairo_translate(cairo_t* cairo, double x, double y) { call(cairo, "translate", x, y); }
void cairo_rotate(cairo_t* cairo, double angle) { call(cairo, "rotate", angle); }
void cairo_transform(cairo_t* cairo, const cairo_matrix_t* by) {
  call(cairo, "transform", by->xx, by->yx, by->xy, by->yy, by->x0, by->y0);
}
void cairo_set_source_rgba(cairo_t* cairo, double red, double green, double blue, double alpha) {
  cairo->source = nullptr;
  canvas_ink(cairo->target->canvas, red, green, blue, alpha);
}
void cairo_set_source_surface(cairo_t* cairo, cairo_surface_t* surface, double, double) { cairo->source = surface; }
cairo_pattern_t* cairo_get_source(cairo_t* cairo) { return cairo; }
void cairo_pattern_set_filter(cairo_pattern_t*, cairo_filter_t) {}
void cairo_set_line_width(cairo_t* cairo, double width) { canvas_line_width(cairo->target->canvas, width); }
void cairo_new_path(cairo_t* cairo) { call(cairo, "beginPath"); }
void cairo_new_sub_path(cairo_t*) {}  // an arc that follows would be joined; its callers begin with one
void cairo_close_path(cairo_t* cairo) { call(cairo, "closePath"); }
void cairo_move_to(cairo_t* cairo, double x, double y) { call(cairo, "moveTo", x, y); }
void cairo_line_to(cairo_t* cairo, double x, double y) { call(cairo, "lineTo", x, y); }
void cairo_curve_to(cairo_t* cairo, double x1, double y1, double x2, double y2, double x3, double y3) {
  call(cairo, "bezierCurveTo", x1, y1, x2, y2, x3, y3);
}
void cairo_arc(cairo_t* cairo, double x, double y, double radius, double first, double last) {
  call(cairo, "arc", x, y, radius, first, last);
}
void cairo_rectangle(cairo_t* cairo, double x, double y, double width, double height) {
  call(cairo, "rect", x, y, width, height);
}
void cairo_fill(cairo_t* cairo) { canvas_finish_path(cairo->target->canvas, "fill"); }
void cairo_stroke(cairo_t* cairo) { canvas_finish_path(cairo->target->canvas, "stroke"); }
void cairo_clip(cairo_t* cairo) { canvas_finish_path(cairo->target->canvas, "clip"); }
void cairo_paint(cairo_t* cairo) { canvas_paint(cairo->target->canvas, cairo->source ? cairo->source->canvas : 0); }

namespace attnscope {

TextShaper::TextShaper() = default;

TextSize TextShaper::measure(std::string_view text, const TextStyle& style) const {
  const auto [at, is_new] = measured_.try_emplace({std::string(text), style.size, style.is_bold});
  if (!is_new) return at->second;
  double measured[3] = {};
  canvas_measure(text.data(), text.size(), style.size, style.is_bold, measured);
  return at->second = {measured[0], measured[1], measured[2]};
}

std::string TextShaper::shorten(std::string_view text, const TextStyle& style, double wide) const {
  if (width(text, style) <= wide) return std::string(text);
  std::string kept;
  for (std::size_t i = 0; i < text.size();) {
    i += utf8_character(text, i).length;
    std::string longer = std::string(text.substr(0, i)) + "…";
    if (width(longer, style) > wide) break;
    kept = std::move(longer);
  }
  return kept.empty() ? "…" : kept;
}

// A word that is wider than a line is broken anywhere.
std::vector<std::string> TextShaper::wrap(std::string_view text, const TextStyle& style, double wide) const {
  std::vector<std::string> lines;
  for (const std::string_view paragraph : split(text, '\n')) {
    std::size_t begin = 0;
    std::size_t end = 0;  // of what fits
    const auto put = [&](std::size_t until) {
      const std::string_view line = paragraph.substr(begin, until - begin);
      lines.emplace_back(line.substr(0, line.find_last_not_of(' ') + 1));
      begin = until;
      while (begin < paragraph.size() && paragraph[begin] == ' ') ++begin;
      end = begin;
    };
    while (begin < paragraph.size()) {
      const std::size_t word = std::min(paragraph.find(' ', end + 1), paragraph.size());
      if (width(paragraph.substr(begin, word - begin), style) <= wide) {
        end = word;
        if (end == paragraph.size()) put(end);
      } else if (end > begin) {
        put(end);
      } else {
        std::size_t fitting = begin + utf8_character(paragraph, begin).length;
        while (fitting < word) {
          const std::size_t next = fitting + utf8_character(paragraph, fitting).length;
          if (width(paragraph.substr(begin, next - begin), style) > wide) break;
          fitting = next;
        }
        put(fitting);
      }
    }
  }
  return lines;
}

bool TextShaper::has_every_letter(std::string_view) const { return true; }

void TextShaper::draw(cairo_t* cairo, std::string_view text, const TextStyle& style, double x, double y) const {
  canvas_text(cairo->target->canvas, text.data(), text.size(), style.size, style.is_bold, x, y);
}

std::string render_svg(const Figure& figure, const DrawWatch& watch) {
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      new cairo_surface_t{.canvas = svg_make(figure.width, figure.height)}, cairo_surface_destroy);
  cairo_t cairo{surface.get()};
  draw_figure(&cairo, figure, {.watch = watch});
  char* const text = svg_text(surface->canvas, figure.name.c_str());
  const std::string svg = text;
  std::free(text);
  return svg;
}
std::string render_pdf(const Figure&, const DrawWatch&) { throw Error("A page writes no PDF."); }
std::string render_pdf(std::span<const Figure>, const std::string&, const DrawWatch&) {
  throw Error("A page writes no PDF.");
}

}  // namespace attnscope
