# How our own targets are compiled: strict warnings, the sanitizers, and no threads inside Eigen.
add_library(attnscope_options INTERFACE)
target_compile_options(attnscope_options INTERFACE -Wall -Wextra -Wconversion)
if(ATTNSCOPE_WERROR)
  target_compile_options(attnscope_options INTERFACE -Werror)
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Files that are compiled as one see each other's functions, and a variable may have the name of a neighbour's.
  target_compile_options(attnscope_options INTERFACE -Wshadow=local)
else()
  target_compile_options(attnscope_options INTERFACE -Wshadow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in the standard library's own string operators where there are none.
  target_compile_options(attnscope_options INTERFACE -Wno-restrict)
endif()
target_compile_definitions(attnscope_options INTERFACE EIGEN_DONT_PARALLELIZE)
if(ATTNSCOPE_SANITIZE)
  if(ATTNSCOPE_SANITIZE MATCHES "thread" AND ATTNSCOPE_OPENMP)
    message(FATAL_ERROR "ThreadSanitizer cannot see how OpenMP's threads wait for each other: set ATTNSCOPE_OPENMP to OFF.")
  endif()
  target_compile_options(attnscope_options INTERFACE
    -fsanitize=${ATTNSCOPE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(attnscope_options INTERFACE -fsanitize=${ATTNSCOPE_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code hides from GCC what a variant holds, and it warns where nothing is wrong.
    target_compile_options(attnscope_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(ATTNSCOPE_FUZZ)
  target_compile_options(attnscope_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# attnscope_library(name SOURCES ... LINKS ... [FOLDER ...]): a static library of ours. What it links is all that it may
# include: each library exports a folder of the build tree that holds nothing but a link to its own headers, so that
# "document/document.h" is found by those that link attnscope_document and by no others. FOLDER is what it exports,
# seen from the root or from app/; its own folder by default.
function(attnscope_library name)
  cmake_parse_arguments(ARG "" "FOLDER" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINKS} PRIVATE attnscope_options)
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
