// Someone who opens every panel, dialog, menu and list of the window, and fills every field and every number in them to
// the brim: with texts as long as they take, in every script, with the largest and the smallest numbers and with what
// is none; and who pulls every slider beyond its ends. After each step the document must be one, and the window must
// show it and stay within its bounds. Run it with --log FILE to find the step that a crash followed.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "brim_walker.h"

int main(int count, char** given) {
  attnscope::BrimOptions options;
  for (int at = 1; at + 1 < count; at += 2) {
    const std::string name = given[at];
    const std::string value = given[at + 1];
    if (name == "--size") std::sscanf(value.c_str(), "%dx%d", &options.width, &options.height);
    if (name == "--scale") options.scale = std::stof(value);
    if (name == "--interface") options.interface_scale = std::stof(value);
    if (name == "--theme") options.theme = static_cast<attnscope::ThemeId>(std::stoi(value));
    if (name == "--depth") options.depth = std::stoi(value);
    if (name == "--parts") options.parts = std::stoi(value);
    if (name == "--only") options.only = value;
    if (name == "--of") options.of = std::stoul(value);
    if (name == "--part") options.part = std::stoul(value);
    if (name == "--log") options.log = std::filesystem::absolute(value).string();
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      fmt::format("attnscope-brim-{}x{}-{}-{}", options.width, options.height, options.only, options.part);
  try {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::filesystem::current_path(folder);  // what is exported lies there
    attnscope::BrimWalker walker(options, folder);
    walker.walk();
    std::cout << walker.words() << ".\n";
    std::filesystem::current_path("/");
    std::filesystem::remove_all(folder);
    return walker.faults() == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "brim: " << error.what() << '\n';
    return 1;
  }
}
