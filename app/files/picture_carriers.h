#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "platform/system/file.h"

// How each format carries a document's JSON. Private to this folder; picture_document.h says what they do.
namespace attnscope {

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
