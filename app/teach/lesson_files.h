#pragma once

#include <filesystem>
#include <vector>

#include "teach/lesson.h"

namespace attnscope {

// Whether it is a folder, or a JSON file with the steps of a lesson: not whether they are right.
bool is_lesson_path(const std::filesystem::path& path);

// The file itself, or the files ending in .json of a folder, by name.
std::vector<std::filesystem::path> lesson_files(const std::filesystem::path& path);

// Throws Error whose sentence names the file.
Lesson load_lesson(const std::filesystem::path& file, const DocumentFiles& files = {});

}  // namespace attnscope
