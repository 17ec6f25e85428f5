#pragma once

#include <string>
#include <vector>

#include "folder_desk.h"
#include "interchange/arrays.h"

namespace attnscope::test {

// A .npy file of these axes: shares of 1 in every row up to the diagonal, others in every matrix.
std::string weights_npy(const std::vector<Index>& shape);

// A session whose files are in a folder of its own, and what is viewed in it.
class Viewing : public FolderDesk {
protected:
  void drop(const std::string& name) {
    desk_.session().push(OpenFile{folder_ / name});
    settle();
  }
  void open(const std::vector<Index>& shape) {
    put_text(folder_ / "attn.npy", weights_npy(shape));
    drop("attn.npy");
    ASSERT_NE(viewing(), nullptr) << desk_.message();
  }
  void settle() {
    desk_.frames(2);
    desk_.settle();
  }
  const attnscope::Viewing* viewing() {
    return desk_.session().shown().viewing ? &*desk_.session().shown().viewing : nullptr;
  }
  const Result& result() { return *desk_.session().shown().evaluation.result; }
  float cell(Index head, Index row, Index col) { return value_at(result(), {desk_.view().stage, 0, head, row, col}); }
  Tensor numbers() { return to_tensor(read_arrays(folder_ / "attn.npy").arrays.front()); }
  std::string path() const { return (folder_ / "attn.npy").string(); }
};

}  // namespace attnscope::test
