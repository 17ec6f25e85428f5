#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "document/json.h"
#include "document/json_reader.h"
#include "document/utf8.h"

namespace attnscope {
namespace {

// Values that depend on what else the document says.
Document with_defaults(ParsedDocument parsed) {
  Document& document = parsed.document;
  const Document defaults = default_document();
  if (!parsed.has_inputs) {
    if (parsed.has_tokens && document.tokens.size() != defaults.tokens.size()) {
      throw Error("inputs", fmt::format("inputs is left out and there are {} tokens, but the inputs to fall back on "
                                        "have {} rows: give inputs, or exactly {} tokens.",
                                        document.tokens.size(), defaults.tokens.size(), defaults.tokens.size()));
    }
    document.config.inputs = defaults.config.inputs;
    if (!parsed.has_tokens) document.tokens = defaults.tokens;
  } else if (!parsed.has_tokens && token_count(document.config) <= max_tokens) {
    document.tokens = numbered_tokens(token_count(document.config));
  }
  const MechanismInfo& mechanism = info(document.config.mechanism);
  if (!parsed.has_mask) document.config.mask = mechanism.has_mask_by_default ? MaskRoute::causal : MaskRoute::none;
  if (!parsed.has_scale) document.config.scale = mechanism.scales_by_default;
  return std::move(document);
}

}  // namespace

Document parse_document(std::string_view text) {
  if (text.size() > max_document_bytes) {
    throw Error(fmt::format("The document has {} bytes, but at most {} are read.", text.size(), max_document_bytes));
  }
  if (const auto position = find_invalid_utf8(text)) {
    throw Error(fmt::format("{}: not UTF-8 text: save the document as UTF-8.", line_and_column(text, *position)));
  }
  // The parser would take a NUL for the end of the text and leave what follows unread.
  if (const std::size_t position = text.find('\0'); position != std::string_view::npos) {
    throw Error(fmt::format("{}: not JSON: a NUL byte, which no text has.", line_and_column(text, position)));
  }
  DocumentReader reader(text);
  nlohmann::json::sax_parse(text, &reader);
  Document document = with_defaults(reader.finish());
  check(document);
  return document;
}

}  // namespace attnscope
