#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "document/json.h"
#include "document/json_reader.h"
#include "document/viewing_document.h"

namespace attnscope {
namespace {

// Values that depend on what else the document says.
Document with_defaults(ParsedDocument parsed) {
  Document& document = parsed.document;
  document.tokens = std::move(parsed.tokens);
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
  if (document.config.mask != MaskRoute::custom) document.config.hidden = {};
  if (!parsed.has_scale) document.config.scale = mechanism.scales_by_default;
  return std::move(document);
}

}  // namespace

Document parse_document(std::string_view text) {
  check_json_text(text);
  if (is_viewing_document(text)) {
    throw Error("format",
                "format is \"attnscope-viewing\": attention of another program to be looked at, in which there is "
                "nothing to compute; it opens in the window, and attnscope screenshot and figure draw it.");
  }
  DocumentReader reader(text);
  nlohmann::json::sax_parse(text, &reader);
  Document document = with_defaults(reader.finish());
  check(document);
  return document;
}

}  // namespace attnscope
