#pragma once

#include <span>
#include <string>

namespace attnscope {

// A library that the program is built with, or that comes with one. Names of licenses are those of
// https://spdx.org/licenses.
struct License {
  const char* name = nullptr;
  const char* terms = nullptr;
  const char* holder = nullptr;
  const char* libraries =
      "";  // files of shared libraries begin with one of these words; empty: compiled into the program
};

std::span<const License> licenses();  // of what the program is made with, then of what that stands on
std::string licenses_text();          // attnscope's own, all of the table, and the texts that have to be passed on

}  // namespace attnscope
