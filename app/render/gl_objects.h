#pragma once

#include <glad/gl.h>

#include <string_view>
#include <utility>

namespace attnscope {

// Owns one OpenGL name; moves, never copies. Delete is glDelete*-like with a count and a pointer.
template <typename Deleter>
class GlObject {
public:
  GlObject() = default;
  explicit GlObject(GLuint object_name) : name_(object_name) {}
  GlObject(GlObject&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  GlObject& operator=(GlObject&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  ~GlObject() {
    if (name_ != 0) Deleter{}(name_);
  }
  GLuint name() const { return name_; }

private:
  GLuint name_ = 0;
};

}  // namespace attnscope
