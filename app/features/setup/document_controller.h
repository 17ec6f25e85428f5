#pragma once

#include <optional>

#include "document/history.h"
#include "features/shared/message_controller.h"
#include "features/shared/viewed_attention.h"

namespace attnscope {

// The document: its edits and their undo.
class DocumentController {
public:
  DocumentController(const Document& document, const Subject& subject, DocumentShown& shown,
                     MessageController& messages, const Desktop& desktop);

  void apply(const EditDocument& command);
  void apply(const TypeText& command);
  void apply(const FinishEdit& command);
  void apply(const Undo&);
  void apply(const Redo&);
  void apply(const PasteNumbers&);

  // Without a past; with a label that is what Undo takes back, on top of what was there.
  void replace(Document document, const std::string& label = {});
  void touch() { ++shown_.edition; }  // what it names the tokens of has changed
  bool is_editing() const { return edit_base_ || typed_; }

private:
  void changed();
  void finish();
  void apply_typed();
  void take_back();
  void say_what_followed(const AttentionConfig& before);
  void update_labels();

  const Subject& subject_;
  DocumentShown& shown_;
  MessageController& messages_;
  const Desktop& desktop_;
  History history_;
  std::optional<Document> edit_base_;  // the document as it was when the drag under way began
  std::optional<TypeText> typed_;      // that is not applied yet
  std::uint32_t control_ = 0;          // whose edit is under way
};

}  // namespace attnscope
