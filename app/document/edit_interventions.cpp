#include <algorithm>
#include <tuple>
#include <utility>

#include "core/visibility.h"
#include "document/edit.h"
#include "document/edit_support.h"

namespace attnscope {
namespace {

auto cell_of(const DropoutEdit& edit) { return std::tuple(edit.batch, edit.head, edit.query, edit.key); }

}  // namespace

void keep_fitting_interventions(AttentionConfig& config) {
  const Index queries = query_count(config);
  const Index keys = key_count(config);
  std::erase_if(config.heads_off, [&](Index head) { return head >= config.num_heads; });
  std::erase_if(config.dropout_edits, [&](const DropoutEdit& edit) {
    return edit.batch >= config.batch_size || edit.head >= config.num_heads || edit.query >= queries ||
           edit.key >= keys;
  });
}

void follow_tokens(AttentionConfig& config, const std::function<std::optional<Index>(Index)>& now) {
  std::vector<DropoutEdit> followed;
  for (DropoutEdit edit : std::exchange(config.dropout_edits, {})) {
    const std::optional<Index> query = now(edit.query);
    const std::optional<Index> key = now(edit.key);
    if (!query || !key) continue;
    edit.query = *query;
    edit.key = *key;
    followed.push_back(edit);
  }
  std::ranges::sort(followed);
  config.dropout_edits = std::move(followed);
}

void set_dropout_edit(Document& document, const DropoutEdit& edit) {
  Document changed = document;
  remove_dropout_edit(changed, edit);
  auto& edits = changed.config.dropout_edits;
  edits.insert(std::ranges::lower_bound(edits, edit), edit);
  replace(document, std::move(changed));
}

void remove_dropout_edit(Document& document, const DropoutEdit& cell) {
  std::erase_if(document.config.dropout_edits, [&](const DropoutEdit& edit) { return cell_of(edit) == cell_of(cell); });
}

void remove_dropout_edits(Document& document) { document.config.dropout_edits.clear(); }

void set_head_off(Document& document, Index head, bool off) {
  Document changed = document;
  auto& heads = changed.config.heads_off;
  std::erase(heads, head);
  if (off) heads.insert(std::ranges::lower_bound(heads, head), head);
  replace(document, std::move(changed));
}

}  // namespace attnscope
