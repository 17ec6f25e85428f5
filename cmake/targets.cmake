# How our own targets are compiled: strict warnings as errors, the sanitizers, and no threads inside Eigen.
add_library(attnscope_options INTERFACE)
target_compile_options(attnscope_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in the standard library's own string operators where there are none.
  target_compile_options(attnscope_options INTERFACE -Wno-restrict)
endif()
target_compile_definitions(attnscope_options INTERFACE EIGEN_DONT_PARALLELIZE)
target_include_directories(attnscope_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/app)
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

# attnscope_library(name SOURCES ... LINKS ...): a static library of ours. What it links is all that it may include.
function(attnscope_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINKS} PRIVATE attnscope_options)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
endfunction()
