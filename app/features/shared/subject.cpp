#include "features/shared/subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/shown_text.h"
#include "document/footer.h"

namespace attnscope {

std::string ComputedSubject::footer(const Document& document) const { return footer_text(document); }

bool ComputedSubject::differs(const Document& document, const AnyDocument& saved,
                              const std::filesystem::path& /*file*/) const {
  const auto* const same_kind = std::get_if<Document>(&saved);
  return !same_kind || !(document == *same_kind);
}

void AttentionSubject::require_computed(const std::string& lacking) const {
  throw Error(fmt::format("{}: {} only holds attention that was computed elsewhere.", lacking,
                          shown_path(attention->viewing().file.filename())));
}

void AttentionSubject::check_edit(const Document& before, const Document& after) const {
  if (!(after.config == before.config)) require_computed("There is nothing to compute anew");
}

std::string AttentionSubject::footer(const Document& /*document*/) const { return footer_text(attention->viewing()); }

// To leaf through a file of arrays changes nothing that could be lost.
bool AttentionSubject::differs(const Document& document, const AnyDocument& saved,
                               const std::filesystem::path& file) const {
  const auto* const same_kind = std::get_if<ViewingDocument>(&saved);
  if (!same_kind || document.tokens != same_kind->tokens) return true;
  return !is_own_file(file) && attention->to_save(document.tokens) != *same_kind;
}

std::string AttentionSubject::text() const { return fmt::format("{}", fmt::join(attention->viewing().tensors, "")); }

Subject::Subject(std::shared_ptr<const ViewedAttention> attention) {
  if (attention) kind_ = AttentionSubject{std::move(attention)};
}

const ViewedAttention* Subject::attention() const { return shared_attention().get(); }

std::shared_ptr<const ViewedAttention> Subject::shared_attention() const {
  const auto* const subject = std::get_if<AttentionSubject>(&kind_);
  return subject ? subject->attention : nullptr;
}

}  // namespace attnscope
