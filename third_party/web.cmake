# The same targets for the page, which Emscripten compiles: no Debian has its libraries, so they are compiled from the
# source packages that tools/web.sh unpacks. What a page has not (other programs, PDF, Cairo) has no target with content.
set(ATTNSCOPE_WEB_SOURCES /usr/src/attnscope CACHE PATH "Folder of the unpacked source packages")
file(GLOB web_folders LIST_DIRECTORIES TRUE ${ATTNSCOPE_WEB_SOURCES}/*)
foreach(name zlib libpng giflib fribidi freetype pcre2 imgui expat libzip)
  set(folder ${web_folders})
  list(FILTER folder INCLUDE REGEX "/(lib)?${name}-(R_)?[0-9._]+$")
  if(NOT folder)
    message(FATAL_ERROR "${ATTNSCOPE_WEB_SOURCES} has no sources of ${name}: build the page by ./dev web.")
  endif()
  set(${name} ${folder})
endforeach()

foreach(name eigen json fmt png zip zlib expat qpdf pcre2 glib fontconfig pango fribidi glfw egl gif imgui glad openmp threads)
  add_library(attnscope_${name} INTERFACE)
  add_library(attnscope::${name} ALIAS attnscope_${name})
endforeach()

# Headers alone, of the system. Its other headers are not those of the page, so each is linked into a folder.
set(web_include ${CMAKE_CURRENT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${web_include})
foreach(name fmt nlohmann eigen3/Eigen stb)
  get_filename_component(last ${name} NAME)
  file(CREATE_LINK /usr/include/${name} ${web_include}/${last} SYMBOLIC)
endforeach()
foreach(name eigen json fmt)
  target_include_directories(attnscope_${name} SYSTEM INTERFACE ${web_include})
endforeach()
target_compile_definitions(attnscope_fmt INTERFACE FMT_HEADER_ONLY)

# web_library(name FOLDER ... SOURCES ... [INCLUDE ...] [DEFINE ...]): compiles a library for attnscope::name.
function(web_library name)
  cmake_parse_arguments(ARG "" "FOLDER" "SOURCES;INCLUDE;DEFINE;LINKS" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND ${ARG_FOLDER}/)
  add_library(web_${name} STATIC ${ARG_SOURCES})
  target_compile_options(web_${name} PRIVATE -w -Os -fwasm-exceptions -msimd128)
  target_compile_definitions(web_${name} PRIVATE ${ARG_DEFINE})
  target_include_directories(web_${name} SYSTEM PUBLIC ${ARG_INCLUDE})
  target_link_libraries(web_${name} PUBLIC ${ARG_LINKS})
  if(TARGET attnscope_${name})
    target_link_libraries(attnscope_${name} INTERFACE web_${name})
  endif()
endfunction()

web_library(zlib FOLDER ${zlib} INCLUDE ${zlib} DEFINE HAVE_UNISTD_H
  SOURCES adler32.c compress.c crc32.c deflate.c inffast.c inflate.c inftrees.c trees.c uncompr.c zutil.c)

file(GLOB_RECURSE expat_lib ${expat}/xmlparse.c)
get_filename_component(expat_lib "${expat_lib}" DIRECTORY)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/expat/expat_config.h CONTENT "")
web_library(expat FOLDER ${expat_lib} INCLUDE ${expat_lib} ${CMAKE_CURRENT_BINARY_DIR}/expat
  DEFINE XML_STATIC XML_NS XML_DTD XML_GE=1 XML_CONTEXT_BYTES=1024 BYTEORDER=1234 XML_POOR_ENTROPY HAVE_MEMMOVE
  SOURCES xmlparse.c xmlrole.c xmltok.c)

# Archives are read and written in memory, without ciphers. libzip's own configuration asks the compiler for minutes.
set(zipconf "#pragma once\n#include <inttypes.h>\n#define ZIP_STATIC\n#define ZIP_INT64_MIN INT64_MIN\n#define ZIP_INT64_MAX INT64_MAX\n")
foreach(bits 8 16 32 64)
  string(APPEND zipconf "typedef int${bits}_t zip_int${bits}_t;\ntypedef uint${bits}_t zip_uint${bits}_t;\n"
    "#define ZIP_UINT${bits}_MAX UINT${bits}_MAX\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/zip/zipconf.h CONTENT "${zipconf}#define LIBZIP_VERSION \"0\"\n")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/zip/config.h CONTENT "#include \"zipconf.h\"\n")
file(READ ${libzip}/lib/zip.h zip_header)
string(REGEX MATCHALL "ZIP_ER_[A-Z_0-9]+ [0-9]+ +/\\* [A-Z] [^*]+\\*/" zip_errors "${zip_header}")
list(LENGTH zip_errors zip_error_count)
list(TRANSFORM zip_errors REPLACE ".*/\\* [A-Z] ([^*]+[^* ]) *\\*/" "\"\\1\"")
list(JOIN zip_errors "," zip_errors)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/zip/errors.c CONTENT "#include \"zipint.h\"
const char* const _zip_err_str[] = {${zip_errors}};
const int _zip_nerr_str = ${zip_error_count};
const int _zip_err_type[${zip_error_count}] = {0};
")
file(GLOB zip_sources RELATIVE ${libzip}/lib ${libzip}/lib/*.c)
list(FILTER zip_sources EXCLUDE REGEX "crypto|win32|uwp|winzip_aes|bzip2|_xz|zstd|mkstemp|random_w|random_u[wx]p|fdopen|source_file_stdio_named")
web_library(zip FOLDER ${libzip}/lib INCLUDE ${libzip}/lib ${CMAKE_CURRENT_BINARY_DIR}/zip LINKS web_zlib
  DEFINE HAVE_FILENO HAVE_FSEEKO HAVE_FTELLO HAVE_LOCALTIME_R HAVE_SNPRINTF HAVE_STRCASECMP HAVE_STRDUP HAVE_STDBOOL_H
         HAVE_STRINGS_H HAVE_UNISTD_H SIZEOF_OFF_T=8 SIZEOF_SIZE_T=4
  SOURCES ${zip_sources})
target_sources(web_zip PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/zip/errors.c)

file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/png ${CMAKE_CURRENT_BINARY_DIR}/pcre2)
file(COPY_FILE ${libpng}/scripts/pnglibconf.h.prebuilt ${CMAKE_CURRENT_BINARY_DIR}/png/pnglibconf.h ONLY_IF_DIFFERENT)
web_library(png FOLDER ${libpng} INCLUDE ${libpng} ${CMAKE_CURRENT_BINARY_DIR}/png LINKS web_zlib
  SOURCES png.c pngerror.c pngget.c pngmem.c pngpread.c pngread.c pngrio.c pngrtran.c pngrutil.c pngset.c pngtrans.c
          pngwio.c pngwrite.c pngwtran.c pngwutil.c)

# What Debian's library has and the original leaves to its own programs.
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/gif/gif_lib.h CONTENT "#pragma once
#include \"${giflib}/gif_lib.h\"
extern \"C\" int GifQuantizeBuffer(unsigned, unsigned, int*, const GifByteType*, const GifByteType*, const GifByteType*,
                                 GifByteType*, GifColorType*);
")
web_library(gif FOLDER ${giflib}
  SOURCES dgif_lib.c egif_lib.c gifalloc.c gif_err.c gif_hash.c openbsd-reallocarray.c quantize.c)

set(FRIBIDI_INTERFACE_VERSION 4)
set(SIZEOF_INT 4)
configure_file(${fribidi}/lib/fribidi-config.h.in ${CMAKE_CURRENT_BINARY_DIR}/fribidi/fribidi-config.h @ONLY)
web_library(fribidi FOLDER ${fribidi}/lib INCLUDE ${fribidi}/lib ${CMAKE_CURRENT_BINARY_DIR}/fribidi
  DEFINE HAVE_STRINGIZE=1 HAVE_STDLIB_H=1 HAVE_STRING_H=1 STDC_HEADERS=1 FRIBIDI_LIB_STATIC
  SOURCES fribidi.c fribidi-arabic.c fribidi-bidi.c fribidi-bidi-types.c fribidi-joining.c fribidi-joining-types.c
          fribidi-mirroring.c fribidi-run.c fribidi-shape.c fribidi-brackets.c fribidi-deprecated.c)

# Outlines alone: no bitmap fonts and no packed ones.
set(freetype_modules autofit_module_class=Module_Class tt_driver_class=Driver_ClassRec cff_driver_class=Driver_ClassRec
    psaux_module_class=Module_Class psnames_module_class=Module_Class pshinter_module_class=Module_Class
    sfnt_module_class=Module_Class ft_smooth_renderer_class=Renderer_Class)
list(TRANSFORM freetype_modules REPLACE "(.+)=(.+)" "FT_USE_MODULE( FT_\\2, \\1 )\n")
list(JOIN freetype_modules "" freetype_modules)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/freetype/freetype/config/ftmodule.h CONTENT "${freetype_modules}")
web_library(freetype_sources FOLDER ${freetype}/src INCLUDE ${CMAKE_CURRENT_BINARY_DIR}/freetype ${freetype}/include
  DEFINE FT2_BUILD_LIBRARY FT_CONFIG_OPTION_SYSTEM_ZLIB LINKS web_zlib
  SOURCES base/ftsystem.c base/ftbase.c base/ftbbox.c base/ftbitmap.c base/ftdebug.c base/ftglyph.c base/ftinit.c base/ftmm.c
          base/ftsynth.c base/ftstroke.c autofit/autofit.c truetype/truetype.c cff/cff.c psaux/psaux.c psnames/psnames.c
          pshinter/pshinter.c sfnt/sfnt.c smooth/smooth.c gzip/ftgzip.c)

set(pcre2_folder ${CMAKE_CURRENT_BINARY_DIR}/pcre2)
file(COPY_FILE ${pcre2}/src/config.h.generic ${pcre2_folder}/config.h ONLY_IF_DIFFERENT)
file(COPY_FILE ${pcre2}/src/pcre2.h.generic ${pcre2_folder}/pcre2.h ONLY_IF_DIFFERENT)
file(COPY_FILE ${pcre2}/src/pcre2_chartables.c.dist ${pcre2}/src/pcre2_chartables.c ONLY_IF_DIFFERENT)
set(pcre2_parts auto_possess chartables chkdint compile compile_class config context convert dfa_match error extuni
    find_bracket jit_compile maketables match match_data newline ord2utf pattern_info script_run serialize string_utils
    study substitute substring tables ucd valid_utf xclass)
list(TRANSFORM pcre2_parts REPLACE "(.+)" "pcre2_\\1.c")
web_library(pcre2 FOLDER ${pcre2}/src INCLUDE ${pcre2_folder} ${pcre2}/src
  DEFINE PCRE2_CODE_UNIT_WIDTH=8 HAVE_CONFIG_H SUPPORT_UNICODE SUPPORT_PCRE2_8 HAVE_MEMMOVE PCRE2_STATIC
  SOURCES ${pcre2_parts})

web_library(imgui FOLDER ${imgui} INCLUDE ${imgui} ${imgui}/backends ${imgui}/misc/freetype ${imgui}/misc/cpp ${web_include}/stb
  DEFINE IMGUI_ENABLE_FREETYPE IMGUI_IMPL_OPENGL_ES3 LINKS web_freetype_sources
  SOURCES imgui.cpp imgui_draw.cpp imgui_tables.cpp imgui_widgets.cpp misc/freetype/imgui_freetype.cpp
          misc/cpp/imgui_stdlib.cpp backends/imgui_impl_opengl3.cpp)
target_include_directories(attnscope_gif SYSTEM INTERFACE ${CMAKE_CURRENT_BINARY_DIR}/gif)
# WebGL cannot begin to count vertices at another one than the first, so that 16 bits would be too few.
target_compile_definitions(web_imgui PUBLIC "ImDrawIdx=unsigned int")
# Only our own files see these options: the libraries above have theirs.
target_compile_definitions(attnscope_pcre2 INTERFACE PCRE2_STATIC)
target_include_directories(attnscope_pango SYSTEM INTERFACE ${PROJECT_SOURCE_DIR}/app/platform/web/canvas)
