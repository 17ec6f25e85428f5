#include "state/moment.h"

#include <fmt/format.h>

namespace attnscope {

std::string obstacle_of_cover(const Moment& now) {
  const std::optional<Cover>& cover = now.prediction.cover;
  if (!cover || !cover->hides_any(now.document.config, cover->stage)) return "";
  return fmt::format("The {} are covered: uncover them first (P).", info(cover->stage).title);
}

}  // namespace attnscope
