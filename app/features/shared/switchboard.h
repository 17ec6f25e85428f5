#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "features/shared/message_controller.h"
#include "features/shared/reading.h"
#include "features/shared/viewed_attention.h"

namespace attnscope {

// A new subject that takes the place of the old one.
struct Opened {
  Document document;
  std::shared_ptr<const ViewedAttention> attention = {};  // null: the document is computed
  std::filesystem::path file = {};                        // empty for a document without one
  bool is_from_picture = false;                           // `file` is a picture that carries it
  std::optional<AnyDocument> saved = {};                  // what is in the file; nothing: what is shown
  std::string view = {};                                  // how a picture looked at it
  std::optional<FileStamp> stamp = {};                    // of `file` before it was read
  std::string undo_label = {};                            // not empty: Undo leads back to what was shown
};

// Requests of controllers to each other, which do not know each other. The session passes them on.
class Switchboard {
public:
  // Reads something in the background, and uses it once it is there; both may throw Error, which is said.
  using Read = std::function<Loaded(const UnpackWatch&)>;
  using Take = std::function<void(Loaded)>;

  // True when `command` must wait for the answer to the question about unsaved changes.
  virtual bool ask_before(Command command) = 0;
  // A command that another controller applies, at once. Throws what that throws.
  virtual void pass_on(const Command& command) = 0;
  virtual void read(const std::filesystem::path& path, Read read, Take take) = 0;
  virtual void stop_reading() = 0;
  virtual void show(Opened opened) = 0;
  // Returns the subject of now, to be shown again later.
  virtual Opened what_is_shown() const = 0;
  virtual void show_attention(LoadedAttention attention) = 0;
  // Another part of the attention that is looked at.
  virtual void show_other_part(std::shared_ptr<const ViewedAttention> attention) = 0;
  // The file that should have replaced what is shown was not opened: unsaved changes are still unsaved.
  virtual void keep_what_was_shown() = 0;
  virtual void forget_missing(const std::filesystem::path& path) = 0;  // of the recent files

protected:
  ~Switchboard() = default;
};

// The parts that most controllers work with, beside what they show themselves.
struct AppServices {
  const UiState& now;
  const Subject& subject;
  MessageController& messages;
  Switchboard& others;
  CommandQueue& queue;  // where commands go that are to be applied later
  ViewState& view;
  DialogState& dialog;
  const Desktop& desktop;
};

}  // namespace attnscope
