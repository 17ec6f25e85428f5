#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compute/evaluator.h"
#include "core/explain.h"
#include "document/document.h"
#include "document/viewing.h"
#include "interchange/viewed_file.h"
#include "views/view_state.h"

namespace attnscope {

// A file of attention that is open, and what of it is shown.
class ViewedAttention {
public:
  // Only the tensor named `wanted` where that is not empty. Throws Error whose sentence names the file.
  ViewedAttention(const std::filesystem::path& path, std::shared_ptr<const NamedArrays> file,
                  const std::string& wanted);

  const Viewing& viewing() const { return viewing_; }
  const AttentionTensors& tensors() const { return tensors_[viewing_.tensor]; }
  Stage stage() const { return stage_; }
  std::optional<Cell> first_cell() const;  // to be explained first; none of a single token
  // Shows something else of the file. Throws Error, and then shows what it did.
  void change(Viewing viewing);

  // What stands in for an evaluation: the layer that is shown, and summaries of a part of it.
  Evaluation evaluation(std::uint64_t ticket) const;
  // A document that names the tokens, and has the sizes of the layer but no numbers.
  Document document(std::vector<std::string> tokens) const;
  bool is_whole() const { return !file_->is_whole || file_->is_whole(); }  // else the file was made shorter

private:
  void read(const Viewing& viewing, bool is_other);

  std::shared_ptr<const NamedArrays> file_;
  std::string wanted_;
  std::vector<AttentionTensors> tensors_;
  Viewing viewing_;
  Stage stage_ = Stage::weights;
  std::shared_ptr<const Result> result_;
  std::shared_ptr<const Summaries> summaries_;
};

}  // namespace attnscope
