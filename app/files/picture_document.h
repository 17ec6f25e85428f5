#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "document/file_formats.h"
#include "document/imported_document.h"
#include "platform/system/file.h"

// A picture is a document: what is exported carries the document that it shows, where other programs keep it but do not
// show it.
namespace attnscope {

// Returns the kind of picture that begins with these bytes; none for text and for other files.
std::optional<PictureKind> picture_kind(std::string_view bytes);

// Returns the picture with the document in it, in place of one that it carried. This program made `picture`, so it is
// trusted. PNG: a compressed iTXt chunk "attnscope". SVG: a <metadata> element with the JSON. PDF: an embedded file
// "attnscope.json". GIF: an application extension. A format that does not reopen returns unchanged. Throws Error if the
// result would be too large to be opened again. `carrier` is the file that the picture will be, or empty. `view` says
// how the picture looks at the document, in a line of ASCII; it stands before the document's other keys.
std::string with_document(const std::string& picture, PictureKind kind, const AnyDocument& document,
                          const std::filesystem::path& carrier = {}, std::string_view view = {});

// Takes the view out of the JSON that a picture carries; returns empty if there is none.
std::string take_view_out(std::string& json);

// Returns the JSON of the document that a picture carries, if any. Any bytes may be passed: a picture that is broken,
// cut off or carries two documents throws Error with one sentence, and never more than max_document_bytes is unpacked.
std::optional<std::string> document_in(const std::string& bytes, const PartWatch& watch = {});

// Returns the document of a picture that must carry one: a picture without it throws Error that says how it may have
// lost it, and so do kinds of pictures that never carry one. None for other bytes, which may be the text of a document.
std::optional<std::string> document_of_picture(const std::string& bytes, const PartWatch& watch = {});

// How each format carries a document's JSON. Private to this folder; picture_document.h says what they do.

std::string with_text_in_png(const std::string& png, const std::string& json);
std::string with_text_in_svg(const std::string& svg, const std::string& json);
std::string with_text_in_gif(const std::string& gif, const std::string& json);
std::string with_text_in_pdf(const std::string& pdf, const std::string& json);

std::optional<std::string> text_in_png(std::string_view png, const PartWatch& watch);
std::optional<std::string> text_in_svg(std::string_view svg, const PartWatch& watch);
std::optional<std::string> text_in_gif(std::string_view gif, const PartWatch& watch);
std::optional<std::string> text_in_pdf(std::string_view pdf, const PartWatch& watch);

// Takes the text that was found. Throws Error if there was one before, because neither could be trusted and unpacking
// any number of them would take any time.
void take_text(std::optional<std::string>& found, std::string text);

}  // namespace attnscope
