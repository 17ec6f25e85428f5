#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "document/viewing_document.h"
#include "features/shared/viewed_attention.h"

namespace attnscope {

// A document whose numbers are computed here.
struct ComputedSubject {
  void require_computed(const std::string& /*lacking*/) const {}
  void check_edit(const Document& /*before*/, const Document& /*after*/) const {}
  std::string footer(const Document& document) const;
  AnyDocument to_save(const Document& document) const { return document; }
  bool differs(const Document& document, const AnyDocument& saved, const std::filesystem::path& file) const;
  bool is_own_file(const std::filesystem::path& /*file*/) const { return false; }
  std::optional<Evaluation> evaluation(std::uint64_t /*ticket*/) const { return std::nullopt; }
  std::string text() const { return {}; }
};

// Attention that another program computed: the document only names its tokens.
struct AttentionSubject {
  std::shared_ptr<const ViewedAttention> attention;  // never null

  void require_computed(const std::string& lacking) const;
  void check_edit(const Document& before, const Document& after) const;
  std::string footer(const Document& document) const;
  AnyDocument to_save(const Document& document) const { return attention->to_save(document.tokens); }
  bool differs(const Document& document, const AnyDocument& saved, const std::filesystem::path& file) const;
  bool is_own_file(const std::filesystem::path& file) const { return file == attention->viewing().file; }
  std::optional<Evaluation> evaluation(std::uint64_t ticket) const { return attention->evaluation(ticket); }
  std::string text() const;
};

// The subject of the window: a document, or attention from a file. Whatever depends on its kind is asked here and
// nowhere else.
class Subject {
public:
  Subject() = default;                                                 // a computed document
  explicit Subject(std::shared_ptr<const ViewedAttention> attention);  // null: a computed document

  const ViewedAttention* attention() const;  // null for a computed document
  std::shared_ptr<const ViewedAttention> shared_attention() const;

  // Throws Error where nothing is computed: "There is nothing to evaluate: …".
  void require_computed(const std::string& lacking) const {
    return std::visit([&](const auto& kind) { return kind.require_computed(lacking); }, kind_);
  }
  // Throws Error where the edit would need what is not computed.
  void check_edit(const Document& before, const Document& after) const {
    return std::visit([&](const auto& kind) { return kind.check_edit(before, after); }, kind_);
  }
  // Returns the line below its pictures.
  std::string footer(const Document& document) const {
    return std::visit([&](const auto& kind) { return kind.footer(document); }, kind_);
  }
  AnyDocument to_save(const Document& document) const {
    return std::visit([&](const auto& kind) { return kind.to_save(document); }, kind_);
  }
  // Whether something is lost when it is not saved; `saved` is what stands in `file`.
  bool differs(const Document& document, const AnyDocument& saved, const std::filesystem::path& file) const {
    return std::visit([&](const auto& kind) { return kind.differs(document, saved, file); }, kind_);
  }
  // Whether the numbers themselves are in the file: it is never saved over.
  bool is_own_file(const std::filesystem::path& file) const {
    return std::visit([&](const auto& kind) { return kind.is_own_file(file); }, kind_);
  }
  // Returns what needs no evaluation; nothing where the document has to be.
  std::optional<Evaluation> evaluation(std::uint64_t ticket) const {
    return std::visit([&](const auto& kind) { return kind.evaluation(ticket); }, kind_);
  }
  // Returns the text of panels about it, beside the document.
  std::string text() const {
    return std::visit([](const auto& kind) { return kind.text(); }, kind_);
  }

private:
  std::variant<ComputedSubject, AttentionSubject> kind_;
};

}  // namespace attnscope
