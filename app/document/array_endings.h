#pragma once

#include <array>
#include <string_view>

namespace attnscope {

// The endings of files with arrays or with a model's weights: dialogs list them, and no document is saved under them.
constexpr std::array<std::string_view, 9> array_endings = {".npy", ".npz",  ".safetensors", ".pth", ".pt",
                                                           ".bin", ".ckpt", ".csv",         ".tsv"};

}  // namespace attnscope
