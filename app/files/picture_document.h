#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "document/imported_document.h"
#include "document/picture_format.h"

// A picture is a document: what is exported carries the document that it shows, where other programs keep it but do not
// show it.
namespace attnscope {

// The kind of picture that the first bytes belong to; none for text and for other files.
std::optional<PictureKind> picture_kind(std::string_view bytes);

// The picture with the document in it, in place of one that it carried already. `picture` is one that this program made
// and is trusted. PNG: a compressed iTXt chunk "attnscope". SVG: a <metadata> element with the JSON. PDF: an embedded
// file "attnscope.json". GIF: an application extension. A format that does not reopen stays as it is. Throws Error when
// the result would be too large to be opened again. `carrier` is the file that the picture will be, empty where it is
// none. `view` says how the picture looks at the document, in a line of ASCII; it stands before the document's other
// keys.
std::string with_document(const std::string& picture, PictureKind kind, const AnyDocument& document,
                          const std::filesystem::path& carrier = {}, std::string_view view = {});

// Takes the view out of the JSON that a picture carries; empty where there is none.
std::string take_view_out(std::string& json);

// The JSON of the document that a picture carries, if any. Any bytes may be passed: a picture that is broken, cut off
// or carries two documents throws Error with one sentence, and never more than max_document_bytes is unpacked.
std::optional<std::string> document_in(const std::string& bytes, const PartWatch& watch = {});

// Returns the document where one is needed: a picture without one throws Error that says how it may have lost it, and
// so do kinds of pictures that never carry one. None for other bytes, which may be the text of a document.
std::optional<std::string> document_of_picture(const std::string& bytes, const PartWatch& watch = {});

}  // namespace attnscope
