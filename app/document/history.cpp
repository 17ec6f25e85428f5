#include "document/history.h"

#include <utility>

namespace attnscope {
namespace {

// Returns the bytes of a snapshot that a newer one does not share.
std::size_t bytes_beyond(const Document& document, const Document& newer) {
  std::size_t bytes = bytes_beyond(document.config, newer.config) + document.tokens.bytes_beyond(newer.tokens);
  if (document.compared && document.compared != newer.compared) bytes += bytes_beyond(*document.compared, newer);
  return bytes;
}

}  // namespace

bool History::edit(Document document, std::string label) {
  if (document == current_) return false;
  if (!before_edit_) before_edit_ = Entry{std::move(current_), std::move(label)};
  current_ = std::move(document);
  return true;
}

void History::finish() {
  if (!before_edit_) return;
  Entry entry = std::move(*before_edit_);
  before_edit_.reset();
  if (entry.document == current_) return;
  undo_.push_back(std::move(entry));
  redo_.clear();
  forget_oldest();
}

void History::forget_oldest() {
  std::size_t bytes = 0;
  std::size_t kept = 0;
  while (kept < undo_.size() && kept < max_entries) {
    const Document& newer = kept == 0 ? current_ : undo_[undo_.size() - kept].document;
    bytes += bytes_beyond(undo_[undo_.size() - 1 - kept].document, newer);
    if (kept > 0 && bytes > max_bytes_) break;
    ++kept;
  }
  undo_.erase(undo_.begin(), undo_.end() - static_cast<std::ptrdiff_t>(kept));
}

void History::reset(Document document) {
  current_ = std::move(document);
  before_edit_.reset();
  undo_.clear();
  redo_.clear();
}

std::string History::undo_label() const {
  if (before_edit_) return before_edit_->label;
  return undo_.empty() ? "" : undo_.back().label;
}

std::string History::redo_label() const { return redo_.empty() ? "" : redo_.back().label; }

const Document* History::before() const {
  if (before_edit_) return &before_edit_->document;
  return undo_.empty() ? nullptr : &undo_.back().document;
}

bool History::undo() {
  finish();
  if (undo_.empty()) return false;
  Entry entry = std::move(undo_.back());
  undo_.pop_back();
  redo_.push_back({std::exchange(current_, std::move(entry.document)), std::move(entry.label)});
  return true;
}

bool History::redo() {
  finish();
  if (redo_.empty()) return false;
  Entry entry = std::move(redo_.back());
  redo_.pop_back();
  undo_.push_back({std::exchange(current_, std::move(entry.document)), std::move(entry.label)});
  return true;
}

}  // namespace attnscope
