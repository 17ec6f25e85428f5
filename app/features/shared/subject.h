#pragma once

#include <memory>
#include <optional>
#include <string>

#include "document/viewing_document.h"
#include "features/shared/viewed_attention.h"

namespace attnscope {

// The subject of the window: a document whose numbers are computed here, or attention that another program computed, of
// which the document only names the tokens. Whatever depends on its kind is asked here and nowhere else.
class Subject {
public:
  Subject() = default;  // a computed document
  explicit Subject(std::shared_ptr<const ViewedAttention> attention) : attention_(std::move(attention)) {}

  const ViewedAttention* attention() const { return attention_.get(); }  // null for a computed document
  const std::shared_ptr<const ViewedAttention>& shared_attention() const { return attention_; }

  // Throws Error where nothing is computed: "There is nothing to evaluate: …".
  void require_computed(const std::string& lacking) const;
  // Throws Error where the edit would need what is not computed.
  void check_edit(const Document& before, const Document& after) const;
  // Returns the line below its pictures.
  std::string footer(const Document& document) const;
  AnyDocument to_save(const Document& document) const;
  // Whether something is lost when it is not saved; `saved` is what stands in `file`.
  bool differs(const Document& document, const AnyDocument& saved, const std::filesystem::path& file) const;
  // Whether the numbers themselves are in the file: it is never saved over.
  bool is_own_file(const std::filesystem::path& file) const;
  // Returns what needs no evaluation; nothing where the document has to be.
  std::optional<Evaluation> evaluation(std::uint64_t ticket) const;
  // Returns the text of panels about it, beside the document.
  std::string text() const;

private:
  std::shared_ptr<const ViewedAttention> attention_;
};

}  // namespace attnscope
