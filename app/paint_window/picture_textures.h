#pragma once

#include <memory>
#include <string>
#include <vector>

#include "paint_window/gl_objects.h"
#include "paint_window/heatmap_quad.h"

namespace attnscope {

// One picture that is drawn as it is, cut into textures of tile_side, which every driver allows.
class PictureTextures {
public:
  void begin_frame();
  void draw(ImDrawList& list, const PlainPicture& picture, ImVec2 min_screen, ImVec2 max_screen);
  const std::string& failure() const { return failure_; }  // why it was not drawn: a sentence, or empty

private:
  struct Piece {
    int x = 0, y = 0, width = 0, height = 0;  // pixels of the picture
    Texture texture;
  };

  void cut(const PlainPicture& picture);

  std::shared_ptr<const void> owner_;
  std::vector<Piece> pieces_;
  std::string failure_;
};

}  // namespace attnscope
