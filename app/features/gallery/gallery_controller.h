#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "compute/background.h"
#include "session/ui_state.h"

namespace attnscope {

// A picture of a gallery: the weights of an example, head beside head, or those of A and B of a ready pair.
struct GalleryPicture {
  std::string name;  // "gallery/pairs/scaling", as gallery_name() has it
  ThemeId theme = ThemeId::light;
  bool operator==(const GalleryPicture&) const = default;
};
struct DrawnGalleryPicture {
  GalleryPicture picture;
  std::shared_ptr<const FigureImage> image;  // empty where it could not be drawn
};

constexpr int gallery_picture_width = 320;  // pixels
constexpr int gallery_picture_height = 160;

// The widget of an example or a ready pair in its gallery.
std::string gallery_name(DialogState::Kind gallery, std::string_view id);

// Evaluates the documents of a picture and draws their weights. Throws Cancelled.
DrawnGalleryPicture draw_gallery_picture(const GalleryPicture& picture, const std::stop_token& stop);

// Draws the pictures of the gallery that is open, one after the other in the background, and keeps them.
class GalleryController {
public:
  // `wake` is called from the background thread when there is something new.
  GalleryController(const UiState& now, GalleryShown& shown, const std::function<void()>& wake)
      : now_(now), shown_(shown), drawer_(draw_gallery_picture, wake) {}

  void follow();
  bool poll();  // whether there was anything new
  void wait() { drawer_.wait(); }
  bool is_busy() const { return drawer_.is_busy(); }

private:
  const UiState& now_;
  GalleryShown& shown_;
  ThemeId theme_ = ThemeId::light;                          // the theme of the pictures that are there
  Background<GalleryPicture, DrawnGalleryPicture> drawer_;  // last: its thread ends before what it uses
};

}  // namespace attnscope
