#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "files/picture_document.h"

namespace attnscope {
void PrintTo(PictureKind kind, std::ostream* out);  // for GoogleTest
}

namespace attnscope::test {

// A picture of each kind without a document: a PNG of noise, an SVG of text and rectangles, and that SVG as Cairo makes
// a PDF of it (rsvg-convert); a GIF of noise.
std::string plain_picture(PictureKind kind);

inline constexpr PictureKind picture_kinds[] = {PictureKind::png, PictureKind::svg, PictureKind::pdf, PictureKind::gif};
inline constexpr PictureKind still_kinds[] = {PictureKind::png, PictureKind::svg, PictureKind::pdf};  // of figures
std::string kind_name(PictureKind kind);                                                              // "png"

// A document with everything that a format could lose: markup, spaces, characters that XML does not have, numbers at
// their limits, edited weights.
Document difficult_document();

// What a command of the shell prints, "{}" in it standing for a file with these bytes; fails the test when it fails.
std::string output_of(const std::string& command, const std::string& bytes);

}  // namespace attnscope::test
