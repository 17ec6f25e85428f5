#pragma once

#include <functional>
#include <stop_token>
#include <string>

namespace attnscope {

// How pictures get into the clipboard: takes the bytes of a PNG, on any thread; throws Error and Cancelled.
using CopyPicture = std::function<void(const std::string& png, const std::stop_token& stop)>;

}  // namespace attnscope
