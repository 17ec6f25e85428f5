#pragma once

#include <vector>

struct GLFWwindow;

namespace attnscope {

// Before 1.87 Dear ImGui looks at the keyboard once a frame: a key that was pressed and let go between two frames, as
// remote desktops and automation do, would be lost, and so would modifiers that were let go before their key. Presses
// are remembered, and each is held down for one frame with its modifiers. Later versions queue events themselves, and
// nothing is done.
struct ShortKeys {
  struct Press {
    int key = 0;
    int modifiers = 0;
  };

  // After the backend's new frame. Whether a further frame is needed, to let go.
  bool replay(GLFWwindow* window);

  std::vector<Press> pressed;  // since the last frame, in order
  int held = -1;               // key that is held down for this frame
};

}  // namespace attnscope
