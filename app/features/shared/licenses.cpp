#include "features/shared/licenses.h"

#include <fmt/format.h>

#include "assets/assets.h"
#include "document/document.h"

namespace attnscope {
namespace {

constexpr License table[] = {
    {"Dear ImGui", "MIT", "2014 Omar Cornut"},
    {"Eigen", "MPL-2.0", "2006 Benoit Jacob, Gael Guennebaud and others; source at https://eigen.tuxfamily.org"},
    {"glad", "MIT AND Apache-2.0", "2013 David Herberth, The Khronos Group Inc."},
    {"JSON for Modern C++", "MIT", "2013 Niels Lohmann"},
    {"CLI11", "BSD-3-Clause", "2017 University of Cincinnati, developed by Henry Schreiner"},
    {"{fmt}", "MIT", "2012 Victor Zverovich", "libfmt"},
    {"stb", "MIT OR Unlicense", "2014 Sean Barrett", "libstb"},
    {"GLFW", "Zlib", "2002 Marcus Geelnard, 2006 Camilla Löwy", "libglfw"},
    {"libglvnd", "MIT", "2013 NVIDIA Corporation, The Khronos Group Inc.", "libEGL libGL"},
    {"cairo", "LGPL-2.1-only OR MPL-1.1", "2002 University of Southern California, Red Hat, Inc. and others",
     "libcairo"},
    {"Pango", "LGPL-2.0-or-later", "1999 Red Hat, Inc. and others", "libpango"},
    {"GLib", "LGPL-2.1-or-later", "1995 Peter Mattis, Spencer Kimball, Red Hat, Inc. and others",
     "libglib libgobject libgio libgmodule"},
    {"Fontconfig", "MIT", "2000 Keith Packard and others", "libfontconfig"},
    {"FreeType", "FTL OR GPL-2.0-only", "1996 David Turner, Robert Wilhelm and Werner Lemberg", "libfreetype"},
    {"libpng", "libpng-2.0", "1995 The PNG Reference Library Authors", "libpng"},
    {"giflib", "MIT", "1997 Eric S. Raymond", "libgif"},
    {"libzip", "BSD-3-Clause", "1999 Dieter Baron and Thomas Klausner", "libzip"},
    {"zlib", "Zlib", "1995 Jean-loup Gailly and Mark Adler", "libz.so"},
    {"Expat", "MIT", "1998 Thai Open Source Software Center Ltd, Expat maintainers", "libexpat"},
    {"QPDF", "Apache-2.0", "2005 Jay Berkenbilt", "libqpdf"},
    {"PCRE2", "BSD-3-Clause", "1997 University of Cambridge", "libpcre2"},
    {"GNU OpenMP and C++ libraries", "GPL-3.0-or-later WITH GCC-exception-3.1", "Free Software Foundation, Inc.",
     "libgomp libstdc++ libgcc_s"},
    {"GNU C library", "LGPL-2.1-or-later", "Free Software Foundation, Inc.",
     "libc.so libm.so libdl.so libpthread.so librt.so ld-linux linux-vdso"},
    {"HarfBuzz", "MIT", "2006 Behdad Esfahbod, Google, Inc. and others", "libharfbuzz"},
    {"pixman", "MIT", "1987 The Open Group, Red Hat, Inc. and others", "libpixman"},
    {"GNU FriBidi", "LGPL-2.1-or-later", "1999 Dov Grobgeld, Behdad Esfahbod and others", "libfribidi"},
    {"libthai, libdatrie", "LGPL-2.1-or-later", "2001 Theppitak Karoonboonyanan and others", "libthai libdatrie"},
    {"Graphite2", "LGPL-2.1-or-later OR MPL-2.0 OR GPL-2.0-or-later", "2010 SIL International", "libgraphite2"},
    {"Brotli", "MIT", "2009 The Brotli Authors", "libbrotli"},
    {"bzip2", "bzip2-1.0.6", "1996 Julian R Seward", "libbz2"},
    {"XZ Utils", "0BSD", "2005 Lasse Collin and others", "liblzma"},
    {"Zstandard", "BSD-3-Clause OR GPL-2.0-only", "2016 Meta Platforms, Inc.", "libzstd"},
    {"libffi", "MIT", "1996 Anthony Green, Red Hat, Inc. and others", "libffi"},
    {"libatomic", "GPL-3.0-or-later WITH GCC-exception-3.1", "Free Software Foundation, Inc.", "libatomic"},
    {"libjpeg-turbo", "IJG AND BSD-3-Clause AND Zlib", "1991 Thomas G. Lane, D. R. Commander and others", "libjpeg"},
    {"GnuTLS", "LGPL-2.1-or-later", "2000 Free Software Foundation, Inc. and others", "libgnutls"},
    {"Nettle", "LGPL-3.0-or-later OR GPL-2.0-or-later", "2001 Niels Möller", "libnettle libhogweed"},
    {"GNU MP", "LGPL-3.0-or-later OR GPL-2.0-or-later", "1991 Free Software Foundation, Inc.", "libgmp"},
    {"Libidn2, libunistring", "LGPL-3.0-or-later OR GPL-2.0-or-later",
     "1995 Free Software Foundation, Inc., Simon Josefsson", "libidn2 libunistring"},
    {"GNU Libtasn1", "LGPL-2.1-or-later", "2002 Free Software Foundation, Inc.", "libtasn1"},
    {"p11-kit", "BSD-3-Clause", "2011 Collabora Ltd., Red Hat, Inc.", "libp11-kit"},
    {"OpenSSL", "Apache-2.0", "1995 The OpenSSL Project Authors", "libcrypto libssl"},
    {"libselinux", "libselinux-1.0", "2004 Red Hat, Inc.", "libselinux"},
    {"util-linux", "LGPL-2.1-or-later", "1999 Karel Zak, Theodore Ts'o and others", "libmount libblkid"},
    {"libbsd, libmd", "BSD-3-Clause", "2004 Guillem Jover and others", "libbsd libmd"},
    {"X11's libraries", "MIT", "1984 The Open Group, the X.Org Foundation and others",
     "libX11 libXau libXdmcp libXext libXrender libxcb libXrandr libXi libXcursor libXinerama libXxf86vm libXfixes"},
};

// These licenses want their whole text in every copy of the program, with the notice of the holder.
constexpr const char* whole_texts[] = {"BSD-3-Clause"};

}  // namespace

std::span<const License> licenses() { return table; }

std::string licenses_text() {
  std::string text = fmt::format("attnscope {}\n\n{}\n", version(), asset("licenses/MIT.txt"));
  text +=
      "It is made with these, under their own terms (SPDX's names). Each text is at https://spdx.org/licenses, and on\n"
      "Debian those of the GPL, the LGPL, the MPL and Apache are in /usr/share/common-licenses.\n\n";
  for (const License& license : table) {
    text += fmt::format("{}: {}\n    Copyright {}\n", license.name, license.terms, license.holder);
    text += *license.libraries ? fmt::format("    shared: {}\n", license.libraries) : "    compiled in\n";
  }
  text += "\nWhere MIT is named, the text above holds, with the holders of that row.\n";
  for (const char* const name : whole_texts) {
    text += fmt::format("\n{}\n\n{}", name, asset(fmt::format("licenses/{}.txt", name)));
  }
  return text;
}

}  // namespace attnscope
