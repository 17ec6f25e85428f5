#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/json_events.h"
#include "document/json_fields.h"
#include "document/json_syntax.h"
#include "document/nested_numbers.h"

// From JSON events to a document. Private to this folder.
namespace attnscope {

// The part of a document that the parser is in. What may not stand there is refused at once, so that nothing is held
// that will not be used: nesting deeper than a document's own ends at its first bracket.
enum class Place {
  document,
  tokens,
  weight_order,
  randn_object,
  randn,
  weights,
  tensor,
  row,
  hidden,
  hidden_query,
  hidden_range,
  nested,
  heads_off,
  dropout_edits,
  edited_cells,
  edited_cell,
  given,
};

struct Frame {
  Place place;
  std::set<std::string, std::less<>> keys = {};  // of an object: those read so far
  std::string key = {};                          // of an object: the one whose value comes next
  Index index = 0;                               // of an array: the element that comes next
};

// The numbers of an array, or of an array of rows, as far as they are read.
struct NumberGrid {
  Index rank = 0;  // 0 until the first element is seen
  Index rows = 0;
  Index cols = 0;
  AlignedFloats values;
};

// Takes the parser's events and fills in a document. Throws Error with the path of the value that is wrong.
class DocumentReader : public JsonEvents {
public:
  explicit DocumentReader(std::string_view text) : text_(text) {}  // messages name places in the text

  bool start_object(std::size_t) override { return open(object_here(), "an object"); }
  bool start_array(std::size_t) override { return open(array_here(), "an array"); }
  bool key(std::string& name) override;
  bool end_object() override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& problem) override;

  ParsedDocument finish() { return std::move(parsed_); }

private:
  using After = SyntaxContext::After;

  bool scalar(const JsonScalar& value) override;
  bool open(std::optional<Place> place, std::string_view what);
  void element_done();
  std::optional<Place> object_here() const;
  std::optional<Place> array_here() const;
  // A frame counted from the document that is being read: the outer one or the one that it is compared with.
  const Frame& within_document(std::size_t depth) const;
  const std::string& field_name() const { return within_document(0).key; }

  void take_field(const JsonScalar& value);
  void take_token(const JsonScalar& value);
  void take_projection(const JsonScalar& value);
  void take_randn_size(const JsonScalar& value);
  void take_number(const JsonScalar& value);
  float float_of(const JsonScalar& value) const;
  void take_hidden_key(const JsonScalar& value);
  void take_nested_number(const JsonScalar& value);
  void end_nested();
  void begin_hidden_query();
  void end_hidden_range(Index numbers);
  void end_hidden_query();
  void take_head_off(const JsonScalar& value);
  void take_place_of_edit(const JsonScalar& value);
  void add_dropout_edit();
  void end_row();
  void end_tensor();

  std::string path() const;
  std::string allowed_here() const;
  [[noreturn]] void refuse(const std::string& what) const;

  std::string_view text_;
  ParsedDocument parsed_;
  ParsedDocument outer_;  // while the document is read that it is compared with
  std::vector<Frame> frames_;
  After after_ = After::nothing;
  NumberGrid grid_;
  NestedNumbers nested_;
  std::vector<std::vector<KeyRange>> hidden_;  // by query, as far as read
  Index hidden_ranges_ = 0;                    // of the queries that are whole
};

}  // namespace attnscope
