# How our own targets are compiled: strict warnings, the sanitizers, and no threads inside Eigen.
add_library(attnscope_options INTERFACE)
if(EMSCRIPTEN)
  # Warnings are for developers, who have the same files in a window. Clang's library calls stop tokens experimental.
  target_compile_options(attnscope_options INTERFACE -w -Wno-c++11-narrowing -fwasm-exceptions -msimd128 -fexperimental-library)
else()
  target_compile_options(attnscope_options INTERFACE -Wall -Wextra -Wconversion)
endif()
if(ATTNSCOPE_WERROR)
  target_compile_options(attnscope_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC looks for memory that it can use again from half a gigabyte on, not before: less to do for a fifth more memory.
  target_compile_options(attnscope_options INTERFACE --param=ggc-min-heapsize=524288)
endif()
if(ATTNSCOPE_BATCH GREATER 1 AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Files that are compiled as one see each other's functions, and a variable may have the name of a neighbour's.
  target_compile_options(attnscope_options INTERFACE -Wshadow=local)
else()
  target_compile_options(attnscope_options INTERFACE -Wshadow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in the standard library's own string operators, writes beyond the end in fmt's parser
  # and an std::stop_source that reads itself before it is made, where there are none.
  target_compile_options(attnscope_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds
    -Wno-maybe-uninitialized)
endif()
# Precompiled headers are shared by targets of the same options only, and this one comes with some packages.
if(NOT EMSCRIPTEN)
  target_compile_options(attnscope_options INTERFACE -pthread)
endif()
target_compile_definitions(attnscope_options INTERFACE EIGEN_DONT_PARALLELIZE)
if(ATTNSCOPE_ASSERTS AND CMAKE_BUILD_TYPE STREQUAL "Release")
  # Ours, which no inner loop has; Eigen's are in each access to a number.
  target_compile_options(attnscope_options INTERFACE -UNDEBUG)
  target_compile_definitions(attnscope_options INTERFACE EIGEN_NO_DEBUG)
endif()
if(ATTNSCOPE_SANITIZE)
  if(ATTNSCOPE_SANITIZE MATCHES "thread" AND ATTNSCOPE_OPENMP)
    message(FATAL_ERROR "ThreadSanitizer cannot see how OpenMP's threads wait for each other: set ATTNSCOPE_OPENMP to OFF.")
  endif()
  target_compile_options(attnscope_options INTERFACE
    -fsanitize=${ATTNSCOPE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(attnscope_options INTERFACE -fsanitize=${ATTNSCOPE_SANITIZE})
  if(ATTNSCOPE_SANITIZE MATCHES "undefined" AND NOT ATTNSCOPE_FUZZ)
    # AddressSanitizer sees bad pointers when they are used. Looking at each before that takes the compiler as long as
    # everything else.
    target_compile_options(attnscope_options INTERFACE -fno-sanitize=null,alignment,object-size,pointer-overflow)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code hides from GCC what a variant holds, and it warns where nothing is wrong. Frames that it keeps on
    # the heap to find uses after a return are not aligned to 64 bytes, which code for AVX-512 takes for granted.
    target_compile_options(attnscope_options INTERFACE -Wno-maybe-uninitialized)
    if(ATTNSCOPE_SANITIZE MATCHES "address")
      target_compile_options(attnscope_options INTERFACE --param=asan-use-after-return=0)
    endif()
  endif()
endif()
if(ATTNSCOPE_FUZZ)
  target_compile_options(attnscope_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# attnscope_units(units name sources...): the files to compile for these sources. Several are compiled as one, since most of
# the time goes into the headers that they share. They are included by relative paths, so that a compiler's cache serves
# every checkout (CMake's own unity builds have absolute ones). Sources with options of their own are compiled alone.
function(attnscope_units units name)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/units)
  set(files)
  set(count 0)
  set(sources ${ARGN})
  list(SORT sources)
  foreach(source IN LISTS sources)
    get_filename_component(path ${source} ABSOLUTE)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(is_generated ${source} GENERATED)
    if(options OR is_generated)
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
    if(ATTNSCOPE_BATCH LESS_EQUAL 1 OR options OR is_generated)
      list(APPEND files ${path})
      continue()
    endif()
    file(RELATIVE_PATH path ${folder} ${path})
    math(EXPR unit "${count} / ${ATTNSCOPE_BATCH}")
    math(EXPR count "${count} + 1")
    string(APPEND text_${unit} "#include \"${path}\"\n")
  endforeach()
  if(count GREATER 0)
    foreach(number RANGE ${unit})
      file(CONFIGURE OUTPUT ${folder}/${name}_${number}.cpp CONTENT "${text_${number}}")
      list(APPEND files ${folder}/${name}_${number}.cpp)
    endforeach()
  endif()
  set(${units} ${files} PARENT_SCOPE)
endfunction()

# What nearly every file includes, as the language and fmt have it, for attnscope_headers.
set(attnscope_common_headers <algorithm> <array> <charconv> <cmath> <cstdint> <cstdlib> <filesystem> <functional> <limits>
    <map> <memory> <mutex> <optional> <set> <span> <stop_token> <string> <string_view> <thread> <utility> <variant>
    <vector> <fmt/format.h> <fmt/ranges.h> <Eigen/Core>)

# attnscope_headers(name LINKS ... HEADERS ...): headers that are compiled once, for the targets that name it as their
# HEADERS_OF. Each of these has to link what it links, so that no wall has a hole, and to have the same options: GCC
# compiles with those of the headers, whatever the target's own are. The compiler warns of nothing in them.
# tests/lint.sh reads core and app without them, so that a missing include is seen.
function(attnscope_headers name)
  cmake_parse_arguments(ARG "" "" "LINKS;HEADERS;OPTIONS" ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "// The headers are all there is.\n")
  add_library(${name} STATIC ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} attnscope_options)
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# attnscope_library(name SOURCES ... LINKS ... [OWN ...] [FOLDER ...] [HEADERS ... [OPTIONS ...] | HEADERS_OF ...]): a
# static library of ours. What it links is all that it may include, and who links it may include that, too, except what
# is its OWN. Libraries that name it as their HEADERS_OF have its OPTIONS for the compiler, too. Each library exports a
# folder of the build tree that holds nothing but a link to its own headers, so that "document/document.h" is found by
# those that link attnscope_document and by no others. FOLDER is what it exports, seen from the root or from app/; its
# own folder by default.
function(attnscope_library name)
  cmake_parse_arguments(ARG "" "FOLDER;HEADERS_OF" "SOURCES;LINKS;OWN;HEADERS;OPTIONS" ${ARGN})
  attnscope_units(units ${name} ${ARG_SOURCES})
  add_library(${name} STATIC ${units})
  target_link_libraries(${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_OWN} attnscope_options)
  if(ARG_HEADERS_OF)
    target_precompile_headers(${name} REUSE_FROM ${ARG_HEADERS_OF})
    get_target_property(ARG_OPTIONS ${ARG_HEADERS_OF} COMPILE_OPTIONS)
  elseif(ARG_HEADERS)
    target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  endif()
  if(ARG_OPTIONS)
    target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  endif()
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  if(ARG_FOLDER)
    set(folder ${PROJECT_SOURCE_DIR}/${ARG_FOLDER})
  endif()
  file(RELATIVE_PATH spelling ${PROJECT_SOURCE_DIR} ${folder})
  string(REGEX REPLACE "^app/" "" spelling ${spelling})
  set(exported ${PROJECT_BINARY_DIR}/include/${name})
  get_filename_component(parent ${exported}/${spelling} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${folder} ${exported}/${spelling} SYMBOLIC)
  target_include_directories(${name} PUBLIC ${exported})
endfunction()

# attnscope_leave_out(sources NAMES...): takes files out of a list of sources, because a page has not what they need.
function(attnscope_leave_out sources)
  set(left ${${sources}})
  list(JOIN ARGN "|" names)
  list(FILTER left EXCLUDE REGEX "/(${names})\\.cpp$")
  set(${sources} ${left} PARENT_SCOPE)
endfunction()
