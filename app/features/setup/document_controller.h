#pragma once

#include <optional>

#include "document/document.h"
#include "features/shared/imported_file.h"
#include "platform/system/other_programs.h"
#include "session/ui_state.h"

namespace attnscope {

class MessageController;

// The document: its edits and their undo.
class DocumentController {
public:
  DocumentController(const Document& document, const Subject& subject, DocumentShown& shown,
                     MessageController& messages, const Desktop& desktop);

  void edit(const DocumentEdit& edit);
  void type(const TextEdit& typed);
  // Makes one entry for undo of a drag that ended, or of a field that was left. `control` says whose edit ends; 0
  // stands for whichever is under way. Esc takes the edit back instead.
  void finish_edit(std::uint32_t control = 0, bool is_taken_back = false);
  void undo();
  void redo();
  // Names the last edit, and that Undo takes it back, if `before` is not the document before it.
  void name_edit_since(const std::shared_ptr<const Document>& before);
  // Replaces the embeddings by numbers of the clipboard.
  void paste_numbers();

  // Replaces the document and its past; with a label, Undo leads back to the one before.
  void replace(Document document, const std::string& label = {});
  void touch() { ++shown_.edition; }  // the attention whose tokens it names has changed
  bool is_editing() const { return edit_base_ || typed_; }

private:
  void changed();
  void finish();
  void apply_typed();
  void take_back();
  void say_what_followed(const AttentionConfig& before);
  void update_labels();
  void note_invented();

  const Subject& subject_;
  DocumentShown& shown_;
  MessageController& messages_;
  const Desktop& desktop_;
  History history_;
  std::optional<Document> edit_base_;            // the document as it was when the drag under way began
  std::optional<TextEdit> typed_;                // a text that is not applied yet
  std::uint32_t control_ = 0;                    // the control whose edit is under way
  std::shared_ptr<const TrainedModel> stories_;  // the model that comes with the program, once it was needed
};

}  // namespace attnscope
