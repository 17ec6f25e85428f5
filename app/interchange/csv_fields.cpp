#include "interchange/csv_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "document/float_text.h"
#include "document/words.h"

namespace attnscope {

std::string CsvField::text() const {
  std::string said;
  std::string_view rest = is_quoted ? raw : trimmed(raw);
  while (!rest.empty()) {
    const std::size_t end = has_marks ? std::min(rest.find("\"\""), rest.size()) : rest.size();
    said += rest.substr(0, end + 1);
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return said;
}

std::optional<double> number_in(const CsvField& field) {
  if (field.is_quoted) return std::nullopt;
  return read_float(trimmed(field.raw));
}

CsvText::CsvText(std::string_view text) : text_(text) {
  skip_comments();
  separator_ = separator_of_first_line();
}

float CsvText::part_read() const {
  return text_.empty() ? 1 : static_cast<float>(at_) / static_cast<float>(text_.size());
}

bool CsvText::next(std::vector<CsvField>& fields) {
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
    throw Error(
        fmt::format("Line {} goes on after a closing quotation mark: put the whole field in quotation marks.", line_));
  }
  const bool is_blank = fields.size() == 1 && !fields[0].is_quoted && trimmed(fields[0].raw).empty();
  return is_blank ? next_after_blank(fields) : true;
}

bool CsvText::next_after_blank(std::vector<CsvField>& fields) {
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
void CsvText::skip_comments() {
  while (text_.substr(at_).starts_with("# ")) {
    at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    take_line_end();
  }
}

char CsvText::separator_of_first_line() const {
  bool is_quoted = false;
  std::size_t counts[3] = {};
  constexpr std::string_view separators = "\t;,";
  for (std::size_t i = at_; i < text_.size(); ++i) {
    if (text_[i] == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (text_[i] == '\n' || text_[i] == '\r') break;
    if (const std::size_t found = separators.find(text_[i]); found != std::string_view::npos) ++counts[found];
  }
  for (std::size_t i = 0; i < separators.size(); ++i) {
    if (counts[i] > 0) return separators[i];
  }
  return ',';
}

bool CsvText::take_separator() {
  if (at_ >= text_.size() || text_[at_] != separator_) return false;
  ++at_;
  return true;
}

bool CsvText::take_line_end() {
  if (at_ >= text_.size() || (text_[at_] != '\n' && text_[at_] != '\r')) return false;
  at_ += text_.substr(at_).starts_with("\r\n") ? 2 : 1;
  ++line_after_;
  return true;
}

CsvField CsvText::field() {
  std::size_t start = at_;
  while (start < text_.size() && text_[start] == ' ') ++start;
  if (start < text_.size() && text_[start] == '"') return quoted(start + 1);
  const char ends[] = {separator_, '\n', '\r', '\0'};
  const std::size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
  const CsvField found{text_.substr(at_, end - at_)};
  at_ = end;
  return found;
}

CsvField CsvText::quoted(std::size_t start) {
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
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  return found;
}

}  // namespace attnscope
