#pragma once

#include <functional>
#include <string>
#include <variant>

#include "features/shared/viewed_attention.h"
#include "interchange/document_file.h"

namespace attnscope {

// The typed choice of what to view in a file of attention; empty where it was left out.
struct ViewArguments {
  std::string file;
  std::string tensor;
  std::string tokens;
  std::string layer;
};

// Throws UsageError where an option for attention was typed, but the file is a document.
void refuse_view_options(const ViewArguments& arguments, const std::string& file);

// A file of attention of which only the headers were read so far.
struct OpenedAttention {
  bool is_slow = false;                                     // to be read
  std::function<LoadedAttention(const UnpackWatch&)> load;  // throws Error
};
// Throws UsageError.
using OpenedFile = std::variant<LoadedDocument, OpenedAttention>;
OpenedFile opened_or_refuse(const std::string& file, const ViewArguments& arguments);

// The content of a file: a document, with the view of the picture that it is, or attention that was saved or is in the
// arrays themselves. Throws UsageError.
using ShownFile = std::variant<LoadedDocument, LoadedAttention>;
ShownFile shown_or_refuse(const std::string& file, const ViewArguments& arguments);

}  // namespace attnscope
