#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <system_error>

#include "core/error.h"
#include "core/shown_text.h"
#include "core/utf8.h"
#include "document/json.h"
#include "document/json_fields.h"
#include "document/viewing_document.h"
#include "platform/system/paths.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

std::string path_text(const fs::path& file, const fs::path& carrier) {
  const fs::path path = absolute_path(file);
  const fs::path relative =
      carrier.empty() ? fs::path() : path.lexically_relative(absolute_path(carrier).parent_path());
  const bool is_below = !relative.empty() && *relative.begin() != "..";
  const std::string text = is_below ? relative.string() : path.string();
  if (!find_invalid_utf8(text)) return text;
  throw Error("file", fmt::format("The name of the file {} is no UTF-8 text, and cannot be written: give it another.",
                                  in_quotes(text)));
}

}  // namespace

std::string to_json(const ViewingDocument& viewing, const fs::path& carrier) {
  std::string json = "{\n  \"format\": \"attnscope-viewing\",\n  \"version\": 1,\n";
  const auto out = std::back_inserter(json);
  fmt::format_to(out, "  \"file\": {},\n", json_string(path_text(viewing.file, carrier)));
  if (!viewing.tensor.empty()) fmt::format_to(out, "  \"tensor\": {},\n", json_string(viewing.tensor));
  fmt::format_to(out, "  \"shape\": [{}],\n", fmt::join(viewing.shape, ", "));
  fmt::format_to(out, "  \"number_type\": {},\n", json_string(viewing.number_type));
  fmt::format_to(out, "  \"axes\": {},\n", json_string(viewing.axes));
  fmt::format_to(out, "  \"layers\": {},\n  \"layer\": {},\n", viewing.layers, viewing.layer + 1);
  if (!viewing.checksum.empty()) fmt::format_to(out, "  \"checksum\": \"{}\",\n", viewing.checksum);
  write_tokens(json, viewing.tokens);
  json += "\n}\n";
  return json;
}

fs::path file_of(const ViewingDocument& viewing, const fs::path& carrier) {
  return (absolute_path(carrier).parent_path() / viewing.file).lexically_normal();
}

std::string to_json(const AnyDocument& document, const fs::path& carrier) {
  if (const auto* viewing = std::get_if<ViewingDocument>(&document)) return to_json(*viewing, carrier);
  return to_json(std::get<Document>(document));
}

}  // namespace attnscope
