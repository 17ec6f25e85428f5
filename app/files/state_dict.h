#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/transformer.h"
#include "files/checkpoint.h"
#include "files/model_config.h"

// The tensors of a model's checkpoint, however it was saved. Private to this folder.
namespace attnscope {

// All tensors of a checkpoint, in one file or several, and what is left to read of them. A checkpoint may be wrapped:
// names begin with those of wrappers ("module._orig_mod."), or the state dict is a part of what was saved, beside the
// optimizer's ("model_state_dict"). Tensors have the names that the model's family gives them.
class Tensors {
public:
  // Reads the headers of these files. Throws Error.
  Tensors(const ModelFiles& files, const std::vector<std::string>& names, PartWatch watch);

  // Takes the wrappers off all names, and forgets the tensors that are not in them: the first tensor that each family
  // has shows where its names begin. Throws Error if there are several models, or numbers that are packed.
  void unwrap(std::string_view first_tensor, std::string_view prefix, std::string_view head);
  // Does so for a family. A checkpoint of nn.Linear whose family stores weights as (in, out) is read transposed.
  void take_names(const TensorNames& names);
  // Gives each tensor the name that `renamed` returns; an empty one forgets it.
  void rename(const std::function<std::string(const std::string& name)>& renamed);

  const std::vector<Bytes>& files() const { return files_; }
  bool has(const std::string& name) const { return entries_.contains(name); }
  bool has_ending(std::string_view ending) const;               // whether a name ends so, behind a dot or whole
  const ArrayView* find(std::string_view name) const;           // null if there is none
  std::optional<std::string> said(std::string_view key) const;  // what stands beside the tensors: "model_args.n_layer"
  // Says where a tensor is in the file: its name there, and whether the file has the transpose.
  struct PlaceInFile {
    std::string name;
    bool is_transposed = false;
  };
  using PlacesInFile = std::map<std::string, PlaceInFile, std::less<>>;
  PlacesInFile places_in_file() const;  // of the tensors that have another name or shape there
  // Returns what stands in the file before each name that was read; nothing if they differ in more than that.
  std::optional<std::string> wrapper() const;

  // Throws Error if a tensor is missing, is no tensor of weights, or has another shape, before memory is taken for it.
  void check_shape(const std::string& name, std::span<const Index> shape) const;

  // Throws Error if a tensor whose name begins so was not read, and `is_constant` is not true of the rest of its name.
  template <typename Check>
  void check_all_are_read(const std::string& beginning, const Check& is_constant) const {
    for (auto place = entries_.lower_bound(beginning); place != entries_.end(); ++place) {
      const std::string& name = place->first;
      if (!name.starts_with(beginning)) return;
      if (read_names_.contains(name) || is_constant(std::string_view(name).substr(beginning.size()))) continue;
      refuse_unread(name);
    }
  }

  // Reads a vector of so many numbers.
  Tensor vector(const std::string& name, Index size);

  // Calls visit(rows, first) for some rows of a matrix after the other.
  template <typename Visit>
  void for_each_rows(const std::string& name, Index rows, Index cols, const Visit& visit) {
    const ArrayView array = checked(name, {rows, cols});
    const Index step = rows_at_once(cols);
    for (Index first = 0; first < rows; first += step) {
      visit(report(name, rows_to_tensor(array, first, std::min(step, rows - first)), first), first);
    }
  }

private:
  struct Entry {
    ArrayView array;             // its name is the one in the file
    std::size_t part = 0;        // its file
    std::size_t index = 0;       // its place in the file
    bool is_made = false;        // zeros that the file leaves out
    bool is_transposed = false;  // its shape is that of the transpose
  };

  const Entry& entry(const std::string& name) const;
  [[noreturn]] void refuse_unread(const std::string& name) const;
  void refuse_packed() const;
  void transpose(const std::string& name);
  void add_zeros(const std::string& name, Index size);
  void count();
  static Index rows_at_once(Index cols);
  ArrayView checked(const std::string& name, std::initializer_list<Index> shape);
  Tensor report(const std::string& name, Tensor tensor, Index first = 0);

  std::vector<Bytes> files_;
  std::vector<NamedArrays> parts_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::set<std::string, std::less<>> read_names_;
  PartWatch watch_;
  Index read_ = 0;
  Index total_ = 0;
};

// The number of heads that a person chose, for weights that do not say it.
using ChosenHeads = std::optional<Index>;

// Returns the sizes of a model without config.json: from what stands beside its tensors (nanoGPT, llama2.c) or in
// params.json (Meta), which may have no bytes, or from their shapes (the book's GPTModel, GPT-2), which leave the
// number of heads open. Tensors get the family's names. Throws ChoiceNeeded if that number is not chosen, and Error if
// more is not known.
ModelConfig config_of(Tensors& tensors, ChosenHeads heads, const Bytes& params);

// A model put together from the tensors of a checkpoint. Private to this folder.

struct AssembledModel {
  std::shared_ptr<Transformer> model;
  const TensorNames* names = nullptr;  // those that the checkpoint has
  std::string prefix;                  // stands before them
};

// Puts the tensors of a checkpoint into a model's places. Throws Error if a tensor is missing or has another shape, if
// a layer has one that no such model has, and if there is too little memory.
AssembledModel assemble(const ModelConfig& config, Tensors& tensors);

}  // namespace attnscope
