#pragma once

#include <memory>
#include <string>

#include "core/model/transformer.h"
#include "files/model_config.h"
#include "files/state_dict.h"

// A model put together from the tensors of a checkpoint. Private to this folder.
namespace attnscope {

struct AssembledModel {
  std::shared_ptr<Transformer> model;
  const TensorNames* names = nullptr;  // those that the checkpoint has
  std::string prefix;                  // stands before them
};

// Puts the tensors of a checkpoint into a model's places. Throws Error if a tensor is missing or has another shape, if
// a layer has one that no such model has, and if there is too little memory.
AssembledModel assemble(const ModelConfig& config, Tensors& tensors);

}  // namespace attnscope
