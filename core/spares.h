#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace attnscope {

// Objects that are used again when the last reader has let go of them: work that is repeated asks the system for
// nothing. Readers may be on any thread; who takes them is on one.
template <typename Object>
class Spares {
public:
  // One that nobody reads and that `fits`, or null.
  template <typename Fits>
  std::shared_ptr<Object> take(const Fits& fits) {
    for (const std::shared_ptr<Object>& object : objects_) {
      if (object.use_count() == 1 && fits(*object)) return object;  // the copy is behind what its last reader read
    }
    return nullptr;
  }

  // Takes in an object for when it is spare; where there are many, the oldest spare one goes.
  void keep(std::shared_ptr<Object> object) {
    constexpr std::size_t most = 24;  // an evaluation has less than a dozen, and the one before it is still looked at
    if (objects_.size() == most) {
      const auto spare = std::ranges::find(objects_, 1, &std::shared_ptr<Object>::use_count);
      objects_.erase(spare == objects_.end() ? objects_.begin() : spare);
    }
    objects_.push_back(std::move(object));
  }

private:
  std::vector<std::shared_ptr<Object>> objects_;
};

}  // namespace attnscope
