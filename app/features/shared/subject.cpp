#include "features/shared/subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/shown_text.h"
#include "document/footer.h"

namespace attnscope {

void Subject::require_computed(const std::string& lacking) const {
  if (!attention_) return;
  throw Error(fmt::format("{}: {} only holds attention that was computed elsewhere.", lacking,
                          shown_path(attention_->viewing().file.filename())));
}

void Subject::check_edit(const Document& before, const Document& after) const {
  if (attention_ && !(after.config == before.config)) require_computed("There is nothing to compute anew");
}

std::string Subject::footer(const Document& document) const {
  return attention_ ? footer_text(attention_->viewing()) : footer_text(document);
}

AnyDocument Subject::to_save(const Document& document) const {
  if (attention_) return attention_->to_save(document.tokens);
  return document;
}

// To leaf through a file of arrays changes nothing that could be lost.
bool Subject::differs(const Document& document, const AnyDocument& saved, const std::filesystem::path& file) const {
  if (!attention_) {
    const auto* const same_kind = std::get_if<Document>(&saved);
    return !same_kind || !(document == *same_kind);
  }
  const auto* const same_kind = std::get_if<ViewingDocument>(&saved);
  if (!same_kind || document.tokens != same_kind->tokens) return true;
  return !is_own_file(file) && attention_->to_save(document.tokens) != *same_kind;
}

bool Subject::is_own_file(const std::filesystem::path& file) const {
  return attention_ && file == attention_->viewing().file;
}

std::optional<Evaluation> Subject::evaluation(std::uint64_t ticket) const {
  return attention_ ? std::optional(attention_->evaluation(ticket)) : std::nullopt;
}

std::string Subject::text() const {
  return attention_ ? fmt::format("{}", fmt::join(attention_->viewing().tensors, "")) : "";
}

}  // namespace attnscope
