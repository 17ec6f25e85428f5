#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config_fields.h"
#include "document/document.h"
#include "document/json.h"
#include "document/json_value.h"

// The parts of a document, read one by one. Private to this folder.
namespace attnscope {

// A document as it was read, before defaults that depend on other keys are filled in.
struct ParsedDocument {
  Document document;                      // its tokens come from the lists below
  std::vector<std::string> tokens;        // the tokens that were read so far
  std::vector<std::string> query_tokens;  // the queries' tokens that were read so far
  std::vector<std::string> dimensions;    // the names of dimensions that were read so far
  std::shared_ptr<ParsedDocument> compared;
  bool is_compared = false;         // another document is compared with this one
  std::set<std::string_view> keys;  // the keys that were read
  std::string bias_file;            // names the bias's file, if it has one
  std::string given_file;           // names the file of queries, keys and values
  DocumentFiles files = {};         // opens the files that it may name
};

// A key of a document and what its value may be.
struct DocumentField {
  std::string_view key;
  std::string allowed;  // "true or false"
  // Returns false if the value is of the wrong kind; throws Error if a part of it is.
  std::function<bool(ParsedDocument& parsed, const JsonValue& value)> read;
};

// Throws Error with the path of the value that is wrong.
void read_fields(ParsedDocument& parsed, const JsonValue& object);

// Returns false if the value is of the wrong kind.
bool read_field(AttentionConfig& config, const ConfigField& field, const JsonValue& value);

// Each returns false if the value is neither an array nor another thing that may stand there.
bool read_names(std::vector<std::string>& names, const JsonValue& value);
bool read_inputs(ParsedDocument& parsed, const JsonValue& value);
bool read_given(ParsedDocument& parsed, const JsonValue& value);
bool read_bias(ParsedDocument& parsed, const JsonValue& value);
bool read_weights(AttentionConfig& config, const JsonValue& value);
bool read_weight_order(AttentionConfig& config, const JsonValue& value);
bool read_hidden(AttentionConfig& config, const JsonValue& value);
bool read_heads_off(AttentionConfig& config, const JsonValue& value);
bool read_dropout_edits(AttentionConfig& config, const JsonValue& value);

// Reads the arrays that are in files.
void read_files(ParsedDocument& parsed);
// Sorts lists that documents may have in any order, and forgets hidden keys that the mask does not read.
void put_in_order(AttentionConfig& config);

// Opens the model that a document names, and makes its layer the configuration, which other keys change.
void begin_with_model(ParsedDocument& parsed, const JsonValue& object);
void write_model(std::string& json, const Document& document, ModelSha256 sha256);
// Writes the settings and weights that differ from those of `original`, a line each.
void write_settings_of(std::string& json, const AttentionConfig& config, const AttentionConfig& original);

// Says that a key is none of those that `owner`, such as "a document", may have.
std::string unknown_key(std::string_view key, std::string_view owner, std::span<const std::string_view> known);

bool is_viewing_document(const JsonText& text);
Document parse_document(const JsonText& text, const DocumentFiles& files);

}  // namespace attnscope
