#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/model/transformer.h"
#include "files/model_config.h"

// A model put together from the tensors of a checkpoint. Private to this folder.
namespace attnscope {

// The tensors of a checkpoint, by name. Each function throws Error whose sentence names the tensor.
class ModelTensors {
public:
  virtual ~ModelTensors() = default;

  virtual bool has(const std::string& name) const = 0;
  // Refuses a tensor that is missing or has another shape, before memory is taken for it.
  virtual void check_shape(const std::string& name, std::span<const Index> shape) const = 0;
  // Refuses a tensor whose name begins so and that was not read, unless `is_constant` is true of the rest of its name.
  virtual void check_all_are_read(const std::string& beginning,
                                  const std::function<bool(std::string_view rest)>& is_constant) const = 0;
  virtual Tensor vector(const std::string& name, Index size) = 0;
  // Calls visit(rows, first) for some rows of a matrix after the other.
  virtual void for_each_rows(const std::string& name, Index rows, Index cols,
                             const std::function<void(const Tensor& rows, Index first)>& visit) = 0;
};

struct AssembledModel {
  std::shared_ptr<Transformer> model;
  const TensorNames* names = nullptr;  // those that the checkpoint has
  std::string prefix;                  // stands before them
};

// Puts the tensors of a checkpoint into a model's places. Throws Error if a tensor is missing or has another shape, if
// a layer has one that no such model has, and if there is too little memory.
AssembledModel assemble(const ModelConfig& config, ModelTensors& tensors);

}  // namespace attnscope
