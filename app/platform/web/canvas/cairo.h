#pragma once

// The part of Cairo that figures are drawn with, for a page: page_figures.cpp draws it on canvases of the browser.
typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;
typedef struct _cairo cairo_pattern_t;

enum cairo_status_t { CAIRO_STATUS_SUCCESS, CAIRO_STATUS_NO_MEMORY };
enum cairo_format_t { CAIRO_FORMAT_ARGB32 };
enum cairo_filter_t { CAIRO_FILTER_NEAREST };

cairo_surface_t* cairo_image_surface_create(cairo_format_t format, int width, int height);
void cairo_surface_destroy(cairo_surface_t* surface);
cairo_status_t cairo_surface_status(cairo_surface_t* surface);
void cairo_surface_flush(cairo_surface_t* surface);
void cairo_surface_mark_dirty(cairo_surface_t* surface);
unsigned char* cairo_image_surface_get_data(cairo_surface_t* surface);
int cairo_image_surface_get_width(cairo_surface_t* surface);
int cairo_image_surface_get_height(cairo_surface_t* surface);
int cairo_image_surface_get_stride(cairo_surface_t* surface);

cairo_t* cairo_create(cairo_surface_t* surface);
void cairo_destroy(cairo_t* cairo);
cairo_status_t cairo_status(cairo_t* cairo);
const char* cairo_status_to_string(cairo_status_t status);
void cairo_save(cairo_t* cairo);
void cairo_restore(cairo_t* cairo);
void cairo_scale(cairo_t* cairo, double x, double y);
void cairo_translate(cairo_t* cairo, double x, double y);
void cairo_rotate(cairo_t* cairo, double angle);
struct cairo_matrix_t {
  double xx, yx, xy, yy, x0, y0;
};
void cairo_transform(cairo_t* cairo, const cairo_matrix_t* matrix);
void cairo_set_source_rgba(cairo_t* cairo, double red, double green, double blue, double alpha);
void cairo_set_source_surface(cairo_t* cairo, cairo_surface_t* surface, double x, double y);
cairo_pattern_t* cairo_get_source(cairo_t* cairo);
void cairo_pattern_set_filter(cairo_pattern_t* pattern, cairo_filter_t filter);
void cairo_set_line_width(cairo_t* cairo, double width);
void cairo_new_path(cairo_t* cairo);
void cairo_new_sub_path(cairo_t* cairo);
void cairo_close_path(cairo_t* cairo);
void cairo_move_to(cairo_t* cairo, double x, double y);
void cairo_line_to(cairo_t* cairo, double x, double y);
void cairo_curve_to(cairo_t* cairo, double x1, double y1, double x2, double y2, double x3, double y3);
void cairo_arc(cairo_t* cairo, double x, double y, double radius, double first, double last);
void cairo_rectangle(cairo_t* cairo, double x, double y, double width, double height);
void cairo_fill(cairo_t* cairo);
void cairo_stroke(cairo_t* cairo);
void cairo_clip(cairo_t* cairo);
void cairo_paint(cairo_t* cairo);
