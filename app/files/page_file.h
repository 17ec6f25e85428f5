#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace attnscope {

// A page for browsers is the program as one file. With files inside, it opens the first of them.
struct PageFile {
  std::string path;  // within the page: "lecture.json", "model/config.json"
  std::string bytes;
};

constexpr std::string_view no_page =
    "Pages are made of one that ./dev web builds in attnscope's sources, and this attnscope came without it.";

// Returns a document and the files of its trained model, unless that comes with the program. Throws Error if they are
// too large for a page.
std::vector<PageFile> page_files(const Document& document, const std::string& name);

// Puts files into a page, in the place of those inside. Throws Error if it is another page.
std::string page_with(std::string_view page, std::span<const PageFile> files);

// Writes a page with files inside; `empty` is the one that comes with the program, or no path. Throws Error.
void write_page(const std::filesystem::path& to, const std::filesystem::path& empty, std::span<const PageFile> files);

}  // namespace attnscope
