#include "core/error.h"
#include "window/frame.h"

int main() {
  return attnscope::run_window([](attnscope::Session&) {});
}
