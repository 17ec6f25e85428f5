#pragma once

#include <memory>
#include <optional>

#include "window/frame.h"

namespace attnscope {

// A picture of a session as it was at one moment, made while the session goes on: it waits for no computation.
class Screenshot {
public:
  // `width` by `height` units at `scale` pixels per unit, in the current OpenGL context; `display_scale` enlarges the
  // interface like the desktop's own scale does.
  Screenshot(const Session& session, int width, int height, float scale, float display_scale);
  ~Screenshot();
  Screenshot(const Screenshot&) = delete;
  Screenshot& operator=(const Screenshot&) = delete;

  // The picture, once everything in it is exact. To be called after each frame of the session until then, as that is
  // when its pictures are asked for.
  std::optional<Image> advance(HeadCache& heads);

  // Forgets them as FramePainter does.
  void forget_graphics();
  void renew_graphics();

  // Returns the document that it shows.
  const AnyDocument& document() const { return kept_.document; }

private:
  void build(HeadCache& heads);

  KeptUiState kept_;
  float scale_;
  float display_scale_;
  ImguiContext context_;
  std::unique_ptr<FramePainter> painter_;  // belongs to the context, and ends while that is current
  bool is_settled_ = false;
};

}  // namespace attnscope
