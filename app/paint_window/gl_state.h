#pragma once

namespace attnscope {

// Answers of the driver about the current OpenGL context.

// Whether it was reset since this was asked last: nothing drawn since then can be relied on, and all that was made in
// this context is gone. False where a driver does not tell.
bool context_is_lost();

// The largest side of a texture, in pixels.
constexpr int least_texture_side = 1024;  // every OpenGL 3.3
int max_texture_side();

// Whether memory for a texture or a picture was missing, or it was larger than the driver allows, since
// forget_failures(); other mistakes are those of a programmer, or of a context that is lost.
bool was_refused();
void forget_failures();

}  // namespace attnscope
