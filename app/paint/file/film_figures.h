#pragma once

#include <stop_token>
#include <vector>

#include "paint/file/figure.h"
#include "paint/file/text_shaper.h"
#include "teach/film.h"

namespace attnscope {

// The film of a number as figures of one size: a figure for each moment.
class FilmFigures {
public:
  // The number is `options.film`. Throws Error if it has no film, or an option is out of bounds; and Cancelled.
  FilmFigures(const Result& result, const RowNames& names, FigureOptions options, const std::stop_token& stop = {});

  const Film& film() const { return film_; }
  Figure figure(const FilmMoment& moment) const;
  Figure key_frame(std::size_t scene) const { return figure({scene, 1}); }

  // Returns the moments of all frames at this rate. Each scene ends with its key frame, and the last one stays a while.
  std::vector<FilmMoment> moments(double frames_per_second) const;

private:
  FigureOptions options_;
  Film film_;
  double width_ = 0;
  double height_ = 0;
  TextShaper shaper_;
};

}  // namespace attnscope
