#pragma once

#include <optional>
#include <utility>

#include "features/shared/switchboard.h"

namespace attnscope {

// Attention of other programs: read where it lies, shown as if it had been computed.
class ViewingController {
public:
  ViewingController(const AppServices& services, AttentionShown& shown) : to_(services), shown_(shown) {}

  void apply(const UpdateViewing& command);
  void apply(const NameTokens& command);

  void show(LoadedAttention attention);
  void subject_changed();  // another one is looked at now
  void part_changed();     // another part of it
  // Says once where a file loses its end while it is looked at: what is not there any more is NaN.
  void follow();

private:
  AppServices to_;
  AttentionShown& shown_;
  std::optional<std::pair<Layout, Stage>> looked_at_before_;  // before attention of a file was; else nothing
  std::optional<Viewing> wanted_;                             // of the file, while that is being read
  bool was_shortened_ = false;                                // the file, and that was said
};

}  // namespace attnscope
