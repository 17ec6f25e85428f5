#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Splits a .csv into fields; csv.cpp decides what they mean. Private to this folder.
namespace attnscope {

// A field as it stands in the file, which must stay: text() is its content.
struct CsvField {
  std::string_view raw;  // between the quotation marks, if there are any
  bool is_quoted = false;
  bool has_marks = false;  // doubled quotation marks in it

  std::string text() const;
};

// No table that can be used has more.
constexpr std::size_t max_csv_fields = 20'000;

// A field in quotation marks is a name whatever it spells. "inf" and "nan" are numbers, as Python writes them.
std::optional<double> number_in(const CsvField& field);

// Quoted fields may hold separators, line ends and doubled quotation marks. The separator is a tab, a semicolon or a
// comma, as the first line has it.
class CsvText {
public:
  explicit CsvText(std::string_view text);

  char separator() const { return separator_; }
  std::size_t line() const { return line_; }
  float part_read() const;  // from 0 to 1

  // The fields of the next line that is not blank; false at the end. Throws Error that names the line.
  bool next(std::vector<CsvField>& fields);

private:
  bool next_after_blank(std::vector<CsvField>& fields);
  void skip_comments();
  char separator_of_first_line() const;
  bool take_separator();
  bool take_line_end();
  CsvField field();
  CsvField quoted(std::size_t start);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_after_ = 1;
  char separator_ = ',';
};

}  // namespace attnscope
