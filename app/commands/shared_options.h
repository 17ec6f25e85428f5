#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "commands/view_command.h"

namespace attnscope {

// Options that several commands take.

constexpr const char* document_help = "Document, or a picture that attnscope made; - for standard input";
constexpr const char* shown_help =
    "Document, picture that attnscope made, or attention of another program: .npy, .npz, .safetensors or a saved view";

CLI::Option* add_out(CLI::App& command, std::string& out, const std::string& words);
void add_view_options(CLI::App& command, ViewArguments& arguments);

}  // namespace attnscope
