#pragma once

#include <functional>
#include <string>

#include "ui/view_context.h"

namespace attnscope {

// Calls that many panels ask for. Any other call is pushed where it is asked for.

void change_view(CallQueue& queue, std::function<void(ViewState&)> change);
void edit_document(CallQueue& queue, DocumentEdit edit);
void change_dialog(CallQueue& queue, std::function<void(DialogState&)> change);
void show_dialog(CallQueue& queue, DialogState::Kind kind);
void close_dialog(CallQueue& queue);
void hover(CallQueue& queue, const Source& cell);
void open_lesson(CallQueue& queue, std::string id);
void copy_text(CallQueue& queue, std::string text, std::string message);
void say(CallQueue& queue, std::string message);

// Returns an edit by the item drawn last, which goes on until the item is let go: one entry for undo.
DocumentEdit held_edit(std::string label, std::function<void(Document&)> change);
void finish_when_let_go(CallQueue& queue);

// A field whose text changes the document once it is entered or left, but not by Esc. `before` is the document's text,
// and `room` how many bytes it may grow by. Returns whether it was entered.
bool document_text_field(const ViewContext& context, CallQueue& queue, const char* id, const char* hint,
                         const std::string& before, std::size_t room, const char* label,
                         const std::function<void(Document&, const std::string&)>& change);

// Shows another head, in the inspector, too.
void set_head(CallQueue& queue, Index head);

}  // namespace attnscope
