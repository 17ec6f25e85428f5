#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/text.h"
#include "document/spelling.h"
#include "files/arrays.h"

namespace attnscope {
namespace {

// A field as it stands in the file, which must stay: text() is its content.
struct CsvField {
  std::string_view raw;  // between the quotation marks, if there are any
  bool is_quoted = false;
  bool has_marks = false;  // doubled quotation marks in it

  std::string text() const {
    std::string said;
    std::string_view rest = is_quoted ? raw : trimmed(raw);
    while (!rest.empty()) {
      const std::size_t end = has_marks ? std::min(rest.find("\"\""), rest.size()) : rest.size();
      said += rest.substr(0, end + 1);
      rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    return said;
  }
};

// No table that can be used has more.
constexpr std::size_t max_csv_fields = 20'000;

// "0,43" between tabs or semicolons; a comma alone is a name.
bool has_decimal_comma(const CsvField& field, char separator) {
  const std::string_view text = trimmed(field.raw);
  if (separator == ',' || field.is_quoted || text.find(',') == std::string_view::npos) return false;
  return text.find_first_not_of("+-0123456789.,eE") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

// A field in quotation marks is a name whatever it spells. "inf" and "nan" are numbers, as Python writes them; so is
// "0,43", but not "1.000,43" or "1,000,000", whose signs apart from the decimal one only a guess could tell.
std::optional<double> number_in(const CsvField& field, char separator) {
  if (field.is_quoted) return std::nullopt;
  const std::string_view text = trimmed(field.raw);
  if (!has_decimal_comma(field, separator)) return read_float(text);
  std::string with_point(text);
  with_point[with_point.find(',')] = '.';
  return read_float(with_point);
}

// Quoted fields may hold separators, line ends and doubled quotation marks. The separator is a tab, a semicolon or a
// comma, as the first line has it; or blanks, however many, where it has none of these and numbers stand between them.
class CsvText {
public:
  explicit CsvText(std::string_view text) : text_(text) {
    skip_comments();
    separator_ = separator_of_first_line();
  }

  char separator() const { return separator_; }
  std::size_t line() const { return line_; }
  // from 0 to 1
  float part_read() const { return text_.empty() ? 1 : static_cast<float>(at_) / static_cast<float>(text_.size()); }

  // The fields of the next line that is not blank; false at the end. Throws Error that names the line.
  bool next(std::vector<CsvField>& fields) {
    while (at_ < text_.size() && take_line_end()) {
    }
    fields.clear();
    if (at_ >= text_.size()) return false;
    line_ = line_after_;
    do {
      if (fields.size() == max_csv_fields)
        throw Error(fmt::format("Line {} has more than {} fields, the most that are read.", line_, max_csv_fields));
      fields.push_back(field());
    } while (take_separator());
    if (at_ < text_.size() && !take_line_end()) {
      throw Error(fmt::format("Line {} goes on after a closing quotation mark: put the whole field in quotation marks.",
                              line_));
    }
    const bool is_blank = fields.size() == 1 && !fields[0].is_quoted && trimmed(fields[0].raw).empty();
    return is_blank ? next_after_blank(fields) : true;
  }

private:
  bool next_after_blank(std::vector<CsvField>& fields) {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find_first_of("\r\n", at_), text_.size());
      if (!trimmed(text_.substr(at_, end - at_)).empty()) return next(fields);
      at_ = end;
      take_line_end();
    }
    fields.clear();
    return false;
  }

  // numpy.savetxt begins its header with "# ".
  void skip_comments() {
    while (text_.substr(at_).starts_with("# ")) {
      at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
      take_line_end();
    }
  }

  // Blanks separate numbers in one of the first two lines, the first of which may hold names.
  bool has_blanks_between() const {
    std::size_t at = at_;
    for (int line = 0; line < 2 && at < text_.size(); ++line) {
      at = std::min(text_.find_first_not_of("\r\n", at), text_.size());
      const std::size_t end = std::min(text_.find_first_of("\r\n", at), text_.size());
      std::string_view rest = trimmed(text_.substr(at, end - at));
      std::size_t fields = 0;
      bool are_numbers = true;
      for (; !rest.empty(); ++fields) {
        const std::size_t width = std::min(rest.find(' '), rest.size());
        are_numbers = are_numbers && (fields == 0 || read_float(rest.substr(0, width)).has_value());
        rest = trimmed(rest.substr(width));
      }
      if (fields > 1 && are_numbers) return true;
      at = end;
    }
    return false;
  }

  char separator_of_first_line() const {
    bool is_quoted = false;
    std::size_t counts[3] = {};
    constexpr std::string_view separators = "\t;,";
    for (std::size_t i = text_.find_first_not_of("\r\n", at_); i < text_.size(); ++i) {  // behind blank lines
      if (text_[i] == '"') is_quoted = !is_quoted;
      if (is_quoted) continue;
      if (text_[i] == '\n' || text_[i] == '\r') break;
      if (const std::size_t found = separators.find(text_[i]); found != std::string_view::npos) ++counts[found];
    }
    for (std::size_t i = 0; i < separators.size(); ++i) {
      if (counts[i] > 0) return separators[i];
    }
    return has_blanks_between() ? ' ' : ',';
  }

  bool take_separator() {
    if (at_ >= text_.size() || text_[at_] != separator_) return false;
    ++at_;
    if (separator_ != ' ') return true;
    at_ = std::min(text_.find_first_not_of(' ', at_), text_.size());
    return at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r';  // else they stand at the line's end
  }

  bool take_line_end() {
    if (at_ >= text_.size() || (text_[at_] != '\n' && text_[at_] != '\r')) return false;
    at_ += text_.substr(at_).starts_with("\r\n") ? 2 : 1;
    ++line_after_;
    return true;
  }

  CsvField field() {
    if (separator_ == ' ') at_ = std::min(text_.find_first_not_of(' ', at_), text_.size());
    std::size_t start = at_;
    while (start < text_.size() && text_[start] == ' ') ++start;
    if (start < text_.size() && text_[start] == '"') return quoted(start + 1);
    const char ends[] = {separator_, '\n', '\r', '\0'};
    const std::size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
    const CsvField found{text_.substr(at_, end - at_)};
    at_ = end;
    return found;
  }

  CsvField quoted(std::size_t start) {
    CsvField found{{}, true};
    std::size_t end = start;
    while (true) {
      end = text_.find('"', end);
      if (end == std::string_view::npos) {
        throw Error(fmt::format("Line {} opens a quotation mark that nothing closes.", line_));
      }
      if (end + 1 >= text_.size() || text_[end + 1] != '"') break;
      found.has_marks = true;
      end += 2;
    }
    found.raw = text_.substr(start, end - start);
    line_after_ += static_cast<std::size_t>(std::ranges::count(found.raw, '\n'));
    at_ = end + 1;
    while (separator_ != ' ' && at_ < text_.size() && text_[at_] == ' ') ++at_;
    return found;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_after_ = 1;
  char separator_ = ',';
};

// The lines as they come; only at the end is it known whether the first column holds names.
struct Table {
  std::vector<CsvField> header;  // empty without one
  bool first_has_names = false;
  AlignedFloats numbers;  // row by row; 0 for a name in the first column
  std::size_t rows = 0;
  std::size_t columns = 0;
  char decimal_sign = '\0';  // '.' or ',', as the first number with one of them has it
};

// An empty heading, as pandas writes it, is that of a column of names.
bool names_rows(const CsvField& heading) {
  static constexpr std::string_view words[] = {"", "token", "tokens", "query", "name", "word", "index"};
  return std::ranges::find(words, lower_case(trimmed(heading.raw))) != std::end(words);
}

// A first line of names; or of the numbers 0, 1, 2, … or 1, 2, 3, … beside a heading of a column of names.
bool is_header(const std::vector<CsvField>& fields, char separator) {
  const auto number = [separator](const CsvField& field) { return number_in(field, separator); };
  if (std::ranges::any_of(fields, [&](const CsvField& field) { return has_decimal_comma(field, separator); }))
    return false;
  if (fields.size() == 1) return !number(fields[0]);
  if (std::none_of(fields.begin() + 1, fields.end(), number)) return true;
  if (!names_rows(fields[0])) return false;
  const double first = number(fields[1]).value_or(-1);
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (number(fields[i]) != first + static_cast<double>(i - 1)) return false;
  }
  return first == 0 || first == 1;
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

// Throws Error if some numbers have a decimal comma and others a point, since one of both then groups thousands.
void check_decimal_sign(Table& table, const CsvField& field, std::size_t column, const CsvText& text) {
  if (text.separator() == ',' || field.is_quoted) return;
  const bool has_comma = field.raw.find(',') != std::string_view::npos;
  if (!has_comma && field.raw.find('.') == std::string_view::npos) return;
  const char sign = has_comma ? ',' : '.';
  if (table.decimal_sign == '\0') table.decimal_sign = sign;
  if (table.decimal_sign == sign) return;
  throw Error(fmt::format(
      "Line {}, column {} holds {}, but numbers before it have a decimal {}: write all of them with a point.",
      text.line(), column + 1, in_quotes(trimmed(field.raw)), has_comma ? "point" : "comma"));
}

void take_row(Table& table, std::vector<CsvField>& fields, const CsvText& text) {
  if (table.columns == 0 || fields.size() == table.columns + 1) drop_empty_end(fields);
  if (table.columns == 0) table.columns = fields.size();
  if (fields.size() != table.columns) {
    throw Error(
        fmt::format("Line {} has {} fields, but the lines before it have {}: all lines must have the same length.",
                    text.line(), fields.size(), table.columns));
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::optional<double> number = number_in(fields[i], text.separator());
    const bool may_be_name = i == 0 && !has_decimal_comma(fields[0], text.separator());
    if (!number && !may_be_name) refuse_field(fields[i], text.line(), i, text.separator());
    if (number) check_decimal_sign(table, fields[i], i, text);
    table.first_has_names = table.first_has_names || !number;
    table.numbers.push_back(static_cast<float>(number.value_or(0)));
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
    if (is_first) drop_empty_end(fields);
    visit(fields, text, is_first && is_header(fields, text.separator()));
  }
}

Table read_table(std::string_view content, const PartWatch& watch) {
  Table table;
  table.numbers.reserve(content.size() / 2 + 1);  // a number takes two bytes or more; what is not used takes no memory
  for_each_line(content, [&](std::vector<CsvField>& fields, const CsvText& text, bool is_header) {
    if (is_header) {
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
std::vector<std::string> names_in(std::string_view content, std::size_t rows, const PartWatch& watch) {
  std::vector<std::string> names;
  names.reserve(rows);
  for_each_line(content, [&](const std::vector<CsvField>& fields, const CsvText&, bool is_header) {
    if (watch) watch(1);
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
  if (table.first_has_names) file.row_names = names_in(text, table.rows, watch);
  const std::size_t columns = table.columns - (table.first_has_names ? 1 : 0);
  for (std::size_t i = table.header.size() - std::min(columns, table.header.size()); i < table.header.size(); ++i)
    file.column_names.push_back(table.header[i].text());
  const auto tensor = std::make_shared<const Tensor>(tensor_of(table));
  ArrayView array;
  array.shape = tensor->shape;
  const auto* const numbers = reinterpret_cast<const char*>(tensor->values.data());
  array.bytes = {std::string_view(numbers, tensor->values.size() * sizeof(float)), tensor};
  file.arrays.push_back(std::move(array));
  return file;
}

}  // namespace attnscope
