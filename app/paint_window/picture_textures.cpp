#include "paint_window/picture_textures.h"

#include <algorithm>

#include "compute/tile.h"
#include "core/error.h"
#include "paint_window/imgui_compat.h"

namespace attnscope {

void PictureTextures::cut(const PlainPicture& picture) {
  constexpr int side = static_cast<int>(tile_side);
  for (int y = 0; y < picture.height; y += side) {
    for (int x = 0; x < picture.width; x += side) {
      const int width = std::min(side, picture.width - x);
      const int height = std::min(side, picture.height - y);
      const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(y) * picture.width + x;
      pieces_.push_back(
          {x, y, width, height,
           make_texture(
               {.width = width, .height = height, .pixels = picture.pixels + 4 * first, .row_length = picture.width})});
    }
  }
}

// What there was no room for is tried again.
void PictureTextures::begin_frame() {
  if (!failure_.empty()) owner_.reset();
  failure_.clear();
}

void PictureTextures::draw(ImDrawList& list, const PlainPicture& picture, ImVec2 min_screen, ImVec2 max_screen) {
  if (owner_ != picture.owner) {
    pieces_.clear();
    owner_ = picture.owner;
    try {
      cut(picture);
    } catch (const Error& refused) {
      pieces_.clear();
      failure_ = refused.what();
    }
  }
  const float width = (max_screen.x - min_screen.x) / static_cast<float>(picture.width);
  const float height = (max_screen.y - min_screen.y) / static_cast<float>(picture.height);
  const auto corner = [&](int x, int y) {
    return ImVec2(min_screen.x + width * static_cast<float>(x), min_screen.y + height * static_cast<float>(y));
  };
  for (const Piece& piece : pieces_) {
    list.AddImage(texture_id(piece.texture.name()), corner(piece.x, piece.y),
                  corner(piece.x + piece.width, piece.y + piece.height));
  }
}

}  // namespace attnscope
