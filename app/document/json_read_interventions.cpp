#include <fmt/format.h>

#include "core/error.h"
#include "document/json_reader.h"

// Reads what the user changed in what was drawn: weights that are kept or dropped, heads that are off.
namespace attnscope {

void DocumentReader::take_head_off(const JsonScalar& value) {
  if (value.kind != JsonScalar::Kind::whole || value.whole >= max_heads) refuse(value.spelled());
  auto& heads = parsed_.document.config.heads_off;
  if (std::ssize(heads) == max_heads)
    throw Error(path(), fmt::format("heads_off has more than {} heads, the most that a document has.", max_heads));
  heads.push_back(static_cast<Index>(value.whole));
}

void DocumentReader::take_place_of_edit(const JsonScalar& value) {
  constexpr std::uint64_t beyond = max_tokens;  // of every axis
  const Index place = frames_.back().index;
  if (value.kind != JsonScalar::Kind::whole || value.whole >= beyond || place > 3) refuse(value.spelled());
  DropoutEdit& edit = parsed_.document.config.dropout_edits.back();
  Index* const places[] = {&edit.batch, &edit.head, &edit.query, &edit.key};
  *places[place] = static_cast<Index>(value.whole);
}

void DocumentReader::add_dropout_edit() {
  auto& edits = parsed_.document.config.dropout_edits;
  if (edits.size() == max_dropout_edits) {
    throw Error(path(),
                fmt::format("dropout_edits has more than {} cells, the most that a document has.", max_dropout_edits));
  }
  edits.push_back({.keeps = within_document(1).key == "keep"});
}

}  // namespace attnscope
