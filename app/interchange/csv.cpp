#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/shown_text.h"
#include "core/utf8.h"
#include "document/words.h"
#include "interchange/arrays.h"
#include "interchange/csv_fields.h"

namespace attnscope {
namespace {

// The lines as they come; only at the end is it known whether the first column holds names.
struct Table {
  std::vector<CsvField> header;  // empty without one
  bool first_has_names = false;
  AlignedFloats numbers;  // row by row; 0 for a name in the first column
  std::size_t rows = 0;
  std::size_t columns = 0;
};

// An empty heading, as pandas writes it, is that of a column of names.
bool names_rows(const CsvField& heading) {
  static constexpr std::string_view words[] = {"", "token", "tokens", "query", "name", "word", "index"};
  return std::ranges::find(words, lower_case(trimmed(heading.raw))) != std::end(words);
}

// A first line of names; or of the numbers 0, 1, 2, … or 1, 2, 3, … beside a heading of a column of names.
bool is_header(const std::vector<CsvField>& fields) {
  if (fields.size() == 1) return !number_in(fields[0]);
  if (std::none_of(fields.begin() + 1, fields.end(), number_in)) return true;
  if (!names_rows(fields[0])) return false;
  const double first = number_in(fields[1]).value_or(-1);
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (number_in(fields[i]) != first + static_cast<double>(i - 1)) return false;
  }
  return first == 0 || first == 1;
}

// "0,43" between semicolons: a decimal comma, or a name? Better asked than guessed.
bool has_decimal_comma(const CsvField& field, char separator) {
  const std::string_view text = trimmed(field.raw);
  if (separator == ',' || field.is_quoted || text.find(',') == std::string_view::npos) return false;
  return text.find_first_not_of("+-0123456789.,eE") == std::string_view::npos;
}

[[noreturn]] void refuse_field(const CsvField& field, std::size_t line, std::size_t column, char separator) {
  const std::string_view text = trimmed(field.raw);
  const std::string place = fmt::format("Line {}, column {}", line, column + 1);
  if (text.empty()) throw Error(place + " is empty, but a number must stand there.");
  throw Error(fmt::format("{} holds {}, which is not a number: {}.", place, in_quotes(text),
                          has_decimal_comma(field, separator)
                              ? "write decimals with a point"
                              : "only the first line and the first column may hold names"));
}

// A separator at the end of a line begins no field.
void drop_empty_end(std::vector<CsvField>& fields) {
  if (fields.size() > 1 && trimmed(fields.back().raw).empty() && !fields.back().is_quoted) fields.pop_back();
}

void take_row(Table& table, std::vector<CsvField>& fields, const CsvText& text) {
  if (table.columns == 0 || fields.size() == table.columns + 1) drop_empty_end(fields);
  if (table.columns == 0) table.columns = fields.size();
  if (fields.size() != table.columns) {
    throw Error(
        fmt::format("Line {} has {} fields, but the lines before it have {}: all lines must have the same length.",
                    text.line(), fields.size(), table.columns));
  }
  const std::optional<double> first = number_in(fields[0]);
  if (has_decimal_comma(fields[0], text.separator())) refuse_field(fields[0], text.line(), 0, text.separator());
  table.first_has_names = table.first_has_names || !first;
  table.numbers.push_back(static_cast<float>(first.value_or(0)));
  for (std::size_t i = 1; i < fields.size(); ++i) {
    const std::optional<double> number = number_in(fields[i]);
    if (!number) refuse_field(fields[i], text.line(), i, text.separator());
    table.numbers.push_back(static_cast<float>(*number));
  }
  ++table.rows;
}

// A header that is one field short leaves out the heading of the names.
void check_header(Table& table) {
  const std::size_t headings = table.header.size();
  if (headings == 0) return;
  const bool lacks_heading = headings + 1 == table.columns;
  if (headings != table.columns && !lacks_heading) {
    throw Error(fmt::format("The first line has {} names, but the lines below it have {} fields: give each a name.",
                            headings, table.columns));
  }
  if (table.columns > 1 && (lacks_heading || names_rows(table.header[0]))) table.first_has_names = true;
}

// Calls visit(fields, text, is_header) for each line.
template <typename Visit>
void for_each_line(std::string_view content, const Visit& visit) {
  CsvText text(content);
  std::vector<CsvField> fields;
  for (bool is_first = true; text.next(fields); is_first = false) {
    const auto is_comma = [&](const CsvField& field) { return has_decimal_comma(field, text.separator()); };
    visit(fields, text, is_first && is_header(fields) && std::ranges::none_of(fields, is_comma));
  }
}

Table read_table(std::string_view content, const PartWatch& watch) {
  Table table;
  table.numbers.reserve(content.size() / 2 + 1);  // a number takes two bytes or more; what is not used takes no memory
  for_each_line(content, [&](std::vector<CsvField>& fields, const CsvText& text, bool is_header) {
    if (is_header) {
      drop_empty_end(fields);
      table.header = fields;
    } else {
      take_row(table, fields, text);
    }
    if (watch) watch(text.part_read());
  });
  if (table.first_has_names && table.columns == 1)
    throw Error("Each line holds one name or number alone, but a line needs at least one number beside its name.");
  if (table.rows == 0) throw Error("There are no numbers in this .csv file: it needs a line for each token.");
  check_header(table);
  return table;
}

// Read once more, where there are any: most tables of a great many lines have none.
std::vector<std::string> names_in(std::string_view content, std::size_t rows) {
  std::vector<std::string> names;
  names.reserve(rows);
  for_each_line(content, [&](const std::vector<CsvField>& fields, const CsvText&, bool is_header) {
    if (!is_header) names.push_back(fields[0].text());
  });
  return names;
}

Tensor tensor_of(Table& table) {
  const auto rows = static_cast<Index>(table.rows);
  const auto columns = static_cast<Index>(table.columns);
  if (!table.first_has_names) return Tensor({rows, columns}, std::move(table.numbers));
  for (Index row = 0; row < rows; ++row) {
    const auto first = table.numbers.begin() + row * columns;
    std::copy(first + 1, first + columns, table.numbers.begin() + row * (columns - 1));
  }
  table.numbers.resize(static_cast<std::size_t>(rows * (columns - 1)));
  return Tensor({rows, columns - 1}, std::move(table.numbers));
}

}  // namespace

NamedArrays parse_csv(std::string_view text, const PartWatch& watch) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (find_invalid_utf8(text) || text.find('\0') != std::string_view::npos) {
    throw Error("This .csv file is not UTF-8 text: save it as UTF-8.");
  }
  Table table = read_table(text, watch);
  NamedArrays file;
  if (table.first_has_names) file.row_names = names_in(text, table.rows);
  const auto tensor = std::make_shared<const Tensor>(tensor_of(table));
  ArrayView array;
  array.shape = tensor->shape;
  const auto* const numbers = reinterpret_cast<const char*>(tensor->values.data());
  array.bytes = {std::string_view(numbers, tensor->values.size() * sizeof(float)), tensor};
  file.arrays.push_back(std::move(array));
  return file;
}

}  // namespace attnscope
