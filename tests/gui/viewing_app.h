#pragma once

#include <string>
#include <vector>

#include "features/files/reading_controller.h"
#include "files/arrays.h"
#include "folder_app.h"

namespace attnscope::test {

// A .npy file of these axes: shares of 1 in every row up to the diagonal, others in every matrix.
std::string weights_npy(const std::vector<Index>& shape);

// A session whose files are in a folder of its own, and what is viewed in it.
class ImportedFiles : public FolderApp {
protected:
  void drop(const std::string& name) {
    app_.session().push([this, name](const Controllers& to) { to.reading.open(folder_ / name); });
    settle();
  }
  void open(const std::vector<Index>& shape) {
    put_text(folder_ / "attn.npy", weights_npy(shape));
    drop("attn.npy");
    ASSERT_NE(viewing(), nullptr) << app_.message();
  }
  void settle() {
    app_.frames(2);
    app_.settle();
  }
  const attnscope::ImportedView* viewing() {
    return app_.session().shown().viewing ? &*app_.session().shown().viewing : nullptr;
  }
  const Result& result() { return *app_.session().shown().evaluation.result; }
  float cell(Index head, Index row, Index col) { return value_at(result(), {app_.view().stage, 0, head, row, col}); }
  Tensor numbers() { return to_tensor(read_arrays(folder_ / "attn.npy").arrays.front()); }
  std::string path() const { return (folder_ / "attn.npy").string(); }
};

}  // namespace attnscope::test
