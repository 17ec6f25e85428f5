#pragma once

#include <optional>
#include <utility>

#include "features/shared/app_services.h"

namespace attnscope {

// Attention of other programs: read from their files, shown as if it had been computed.
class ImportController {
public:
  ImportController(const AppServices& services, DocumentEditor& documents, SubjectDisplay& display,
                   UnsavedChanges& unsaved, FileReader& reader, AttentionShown& shown)
      : to_(services), documents_(documents), display_(display), unsaved_(unsaved), reader_(reader), shown_(shown) {}

  // Changes what is looked at, such as the layer or the tensor.
  void change(const std::function<void(ImportedView&)>& change);
  // Names the keys, or the queries, by a text with one name a line, or with blanks between them.
  void name_tokens(const std::string& text, bool are_queries = false);

  void show(LoadedAttention attention);
  void subject_changed();  // another subject is looked at now
  void part_changed();     // another part of the subject is looked at now
  // Says once that a file became shorter while it is looked at: missing numbers are NaN.
  void follow();

private:
  AppServices to_;
  DocumentEditor& documents_;
  SubjectDisplay& display_;
  UnsavedChanges& unsaved_;
  FileReader& reader_;
  AttentionShown& shown_;
  std::optional<std::pair<ViewMode, Stage>> looked_at_before_;  // the view before attention from a file was shown
  std::optional<ImportedView> wanted_;                          // the choice that is being read
  bool was_shortened_ = false;                                  // the file became shorter, and that was said
};

}  // namespace attnscope
