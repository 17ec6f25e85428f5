#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "document/document.h"

namespace attnscope {

// Undo as a stack of documents. A drag changes the current document many times and becomes one entry when it is
// finished; an edit that changed nothing becomes none.
class History {
public:
  // Snapshots beyond `max_bytes` are forgotten, the oldest first; the newest is kept whatever its size.
  explicit History(Document document, std::size_t max_bytes = 512'000'000)
      : max_bytes_(max_bytes), current_(std::move(document)) {}

  const Document& current() const { return current_; }

  // Makes `document` the current one; begins an edit named `label` if none is under way. Returns whether anything
  // changed.
  bool edit(Document document, std::string label);
  // Ends the edit under way: one entry if the document differs from the one before the edit.
  void finish();
  // Starts over with a document that was opened or created.
  void reset(Document document);

  std::string undo_label() const;  // the edit that Ctrl+Z takes back; "" for none
  std::string redo_label() const;
  bool undo();  // ends an edit under way first; false if there is nothing to undo
  bool redo();
  // Returns the document before the edit under way, else before the last one; null if nothing was edited.
  const Document* before() const;

private:
  struct Entry {
    Document document;
    std::string label;
  };
  static constexpr std::size_t max_entries = 200;

  void forget_oldest();

  std::size_t max_bytes_;
  Document current_;
  std::optional<Entry> before_edit_;
  std::vector<Entry> undo_;
  std::vector<Entry> redo_;
};

}  // namespace attnscope
