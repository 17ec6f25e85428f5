# Writes OUTPUT, a source file that holds every one of FILES (each NAME=PATH, separated by |) as bytes.
string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
set(table "")
set(index 0)
foreach(file IN LISTS FILES)
  string(REPLACE "=" ";" file "${file}")
  list(GET file 0 name)
  list(GET file 1 path)
  file(READ "${path}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "const unsigned char asset_${index}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", {reinterpret_cast<const char*>(asset_${index}), ${size}}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}" "#include \"assets/assets.h\"

#include <cassert>

namespace attnscope {
namespace {

${arrays}
const Asset table[] = {
${table}};

}  // namespace

std::span<const Asset> assets() { return table; }

std::string_view asset(std::string_view name) {
  for (const Asset& entry : table) {
    if (entry.name == name) return entry.bytes;
  }
  assert(false && \"an asset that is asked for must be listed in assets/CMakeLists.txt\");
  return {};
}

}  // namespace attnscope
")
