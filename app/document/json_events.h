#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "document/json_fields.h"

// Turns the parser's events for numbers, strings, booleans and null into one call. Private to this folder.
namespace attnscope {

class JsonEvents : public nlohmann::json::json_sax_t {
public:
  bool null() override { return scalar({}); }
  bool boolean(bool value) override { return scalar({.kind = JsonScalar::Kind::boolean, .boolean = value}); }
  bool number_integer(nlohmann::json::number_integer_t value) override {
    return scalar({.kind = JsonScalar::Kind::negative, .negative = value});
  }
  bool number_unsigned(nlohmann::json::number_unsigned_t value) override {
    return scalar({.kind = JsonScalar::Kind::whole, .whole = value});
  }
  bool number_float(nlohmann::json::number_float_t value, const std::string& spelling) override {
    return scalar({.kind = JsonScalar::Kind::real, .real = value, .text = spelling});
  }
  bool string(std::string& value) override {
    return scalar({.kind = JsonScalar::Kind::text, .text = std::move(value)});
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }  // JSON text has none

protected:
  virtual bool scalar(const JsonScalar& value) = 0;
};

}  // namespace attnscope
